"""A submission's state follows from its events, and from no order of them that cannot happen."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.records import (
    Claimed,
    Event,
    Failed,
    Held,
    Payload,
    Published,
    Queued,
    Rejected,
    Released,
    Renewed,
    Requeued,
    Resumed,
    Withdrawn,
    submission_id,
    timestamp,
)
from submissions.state import IllegalEvent, State, SubmissionState, fold
from tests.submissions.work_examples import PROBLEM, a_process, later, received

SUBMISSION = submission_id("s00001")

# What may follow what, written down a second time as the plain table that the rules must amount to.
AFTER = {
    "nothing": {"received": "received"},
    "received": {"queued": "queued", "withdrawn": "withdrawn"},
    "queued": {"claimed": "running", "resumed": "queued", "withdrawn": "withdrawn"},
    "running": {
        "taken over": "running",
        "renewed": "running",
        "released": "queued",
        "held": "queued",
        "requeued": "queued",
        "rejected": "rejected",
        "failed": "failed",
        "published": "published",
        "withdrawn": "withdrawn",
    },
    "rejected": {"sent again": "queued"},
    "failed": {"sent again": "queued", "reevaluated": "queued"},
    "withdrawn": {"sent again": "queued"},
    "published": {"reevaluated": "queued", "withdrawn": "withdrawn"},
}
SECOND_SEASON = ("received", "queued", "claimed", "published", "reevaluated")
ENDED_BADLY = ("rejected", "failed")  # can be withdrawn too, once there is a row of before
MOVES = sorted({move for moves in AFTER.values() for move in moves})
HOLDERS = {"renewed", "released", "held", "requeued", "rejected", "failed", "published"}


def payload(move: str, claim: int, n: int, protocol: str) -> Payload:
    """Return what a move writes as event `n` if `claim` holds the lease and the run is one under `protocol`."""
    until = timestamp(later(10**6))
    takes_over = "dead" if move == "taken over" else None
    again = Requeued(claim=None, reason="sent_again", message="", trace_id=None, not_before=None)
    return {
        "received": received(),
        "queued": Queued(),
        "claimed": Claimed(worker="w", process=a_process(), lease_until=until, takes_over=takes_over),
        "taken over": Claimed(worker="w", process=a_process(), lease_until=until, takes_over=takes_over),
        "renewed": Renewed(claim=claim, lease_until=until),
        "released": Released(claim=claim, reason="worker_stopped"),
        "held": Held(claim=claim, reason="judge_unavailable", message="m", since=timestamp(later(n)), not_before=until),
        "resumed": Resumed(),
        "reevaluated": replace(again, reason="reevaluate", protocol=f"p{n}"),
        "requeued": Requeued(claim=claim, reason="bug", message="m", trace_id="t", not_before=until),
        "sent again": again,
        "rejected": Rejected(claim=claim, problems=(PROBLEM,)),
        "failed": Failed(claim=claim, reason="bug", message="m", trace_id="t"),
        "published": Published(claim=claim, protocol=protocol),
        "withdrawn": Withdrawn(reason="mistake"),
    }[move]


def events(moves: list[str], wrong_holder_at: int | None = None) -> list[Event]:
    """Return the events of these moves, each by the holder of the lease but for one."""
    made: list[Event] = []
    claim, protocol = 0, "p"
    for n, move in enumerate(moves, start=1):
        holder = claim + 1 if n == wrong_holder_at else claim
        made.append(Event(n=n, at=timestamp(later(n)), payload=payload(move, holder, n, protocol)))
        claim = n if move in ("claimed", "taken over") else claim
        protocol = {"reevaluated": f"p{n}", "sent again": "p"}.get(move, protocol)
    return made


def following(where: str, moves: list[str]) -> dict[str, str]:
    """Return what may follow after these moves led to `where`, and where it leads."""
    has_row = bool(rows(moves))
    return AFTER[where] | ({"withdrawn": "withdrawn"} if where in ENDED_BADLY and has_row else {})


def rows(moves: list[str]) -> list[str]:
    """Return the protocols under which these moves left a row, told once more from the moves alone."""
    found: list[str] = []
    protocol = "p"
    for n, move in enumerate(moves, start=1):
        protocol = {"reevaluated": f"p{n}", "sent again": "p"}.get(move, protocol)
        if move == "published":
            found = [row for row in found if row != protocol] + [protocol]
        elif move == "withdrawn":
            found = []
    return found


def folded(*moves: str) -> SubmissionState:
    """Return the state after these moves."""
    return fold(SUBMISSION, events(list(moves)))


@given(st.lists(st.sampled_from(MOVES), min_size=1, max_size=8))
def test_any_order_is_judged_as_the_table_does(moves: list[str]) -> None:
    """A sequence folds to the state that the table gives, and one that it forbids is refused."""
    where: str | None = "nothing"
    for n, move in enumerate(moves):
        where = following(where, moves[:n]).get(move) if where else None
    if where is None:
        with pytest.raises(IllegalEvent):
            folded(*moves)
    else:
        assert folded(*moves).state == where


@st.composite
def legal_moves(draw: st.DrawFn) -> list[str]:
    """Draw a walk through the table."""
    # Half of the walks begin where a second season does: chance alone seldom comes so far.
    where, moves = draw(st.sampled_from([("nothing", ()), ("queued", SECOND_SEASON)]))
    moves = list(moves)
    for _ in range(draw(st.integers(1, 15))):
        allowed = following(where, moves)
        move = draw(st.sampled_from(sorted(allowed)))
        moves.append(move)
        where = allowed[move]
    return moves


@given(legal_moves())
def test_legal_walk_tells_its_whole_story(moves: list[str]) -> None:
    """Only a running submission has a lease; every end has a reason and a culprit; our failures are counted."""
    state = folded(*moves)
    assert (state.lease is not None) == (state.state is State.RUNNING)
    if state.state in (State.PUBLISHED, State.REJECTED, State.FAILED, State.WITHDRAWN):
        assert state.reason is not None
        culprits = {State.REJECTED: "maker", State.FAILED: "ours"}
        assert state.reason.fault == culprits.get(state.state, "nobody")
    assert state.protocol is not None or state.state is not State.PUBLISHED
    starts = [n for n, move in enumerate(moves, start=1) if move in ("sent again", "reevaluated")]
    fresh = moves[starts[-1] :] if starts else moves
    assert (state.attempts, state.n_lost) == (fresh.count("requeued"), fresh.count("taken over"))


def steps(moves: list[str]) -> Iterator[tuple[list[str], SubmissionState]]:
    """Yield the moves so far and the state after each of them."""
    made = events(moves)
    for n in range(1, len(moves) + 1):
        yield moves[:n], fold(SUBMISSION, made[:n])


@given(legal_moves())
def test_rows_stay_until_they_are_taken_back(moves: list[str]) -> None:
    """Whatever a run under another protocol comes to, the rows of before are there until a withdrawal takes all."""
    for so_far, state in steps(moves):
        assert list(state.protocols) == rows(so_far)
        assert state.protocol == (rows(so_far) or [None])[-1]
        assert state.can_be_withdrawn == ("withdrawn" in following(state.state.value, so_far))


@given(legal_moves())
def test_wish_for_a_protocol_lasts_until_it_is_met(moves: list[str]) -> None:
    """What was asked for survives holds, failures, lost workers and stops; a row, or a new start, ends it."""
    wanted = None
    for so_far, state in steps(moves):
        if so_far[-1] in ("published", "withdrawn", "sent again", "reevaluated"):
            wanted = f"p{len(so_far)}" if so_far[-1] == "reevaluated" else None
        assert state.wanted == wanted


@given(legal_moves())
def test_outage_is_told_from_its_first_hold(moves: list[str]) -> None:
    """The time of the first hold stays through holds, claims and stops, until the run ends one way or another."""
    since = None
    for so_far, state in steps(moves):
        if so_far[-1] == "held":
            since = since or timestamp(later(len(so_far)))
        elif so_far[-1] not in ("claimed", "taken over", "renewed", "released", "resumed"):
            since = None
        assert state.held_since == since
        assert state.is_held == (since is not None and state.state is State.QUEUED)
        if since:
            assert state.reason is not None
            assert (state.reason.code, state.reason.fault) == ("judge_unavailable", "nobody")


@given(legal_moves(), st.data())
def test_only_the_holder_of_the_lease_may_speak(moves: list[str], data: st.DataObject) -> None:
    """An event of a claim that does not hold the lease is refused."""
    spoken = [n for n, move in enumerate(moves, start=1) if move in HOLDERS]
    if spoken:
        with pytest.raises(IllegalEvent, match="only the holder"):
            fold(SUBMISSION, events(moves, data.draw(st.sampled_from(spoken))))


@given(legal_moves(), st.data())
def test_no_event_can_be_missing(moves: list[str], data: st.DataObject) -> None:
    """A gap in the numbers is refused."""
    made = events(moves)
    del made[data.draw(st.integers(0, len(made) - 1))]
    if made != events(moves)[: len(made)] or not made:
        with pytest.raises(IllegalEvent):
            fold(SUBMISSION, made)


def test_running_lease_cannot_be_taken_as_expired() -> None:
    """Expiry is a matter of the times in the events."""
    made = events(["received", "queued", "claimed"])
    early = Claimed(worker="v", process=a_process(), lease_until=timestamp(later(10**7)), takes_over="expired")
    with pytest.raises(IllegalEvent, match="the lease lasts until"):
        fold(SUBMISSION, [*made, Event(n=4, at=timestamp(later(10**6 - 1)), payload=early)])
    assert fold(SUBMISSION, [*made, Event(n=4, at=timestamp(later(10**6)), payload=early)]).n_lost == 1


def test_rejection_keeps_every_problem() -> None:
    """The maker can read all of it on the Queue page."""
    reason = folded("received", "queued", "claimed", "rejected").reason
    assert reason is not None
    assert (reason.code, reason.problems) == ("problems", (PROBLEM,))


def test_failure_keeps_the_way_to_its_traceback() -> None:
    """The id in the message leads to the log."""
    reason = folded("received", "queued", "claimed", "failed").reason
    assert reason is not None
    assert (reason.code, reason.message, reason.trace_id) == ("bug", "m", "t")


def test_another_outage_has_a_time_of_its_own() -> None:
    """When the judge is back and the money is gone, the page does not tell the judge's time."""
    made = events(["received", "queued", "claimed", "held", "claimed"])
    broke = Held(claim=5, reason="judge_budget", message="", since=timestamp(later(6)), not_before=timestamp(later(99)))
    state = fold(SUBMISSION, [*made, Event(n=6, at=timestamp(later(6)), payload=broke)])
    assert (state.held_since, state.not_before) == (timestamp(later(6)), timestamp(later(99)))
    assert (state.attempts, state.n_lost) == (0, 0)


def test_failed_run_under_another_protocol_tells_which() -> None:
    """The reason belongs to the new protocol, and the old row is there."""
    state = folded("received", "queued", "claimed", "published", "reevaluated", "claimed", "failed")
    assert (state.state, state.wanted, state.protocols) == (State.FAILED, "p5", ("p",))
    assert folded("received", "queued", "claimed", "published", "reevaluated", "claimed", "published").protocols == (
        "p",
        "p5",
    )
