"""One repo on a hub: what is read is what is there, and a commit is made once or not at all, whatever fails."""

import dataclasses
import hashlib
import logging
import threading
from pathlib import Path

import pytest

from submissions.store.base import StoreUnavailable
from submissions.store.hub_calls import HubRefused
from submissions.store.hub_records import CommitUncertain, Moved, Put, PutFile, Remove
from submissions.store.hub_repo import HubRepo
from tests.hub.double import TOKEN, HubDouble
from tests.hub.examples import QUICK, open_repo
from tests.hub.fixtures import hub

__all__ = ["hub"]

COMMIT = "POST .*/commit/main"


def test_commit_then_list_and_read(hub: HubDouble, tmp_path: Path) -> None:
    """What was committed is listed with its size and hash, and read back, whole and in part."""
    repo = open_repo(hub)
    large = bytes(range(256)) * 400
    (tmp_path / "clips").write_bytes(large)
    parent = repo.head()
    made = repo.commit(
        [Put(path="a/b.json", data=b"{}"), PutFile(path="c/x.parquet", source=tmp_path / "clips")], "two files", parent
    )
    assert made == repo.head() != parent
    found = {entry.path: entry for entry in repo.listing(made, is_recursive=True)}
    assert {path for path, entry in found.items() if entry.is_folder} == {"a", "c"}
    assert found["c/x.parquet"].sha256 == hashlib.sha256(large).hexdigest()
    assert found["c/x.parquet"].size == len(large)
    assert found["a/b.json"].sha256 is None
    assert repo.read("a/b.json", made) == b"{}"
    assert repo.read("c/x.parquet", made) == large
    assert repo.read_range("c/x.parquet", made, 1000, 1999) == large[1000:2000]
    assert [seen.n_sent for seen in hub.seen("cdn") if seen.range] == [1000]
    assert hub.history("ohm/board")[0].title == "two files"


def test_folder_listing_is_not_recursive_and_pages(hub: HubDouble) -> None:
    """A folder lists what is right below it, over any number of pages; its id changes with anything below."""
    repo = open_repo(hub)
    hub.state.tree_page = 2
    one = hub.put("ohm/board", {f"a/{n}.json": b"%d" % n for n in range(5)} | {"a/deep/x.json": b"x", "z.json": b"z"})
    assert [entry.path for entry in repo.listing(one, "a")] == [*(f"a/{n}.json" for n in range(5)), "a/deep"]
    assert repo.listing(one, "nowhere") == ()
    two = hub.put("ohm/board", {"a/deep/x.json": b"y"})
    before, after = ({entry.path: entry.oid for entry in repo.listing(head)} for head in (one, two))
    assert {path for path in before if before[path] != after[path]} == {"a"}


def test_old_revision_stays_readable(hub: HubDouble) -> None:
    """A pinned commit reads the same whatever is committed later; a file that is not there is a FileNotFoundError."""
    repo = open_repo(hub)
    one = repo.commit([Put(path="a.json", data=b"1")], "one", repo.head())
    two = repo.commit([Put(path="a.json", data=b"2"), Put(path="b.json", data=b"b")], "two", one)
    three = repo.commit([Remove(path="a.json")], "three", two)
    assert [repo.read("a.json", revision) for revision in (one, two)] == [b"1", b"2"]
    with pytest.raises(FileNotFoundError):
        repo.read("a.json", three)
    assert repo.health().is_reachable


def test_moved_branch(hub: HubDouble) -> None:
    """A commit on a parent that is no longer the head is refused, and nothing of it is there."""
    repo = open_repo(hub)
    parent = repo.head()
    hub.put("ohm/board", {"other.json": b"o"})
    with pytest.raises(Moved, match="changed by somebody else"):
        repo.commit([Put(path="mine.json", data=b"m")], "mine", parent)
    assert "mine.json" not in hub.paths("ohm/board")


def test_only_one_of_many_writers_wins(hub: HubDouble) -> None:
    """Of any number of writers on one parent, one commits and the others learn that the branch moved."""
    repos = [open_repo(hub) for _ in range(6)]
    parent = repos[0].head()
    ends: list[str] = []

    def write(n: int) -> None:
        try:
            repos[n].commit([Put(path="claim.json", data=b"%d" % n)], "claim", parent)
        except Moved:
            ends.append("moved")
        else:
            ends.append("won")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == ["moved"] * 5 + ["won"]
    assert len(hub.history("ohm/board")) == 2


def test_same_claim_twice_is_not_won_twice(hub: HubDouble) -> None:
    """A writer whose very bytes another committed first learns that the branch moved, not that it won."""
    repo = open_repo(hub)
    parent = repo.head()
    repo.commit([Put(path="claim.json", data=b"same")], "claim", parent)
    with pytest.raises(Moved):
        repo.commit([Put(path="claim.json", data=b"same")], "claim", parent)


@pytest.mark.parametrize(
    "how",
    [
        {"status": 500, "times": 2},
        {"status": 503, "times": 2},
        {"status": 409},
        {"status": 429, "retry_after_s": 0},
        {"cut": "before"},
        {"cut": "middle"},
        {"cut": "after"},
    ],
    ids=str,
)
@pytest.mark.parametrize("pattern", [COMMIT, "POST .*/preupload/", "PUT /_lfs/", "POST .*objects/batch"])
def test_commit_is_made_once_whatever_fails(hub: HubDouble, pattern: str, how: dict[str, object]) -> None:
    """A commit whose way there or back fails is made exactly once, and its id is the one that is returned."""
    repo = open_repo(hub)
    parent = repo.head()
    hub.fail(pattern, **how)  # type: ignore[arg-type]
    made = repo.commit([Put(path="a.json", data=b"1"), Put(path="b.parquet", data=b"2" * 50)], "once", parent)
    assert [commit.id for commit in hub.history("ohm/board")] == [made, parent]
    assert hub.read("ohm/board", "b.parquet") == b"2" * 50


def test_commit_found_below_later_ones(hub: HubDouble) -> None:
    """An unanswered commit that others have built upon meanwhile is still known as made."""
    repo = open_repo(hub)
    parent = repo.head()
    hub.fail(COMMIT, cut="after")
    hub.fail("GET .*/commits/main", delay_s=0.3)
    later = threading.Timer(0.1, lambda: hub.put("ohm/board", {"later.json": b"l"}))
    later.start()
    made = repo.commit([Put(path="a.json", data=b"1")], "once", parent)
    later.join()
    assert made in [commit.id for commit in hub.history("ohm/board")]
    assert hub.history("ohm/board")[-2].id == made


def test_unanswered_commit_then_silence(hub: HubDouble) -> None:
    """If the hub goes away in the middle of a commit, that is said, and can be asked later."""
    repo = open_repo(hub)
    parent = repo.head()
    hub.fail(COMMIT, cut="after")
    hub.fail("GET .*/commits/main", status=503, times=None)
    with pytest.raises(CommitUncertain, match="not known yet") as caught:
        repo.commit([Put(path="a.json", data=b"1")], "once", parent)
    hub.calm()
    assert repo.applied(caught.value.nonce, parent) == hub.history("ohm/board")[0].id
    assert repo.applied("0" * 16, parent) is None


def test_hub_that_is_down(hub: HubDouble) -> None:
    """A hub that is down ends every call in one sentence, and health tells since when; then it is back."""
    repo = open_repo(hub)
    head = repo.head()
    hub.stop()
    for call in (
        repo.head,
        lambda: repo.listing(head),
        lambda: repo.read("a", head),
        lambda: repo.commit([], "w", head),
    ):
        with pytest.raises(StoreUnavailable, match="the hub's repo ohm/board gave no whole answer"):
            call()
    health = repo.health()
    assert not health.is_reachable
    assert health.failed_at is not None
    assert health.succeeded_at is not None
    hub.start()
    assert repo.head() == head
    assert repo.health().is_reachable


def test_no_call_hammers(hub: HubDouble) -> None:
    """A failing call is tried so often and no more, with growing waits; then calls rest without a request."""
    waits: list[float] = []
    now = [0.0]

    def sleep(wait_s: float) -> None:
        waits.append(wait_s)
        now[0] += wait_s

    limits = dataclasses.replace(QUICK, n_tries=4, first_wait_s=1.0, most_wait_s=60.0, rest_s=5.0)
    hub.create("ohm/board")
    repo = HubRepo("ohm/board", token=TOKEN, endpoint=hub.endpoint, limits=limits, clock=lambda: now[0], sleep=sleep)
    hub.fail("", status=503, times=None)
    with pytest.raises(StoreUnavailable, match="answered 503"):
        repo.head()
    assert len(hub.seen()) == 4
    assert [0.5 * 2**n <= wait <= 1.5 * 2**n for n, wait in enumerate(waits)] == [True] * 3
    with pytest.raises(StoreUnavailable, match="answered 503"):
        repo.head()
    assert len(hub.seen()) == 4
    hub.calm()
    now[0] += 5.1
    assert repo.head()


def test_retry_after_is_kept(hub: HubDouble) -> None:
    """A short Retry-After is waited for; a long one is given up at once, and kept to by later calls too."""
    waits: list[float] = []
    now = [0.0]
    hub.create("ohm/board")
    repo = HubRepo(
        "ohm/board",
        token=TOKEN,
        endpoint=hub.endpoint,
        limits=dataclasses.replace(QUICK, most_wait_s=60.0),
        clock=lambda: now[0],
        sleep=waits.append,
    )
    hub.fail("", status=429, retry_after_s=7)
    repo.head()
    assert waits == [7.0]
    hub.fail("", status=429, retry_after_s=300)
    with pytest.raises(StoreUnavailable, match="answered 429"):
        repo.head()
    n_seen = len(hub.seen())
    now[0] += 299.0
    with pytest.raises(StoreUnavailable):
        repo.head()
    assert (len(hub.seen()), waits) == (n_seen, [7.0])
    now[0] += 2.0
    repo.head()


def test_budget_of_commits(hub: HubDouble) -> None:
    """A loop that commits is slowed down to the allowance, then refused, whatever the hub would take."""
    waits: list[float] = []
    now = [0.0]

    def sleep(wait_s: float) -> None:
        waits.append(wait_s)
        now[0] += wait_s

    hub.create("ohm/board")
    limits = dataclasses.replace(QUICK, commits_per_hour=360.0, commits_burst=3, most_wait_s=15.0)
    repo = HubRepo("ohm/board", token=TOKEN, endpoint=hub.endpoint, limits=limits, clock=lambda: now[0], sleep=sleep)
    head = repo.head()
    for n in range(4):
        head = repo.commit([Put(path="a.json", data=b"%d" % n)], "loop", head)
    assert waits == [pytest.approx(10.0)]
    limits = dataclasses.replace(limits, most_wait_s=5.0)
    impatient = HubRepo("ohm/board", token=TOKEN, endpoint=hub.endpoint, limits=limits, clock=lambda: 0.0)
    for n in range(3):
        head = impatient.commit([Put(path="b.json", data=b"%d" % n)], "loop", head)
    with pytest.raises(StoreUnavailable, match="as often as it allows"):
        impatient.commit([Put(path="b.json", data=b"9")], "loop", head)


def test_close_ends_waits(hub: HubDouble) -> None:
    """A call that waits for its next attempt ends when the repo is closed."""
    hub.create("ohm/board")
    limits = dataclasses.replace(QUICK, first_wait_s=30.0, most_wait_s=600.0)
    repo = HubRepo("ohm/board", token=TOKEN, endpoint=hub.endpoint, limits=limits)
    hub.fail("", status=500, times=None)
    ends: list[str] = []

    def ask() -> None:
        try:
            repo.head()
        except StoreUnavailable as error:
            ends.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    while not hub.seen():
        threading.Event().wait(0.005)
    repo.close()
    thread.join(10)
    assert ends == ["the hub's repo ohm/board is not asked again: the program is being stopped"]


def test_slow_and_dripping_answers_end(hub: HubDouble) -> None:
    """An answer that does not come, or trickles for ever, is given up within the time that the limits give."""
    repo = open_repo(hub, limits=dataclasses.replace(QUICK, n_tries=1, answer_s=0.2, whole_s=0.4))
    head = repo.head()
    hub.put("ohm/board", {"a.json": b"x" * 64, "c.parquet": b"y" * 64})
    for pattern, call in (
        ("GET /api/", repo.head),
        ("GET .*/resolve/", lambda: repo.read("a.json", "main")),
        ("GET /_cdn/", lambda: repo.read_range("c.parquet", "main", 0, 63)),
    ):
        for how in ({"delay_s": 0.5}, {"drip_s": 0.1}):
            hub.fail(pattern, **how)
            with pytest.raises(StoreUnavailable):
                call()
            hub.calm()
    assert repo.listing(head)


@pytest.mark.parametrize("cut_at", ["GET /_cdn/", "GET .*/resolve/"])
def test_cut_download_is_never_whole(hub: HubDouble, cut_at: str) -> None:
    """A download that breaks off is fetched again, and the bytes are all there; or it fails, and none are given."""
    repo = open_repo(hub)
    data = bytes(range(200))
    head = hub.put("ohm/board", {"c.parquet": data, "a.json": data})
    path = "c.parquet" if "cdn" in cut_at else "a.json"
    hub.fail(cut_at, cut="middle", times=2)
    assert repo.read(path, head) == data
    hub.fail(cut_at, cut="middle", times=2)
    assert repo.read_range(path, head, 10, 99) == data[10:100]
    hub.fail(cut_at, cut="middle", times=None)
    with pytest.raises(StoreUnavailable):
        repo.read(path, head)


def test_ranges_beyond_the_end(hub: HubDouble) -> None:
    """A range that the file does not have is an error, never fewer bytes."""
    repo = open_repo(hub)
    head = hub.put("ohm/board", {"c.parquet": b"0123456789"})
    for first, last in ((5, 12), (10, 12)):
        with pytest.raises(StoreUnavailable):
            repo.read_range("c.parquet", head, first, last)
    with pytest.raises(StoreUnavailable, match="more than 4 bytes"):
        repo.read("c.parquet", head, most_bytes=4)


def test_shorter_file_than_the_hub_says(hub: HubDouble) -> None:
    """A hub that names a range and sends less of it is not believed."""
    repo = open_repo(hub)
    head = hub.put("ohm/board", {"a.json": b"0123456789"})
    there = hub.repo("ohm/board")
    there.read(there.commit_of(head).files["a.json"]).write_bytes(b"01234")
    with pytest.raises(StoreUnavailable, match="broke off"):
        repo.read_range("a.json", head, 2, 7)


def test_private_repo(hub: HubDouble) -> None:
    """A private repo opens with its token alone; others are told nothing, at once and without a second attempt."""
    open_repo(hub, "ohm/work", is_private=True).head()
    hub.add_user("eve", "hf_eve")
    hub.forget_seen()
    for token in (None, "hf_eve", "hf_nobody"):
        repo = HubRepo("ohm/work", token=token, endpoint=hub.endpoint, limits=QUICK)
        with pytest.raises(HubRefused, match="does not exist, or the token does not open it"):
            repo.head()
    assert len(hub.seen()) == 3
    hub.create("ohm/board")
    board = HubRepo("ohm/board", token="hf_eve", endpoint=hub.endpoint, limits=QUICK)
    with pytest.raises(HubRefused, match="may not be written"):
        board.commit([Put(path="a", data=b"")], "mine", board.head())


def test_no_other_token_is_sent(hub: HubDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repo that was given no token sends none, though one lies in the environment."""
    head = open_repo(hub, "ohm/work", is_private=True).head()
    hub.put("ohm/work", {"a.json": b"a"})
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    repo = HubRepo("ohm/work", endpoint=hub.endpoint, limits=QUICK)
    for call in (repo.head, lambda: repo.read("a.json", head), lambda: repo.applied("0" * 16, head)):
        with pytest.raises(HubRefused, match="the token does not open it"):
            call()


def test_token_is_nowhere(hub: HubDouble, caplog: pytest.LogCaptureFixture) -> None:
    """No message, log line or repr shows the token, nor an address of a file."""
    caplog.set_level(logging.DEBUG)
    repo = open_repo(hub, "ohm/work", is_private=True)
    head = repo.head()
    shown = [repr(repo), repr(repo._source("a.json", head))]
    hub.fail("", status=500, times=None)
    for call in (repo.head, lambda: repo.commit([Put(path="a", data=b"")], "w", head)):
        with pytest.raises(StoreUnavailable) as caught:
            call()
        shown.append(str(caught.value))
    text = "\n".join([*shown, *(str(vars(record)) for record in caplog.records if record.name.startswith("submiss"))])
    assert TOKEN not in text
    assert hub.endpoint not in "\n".join(shown[2:])
    assert TOKEN not in caplog.text


def test_token_stays_at_the_hub(hub: HubDouble) -> None:
    """The host that large files come from is not sent the token: the double refuses whoever sends one there."""
    repo = open_repo(hub, "ohm/work", is_private=True)
    head = hub.put("ohm/work", {"c.parquet": b"0123456789"})
    assert repo.read("c.parquet", head) == b"0123456789"
    assert hub.seen("cdn")[-1].status == 200


@pytest.mark.parametrize("path", ["", "/a", "a/../b", "..", "a//b", "./a"])
def test_paths_that_lead_elsewhere(hub: HubDouble, path: str) -> None:
    """A path that could mean another place is not asked for."""
    repo = open_repo(hub)
    with pytest.raises(ValueError, match="parts between single slashes"):
        repo.read(path, "main")


def test_multipart_upload_from_disk(hub: HubDouble, tmp_path: Path) -> None:
    """A large file goes up in the parts that the hub asks for."""
    repo = open_repo(hub)
    hub.state.multipart_bytes = 40_000
    source = tmp_path / "upload.zip"
    source.write_bytes(bytes(range(256)) * 400)
    head = repo.commit([PutFile(path="upload.zip", source=source)], "upload", repo.head())
    assert hub.read("ohm/board", "upload.zip", head) == source.read_bytes()
    assert len([seen for seen in hub.seen("lfs") if seen.method == "PUT"]) == 3


def test_an_outage_is_one_warning(hub: HubDouble, caplog: pytest.LogCaptureFixture) -> None:
    """However often it is looked at; a repo that is not made yet is none, and a second outage is another."""
    caplog.set_level(logging.WARNING, "submissions")
    repo = HubRepo("ohm/board", token=TOKEN, endpoint=hub.endpoint, limits=QUICK)

    def look(n: int) -> None:
        for _ in range(n):
            with pytest.raises(StoreUnavailable):
                repo.head()

    look(2)
    assert caplog.messages == []
    repo.ensure(is_private=False)
    for _ in range(2):
        hub.down()
        look(3)
        hub.calm()
        assert repo.head()
    assert caplog.messages == ["hub.given_up"] * 2


def test_while_the_hub_is_away_one_thread_asks(hub: HubDouble) -> None:
    """Others are told at once what the last one found, however long an attempt lasts; then all may ask again."""
    limits = dataclasses.replace(QUICK, n_tries=1)
    repo = open_repo(hub, limits=limits)
    hub.down()
    with pytest.raises(StoreUnavailable, match=r"could not be reached|no whole answer"):
        repo.head()
    hub.calm()
    begun, ended = threading.Event(), threading.Event()

    def ask() -> None:
        with repo.calls._alone_while_away():
            begun.set()
            assert ended.wait(30)
            assert repo.head()

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(30)
    hub.forget_seen()
    for _ in range(20):
        with pytest.raises(StoreUnavailable, match=r"could not be reached|no whole answer"):
            repo.head()
    assert hub.seen() == []
    ended.set()
    asking.join()
    assert repo.head()
    assert repo.health().is_reachable
