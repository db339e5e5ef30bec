"""Tables of counts: requested or labelled value down, measured value across. Used for systems and for instruments."""

from collections.abc import Mapping, Sequence

from evaluation.summary import UNREAD
from leaderboard import display, shell
from leaderboard.markup import Markup, el

N_UPRIGHT = 5
"""With more columns than this their heads are written upwards, so that the table fits beside others."""


def table(
    counts: Mapping[str, Mapping[str, int]], values: Sequence[str], *, down: str, caption: str, label: str
) -> Markup | None:
    """Return a confusion table, or None for counts that have no columns of values, as those of a judged trait.

    Args:
        counts: by the value of the row, then by measured value or "unread".
        values: the values in order.
        down: what the rows are, "Requested" or "Label".
        caption: what is counted.
        label: name of the box that it scrolls in.
    """
    if not any(value in row for row in counts.values() for value in values):
        return None
    has_unread = any(row.get(UNREAD, 0) for row in counts.values())
    columns = [*values, *([UNREAD] if has_unread else [])]
    is_tilted = len(columns) > N_UPRIGHT
    head = el(
        "tr",
        shell.column(f"{down} ↓ Measured →"),
        *(
            el("th", el("span", text, cls="cb-tilt") if is_tilted else text, scope="col", cls="cb-num")
            for text in columns
        ),
    )
    lines = [
        el(
            "tr",
            el("th", value, scope="row"),
            *(_count(row.get(column, 0), sum(row.values()), is_right=value == column) for column in columns),
        )
        for value in values
        if (row := counts.get(value)) is not None
    ]
    under = el("caption", caption, cls="cb-vh")
    look = "cb-table cb-confusion cb-tilted" if is_tilted else "cb-table cb-confusion"
    inner = el("table", under, el("thead", head), el("tbody", *lines), cls=look)
    return shell.scroll_box(inner, label)


def _count(number: int, whole: int, *, is_right: bool) -> Markup:
    share = number / whole if whole else 0.0
    look = "cb-num cb-right" if is_right else "cb-num"
    return el(
        "td", str(number), cls=look, style=f"--share:{share * 100:.0f}%", title=f"{display.percent(share)} of {whole}"
    )
