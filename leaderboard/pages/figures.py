"""The page of figures, and small figures for other pages. A figure is drawn by a script when it comes into view."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaderboard import display, sharing, shell, words
from leaderboard.derive.records import ALL, Slice
from leaderboard.figures import asked as asking
from leaderboard.figures.records import N_COMPARED, N_SHOWN, Asked, Cell, Figure, Table
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address
from leaderboard.views import Board

HERE = "/figures"
VIEW = "figures-view"
_N_LINES = 120
"""Lines of a table on the page; the files have all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The page in one state."""

    board: Board
    """The board."""
    boards: Sequence[Board]
    """All boards, for the choice of protocol."""
    asked: Asked
    """The figure and what of it."""
    figure: Figure | None
    """It; None: it is being worked out."""
    is_failing: bool = False
    """What it needs could not be read."""


def build(view: View) -> Markup:
    """Return the whole page."""
    aside = (shell.protocol_choice(view.boards, HERE, view.board.protocol_id), sharing.aside())
    head = shell.title("Figures", words.FIGURES_LEAD, *aside)
    return shell.page("page-figures", join(head, section(view)), here=HERE, protocol=view.asked.protocol)


def section(view: View) -> Markup:
    """Return what changes when a reader chooses another figure, or another part of it."""
    label, what = words.FIGURES[view.asked.name]
    return el(
        "div",
        _tabs(view.asked),
        _form(view),
        el(
            "figure",
            el("figcaption", el("h2", label), el("p", what, cls="cb-small")),
            _told(view),
            id=f"figure-{view.asked.name}",
            cls="cb-fig",
        ),
        id=VIEW,
        data_view=True,
        data_announce=label if view.figure is None else f"{label}. {view.figure.sentence}",
    )


def small(figure: Figure | None, asked: Asked, *, name: str, heading: str) -> Markup:
    """Return a figure for another page, with a link to its own; it is drawn when it comes into view.

    Args:
        figure: the figure; None if it is being worked out.
        asked: what of it.
        name: id of the section.
        heading: what stands above it.
    """
    sentence = words.FIGURE_WAIT if figure is None else figure.sentence
    whole = asking.address(HERE, replace(asked, is_small=False))
    has_plot = figure is None or bool(figure.data)
    return el(
        "section",
        el("h2", heading),
        el("p", sentence, cls="cb-fig-says"),
        _plot(asked, figure) if has_plot else None,
        el("p", el("a", "The figure in full, with its numbers", href=whole), cls="cb-small"),
        id=name,
        cls="cb-fig cb-fig-small",
    )


def part_text(part: Slice) -> str:
    """Return a part of a board in words, for example "pitch, hard items"."""
    items = [words.TIERS[part.tier]] if part.tier is not None else []
    items += [words.SPLITS[part.split]] if part.split is not None else []
    told = [words.header(part.trait).label.lower()] if part.trait else []
    told += [f"{', '.join(items)} items"] if items else []
    return ", ".join(told) or "all items"


def _tabs(asked: Asked) -> Markup:
    links = [
        el(
            "a",
            label,
            href=asking.address(HERE, asking.turned(asked, name)),
            data_swap=VIEW,
            data_key=f"figure-{name}",
            aria_current="true" if name == asked.name else None,
        )
        for name, (label, _) in words.FIGURES.items()
    ]
    return el("nav", *links, cls="cb-fig-tabs", aria_label="Figures")


def _form(view: View) -> Markup:
    asked, has = view.asked, asking.CONTROLS[view.asked.name]
    fields: list[Markup | None] = [
        el("input", type="hidden", name="figure", value=asked.name),
        el("input", type="hidden", name="protocol", value=asked.protocol) if asked.protocol else None,
        _select("trait", "Dimension", _traits(view), asked.part.trait or "") if "trait" in has else None,
        _select("tier", "Difficulty", _tiers(), "" if asked.part.tier is None else str(asked.part.tier))
        if "tier" in has
        else None,
        _select("split", "Split", _splits(), asked.part.split or "") if "split" in has else None,
        _select("as", "Drawn as", (("", "radar"), ("lines", "parallel lines")), "lines" if asked.has_lines else "")
        if "lines" in has
        else None,
        _adder(view) if "systems" in has else None,
        el("noscript", el("button", "Show", type="submit", cls="cb-button")),
    ]
    form = el("form", join(*fields), cls="cb-controls", action=HERE, method="get", data_swap=VIEW, id="figures-form")
    return join(form, _picked(view), _windows(view) if "window" in has else None)


def _select(name: str, label: str, options: Sequence[tuple[str, str]], chosen: str) -> Markup:
    found = [el("option", text, value=value, selected=value == chosen) for value, text in options]
    return el("label", el("span", label), el("select", *found, name=name, id=f"figures-{name}"), cls="cb-fig-choice")


def _traits(view: View) -> list[tuple[str, str]]:
    nothing = "every trait" if view.asked.name == "values" else "score S"
    names = view.board.protocol.dimensions
    if view.asked.name == "values":
        names = tuple(name for name in names if name != "naturalness")
    return [("", nothing), *((name, words.header(name).label.lower()) for name in names)]


def _tiers() -> list[tuple[str, str]]:
    return [("", "all items"), *((str(tier), label) for tier, label in words.TIERS.items())]


def _splits() -> list[tuple[str, str]]:
    return [("", "both"), *words.SPLITS.items()]


def _adder(view: View) -> Markup | None:
    """Return the choice of one more system; those picked so far go with it."""
    picked = view.asked.systems
    if view.asked.name == "profile" and len(picked) >= N_COMPARED:
        return el("input", type="hidden", name="systems", value=",".join(picked))
    rest = [(row.submission, row.name) for row in view.board.rows if row.submission not in picked]
    kept = el("input", type="hidden", name="systems", value=",".join(picked)) if picked else None
    label = "Add a system" if picked else "Pick a system"
    return join(kept, _select("systems", label, [("", "…"), *rest], ""))


def _picked(view: View) -> Markup | None:
    asked = view.asked
    rows = [row for name in asked.systems if (row := view.board.row(name)) is not None]
    if not rows or "systems" not in asking.CONTROLS[asked.name]:
        return None
    chips = []
    for row in rows:
        rest = tuple(name for name in asked.systems if name != row.submission)
        link = el(
            "a",
            "×",
            href=asking.address(HERE, replace(asked, systems=rest)),
            data_swap=VIEW,
            aria_label=f"Without {row.name}",
        )
        chips.append(el("span", row.name, " ", link, cls="cb-chip"))
    none = el("a", "Pick none", href=asking.address(HERE, replace(asked, systems=())), data_swap=VIEW)
    return el("p", join(*chips, none, by=" "), cls="cb-fig-picked")


def _windows(view: View) -> Markup | None:
    asked, n = view.asked, len(view.board.rows)
    if n <= N_SHOWN or asked.systems:
        return None
    links = [
        el(
            "a",
            f"{first + 1}–{min(first + N_SHOWN, n)}",
            href=asking.address(HERE, replace(asked, first=first, has_all=False)),
            data_swap=VIEW,
            aria_current="true" if first == asked.first and not asked.has_all else None,
        )
        for first in range(0, n, N_SHOWN)
    ]
    whole = el(
        "a",
        f"all {n}",
        href=asking.address(HERE, replace(asked, first=0, has_all=True)),
        data_swap=VIEW,
        aria_current="true" if asked.has_all else None,
    )
    return el("nav", el("span", "Systems"), *links, whole, cls="cb-contents cb-windows", aria_label="Systems in view")


def _told(view: View) -> Markup:
    figure, asked = view.figure, view.asked
    if figure is None:
        text = words.FIGURE_FAILING if view.is_failing else words.FIGURE_WAIT
        again = el("a", "Look again", href=asking.address(HERE, asked), cls="cb-button")
        return el("div", el("p", text), el("p", again), cls="cb-fig-wait", data_figure_wait=True, role="status")
    if not figure.data:
        return el("div", el("p", figure.sentence), cls="cb-fig-wait")
    derived = asked.part != ALL and asked.name not in ("values", "tiers")
    return join(
        el("p", figure.sentence, cls="cb-fig-says"),
        el("p", words.FIGURE_DERIVED.format(part=part_text(asked.part)), cls="cb-small") if derived else None,
        _plot(asked, figure),
        el("noscript", el("p", words.FIGURE_NO_SCRIPT, cls="cb-small")),
        el("p", figure.note, cls="cb-small") if figure.note else None,
        _acts(asked),
        _details(figure.table),
    )


def _plot(asked: Asked, figure: Figure | None) -> Markup:
    height = 320 if figure is None else int(figure.layout.get("height", 320))
    return el(
        "div",
        id=f"plot-{asked.name}",
        cls="cb-fig-plot",
        role="img",
        aria_label="" if figure is None else figure.alt,
        style=f"min-height:{height}px",
        data_figure=asking.file_address(asked),
    )


def _acts(asked: Asked) -> Markup:
    images = [
        el("button", kind.upper(), type="button", cls="cb-button cb-quiet", data_figure_image=kind)
        for kind in ("png", "svg")
    ]
    files = join(
        el("a", "CSV", href=asking.file_address(asked, "csv"), download=True, aria_label="Numbers of the figure, CSV"),
        " · ",
        el(
            "a",
            "JSON",
            href=asking.file_address(asked, "data.json"),
            download=True,
            aria_label="Numbers of the figure, JSON",
        ),
        " · ",
        el(
            "a",
            "Parquet",
            href=asking.file_address(asked, "parquet"),
            download=True,
            aria_label="Numbers of the figure, parquet",
        ),
        " · ",
        el("a", "Plotly", href=asking.file_address(asked), aria_label="The figure itself, for plotly, JSON"),
    )
    shared = (
        el("button", "Copy link", type="button", cls="cb-button cb-quiet", data_copy_link=f"figure-{asked.name}"),
        el("button", "Embed", type="button", cls="cb-button cb-quiet", data_copy_embed=True),
    )
    return el("p", *images, *shared, el("span", files, cls="cb-export"), cls="cb-fig-acts")


def _details(table: Table) -> Markup:
    shown = table.lines[:_N_LINES]
    names = [name for name in table.columns if name != "submission"]
    head = el("tr", *(_column(name) for name in names))
    lines = [_line(table, at, line) for at, line in enumerate(shown)]
    rest = len(table.lines) - len(shown)
    more = el("p", f"{display.count(rest, 'more line')} in the files above.", cls="cb-small") if rest else None
    whole = el("table", el("thead", head), el("tbody", *lines), cls="cb-table cb-fig-table")
    box = shell.scroll_box(whole, words.FIGURE_TABLE)
    return el("details", el("summary", words.FIGURE_TABLE), box, more, id="figures-numbers")


def _column(name: str) -> Markup:
    told = words.figure_column(name) or None
    return el("th", name.replace("_", " "), scope="col", data_tip=told, tabindex=0 if told else None)


def _line(table: Table, at: int, line: tuple[Cell, ...]) -> Markup:
    key = table.keys[at] if at < len(table.keys) else ""
    cells = []
    for name, value in zip(table.columns, line, strict=True):
        if name == "submission":
            continue
        text: Child = _text(value)
        if name == "system" and key:
            text = el("a", str(value) or key, href=address("/system", id=key))
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        cells.append(el("td", text, cls="cb-num" if is_number else None))
    return el("tr", *cells)


def _text(value: Cell) -> str:
    if value is None:
        return display.DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    return display.score(value) if isinstance(value, float) else str(value)
