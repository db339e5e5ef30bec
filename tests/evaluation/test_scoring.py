"""Readings of a submission become scores; a hole on our side never does."""

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.decision import contender
from evaluation.errors import ProtocolError
from evaluation.protocol import load_shipped
from evaluation.records import (
    Acoustics,
    ClassScores,
    ClipReadings,
    DimensionScore,
    Hearing,
    Item,
    ItemId,
    PredictedMos,
    Transcript,
    Unread,
)
from evaluation.scoring import IncompleteReadings, score_submission

LITE = load_shipped("lite")
SCRIPT = "nine plain words stand here in a simple row"
SILENT = Unread(reason="silent", fault="clip", detail="The clip holds no sound.")
DOWN = Unread(reason="crashed", fault="instrument", detail="The model was killed.")
REQUESTED = {
    "gender": "male",
    "age": "45",
    "pace": "moderate",
    "pitch": "medium",
    "loudness": "normal",
    "emotion": "calm",
    "accent": "British",
    "tone": "warm",
}


def item(number, **requested):
    """An item that asks for a plain middle-aged man, but for what is said otherwise."""
    return Item(
        id=ItemId(f"vb-{number:05}"),
        instruction="Speak.",
        script=SCRIPT,
        requested={**REQUESTED, **requested},
        tier=1,
        split="public",
    )


def acoustics(*, span_s=3.6, level_dbfs=-23.0, f0_hz=107.0):
    """Readings of a clip that says nine words in `span_s` seconds."""
    return Acoustics(
        duration_s=span_s + 0.4,
        speech_start_s=0.2,
        speech_end_s=0.2 + span_s,
        pause_s=0.0,
        level_dbfs=level_dbfs,
        peak_dbfs=-3.0,
        f0_hz=f0_hz,
        voiced_share=0.6,
    )


def readings(number, **changed):
    """Readings of a clip that does all that `item` asks for."""
    perfect = ClipReadings(
        item_id=ItemId(f"vb-{number:05}"),
        clip_sha256="0" * 64,
        acoustics=acoustics(),
        transcript=Transcript(text=SCRIPT, setting="test"),
        probes={"gender": ClassScores(labels=("female", "male"), probabilities=(0.1, 0.9))},
        naturalness=PredictedMos(mos=5.0),
    )
    return dataclasses.replace(perfect, **changed)


def score(items, clips, declined=(), protocol=LITE):
    """Score clips of these items."""
    return score_submission(protocol, items, {clip.item_id: clip for clip in clips}, declined)


def one(**changed):
    """Score a single changed clip beside a perfect one and return its sample by dimension."""
    sample = score([item(0), item(1)], [readings(0, **changed), readings(1)]).samples[0]
    return sample, {dimension.dimension: dimension for dimension in sample.dimensions}


def test_a_clip_that_does_all_that_is_asked_scores_one():
    """Every dimension 1, gate passed, composite exactly one million millionths."""
    sample, dimensions = one()
    assert tuple(dimensions) == LITE.dimensions
    assert all(dimension.desirability == 1.0 for dimension in dimensions.values())
    assert (sample.passed_gate, sample.composite_micro, sample.is_declined) == (True, 1_000_000, False)
    assert dimensions["pace"] == DimensionScore(
        dimension="pace", requested="moderate", measured="moderate", quantity=2.5, desirability=1.0, reason=None
    )
    assert (dimensions["naturalness"].requested, dimensions["naturalness"].measured) == (None, None)


def test_each_dimension_is_measured_against_its_request():
    """A fast, high, loud, female, middling clip loses half, half, half, all and half."""
    sample, dimensions = one(
        acoustics=acoustics(span_s=2.0, level_dbfs=-10.0, f0_hz=214.0),
        probes={"gender": ClassScores(labels=("female", "male"), probabilities=(0.7, 0.3))},
        naturalness=PredictedMos(mos=3.0),
    )
    got = {name: (score.measured, score.quantity, score.desirability) for name, score in dimensions.items()}
    assert got == {
        "gender": ("female", 0.7, 0.0),
        "pace": ("fast", 4.5, 0.5),
        "pitch": ("high", 12.0, 0.5),
        "loudness": ("loud", 6.5, 0.5),
        "naturalness": (None, 3.0, 0.5),
    }
    assert sample.composite_micro == round((0.01 * 0.5**4) ** 0.2 * 1e6)


def test_loudness_is_measured_against_the_median_of_the_normal_clips():
    """Only clips that request normal set the reference, so a quiet system may still be loud when asked."""
    items = [item(0), item(1), item(2), item(3, loudness="loud")]
    levels = [-40.0, -38.0, -30.0, -20.0]
    clips = [readings(n, acoustics=acoustics(level_dbfs=level)) for n, level in enumerate(levels)]
    scored = score(items, clips)
    assert scored.loudness_reference_dbfs == -38.0
    loudness = [sample.dimensions[3] for sample in scored.samples]
    assert [one.measured for one in loudness] == ["normal", "normal", "loud", "loud"]
    assert [one.desirability for one in loudness] == [1.0, 1.0, 0.5, 1.0]


def test_without_a_readable_normal_clip_loudness_is_lost_by_the_submissions_own_fault():
    """Declining or breaking every normal item leaves no reference: 0 with the reason, not a free ride."""
    items = [item(0), item(1), item(2, loudness="loud")]
    clips = [readings(1, acoustics=SILENT), readings(2)]
    scored = score(items, clips, declined=[ItemId("vb-00000")])
    assert scored.loudness_reference_dbfs is None
    lost = scored.samples[2].dimensions[3]
    assert (lost.desirability, lost.reason, lost.measured, lost.quantity) == (0.0, "no_reference", None, None)


def test_a_silent_clip_scores_nothing_and_says_why():
    """Its own failure is 0 with the reason; what no instrument heard is deleted words, so the gate fails."""
    sample, dimensions = one(acoustics=SILENT, transcript=SILENT, probes={"gender": SILENT}, naturalness=SILENT)
    assert {dimension.reason for dimension in dimensions.values()} == {"silent"}
    assert all(dimension.desirability == 0.0 for dimension in dimensions.values())
    assert sample.word_errors is not None
    assert (sample.word_errors.wer, sample.passed_gate, sample.composite_micro) == (1.0, False, 0)


def test_an_unvoiced_clip_loses_pitch_only():
    """A whisper has no pitch, but pace and level."""
    _, dimensions = one(acoustics=acoustics(f0_hz=None))
    assert (dimensions["pitch"].desirability, dimensions["pitch"].reason) == (0.0, "unvoiced")
    assert dimensions["pace"].desirability == dimensions["loudness"].desirability == 1.0


def test_a_failed_gate_keeps_the_dimensions():
    """Wrong words make the composite 0, and what was measured stays on record."""
    sample, dimensions = one(transcript=Transcript(text="something else altogether", setting="test"))
    assert (sample.passed_gate, sample.composite_micro) == (False, 0)
    assert all(dimension.desirability == 1.0 for dimension in dimensions.values())


def test_the_gate_limit_itself_passes():
    """WER at most the limit passes; just above it fails."""
    nine_heard_eight = Transcript(text=SCRIPT.replace("simple ", ""), setting="test")
    seven = Transcript(text=SCRIPT.replace("simple ", "").replace("plain ", ""), setting="test")
    assert one(transcript=nine_heard_eight)[0].passed_gate
    assert not one(transcript=seven)[0].passed_gate
    limit = dataclasses.replace(LITE.constants, wer_limit=round(1 / 9, 6))
    protocol = dataclasses.replace(LITE, constants=limit)
    assert score([item(0)], [readings(0, transcript=nine_heard_eight)], protocol=protocol).samples[0].passed_gate


def test_a_declined_item_is_zero_without_dimensions():
    """A refusal costs the item and is no reading."""
    scored = score([item(0), item(1)], [readings(1)], declined=[ItemId("vb-00000")])
    sample = scored.samples[0]
    assert (sample.is_declined, sample.composite_micro, sample.dimensions, sample.word_errors) == (True, 0, (), None)


def test_every_hole_on_our_side_is_listed_and_nothing_is_scored():
    """A crashed instrument, an absent reading and an unread clip block the submission, all named at once."""
    items = [item(n) for n in range(4)]
    clips = [readings(0, probes={"gender": DOWN}), readings(1, naturalness=None, transcript=None), readings(3)]
    with pytest.raises(IncompleteReadings, match="4 readings are missing on our side") as caught:
        score(items, clips)
    got = [(hole.item_id, hole.what, hole.reason) for hole in caught.value.holes]
    assert got == [
        ("vb-00000", "gender", "The model was killed."),
        ("vb-00001", "transcript", "no instrument reported it"),
        ("vb-00001", "naturalness", "no instrument reported it"),
        ("vb-00002", "readings", "the clip was not read"),
    ]


def test_a_dimension_without_an_instrument_blocks():
    """A protocol that names what nothing here can measure scores nobody."""
    protocol = dataclasses.replace(LITE, dimensions=("gender", "tone"))
    with pytest.raises(IncompleteReadings, match="tone: no instrument reported it"):
        score([item(0)], [readings(0)], protocol=protocol)


def test_only_the_protocols_dimensions_are_needed():
    """What a protocol does not score may be missing."""
    protocol = dataclasses.replace(LITE, dimensions=("pace",))
    clip = readings(0, probes={}, naturalness=DOWN)
    assert score([item(0, loudness="loud")], [clip], protocol=protocol).samples[0].composite_micro == 1_000_000


def test_strangers_and_contradictions_are_refused():
    """Unknown items, an item both read and declined, and items without any normal loudness are errors."""
    with pytest.raises(ValueError, match=r"not in the corpus: .*vb-00007"):
        score([item(0)], [readings(0), readings(7)])
    with pytest.raises(ValueError, match="both read and declined"):
        score([item(0)], [readings(0)], declined=[ItemId("vb-00000")])
    with pytest.raises(ValueError, match="needs an item that requests 'normal'"):
        score([item(0, loudness="loud")], [readings(0)])


@given(
    seed=st.integers(0, 999),
    levels=st.lists(st.floats(-60, -5), min_size=2, max_size=12),
)
@settings(max_examples=50, deadline=None)
def test_order_of_items_and_readings_is_irrelevant(seed, levels):
    """Shuffled items and readings give every item the same sample and the system the same row."""
    items = [item(n, loudness=("normal", "loud", "quiet")[n % 3]) for n in range(len(levels))]
    clips = [readings(n, acoustics=acoustics(level_dbfs=level)) for n, level in enumerate(levels)]
    rng = random.Random(seed)
    first = score(items, clips)
    second = score(rng.sample(items, len(items)), rng.sample(clips, len(clips)))
    assert sorted(second.samples, key=lambda sample: sample.item_id) == list(first.samples)
    assert contender("x", second.samples) == contender("x", first.samples)
    assert first.loudness_reference_dbfs == second.loudness_reference_dbfs


def test_the_published_quantity_gives_the_published_bucket():
    """A rate that only rounds up to the limit is counted on the side that the published number says."""
    _, dimensions = one(acoustics=acoustics(span_s=9 / 2.2 + 1e-7))
    assert (dimensions["pace"].quantity, dimensions["pace"].measured) == (2.2, "moderate")


def heard(first, again=None, second=None):
    """A transcript in doubt, or one that is not."""
    later = [None if text is None else Hearing(text=text, setting="later") for text in (again, second)]
    doubt = "loop" if any(later) else None
    return Transcript(text=first, setting="test", doubt=doubt, again=later[0], second=later[1])


@pytest.mark.parametrize(
    ("transcript", "counted", "is_disputed"),
    [
        (heard(SCRIPT), "first", False),
        (heard("no no no no no", SCRIPT), "again", True),
        (heard("no no no no no", "no no", SCRIPT), "second", True),
        (heard(SCRIPT, "no no no no no", "no"), "first", True),
        (heard(SCRIPT, SCRIPT.upper(), SCRIPT), "first", False),
    ],
)
def test_the_better_hearing_counts_and_the_dispute_is_kept(transcript, counted, is_disputed):
    """Whichever hearing has the fewest errors decides, the first on a draw; that they differ is said."""
    sample, _ = one(transcript=transcript)
    assert (sample.gate.counted, sample.gate.is_disputed) == (counted, is_disputed)
    assert (sample.word_errors.wer, sample.passed_gate, sample.composite_micro) == (0.0, True, 1_000_000)


def test_a_clip_that_every_hearing_finds_wrong_is_vetoed():
    """Hearing again is no pardon."""
    sample, _ = one(transcript=heard("no no no no no", "no no no no", ""))
    assert (sample.passed_gate, sample.composite_micro, sample.gate.counted) == (False, 0, "first")


def test_units_and_the_chosen_reading_are_kept():
    """Of two units in a script, one misread: the row says which reading counted and that one of two was right."""
    dear = dataclasses.replace(item(0), script="Pay $12.50 at 4:30 today.")
    said = Transcript(text="pay twelve dollars fifty at four fifty today", setting="test")
    sample = score([dear, item(1)], [readings(0, transcript=said), readings(1)]).samples[0]
    assert (sample.gate.n_units, sample.gate.n_units_right) == (2, 1)
    assert sample.gate.path.startswith("pay twelve dollars")


def test_an_old_protocol_is_scored_by_its_own_normaliser():
    """The first normaliser knows no units; an unknown one is refused by name."""
    old = dataclasses.replace(LITE, normaliser="lite-1")
    sample = score([item(0)], [readings(0)], protocol=old).samples[0]
    assert (sample.gate.path, sample.gate.n_units, sample.word_errors.wer) == (None, None, 0.0)
    with pytest.raises(ProtocolError, match=r"'lite-0'.*lite-1"):
        score([item(0)], [readings(0)], protocol=dataclasses.replace(LITE, normaliser="lite-0"))
