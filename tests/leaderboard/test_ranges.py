"""Byte ranges and validators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.ranges import ByteRange, Unsatisfiable, matches, parse


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-99", (0, 99)),
        ("bytes=100-", (100, 999)),
        ("bytes=-10", (990, 999)),
        ("bytes=-5000", (0, 999)),
        ("bytes=999-999", (999, 999)),
        ("bytes=0-99999", (0, 999)),
        ("Bytes = 5 - 6", (5, 6)),
    ],
)
def test_one_range_is_read(header: str, expected: tuple[int, int]) -> None:
    """First and last byte, cut to the file."""
    assert parse(header, 1000) == ByteRange(first=expected[0], last=expected[1])


@pytest.mark.parametrize(
    "header",
    [None, "", "bytes=", "bytes=-", "lines=0-1", "bytes=9-3", "bytes=0-1,5-6", "bytes=a-b", "bytes=" + "9" * 40 + "-"],
)
def test_what_is_not_one_range_is_answered_with_the_whole(header: str | None) -> None:
    """A header that need not be understood is passed over."""
    assert parse(header, 1000) is None


@pytest.mark.parametrize("header", ["bytes=1000-", "bytes=1000-2000", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused(header: str) -> None:
    """There is nothing to send."""
    with pytest.raises(Unsatisfiable):
        parse(header, 1000)


@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 1000))
def test_a_range_never_leaves_the_file(first: int, last: int, n_bytes: int) -> None:
    """Whatever is asked, what is sent lies inside."""
    try:
        part = parse(f"bytes={first}-{last}", n_bytes)
    except Unsatisfiable:
        assert first >= n_bytes
        return
    assert part is None or 0 <= part.first <= part.last < n_bytes


def test_validators() -> None:
    """A tag is found in a list, weak or strong; a star fits all."""
    assert matches('"a", W/"b"', '"b"')
    assert matches("*", '"b"')
    assert not matches('"a"', '"b"')
    assert not matches(None, '"b"')
