"""A validation run measures what scoring measures, on clips whose truth is known, and refuses what cannot be used."""

import json
from pathlib import Path

import pytest

from evaluation.cards import identity_of
from evaluation.cards_count import Origin
from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, ProtocolError
from evaluation.probes.labelled import read_manifest
from evaluation.protocol import load_shipped
from evaluation.records import Acoustics, ClassScores, ClipReadings, Estimate, Unread
from evaluation.validation import BATCH, UnfitClips, check_clips, trait_of, validate
from tests.audio_factory import encoded, tone

LITE = load_shipped("lite")
ORIGIN = Origin(what="Tones.", source="a test", date="2026-01-02", manifest_sha256=None)


def manifest(folder: Path, *lines: dict) -> tuple:
    """Write a clip for each line, and a manifest of them; return its labelled clips."""
    (folder / "clips").mkdir(parents=True)
    records = []
    for number, line in enumerate(lines):
        path = folder / "clips" / f"{number:02}.wav"
        path.write_bytes(encoded(tone(duration_s=0.3, frequency_hz=200 + number)))
        records.append({"clip": f"clips/{number:02}.wav", **line})
    (folder / "labelled.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return read_manifest(folder / "labelled.jsonl")


class Scripted:
    """Instruments that say what they are told, clip by clip."""

    def __init__(self, *said):
        """Say `said`, one reading a clip: acoustics, or what the probe of `trait` read."""
        self.said = list(said)
        self.batches = []

    def read(self, clips, clips_dir, seconds):
        """Return the next readings; every clip must lie where it should."""
        self.batches.append(len(clips))
        return tuple(self._one(clip, clips_dir) for clip in clips)

    def _one(self, clip, clips_dir):
        assert (clips_dir / f"{clip.item_id}.flac").is_file()
        one = self.said.pop(0)
        is_acoustic = isinstance(one, Acoustics)
        return ClipReadings(
            item_id=clip.item_id,
            clip_sha256=clip.sha256,
            acoustics=one if is_acoustic else None,
            transcript=None,
            naturalness=None,
            probes={} if is_acoustic else {"gender": one, "age": one},
        )


def heard(female: float) -> ClassScores:
    """What a gender probe says."""
    return ClassScores(labels=("female", "male"), probabilities=(female, round(1 - female, 6)))


def acoustics(*, span_s: float = 2.0, level_dbfs: float = -23.0, f0_hz: float | None = 110.0) -> Acoustics:
    """What the acoustic pass says."""
    return Acoustics(
        duration_s=span_s + 1,
        speech_start_s=0.5,
        speech_end_s=0.5 + span_s,
        pause_s=0.0,
        level_dbfs=level_dbfs,
        peak_dbfs=-3.0,
        f0_hz=f0_hz,
        voiced_share=0.5,
    )


def run(folder: Path, trait: str, clips, *said, protocol=LITE):
    """Return the card, and the scripted instruments."""
    (folder / "work").mkdir()
    tools = Scripted(*said)
    return validate(protocol, trait, clips, tools, folder=folder / "work", origin=ORIGIN), tools


def test_classes_are_counted(tmp_path):
    """Four clips: two right, one wrong, one unread; groups and identity stand on the card."""
    clips = manifest(
        tmp_path,
        {"label": "female", "group": "ann"},
        {"label": "female", "group": "ann"},
        {"label": "male", "group": "bob"},
        {"label": "male"},
    )
    short = Unread(reason="too_short", fault="clip")
    card, _ = run(tmp_path, "gender", clips, heard(0.9), heard(0.2), heard(0.1), short)
    assert card.confusion == {
        "female": {"female": 1, "male": 1, "unread": 0},
        "male": {"female": 0, "male": 1, "unread": 1},
    }
    assert card.instrument == identity_of(LITE, "gender")
    assert [(one.group, one.right.n_hits, one.right.n) for one in card.groups] == [("ann", 1, 2), ("bob", 1, 1)]


def test_clips_are_read_in_batches(tmp_path):
    """Memory does not grow with the manifest."""
    clips = manifest(tmp_path, *({"label": "male"} for _ in range(BATCH + 3)))
    card, tools = run(tmp_path, "gender", clips, *(heard(0.1) for _ in clips))
    assert (tools.batches, card.n_clips) == ([BATCH, 3], BATCH + 3)


def test_pace_counts_the_words_of_the_script(tmp_path):
    """Four spoken words ("$5" counts two) in 1 s are fast, in 2 s slow, in 1.5 s moderate."""
    line = {"script": "Pay $5 now."}
    clips = manifest(tmp_path, *({**line, "label": label} for label in ("fast", "slow", "slow")))
    card, _ = run(tmp_path, "pace", clips, acoustics(span_s=1.0), acoustics(span_s=2.0), acoustics(span_s=1.5))
    assert card.confusion["fast"]["fast"] == 1
    assert (card.confusion["slow"]["slow"], card.confusion["slow"]["moderate"]) == (1, 1)


def test_pitch_is_relative_to_the_speaker(tmp_path):
    """160 Hz is high for a man of 45 and low for a woman of 45; a whisper is unread."""
    man, woman = {"gender": "male", "age": 45}, {"gender": "female", "age": "45"}
    clips = manifest(tmp_path, {"label": "high", **man}, {"label": "low", **woman}, {"label": "low", **man})
    card, _ = run(tmp_path, "pitch", clips, acoustics(f0_hz=160.0), acoustics(f0_hz=160.0), acoustics(f0_hz=None))
    assert (card.confusion["high"]["high"], card.confusion["low"]["low"]) == (1, 1)
    assert (card.confusion["low"]["unread"], card.n_unread) == (1, 1)


def test_loudness_is_relative_to_the_group(tmp_path):
    """One speaker's normal is another's quiet."""
    labels = [("a", "normal", -20.0), ("a", "quiet", -30.0), ("b", "normal", -30.0), ("b", "loud", -20.0)]
    clips = manifest(tmp_path, *({"group": group, "label": label} for group, label, _ in labels))
    card, _ = run(tmp_path, "loudness", clips, *(acoustics(level_dbfs=level) for _, _, level in labels))
    assert card.accuracy.n_hits == 4


def test_an_instrument_that_fails_is_no_error_of_its_own(tmp_path):
    """A crash, or a reading that is not there, stops the run and names the clips."""
    clips = manifest(tmp_path, {"label": "male"}, {"label": "male"})
    down = Unread(reason="crashed", fault="instrument", detail="The model was killed.")
    with pytest.raises(CastboardError, match=r"failed on 1 clips.*01\.wav: The model was killed"):
        run(tmp_path, "gender", clips, heard(0.1), down)


def test_every_problem_of_the_labels_comes_at_once(tmp_path):
    """Labels that cannot be, and facts that a probe needs, by clip."""
    clips = manifest(tmp_path, {"label": "medum"}, {"label": "low", "gender": "male", "age": 300}, {"label": "low"})
    with pytest.raises(UnfitClips) as caught:
        check_clips("pitch", clips)
    told = "\n".join(caught.value.problems)
    assert len(caught.value.problems) == 6
    for part in (
        "00.wav: the label must be one of low, medium, high, got 'medum'",
        '01.wav: pitch needs the speaker\'s "age"',
        '02.wav: pitch needs the speaker\'s "gender"',
    ):
        assert part in told


@pytest.mark.parametrize(
    ("trait", "line", "says"),
    [
        ("pace", {"label": "slow"}, 'pace needs the "script"'),
        ("loudness", {"label": "loud", "group": "ann"}, "group 'ann'"),
        ("age", {"label": "young"}, "must be a number of years"),
        ("age", {"label": "nan"}, "must be a number of years"),
        ("gender", {"label": "male", "sha256": "0" * 64}, "not the one whose sha256"),
    ],
)
def test_what_a_card_needs(tmp_path, trait, line, says):
    """Each fact that is missing or wrong is named."""
    with pytest.raises(UnfitClips, match=says):
        check_clips(trait, manifest(tmp_path, line))


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (("female", "male"), "gender"),
        (("38", "7.5"), "age"),
        (("loud", "quiet"), "loudness"),
        (("calm", "neutral", "disgust"), "emotion"),
        (("Canadian",), "accent"),
    ],
)
def test_labels_tell_their_trait(tmp_path, labels, name):
    """No two measured traits have a value in common, so nobody need say what the labels say."""
    assert trait_of(manifest(tmp_path, *({"label": label} for label in labels))) == name


@pytest.mark.parametrize("labels", [("female", "happy"), ("woman",), ("-4",), ("warm",)])
def test_labels_of_no_measured_trait_are_asked_about(tmp_path, labels):
    """Mixed, unknown, no age, or of what only a judge hears."""
    with pytest.raises(CastboardError, match="no one trait; say which"):
        trait_of(manifest(tmp_path, *({"label": label} for label in labels)))


def test_a_clip_with_the_right_hash_is_taken(tmp_path):
    """The hash is that of the file as it lies there."""
    data = encoded(tone(duration_s=0.3, frequency_hz=200))
    check_clips("gender", manifest(tmp_path, {"label": "male", "sha256": sha256_of(data)}))


def test_files_that_are_no_audio_are_all_named(tmp_path):
    """Decoding refuses them before anything is measured."""
    clips = manifest(tmp_path, *({"label": "male"} for _ in range(3)))
    for clip in clips[1:]:
        clip.path.write_bytes(b"no audio at all")
    with pytest.raises(UnfitClips) as caught:
        run(tmp_path, "gender", clips)
    assert [problem[:6] for problem in caught.value.problems] == ["01.wav", "02.wav"]


def test_a_trait_that_nothing_measures_is_refused(tmp_path):
    """The message lists what is measured."""
    with pytest.raises(ProtocolError, match="measured are: gender, pace, pitch, loudness"):
        run(tmp_path, "emotion", manifest(tmp_path, {"label": "sad"}))


def test_ages_are_numbers_of_any_size(tmp_path):
    """A label that no item requests is fine: errors are what counts."""
    import dataclasses

    aged = dataclasses.replace(
        LITE,
        dimensions=("age", *LITE.dimensions),
        instruments={**LITE.instruments, "age": dataclasses.replace(LITE.instruments["gender"], name="an age probe")},
    )
    clips = manifest(tmp_path, {"label": 33.5}, {"label": "61"})
    card, _ = run(tmp_path, "age", clips, Estimate(value=35.5), Estimate(value=50.0), protocol=aged)
    assert (card.errors.mean_absolute, card.errors.bias) == (6.5, -4.5)
    assert list(card.values) == ["30", "60"]
