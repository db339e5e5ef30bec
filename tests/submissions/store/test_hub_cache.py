"""Copies of a hub's files: never more than allowed, never damaged, tables last to go, safe between processes."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from submissions.store.hub_cache import BlobCache

ROOT = Path(__file__).resolve().parents[3]


def key(n: int) -> str:
    """Return the name of a copy."""
    return f"{n:040x}"


def test_round_trip_and_miss(tmp_path: Path) -> None:
    """What was put is got, by a new process too; what was not is None."""
    cache = BlobCache(tmp_path / "cache", 10_000)
    assert cache.get("table", key(1)) is None
    cache.put("table", key(1), b"one")
    cache.put("table", key(1), b"one")
    assert BlobCache(tmp_path / "cache", 10_000).get("table", key(1)) == b"one"
    assert cache.get("clip", key(1)) is None


def test_bound_and_order(tmp_path: Path) -> None:
    """The bound holds after every put; clips unused longest go first, tables stay while there are clips."""
    cache = BlobCache(tmp_path / "cache", 20_000)
    for n in range(4):
        cache.put("table", key(n), bytes(1000))
        os.utime(tmp_path / "cache" / "table" / key(n)[:2] / key(n), (1, 1))
    for n in range(100, 160):
        cache.put("clip", key(n), bytes(1000))
        os.utime(tmp_path / "cache" / "clip" / key(n)[:2] / key(n), (n, n))
        assert cache.total() <= 20_000
        assert cache.get("clip", key(100)) is not None
        os.utime(tmp_path / "cache" / "clip" / key(100)[:2] / key(100), (10_000, 10_000))
    assert all(cache.get("table", key(n)) for n in range(4))
    assert cache.get("clip", key(159)) is not None
    assert cache.get("clip", key(101)) is None
    for n in range(4, 30):
        cache.put("table", key(n), bytes(1000))
        assert cache.total() <= 20_000
    assert not list((tmp_path / "cache" / "clip").glob("*/*"))
    cache.put("table", key(99), bytes(30_000))
    assert cache.get("table", key(99)) is None


@pytest.mark.parametrize("cut", [0, 10, 31, 32, 500])
def test_damaged_copy_is_no_copy(tmp_path: Path, cut: int) -> None:
    """A copy that is cut or changed is removed, not given."""
    cache = BlobCache(tmp_path / "cache", 10_000)
    cache.put("table", key(1), bytes(1000))
    path = tmp_path / "cache" / "table" / key(1)[:2] / key(1)
    path.write_bytes(path.read_bytes()[:cut])
    assert cache.get("table", key(1)) is None
    assert not path.exists()
    cache.put("table", key(1), b"whole")
    assert cache.get("table", key(1)) == b"whole"


@pytest.mark.parametrize("name", ["", "../../x", "a/b", ".hidden", "A" * 40, "0" * 40 + "/..", "x" * 65])
def test_names_that_lead_out(tmp_path: Path, name: str) -> None:
    """A name that the hub made up to lead out of the cache is refused."""
    cache = BlobCache(tmp_path / "cache", 10_000)
    for call in (lambda: cache.put("table", name, b"x"), lambda: cache.get("table", name)):
        with pytest.raises(ValueError, match="letters and digits"):
            call()
    assert not list(tmp_path.rglob("x"))


def test_full_disk_is_no_error(tmp_path: Path) -> None:
    """A cache that cannot be written gives nothing and breaks nothing."""
    (tmp_path / "cache").write_bytes(b"a file where a folder should be")
    cache = BlobCache(tmp_path / "cache", 10_000)
    cache.put("table", key(1), b"one")
    assert cache.get("table", key(1)) is None


def test_several_processes_keep_one_bound(tmp_path: Path) -> None:
    """Three processes that fill one cache at once stay within its bound, and every copy is whole."""
    code = (
        "import sys, random\n"
        "from pathlib import Path\n"
        "from submissions.store.hub_cache import BlobCache\n"
        "cache = BlobCache(Path(sys.argv[1]), 60_000)\n"
        "rng = random.Random(int(sys.argv[2]))\n"
        "for _ in range(150):\n"
        "    n = rng.randrange(200)\n"
        "    data = b'%d ' % n * (n * 7 + 1)\n"
        "    kept = cache.get('clip', f'{n:040x}')\n"
        "    assert kept in (None, data), n\n"
        "    cache.put('clip', f'{n:040x}', data)\n"
        "    assert cache.total() <= 60_000, cache.total()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache")]
    running = [subprocess.Popen([*command, str(n)], cwd=ROOT) for n in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    cache = BlobCache(tmp_path / "cache", 60_000)
    assert 30_000 < cache.total() <= 60_000


def test_sweep_counts_anew(tmp_path: Path) -> None:
    """After a kill the leftovers go and the count is right again."""
    cache = BlobCache(tmp_path / "cache", 10_000)
    rng = random.Random(1)
    cache.put("clip", key(1), rng.randbytes(100))
    left = tmp_path / "cache" / "clip" / key(1)[:2] / f".{key(1)}.0123.writing"
    left.write_bytes(b"half")
    (tmp_path / "cache" / "total").write_text("9999999")
    cache.sweep()
    assert not left.exists()
    assert (tmp_path / "cache" / "total").read_text() == "132"
