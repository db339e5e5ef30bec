"""What operators may do: each act has a reason, may be repeated, wins races, and says why it cannot be done."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from submissions import bans, layout, moderation, queue
from submissions.bans import Account, UnknownAccount, account_meant
from submissions.operating import MAX_REASON, Desk, OperatorError, Undone, Warrant
from submissions.operator_events import RenameAsked
from submissions.records import Event, Person, Queued, SubmissionId, timestamp
from submissions.settling import settle_all
from submissions.state import IllegalEvent, State
from submissions.store.base import EventExists, PublishedFiles, StoreUnavailable
from submissions.store.folder import FolderStore, PublishedFolder
from tests.submissions.test_worker import Bench, bench, corpus  # noqa: F401 - fixtures
from tests.submissions.work_examples import CORPUS, NOON, a_worker, later, put, received

SUBMISSION = SubmissionId("s-parrot")


def warrant(reason: str = "Asked for by the rights' owner.", seconds: float = 100) -> Warrant:
    """Return a warrant."""
    return Warrant.for_reason(reason, operator="keeper", at=later(seconds))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give an operator's desk with nothing on it."""
    return Desk(store=FolderStore(tmp_path / "home"), published=PublishedFolder(tmp_path / "home" / "published"))


@pytest.mark.parametrize("reason", ["", " \u200b ", "\u202eback", "x" * (MAX_REASON + 1), "bell\x07"])
def test_every_act_has_a_reason_that_can_be_shown(reason: str) -> None:
    """Nothing, invisible signs, turned text, a novel: each is refused before anything happens."""
    with pytest.raises(OperatorError, match="reason"):
        warrant(reason)


def test_what_is_unknown_or_taken_back_is_refused(desk: Desk) -> None:
    """An id that nobody has, and one whose maker took it back, are told apart."""
    with pytest.raises(IllegalEvent):
        desk.hide(SUBMISSION, warrant())
    submission = put(FolderStore(desk.published.local_path("x").parents[1]), "s-parrot")  # type: ignore[attr-defined]
    queue.withdraw(desk.store, submission, later(1), "mistake")
    for act in (desk.hide, desk.requeue, desk.fail):
        with pytest.raises(OperatorError):
            act(submission, warrant())
    with pytest.raises(OperatorError, match="taken back"):
        desk.rename(submission, warrant(), system="A", organisation="B")


def test_fail_ends_what_waits_and_requeue_lets_it_run_again(bench: Bench) -> None:  # noqa: F811
    """Its end says whose doing it was; run again it gets its row, and both acts twice are one."""
    submission, own = bench.send(), Desk(store=bench.store, published=bench.station.published)
    assert own.fail(submission, warrant()) and not own.fail(submission, warrant())
    ended = bench.state(submission)
    assert (ended.state, ended.reason and ended.reason.code, ended.reason and ended.reason.fault) == (
        State.FAILED,
        "stopped",
        "ours",
    )
    assert bench.with_engine(bench.engine).run_once() is None
    assert own.requeue(submission, warrant(seconds=200)) and not own.requeue(submission, warrant(seconds=201))
    assert bench.with_engine(bench.engine).run_once() == submission
    assert bench.state(submission).state is State.PUBLISHED
    with pytest.raises(OperatorError, match="hide it"):
        own.fail(submission, warrant())
    with pytest.raises(OperatorError, match="re-evaluate"):
        own.requeue(submission, warrant())


def test_a_row_that_was_published_just_before_the_stop_goes(bench: Bench) -> None:  # noqa: F811
    """A worker that died between row and event leaves no row of a submission that an operator then ends."""
    submission = bench.send()

    def published(_: object) -> None:
        raise RuntimeError("killed between row and event")

    worker = bench.with_engine(bench.engine)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("submissions.queue.finish", published)
        worker.run_once()
    assert layout.committed(bench.station.published, bench.station.protocol.id) == (submission,)
    Desk(store=bench.store, published=bench.station.published).fail(submission, warrant())
    assert not [path for path in bench.station.published.paths() if submission in path]


def test_hidden_while_it_runs_its_row_never_appears(bench: Bench) -> None:  # noqa: F811
    """The run goes on, and its row waits in private; shown again it is on the board without another run."""
    submission, own = bench.send(), Desk(store=bench.store, published=bench.station.published)
    read = bench.engine.read

    def hiding(*given: object) -> object:
        own.hide(submission, warrant())
        return read(*given)  # type: ignore[arg-type]

    bench.engine.read = hiding  # type: ignore[assignment, method-assign]
    assert bench.with_engine(bench.engine).run_once() == submission
    assert bench.state(submission).state is State.PUBLISHED
    assert not [path for path in bench.station.published.paths() if submission in path]
    n_read = len(bench.engine.read_shards)
    own.unhide(submission, warrant(seconds=200))
    assert layout.committed(bench.station.published, bench.station.protocol.id) == (submission,)
    assert bench.with_engine(bench.engine).run_once() is None and len(bench.engine.read_shards) == n_read


def test_a_hidden_one_is_not_taken_up(bench: Bench) -> None:  # noqa: F811
    """It keeps its place in time: shown again it runs."""
    submission, own = bench.send(), Desk(store=bench.store, published=bench.station.published)
    own.hide(submission, warrant())
    assert bench.with_engine(bench.engine).run_once() is None
    assert not queue.waiting(queue.load_all(bench.store))
    own.unhide(submission, warrant(seconds=200))
    assert bench.with_engine(bench.engine).run_once() == submission


def test_an_act_wins_or_loses_a_race_whole(desk: Desk) -> None:
    """A worker that claims at the same moment makes the act look again; there is one event of each."""
    store = desk.store
    submission = put(store, "s-parrot")  # type: ignore[arg-type]
    create, lost = store.create_event, []

    def late(which: SubmissionId, event: Event) -> None:
        if not lost:
            lost.append(event.n)
            assert queue.claim_next(FolderStore(store._work.parent), a_worker(), NOON, corpus=CORPUS, is_dead=_no)  # type: ignore[attr-defined]
        create(which, event)

    store.create_event = late  # type: ignore[method-assign]
    assert desk.fail(submission, warrant())
    assert [event.kind for event in store.events(submission)] == ["received", "queued", "claimed", "stopped"]


def test_rename_answers_a_wish_and_tells_the_log_no_name(desk: Desk) -> None:
    """The new names stand in the event; the public log has the reason alone."""
    submission = put(desk.store, "s-parrot")  # type: ignore[arg-type]
    wish = RenameAsked(system="Macaw", organisation="Aviary", reason="It was sold.")
    queue.append(desk.store, submission, later(1), lambda _: wish)
    assert desk.rename(submission, warrant(), system=" Macaw ", organisation="Aviary")
    state = queue.load(desk.store, submission)
    assert state.rename_asked is None and state.renamed is not None and state.renamed.system == "Macaw"
    assert not desk.rename(submission, warrant(seconds=200), system="Macaw", organisation="Aviary")
    assert b"Macaw" not in desk.published.read(layout.MODERATION)
    with pytest.raises(OperatorError, match="system"):
        desk.rename(submission, warrant(), system="", organisation="Aviary")


def _no(_: object) -> bool:
    return False


def _sent_by(desk: Desk, name: str, person: Person | None) -> SubmissionId:
    submission = SubmissionId(name)
    first = dataclasses.replace(received(), person=person)
    desk.store.create_event(submission, Event(n=1, at=timestamp(NOON), payload=first))
    desk.store.create_event(submission, Event(n=2, at=timestamp(NOON), payload=Queued()))
    return submission


POLLY = Person(account="5f1e", name="polly", organisations=("aviary",))


@pytest.mark.parametrize("text", ["s-parrot", "polly", "5f1e", " polly "])
def test_a_person_is_found_by_name_account_or_submission(desk: Desk, text: str) -> None:
    """Whatever the operator has at hand means the provider's lasting id."""
    _sent_by(desk, "s-parrot", POLLY)
    assert account_meant(desk.store, text) == Account(account="5f1e", name="polly")


def test_a_text_that_means_nobody_or_two_is_refused(desk: Desk) -> None:
    """A ban never falls on a typing error."""
    _sent_by(desk, "s-parrot", POLLY)
    _sent_by(desk, "s-parrot2", Person(account="77aa", name="polly", organisations=()))
    _sent_by(desk, "s-nobody", None)
    for text in ("polly", "s-nobody", "s-none-such", "", "../x"):
        with pytest.raises(UnknownAccount):
            account_meant(desk.store, text)


def test_bans_end_and_begin_again_and_name_nobody_in_public(desk: Desk) -> None:
    """Each change is one entry; the public log says that an account was banned, and why."""
    who = Account(account="5f1e", name="polly")
    assert desk.ban(who, warrant("Sent another's voice.")) and not desk.ban(who, warrant("Again."))
    assert "Sent another's voice." in (bans.refusal(desk.store, "5f1e") or "")
    assert bans.refusal(desk.store, "77aa") is None
    assert desk.unban(who, warrant(seconds=200)) and not desk.unban(who, warrant(seconds=201))
    assert bans.refusal(desk.store, "5f1e") is None
    assert desk.ban(who, warrant(seconds=300)) and set(bans.banned(desk.store)) == {"5f1e"}
    data = desk.published.read(layout.MODERATION)
    assert [one.act for one in moderation.decode(data)] == ["banned", "unbanned", "banned"]
    assert not [secret for secret in (b"5f1e", b"polly", b"keeper") if secret in data]


def test_a_ban_that_was_killed_before_it_was_told_is_told_later(desk: Desk) -> None:
    """The log of bans decides; the public log follows."""
    bans.ban(desk.store, Account(account="5f1e", name=""), at=later(1), reason="Spam.", operator="keeper")
    assert desk.published.paths() == ()
    settle_all(desk.store, desk.published)
    assert [one.reason for one in moderation.read(desk.published)] == ["Spam."]


def test_two_operators_who_ban_at_once_make_one_entry(desk: Desk) -> None:
    """Who comes second reads again."""
    store = desk.store
    append: Callable[[str, int, bytes], None] = store.append_log
    calls = []

    def late(log: str, n: int, data: bytes) -> None:
        calls.append(n)
        append(log, n, data)
        if len(calls) == 1:
            raise EventExists("another was first, with the same")

    store.append_log = late  # type: ignore[method-assign]
    assert not bans.ban(store, Account(account="5f1e", name=""), at=later(1), reason="Spam.", operator="keeper")
    assert len(bans.entries(store)) == 1


def test_a_damaged_public_log_hinders_no_act(desk: Desk) -> None:
    """What must go goes; the damage stays for verify to name."""
    submission = put(desk.store, "s-parrot")  # type: ignore[arg-type]
    desk.published.write(layout.MODERATION, b"not json\n")
    assert desk.hide(submission, warrant())
    assert queue.load(desk.store, submission).hidden is not None
    assert desk.published.read(layout.MODERATION) == b"not json\n"


def test_an_act_while_the_board_is_away_is_carried_out_by_the_next_worker(bench: Bench) -> None:  # noqa: F811
    """It is decided at once and says so; a worker that goes on for long looks now and then, and does it."""
    submission = bench.send()
    worker = bench.with_engine(bench.engine)
    worker.run_once()

    class Away(PublishedFolder):
        """A board that takes nothing now."""

        def change(self, why: str, make: Callable[[PublishedFiles], object]) -> object:
            """Refuse."""
            raise StoreUnavailable("the board does not answer")

    away = Desk(store=bench.store, published=Away(bench.home / "published"))
    with pytest.raises(Undone, match="decided"):
        away.hide(submission, warrant())
    assert bench.state(submission).hidden is not None
    assert layout.committed(bench.station.published, bench.station.protocol.id) == (submission,)
    worker.run_once()
    assert layout.committed(bench.station.published, bench.station.protocol.id) == (submission,)
    bench.now = later(3600)
    worker.run_once()
    assert not layout.committed(bench.station.published, bench.station.protocol.id)


def test_what_was_stopped_while_hidden_never_appears(bench: Bench) -> None:  # noqa: F811
    """Its row waited in private without a last event; shown again there is nothing of it, not for a moment."""
    submission, own = bench.send(), Desk(store=bench.store, published=bench.station.published)
    read = bench.engine.read

    def hiding(*given: object) -> object:
        own.hide(submission, warrant())
        return read(*given)  # type: ignore[arg-type]

    def killed(*_: object) -> None:
        raise RuntimeError("killed between row and event")

    bench.engine.read = hiding  # type: ignore[assignment, method-assign]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("submissions.queue.finish", killed)
        bench.with_engine(bench.engine).run_once()
    assert bench.store.hidden(submission).paths("results/")
    own.fail(submission, warrant(seconds=200))
    written: list[str] = []

    class Watched(PublishedFolder):
        """Published files that note what is written."""

        def write_file(self, path: str, source: Path) -> None:
            """Note it."""
            written.append(path)
            super().write_file(path, source)

    Desk(store=bench.store, published=Watched(bench.home / "published")).unhide(submission, warrant(seconds=300))
    assert not [path for path in written if submission in path]
    assert not [path for path in bench.station.published.paths() if submission in path]
    assert not bench.store.hidden(submission).paths()
