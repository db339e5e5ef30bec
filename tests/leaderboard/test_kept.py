"""What is made once: also when many ask at the same time, and again after a making that failed."""

import threading

import pytest

from leaderboard.kept import Kept


def test_many_who_ask_at_once_wait_for_one_making() -> None:
    """While one thread makes a value, all others wait for it, and nobody makes it twice."""
    kept: Kept[str] = Kept(4)
    is_begun, may_end = threading.Event(), threading.Event()
    made: list[str] = []
    found: list[str] = []

    def make() -> str:
        is_begun.set()
        assert may_end.wait(20)
        made.append("page")
        return "page"

    def ask() -> None:
        found.append(kept.get("/", "1", make))

    readers = [threading.Thread(target=ask) for _ in range(6)]
    for reader in readers:
        reader.start()
    assert is_begun.wait(20)
    may_end.set()
    for reader in readers:
        reader.join(20)
    assert (found, made) == (["page"] * 6, ["page"])
    assert kept._making == {}


def test_a_making_that_fails_is_tried_again() -> None:
    """A failure reaches whoever asked, is not kept, and stands in nobody's way."""
    kept: Kept[str] = Kept(4)

    def fail() -> str:
        raise ValueError("away")

    with pytest.raises(ValueError, match="away"):
        kept.get("/", "1", fail)
    assert kept.get("/", "1", lambda: "page") == "page"
    assert kept.get("/", "1", fail) == "page"
    assert kept._making == {}


def test_another_revision_or_key_does_not_wait() -> None:
    """While the old page is made, the new one of the same address is made and kept beside it."""
    kept: Kept[str] = Kept(4)

    def outer() -> str:
        assert kept.get("/", "2", lambda: "new") == "new"
        assert kept.get("/matrix", "1", lambda: "other") == "other"
        return "old"

    assert kept.get("/", "1", outer) == "old"
    assert kept.get("/matrix", "1", lambda: "again") == "other"
