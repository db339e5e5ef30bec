"""What is scored follows from the kind of a trait, and from whether a judge is named for it."""

import dataclasses
import math

import pytest

from evaluation.records import ClassScores, Estimate, PredictedMos, Transcript, Unread, Verdict
from evaluation.scoring import IncompleteReadings, Scored, score_submission
from evaluation.traits import NATURALNESS
from tests.evaluation.test_scoring import SCRIPT, item, readings
from tests.submissions import judged_example as judged

BARE = judged.protocol(judged=("tone", NATURALNESS))


def only(*dimensions, judge=True):
    """A protocol of these dimensions."""
    return dataclasses.replace(BARE, dimensions=dimensions, judge=BARE.judge if judge else None)


def said(score, **changes):
    """A verdict of that score."""
    whole = {"anchor_score": 1.0, "winner": "tie", "is_consistent": True, "n_replies": 2, **changes}
    return Verdict(score=score, **whole)


def one(protocol, requested=None, **fields) -> dict:
    """The dimensions of one clip with these readings."""
    clip = dataclasses.replace(readings(0), **fields)
    scored: Scored = score_submission(protocol, [item(0, **(requested or {}))], {clip.item_id: clip}, ())
    return {score.dimension: score for score in scored.samples[0].dimensions}


@pytest.mark.parametrize(("years", "expected"), [(45, 1.0), (53, 1.0), (37, 1.0), (57, 0.5), (61, 0.0), (4, 0.0)])
def test_age_is_scored_by_its_tolerance(years, expected):
    """Within eight years is right, then it falls to 0 at sixteen."""
    age = one(only("age"), probes={"age": Estimate(value=float(years))})["age"]
    assert (age.quantity, age.measured, age.desirability) == (years, None, expected)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_age_that_is_no_number_is_a_hole_and_no_score(value):
    """Neither a full mark nor a 0: our instrument failed."""
    with pytest.raises(IncompleteReadings, match="age: The probe of age gave"):
        one(only("age"), probes={"age": Estimate(value=value)})


def test_a_class_is_the_likeliest_of_those_that_can_be_requested():
    """Right is 1, wrong 0, and the probability stands beside it."""
    scores = ClassScores(labels=("neutral", "calm", "happy"), probabilities=(0.2, 0.5, 0.3))
    found = one(only("emotion"), probes={"emotion": scores})["emotion"]
    assert (found.measured, found.quantity, found.desirability) == ("calm", 0.5, 1.0)
    wrong = one(only("emotion"), {"emotion": "happy"}, probes={"emotion": scores})["emotion"]
    assert wrong.desirability == 0.0


@pytest.mark.parametrize(("score", "expected"), [(0.0, 0.0), (1.0, 1 / 3), (2.5, 2.5 / 3), (3.0, 1.0)])
def test_a_judge_s_score_is_a_third_of_itself_unrounded(score, expected):
    """For tone and naturalness alike, and for any trait that the judge is named for."""
    for name in ("tone", NATURALNESS):
        assert one(only(name), verdicts={name: said(score)})[name].desirability == expected
    judge = dataclasses.replace(BARE.judge, dimensions=("emotion", "age", "pace"))
    protocol = dataclasses.replace(BARE, dimensions=judge.dimensions, judge=judge)
    found = one(protocol, verdicts=dict.fromkeys(judge.dimensions, said(score)))
    assert {score.desirability for score in found.values()} == {expected}
    assert found["pace"].measured is None


def test_naturalness_is_the_judge_s_if_there_is_one():
    """The predicted score counts only without."""
    both = {"naturalness": PredictedMos(mos=5.0), "verdicts": {NATURALNESS: said(0.0)}}
    assert one(only(NATURALNESS), **both)[NATURALNESS].desirability == 0.0
    assert one(only(NATURALNESS, judge=False), **both)[NATURALNESS].desirability == 1.0


def test_a_missing_verdict_is_a_hole():
    """Whatever else was read of the clip."""
    with pytest.raises(IncompleteReadings, match="naturalness: no instrument reported it"):
        one(only(NATURALNESS), naturalness=PredictedMos(mos=5.0))


def test_a_clip_that_speaks_to_the_judge_gets_nothing_judged():
    """In whichever hearing it does, before any verdict and even without one; what is measured stays."""
    plain = Transcript(text=SCRIPT, setting="x")
    second = dataclasses.replace(
        plain, doubt="loop", again=dataclasses.replace(plain.hearings()[0], text=f"{SCRIPT} {judged.SPEAKS}")
    )
    for heard in (Transcript(text=judged.SPEAKS, setting="x"), second):
        for verdicts in ({"tone": said(3.0)}, {}, {"tone": Unread(reason="x", fault="instrument")}):
            found = one(only("pace", "tone"), transcript=heard, verdicts=verdicts)
            assert (found["tone"].desirability, found["tone"].reason) == (0.0, "addresses_judge")
            assert found["pace"].reason is None
    assert one(only("tone"), transcript=plain, verdicts={"tone": said(3.0)})["tone"].desirability == 1.0


def test_an_item_that_requests_nothing_of_a_scored_trait_is_refused():
    """By its name, rather than by a key that is missing."""
    bare = dataclasses.replace(item(0), requested={"pace": "slow"})
    for dimension, absent in (("emotion", "emotion"), ("pitch", "age, gender, pitch")):
        with pytest.raises(ValueError, match=f"requests no {absent}, which protocol"):
            score_submission(only(dimension, judge=False), [bare], {}, {bare.id})
