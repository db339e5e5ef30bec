"""What stands beside a board: how far its instruments and its judge can be trusted, and what they cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.cards import InstrumentCard
from evaluation.ceiling import Ceiling
from evaluation.judge.spend import Price
from evaluation.people.report import AgreementReport
from leaderboard.trials import Trials
from leaderboard.trust import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything of one board that the Method page tells beside its recipe."""

    trials: Trials
    """Trials of instruments that ship with Castboard."""
    cards: Mapping[str, InstrumentCard]
    """Cards of the board's own instruments by trait."""
    people: AgreementReport | None = None
    """How far its judge agrees with people; None if nobody was asked."""
    ceiling: Ceiling | None = None
    """What a flawless system would score; None if its items are not known here."""
    trust: Trust | None = None
    """All of it in short; None if nothing was looked at."""
    prices: tuple[Price, ...] = ()
    """What judges cost."""
    untried: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What was never tried with a model's real weights, by the name of its instrument and its repository."""
