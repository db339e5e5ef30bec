"""The plain reading of a text."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.corpus import load_benchmark_v1
from evaluation.gate.spoken import NORMALISER, n_spoken_words, spoken_words
from evaluation.protocol import load_shipped
from tests.evaluation.gate.pairs import PAIRS


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("$4,792.85", "four thousand seven hundred ninety two dollars eighty five cents"),
        ("£149.50 fee", "one hundred forty nine pounds fifty pence fee"),
        ("₹6,75,432.89", "six lakh seventy five thousand four hundred thirty two rupees eighty nine paise"),
        ("$2,000.00", "two thousand dollars"),
        ("$4.5 million", "four point five million dollars"),
        ("$0.99", "ninety nine cents"),
        ("3.6%", "three point six percent"),
        ("17.68° N", "seventeen point six eight degrees north"),
        ("in 2024", "in twenty twenty four"),
        ("in 2005", "in two thousand five"),
        ("in 1905", "in nineteen zero five"),
        ("1,492-page", "one thousand four hundred ninety two page"),
        ("Nov. 29th", "november twenty ninth"),
        ("24 November", "november twenty fourth"),
        ("at 4.30 p.m.", "at four thirty p m"),
        ("by 14:05", "by fourteen zero five"),
        ("0800 hours", "zero eight hundred hours"),
        ("room 314B", "room three hundred fourteen b"),
        ("A-X-7", "a x seven"),
        ("www.wild-flora.org.au/moss_1", "w w w dot wild dash flora dot org dot au slash moss underscore one"),
        ("mail me@x-y.co.in.", "mail me at x dash y dot co dot in"),
        ("12.4(c)", "twelve point four c"),
        ("007", "zero zero seven"),
        ("", ""),
        ("?!—…", ""),
    ],
)
def test_written_forms_become_words(written: str, spoken: str) -> None:
    """Each written form has one plain reading."""
    assert " ".join(spoken_words(written)) == spoken


def test_no_digit_is_left_in_any_script() -> None:
    """Every script of the corpus, and each of its words, is speakable: letters and apostrophes only."""
    for item in load_benchmark_v1().items:
        words = spoken_words(item.script)
        assert words
        assert all(word.replace("'", "").isalpha() for word in words), (item.id, words)


def test_reading_a_reading_changes_nothing() -> None:
    """The plain reading of a plain reading is itself."""
    for script in (*(item.script for item in load_benchmark_v1().items), *(pair[1] for pair in PAIRS)):
        words = spoken_words(script)
        assert spoken_words(" ".join(words)) == words


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("It's the dog's bed.", 4),
        ("Pay $5.50 at 4:30 PM", 10),
        ("the BBC", 4),
        ("the NASA crew", 3),
        ("www.x.org", 7),
        ("— well, no", 2),
        ("", 0),
    ],
)
def test_words_for_pace_are_those_that_are_said(script: str, count: int) -> None:
    """A contraction is one word; spelled letters and number words count one each; signs do not."""
    assert n_spoken_words(script) == count


@given(text=st.text(max_size=80))
@example("x1²³ ٣ ½½ 1/0 0/5 $ £. -. '' #1 @ 5'' 99:99 13/13/13 00/00/0000 1e5 ①")
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    """Transcripts may hold anything; the words never hold spaces or punctuation, and nothing is raised."""
    assert all(word and not set(word) & set(' .,;:!?"-\n\t') for word in spoken_words(text))


@given(text=st.text(alphabet="0123456789.,:/-$£%° apmthstNxkv'\"()#", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_mix_of_digits_and_signs_can_be_read(text: str) -> None:
    """However mangled, a numeric text turns into words without a digit."""
    assert not any(letter.isascii() and letter.isdigit() for word in spoken_words(text) for letter in word)


def test_a_very_long_number_is_read_digit_by_digit() -> None:
    """A transcript that repeats a digit for ever is neither an error nor an amount."""
    assert spoken_words("7" * 6000) == ("seven",) * 6000


def test_the_protocol_names_this_normaliser() -> None:
    """A protocol's normaliser version is the one in the code."""
    assert load_shipped("lite").normaliser == NORMALISER
