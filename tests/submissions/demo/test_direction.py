"""The parser hears in an instruction's text what the corpus says the instruction asks for."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.corpus import load_benchmark_v1
from evaluation.records import Item
from submissions.demo.direction import Direction, direct


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    """The corpus, traits included."""
    return load_benchmark_v1().items


@pytest.mark.parametrize(
    ("trait", "heard", "at_least"),
    [
        ("gender", lambda d: d.sex, 0.99),
        ("age", lambda d: str(d.age_years), 0.99),
        ("accent", lambda d: d.accent, 0.99),
        ("pitch", lambda d: d.pitch, 0.98),
        ("pace", lambda d: d.pace, 0.98),
        ("loudness", lambda d: d.loudness, 0.98),
    ],
)
def test_agrees_with_the_corpus(
    items: tuple[Item, ...], trait: str, heard: Callable[[Direction], str | None], at_least: float
) -> None:
    """Each trait is heard right in nearly all instructions of the corpus."""
    n_right = sum(heard(direct(item.instruction)) == item.requested[trait] for item in items)
    assert n_right / len(items) >= at_least


@pytest.mark.parametrize("instruction", ["", "   ", "Read this aloud.", "\u65e5\u672c\u8a9e"])
def test_hears_nothing_where_nothing_is_said(instruction: str) -> None:
    """A text that names no trait directs nothing."""
    assert direct(instruction) == Direction(sex=None, age_years=None, accent=None, pitch=None, pace=None, loudness=None)


@pytest.mark.parametrize(
    ("instruction", "trait", "level"),
    [
        ("He is not shouting; he whispers.", "loudness", "quiet"),
        ("A woman who speaks slowly, never rushing.", "pace", "slow"),
        ("Not a high-pitched voice but a deep one.", "pitch", "low"),
        ("She is speaking quickly, without sounding loud.", "loudness", None),
        ("A quiet rather than loud reading.", "loudness", "quiet"),
        ("Not in a British accent; make him Australian.", "accent", "Australian"),
        ("Not a woman, a man.", "sex", "male"),
        ("An unhurried man.", "pace", "slow"),
    ],
)
def test_denied_levels_do_not_count(instruction: str, trait: str, level: str | None) -> None:
    """A level that is denied is not asked for."""
    assert getattr(direct(instruction), trait) == level


@pytest.mark.parametrize(
    ("instruction", "trait", "level"),
    [
        ("a hushed voice", "loudness", "quiet"),
        ("he murmurs in her ear", "loudness", "quiet"),
        ("a booming voice", "loudness", "loud"),
        ("at a conversational volume", "loudness", "normal"),
        ("a brisk delivery", "pace", "fast"),
        ("dragging her words out", "pace", "slow"),
        ("at an even, moderate reading pace", "pace", "moderate"),
        ("a shrill voice", "pitch", "high"),
        ("right in the middle register", "pitch", "medium"),
        ("a baritone", "pitch", "low"),
        ("his mother speaks", "sex", "female"),
        ("an Aussie lad", "accent", "Australian"),
    ],
)
def test_knows_synonyms(instruction: str, trait: str, level: str) -> None:
    """Common words for a level are understood on their own."""
    assert getattr(direct(instruction), trait) == level


@pytest.mark.parametrize(
    ("instruction", "years"),
    [
        ("an eight-year-old girl", 8),
        ("a seventy-eight year old man", 78),
        ("a 45-year-old", 45),
        ("a woman aged thirty", 30),
        ("a 900-year-old vampire", None),
        ("the average pace of a manager", None),
    ],
)
def test_reads_ages(instruction: str, years: int | None) -> None:
    """Ages are read from digits and from words, and only where they are possible."""
    assert direct(instruction).age_years == years


@given(st.text(max_size=400))
def test_takes_any_text(instruction: str) -> None:
    """No text is too strange to be heard; case does not matter."""
    assert direct(instruction.upper()) == direct(instruction.upper().lower())
