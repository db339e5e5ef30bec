"""Texts in one settled spoken form."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.corpus import load_benchmark_v1
from evaluation.gate.lite_1.numerals import cardinal, digits, digits_of, ordinal, year
from evaluation.gate.lite_1.spoken import NORMALISER, n_spoken_words, spoken_words
from evaluation.gate.normalisers import normaliser


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("$4,792.85", "four thousand seven hundred ninety two dollars eighty five cents"),
        ("£149.50 fee", "one hundred forty nine pounds fifty pence fee"),
        ("₹6,75,432.89", "six hundred seventy five thousand four hundred thirty two rupees eighty nine paise"),
        ("$2,000.00", "two thousand dollars"),
        ("$4.5 million", "four point five million dollars"),
        ("$0.99", "ninety nine cents"),
        ("$0", "zero dollars"),
        ("$43,900 and $91.75", "forty three thousand nine hundred ninety one dollars seventy five cents"),
        ("www.x.in-slash-y", "www dot x dot in slash y"),
        ("3.6%", "three point six percent"),
        ("17.68° N", "seventeen point six eight degrees north"),
        ("in 2024", "in twenty twenty four"),
        ("in 2005", "in two thousand five"),
        ("in 1905", "in nineteen zero five"),
        ("1,492-page", "one thousand four hundred ninety two page"),
        ("Nov. 29th", "nov twenty ninth"),
        ("February 29, 2024", "february twenty ninth twenty twenty four"),
        ("24 November", "twenty fourth november"),
        ("at 4:30 PM", "at four thirty pm"),
        ("at 4.30 p.m.", "at four thirty pm"),
        ("by 14:05", "by fourteen zero five"),
        ("by 14:00 GMT", "by fourteen hundred gmt"),
        ("0800 hours", "zero eight hundred hours"),
        ("oh eight hundred hours", "zero eight hundred hours"),
        ("room 314B", "room three hundred fourteen b"),
        ("A-X-7", "a x seven"),
        ("www.wild-flora.org.au/moss_1", "www dot wild dash flora dot org dot au slash moss underscore one"),
        ("mail me@x-y.co.in.", "mail me at x dash y dot co dot in"),
        ("192.168.0.4", "one hundred ninety two dot one hundred sixty eight dot zero dot four"),
        ("subsection 12.4(c)", "subsection twelve point four c"),
        ("one hundred and five", "one hundred five"),
        ("a hundred", "one hundred"),
        ("five dollars and fifty cents", "five dollars fifty cents"),
        ("you shouldn’t", "you should not"),
        ("Trois-Rivières", "trois rivieres"),
        ("007", "zero zero seven"),
        ("", ""),
        ("?!—…", ""),
    ],
)
def test_written_forms_become_words(written, spoken):
    """Each written form has one plain reading."""
    assert " ".join(spoken_words(written)) == spoken


def test_no_digit_is_left_in_any_script():
    """Every script of the corpus, and each of its words, is speakable: letters only."""
    for item in load_benchmark_v1().items:
        words = spoken_words(item.script)
        assert words
        assert all(word.isalpha() for word in words), (item.id, words)


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("It's the dog's bed.", 4),
        ("Pay $5.50 at 4:30 PM", 10),
        ("the BBC", 4),
        ("www.x.org", 7),
        ("— well, no", 2),
        ("", 0),
    ],
)
def test_words_for_pace_are_those_that_are_said(script, count):
    """A contraction is one word; spelled letters and number words count one each; signs do not."""
    assert n_spoken_words(script) == count


@given(text=st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_read(text):
    """Transcripts may hold anything; the words never hold spaces or punctuation, and nothing is raised."""
    assert all(word and not set(word) & set(" .,;:!?'\"-\n\t") for word in spoken_words(text))
    assert n_spoken_words(text) >= 0


@given(text=st.text(alphabet="0123456789.,:/-$£%° apmthstN", max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_mix_of_digits_and_signs_can_be_read(text):
    """However mangled, a numeric text turns into words without a digit."""
    assert not any(letter.isdigit() for word in spoken_words(text) for letter in word)


def test_a_very_long_number_is_read_digit_by_digit():
    """A transcript that repeats a digit for ever is neither an error nor an amount."""
    assert spoken_words("7" * 6000) == ("seven",) * 6000


def test_the_version_is_still_known():
    """A protocol that names this version is scored by it."""
    assert normaliser(NORMALISER).n_spoken_words is n_spoken_words


@given(number=st.integers(0, 10**15 - 1))
def test_cardinals_read_back(number):
    """The words of a number stand for its digits."""
    assert digits_of(cardinal(number)) == str(number)


@given(number=st.integers(1100, 2099))
def test_years_read_back(number):
    """A year said in pairs, digit by digit, or as a number is the same digits."""
    assert digits_of(year(number)) == digits_of(digits(str(number))) == str(number)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("one thousand thousand", "10001000"),
        ("five hundred", "500"),
        ("five thousand", "5000"),
        ("six lakh seventy five thousand", "675000"),
        ("eight zero three", "803"),
        ("twenty twenty", "2020"),
        ("twelve point four five", "12.45"),
        ("hundred", "100"),
    ],
)
def test_number_words_stand_for_digits(words, expected):
    """Spoken numbers keep their value; numbers in a row are written one after the other."""
    assert digits_of(words.split()) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, "first"), (12, "twelfth"), (20, "twentieth"), (23, "twenty third"), (100, "one hundredth")],
)
def test_ordinals(number, expected):
    """Ordinals end as they are said."""
    assert " ".join(ordinal(number)) == expected
