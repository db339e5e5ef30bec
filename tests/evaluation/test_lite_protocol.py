"""The lite protocol says what the code does: a changed setting without a changed protocol fails here."""

import json
from pathlib import Path

from evaluation import protocol
from evaluation.codec import canonical, sha256_of, to_json
from evaluation.gate import doubt, spoken, transcribe
from evaluation.judge import mos
from evaluation.probes import acoustic, gender, pitch, vad

LITE = protocol.load_shipped("lite")


def _settings(role: str) -> dict[str, str]:
    return dict(LITE.instruments[role].settings)


def test_speech_bounds_are_the_detectors() -> None:
    """Thresholds of the voice activity detector and of the edges."""
    assert _settings("vad") == {
        "rate_hz": str(vad.RATE_HZ),
        "enter_at": f"{vad.ENTER:g}",
        "leave_at": f"{vad.LEAVE:g}",
        "edge_margin_db": f"{acoustic.EDGE_MARGIN_DB:g}",
        "pause_margin_db": f"{acoustic.PAUSE_MARGIN_DB:g}",
        "shortest_pause_s": f"{acoustic.SHORTEST_PAUSE_S:g}",
        "threads": "1",
    }


def test_pitch_range_sampling_and_reference() -> None:
    """Range and sampling of the pitch tracker, and the table that pitch is judged against."""
    assert _settings("f0") == {
        "floor_hz": f"{acoustic.F0_FLOOR_HZ:g}",
        "ceiling_hz": f"{acoustic.F0_CEILING_HZ:g}",
        "voiced_confidence": f"{acoustic.VOICED_CONFIDENCE:g}",
        "least_voiced_share": f"{acoustic.LEAST_VOICED_SHARE:g}",
        "speech_sampled_s": f"{acoustic.F0_BUDGET_S:g}",
        "pieces": f"{acoustic.F0_PIECES}",
        "reference_table_sha256": sha256_of(canonical(to_json(pitch.USUAL))),
        "threads": "1",
    }


def test_level_gender_words_and_opinion() -> None:
    """What else changes a reading."""
    assert _settings("level")["margin_db"] == f"{acoustic.ACTIVE_MARGIN_DB:g}"
    assert _settings("gender")["head_sha256"] == gender.HEAD_SHA256
    assert _settings("gender")["patches"] == str(gender.N_PATCHES)
    assert _settings("transcriber")["setting"] == transcribe.GREEDY.setting
    assert _settings("transcriber_again") == {
        "setting": transcribe.AGAIN.setting,
        "loop_repeats": str(doubt.LOOP_REPEATS),
        "loop_repeats_of_phrase": str(doubt.LOOP_REPEATS_OF_PHRASE),
        "longest_phrase": str(doubt.LONGEST_PHRASE),
        "loop_inside_word": str(doubt.LOOP_INSIDE_WORD),
        "letters_per_s": f"{doubt.LETTERS_PER_S:g}",
        "threads": "1",
    }
    assert float(_settings("naturalness")["hop_s"]) * mos.RATE_HZ > 0
    assert LITE.normaliser == spoken.NORMALISER


def test_weights_are_those_that_are_loaded() -> None:
    """Each pinned file is the one whose hash the loading code checks."""
    assert LITE.instruments["vad"].weights == {vad.WEIGHTS_FILE: vad.WEIGHTS_SHA256}
    assert LITE.instruments["f0"].weights == {acoustic.F0_WEIGHTS_FILE: acoustic.F0_WEIGHTS_SHA256}
    assert LITE.instruments["gender"].weights == {gender.WEIGHTS_FILE: gender.WEIGHTS_SHA256}
    for role in ("transcriber", "transcriber_again"):
        assert LITE.instruments[role].weights == transcribe.WEIGHTS_SHA256
    assert LITE.instruments["naturalness"].weights == {mos.WEIGHTS_FILE: mos.WEIGHTS_SHA256}


def test_versions_are_those_that_are_required() -> None:
    """Every distribution that the protocol names is pinned at the same version in what a Space installs."""
    lines = (Path(protocol.SHIPPED).parent.parent / "requirements.txt").read_text().splitlines()
    pins = dict(line.split("#")[0].strip().split("==") for line in lines if "==" in line)
    named = {instrument.package: instrument.version for instrument in LITE.instruments.values()}
    for instrument in LITE.instruments.values():
        named |= instrument.needs
    assert {name: pins.get(name) for name in named} == named


def test_file_is_readable_by_people() -> None:
    """The shipped file is indented, and in its canonical form the very same protocol."""
    text = (protocol.SHIPPED / "lite.json").read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert protocol.decode(protocol.encode(LITE), "lite") == LITE
