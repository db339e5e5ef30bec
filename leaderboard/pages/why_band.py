"""The page of a system's rank band: who beats it, whom it beats, and the two subtractions that follow. Pure."""

from collections.abc import Mapping, Sequence

from leaderboard import display, shell, words
from leaderboard.markup import Markup, el, join
from leaderboard.pages import why
from leaderboard.pages.why_state import WhyState
from leaderboard.query import address
from leaderboard.views import Board, Row
from leaderboard.why.grid import LOSS, WIN, Grid


def build(board: Board, boards: Sequence[Board], row: Row, state: WhyState, grid: Grid) -> Markup:
    """Return the whole page; `grid` holds the published decisions of the board."""
    place = grid.place(row.submission)
    names = {one.submission: one.name for one in board.rows}
    line = grid.outcomes[place] if place is not None else []
    beaten_by = [key for key, outcome in zip(grid.keys, line, strict=False) if outcome == LOSS]
    beats = [key for key, outcome in zip(grid.keys, line, strict=False) if outcome == WIN]
    ties = [key for key in grid.keys if key not in {*beaten_by, *beats, row.submission}]
    best, worst, n = 1 + len(beaten_by), len(grid.keys) - len(beats), len(grid.keys)
    is_same = (best, worst) == (row.band.best, row.band.worst)
    facts = shell.facts(
        [
            ("What", "The ranks that the decisions leave open; nothing orders the systems within a band."),
            ("Best rank", el("b", f"1 + {len(beaten_by)} that beat it = {best}")),
            ("Worst rank", el("b", f"{n} systems − {len(beats)} that it beats = {worst}")),
        ]
    )
    told = (
        el("p", "✓ ", words.WHY_SAME, cls="cb-small cb-good-text", id="why-same", data_same="identical")
        if is_same
        else el(
            "p",
            words.WHY_OTHER.format(value=display.band(row.band.best, row.band.worst)),
            cls="cb-bad-text",
            id="why-same",
            data_same="different",
        )
    )
    value = el("p", el("strong", display.band(best, worst)), el("span", f"of {n}", cls="cb-soft"), cls="cb-why-value")
    body = join(
        shell.title(join("Rank band", el("span", " of ", cls="cb-soft"), row.name), words.WHY_LEAD, shell.copy_link()),
        why.crumbs(board, row, state),
        value,
        facts,
        told,
        _rivals("Beaten by", beaten_by, row, names, board.protocol_id),
        _rivals("Ties with", ties, row, names, board.protocol_id),
        _rivals("Beats", beats, row, names, board.protocol_id),
    )
    return why.page(board, boards, body)


def _rivals(head: str, keys: Sequence[str], row: Row, names: Mapping[str, str], protocol_id: str) -> Markup:
    links = (
        el("li", el("a", names[key], href=address("/matrix", protocol=protocol_id, a=row.submission, b=key) + "#pair"))
        for key in keys
    )
    inner = el("ul", *links, cls="cb-rivals") if keys else el("p", "Nobody.", cls="cb-small")
    return join(el("h2", f"{head} {display.count(len(keys), 'system')}" if keys else head), inner)
