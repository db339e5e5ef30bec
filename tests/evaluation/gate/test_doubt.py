"""What shows that a transcriber failed, and what does not."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.corpus import load_benchmark_v1
from evaluation.gate.doubt import LOOP_REPEATS, LOOP_REPEATS_OF_PHRASE, doubt_of
from evaluation.records import Acoustics, Unread

SPEECH = Acoustics(
    duration_s=10.4,
    speech_start_s=0.2,
    speech_end_s=10.2,
    pause_s=0.0,
    level_dbfs=-20.0,
    peak_dbfs=-3.0,
    f0_hz=120.0,
    voiced_share=0.6,
)
QUIET = tuple(Unread(reason=reason, fault="clip") for reason in ("silent", "no_speech"))


@pytest.mark.parametrize(
    "text",
    [
        "a code of 3-0-0-0-0-0-0-0-0",
        "at au.au.au.au.au.au",
        "the end of the end of the end of the end of the end",
        "I'm still, still, still, STILL still",
        "0000000000000",
        "bototototototototototototot",
        "double U double U double U double U dot example",
    ],
)
def test_words_over_and_over_are_a_loop(text: str) -> None:
    """Single words, digits, phrases and a row of one sign, whatever the sound."""
    assert doubt_of(text, SPEECH) == "loop"
    assert doubt_of(text, None) == "loop"


@pytest.mark.parametrize(
    "text",
    [
        "www.example.com",
        "double U double U double U dot example",
        "No, no, no! It had had, that that.",
        "1,000,000,000 and 0000",
        "Ha ha ha ha.",
        "they said that they said that they said that once",
    ],
)
def test_what_people_say_twice_is_no_loop(text: str) -> None:
    """Ordinary repetitions leave no doubt."""
    assert doubt_of(text, SPEECH) is None


def test_nothing_written_of_speech() -> None:
    """An empty text over speech is in doubt; over silence it is right."""
    assert doubt_of(" ... ", SPEECH) == "empty"
    assert [doubt_of("", quiet) for quiet in QUIET] == [None, None]


def test_text_over_silence() -> None:
    """Words where nobody speaks are in doubt, looping or not."""
    assert [doubt_of("Thank you.", quiet) for quiet in QUIET] == ["over_silence"] * 2


def test_more_than_anybody_can_say() -> None:
    """Ten seconds hold 300 letters and no more."""
    words = "abcde " * 2
    assert doubt_of("one two three four five " * 3 + words, SPEECH) is None
    quick = dataclasses.replace(SPEECH, speech_end_s=0.9)
    assert doubt_of("the quick brown fox jumps over the lazy dog", quick) == "too_fast"


def test_an_instrument_that_failed_raises_no_doubt() -> None:
    """A clip too short to be read acoustically is judged by its text alone."""
    assert doubt_of("", Unread(reason="too_short", fault="clip")) is None
    assert doubt_of("hello", Unread(reason="too_short", fault="clip")) is None


def test_no_script_of_the_corpus_is_a_loop() -> None:
    """A perfect transcript is never in doubt: what the scripts repeat stays below every limit."""
    assert [item.id for item in load_benchmark_v1().items if doubt_of(item.script, None)] == []


@given(st.lists(st.sampled_from(["ba", "du", "ki"]), min_size=2, max_size=4, unique=True), st.integers(1, 9))
def test_a_phrase_loops_from_its_limit_on(phrase: list[str], n_times: int) -> None:
    """A phrase of different words, said n times, is a loop if and only if n reaches the limit."""
    assert (doubt_of(" ".join(phrase * n_times), None) == "loop") == (n_times >= LOOP_REPEATS_OF_PHRASE)


@given(st.integers(1, 9))
def test_a_word_loops_from_its_limit_on(n_times: int) -> None:
    """The same for one word."""
    assert (doubt_of("no " * n_times, None) == "loop") == (n_times >= LOOP_REPEATS)
