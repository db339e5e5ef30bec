"""The casting table turns a direction into an espeak-ng voice and pitch."""

from itertools import pairwise, product

import pytest

from evaluation.probes.pitch import reference_hz
from submissions.demo.casting import cast, habitual_f0_hz
from submissions.demo.direction import Accent, Direction, Pitch, Sex

AGES = (8, 13, 20, 25, 30, 38, 45, 55, 60, 70, 78)


def direction(
    *, sex: Sex | None = None, age: int | None = None, accent: Accent | None = None, pitch: Pitch | None = None
) -> Direction:
    """A direction that says only this."""
    return Direction(sex=sex, age_years=age, accent=accent, pitch=pitch, pace=None, loudness=None)


@pytest.mark.parametrize(("sex", "age"), list(product(("female", "male"), AGES)))
def test_habitual_f0_is_near_the_probes_reference(sex: Sex, age: int) -> None:
    """What the baseline takes for a medium pitch lies well inside the probe's medium bucket."""
    assert habitual_f0_hz(sex, age) == pytest.approx(reference_hz(sex, age), rel=0.05)


@pytest.mark.parametrize(("sex", "age"), list(product(("female", "male"), AGES)))
def test_higher_directions_are_higher_settings(sex: Sex, age: int) -> None:
    """Low, medium and high never turn round, and differ wherever one variant serves all three."""
    low, medium, high = (cast(direction(sex=sex, age=age, pitch=level)) for level in ("low", "medium", "high"))
    for lower, higher in pairwise((low, medium, high)):
        if lower.voice == higher.voice:
            assert lower.pitch <= higher.pitch
    if age >= 20 and low.voice == high.voice:
        assert low.pitch < medium.pitch < high.pitch


def test_accent_and_sex_choose_the_voice() -> None:
    """British is read in the British voice, a woman in a woman's variant; nothing said is an American man."""
    assert cast(direction(sex="female", accent="British")).voice == "gmw/en+f2"
    assert cast(direction(sex="male", accent="Canadian")).voice == "en-us+m7"
    assert cast(direction()) == cast(direction(sex="male", age=30, accent="American", pitch="medium"))


def test_a_boy_keeps_a_male_voice() -> None:
    """A boy too high for the man's variant gets the boy's, never the woman's."""
    assert cast(direction(sex="male", age=8, pitch="high")).voice == "en-us+Nguyen"
