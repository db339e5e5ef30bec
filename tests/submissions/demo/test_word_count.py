"""The baseline's estimate of how many words a script is when read aloud."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.demo.word_count import spoken_words


@pytest.mark.parametrize(
    ("script", "n_words"),
    [
        ("", 1),
        ("...!", 1),
        ("One two three.", 3),
        ("I'm so sorry I couldn't", 5),
        ("well-known", 2),
        ("25", 2),
        ("1,250 people", 7),
        ("007", 3),
        ("acme.com", 3),
        ("me@acme.com.", 5),
        ("50% off", 3),
    ],
)
def test_counts_what_is_said(script: str, n_words: int) -> None:
    """Words, number words and signs that are read out count; punctuation does not."""
    assert spoken_words(script) == n_words


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_is_not_fewer_words(first: str, second: str) -> None:
    """Two texts apart on a line count at least as much as either alone."""
    assert spoken_words(f"{first} {second}") >= max(spoken_words(first), spoken_words(second))
