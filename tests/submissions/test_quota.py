"""What counts against a week's quota: the maker's own doing alone, in every order of events that can happen."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.operator_events import Stopped
from submissions.ownership import Sender
from submissions.quota import (
    WINDOW,
    Limits,
    QuotaSpent,
    allowances,
    is_beyond,
    left_sentence,
    refuse_spent,
    tries,
)
from submissions.records import Event, Person, submission_id, timestamp
from submissions.state import State, fold
from submissions.store.folder import FolderStore
from tests.submissions.test_state import AFTER, SUBMISSION, payload
from tests.submissions.work_examples import NOON, later, received

POLLY = Person(account="id-of-polly", name="polly", organisations=("aviary",))
PETER = Person(account="id-of-peter", name="peter", organisations=("aviary",))
LIMITS = Limits(person=2, organisation=3)
TABLE = {
    where: {**moves, "stopped": "failed"} if where in ("received", "queued", "running") else moves
    for where, moves in AFTER.items()
}


def story(moves: list[str]) -> list[Event]:
    """Return the events of these moves, each by the holder of the lease."""
    made: list[Event] = []
    claim, protocol = 0, "p"
    for n, move in enumerate(moves, start=1):
        what = Stopped(reason="r", operator="o") if move == "stopped" else payload(move, claim, n, protocol)
        made.append(Event(n=n, at=timestamp(later(n)), payload=what))
        claim = n if move in ("claimed", "taken over") else claim
        protocol = {"reevaluated": f"p{n}", "sent again": "p"}.get(move, protocol)
    return made


@st.composite
def walks(draw: st.DrawFn) -> list[str]:
    """Draw a history that can happen."""
    where, moves = "received", ["received"]
    for _ in range(draw(st.integers(0, 14))):
        allowed = dict(TABLE[where])
        if where in ("rejected", "failed") and "published" in moves[_last(moves, "withdrawn") :]:
            allowed["withdrawn"] = "withdrawn"
        move = draw(st.sampled_from(sorted(allowed)))
        moves.append(move)
        where = allowed[move]
    return moves


def _last(moves: list[str], move: str) -> int:
    return len(moves) - moves[::-1].index(move) if move in moves else 0


def costs(moves: list[str]) -> int:
    """Count the tries once more, from the names of the moves alone."""
    parts: list[list[str]] = [[]]
    for move in moves:
        if move == "sent again":
            parts.append([])
        parts[-1].append(move)
    return sum(_is_counted(part) for part in parts)


def _is_counted(part: list[str]) -> bool:
    if "published" in part:
        return True
    if part[-1] in ("rejected", "failed", "stopped"):
        return False
    if part[-1] == "withdrawn":
        was_ours = {"requeued", "failed", "stopped", "taken over"} & set(part)
        return "claimed" in part and not was_ours
    return True


@given(walks())
def test_every_history_costs_what_the_rules_say(moves: list[str]) -> None:
    """Over all end states: a row costs, a run under way is reserved, the rest is free as told."""
    assert len(tries(SUBMISSION, story(moves))) == costs(moves)


@given(walks())
def test_what_fails_by_our_fault_never_costs(moves: list[str]) -> None:
    """Whatever went before: a try that ends by our fault without ever having had a row is given back."""
    events = story(moves)
    state = fold(SUBMISSION, events)
    if state.reason is None or state.reason.fault != "ours" or state.state is not State.FAILED:
        return
    begun = [event for event in events if event.kind == "received" or moves[event.n - 1] == "sent again"]
    this_try = moves[begun[-1].n - 1 :]
    if "published" not in this_try:
        counted = {one.at for one in tries(SUBMISSION, events)}
        assert later(begun[-1].n) not in counted


@given(walks())
def test_a_try_costs_one_at_its_beginning(moves: list[str]) -> None:
    """No try is counted twice, and none at another time than when it was sent."""
    events = story(moves)
    begun = [later(event.n) for event in events if event.n == 1 or moves[event.n - 1] == "sent again"]
    found = [one.at for one in tries(SUBMISSION, events)]
    assert found == sorted(set(found)) and set(found) <= set(begun)


def put(store: FolderStore, name: str, person: Person | None, at_s: float = 0, organisation: str | None = None) -> None:
    """Let a person send something."""
    first = replace(received(), person=person, organisation=organisation)
    store.create_event(submission_id(name), Event(n=1, at=timestamp(later(at_s)), payload=first))


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """Give an empty store."""
    return FolderStore(tmp_path)


def sender(person: Person = POLLY, organisation: str | None = None) -> Sender:
    """Return who sends for whom."""
    return Sender(person=person, organisation=organisation, named=organisation or person.name)


def test_persons_and_organisations_are_counted_by_what_vouches_for_them(store: FolderStore) -> None:
    """Accounts and vouched organisations count, in whatever case they are written; typed names and nobody do not."""
    put(store, "s00001", POLLY)
    put(store, "s00002", replace(POLLY, name="renamed"), organisation="Aviary")
    put(store, "s00003", PETER, organisation="aviary")
    put(store, "s00004", replace(PETER, name="polly"))
    put(store, "s00005", None)
    mine, ours = allowances(store, sender(organisation="aviary"), LIMITS, later(9))
    assert ([one.submission for one in mine.tries], mine.n_left) == (["s00001", "s00002"], 0)
    assert ([one.submission for one in ours.tries], ours.n_left) == (["s00002", "s00003"], 1)
    [alone] = allowances(store, sender(), LIMITS, later(9))
    assert alone.is_person
    assert allowances(store, sender(organisation="aviary"), Limits(), later(9)) == ()


def test_a_try_comes_free_after_seven_days(store: FolderStore) -> None:
    """To the moment; the line and the refusal name it."""
    put(store, "s00001", POLLY)
    put(store, "s00002", POLLY, at_s=3600)
    [spent] = allowances(store, sender(), LIMITS, later(7200))
    assert spent.next_at == NOON + WINDOW
    assert "2026-03-08 at 12:00 UTC" in left_sentence(spent)
    with pytest.raises(QuotaSpent, match=r"polly has used all 2 .* 2026-03-08 at 12:00 UTC"):
        refuse_spent([spent])
    [before] = allowances(store, sender(), LIMITS, NOON + WINDOW - timedelta(milliseconds=1))
    [after] = allowances(store, sender(), LIMITS, NOON + WINDOW)
    assert (before.n_left, after.n_left) == (0, 1)
    refuse_spent([after])
    assert "1 of 2 submissions left" in left_sentence(after) and "13:00 UTC" in left_sentence(after)


def test_a_lowered_limit_waits_for_more_than_one(store: FolderStore) -> None:
    """With more spent than there are, the next one comes free when enough are forgotten."""
    for at in range(3):
        put(store, f"s0000{at}", POLLY, at_s=at * 60)
    [spent] = allowances(store, sender(), Limits(person=1), later(600))
    assert (spent.n_left, spent.next_at) == (0, later(120) + WINDOW)


def test_the_newest_beyond_the_limit_is_known(store: FolderStore) -> None:
    """Of two that took the last try together, the later one is one too many."""
    for at in range(3):
        put(store, f"s0000{at}", POLLY, at_s=at)
    found = allowances(store, sender(), LIMITS, later(9))
    assert [is_beyond(found, submission_id(f"s0000{at}")) for at in range(3)] == [False, False, True]
