"""A submission gets a row under a second protocol from its kept zip, and the first row is safe whatever happens."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from submissions import layout, queue
from submissions.reception import Upload, receive
from submissions.records import SubmissionId
from submissions.reevaluation import begin, plan
from submissions.settling import settle_all
from submissions.state import State, SubmissionState
from submissions.station import Station
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from submissions.withdrawal import withdraw
from submissions.worker import Worker
from tests.submissions.small_evaluation import (
    SteadyEngine,
    acoustic_protocol,
    make_corpus,
    scripts_of,
    tones,
    tree,
    write_zip,
)
from tests.submissions.work_examples import NOON, a_worker, later

FORM = {"system": "Parrot", "version": "2", "organisation": "Aviary", "contact": "p@aviary.example", "licence": "MIT"}


@dataclasses.dataclass
class Home:
    """A home with one published submission, and a second protocol."""

    path: Path
    corpus: Corpus
    old: Protocol
    new: Protocol
    engine: SteadyEngine
    at_s: float = 0.0

    @property
    def store(self) -> FolderStore:
        """A new reader of the work state."""
        return FolderStore(self.path)

    @property
    def files(self) -> PublishedFolder:
        """The published folder."""
        return PublishedFolder(self.path / "published")

    def worker(self) -> Worker:
        """Return a worker that started just now and knows both protocols."""
        known = {protocol.id: protocol for protocol in (self.old, self.new)}
        return Worker(
            Station(
                name="w1",
                store=self.store,
                published=self.files,
                corpus=self.corpus,
                protocol=self.old,
                open_engine=lambda _: self.engine.opened(),
                preflight=lambda _: None,
                clock=lambda: later(self.at_s),
                find_protocol=known.__getitem__,
                decoder_processes=1,
                shard_size=1,
            )
        )

    def send(self) -> SubmissionId:
        """Send a zip and let it be published under the old protocol."""
        work_dir = self.path.parent / "passing"
        work_dir.mkdir()
        upload = Upload(zip_path=write_zip(work_dir / "p.zip", tones(self.corpus)), card_fields=FORM, submitter=None)
        receipt = receive(
            upload, corpus=self.corpus, store=self.store, work_dir=work_dir, now=NOON, code_version="0.1.0"
        )
        assert self.worker().run_once() == receipt.submission
        return receipt.submission

    def open_season(self) -> tuple[SubmissionId, ...]:
        """Ask for rows of everything under the new protocol."""
        return begin(self.store, plan(self.store, self.files, self.new), self.new, later(self.at_s))

    def state(self, submission: SubmissionId) -> SubmissionState:
        """Return what it is now."""
        return queue.load(self.store, submission)

    def rows(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return who is on the old and on the new board."""
        return layout.committed(self.files, self.old.id), layout.committed(self.files, self.new.id)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Give a home."""
    corpus = make_corpus(tmp_path, 3)
    old = acoustic_protocol(corpus.pin)
    new = dataclasses.replace(old, name="next")
    return Home(path=tmp_path / "home", corpus=corpus, old=old, new=new, engine=SteadyEngine(scripts_of(corpus)))


def test_both_rows_stand_and_verify(home: Home) -> None:
    """The old season's files do not change by a byte, the card tells of both; asked again, nothing is to be done."""
    submission = home.send()
    before = tree(home.path / "published")
    assert home.open_season() == (submission,)
    assert home.rows() == ((submission,), ())
    assert home.worker().run_once() == submission
    assert home.rows() == ((submission,), (submission,))
    state = home.state(submission)
    assert (state.state, state.protocols, state.wanted) == (State.PUBLISHED, (home.old.id, home.new.id), None)
    after = tree(home.path / "published")
    changed = {str(path) for path in before if after[path] != before[path]}
    assert changed == {"README.md"}
    assert verify(home.path / "published").is_identical
    assert home.open_season() == ()
    assert home.worker().run_once() is None


def test_failed_season_takes_nothing_away(home: Home) -> None:
    """Given up under the new protocol, the submission is on its old board as before; the next try can succeed."""
    submission = home.send()
    before = tree(home.path / "published")
    home.open_season()
    home.engine.faulty = {item.id for item in home.corpus.items}
    for _ in range(queue.MAX_ATTEMPTS):
        home.at_s += 10_000
        assert home.worker().run_once() == submission
    state = home.state(submission)
    assert (state.state, state.wanted, state.protocol) == (State.FAILED, home.new.id, home.old.id)
    assert tree(home.path / "published") == before
    home.engine.faulty = set()
    assert home.open_season() == (submission,)
    home.worker().run_once()
    assert home.rows() == ((submission,), (submission,))


def test_withdrawal_takes_every_season_back(home: Home) -> None:
    """No row, clip or table of any protocol stays; upload and events do."""
    submission = home.send()
    home.open_season()
    home.worker().run_once()
    withdraw(home.store, home.files, submission, now=later(1), reason="mistake")
    assert home.rows() == ((), ())
    assert not [path for path in home.files.paths() if submission in path]
    assert verify(home.path / "published").is_identical
    assert home.store.upload_path(submission).is_file()
    assert home.open_season() == ()


def _ask(home: Home, _: SubmissionId) -> None:
    home.open_season()


def _claim(home: Home, submission: SubmissionId) -> None:
    home.open_season()
    claim = queue.claim_next(home.store, a_worker(), NOON, corpus=home.corpus.pin.name, is_dead=lambda _: False)
    assert claim is not None and claim.submission == submission


def _hold(home: Home, submission: SubmissionId) -> None:
    home.open_season()
    claim = queue.claim_next(home.store, a_worker(), NOON, corpus=home.corpus.pin.name, is_dead=lambda _: False)
    assert claim is not None
    queue.hold(home.store, claim, NOON, reason="judge_budget", message="", since=None, not_before=None)


@pytest.mark.parametrize("reach", [_ask, _claim, _hold])
def test_withdrawn_between_seasons_it_is_gone_from_the_old_one(
    home: Home, reach: Callable[[Home, SubmissionId], None]
) -> None:
    """A withdrawal that was killed before it removed a file is finished by the next worker, wherever the run was."""
    submission = home.send()
    reach(home, submission)
    queue.withdraw(home.store, submission, later(1), "mistake")
    assert home.rows() == ((submission,), ())
    settle_all(home.store, home.files)
    assert home.rows() == ((), ())
    home.at_s = 10**6
    assert home.worker().run_once() is None


def test_lost_worker_goes_on_under_the_wanted_protocol(home: Home) -> None:
    """Whoever takes over evaluates what was asked for, not its own default."""
    submission = home.send()
    home.open_season()
    claim = queue.claim_next(home.store, a_worker(), NOON, corpus=home.corpus.pin.name, is_dead=lambda _: False)
    assert claim is not None
    home.at_s = 10_000
    assert home.worker().run_once() == submission
    assert home.rows() == ((submission,), (submission,))


def test_row_that_another_way_made_is_not_asked_for(home: Home) -> None:
    """A row that was scored anew from its readings, with no event of its own, is there all the same."""
    submission = home.send()
    path = layout.result_path(home.new.id, submission)
    home.files.write(path, home.files.read(layout.result_path(home.old.id, submission)))
    assert plan(home.store, home.files, home.new).left == {submission: "has_row"}
    with pytest.raises(CastboardError):
        queue.reevaluate(home.store, SubmissionId("s99999"), NOON, home.new.id)
