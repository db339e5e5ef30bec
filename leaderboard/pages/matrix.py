"""The matrix: who beats whom, and the whole arithmetic of the pair that a reader picks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.protocol import Constants
from evaluation.records import Decision
from leaderboard import display, sharing, shell, standings, words
from leaderboard.markup import Markup, el, join
from leaderboard.pages import parts
from leaderboard.query import address
from leaderboard.standings import Cell
from leaderboard.views import Board, Row, Sample

HERE = "/matrix"
N_SHOWN = 40
"""Systems in one view of the matrix, each way; of a larger board, rows and columns are chosen apart."""
N_GAPS = 12
"""Items listed under a pair: those on which the two differ most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of the matrix is shown."""

    one: str
    """Submission of the picked pair; empty for none."""
    other: str
    """The other submission."""
    first_row: int
    """Place of the first row's system, from 0."""
    first_column: int
    """Place of the first column's system, from 0."""


def build(
    board: Board,
    boards: Sequence[Board],
    one: str,
    other: str,
    *,
    samples: Mapping[str, Mapping[str, Sample]],
    first_row: int = 0,
    first_column: int = 0,
    note: Markup | None = None,
) -> Markup:
    """Return the whole page.

    Args:
        board: the board to show.
        boards: all boards, for the choice of protocol.
        one: submission of the picked pair; empty for none.
        other: the other submission.
        samples: per-item samples of the picked pair, by submission; empty if none is picked.
        first_row: place of the first system that has a row in this view, from 0.
        first_column: place of the first system that has a column.
        note: what the picked pair's duel says, to stand below its decision.
    """
    aside = (shell.protocol_choice(boards, HERE, board.protocol_id), sharing.aside())
    head = shell.title("Who beats whom", words.MATRIX_LEAD, *aside)
    kept = board.protocol_id if len(boards) > 1 else ""
    if len(board.rows) < 2:
        return shell.page("page-matrix", join(head, _too_few(board)), here=HERE, protocol=kept)
    pair = _pair(board, one, other, samples, note)
    view = View(one=one, other=other, first_row=first_row, first_column=first_column)
    body = join(head, _above(board), _windows(board, view), _grid(board, view), pair)
    return shell.page("page-matrix", body, here=HERE, protocol=kept)


def sentence(decision: Decision, names: Mapping[str, str], constants: Constants) -> Markup:
    """Return a decision in words, with every number that led to it."""
    above, below = names[decision.challenger], names[decision.incumbent]
    gap = decision.challenger_score - decision.incumbent_score
    start = join(
        f"Over the same {display.count(decision.n_items, 'item')}, ",
        el("b", above),
        f" has a mean composite of {display.exact(decision.challenger_score)} and ",
        el("b", below),
        f" one of {display.exact(decision.incumbent_score)}: a difference of {display.exact(gap)}. ",
    )
    bound = (
        f"In {constants.n_resamples:,} resamples of the items, {1 - constants.alpha:.0%} of the mean differences are "
        f"above {_signed(decision.lcb)} (the lower bound, LCB). "
    )
    headroom = constants.margin_slope * (1 - decision.incumbent_score)
    margin = (
        f"To win, it must exceed a margin of {display.exact(decision.margin)}, the larger of "
        f"{constants.margin_floor:g} and {constants.margin_slope:.0%} of the room left above the lower score, "
        f"{constants.margin_slope:g} × (1 − {display.exact(decision.incumbent_score)}) = {display.exact(headroom)}. "
    )
    sign = ">" if decision.is_win else "≤"
    end = "a win for " if decision.is_win else "a tie: these items do not separate the two"
    verdict = el("b", f"{_signed(decision.lcb)} {sign} {display.exact(decision.margin)}")
    return el(
        "p",
        start,
        bound,
        margin,
        verdict,
        ", so it is ",
        end,
        el("b", above) if decision.is_win else None,
        ".",
        id="decision-sentence",
    )


def _signed(value: float) -> str:
    return display.exact(value).replace("-", "−")


def _too_few(board: Board) -> Markup:
    text = "A matrix needs two systems; " + ("there is one so far." if board.rows else "there is none yet.")
    acts = el("p", el("a", "Submit a system", href="/submit", cls="cb-button cb-strong"))
    return el("section", el("h2", "Nothing to compare yet"), el("p", text), acts, id="matrix-empty", cls="cb-empty")


def _above(board: Board) -> Markup:
    export = sharing.files("/decisions", "All decisions", protocol=board.protocol_id)
    return el("div", _legend(), export, cls="cb-above")


def _legend() -> Markup:
    marks = [
        el("span", el("i", glyph, cls=f"cb-cell cb-{kind}"), f" row {verb}")
        for kind, (glyph, verb) in words.OUTCOMES.items()
        if glyph
    ]
    return el("p", *marks, cls="cb-legend")


def _windows(board: Board, view: View) -> Markup | None:
    if len(board.rows) <= N_SHOWN:
        return None
    rows = _navigator("Rows", board, view, view.first_row, "from")
    columns = _navigator("Columns", board, view, view.first_column, "cols")
    return el("div", rows, columns, id="matrix-windows")


def _navigator(label: str, board: Board, view: View, chosen: int, key: str) -> Markup:
    kept = {"from": str(view.first_row), "cols": str(view.first_column)}
    links = [
        el(
            "a",
            f"{first + 1}–{min(first + N_SHOWN, len(board.rows))}",
            href=address(HERE, protocol=board.protocol_id, a=view.one, b=view.other, **(kept | {key: str(first)})),
            aria_current="true" if first == chosen else None,
        )
        for first in range(0, len(board.rows), N_SHOWN)
    ]
    return el("nav", el("span", label), *links, cls="cb-contents cb-windows", aria_label=f"{label} of the matrix")


def _grid(board: Board, view: View) -> Markup:
    cells = standings.matrix(board, view.first_row, view.first_column, N_SHOWN)
    named = {row.submission: row for row in board.rows}
    columns = board.rows[view.first_column : view.first_column + N_SHOWN]
    names = [
        el("th", el("span", row.name, cls="cb-tilt"), scope="col", title=f"{at}. {row.name}")
        for at, row in enumerate(columns, start=view.first_column + 1)
    ]
    head = el("tr", el("th", "System", scope="col"), el("th", "W · T · L", scope="col"), *names)
    body = [_line(named[line[0].row], line, named, board, (view.one, view.other)) for line in cells]
    table = el("table", el("thead", head), el("tbody", *body), id="matrix-table", cls="cb-table cb-matrix")
    return shell.scroll_box(table, "Win and tie matrix")


def _line(row: Row, line: tuple[Cell, ...], named: Mapping[str, Row], board: Board, picked: tuple[str, str]) -> Markup:
    wins, ties, losses = standings.record(board, row.submission)
    name = el("a", row.name, href=address("/system", id=row.submission))
    band = el("span", display.band(row.band.best, row.band.worst), cls="cb-band")
    called = el("span", name, " ", parts.superseded(row))
    head = el("th", el("span", band, called), scope="row", cls="cb-system")
    count = el("td", f"{wins} · {ties} · {losses}", cls="cb-num cb-tally")
    return el("tr", head, count, *(_square(cell, named, board, picked) for cell in line))


def _square(cell: Cell, named: Mapping[str, Row], board: Board, picked: tuple[str, str]) -> Markup:
    if cell.decision is None:
        return el("td", el("span", "", cls="cb-cell cb-self", aria_label="the same system"))
    glyph, verb = words.OUTCOMES[cell.outcome]
    relation = "beats" if cell.outcome == "win" else "loses to" if cell.outcome == "loss" else "ties with"
    tip = (
        f"{named[cell.row].name} {relation} {named[cell.column].name}: "
        f"LCB {_signed(cell.decision.lcb)}, margin {display.exact(cell.decision.margin)}"
    )
    link = el(
        "a",
        glyph,
        href=address(HERE, protocol=board.protocol_id, a=cell.row, b=cell.column) + "#pair",
        cls=f"cb-cell cb-{cell.outcome}",
        data_tip=tip,
        aria_label=tip,
        aria_current="true" if picked == (cell.row, cell.column) else None,
        data_outcome=verb,
        data_row=cell.row,
        data_column=cell.column,
    )
    return el("td", link)


def _pair(
    board: Board, one: str, other: str, samples: Mapping[str, Mapping[str, Sample]], note: Markup | None
) -> Markup:
    first, second = board.row(one), board.row(other)
    if not one and not other:
        return el("p", "Pick a cell to read its decision in full.", cls="cb-note", id="pair")
    if first is None or second is None or one == other:
        return el("div", shell.notice("The address names a pair that is not on this board.", look="warn"), id="pair")
    decision = standings.between(board.decisions, one, other)
    if decision is None:
        return el("div", shell.notice("This pair has not been decided.", look="warn"), id="pair")
    names = {first.submission: first.name, second.submission: second.name}
    kept = address("/listen", protocol=board.protocol_id, systems=f"{one},{other}")
    acts = el(
        "p",
        el("a", "Listen to both", href=kept, cls="cb-button cb-strong"),
        el("a", "Listen blind", href=kept + "&blind=1", cls="cb-button"),
        sharing.aside(),
        sharing.files("/decisions", "This decision", protocol=board.protocol_id, a=one, b=other),
    )
    return el(
        "section",
        el("h2", first.name, el("span", " against ", cls="cb-soft"), second.name),
        sentence(decision, names, board.protocol.constants),
        note,
        acts,
        _gaps(board, first, second, samples),
        id="pair",
        cls="cb-panel",
    )


def _gaps(board: Board, first: Row, second: Row, samples: Mapping[str, Mapping[str, Sample]]) -> Markup | None:
    both = (samples.get(first.submission, {}), samples.get(second.submission, {}))
    gaps = standings.widest_gaps(both[0], both[1], n_most=N_GAPS)
    if not gaps:
        return el("p", "The two have the same composite on every item.", cls="cb-small") if all(both) else None
    pair = f"{first.submission},{second.submission}"
    rows = [
        el(
            "tr",
            el(
                "th",
                el("a", item, href=address("/listen", protocol=board.protocol_id, item=item, systems=pair)),
                scope="row",
            ),
            el("td", display.score(mine), cls="cb-num"),
            el("td", display.score(theirs), cls="cb-num"),
            el("td", f"{mine - theirs:+.3f}".replace("-", "−"), cls="cb-num"),
        )
        for item, mine, theirs in gaps
    ]
    heads = ("Item", first.name, second.name, "Difference")
    head = el("tr", *(el("th", text, scope="col", cls=None if at == 0 else "cb-num") for at, text in enumerate(heads)))
    table = el("table", el("thead", head), el("tbody", *rows), id="pair-items", cls="cb-table")
    return join(el("h3", "Items on which they differ most"), shell.scroll_box(table, "Items on which they differ most"))
