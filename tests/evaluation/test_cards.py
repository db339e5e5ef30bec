"""Cards count what was measured, keep their bytes, and belong to one revision of one instrument."""

import dataclasses
import json
import random

import pytest

from evaluation.bootstrap import wilson_interval
from evaluation.cards import (
    NumberPair,
    decode,
    encode,
    identity_of,
    matching,
    measurable,
    shipped,
)
from evaluation.cards_count import Outcome, card_of, recounted
from evaluation.codec import canonical, sha256_of, to_json
from evaluation.errors import ProtocolError, SchemaError
from tests.bench import gender_card
from tests.evaluation.card_examples import LITE, ORIGIN, STRANGE, ages, card, gender, outcomes


def test_confusion_and_rates_are_those_worked_by_hand():
    """Of 10 women 7 right, 2 wrong, 1 unread; of 5 men 4 right: recall, precision and accuracy follow."""
    found = gender((7, 2, 1), (1, 4, 0))
    assert found.confusion == {
        "female": {"female": 7, "male": 2, "unread": 1},
        "male": {"female": 1, "male": 4, "unread": 0},
    }
    assert (found.n_clips, found.n_unread, found.accuracy.n_hits, found.accuracy.rate) == (15, 1, 11, 0.733333)
    assert found.accuracy.interval == wilson_interval(11, 15, alpha=0.05)
    women, men = found.classes
    assert (women.label, women.recall.rate, women.precision.rate) == ("female", 0.7, 0.875)
    assert (men.recall.rate, men.precision.rate) == (0.8, 0.666667)
    assert (found.errors, found.pairs, found.values) == (None, (), {})


def test_a_label_without_a_clip_has_a_row_but_no_rate():
    """A class that nobody labelled is shown as unknown, not as 0."""
    found = card("emotion", outcomes("happy", happy=3, sad=1))
    assert sum(found.confusion["angry"].values()) == 0
    angry = next(one for one in found.classes if one.label == "angry")
    assert (angry.recall.rate, angry.recall.n, angry.recall.interval) == (None, 0, None)


def test_ages_give_errors_worked_by_hand():
    """Errors of +4, -10 and one unread: MAE 7, bias -3, one of three within eight years."""
    found = ages((30, 34.0), (45, 35.0), (45, None))
    assert found.errors is not None
    assert (found.errors.mean_absolute, found.errors.bias) == (7.0, -3.0)
    assert (found.errors.n_read, found.errors.n_unread) == (2, 1)
    assert found.errors.interval is not None
    assert found.errors.interval.low == 4.0
    assert found.errors.interval.high == 10.0
    assert (found.accuracy.n_hits, found.accuracy.n, found.n_unread) == (1, 3, 1)
    assert found.values["30"].mean_absolute == 4.0
    assert (found.values["45"].mean_absolute, found.values["45"].n_unread) == (10.0, 1)
    assert found.pairs == (
        NumberPair(label=30.0, measured=34.0),
        NumberPair(label=45.0, measured=35.0),
        NumberPair(label=45.0, measured=None),
    )
    assert (found.confusion, found.classes) == ({}, ())


def test_an_age_between_two_values_counts_for_the_lower():
    """27.5 lies as near to 25 as to 30."""
    assert list(ages((27.5, 27.5)).values) == ["25"]


def test_groups_are_counted_by_themselves():
    """Each voice's share stands by itself, in the order of names; clips without a group are in none."""
    found = card_of(
        "gender",
        STRANGE,
        [
            Outcome(label="male", measured="male", quantity=None, group="b"),
            Outcome(label="male", measured="female", quantity=None, group="b"),
            Outcome(label="male", measured="male", quantity=None, group="a"),
            Outcome(label="male", measured="male", quantity=None, group=""),
        ],
        ORIGIN,
        LITE.constants,
    )
    assert [(one.group, one.right.n_hits, one.right.n) for one in found.groups] == [("a", 1, 1), ("b", 1, 2)]


def test_the_order_of_clips_does_not_matter():
    """The same outcomes shuffled give the same bytes."""
    many = [
        Outcome(label=str(age), measured=None, quantity=float(age + random.Random(age).randint(-9, 9)), group="g")
        for age in range(8, 78)
    ]
    shuffled = random.Random(1).sample(many, len(many))
    one, other = (card_of("age", STRANGE, rows, ORIGIN, LITE.constants) for rows in (many, shuffled))
    assert encode(one) == encode(other)


@pytest.mark.parametrize("found", [gender((7, 2, 1), (1, 4, 0)), ages((30, 34.0), (45, None))], ids=["class", "number"])
def test_bytes_come_back_as_the_same_card(found):
    """Encode, decode, encode: the same."""
    assert decode(encode(found), "card.json") == found
    assert encode(decode(encode(found), "card.json")) == encode(found)


def _with(**changed: object) -> bytes:
    return canonical({**json.loads(encode(gender((7, 2, 1), (1, 4, 0)))), **changed})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "not readable as JSON"),
        (b"[]", "schema_version must be 1"),
        (_with(schema_version=2), "schema_version must be 1"),
        (_with(n_clips=16), "counted as"),
        (_with(n_unread=0), "counted as"),
        (_with(date="yesterday"), "YYYY-MM-DD"),
        (_with(trait="tone"), "one that an instrument measures"),
        (_with(trait="age"), "counted as"),
        (_with(confusion={}), "rows and columns"),
        (_with(surprise=1), "unknown fields"),
        (encode(ages((30, 34.0))).replace(b"34.0", b"NaN"), "not JSON compliant"),
        (encode(ages((30, 34.0))).replace(b"34.0", b"1e999"), "not JSON compliant"),
        (
            encode(gender((7, 2, 1), (1, 4, 0)))
            .replace(b'"male":4', b'"male":9000000')
            .replace(b'"n_clips":15', b'"n_clips":9000011'),
            "1 to 1000000 clips",
        ),
    ],
)
def test_a_card_that_contradicts_itself_is_refused(data, says):
    """Every damage is named with the file."""
    with pytest.raises(SchemaError, match=says) as caught:
        decode(data, "x/card.json")
    assert "x/card.json" in str(caught.value)


@pytest.mark.parametrize("found", [gender((7, 2, 1), (1, 4, 0)), ages((30, 34.0), (45, None))], ids=["class", "number"])
def test_a_card_can_be_counted_again(found):
    """Every figure follows from the counts or pairs that stand on the card; a forged figure shows."""
    assert recounted(found, LITE.constants) == found
    forged = dataclasses.replace(found, accuracy=dataclasses.replace(found.accuracy, rate=0.99))
    assert recounted(forged, LITE.constants) != forged


def test_identity_of_a_model_is_the_hash_of_its_record():
    """Anybody can work it out from the protocol file."""
    found = identity_of(LITE, "gender")
    assert found.sha256 == sha256_of(canonical(to_json(LITE.instruments["gender"])))
    assert (found.version, found.revision) == ("0.2.0", "")


def test_measurable_traits_of_lite():
    """What no instrument measures has no card."""
    assert measurable(LITE) == ("gender", "pace", "pitch", "loudness")
    with pytest.raises(ProtocolError, match="measured are: gender, pace, pitch, loudness"):
        identity_of(LITE, "emotion")


def test_a_threshold_or_another_revision_makes_another_instrument():
    """A card of another version, limit or normaliser is never shown; a constant that is not its own changes nothing."""
    mine = {name: identity_of(LITE, name).sha256 for name in measurable(LITE)}

    def changed(**constants: float) -> set[str]:
        other = dataclasses.replace(LITE, constants=dataclasses.replace(LITE.constants, **constants))
        return {name for name, sha256 in mine.items() if identity_of(other, name).sha256 != sha256}

    assert changed(pace_slow_below=2.0) == {"pace"}
    assert changed(pitch_dead_zone_semitones=3.0) == {"pitch"}
    assert changed(wer_limit=0.5, seed=7) == set()
    respoken = dataclasses.replace(LITE, normaliser="other-1")
    assert {name for name in mine if identity_of(respoken, name).sha256 != mine[name]} == {"pace"}
    newer = dataclasses.replace(LITE.instruments["gender"], version="0.3.0")
    upgraded = dataclasses.replace(LITE, instruments={**LITE.instruments, "gender": newer})
    assert matching(upgraded, [gender((9, 1, 0), (1, 9, 0))]) == {}
    assert matching(LITE, [gender((9, 1, 0), (1, 9, 0))]).keys() == {"gender"}


def test_the_youngest_card_counts():
    """Two cards of one instrument: the later day wins, whatever the order."""
    old = gender((9, 1, 0), (1, 9, 0))
    new = dataclasses.replace(gender((8, 2, 0), (1, 9, 0)), date="2026-02-01")
    assert matching(LITE, [new, old]) == matching(LITE, [old, new]) == {"gender": new}


def test_lite_ships_a_card_of_its_gender_probe():
    """The shipped card belongs to the shipped instrument and can be read."""
    assert matching(LITE, shipped()).keys() == {"gender"}


def test_the_shipped_gender_card_is_what_the_trial_counted():
    """The file is made from the trial's counts, byte for byte."""
    assert gender_card.FILE.read_bytes() == encode(gender_card.card())
