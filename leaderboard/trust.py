"""How far a board's numbers can be trusted, in one record: instruments, ceiling, gate, and how its judge is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluation.cards import InstrumentCard, basis_of
from evaluation.ceiling import Ceiling
from evaluation.ceiling_gate import gate_errors
from evaluation.gate import trial
from evaluation.protocol import Protocol
from evaluation.summary import JudgedTable, Summary
from evaluation.summary import Rate as Counted
from leaderboard import dimensions
from leaderboard.outages import Waits
from leaderboard.views import Board

_SHORT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionTrust:
    """One dimension."""

    name: str
    """Its name."""
    how: dimensions.How
    """Probed, judged or predicted."""
    by: str
    """What measures it."""
    version: str
    """Version or commit of that, as the protocol pins it; empty if it names none."""
    right: Counted | None
    """How often it was right on labelled clips; None without a card."""
    flawless: float | None
    """What it alone would leave of a flawless system's S, 0..1; None: counted as 1."""
    n_flips: int | None
    """Verdicts of this board whose two orders disagree; None for what no judge hears."""
    n_verdicts: int
    """All verdicts of this board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTrust:
    """A board's judge."""

    model: str
    """Its model."""
    votes: int
    """How often each order is asked."""
    waits: Waits | None
    """How long it was waited for; None if that is not known."""
    cost_micro_usd: float | None
    """Mean cost of judging one system, millionths of a US dollar; None if no row tells one."""
    n_priced: int
    """Rows that it is the mean of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTrust:
    """A board's word gate."""

    false: trial.Rate | None
    """Share of clips vetoed although the voice would have passed; None if it was not tried with these transcribers."""
    n_checked: int
    """Vetoes that were checked by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """All of it."""

    dimensions: tuple[DimensionTrust, ...]
    """By dimension, in the protocol's order."""
    gate: GateTrust
    """The word gate."""
    judge: JudgeTrust | None
    """The judge; None for a board without one."""

    def of(self, name: str) -> DimensionTrust | None:
        """Return what is known of one dimension; None for one that the board does not score."""
        return next((one for one in self.dimensions if one.name == name), None)


def trust_of(
    board: Board,
    *,
    cards: Mapping[str, InstrumentCard],
    ceiling: Ceiling | None,
    summaries: Mapping[str, Summary],
    waits: Waits | None,
) -> Trust:
    """Return how far a board's numbers can be trusted.

    Args:
        board: the board.
        cards: of its instruments, by trait.
        ceiling: what a flawless system would score; None if that is not known.
        summaries: published figures of its systems, by submission; needed with a judge alone.
        waits: how long its judge was waited for.
    """
    protocol = board.protocol
    factors = ceiling.factors if ceiling else {}
    found = tuple(
        _dimension(protocol, name, cards.get(name), factors.get(name), tuple(summaries.values()))
        for name in protocol.dimensions
    )
    return Trust(dimensions=found, gate=_gate(protocol), judge=_judge(board, waits))


def _dimension(
    protocol: Protocol, name: str, card: InstrumentCard | None, flawless: float | None, summaries: Sequence[Summary]
) -> DimensionTrust:
    tables = [table for table in (one.judged.get(name) for one in summaries) if table is not None]
    return DimensionTrust(
        name=name,
        how=dimensions.how(protocol, name),
        by=dimensions.measurer(protocol, name),
        version=_version(protocol, name),
        right=card.accuracy if card else None,
        flawless=flawless,
        n_flips=_flips(tables) if name in protocol.judged else None,
        n_verdicts=sum(table.consistent.n for table in tables),
    )


def _flips(tables: Sequence[JudgedTable]) -> int:
    return sum(table.consistent.n - table.consistent.n_hits for table in tables)


def _version(protocol: Protocol, name: str) -> str:
    if name in protocol.judged:
        return protocol.judge.prompt if protocol.judge is not None else ""
    main = protocol.instruments.get(basis_of(name).roles[0])
    if main is None:
        return ""
    return main.model.revision[:_SHORT] if main.model else f"{main.package} {main.version}"


def _gate(protocol: Protocol) -> GateTrust:
    tried = trial.shipped()
    is_tried = tried.corpus == protocol.corpus.name and gate_errors(protocol, tried) is not None
    return GateTrust(
        false=trial.rate_of(tried, "gate", "transcriber") if is_tried else None, n_checked=len(tried.verdicts)
    )


def _judge(board: Board, waits: Waits | None) -> JudgeTrust | None:
    recipe = board.protocol.judge
    if recipe is None:
        return None
    costs = [
        row.judge_usage.cost_micro_usd
        for row in board.rows
        if row.judge_usage is not None and row.judge_usage.cost_micro_usd is not None
    ]
    return JudgeTrust(
        model=recipe.model,
        votes=recipe.votes,
        waits=waits,
        cost_micro_usd=fmean(costs) if costs else None,
        n_priced=len(costs),
    )
