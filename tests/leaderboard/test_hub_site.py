"""A site and its workers on a hub: from an upload to a verified row, in few commits, and honest while it is away."""

import dataclasses
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from leaderboard import cli, stores
from leaderboard.hub_watch import HubWatch
from leaderboard.pages import queue as queue_page
from leaderboard.pages import submit
from leaderboard.pages.queue import Work
from leaderboard.server import _children
from leaderboard.settings import Settings, SettingsError, from_env, from_env_elsewhere
from leaderboard.stations import station
from leaderboard.stores import HUB_LEASE_S, ensure_repos, published_files, work_store, work_store_of_worker
from submissions import queue
from submissions.reception import Receipt, Upload, receive
from submissions.state import State
from submissions.store import hub_client
from submissions.store.base import StoreUnavailable
from submissions.store.folder import PublishedFolder
from submissions.store.hub_work import HubWork
from submissions.store.no_work import NoWork
from submissions.verify import verify
from submissions.worker import Worker
from submissions.worker_status import read_statuses
from tests.hub.double import TOKEN, HubDouble
from tests.hub.examples import QUICK
from tests.hub.fixtures import hub
from tests.submissions.small_evaluation import (
    SteadyEngine,
    acoustic_protocol,
    make_corpus,
    scripts_of,
    tones,
    write_zip,
)
from tests.submissions.work_examples import NOON

__all__ = ["hub"]

BOARD, WORK = "ohm/board", "ohm/work"
FORM = {"system": "Parrot", "version": "2", "organisation": "x", "contact": "a@b.example", "licence": "MIT"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no call wait."""
    monkeypatch.setattr(stores, "HubLimits", lambda: QUICK)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Give a corpus of three items."""
    return make_corpus(tmp_path, 3)


def settings_of(hub: HubDouble, home: Path, **more: str) -> Settings:
    """Return the settings of a site or a worker on the double."""
    env = {
        "CASTBOARD_HOME": str(home),
        "CASTBOARD_HUB_BOARD": BOARD,
        "CASTBOARD_HUB_WORK": WORK,
        "HF_TOKEN": TOKEN,
        "HF_ENDPOINT": hub.endpoint,
    }
    return from_env({**env, **more})


def send(settings: Settings, corpus: Corpus, folder: Path) -> Receipt:
    """Send a clean zip to a site."""
    folder.mkdir(exist_ok=True)
    return receive(
        Upload(zip_path=write_zip(folder / "p.zip", tones(corpus)), card_fields=FORM, submitter=None),
        corpus=corpus,
        store=work_store(settings),
        work_dir=folder,
        now=NOON,
        code_version="0.1.0",
        decoder_processes=1,
    )


def worker_of(settings: Settings, corpus: Corpus, name: str = "w1") -> Worker:
    """Return a worker that reads every clip alike."""
    engine = SteadyEngine(scripts_of(corpus))
    made = station(settings, acoustic_protocol(corpus.pin), corpus, name)
    assert (made.is_shared, made.lease_s) == (True, HUB_LEASE_S)
    return Worker(
        dataclasses.replace(
            made, open_engine=lambda _: engine.opened(), preflight=lambda _: None, shard_size=1, decoder_processes=1
        )
    )


def test_from_an_upload_to_a_verified_row(hub: HubDouble, corpus: Corpus, tmp_path: Path) -> None:
    """Two machines, one of which takes in and one of which evaluates: five commits in all, and few requests."""
    site, box = settings_of(hub, tmp_path / "site"), settings_of(hub, tmp_path / "box")
    watch = HubWatch(site, work_store(site), published_files(site))
    watch.look()
    assert (hub.repo(WORK).private, hub.repo(BOARD).private) == (True, False)
    hub.forget_seen()
    receipt = send(site, corpus, tmp_path / "in")
    assert (receipt.is_pushed, receipt.state, receipt.place_in_queue) == (True, State.QUEUED, 1)
    assert worker_of(box, corpus).run_once() == receipt.submission
    assert [commit.title for commit in reversed(hub.history(WORK))][1:] == [
        f"{receipt.submission} is received",
        f"{receipt.submission}: 3-claimed",
        f"{receipt.submission}: 4-renewed",
        f"{receipt.submission}: 5-published",
    ]
    assert len(hub.history(BOARD)) == 2
    counted = Counter(one.kind for one in hub.seen())
    assert counted["commit"] == 5
    assert sum(counted.values()) < 60, counted
    shards = [path for path in hub.paths(WORK) if "/shards/" in path]
    assert len(shards) == 3
    assert not list((tmp_path / "box" / "hub" / "here").rglob("*.zip"))
    copy = PublishedFolder(tmp_path / "copy")
    for path in hub.paths(BOARD):
        if not path.startswith("."):
            copy.write(path, hub.read(BOARD, path))
    report = verify(tmp_path / "copy")
    assert (report.differences, report.counts.n_rows) == ((), 1)
    assert b"a@b.example" not in b"".join(hub.read(BOARD, path) for path in hub.paths(BOARD))


def test_an_outage_from_end_to_end(hub: HubDouble, corpus: Corpus, tmp_path: Path) -> None:
    """Taken onto the disk, said so, pushed when the hub is back, evaluated then."""
    site = settings_of(hub, tmp_path / "site")
    store = work_store(site)
    watch = HubWatch(site, store, published_files(site))
    watch.look()
    hub.down()
    receipt = send(site, corpus, tmp_path / "in")
    assert not receipt.is_pushed
    assert "not yet on the Hub" in submit.receipt(receipt)
    work = Work(states=queue.load_all(store), workers=(), unpushed=frozenset({receipt.submission}))
    assert "not yet on the Hub" in queue_page.build(work, receipt.submission)
    assert "not yet on the Hub" not in queue_page.build(dataclasses.replace(work, unpushed=frozenset()), "")
    assert send(site, corpus, tmp_path / "in").is_repeat
    assert worker_of(site, corpus).run_once() is None
    with pytest.raises(StoreUnavailable):
        store.push() if isinstance(store, HubWork) else None
    hub.calm()
    watch.look()
    assert store.is_pushed(receipt.submission)
    assert "not yet on the Hub" not in submit.receipt(dataclasses.replace(receipt, is_pushed=True))
    assert queue.load(store, receipt.submission).state is State.QUEUED


def test_the_server_pushes_by_itself(hub: HubDouble, corpus: Corpus, tmp_path: Path) -> None:
    """What was taken in an outage goes to the hub when it is back, from a thread beside the pages."""
    site = settings_of(hub, tmp_path / "site")
    ensure_repos(site)
    store = work_store(site)
    store.submissions()
    hub.down()
    receipt = send(site, corpus, tmp_path / "in")
    pushed = threading.Event()

    class Noticing(HubWatch):
        def look(self) -> None:
            super().look()
            pushed.set()

    watch = Noticing(site, store, published_files(site), look_s=0.01)
    watch.start()
    hub.calm()
    assert pushed.wait(30)
    watch.stop()
    assert (store.is_pushed(receipt.submission), store.health().n_unpushed) == (True, 0)


def test_a_disk_that_does_not_last_takes_nothing_in(hub: HubDouble, corpus: Corpus, tmp_path: Path) -> None:
    """On a Space the disk goes with a restart: while the hub is away a submission is refused, with that sentence."""
    site = settings_of(hub, tmp_path / "site", SPACE_ID="ohm/space")
    HubWatch(site, work_store(site), published_files(site)).look()
    hub.down()
    with pytest.raises(StoreUnavailable, match="not taken and nothing is kept"):
        send(site, corpus, tmp_path / "in")
    assert work_store(site).submissions() == ()


def test_a_board_without_work_only_shows(hub: HubDouble, corpus: Corpus, tmp_path: Path) -> None:
    """No worker is started, nothing is created, and submitting is refused politely."""
    hub.create(BOARD)
    env = {"CASTBOARD_HOME": str(tmp_path), "CASTBOARD_HUB_BOARD": BOARD, "HF_ENDPOINT": hub.endpoint}
    site = from_env(env)
    assert isinstance(work_store(site), NoWork)
    assert _children(site) == ()
    HubWatch(site, work_store(site), published_files(site)).look()
    with pytest.raises(StoreUnavailable, match="shows a board"):
        send(site, corpus, tmp_path / "in")
    with pytest.raises(StoreUnavailable):
        work_store(site).append_log("bans", 1, b"{}")
    assert (work_store(site).submissions(), published_files(site).paths()) == ((), ())


def test_a_process_has_one_mirror_and_its_worker_sees_no_spool(hub: HubDouble, tmp_path: Path) -> None:
    """Whoever asks for the stores of the same settings gets the same ones."""
    site = settings_of(hub, tmp_path)
    assert work_store(site) is work_store(site) is not work_store_of_worker(site)
    assert published_files(site) is published_files(dataclasses.replace(site, port=1))
    assert published_files(site) is not published_files(settings_of(hub, tmp_path / "other"))
    assert TOKEN not in repr(site)


def test_a_worker_joins_a_queue_from_anywhere(
    hub: HubDouble, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`worker --repo --board` needs the token alone, keeps nothing, and leaves what it cannot run."""
    site = settings_of(hub, tmp_path / "site")
    HubWatch(site, work_store(site), published_files(site)).look()
    receipt = send(site, corpus, tmp_path / "in")
    for name in ("CASTBOARD_HOME", "CASTBOARD_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.chdir(tmp_path)
    n_commits = len(hub.history(WORK))
    assert cli.main(["worker", "--once", "--repo", WORK, "--board", BOARD]) == 0
    assert len(hub.history(WORK)) == n_commits  # it has the other corpus
    assert not (tmp_path / "data").exists()
    assert not list(tmp_path.glob("castboard-worker-*"))
    assert queue.load(work_store(site), receipt.submission).state is State.QUEUED
    assert cli.main(["worker", "--once", "--repo", WORK]) == 1
    assert "go together" in capsys.readouterr().err


def test_what_a_worker_leaves_stands_in_its_word(hub: HubDouble, corpus: Corpus, tmp_path: Path) -> None:
    """The operator reads which submissions it leaves to others, and why."""
    site = settings_of(hub, tmp_path / "site")
    ensure_repos(site)
    receipt = send(site, corpus, tmp_path / "in")
    made = station(site, acoustic_protocol(corpus.pin), corpus, "w1")

    def missing(_: object) -> None:
        raise SettingsError("the model is not here")

    assert Worker(dataclasses.replace(made, preflight=missing)).run_once() is None
    (status,) = read_statuses(work_store(site))
    assert f"Leaves {receipt.submission} to other workers" in status.message
    assert "the model is not here" in status.message


def test_settings_of_a_worker_elsewhere(tmp_path: Path) -> None:
    """The given repos and home stand in for the environment's, and a home that it names is kept."""
    env = {"HF_TOKEN": TOKEN, "CASTBOARD_HUB_BOARD": "x/y"}
    found = from_env_elsewhere("a/work", "a/board", tmp_path, env)
    assert found.hub is not None
    assert (found.hub.work, found.hub.board, found.home) == ("a/work", "a/board", tmp_path)
    assert from_env_elsewhere("a/w", "a/b", tmp_path, {**env, "CASTBOARD_HOME": "/named"}).home == Path("/named")
    with pytest.raises(SettingsError, match="TOKEN"):
        from_env_elsewhere("a/w", "a/b", tmp_path, {})


def test_a_worker_whose_clock_is_off_claims_nothing(
    hub: HubDouble, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take leases that are held, or hold some that nobody believes; it says so and goes on once it is set."""
    site = settings_of(hub, tmp_path / "site")
    HubWatch(site, work_store(site), published_files(site)).look()
    receipt = send(site, corpus, tmp_path / "in")
    for hours in (1, -1):
        box = settings_of(hub, tmp_path / f"box{hours}")
        now = time.time() + hours * 3600
        monkeypatch.setattr(hub_client, "time_of_day", lambda now=now: now)
        with pytest.raises(StoreUnavailable, match=r"clock is 3[56]\d\d s (ahead|behind) of the hub's"):
            worker_of(box, corpus).run_once()
        assert receipt.submission in work_store_of_worker(box).submissions()
    assert queue.load(work_store(site), receipt.submission).state is State.QUEUED
    monkeypatch.undo()
    monkeypatch.setattr(stores, "HubLimits", lambda: QUICK)
    assert worker_of(settings_of(hub, tmp_path / "late"), corpus).run_once() == receipt.submission
