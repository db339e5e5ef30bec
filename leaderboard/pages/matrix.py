"""The matrix page: who beats whom on the whole board or a part of the evidence, and the pair that a reader picks."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard import sharing, shell, words
from leaderboard.derive.records import ALL, Slice
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import matrix_grid, matrix_map, pair
from leaderboard.pages.matrix_state import HERE, MatrixState, window
from leaderboard.views import Board
from leaderboard.why.grid import Grid
from leaderboard.why.pair import PairProof

__all__ = ["HERE", "MatrixShown", "build", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixShown:
    """What the page is made of."""

    board: Board
    """The board."""
    state: MatrixState
    """What its address asks for."""
    grid: Grid | None
    """All pairs on the slice; None while they are worked out."""
    proof: PairProof | None = None
    """The picked pair's decision, made anew; None for none."""
    beside: pair.Beside = pair.NOTHING
    """Duel and votes of the picked pair."""


def build(shown: MatrixShown, boards: Sequence[Board]) -> Markup:
    """Return the whole page; `boards` are all boards, for the choice of protocol."""
    board = shown.board
    aside = (shell.protocol_choice(boards, HERE, board.protocol_id), sharing.aside())
    head = shell.title("Who beats whom", words.MATRIX_LEAD, *aside)
    kept = board.protocol_id if len(boards) > 1 else ""
    body = _too_few(board) if len(board.rows) < 2 else view(shown)
    return shell.page("page-matrix", join(head, body), here=HERE, protocol=kept)


def view(shown: MatrixShown) -> Markup:
    """Return everything that a change of slice or window changes, as one part."""
    board, state, grid = shown.board, shown.state, shown.grid
    choice, overview, windows = _choice(board, state), None, None
    if grid is None:
        whole = el("p", shell.notice(words.SLICE_WAIT), id="matrix-wait")
    else:
        first_row, first_column = window(state, grid.keys)
        rows = {row.submission: row for row in board.rows}
        overview = matrix_map.overview(grid, state, first_row, first_column)
        windows = matrix_grid.windows(grid, state, first_row, first_column)
        whole = join(
            el("p", words.SLICE_NOTE, cls="cb-small", id="matrix-derived") if state.part != ALL else None,
            matrix_grid.grid_table(grid, rows, state, first_row, first_column),
            el("p", words.MATRIX_HOW, cls="cb-small cb-matrix-how"),
        )
    panel = pair.panel(board, state, shown.proof, shown.beside)
    export = sharing.files("/decisions", "All decisions", protocol=board.protocol_id) if state.part == ALL else None
    above = el("div", matrix_grid.legend(), export, cls="cb-above")
    top = el("div", el("div", choice, above, windows, cls="cb-matrix-choices"), overview, cls="cb-matrix-top")
    announced = f"Matrix of {pair.slice_label(state)}"
    return el("div", top, whole, panel, id="matrix-view", data_view=True, data_announce=announced)


def _choice(board: Board, state: MatrixState) -> Markup:
    """Return the links that choose what is compared, over which items."""
    part = state.part
    traits: list[tuple[Child, Slice]] = [("Score S", Slice(tier=part.tier, split=part.split))]
    traits += [
        (words.header(name).label, Slice(trait=name, tier=part.tier, split=part.split))
        for name in board.protocol.dimensions
    ]
    tiers: list[tuple[Child, Slice]] = [("all", Slice(trait=part.trait, split=part.split))]
    tiers += [(label, Slice(trait=part.trait, tier=tier, split=part.split)) for tier, label in words.TIERS.items()]
    splits: list[tuple[Child, Slice]] = [("both", Slice(trait=part.trait, tier=part.tier))]
    splits += [
        (words.SPLITS["public"], Slice(trait=part.trait, tier=part.tier, split="public")),
        (words.SPLITS["held_out"], Slice(trait=part.trait, tier=part.tier, split="held_out")),
    ]
    groups = (("Compare", traits), ("Items", tiers), ("Split", splits))
    return el("div", *(_group(label, links, state) for label, links in groups), cls="cb-slices", id="matrix-slices")


def _group(label: str, links: Sequence[tuple[Child, Slice]], state: MatrixState) -> Markup:
    made = (
        el(
            "a",
            name,
            href=state.address(trait=part.trait, tier=None if part.tier is None else str(part.tier), split=part.split),
            data_swap="matrix-view",
            data_key=f"slice-{label}-{part.key}",
            aria_current="true" if part == state.part else None,
        )
        for name, part in links
    )
    return el("nav", el("span", label), *made, cls="cb-slice-group", aria_label=f"{label}: part of the evidence")


def _too_few(board: Board) -> Markup:
    text = "A matrix needs two systems; " + ("there is one so far." if board.rows else "there is none yet.")
    acts = el("p", el("a", "Submit a system", href="/submit", cls="cb-button cb-strong"))
    return el("section", el("h2", "Nothing to compare yet"), el("p", text), acts, id="matrix-empty", cls="cb-empty")
