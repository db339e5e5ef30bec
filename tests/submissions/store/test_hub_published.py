"""The published layout on a hub: one commit is shown at a time, a change is one commit, nothing is fetched twice."""

import dataclasses
import io
import random
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.store.base import PublishedFiles, StoreUnavailable
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.store.hub_reader import BLOCK_BYTES
from submissions.store.hub_repo import HubRepo
from tests.hub.double import TOKEN, HubDouble
from tests.hub.examples import QUICK, open_repo
from tests.hub.fixtures import hub

__all__ = ["hub"]

NOW = datetime(2026, 3, 2, tzinfo=UTC)
LATER = datetime(2026, 3, 3, tzinfo=UTC)


class Hands:
    """Clocks that a test moves."""

    def __init__(self) -> None:
        self.s = 0.0
        self.now = NOW


def make(
    hub: HubDouble, home: Path, hands: Hands | None = None, *, prefix: str = "", most: int = 1 << 30
) -> HubPublished:
    """Return the published layout of a process that has its home there."""
    hands = hands or Hands()
    return HubPublished(
        open_repo(hub),
        BlobCache(home / "cache", most),
        home / "board",
        prefix=prefix,
        clock=lambda: hands.s,
        now=lambda: hands.now,
    )


def two(files: PublishedFiles) -> None:
    """Write two files."""
    files.write("results/p/a.json", b"a")
    files.write("clips/a.parquet", b"clips")


def test_change_is_one_commit(hub: HubDouble, tmp_path: Path) -> None:
    """All files of a change come in one commit, and are read back at once, and by another home."""
    files = make(hub, tmp_path)
    files.change("two", two)
    assert [commit.title for commit in hub.history("ohm/board")] == ["two", "initial commit"]
    hub.forget_seen()
    assert files.paths() == ("clips/a.parquet", "results/p/a.json")
    assert files.read("results/p/a.json") == b"a"
    assert files.size("clips/a.parquet") == 5
    assert hub.seen() == []
    other = make(hub, tmp_path / "other")
    assert other.paths("results/") == ("results/p/a.json",)
    assert other.read("clips/a.parquet") == b"clips"
    for path in ("", "results", "results/p", "results/p/a.json", "clips", "nowhere"):
        assert files.version(path) == other.version(path)
    assert files.version("nowhere") == "none"


def test_change_that_changes_nothing(hub: HubDouble, tmp_path: Path) -> None:
    """Writing what is there, or removing what is not, makes no commit."""
    files = make(hub, tmp_path)
    files.change("two", two)
    source = tmp_path / "same"
    source.write_bytes(b"clips")
    n_commits = len(hub.history("ohm/board"))
    hub.forget_seen()
    files.change("again", two)
    files.write_file("clips/a.parquet", source)
    files.remove("results/p/nothing.json")
    files.change("back and forth", lambda draft: (draft.write("x.json", b"x"), draft.remove("x.json")))
    assert len(hub.history("ohm/board")) == n_commits
    assert {seen.kind for seen in hub.seen()} == {"info"}


def test_draft_reads_what_it_wrote(hub: HubDouble, tmp_path: Path) -> None:
    """Inside a change, a reader sees its own writes and removals on top of what is published, and nobody else does."""
    files = make(hub, tmp_path)
    files.change("two", two)
    source = tmp_path / "clip"
    source.write_bytes(b"new clips")

    def make_it(draft: PublishedFiles) -> str:
        before = draft.version("results/p"), draft.version("clips/a.parquet")
        draft.write("results/p/b.json", b"b")
        draft.write_file("clips/a.parquet", source)
        source.write_bytes(b"changed since")
        draft.remove("results/p/a.json")
        assert draft.paths() == ("clips/a.parquet", "results/p/b.json")
        assert (draft.read("clips/a.parquet"), draft.size("clips/a.parquet")) == (b"new clips", 9)
        with draft.open("clips/a.parquet") as one, draft.open("results/p/b.json") as other:
            assert (one.read(), other.read()) == (b"new clips", b"b")
        for ask in (draft.read, draft.open, draft.size):
            with pytest.raises(FileNotFoundError):
                ask("results/p/a.json")
        assert before != (draft.version("results/p"), draft.version("clips/a.parquet"))
        assert draft.change("inner", lambda inner: inner is draft)
        assert files.read("results/p/a.json") == b"a"
        return "done"

    assert files.change("all at once", make_it) == "done"
    assert files.paths() == ("clips/a.parquet", "results/p/b.json")
    assert hub.read("ohm/board", "clips/a.parquet") == b"new clips"
    assert list((tmp_path / "board" / "drafts").iterdir()) == []


def test_moved_branch_makes_it_decide_again(hub: HubDouble, tmp_path: Path) -> None:
    """If another publishes meanwhile, the change is decided again from what that one wrote; nothing is lost."""
    files = make(hub, tmp_path)
    calls: list[bytes] = []

    def add(draft: PublishedFiles) -> None:
        before = draft.read("board.json") if "board.json" in draft.paths() else b""
        calls.append(before)
        if len(calls) <= 2:
            hub.put("ohm/board", {"board.json": b"other %d " % len(calls)})
        draft.write("board.json", before + b"mine")

    files.change("add", add)
    assert calls == [b"", b"other 1 ", b"other 2 "]
    assert hub.read("ohm/board", "board.json") == b"other 2 mine"


def test_many_writers_lose_nothing(hub: HubDouble, tmp_path: Path) -> None:
    """Any number of processes that add to one file at once all get their line in."""
    homes = [make(hub, tmp_path / str(n)) for n in range(4)]

    def add(n: int) -> None:
        for k in range(3):
            line = b"%d.%d\n" % (n, k)
            homes[n].change(
                "line",
                lambda draft, line=line: draft.write(
                    "log.json", (draft.read("log.json") if draft.paths("log") else b"") + line
                ),
            )

    threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = hub.read("ohm/board", "log.json").splitlines()
    assert sorted(lines) == sorted(b"%d.%d" % (n, k) for n in range(4) for k in range(3))
    assert len(hub.history("ohm/board")) == 13


def test_unanswered_commit_is_not_repeated(hub: HubDouble, tmp_path: Path) -> None:
    """A publish whose answer is lost is done once, and is shown."""
    files = make(hub, tmp_path)
    hub.fail("POST .*/commit/main", cut="after")
    files.change("two", two)
    assert len(hub.history("ohm/board")) == 2
    assert files.read("results/p/a.json") == b"a"


def test_refresh_is_cheap_and_throttled(hub: HubDouble, tmp_path: Path) -> None:
    """A refresh asks for the head alone, and not again within its time; a listing is fetched only if it moved."""
    hands = Hands()
    files = make(hub, tmp_path, hands)
    files.change("two", two)
    hub.forget_seen()
    files.refresh()
    assert hub.seen() == []
    hands.s += 16
    for _ in range(5):
        files.refresh()
    assert [seen.kind for seen in hub.seen()] == ["info"]
    hub.put("ohm/board", {"results/p/b.json": b"b"})
    assert "results/p/b.json" not in files.paths()
    hub.forget_seen()
    hands.s += 16
    files.refresh()
    files.refresh()
    assert [seen.kind for seen in hub.seen()] == ["info", "tree"]
    assert "results/p/b.json" in files.paths()


def test_start_fetches_nothing_that_is_known(hub: HubDouble, tmp_path: Path) -> None:
    """A new process of the home shows the last good copy without a request, and fetches no file before it is read."""
    files = make(hub, tmp_path)
    files.change("two", two)
    hub.forget_seen()
    again = make(hub, tmp_path)
    hub.forget_seen()
    assert again.read("results/p/a.json") == b"a"
    assert again.health().as_of == NOW
    assert hub.seen() == []
    fresh = make(hub, tmp_path / "fresh")
    hub.forget_seen()
    fresh.refresh()
    assert [seen.kind for seen in hub.seen()] == ["info", "tree"]


def test_hub_away(hub: HubDouble, tmp_path: Path) -> None:
    """With the hub away a start serves the last good copy and tells its age; a start with no copy says so."""
    hands = Hands()
    make(hub, tmp_path, hands).change("two", two)
    hub.put("ohm/board", {"results/p/late.json": b"late"})
    repo = HubRepo("ohm/board", token=TOKEN, endpoint=hub.endpoint, limits=QUICK)
    files = HubPublished(
        repo, BlobCache(tmp_path / "cache", 1 << 30), tmp_path / "board", clock=lambda: hands.s, now=lambda: hands.now
    )
    hub.stop()
    hands.now = LATER
    files.refresh()
    assert files.paths() == ("clips/a.parquet", "results/p/a.json")
    assert files.read("results/p/a.json") == b"a"
    health = files.health()
    assert (health.kind, health.is_reachable, health.as_of) == ("hub", False, NOW)
    assert health.message == "the hub's repo ohm/board gave no whole answer"
    with pytest.raises(StoreUnavailable):
        files.change("two", lambda draft: draft.write("x.json", b"x"))
    never = HubPublished(repo, BlobCache(tmp_path / "never" / "cache", 1 << 30), tmp_path / "never" / "board")
    never.refresh()
    with pytest.raises(StoreUnavailable):
        never.paths()
    hub.start()
    hands.s += 16
    files.refresh()
    assert files.read("results/p/late.json") == b"late"
    assert (files.health().is_reachable, files.health().as_of, files.health().message) == (True, LATER, "")


def test_a_commit_is_shown_once_its_board_is_here(hub: HubDouble, tmp_path: Path) -> None:
    """If the hub goes away between a listing and the tables, the board before it is shown, and can be."""
    hands = Hands()
    files = HubPublished(
        open_repo(hub),
        BlobCache(tmp_path / "cache", 1 << 20),
        tmp_path / "board",
        is_first=lambda path: path.startswith("board/"),
        clock=lambda: hands.s,
    )
    first, second = ({f"board/{name}.parquet": f"{name}{n}".encode() for name in "ab"} for n in (1, 2))
    hub.put("ohm/board", first)
    files.refresh()
    assert len(hub.seen("resolve")) == 2
    hub.put("ohm/board", second)
    hub.fail("GET .*/resolve/.*/board/b", cut="before", times=99)
    hands.s += 15
    files.refresh()
    hub.down()
    assert [files.read(f"board/{name}.parquet") for name in "ab"] == [b"a1", b"b1"]
    hub.calm()
    hub.fail("GET .*/resolve/.*/board/b", status=404)  # it can be asked, and the answer is no: looked at again later
    hands.s += 15
    files.refresh()
    hands.s += 15
    files.refresh()
    hub.down()
    assert [files.read(f"board/{name}.parquet") for name in "ab"] == [b"a2", b"b2"]


def test_all_reads_are_of_one_commit(hub: HubDouble, tmp_path: Path) -> None:
    """Whatever is published meanwhile, a process that has not refreshed reads every file as of the commit it knows."""
    writer, reader = make(hub, tmp_path / "w"), make(hub, tmp_path / "r")
    writer.change("one", lambda draft: [draft.write(f"{name}.json", b"1" + name.encode()) for name in "ab"])
    assert reader.read("a.json") == b"1a"
    opened = reader.open("b.json")
    kept = reader.snapshot()
    writer.change("two", lambda draft: [draft.write(f"{name}.json", b"2" + name.encode()) for name in "ab"])
    assert reader.read("b.json") == b"1b"
    assert opened.read() == b"1b"
    look = make(hub, tmp_path / "r")
    look.refresh()
    assert look.read("b.json") == b"2b"
    assert kept.read("a.json") == b"1a"


def test_foreign_files_are_not_ours(hub: HubDouble, tmp_path: Path) -> None:
    """Names that no file of ours can have are not there, wherever they might lead."""
    hub.create("ohm/board")
    bad = {".gitattributes": b"x", "results/.hidden": b"x", "results/a b.json": b"x", "ünï/x.json": b"x"}
    bad |= {"a/b/c/d/e/f/g/h/i/j.json": b"x", "results/" + "n" * 200: b"x"}
    hub.put("ohm/board", bad | {"README.md": b"card", "results/p/a.json": b"a"})
    files = make(hub, tmp_path)
    assert files.paths() == ("README.md", "results/p/a.json")
    for path in (*bad, "../x", "/etc/passwd", "results/../x", ""):
        for ask in (files.read, files.open, files.size):
            with pytest.raises((ValueError, FileNotFoundError)):
                ask(path)
        with pytest.raises(ValueError, match="a published path"):
            files.write(path, b"x")


def test_hidden_folder_of_another_repo(hub: HubDouble, tmp_path: Path) -> None:
    """With a prefix, a layout lives in a folder of the repo and sees nothing beside it."""
    hub.create("ohm/board")
    hub.put("ohm/board", {"work/s1/events/0001-x.json": b"e", "work/s10/hidden/results/p/z.json": b"z"})
    files = make(hub, tmp_path, prefix="work/s1/hidden/")
    assert files.paths() == ()
    files.change("hide", two)
    assert files.paths() == ("clips/a.parquet", "results/p/a.json")
    assert hub.read("ohm/board", "work/s1/hidden/results/p/a.json") == b"a"
    assert make(hub, tmp_path / "other", prefix="work/s1/hidden/").read("clips/a.parquet") == b"clips"
    files.change("show", lambda draft: [draft.remove(path) for path in draft.paths()])
    assert "work/s1/events/0001-x.json" in hub.paths("ohm/board")
    assert files.paths() == ()


def test_ranges_of_a_large_file(hub: HubDouble, tmp_path: Path) -> None:
    """A large file is fetched in the blocks that are read, each once; any reading gives its very bytes."""
    rng = random.Random(3)
    data = rng.randbytes(40 * BLOCK_BYTES + 777)
    hub.create("ohm/board")
    hub.put("ohm/board", {"clips/a.parquet": data})
    files = make(hub, tmp_path)
    with files.open("clips/a.parquet") as file:
        assert file.seek(-100, io.SEEK_END) == len(data) - 100
        assert file.read() == data[-100:]
        file.seek(10 * BLOCK_BYTES + 5)
        assert file.read(3 * BLOCK_BYTES) == data[10 * BLOCK_BYTES + 5 :][: 3 * BLOCK_BYTES]
    n_sent = sum(seen.n_sent for seen in hub.seen("cdn"))
    assert n_sent <= 6 * BLOCK_BYTES
    n_seen = len(hub.seen())
    with make(hub, tmp_path).open("clips/a.parquet") as file:
        file.seek(10 * BLOCK_BYTES + 5)
        assert file.read(2 * BLOCK_BYTES) == data[10 * BLOCK_BYTES + 5 :][: 2 * BLOCK_BYTES]
        n_known = len(hub.seen()) - n_seen
        assert [seen.kind for seen in hub.seen()[n_seen:]] == ["create"]
        for _ in range(30):
            first = rng.randrange(len(data))
            file.seek(first)
            n = rng.randrange(4 * BLOCK_BYTES)
            assert file.read(n) == data[first : first + n]
        file.seek(0)
        assert file.read() == data
    assert n_known == 1


def test_sequential_reading_takes_few_requests(hub: HubDouble, tmp_path: Path) -> None:
    """Whoever reads a large file from end to end in small pieces asks for ever larger parts."""
    data = random.Random(4).randbytes(100 * BLOCK_BYTES)
    hub.create("ohm/board")
    hub.put("ohm/board", {"clips/a.parquet": data})
    files = make(hub, tmp_path)
    with files.open("clips/a.parquet") as file:
        read = b"".join(iter(lambda: file.read(1 << 16), b""))
    assert read == data
    assert len(hub.seen("resolve")) <= 12


def test_cut_block_is_not_kept(hub: HubDouble, tmp_path: Path) -> None:
    """A download that breaks off leaves nothing behind that a later reader could take for the file."""
    data = random.Random(5).randbytes(4 * BLOCK_BYTES)
    hub.create("ohm/board")
    hub.put("ohm/board", {"clips/a.parquet": data, "results/p/a.json": b"x" * 1000})
    files = make(hub, tmp_path)
    assert files.paths()
    hub.fail("GET .*(_cdn|resolve)/", cut="middle", times=None)
    with files.open("clips/a.parquet") as file, pytest.raises(StoreUnavailable):
        file.read()
    with pytest.raises(StoreUnavailable):
        files.read("results/p/a.json")
    hub.calm()
    with files.open("clips/a.parquet") as file:
        assert file.read() == data
    assert files.read("results/p/a.json") == b"x" * 1000


def test_lying_hub(hub: HubDouble, tmp_path: Path) -> None:
    """Bytes that are not what the listing says are never shown, nor kept."""
    hub.create("ohm/board")
    hub.put("ohm/board", {"results/p/a.json": b"true", "per_sample/p/a.parquet": b"samples"})
    files = make(hub, tmp_path)
    assert files.paths()
    for path in ("results/p/a.json", "per_sample/p/a.parquet"):
        repo = hub.repo("ohm/board")
        where = repo.read(repo.commit_of("main").files[path])
        honest = where.read_bytes()
        where.write_bytes(honest[::-1])
        with pytest.raises(StoreUnavailable, match="not what its listing says"):
            files.read(path)
        where.write_bytes(honest)
        assert files.read(path) == honest


def test_large_change_goes_by_the_disk(hub: HubDouble, tmp_path: Path) -> None:
    """A clip file of many MiB is published from the disk and read back in part by others."""
    data = random.Random(6).randbytes(3 << 20)
    source = tmp_path / "clips"
    source.write_bytes(data)
    make(hub, tmp_path).write_file("clips/a.parquet", source)
    other = make(hub, tmp_path / "other")
    with other.open("clips/a.parquet") as file:
        file.seek(1 << 20)
        assert file.read(100) == data[1 << 20 :][:100]
    assert other.read("clips/a.parquet") == data


def test_public_board_without_a_token(hub: HubDouble, tmp_path: Path) -> None:
    """Without a token a public board can be read, and a change is refused in words."""
    make(hub, tmp_path).change("two", two)
    repo = HubRepo("ohm/board", endpoint=hub.endpoint, limits=QUICK)
    files = HubPublished(repo, BlobCache(tmp_path / "c", 1 << 20), tmp_path / "b")
    assert files.read("results/p/a.json") == b"a"
    with pytest.raises(StoreUnavailable):
        files.write("results/p/a.json", b"mine")


def test_sweep_leaves_drafts_in_use(hub: HubDouble, tmp_path: Path) -> None:
    """Leftovers of killed writers go; a draft that is being written stays."""
    files = make(hub, tmp_path)
    left = tmp_path / "board" / "drafts" / "0123456789abcdef"
    left.mkdir(parents=True)
    (left / "1").write_bytes(b"left")
    source = tmp_path / "s"
    source.write_bytes(b"clips")

    def make_it(draft: PublishedFiles) -> None:
        draft.write_file("clips/a.parquet", source)
        make(hub, tmp_path).sweep()
        assert not left.exists()
        assert draft.read("clips/a.parquet") == b"clips"

    files.change("one", make_it)
    assert hub.read("ohm/board", "clips/a.parquet") == b"clips"


def test_endless_others(hub: HubDouble, tmp_path: Path) -> None:
    """If others publish without end, a change gives up in words and leaves nothing."""
    files = make(hub, tmp_path)
    n = iter(range(1000))

    def lose(draft: PublishedFiles) -> None:
        hub.put("ohm/board", {"other.json": b"%d" % next(n)})
        draft.write("mine.json", b"m")

    with pytest.raises(StoreUnavailable, match="all the time"):
        files.change("lose", lose)
    assert "mine.json" not in hub.paths("ohm/board")
    assert dataclasses.is_dataclass(files.health())
