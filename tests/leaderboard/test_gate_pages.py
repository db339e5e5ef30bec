"""What the pages say of the gate: its rule, its own record, and clips that were heard again."""

import dataclasses
import re

from evaluation.gate import trial
from evaluation.gate.trial import rate_of
from evaluation.gate.wer import word_errors
from evaluation.protocol import load_shipped
from evaluation.records import GateDetail, Hearing, Item, ItemId, Transcript
from leaderboard import standings
from leaderboard.pages import method_gate, parts
from leaderboard.views import Sample
from tests.leaderboard.page_reader import Page

LITE = load_shipped("lite")
ITEM = Item(id=ItemId("it-0"), instruction="Speak.", script="Pay $4.50 at noon.", requested={}, tier=2, split="public")
LOOP = Transcript(
    text="Pay pay pay pay pay pay",
    setting="greedy",
    doubt="loop",
    again=Hearing(text="Pay four dollars fifty at noon", setting="beam"),
    second=Hearing(text="Play <b>$4</b> at noon", setting="other model"),
)


def _sample(transcript: Transcript | None, detail: GateDetail | None) -> Sample:
    return Sample(
        item_id=ITEM.id,
        is_declined=False,
        duration_s=1.0,
        transcript=transcript,
        gate=detail,
        wer=0.0,
        passed_gate=True,
        composite=1.0,
        dimensions=(),
        clip_sha256="0" * 64,
    )


def _detail(counted: str, *, is_disputed: bool) -> GateDetail:
    return GateDetail(counted=counted, is_disputed=is_disputed, path="", n_units=1, n_units_right=1)


def test_a_clip_heard_again_shows_which_hearing_counts_and_the_others() -> None:
    """The better text is the marked one; why it was heard again, its setting and both other texts stand below."""
    markup = parts.transcript(ITEM, _sample(LOOP, _detail("again", is_disputed=True)), LITE)
    page = Page(markup)
    assert not page.all("del") and not page.all("ins")
    (note,) = page.all("p", cls="cb-heard-again")
    assert "over and over" in note.text and "disagree" in note.text and "beam" in note.text
    assert [line.text for line in page.all("li")] == [
        "greedyPay pay pay pay pay pay",
        "other modelPlay <b>$4</b> at noon",
    ]
    assert "1 of 1" in page.all("p", cls="cb-soft")[0].text
    assert "<b>" not in markup


def test_a_clip_heard_once_says_nothing_of_it() -> None:
    """Ordinary clips keep a plain transcript with its differences."""
    once = Transcript(text="Pay four dollars at noon", setting="greedy")
    page = Page(parts.transcript(ITEM, _sample(once, _detail("first", is_disputed=False)), LITE))
    assert page.all("del") and not page.all("p", cls="cb-heard-again")


def test_rows_of_the_first_normaliser_are_marked_as_it_compared_them() -> None:
    """An old row has no detail and shows its transcript still."""
    old = dataclasses.replace(LITE, normaliser="lite-1")
    once = Transcript(text="pay four dollars and fifty cents at noon", setting="greedy")
    assert not Page(parts.transcript(ITEM, _sample(once, None), old)).all("ins")


def test_no_transcript_is_said() -> None:
    """A clip in which nothing could be heard."""
    assert "No transcript" in parts.transcript(ITEM, _sample(None, None), LITE)


def test_the_method_page_gives_the_false_veto_rate_with_its_interval() -> None:
    """The shipped record's figure, its interval, every cell of its table and the command."""
    markup = method_gate.build(LITE)
    shipped = trial.shipped()
    rate = rate_of(shipped, "gate", "transcriber")
    assert rate is not None
    shown = f"{rate.share:.1%} (95 %: {rate.interval.low:.1%} to {rate.interval.high:.1%})"
    page = Page(markup)
    assert shown in page.by_id("gate-false-vetoes").text
    assert len(page.all("tr")) == 1 + len(shipped.cells)
    assert "python app.py gate-trial" in markup
    assert "heard again" in markup


def test_a_protocol_that_was_not_tried_claims_nothing() -> None:
    """The figure belongs to one normaliser; without a second setting nothing is heard again."""
    others = {role: one for role, one in LITE.instruments.items() if role != "transcriber_again"}
    old = dataclasses.replace(LITE, normaliser="lite-1", instruments=others)
    markup = method_gate.build(old)
    assert "gate-trial" not in markup and "heard again" not in markup
    other = dataclasses.replace(LITE.instruments["transcriber"], name="another transcriber")
    changed = dataclasses.replace(LITE, instruments={**LITE.instruments, "transcriber": other})
    assert "gate-trial" not in method_gate.build(changed)


def test_a_systems_units_and_second_hearings_add_up() -> None:
    """Two clips of one unit each, one heard again and disputed; one without detail."""
    samples = [
        _sample(LOOP, _detail("again", is_disputed=True)),
        _sample(Transcript(text="pay", setting="greedy"), _detail("first", is_disputed=False)),
        _sample(None, None),
    ]
    found = standings.heard_totals(samples)
    assert (found.n_units, found.n_units_right, found.n_again, found.n_disputed) == (2, 2, 1, 1)


def test_examples_on_the_method_page_are_accepted_by_the_gate() -> None:
    """Every reading that the page promises for its amount is one that the gate accepts."""
    told = method_gate._rule(LITE)
    amount, *readings = re.findall("“([^”]+)”", told)
    assert len(readings) == 3
    assert [word_errors(f"It is {amount} now.", f"it is {said} now").wer for said in readings] == [0.0] * 3
