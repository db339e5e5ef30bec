"""How far a board's numbers can be trusted: its record against the published files, and how it is told."""

from datetime import UTC, datetime, timedelta

from leaderboard import outages
from leaderboard.context import Context
from leaderboard.pages import health_strip
from submissions.records import Claimed, Event, Held, ProcessIdentity, timestamp
from tests.leaderboard.page_reader import Page

WORKER = ProcessIdentity(host="h", boot_id="b", pid_namespace="n", pid=1, started_ticks=1)
START = datetime(2026, 3, 1, tzinfo=UTC)


def _event(n: int, minutes: int, payload: Held | Claimed) -> Event:
    return Event(n=n, at=timestamp(START + timedelta(minutes=minutes)), payload=payload)


def _held(n: int, since: int, at: int, reason: str = "judge_unavailable") -> Event:
    since_at = timestamp(START + timedelta(minutes=since))
    return _event(n, at, Held(claim=1, reason=reason, message="", since=since_at, not_before=since_at))


def _claimed(n: int, at: int) -> Event:
    return _event(n, at, Claimed(worker="w", process=WORKER, lease_until=timestamp(START), takes_over=None))


def test_waiting_counts_once_however_many_wait() -> None:
    """Two tries of one outage, and two submissions in it, are one span; a spent budget is no outage."""
    one = outages.spans_in([_claimed(1, 0), _held(2, 0, 10), _claimed(3, 20), _held(4, 0, 21), _claimed(5, 60)])
    other = outages.spans_in([_held(1, 30, 35), _claimed(2, 90), _held(3, 100, 101, "judge_budget"), _claimed(4, 400)])
    merged = outages._merged([*one, *other])
    assert [(end - start).total_seconds() for start, end in merged] == [90 * 60]


def test_orders_that_disagree_are_counted_over_the_whole_board(nine: Context) -> None:
    """Flips of a judged dimension are the sum over the published verdicts of all systems."""
    board = nine.published.board("")
    trust = nine.derived.trust(board, nine.corpus, nine.store)
    verdicts = [
        sample.verdicts["tone"]
        for row in board.rows
        for sample in nine.published.samples(board, [row.submission])[row.submission].values()
        if "tone" in sample.verdicts
    ]
    said = [one for one in verdicts if hasattr(one, "is_consistent")]
    tone = trust.of("tone")
    assert tone is not None
    assert (tone.n_flips, tone.n_verdicts) == (sum(not one.is_consistent for one in said), len(said))
    assert trust.judge is not None
    assert trust.judge.n_priced == len(board.rows)
    assert nine.derived.trust(board, nine.corpus, nine.store) is trust


def test_what_is_not_known_is_said(nine: Context, six: Context) -> None:
    """Repeat agreement, outages without a history and dimensions without a card are told as not known, never as 0."""
    board = nine.published.board("")
    shown = health_strip.section(nine.derived.trust(board, nine.corpus, nine.store))
    assert "has not been measured: each order is asked once" in shown
    assert "their histories cannot be read" in shown
    assert "not measured: no card of this version" in shown
    lite = six.published.board("")
    plain = health_strip.section(six.derived.trust(lite, six.corpus, six.store))
    assert "asked the same again" not in plain
    assert "Orders disagree" not in plain


def test_beside_a_judged_trait_stand_the_gate_and_the_judge_s_health(nine: Context) -> None:
    """Beside a probed one, the gate alone; each as a line of a list."""
    board = nine.published.boards()[0]
    trust = nine.derived.trust(board, nine.corpus, nine.store)
    judged, probed = (Page(health_strip.strip(trust, name)) for name in ("tone", "gender"))
    assert len([line for line in judged.elements if line.tag == "li"]) == 4
    assert "orders disagree" in judged.by_id("trust-strip").text
    lines = [line.text for line in probed.elements if line.tag == "li"]
    assert len(lines) == 1 and "gate" in lines[0]
