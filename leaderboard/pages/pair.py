"""The panel of one pair: its decision in full, what it rests on, and where the two differ. Pure."""

from dataclasses import dataclass

from evaluation.records import Decision
from leaderboard import sharing, shell, words
from leaderboard.decision_words import sentence
from leaderboard.derive.records import ALL
from leaderboard.markup import Markup, el, join
from leaderboard.pages import pair_rows, pair_sum
from leaderboard.pages.matrix_state import MatrixState
from leaderboard.query import address
from leaderboard.snippets import SITE_ADDRESS
from leaderboard.views import Board, Row
from leaderboard.why.pair import PairProof
from leaderboard.why.snippet import snippet

RESAMPLES = "/download/resamples"
"""Route of the resampled differences of a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What else is known of a pair, and never decides it."""

    note: Markup | None = None
    """One sentence on a held duel."""
    duel: Markup | None = None
    """The panel of its duel."""
    votes: Markup | None = None
    """What people preferred."""


NOTHING = Beside()


def panel(board: Board, state: MatrixState, proof: PairProof | None, beside: Beside = NOTHING) -> Markup:
    """Return the panel of the picked pair, or what stands in its place.

    Args:
        board: the board.
        state: which pair on which slice.
        proof: its decision made anew; None if it could not be.
        beside: duel and votes.
    """
    first, second = board.row(state.one), board.row(state.other)
    if not state.one and not state.other:
        return el("p", words.PAIR_NONE, cls="cb-note", id="pair")
    if first is None or second is None or first is second:
        return el("div", shell.notice("The address names a pair that is not on this board.", look="warn"), id="pair")
    published = _published(board, state.one, state.other)
    if proof is None or (published is None and state.part == ALL):
        return el("div", shell.notice("This pair has not been decided.", look="warn"), id="pair")
    return el(
        "section",
        el("h2", first.name, el("span", " against ", cls="cb-soft"), second.name, tabindex=-1, id="pair-title"),
        _whole(board, (first, second), state, proof=proof, published=published, beside=beside),
        id="pair",
        cls="cb-panel",
        data_a=state.one,
        data_b=state.other,
        data_announce=f"{first.name} against {second.name}: {'a win' if proof.decision.is_win else 'a tie'}",
    )


def slice_label(state: MatrixState) -> str:
    """Return what a slice compares, in words: "S, all items", "Pitch, hard items"."""
    what = words.header(state.part.trait).label if state.part.trait else "S"
    items = [words.TIERS[state.part.tier]] if state.part.tier is not None else []
    items += [words.SPLITS[state.part.split]] if state.part.split else []
    return f"{what}, {' '.join(items) or 'all'} items"


def _published(board: Board, one: str, other: str) -> Decision | None:
    return board.decisions.get((one, other)) or board.decisions.get((other, one))


def _whole(
    board: Board,
    pair: tuple[Row, Row],
    state: MatrixState,
    *,
    proof: PairProof,
    published: Decision | None,
    beside: Beside,
) -> Markup:
    first, second = pair
    names = {first.submission: first.name, second.submission: second.name}
    constants = board.protocol.constants
    label = None
    if state.part != ALL:
        label = el("p", el("b", slice_label(state)), ". ", words.SLICE_NOTE, cls="cb-small", id="pair-slice")
    table = pair_sum.steps(proof, names, constants, board.protocol_id)
    code = snippet(board.protocol, board.protocol_id, proof, site=SITE_ADDRESS)
    runs = el(
        "details",
        el("summary", "Recompute this bound in a notebook"),
        el("p", words.PAIR_SNIPPET, cls="cb-small"),
        el("pre", el("code", code, data_site_address=SITE_ADDRESS, id="pair-code")),
        el("p", el("button", "Copy the code", type="button", cls="cb-button", data_copy_text="pair-code")),
        id="pair-snippet",
    )
    return join(
        label,
        sentence(proof.decision, names, constants),
        beside.note,
        _acts(board, state),
        el("h3", "The arithmetic"),
        shell.scroll_box(table, "The decision, step by step"),
        pair_sum.same(proof, published),
        el("h3", f"{constants.n_resamples:,} resamples of the {proof.decision.n_items:,} items"),
        pair_sum.figure(proof, names),
        el("h3", "What would change it"),
        pair_sum.needs(proof, names),
        pair_rows.by_dimension(board.protocol_id, first, second, proof),
        pair_rows.widest(board.protocol_id, first, second, proof),
        runs,
        beside.votes,
        beside.duel,
    )


def _acts(board: Board, state: MatrixState) -> Markup:
    kept = address("/listen", protocol=board.protocol_id, systems=f"{state.one},{state.other}")
    part = state.part
    draws = address(
        f"{RESAMPLES}/{board.protocol_id}/{state.one}/{state.other}.csv",
        trait=part.trait,
        tier=None if part.tier is None else str(part.tier),
        split=part.split,
    )
    decision = sharing.files("/decisions", "This decision", protocol=board.protocol_id, a=state.one, b=state.other)
    return el(
        "div",
        el("a", "Listen to both", href=kept, cls="cb-button cb-strong"),
        el("a", "Listen blind", href=kept + "&blind=1", cls="cb-button"),
        el("button", "Copy link", type="button", cls="cb-button cb-quiet", data_copy_link="pair"),
        decision if part == ALL else None,
        el("span", el("a", "Resamples CSV", href=draws, download=True), cls="cb-export"),
        cls="cb-pair-acts",
    )
