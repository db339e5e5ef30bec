"""Hidden rows wait in private and come back byte by byte, however often whoever moves them is killed."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from submissions import hiding, layout, moderation, queue
from submissions.hiding import where_clips_are, where_rows_go
from submissions.operating import Desk, Warrant
from submissions.records import Claimed, Event, Flagged, Hidden, Published, SubmissionId, timestamp
from submissions.settling import settle_all
from submissions.store.base import PublishedFiles
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from submissions.withdrawal import withdraw
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example
from tests.submissions.small_evaluation import tree
from tests.submissions.work_examples import a_process, later, put

ONE, OTHER, THIRD = "s00001", "s00002", "s000011"
WHY = "It speaks with the voice of somebody who did not agree."


class Killed(BaseException):
    """A process that ends here."""


@dataclasses.dataclass
class Fuse:
    """Ends the process at the n-th change of anything on the disk."""

    n_left: int = 10**9

    def burn(self) -> None:
        """Count one change."""
        self.n_left -= 1
        if self.n_left < 0:
            raise Killed


class Files(PublishedFolder):
    """A published folder whose writer may be killed."""

    def __init__(self, root: Path, fuse: Fuse) -> None:
        super().__init__(root)
        self._fuse = fuse

    def write(self, path: str, data: bytes) -> None:
        """Write, unless killed first."""
        self._fuse.burn()
        super().write(path, data)

    def write_file(self, path: str, source: Path) -> None:
        """Write, unless killed first."""
        self._fuse.burn()
        super().write_file(path, source)

    def remove(self, path: str) -> None:
        """Remove, unless killed first."""
        self._fuse.burn()
        super().remove(path)


class Store(FolderStore):
    """A work store whose writer may be killed."""

    def __init__(self, home: Path, fuse: Fuse) -> None:
        super().__init__(home)
        self._fuse = fuse

    def create_event(self, submission: SubmissionId, event: Event) -> None:
        """Write, unless killed first."""
        self._fuse.burn()
        super().create_event(submission, event)

    def hidden(self, submission: SubmissionId) -> Files:
        """Return files whose writer may be killed."""
        return Files(self._work / submission / "hidden", self._fuse)


@dataclasses.dataclass
class Place:
    """A home with three published systems under two protocols, and a duel of each pair."""

    home: Path
    fuse: Fuse = dataclasses.field(default_factory=Fuse)

    @property
    def store(self) -> Store:
        """A new reader of the work state."""
        return Store(self.home, self.fuse)

    @property
    def files(self) -> Files:
        """The published files."""
        return Files(self.home / "published", self.fuse)

    @property
    def desk(self) -> Desk:
        """Where an operator acts."""
        return Desk(store=self.store, published=self.files)

    def published(self) -> dict[str, bytes]:
        """Return what is published but for the log."""
        return {path: data for path, data in tree(self.home / "published").items() if path != layout.MODERATION}


@pytest.fixture(autouse=True)
def _no_power_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is killed here leaves the machine running, so nothing need be forced onto the disk."""
    monkeypatch.setattr("os.fsync", lambda _: None)


SEASONS = (judged.protocol(), judged.protocol(judged=("tone",)))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a home to copy."""
    home = tmp_path_factory.mktemp("model") / "home"
    place, clips = Place(home), home.parent / "clips"
    for name in (ONE, OTHER, THIRD):
        submission = put(place.store, name)
        for n, under in enumerate(SEASONS):
            example.send(place.files, judged.submission(clips / name, name, under), under)
            if n:
                queue.reevaluate(place.store, submission, later(n), under.id)
            finish(place.store, submission, under.id)
    for under in SEASONS:
        for a, b in ((ONE, OTHER), (THIRD, ONE), (OTHER, THIRD)):
            place.files.write(layout.duel_replies_path(under.id, a, b), b"{}")
            place.files.write(layout.duel_path(under.id, a, b), b"{}")
    return home


@pytest.fixture
def place(model: Path, tmp_path: Path) -> Place:
    """Give a home of its own."""
    return copied(model, tmp_path / "home")


def copied(model: Path, home: Path) -> Place:
    """Return a copy of a home."""
    for path, data in tree(model).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(data)
    return Place(home)


def finish(store: FolderStore, submission: SubmissionId, protocol_id: str) -> None:
    """Let a worker claim and finish it."""
    n = queue.load(store, submission).n_events
    claimed = Claimed(worker="w1", process=a_process(), lease_until=timestamp(later(300)), takes_over=None)
    store.create_event(submission, Event(n=n + 1, at=timestamp(later(2)), payload=claimed))
    done = Published(claim=n + 1, protocol=protocol_id)
    store.create_event(submission, Event(n=n + 2, at=timestamp(later(3)), payload=done))


def warrant(reason: str = WHY, seconds: float = 100) -> Warrant:
    """Return an operator's warrant."""
    return Warrant.for_reason(reason, operator="keeper", at=later(seconds))


def hide(place: Place) -> None:
    """Hide the first system."""
    place.desk.hide(SubmissionId(ONE), warrant())


def unhide(place: Place) -> None:
    """Show it again."""
    place.desk.unhide(SubmissionId(ONE), warrant("The voice's owner agreed.", 200))


def test_hidden_rows_come_back_byte_by_byte(place: Place) -> None:
    """Nothing of it is published while it is hidden, boards are decided without it, and all is back as it was."""
    before = place.published()
    hide(place)
    left = place.published()
    assert not [path for path in left if ONE in path.replace(THIRD, "")]
    assert all(ONE.encode() not in data.replace(THIRD.encode(), b"") for data in left.values())
    report = verify(place.home / "published")
    assert report.counts.n_rows == 4 and {one.path.split("/")[0] for one in report.differences} <= {"duels"}
    unhide(place)
    assert place.published() == before
    assert not place.store.hidden(SubmissionId(ONE)).paths()
    assert queue.load(place.store, SubmissionId(ONE)).protocols == tuple(under.id for under in SEASONS)


def test_verify_is_identical_at_every_step(place: Place) -> None:
    """Without the invented duels a published folder verifies before, while a system is hidden, and after."""
    for path in place.files.paths("duels/"):
        place.files.remove(path)
    for act in (lambda _: None, hide, unhide):
        act(place)
        report = verify(place.home / "published")
        assert report.is_identical and not [note for note in report.notes if "moderation" in note], report


def test_an_act_twice_is_one(place: Place) -> None:
    """Doing it again writes no event, no line and no file."""
    for act in (hide, unhide):
        act(place)
        once = tree(place.home)
        act(place)
        settle_all(place.store, place.files)
        assert tree(place.home) == once


@pytest.mark.parametrize("what", ["hide", "unhide", "withdraw_hidden"])
def test_killed_anywhere_it_is_finished_by_the_next(model: Path, tmp_path: Path, what: str) -> None:
    """At every single change of the disk: after the next settling it is as if nobody had been killed, or not begun."""
    acts: dict[str, Callable[[Place], None]] = {"hide": hide, "unhide": unhide, "withdraw_hidden": take_back}
    start = copied(model, tmp_path / "start")
    if what != "hide":
        hide(start)
    done = copied(start.home, tmp_path / "done")
    acts[what](done)
    untouched, finished = tree(start.home), tree(done.home)
    for n_changes in range(200):
        place = copied(start.home, tmp_path / f"{n_changes}")
        place.fuse.n_left = n_changes
        try:
            acts[what](place)
        except Killed:
            place.fuse.n_left = 10**9
            settle_all(place.store, place.files)
            now = tree(place.home)
            assert now == (untouched if n_changes == 0 else finished), f"killed at change {n_changes}"
        else:
            break
    assert 15 < n_changes < 199


def take_back(place: Place) -> None:
    """Withdraw the first system."""
    withdraw(place.store, place.files, SubmissionId(ONE), now=later(300), reason="mistake")


def test_taking_back_a_hidden_system_leaves_nothing_of_it(place: Place) -> None:
    """Its private copy goes, and its duels go from where those of others wait."""
    place.desk.hide(SubmissionId(OTHER), warrant())
    hide(place)
    assert layout.duels_of(place.store.hidden(SubmissionId(OTHER)), ONE)
    take_back(place)
    assert not place.store.hidden(SubmissionId(ONE)).paths()
    assert not layout.duels_of(place.store.hidden(SubmissionId(OTHER)), ONE)
    assert layout.duels_of(place.store.hidden(SubmissionId(OTHER)), THIRD)


def test_a_duel_of_two_hidden_systems_waits_for_both(place: Place) -> None:
    """Whichever comes back first, their duel appears when both are back, and as it was."""
    before = place.published()
    hide(place)
    place.desk.hide(SubmissionId(OTHER), warrant())
    unhide(place)
    assert not layout.duels_of(place.files, OTHER)
    assert layout.duels_of(place.files, ONE) == layout.duels_of(place.files, THIRD)
    place.desk.unhide(SubmissionId(OTHER), warrant(seconds=400))
    assert place.published() == before


def test_what_is_published_while_hidden_waits_with_the_rest(place: Place, tmp_path: Path) -> None:
    """A row of another season goes to the private place, or is taken there later; all of it comes back."""
    hide(place)
    submission = SubmissionId(ONE)
    late = (judged.protocol(judged=("tone", "emotion")), judged.protocol(is_combined=False))
    for n, under in enumerate(late):
        queue.reevaluate(place.store, submission, later(500 + n), under.id)
        where = where_rows_go(place.store, place.files, queue.load(place.store, submission)) if n == 0 else place.files
        example.send(where, judged.submission(tmp_path / f"late{n}", ONE, under), under)
        finish(place.store, submission, under.id)
        settle_all(place.store, place.files)
        assert not layout.committed_protocols(place.files, ONE)
    unhide(place)
    assert set(layout.committed_protocols(place.files, ONE)) == {under.id for under in (*SEASONS, *late)}
    for path in place.files.paths("duels/"):
        place.files.remove(path)
    assert verify(place.home / "published").is_identical


def test_an_anchor_that_is_hidden_is_still_heard_by_its_judge(place: Place) -> None:
    """Its clips are taken from the private place then, and from the published one otherwise."""
    path = layout.clips_path(ONE)
    before = where_clips_are(place.store, place.files, SubmissionId(ONE)).read(path)
    hide(place)
    assert path not in place.files.paths(path)
    assert where_clips_are(place.store, place.files, SubmissionId(ONE)).read(path) == before
    assert path not in where_clips_are(place.store, place.files, SubmissionId("s-no-such")).paths(path)


def test_the_public_log_tells_what_when_and_why_and_nobody(place: Place) -> None:
    """One line an act; no operator, no sender, no contact, no name of the hidden system."""
    hide(place)
    unhide(place)
    data = place.files.read(layout.MODERATION)
    told = moderation.decode(data)
    assert (told[0].n, told[0].act, told[0].submission, told[0].reason) == (1, "hidden", ONE, WHY)
    assert [one.act for one in told] == ["hidden", "unhidden"]
    for secret in ("keeper", "Parrot", "Aviary", "aviary.example"):
        assert secret.encode() not in data
    assert moderation.hidden_now(told) == {} and moderation.hidden_now(told[:1]).keys() == {ONE}


def test_a_row_of_what_the_log_says_is_hidden_is_a_difference(place: Place) -> None:
    """Whoever checks a board is told that it holds a row which is said to be hidden; a damaged log is named too."""
    hide(place)
    told = place.files.read(layout.MODERATION)
    unhide(place)
    place.files.write(layout.MODERATION, told)
    assert any(
        one.path == layout.MODERATION and ONE in one.where for one in verify(place.home / "published").differences
    )
    place.files.write(layout.MODERATION, told + b"{}\n")
    assert any(one.path == layout.MODERATION for one in verify(place.home / "published").differences)


def test_more_that_comes_while_it_is_copied_is_copied_too(place: Place, tmp_path: Path) -> None:
    """A row that a worker elsewhere publishes between copy and removal is not removed before it was copied."""
    under = judged.protocol(judged=("tone", "emotion"))
    late = judged.submission(tmp_path / "late", ONE, under)

    class Busy(Files):
        """Published files that somebody else changes once."""

        has_come = False

        def change(self, why: str, make: Callable[[PublishedFiles], object]) -> object:
            """Let the other one in first."""
            if "hidden" in why and not self.has_come:
                self.has_come = True
                example.send(place.files, late, under)
            return super().change(why, make)

    busy = Busy(place.home / "published", place.fuse)
    Desk(store=place.store, published=busy).hide(SubmissionId(ONE), warrant())
    assert busy.has_come and not layout.committed_protocols(place.files, ONE)
    unhide(place)
    assert under.id in layout.committed_protocols(place.files, ONE)


def test_a_file_that_goes_meanwhile_keeps_nothing_public(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine elsewhere took a file away between the look and the copy: it is looked at again, at once."""
    original, looks = hiding.belongings, []

    def stale(files: PublishedFiles, submission: str) -> tuple[str, ...]:
        looks.append(submission)
        found = original(files, submission)
        return (*found, f"renames/{submission}.json") if len(looks) == 1 else found

    monkeypatch.setattr(hiding, "belongings", stale)
    assert place.desk.hide(SubmissionId(ONE), warrant())
    assert len(looks) > 1 and not any(ONE in Path(path).stem.split("--") for path in place.published())


def test_flags_alone_move_nothing(place: Place) -> None:
    """A flag is for the operator to look at."""
    before = place.published()
    flag = Flagged(kind="duplicate_audio", other=OTHER, message="12 of 12 clips are the same.")
    queue.append(place.store, SubmissionId(ONE), later(50), lambda _: flag)
    settle_all(place.store, place.files)
    assert place.published() == before


def test_events_decide_what_is_hidden(place: Place) -> None:
    """An event alone, as a killed process leaves it, is enough for the next who settles."""
    hidden = Hidden(reason=WHY, operator="keeper")
    queue.append(place.store, SubmissionId(ONE), later(50), lambda _: hidden)
    settle_all(place.store, place.files)
    assert not layout.committed_protocols(place.files, ONE)
