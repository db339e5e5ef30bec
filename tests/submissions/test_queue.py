"""No submission runs twice at once, none is forgotten, and no failure of ours is a maker's."""

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from submissions import queue
from submissions.liveness import is_dead, this_process
from submissions.queue import MAX_LOST, PAUSES_S, Claim, LeaseLost
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
