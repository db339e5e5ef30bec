"""What is kept on disk is either what was put there, or nothing."""

from pathlib import Path

import numpy as np
import pytest

from leaderboard.derive.shelf import Shelf

ARRAY = np.arange(12, dtype=np.int64).reshape(3, 4)


def test_round_trip(tmp_path: Path) -> None:
    """What was put comes back, with what was said of it; a second put replaces the first."""
    shelf = Shelf(tmp_path / "a" / "b")
    assert shelf.get("one") is None
    shelf.put("one", {"systems": [["s", "x"]]}, ARRAY)
    shelf.put("one", {"systems": [["ü", "\n"]]}, ARRAY + 1)
    found = shelf.get("one")
    assert found is not None
    assert found[0] == {"systems": [["ü", "\n"]]}
    assert np.array_equal(found[1], ARRAY + 1)
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["one"]


@pytest.mark.parametrize("place", [0, 20, 60, -1])
def test_damaged(tmp_path: Path, place: int) -> None:
    """A file with one bit turned, anywhere, is no file."""
    shelf = Shelf(tmp_path)
    shelf.put("one", {"n": 1}, ARRAY)
    data = bytearray((tmp_path / "one").read_bytes())
    data[place] ^= 1
    (tmp_path / "one").write_bytes(data)
    assert shelf.get("one") is None


@pytest.mark.parametrize("n_bytes", [0, 5, 13, 30, 100])
def test_cut(tmp_path: Path, n_bytes: int) -> None:
    """A file that ends early is no file."""
    shelf = Shelf(tmp_path)
    shelf.put("one", {"n": 1}, ARRAY)
    (tmp_path / "one").write_bytes((tmp_path / "one").read_bytes()[:n_bytes])
    assert shelf.get("one") is None


def test_unwritable(tmp_path: Path) -> None:
    """Where nothing can be kept, nothing is, and nobody is stopped."""
    (tmp_path / "file").write_text("in the way")
    shelf = Shelf(tmp_path / "file")
    shelf.put("one", {}, ARRAY)
    assert shelf.get("one") is None
    shelf.keep_only(())


def test_keep_only(tmp_path: Path) -> None:
    """Whatever is not wanted goes, what a killed writer left behind too."""
    shelf = Shelf(tmp_path)
    shelf.put("one", {}, ARRAY)
    shelf.put("two", {}, ARRAY)
    (tmp_path / ".one.abcdef").write_bytes(b"half")
    shelf.keep_only({"two"})
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


@pytest.mark.parametrize("name", ["", "../one", ".one", "a/b", "a\n", "x" * 201])
def test_names(tmp_path: Path, name: str) -> None:
    """No name leads out of the folder or to a draft."""
    with pytest.raises(ValueError, match="letters, digits"):
        Shelf(tmp_path).put(name, {}, ARRAY)
    with pytest.raises(ValueError, match="letters, digits"):
        Shelf(tmp_path).get(name)
