"""Numbers and days as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.table import amounts
from leaderboard.table.amounts import Range


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("1.2B", 1_200_000_000),
        ("82M", 82_000_000),
        ("350 million", 350_000_000),
        ("350 M", 350_000_000),
        ("0.5 B", 500_000_000),
        ("1,500M", 1_500_000_000),
        ("82,000,000", 82_000_000),
        ("12B (MoE)", 12_000_000_000),
        ("12B (2B active)", 12_000_000_000),
        ("about 7 billion parameters", 7_000_000_000),
        ("unknown", None),
        ("", None),
        ("0", None),
        ("v2, 3 experts", None),
        ("=HYPERLINK(1)", 1),
    ],
)
def test_sizes_are_read_as_their_makers_wrote_them(text: str, n: int | None) -> None:
    """A number with a unit, or the only number; anything else is not known."""
    assert amounts.size(text) == n


@given(st.text(max_size=80))
def test_no_text_breaks_a_reader(text: str) -> None:
    """Whatever is typed, there is an answer or none."""
    found = amounts.size(text)
    assert found is None or found > 0
    for read in (amounts.size_range, amounts.number_range):
        assert isinstance(read(text), Range | None)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (">1B", 2e9, 1e9),
        (">=1B", 1e9, 9e8),
        ("<82M", 8e7, 82e6),
        ("<=82M", 82e6, 83e6),
        ("100M-1B", 1e9, 1.1e9),
        ("1B-", 5e9, 9e8),
        ("-100M", 1e8, 2e8),
        ("82M", 82e6, 81e6),
    ],
)
def test_ranges_hold_their_ends(text: str, inside: float, outside: float) -> None:
    """An end belongs to a range unless the sign says otherwise; what is not known lies in none."""
    found = amounts.size_range(text)
    assert found is not None
    assert found.holds(inside) and not found.holds(outside) and not found.holds(None)


def test_a_lone_number_is_the_least() -> None:
    """A reader who writes 0.5 wants no less; a percentage is a share."""
    assert amounts.number_range("0.5") == Range(low=0.5) and amounts.number_range("90%") == Range(low=0.9)
    assert amounts.number_range("0.2-0.4") == Range(low=0.2, high=0.4) and amounts.number_range("x") is None


@given(st.integers(1, 10**15))
def test_a_size_in_short_reads_back(n: int) -> None:
    """What is written in short is the same number."""
    assert amounts.size(amounts.size_text(n)) == n
