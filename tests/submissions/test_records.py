"""Events survive their file form, and nothing else is taken for one."""

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import SchemaError
from submissions.card import Card
from submissions.problems import Problem
from submissions.records import (
    Claimed,
    Event,
    Failed,
    Held,
    Published,
    Queued,
    Received,
    Rejected,
    Released,
    Renewed,
    Requeued,
    Resumed,
    Withdrawn,
    decode_event,
    encode_event,
    moment,
    submission_id,
    timestamp,
)
from tests.submissions.work_examples import CARD, NOON, a_process, received

TEXTS = st.text(max_size=40)
MOMENTS = st.builds(
    lambda us, hours: (NOON + timedelta(microseconds=us)).astimezone(timezone(timedelta(hours=hours))),
    st.integers(-(10**15), 10**15),
    st.integers(-12, 14),
)
TIMES = MOMENTS.map(timestamp)
NUMBERS = st.integers(1, 10**6)
PROBLEMS = st.builds(
    Problem, kind=st.sampled_from(["problem", "warning"]), code=TEXTS, what=TEXTS, where=TEXTS, allowed=TEXTS, got=TEXTS
)
CARDS = st.builds(
    Card,
    system=TEXTS,
    version=TEXTS,
    organisation=TEXTS,
    contact=TEXTS,
    licence=TEXTS,
    open_weights=st.none() | st.booleans(),
    parameters=TEXTS,
    link=TEXTS,
    how_instructions=TEXTS,
    notes=TEXTS,
)
PAYLOADS = st.one_of(
    st.builds(
        Received,
        card=CARDS,
        zip_sha256=TEXTS,
        zip_bytes=NUMBERS,
        corpus=TEXTS,
        warnings=st.lists(PROBLEMS, max_size=2).map(tuple),
        submitter=st.none() | TEXTS,
        code_version=TEXTS,
    ),
    st.just(Queued()),
    st.builds(
        Claimed,
        worker=TEXTS,
        process=st.just(a_process()),
        lease_until=TIMES,
        takes_over=st.sampled_from([None, "expired", "dead"]),
    ),
    st.builds(Renewed, claim=NUMBERS, lease_until=TIMES),
    st.builds(Released, claim=NUMBERS, reason=TEXTS),
    st.builds(Held, claim=NUMBERS, reason=TEXTS, message=TEXTS, since=TIMES, not_before=TIMES),
    st.just(Resumed()),
    st.builds(
        Requeued,
        claim=st.none() | NUMBERS,
        reason=TEXTS,
        message=TEXTS,
        trace_id=st.none() | TEXTS,
        not_before=st.none() | TIMES,
        protocol=st.none() | TEXTS,
    ),
    st.builds(Rejected, claim=NUMBERS, problems=st.lists(PROBLEMS, max_size=3).map(tuple)),
    st.builds(Failed, claim=NUMBERS, reason=TEXTS, message=TEXTS, trace_id=st.none() | TEXTS),
    st.builds(Published, claim=NUMBERS, protocol=TEXTS),
    st.builds(Withdrawn, reason=TEXTS),
)


@given(st.builds(Event, n=NUMBERS, at=TIMES, payload=PAYLOADS))
def test_event_survives_its_file(event: Event) -> None:
    """Every event comes back equal, and its bytes are the same each time."""
    data = encode_event(event)
    assert decode_event(data, "here") == event
    assert encode_event(decode_event(data, "here")) == data


OLD_EVENT = (
    b'{"at":"2026-03-01T12:00:00.000Z","kind":"requeued","n":4,"payload":{"claim":3,"message":"m","not_before":null,'
    b'"reason":"bug","trace_id":"t"},"schema_version":1}'
)


def test_event_of_an_older_version_is_read_and_written_as_it_was() -> None:
    """A home of before seasons and holds opens unchanged."""
    event = decode_event(OLD_EVENT, "here")
    again = Requeued(claim=3, reason="bug", message="m", trace_id="t", not_before=None)
    assert event == Event(n=4, at=timestamp(NOON), payload=again)
    assert encode_event(event) == OLD_EVENT


@given(MOMENTS, MOMENTS)
def test_timestamps_sort_as_time_does(one: datetime, other: datetime) -> None:
    """Text order is the order of the times, to the millisecond, in any zone."""
    a, b = timestamp(one), timestamp(other)
    assert (a < b) == (moment(a) < moment(b))
    assert abs(moment(a) - one) < timedelta(milliseconds=1)


def test_time_is_written_in_utc() -> None:
    """The form is ISO 8601 with milliseconds and Z."""
    assert timestamp(NOON.astimezone(timezone(timedelta(hours=1)))) == "2026-03-01T12:00:00.000Z"


def test_time_without_zone_is_refused() -> None:
    """A naive time is nobody's time."""
    with pytest.raises(ValueError, match="zone"):
        timestamp(NOON.replace(tzinfo=None))
    with pytest.raises(SchemaError, match="zone"):
        moment("2026-03-01T12:00:00")


def _changed(**changes: object) -> bytes:
    fields = json.loads(encode_event(Event(n=1, at=timestamp(NOON), payload=received())))
    return json.dumps({**fields, **changes}).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "no JSON"),
        (b"[]", "schema_version must be 1, got None"),
        (_changed(schema_version=2), "schema_version must be 1, got 2"),
        (_changed(kind="promoted"), "kind must be one of received, queued"),
        (_changed(n="1"), "n must be a number"),
        (_changed(at="yesterday"), "ISO 8601"),
        (_changed(payload={}), "missing fields"),
        (_changed(kind="queued"), "unknown fields"),
    ],
)
def test_what_is_no_event_is_refused(data: bytes, message: str) -> None:
    """The refusal names the file and what is wrong with it."""
    with pytest.raises(SchemaError, match=rf"^s-000001/events/0001-received\.json: .*{message}"):
        decode_event(data, "s-000001/events/0001-received.json")


@pytest.mark.parametrize(
    "text", ["", "short", "-starts", "Upper1", "a/b/c/d", "../../x", "a" * 65, "s1234\n", "sé1234"]
)
def test_id_that_is_no_safe_name_is_refused(text: str) -> None:
    """An id never leads out of its folder."""
    with pytest.raises(ValueError, match="id is 6 to 64"):
        submission_id(text)


def test_card_keeps_its_contact_in_the_event() -> None:
    """The contact is in the work state, where it is needed."""
    event = decode_event(encode_event(Event(n=1, at=timestamp(NOON), payload=received())), "here")
    assert isinstance(event.payload, Received)
    assert event.payload.card.contact == CARD.contact
