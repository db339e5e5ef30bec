"""The rule-based baseline moves espeak-ng the right way, and reads hostile scripts as text."""

from dataclasses import replace

import numpy as np
import pytest

from submissions.demo.engines import espeak, espeak_directed
from submissions.demo.engines.espeak import EspeakSettings, require_espeak, speak_script
from submissions.demo.engines.espeak_directed import Rehearsal, amplitude, rate_wpm, rehearse
from submissions.demo.records import Prompt, Speech

SCRIPT = "Please review the financial summary before we meet on Monday."
N_WORDS = 10


def said(instruction: str) -> Speech:
    """One script as the baseline reads it to an instruction."""
    engine = espeak_directed.DirectedEspeak(program=require_espeak())
    (speech,) = engine.speak([Prompt(id="p", instruction=instruction, script=SCRIPT)])
    return speech


def read_out(script: str) -> Speech:
    """A script at the program's defaults."""
    return speak_script(require_espeak(), Prompt(id="p", instruction="", script=script), EspeakSettings())


def median_f0_hz(speech: Speech) -> float:
    """Median F0 of the voiced frames, Hz."""
    import swift_f0

    track = swift_f0.SwiftF0(threads=1, spin=False).detect(speech.samples, speech.rate_hz)
    return float(np.median(track.pitch_hz[track.confidence > 0.5]))


@pytest.mark.parametrize(
    ("pace", "low", "high"),
    [("slowly", 1.2, 2.1), ("at a moderate pace", 2.3, 3.1), ("quickly", 3.2, 4.0)],
)
def test_pace_lands_in_its_bucket(pace: str, low: float, high: float) -> None:
    """Words a second come out where the instruction wants them."""
    assert low < N_WORDS / rehearse(said(f"A man who speaks {pace}.")).span_s < high


def test_loudness_follows_the_instruction() -> None:
    """Quiet, normal and loud lie about 9 dB apart, and loud does not clip."""
    quiet, normal, loud = (
        rehearse(said(f"A woman speaking {how}.")) for how in ("quietly", "at a conversational volume", "loudly")
    )
    assert normal.level_dbfs - quiet.level_dbfs == pytest.approx(9, abs=2.5)
    assert loud.level_dbfs - normal.level_dbfs == pytest.approx(9, abs=2.5)
    assert loud.peak < 0.999


@pytest.mark.parametrize(
    ("who", "usual_hz"),
    [("a thirty-year-old man", 117), ("a thirty-year-old woman", 222), ("a thirteen-year-old boy", 171)],
)
def test_pitch_follows_sex_age_and_instruction(who: str, usual_hz: float) -> None:
    """Median F0 lies within a semitone and a half of what is meant."""
    for level, semitones in (("low", -4.5), ("medium", 0.0), ("high", 4.5)):
        heard_hz = median_f0_hz(said(f"I need {who} with a {level}-pitched voice."))
        assert 12 * np.log2(heard_hz / usual_hz) == pytest.approx(semitones, abs=1.5)


def test_plain_twin_ignores_the_instruction() -> None:
    """The plain system says the same samples whatever is asked for."""
    prompts = [Prompt(id=str(n), instruction=text, script=SCRIPT) for n, text in enumerate(("a shouting girl", ""))]
    first, second = espeak.PlainEspeak(program=require_espeak()).speak(prompts)
    np.testing.assert_array_equal(first.samples, second.samples)


@pytest.mark.parametrize(
    ("hostile", "same_as"),
    [
        ("-f /etc/passwd", "- f /etc/passwd"),
        ("--version", "- -version"),
        ("[[h@l'oU]] there", "[ [h@l'oU]] there"),
        ("two\nlines\x00 and a nul", "two lines and a nul"),
    ],
)
def test_hostile_scripts_are_read_as_text(hostile: str, same_as: str) -> None:
    """Options, phoneme strings and control characters are text like any other."""
    np.testing.assert_array_equal(read_out(hostile).samples, read_out(same_as).samples)


def test_markup_is_spoken_not_obeyed() -> None:
    """A tag is read out: it makes the clip longer, a break of ten seconds does not come."""
    plain, tagged = rehearse(read_out("hello")), rehearse(read_out("<speak>hello<break time='10s'/></speak>"))
    assert plain.span_s < tagged.span_s < 9


def test_settings_stay_in_range() -> None:
    """No rehearsal, however odd, leads to a setting that espeak-ng refuses."""
    odd = Rehearsal(span_s=0.01, level_dbfs=-100.0, peak=0.0)
    assert 80 <= rate_wpm(odd, 1000, "slow") <= rate_wpm(replace(odd, span_s=1e4), 1, "fast") <= 450
    assert 0 <= amplitude(odd, "loud") <= 200
    assert amplitude(replace(odd, peak=1.0, level_dbfs=-30.0), "loud") <= 100
