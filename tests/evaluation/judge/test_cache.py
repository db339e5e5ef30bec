"""A folder of replies: whole entries or none, whoever writes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evaluation.judge.cache import FolderCache

NAME = "ab" * 32


def test_round_trip(tmp_path: Path) -> None:
    """What is saved is loaded again, also by another cache in the same folder; what is not there is None."""
    cache = FolderCache(folder=tmp_path / "new")
    assert cache.load(NAME) is None
    cache.save(NAME, b"one")
    cache.save(NAME, b"two")
    assert FolderCache(folder=tmp_path / "new").load(NAME) == b"two"
    assert [path.name for path in (tmp_path / "new" / "ab").iterdir()] == [f"{NAME}.json"]


def test_many_writers_of_one_name(tmp_path: Path) -> None:
    """Readers find a whole entry of some writer, never a mixture, while 8 threads write the same name."""
    cache = FolderCache(folder=tmp_path)
    entries = [bytes([i]) * 100_000 for i in range(8)]
    cache.save(NAME, entries[0])

    def write_and_read(entry: bytes) -> bool:
        cache.save(NAME, entry)
        return cache.load(NAME) in entries

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, entries * 4))
    assert len(list((tmp_path / "ab").iterdir())) == 1


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk costs the entry, not the older one, and leaves no part behind."""
    cache = FolderCache(folder=tmp_path)
    cache.save(NAME, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evaluation.judge.cache.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        cache.save(NAME, b"new")
    assert cache.load(NAME) == b"old"
    assert len(list((tmp_path / "ab").iterdir())) == 1


@pytest.mark.parametrize("name", ["", "..", "../../etc/passwd", "AB" * 32, "ab" * 31, NAME + "\n"])
def test_names_stay_in_the_folder(name: str, tmp_path: Path) -> None:
    """Only 64 hex digits name an entry."""
    with pytest.raises(ValueError, match="64 hex digits"):
        FolderCache(folder=tmp_path).load(name)
