"""What the submit page says becomes of a zip."""

import dataclasses

from leaderboard import ui
from leaderboard.context import Context
from leaderboard.turnaround import N_LAST, turnaround
from submissions import queue
from tests.leaderboard.page_reader import Page
from tests.submissions.work_examples import CORPUS, a_worker, later, put


def _publish(site: Context, name: str, took_s: float, protocol_id: str, at_s: float = 0) -> None:
    put(site.store, name, later(at_s))
    claim = queue.claim_next(site.store, a_worker(), later(at_s), corpus=CORPUS, is_dead=lambda _: False)
    assert claim is not None and claim.submission == name
    queue.finish(site.store, claim, later(at_s + took_s), protocol_id)


def _told(site: Context) -> str:
    return Page(ui.submit_page(site)).by_id("submit-plan").text


def test_the_protocol_and_what_it_measures_are_told(empty: Context, nine: Context) -> None:
    """Probes, judge and anchor by name; what is left out; nothing that a maker has to pay."""
    lite = _told(empty)
    assert empty.protocols[0].id in lite and "a model predicts naturalness" in lite
    assert "age, emotion, accent and tone".replace(" and ", ", ") in lite and "You pay" not in lite
    full = _told(nine)
    assert "gemini-3.5-flash judges tone and naturalness against the clips of Larkspur 2.0" in full
    assert "cost you nothing" in full and "Not measured" not in full


def test_time_to_a_row_is_that_of_the_last_systems(empty: Context) -> None:
    """The median of those under this protocol; without one it is not known, and no number is made up."""
    own = empty.protocols[0].id
    assert "Not known yet" in _told(empty)
    _publish(empty, "s-first", 600.0, own)
    assert "The last system had its row 10 min after it arrived." in _told(empty)
    _publish(empty, "s-second", 1_200.0, own, 10_000)
    _publish(empty, "s-other", 9.0, "another", 20_000)
    put(empty.store, "s-waits", later(30_000))
    told = _told(empty)
    assert "Half of the last 2 systems had their row within 15 min" in told and "1 submission before yours" in told


def test_a_system_with_rows_of_several_seasons_does_not_count(empty: Context) -> None:
    """Its last row says nothing of how long a new zip takes; neither do those of long ago."""
    own = empty.protocols[0].id
    for number in range(N_LAST + 3):
        _publish(empty, f"s-number-{number:02}", 100.0 * (number + 1), own, 100_000.0 * number)
    states = queue.load_all(empty.store)
    found = turnaround(states, own)
    assert (found.n_systems, found.median_s) == (N_LAST, 850.0)
    twice = [dataclasses.replace(one, protocols=("first", own)) for one in states]
    assert turnaround(twice, own).median_s is None


def test_the_page_reads_no_queue_before_it_is_opened(empty: Context) -> None:
    """What stands there until the browser asks holds no time at all."""
    assert "It takes" not in Page(ui.submit_page(empty, is_expected=False)).by_id("submit-plan").text
