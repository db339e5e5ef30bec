"""Other weights and margins give what-if figures that say what they are."""

import dataclasses
import math
from pathlib import Path

import pytest

from evaluation.analysis import LABEL, Analysis, Material, analyse
from evaluation.decision import contender, decide_all
from evaluation.protocol import Constants
from evaluation.scoring import score_submission
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example

NINE = judged.protocol()


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Material]:
    """Three systems that were read in all nine dimensions."""
    base: Path = tmp_path_factory.mktemp("nine")
    made = {name: judged.submission(base / name, name, NINE) for name in example.SUBMISSIONS}
    return {name: Material(readings=one.readings, declined=one.declined) for name, one in made.items()}


def run(systems: dict[str, Material], **what: dict[str, float]) -> Analysis:
    """Analyse the three."""
    return analyse(NINE, example.items(), systems, **what)


def test_without_changes_it_says_what_the_board_says(systems: dict[str, Material]) -> None:
    """Equal weights and the frozen constants are the board's own scores and decisions, and still only an analysis."""
    found = run(systems, weights=dict.fromkeys(NINE.dimensions, 3.0))
    scored = {key: score_submission(NINE, example.items(), one.readings, one.declined) for key, one in systems.items()}
    board = decide_all([contender(key, one.samples) for key, one in scored.items()], constants=NINE.constants)
    assert list(found.decisions.pairs()) == list(board.pairs())
    assert found.samples == {key: one.samples for key, one in scored.items()}
    assert found.label == LABEL


def test_weights_are_those_of_a_weighted_geometric_mean(systems: dict[str, Material]) -> None:
    """Every composite follows from the formula, and a dimension of weight 0 has no say."""
    weights = {"tone": 4.0, "pace": 0.0, "age": 0.5}
    found = run(systems, weights=weights)
    n_positive = 0
    for samples in found.samples.values():
        for sample in samples:
            expected = 0.0
            if sample.passed_gate:
                shares = [(weights.get(one.dimension, 1.0), max(one.desirability, 0.01)) for one in sample.dimensions]
                expected = math.prod(share**weight for weight, share in shares) ** (1 / sum(w for w, _ in shares))
                n_positive += 1
            assert sample.composite_micro == pytest.approx(expected * 1e6, abs=1)
    assert n_positive > 3


def test_nearly_equal_weights_give_nearly_the_exact_composites(systems: dict[str, Material]) -> None:
    """The float path and the exact one meet."""
    near, exact = run(systems, weights={"tone": 1.0 + 1e-12}), run(systems)
    for key, samples in near.samples.items():
        for one, other in zip(samples, exact.samples[key], strict=True):
            assert abs(one.composite_micro - other.composite_micro) <= 1


def test_other_thresholds_and_margins_are_used(systems: dict[str, Material]) -> None:
    """A gate that lets everything pass and no margin at all change scores and decisions."""
    found = run(systems, constants={"wer_limit": 10, "margin_floor": 0, "margin_slope": 0, "n_resamples": 50})
    assert found.constants == dataclasses.replace(
        NINE.constants, wer_limit=10.0, margin_floor=0.0, margin_slope=0.0, n_resamples=50
    )
    assert all(sample.passed_gate for some in found.samples.values() for sample in some if not sample.is_declined)
    assert all(decision.margin == 0 for decision in found.decisions.pairs())
    assert found.scores != run(systems).scores
    assert isinstance(found.constants, Constants)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"weights": {"charm": 1.0}}, "charm"),
        ({"weights": {"tone": -1.0}}, "at least 0"),
        ({"weights": {"tone": math.inf}}, "finite"),
        ({"weights": dict.fromkeys(NINE.dimensions, 0.0)}, "above 0"),
        ({"constants": {"mercy": 1.0}}, "mercy"),
        ({"constants": {"n_resamples": 1.5}}, "whole"),
        ({"constants": {"wer_limit": math.nan}}, "finite"),
        ({"constants": {"n_resamples": 0}}, "at least 1"),
        ({"constants": {"desirability_floor": 0}}, "desirability_floor"),
    ],
)
def test_what_makes_no_sense_is_refused(
    systems: dict[str, Material], what: dict[str, dict[str, float]], message: str
) -> None:
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        run(systems, **what)
