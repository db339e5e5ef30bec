"""No submission runs twice at once, none is forgotten, and no failure of ours is a maker's."""

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from submissions import queue
from submissions.liveness import is_dead, this_process
from submissions.queue import HOLD_S, MAX_LOST, PAUSES_S, Claim, LeaseLost
from submissions.records import Event, Rejected, Requeued, SubmissionId, timestamp
from submissions.state import IllegalEvent, State, SubmissionState
from submissions.store.folder import FolderStore
from tests.submissions.work_examples import (
    CORPUS,
    NOON,
    PROBLEM,
    a_process,
    a_worker,
    claim_all,
    later,
    put,
    received,
)


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """Give an empty store."""
    return FolderStore(tmp_path)


def claim(store: FolderStore, at_s: float = 0, name: str = "w1", dead: tuple[int, ...] = ()) -> Claim | None:
    """Claim at that time, when the processes of those numbers are dead."""
    return queue.claim_next(
        store, a_worker(name), later(at_s), corpus=CORPUS, is_dead=lambda process: process.pid in dead, lease_s=300
    )


def claimed(store: FolderStore, at_s: float = 0, name: str = "w1", dead: tuple[int, ...] = ()) -> Claim:
    """Claim something that is there."""
    got = claim(store, at_s, name, dead)
    assert got is not None
    return got


def state_of(store: FolderStore, submission: SubmissionId) -> SubmissionState:
    """Return the state as a new reader sees it."""
    return queue.load(store, submission)


def test_first_received_runs_first(store: FolderStore) -> None:
    """The order is that of arrival, whatever the ids; ties go by id."""
    for name, at_s in (("s-bbbb", 5), ("s-aaaa", 9), ("s-dddd", 1), ("s-cccc", 1)):
        put(store, name, later(at_s))
    assert [s.submission for s in queue.waiting(queue.load_all(store))] == ["s-cccc", "s-dddd", "s-bbbb", "s-aaaa"]
    assert [claimed(store, 10).submission for _ in range(4)] == ["s-cccc", "s-dddd", "s-bbbb", "s-aaaa"]
    assert claim(store, 10) is None


def test_lease_keeps_others_out_until_it_ends(store: FolderStore) -> None:
    """A running submission is taken over at the end of its lease and not a moment before."""
    submission = put(store, "s00001")
    first = claimed(store, 0)
    assert claim(store, 299.999, "w2") is None
    second = claimed(store, 300, "w2")
    assert (second.submission, second.number) == (submission, first.number + 1)
    lease = state_of(store, submission).lease
    assert lease is not None
    assert (lease.worker, lease.until) == ("w2", timestamp(later(600)))


def test_renewed_lease_lasts_longer(store: FolderStore) -> None:
    """A holder that renews keeps its hold."""
    put(store, "s00001")
    queue.renew(store, claimed(store), later(200), 300)
    assert claim(store, 499, "w2") is None
    assert claim(store, 500, "w2") is not None


def test_dead_holder_is_relieved_at_once(store: FolderStore) -> None:
    """Nobody waits for the lease of a process that is certainly gone."""
    put(store, "s00001")
    claimed(store)
    assert claim(store, 1, "w2", dead=()) is None
    assert claim(store, 1, "w2", dead=(7,)) is not None


def test_a_sole_worker_goes_on_with_what_its_name_held_before(store: FolderStore) -> None:
    """After a restart elsewhere nobody waits for its lease; a life that was not over never takes it back."""

    def claim_as(pid: int, began_s: float | None, at_s: float, name: str = "space") -> Claim | None:
        began = None if began_s is None else later(began_s)
        worker = a_worker(name, pid)
        return queue.claim_next(
            store, worker, later(at_s), corpus=CORPUS, is_dead=lambda _: False, lease_s=300, began=began
        )

    for one in ("s00001", "s00002"):
        put(store, one)
    old = claim_as(1, 0, 5)
    assert old is not None
    assert claim_as(3, 10, 11, "other") is not None  # takes the second; what others hold stays theirs
    assert claim_as(3, 10, 12, "another") is None
    assert claim_as(2, None, 12) is None
    new = claim_as(2, 10, 12)
    assert new is not None
    assert (new.submission, new.state.n_lost) == (old.submission, 1)
    with pytest.raises(LeaseLost):
        queue.renew(store, old, later(13))
    assert claim_as(1, 0, 14) is None
    assert claim_as(2, 10, 15) is None
    queue.finish(store, new, later(16), "p")


def test_old_holder_learns_that_it_lost(store: FolderStore) -> None:
    """After a take-over no word of the old holder is taken, and the new one is not disturbed."""
    submission = put(store, "s00001")
    old = claimed(store)
    new = claimed(store, 300, "w2")
    for speak in (
        lambda: queue.renew(store, old, later(301)),
        lambda: queue.release(store, old, later(301), "worker_stopped"),
        lambda: queue.reject(store, old, later(301), Rejected(claim=old.number, problems=(PROBLEM,))),
        lambda: queue.give_back(store, old, later(301), reason="bug", message="", trace_id=None),
        lambda: queue.finish(store, old, later(301), "p"),
    ):
        with pytest.raises(LeaseLost, match="no longer held"):
            speak()
    queue.finish(store, new, later(302), "p")
    assert state_of(store, submission).state is State.PUBLISHED


def test_withdrawal_ends_the_lease(store: FolderStore) -> None:
    """A withdrawn submission is nobody's, and withdrawing twice is withdrawing once."""
    submission = put(store, "s00001")
    mine = claimed(store)
    queue.withdraw(store, submission, later(1), "mistake")
    assert queue.withdraw(store, submission, later(2), "again").since == timestamp(later(1))
    with pytest.raises(LeaseLost):
        queue.renew(store, mine, later(3))
    assert claim(store, 1000, dead=(7,)) is None


def test_what_ended_without_a_row_cannot_be_withdrawn(store: FolderStore) -> None:
    """Nothing is left to take back."""
    submission = put(store, "s00001")
    mine = claimed(store)
    queue.reject(store, mine, later(1), Rejected(claim=mine.number, problems=(PROBLEM,)))
    with pytest.raises(IllegalEvent, match="withdrawn cannot follow rejected"):
        queue.withdraw(store, submission, later(2), "mistake")


def test_our_failures_are_retried_with_pauses_then_given_up(store: FolderStore) -> None:
    """Three runs may fail through us; then it ends as our failure, with the last reason."""
    submission = put(store, "s00001")
    now = 0.0
    for pause_s in PAUSES_S:
        queue.give_back(store, claimed(store, now), later(now), reason="bug", message="m", trace_id="t")
        assert state_of(store, submission).state is State.QUEUED
        assert claim(store, now + pause_s - 1) is None
        now += pause_s
    queue.give_back(store, claimed(store, now), later(now), reason="bug", message="last", trace_id="t9")
    state = state_of(store, submission)
    assert state.reason is not None
    assert (state.state, state.reason.fault, state.reason.message) == (State.FAILED, "ours", "last")
    assert state.reason.trace_id == "t9"
    assert claim(store, 10**6) is None


def test_sent_again_it_has_all_its_tries(store: FolderStore) -> None:
    """What failed through us starts afresh when it is sent again."""
    submission = put(store, "s00001")
    now = 0.0
    for pause_s in (*PAUSES_S, 0):
        queue.give_back(store, claimed(store, now), later(now), reason="bug", message="m", trace_id=None)
        now += pause_s
    again = Requeued(claim=None, reason="sent_again", message="", trace_id=None, not_before=None)
    assert queue.append(store, submission, later(now), lambda _: again).attempts == 0
    assert claimed(store, now).submission == submission


def test_pause_of_one_holds_no_other_up(store: FolderStore) -> None:
    """While one submission pauses the next one runs."""
    put(store, "s00001")
    put(store, "s00002", later(1))
    queue.give_back(store, claimed(store, 1), later(1), reason="bug", message="m", trace_id=None)
    assert claimed(store, 2).submission == "s00002"


def test_stopped_worker_costs_no_try(store: FolderStore) -> None:
    """A release brings the submission back at once and counts nothing."""
    submission = put(store, "s00001")
    queue.release(store, claimed(store), later(1), "worker_stopped")
    state = claimed(store, 1).state
    assert (state.submission, state.attempts, state.n_lost) == (submission, 0, 0)


def held(store: FolderStore, at_s: float, until_s: float | None, reason: str = "judge_unavailable") -> SubmissionState:
    """Claim and hold at that time, until that time."""
    return queue.hold(
        store,
        claimed(store, at_s),
        later(at_s),
        reason=reason,
        message="no answer",
        since=None,
        not_before=None if until_s is None else later(until_s),
    )


def test_outage_costs_no_try_however_long_it_lasts(store: FolderStore) -> None:
    """A run that must wait waits, longer than any failure would be tried, and says since when."""
    submission = put(store, "s00001")
    for at_s in range(0, 60 * 40, 60):
        state = held(store, at_s, at_s + 60)
        assert claim(store, at_s + 59.9) is None
    assert (state.attempts, state.n_lost, state.held_since) == (0, 0, timestamp(NOON))
    queue.finish(store, claimed(store, 10**4), later(10**4), "p")
    assert (state_of(store, submission).state, state_of(store, submission).held_since) == (State.PUBLISHED, None)


def test_hold_without_a_time_never_spins(store: FolderStore) -> None:
    """A holder that knows no time gets the usual pause, not a loop."""
    put(store, "s00001")
    held(store, 0, None)
    assert claim(store, HOLD_S - 0.1) is None
    assert claim(store, HOLD_S) is not None


def test_held_one_keeps_no_other_waiting(store: FolderStore) -> None:
    """The next one is claimed meanwhile, and the held one comes first again when its time is there."""
    first = put(store, "s00001")
    second = put(store, "s00002", later(1))
    held(store, 1, 100)
    put(store, "s00003", later(2))
    assert claimed(store, 2).submission == second
    assert claimed(store, 100).submission == first


def test_older_outage_that_the_holder_knows_of_is_told(store: FolderStore) -> None:
    """The judge may have been away before this submission met it."""
    put(store, "s00001")
    mine = claimed(store, 50)
    state = queue.hold(
        store, mine, later(50), reason="judge_unavailable", message="", since=later(-7), not_before=later(60)
    )
    assert state.held_since == timestamp(later(-7))
    with pytest.raises(LeaseLost):
        queue.hold(store, mine, later(51), reason="judge_unavailable", message="", since=None, not_before=None)


def test_operator_lets_held_ones_go_on(store: FolderStore) -> None:
    """Resumed, it is claimed at once; the outage's time stays in case it is not over; nobody else is touched."""
    submission = put(store, "s00001")
    held(store, 0, 9000, "judge_budget")
    other = put(store, "s00002", later(1))
    assert queue.resume_all(store, later(2)) == (submission,)
    assert queue.resume_all(store, later(3)) == ()
    assert state_of(store, submission).held_since == timestamp(NOON)
    assert [e.kind for e in store.events(other)] == ["received", "queued"]
    assert claimed(store, 3).submission == submission


def published(store: FolderStore, name: str, at_s: float) -> SubmissionId:
    """Return a submission that has a row under "p"."""
    submission = put(store, name, later(at_s))
    queue.finish(store, claimed(store, at_s), later(at_s), "p")
    return submission


def test_season_is_asked_for_once(store: FolderStore) -> None:
    """A second request changes nothing, before, during and after the run; nor does one for a row that is there."""
    submission = published(store, "s00001", 0)
    assert queue.reevaluate(store, submission, later(1), "p").state is State.PUBLISHED
    for _ in range(2):
        assert queue.reevaluate(store, submission, later(1), "q").wanted == "q"
    mine = claimed(store, 2)
    assert mine.state.wanted == "q"
    queue.reevaluate(store, submission, later(3), "q")
    queue.finish(store, mine, later(4), "q")
    state = queue.reevaluate(store, submission, later(5), "q")
    assert (state.state, state.protocols, state.wanted) == (State.PUBLISHED, ("p", "q"), None)
    kinds = [e.kind for e in store.events(submission)]
    assert kinds == ["received", "queued", "claimed", "published", "requeued", "claimed", "published"]


def test_newcomers_do_not_wait_for_a_season(store: FolderStore) -> None:
    """What has a row already comes after what has none."""
    old = published(store, "s00001", 0)
    queue.reevaluate(store, old, later(1), "q")
    new = put(store, "s00002", later(2))
    assert [s.submission for s in queue.waiting(queue.load_all(store))] == [new, old]
    assert [claimed(store, 3).submission for _ in range(2)] == [new, old]


def test_failed_season_leaves_the_row_and_can_be_asked_for_again(store: FolderStore) -> None:
    """Our failures under the new protocol are counted afresh and end without touching the old row."""
    submission = published(store, "s00001", 0)
    queue.reevaluate(store, submission, later(1), "q")
    now = 1.0
    for pause_s in (*PAUSES_S, 0):
        queue.give_back(store, claimed(store, now), later(now), reason="bug", message="m", trace_id=None)
        now += pause_s
    state = state_of(store, submission)
    assert (state.state, state.protocols, state.wanted) == (State.FAILED, ("p",), "q")
    assert queue.reevaluate(store, submission, later(now), "q").state is State.QUEUED
    assert queue.withdraw(store, submission, later(now), "mistake").protocols == ()


def test_failed_season_can_be_withdrawn(store: FolderStore) -> None:
    """There is a row to take back."""
    submission = published(store, "s00001", 0)
    queue.reevaluate(store, submission, later(1), "q")
    mine = claimed(store, 2)
    queue.reject(store, mine, later(3), Rejected(claim=mine.number, problems=(PROBLEM,)))
    assert queue.withdraw(store, submission, later(4), "mistake").state is State.WITHDRAWN


def test_new_reader_of_the_folder_sees_the_same(store: FolderStore, tmp_path: Path) -> None:
    """Holds, seasons and resumptions survive a restart of every process."""
    submission = published(store, "s00001", 0)
    queue.reevaluate(store, submission, later(1), "q")
    held(store, 2, 500)
    queue.resume(store, submission, later(3))
    assert queue.load(FolderStore(tmp_path), submission) == queue.load(store, submission)
    assert queue.load(store, submission).n_events == 8


def test_submission_that_kills_workers_is_given_up(store: FolderStore) -> None:
    """A submission that takes worker after worker down ends as our failure, and the queue goes on."""
    submission = put(store, "s00001")
    put(store, "s00002", later(1))
    for _ in range(MAX_LOST + 1):
        assert claimed(store, 1, dead=(7,)).submission == submission
    assert claimed(store, 1, dead=(7,)).submission == "s00002"
    state = state_of(store, submission)
    assert state.reason is not None
    assert (state.state, state.reason.code, state.reason.fault) == (State.FAILED, "worker_lost", "ours")


def test_submission_whose_receiver_died_is_not_forgotten(store: FolderStore) -> None:
    """Received and not queued, it is queued and claimed all the same."""
    submission = SubmissionId("s00001")
    store.create_event(submission, Event(n=1, at=timestamp(NOON), payload=received()))
    assert [s.submission for s in queue.waiting(queue.load_all(store))] == [submission]
    assert claimed(store).submission == submission
    assert [e.kind for e in store.events(submission)] == ["received", "queued", "claimed"]


def test_submission_of_another_corpus_is_left_to_its_workers(store: FolderStore) -> None:
    """A worker claims what it can judge."""
    put(store, "s00001", corpus="other_v1")
    assert claim(store) is None


def test_unknown_submission_is_refused(store: FolderStore) -> None:
    """There is nothing to say of what is not there."""
    with pytest.raises(IllegalEvent, match="has no event"):
        queue.load(store, SubmissionId("s00009"))


def test_threads_claim_each_submission_once(tmp_path: Path) -> None:
    """Workers that claim at the same time share the queue without a double."""
    names = [put(FolderStore(tmp_path), f"s-{i:05d}", later(-i)) for i in range(12)]
    start = threading.Barrier(4)

    def work(i: int) -> list[str]:
        start.wait()
        return claim_all(tmp_path, f"w{i}")

    with ThreadPoolExecutor(4) as pool:
        taken = [name for mine in pool.map(work, range(4)) for name in mine]
    assert sorted(taken) == sorted(names)


def test_processes_claim_each_submission_once(tmp_path: Path) -> None:
    """The same holds for processes."""
    names = [put(FolderStore(tmp_path), f"s-{i:05d}", later(-i)) for i in range(20)]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn) as pool:
        taken = [name for mine in pool.map(claim_all, [tmp_path] * 2, ["w1", "w2"]) for name in mine]
    assert sorted(taken) == sorted(names)


def test_process_is_its_own_contemporary() -> None:
    """This process is alive, one of the same number that began at another time is dead, a stranger's is unknown."""
    here = this_process()
    assert not is_dead(here)
    assert is_dead(replace(here, started_ticks=here.started_ticks - 1))
    assert is_dead(replace(here, pid=2**22 + 1))
    assert not is_dead(replace(here, host="elsewhere", pid=2**22 + 1))
    assert not is_dead(a_process())
