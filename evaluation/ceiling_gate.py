"""How often the gate refuses a reading that is right, from the gate's own trial, for the flawless ceiling. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.card_rows import FloatArray
from evaluation.gate.trial import WAYS, Trial
from evaluation.protocol import Protocol, load_shipped

_FALSE = ("transcriber", "gate")
_TRIED = "lite"  # the transcribers of this shipped protocol heard the trial's clips
_HEARING = ("transcriber", "transcriber_again", "second_transcriber")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateErrors:
    """Vetoes of a trial, and how many of a checked draw of them hit a right reading."""

    vetoed: Mapping[int, float]
    """Share of the clips that was vetoed, by tier; a tier that was not tried counts as never vetoed."""
    n_checked: int
    """Vetoes that a person checked, >= 1."""
    n_false: int
    """Those of them that hit a right reading: the transcriber misheard it, or the gate refused it."""

    def pass_rates(self, tiers: Sequence[int]) -> FloatArray:
        """Return the share of right readings that pass, for each of `tiers`."""
        return 1 - self._shares(tiers) * self.n_false / self.n_checked

    def drawn_pass_rates(self, tiers: Sequence[int], rng: np.random.Generator, n_draws: int) -> FloatArray:
        """Return that share for `n_draws` draws of how many vetoes are false (Jeffreys's prior), (n_draws, n)."""
        false = rng.beta(self.n_false + 0.5, self.n_checked - self.n_false + 0.5, size=(n_draws, 1))
        return np.asarray(1 - false * self._shares(tiers), dtype=np.float64)

    def _shares(self, tiers: Sequence[int]) -> FloatArray:
        return np.array([self.vetoed.get(tier, 0.0) for tier in tiers])


def gate_errors(protocol: Protocol, trial: Trial) -> GateErrors | None:
    """Return what a trial says of a protocol's gate; None if it tried another gate, or nobody checked its vetoes."""
    tried = load_shipped(_TRIED)
    is_same = (trial.normaliser, trial.wer_limit) == (protocol.normaliser, protocol.constants.wer_limit) and all(
        tried.instruments.get(role) == protocol.instruments.get(role) for role in _HEARING
    )
    if not is_same or not trial.verdicts:
        return None
    cells = [cell for cell in trial.cells if cell.transcriber == trial.transcriber]
    gate = WAYS.index("gate")
    vetoed = {
        tier: 1 - sum(cell.passed[gate] for cell in cells if cell.tier == tier) / n
        for tier, n in _clips_by_tier(cells_of=[(cell.tier, cell.n) for cell in cells]).items()
    }
    return GateErrors(
        vetoed=vetoed,
        n_checked=len(trial.verdicts),
        n_false=sum(verdict.cause in _FALSE for verdict in trial.verdicts),
    )


def _clips_by_tier(cells_of: Sequence[tuple[int, int]]) -> dict[int, int]:
    tiers = sorted({tier for tier, _ in cells_of})
    return {tier: sum(n for at, n in cells_of if at == tier) for tier in tiers}
