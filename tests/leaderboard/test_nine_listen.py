"""The listen page of a judged board: probabilities, estimates, verdicts, reasoning, raw replies, the anchor's clip."""

import dataclasses
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.judge.replies import JudgeReply
from evaluation.judge.verdict import parse
from evaluation.records import ClassScores, Estimate, Unread, Verdict
from evaluation.traits import NATURALNESS
from leaderboard import media, words
from leaderboard.context import Context, make_context
from leaderboard.pages import parts, verdicts
from leaderboard.reading.listen import listen_page
from leaderboard.views import Sample
from submissions.store.folder import FolderStore, PublishedFolder
from tests.leaderboard import cast
from tests.leaderboard import nine as nine_dimensions
from tests.leaderboard.page_reader import Page

A, ANCHOR, WORST = "s00000000001", nine_dimensions.ANCHOR.id, "s00000000006"
JUDGED = nine_dimensions.JUDGED


def _samples(site: Context, submission: str) -> list[Sample]:
    board = site.published.board("")
    return list(site.published.samples(board, [submission])[submission].values())


def _replies(site: Context, submission: str, item: str) -> tuple[JudgeReply, ...]:
    return site.derived.replies(site.published.board(""), (submission,))[submission][item]


def _page(site: Context, submission: str, item: str, **asked: str) -> Page:
    return Page(listen_page(site, {"systems": submission, "item": item, **asked}))


def _judged(site: Context, submission: str) -> list[Sample]:
    return [one for one in _samples(site, submission) if isinstance(one.verdicts.get("tone"), Verdict)]


def test_every_dimension_has_asked_and_measured_with_its_number(nine: Context) -> None:
    """Classes with every probability, the age as a number of years, a judge's score with its scale."""
    sample = next(one for one in _judged(nine, A) if isinstance(one.probes["emotion"], ClassScores))
    page = _page(nine, A, sample.item_id)
    table = page.all("table", cls="cb-readings")[0]
    lines = {
        next(cell.text for cell in line.inside if cell.tag == "th"): line for line in table.inside if line.tag == "tr"
    }
    assert len(lines) == 10
    emotion, age = sample.probes["emotion"], sample.probes["age"]
    assert isinstance(emotion, ClassScores)
    told = [one.text for one in lines["Emotion"].inside if one.tag == "li"]
    ranked = sorted(zip(emotion.labels, emotion.probabilities, strict=True), key=lambda pair: -pair[1])
    assert told == [f"{label}{probability:.2f}" for label, probability in ranked]
    if isinstance(age, Estimate):
        assert f"{age.value:.0f} years" in lines["Age"].text
    verdict = sample.verdicts["tone"]
    assert isinstance(verdict, Verdict)
    assert f"{verdict.score:.2f} of 3" in lines["Tone judged"].text and "p =" not in lines["Tone judged"].text
    assert "MOS" not in lines["Naturalness judged"].text


def test_what_could_not_be_read_has_its_reason(nine: Context) -> None:
    """Too short for a probe: the reason stands where the value would."""
    sample = next(one for one in _samples(nine, A) if isinstance(one.probes["accent"], Unread))
    table = _page(nine, A, sample.item_id).all("table", cls="cb-readings")[0]
    line = next(one for one in table.inside if one.tag == "tr" and one.text.startswith("Accent"))
    assert "the clip is too short" in line.text


def test_a_verdict_is_told_with_both_scores_and_whether_the_orders_agree(nine: Context) -> None:
    """Every judged clip of two systems, consistent or not."""
    seen = set()
    for submission in (A, WORST):
        for sample in _judged(nine, submission):
            page = _page(nine, submission, sample.item_id)
            blocks = page.all("div", cls="cb-judged")
            assert len(blocks) == len(JUDGED)
            for name, block in zip(JUDGED, blocks, strict=True):
                verdict = sample.verdicts[name]
                assert isinstance(verdict, Verdict)
                assert f"{verdict.score:.2f}, anchor {verdict.anchor_score:.2f}, of 3" in block.text
                assert ("both orders agree" in block.text) is verdict.is_consistent
                assert ("the orders disagree" in block.text) is not verdict.is_consistent
                told = {"clip": "Better than", "anchor": "Worse than", "tie": "As good as"}
                assert f"{told[verdict.winner]} the anchor" in block.text
                seen.add((verdict.winner, verdict.is_consistent))
    assert {("clip", True), ("anchor", True), ("tie", True), ("tie", False)} <= seen


def test_reasoning_is_told_by_order_and_by_clip(nine: Context) -> None:
    """In each order the texts and scores are put to the right clip, whichever came first."""
    sample = _judged(nine, A)[0]
    replies = _replies(nine, A, sample.item_id)
    block = _page(nine, A, sample.item_id).all("div", cls="cb-judged")[0]
    for reply in replies:
        parsed = parse(reply.text, JUDGED)
        if not isinstance(parsed, dict):
            continue
        tone, is_first = parsed["tone"], reply.order == "clip_first"
        own, other = (tone.score_a, tone.score_b) if is_first else (tone.score_b, tone.score_a)
        head = "This clip first" if is_first else "The anchor first"
        start = block.text.index(f"{head}{verdicts._vote(reply)}: {own:g} for this clip, {other:g} for the anchor")
        part = block.text[start:]
        # The judge calls the clip that it heard first "First clip".
        mine, theirs = ("First clip.", "Second clip.") if is_first else ("Second clip.", "First clip.")
        assert part.index("This clip" + mine) < part.index("The anchor’s clip" + theirs) < part.index("Compared")


def test_a_malformed_reply_is_kept_and_says_why_it_was_not_used(nine: Context) -> None:
    """Both the reason and the raw text can be read; the ask that followed is marked."""
    item = next(
        sample.item_id for sample in _judged(nine, A) if any(reply.ask for reply in _replies(nine, A, sample.item_id))
    )
    page = _page(nine, A, item)
    told = page.all("div", cls="cb-said")[0].text
    assert "Not used, because the JSON object was cut off" in told and "asked again" in told
    raw = [one.text for one in page.all("pre", cls="cb-raw")]
    assert raw == [reply.text for reply in _replies(nine, A, item)]


def test_a_long_reasoning_is_cut_with_all_of_it_behind(nine: Context) -> None:
    """The start is shown, and the whole text stands behind "show all"; a short one is shown whole."""
    text = "word " * 200 + "end"
    page = Page("<div>" + verdicts.cut(text) + "</div>")
    shown, whole = page.all("p", cls="cb-quote")
    assert shown.text == text[: verdicts.N_SHORT] + "…" and whole.text == text
    assert (
        page.all("summary")[0].text == f"show all {len(text):,} signs"
        and "open" not in page.all("details")[0].attributes
    )
    assert not Page("<div>" + verdicts.cut("short") + "</div>").all("details")


def test_a_reply_of_pages_is_cut_and_the_rest_counted(nine: Context) -> None:
    """A page never grows with what a judge writes."""
    sample = _judged(nine, A)[0]
    first = dataclasses.replace(_replies(nine, A, sample.item_id)[0], text="x" * 1_000_000)
    markup = verdicts.section(nine.published.board("").protocol, sample, (first,))
    assert markup is not None and len(markup) < 2 * verdicts.N_RAW
    assert f"{1_000_000 - verdicts.N_RAW:,} signs more" in markup


def test_a_clip_that_speaks_to_the_judge_says_so(nine: Context) -> None:
    """With the words that gave it away; nothing of it was judged."""
    item = nine.corpus.items[-1].id
    said = _page(nine, A, item).all("div", cls="cb-said")[0].text
    assert "This clip speaks to the judge" in said and "It was not sent to the judge" in said
    assert "of three" in said and not _page(nine, A, item).all("div", cls="cb-judged")


def test_a_vetoed_clip_was_not_judged(nine: Context) -> None:
    """One reason for all judged dimensions, told once, and no score."""
    gated = [
        one.item_id
        for one in _samples(nine, WORST)
        if isinstance(found := one.verdicts.get("tone"), Unread) and found.reason == "gated"
    ]
    said = _page(nine, WORST, gated[0]).all("div", cls="cb-said")[0].text
    assert said.count("Not judged: vetoed by the gate") == 1 and "of 3" not in said


def test_a_missing_verdict_is_no_score(nine: Context) -> None:
    """A hole stays a hole with its reason, dimension by dimension."""
    sample, protocol = _judged(nine, A)[0], nine.published.board("").protocol
    missing = Unread(reason="not_judged", fault="instrument", detail="x")
    holed = dataclasses.replace(sample, verdicts={"tone": sample.verdicts["tone"], NATURALNESS: missing})
    markup = verdicts.section(protocol, holed, ())
    assert markup is not None and "the judge gave no reply that could be read" in markup
    none = verdicts.section(protocol, dataclasses.replace(sample, verdicts={"tone": missing}), ())
    assert none is not None and "there is no verdict" in none


def test_the_anchor_s_clip_of_the_item_can_be_heard(nine: Context) -> None:
    """One player of the very clip that the protocol pins, and its address serves it."""
    item = nine.corpus.items[4].id
    page = _page(nine, A, item)
    anchor = page.by_id("anchor")
    source = next(one.attributes["src"] for one in anchor.inside if one.tag == "audio")
    judge = nine.published.board("").protocol.judge
    assert judge is not None and judge.anchor.clips[item][:16] in source and "Larkspur 2.0" in anchor.text
    app = FastAPI()
    app.include_router(media.router(nine))
    assert TestClient(app).get(source).headers["etag"] == f'"{judge.anchor.clips[item]}"'
    assert _page(nine, ANCHOR, item).all("h3")[1].text == "Larkspur 2.0 anchor"


def test_an_anchor_that_is_not_published_is_said_so(tmp_path: Path) -> None:
    """No player with a broken address: a sentence."""
    site = nine_dimensions.make_site(tmp_path, cast.SIX[:1], n_items=6, has_trials=False)
    page = _page(site, A, site.corpus.items[0].id)
    anchor = page.by_id("anchor")
    assert "is not published here" in anchor.text and not [one for one in anchor.inside if one.tag == "audio"]
    assert "has no row on this board" in anchor.text and not [one for one in anchor.inside if one.tag == "a"]


def test_another_clip_than_the_pinned_one_is_not_played_as_the_anchor_s(tmp_path: Path) -> None:
    """The anchor is published, but with other clips: nobody is told that the judge heard those."""
    corpus = cast.make_corpus(tmp_path, 6)
    protocol = nine_dimensions.make_protocol(corpus, {item.id: "0" * 64 for item in corpus.items})
    files = PublishedFolder(tmp_path / "published")
    nine_dimensions.play(files, corpus, protocol, nine_dimensions.ANCHOR)
    site = make_context(home=tmp_path, files=files, store=FolderStore(tmp_path), corpus=corpus, protocols=(protocol,))
    anchor = _page(site, ANCHOR, corpus.items[0].id).by_id("anchor")
    assert "is not published here" in anchor.text and not [one for one in anchor.inside if one.tag == "audio"]


def test_a_board_without_a_judge_speaks_of_none(six: Context) -> None:
    """No anchor, no judge's part."""
    page = _page(six, A, "it-004")
    assert not page.all("section", id="anchor") and not page.all("div", cls="cb-said")


def test_blind_listening_hides_the_anchor_and_what_the_judge_said(nine: Context) -> None:
    """The anchor may be one of the voices: its name, its clip's address and all numbers wait for the reveal."""
    asked = {"systems": f"{A},{ANCHOR}", "item": "it-004", "blind": "1"}
    hidden = listen_page(nine, asked)
    page = Page(hidden)
    assert not page.all("section", id="anchor") and "Larkspur" not in hidden and ANCHOR not in _bodies(page)
    for block in page.all("div", cls="cb-said"):
        assert any(block in details.inside for details in page.all("details"))
    assert Page(listen_page(nine, {**asked, "reveal": "1"})).by_id("anchor")


def _bodies(page: Page) -> str:
    inside = page.by_id("listen-voices").inside
    return " ".join(value for one in inside for value in one.attributes.values())


@pytest.mark.parametrize("is_combined", [True, False])
def test_one_call_for_all_dimensions_or_one_each(tmp_path: Path, is_combined: bool) -> None:
    """Either way each dimension shows the opinions that are about it."""
    site = nine_dimensions.make_site(tmp_path, cast.SIX[:2], n_items=6, has_trials=False, is_combined=is_combined)
    sample = _judged(site, A)[0]
    replies = _replies(site, A, sample.item_id)
    page = _page(site, A, sample.item_id)
    for name, block in zip(JUDGED, page.all("div", cls="cb-judged"), strict=True):
        n_said = sum(name in reply.dimensions for reply in replies)
        heads = [one for one in block.inside if one.tag == "h4"]
        assert len(heads) == n_said >= 2
    assert len(page.all("pre", cls="cb-raw")) == len(replies)
    labels = {", ".join(words.header(name).label for name in reply.dimensions) for reply in replies}
    assert labels == ({"Tone, Naturalness"} if is_combined else {"Tone", "Naturalness"})


def test_damaged_replies_take_no_page_down(tmp_path: Path) -> None:
    """Scores and verdicts still show; the reasoning is not there."""
    site = nine_dimensions.make_site(tmp_path, cast.SIX[:2], n_items=6, has_trials=False)
    sample = _judged(site, A)[0]
    path = site.files.local_path(f"replies/{site.protocols[0].id}/{A}.parquet")
    path.write_bytes(b"PAR1 nothing")
    page = _page(site, A, sample.item_id)
    assert len(page.all("div", cls="cb-judged")) == 2 and not page.all("pre", cls="cb-raw")
    assert "What the judge wrote cannot be read here" in page.all("div", cls="cb-said")[0].text


def test_readings_of_a_hostile_label_are_inert(nine: Context) -> None:
    """A class that a stranger named is shown as it is written."""
    board = nine.published.board("")
    sample = _judged(nine, A)[0]
    evil = ClassScores(labels=(cast.EVIL, "b"), probabilities=(0.25, 0.75))
    page = Page(parts.readings(dataclasses.replace(sample, probes={"emotion": evil}), board.protocol, chain="/why"))
    assert not page.all("img") and not page.all("script")
    assert [one.text for one in page.all("li")] == ["b0.75", f"{cast.EVIL}0.25"]
