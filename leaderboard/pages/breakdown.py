"""One system in detail: each trait by value, requested against measured, and S by tier and split."""

from evaluation.summary import Mean, Slice, TraitTable
from evaluation.traits import trait
from leaderboard import display, shell, words
from leaderboard.markup import Markup, el, join
from leaderboard.query import address
from leaderboard.views import Board, Detail, Row


def traits(board: Board, row: Row, detail: Detail) -> Markup:
    """Return every dimension with its mean, its values and its confusion."""
    blocks = [_trait(name, row, detail) for name in board.protocol.dimensions]
    return el("section", el("h2", "Trait by trait"), el("div", *blocks, cls="cb-traits"), id="system-traits")


def _trait(name: str, row: Row, detail: Detail) -> Markup:
    header = words.header(name)
    mean = detail.summary.overall.dimensions[name]
    value = el("p", el("strong", display.score(mean.mean)), el("small", _spread(mean)), cls="cb-bigmean")
    unread = (
        el("p", f"{display.count(mean.n_unread, 'clip')} gave nothing to read and count 0.", cls="cb-small")
        if mean.n_unread
        else None
    )
    table = detail.summary.traits.get(name)
    inner = (
        join(_values(name, row, table), _confusion(name, table))
        if table
        else el("p", words.PREDICTOR_NOTE.capitalize() + ".", cls="cb-small")
    )
    return el(
        "article",
        el("h3", header.label),
        el("p", header.tip, cls="cb-small"),
        value,
        unread,
        inner,
        cls="cb-trait",
        id=f"trait-{name}",
    )


def _spread(mean: Mean) -> str:
    low_high = display.interval(mean.interval.low, mean.interval.high) if mean.interval else "no interval"
    return f"{low_high}, n = {mean.n_scored}"


def _values(name: str, row: Row, table: TraitTable) -> Markup:
    rows = [
        el(
            "tr",
            el(
                "th",
                el("a", value, href=address("/listen", systems=row.submission, pick=f"{name}:{value}")),
                scope="row",
            ),
            el("td", join(display.score(mean.mean), shell.bar(mean.mean)), cls="cb-num"),
            el("td", f"{mean.n_scored}", cls="cb-num"),
        )
        for value in trait(name).values
        if (mean := table.values.get(value)) is not None
    ]
    head = el(
        "tr",
        *(
            el("th", text, scope="col", cls=look)
            for text, look in (("Requested", None), ("Mean", "cb-num"), ("Clips", "cb-num"))
        ),
    )
    return el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-values")


def _confusion(name: str, table: TraitTable) -> Markup | None:
    # A judge gives a score, not a value; its table has no columns for values.
    if not any(value in row for row in table.confusion.values() for value in trait(name).values):
        return None
    has_unread = any(row.get("unread", 0) for row in table.confusion.values())
    columns = [*trait(name).values, *(["unread"] if has_unread else [])]
    head = el(
        "tr",
        el("th", "Requested ↓ Measured →", scope="col"),
        *(el("th", text, scope="col", cls="cb-num") for text in columns),
    )
    lines = [
        el(
            "tr",
            el("th", requested, scope="row"),
            *(_count(row.get(measured, 0), sum(row.values()), is_right=requested == measured) for measured in columns),
        )
        for requested in trait(name).values
        if (row := table.confusion.get(requested)) is not None
    ]
    caption = el("caption", "Clips by requested and measured value", cls="cb-vh")
    inner = el("table", caption, el("thead", head), el("tbody", *lines), cls="cb-table cb-confusion")
    return shell.scroll_box(inner, f"Confusion of {name}")


def _count(number: int, whole: int, *, is_right: bool) -> Markup:
    share = number / whole if whole else 0.0
    look = "cb-num cb-right" if is_right else "cb-num"
    return el(
        "td", str(number), cls=look, style=f"--share:{share * 100:.0f}%", title=f"{display.percent(share)} of {whole}"
    )


def slices(detail: Detail) -> Markup:
    """Return S by tier and by split."""
    tiers = [(words.TIERS.get(int(name), name), part) for name, part in detail.summary.tiers.items()]
    splits = [(words.SPLITS.get(name, name), part) for name, part in detail.summary.splits.items()]
    head = el(
        "tr",
        *(
            el("th", text, scope="col", cls="cb-num" if at else None)
            for at, text in enumerate(("Items", "S", "Interval", words.header("gate").label, "n"))
        ),
    )
    rows = [_slice(label, part) for label, part in [*tiers, *splits]]
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table", id="system-slices")
    return el(
        "section", el("h2", "By tier and split"), shell.scroll_box(table, "Score by tier and split"), cls="cb-narrow"
    )


def _slice(label: str, part: Slice) -> Markup:
    low_high = (
        display.interval(part.score.interval.low, part.score.interval.high) if part.score.interval else display.DASH
    )
    numbers = (display.score(part.score.mean), low_high, display.percent(part.gate.rate), str(part.score.n_scored))
    return el("tr", el("th", label, scope="row"), *(el("td", text, cls="cb-num") for text in numbers))
