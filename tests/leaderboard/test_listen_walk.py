"""Walks of the listen page: their order, their reasons, and what an address may ask for."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import query, words
from leaderboard.context import Context
from leaderboard.derive import walks
from leaderboard.pages import listen, listen_walk
from leaderboard.query import ListenQuery
from leaderboard.reading.listen import body_part, found_part, listen_page
from tests.leaderboard import cast
from tests.leaderboard.page_reader import Page

A, B, WORST = "s00000000001", "s00000000002", "s00000000006"
_NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=12)


@given(
    st.lists(_NAMES, max_size=query.MAX_SYSTEMS, unique=True),
    st.sampled_from(["", *query.WALKS]),
    st.sampled_from(["", "pace", "tone:pitch"]),
    st.sampled_from(["", *query.SPLITS]),
    st.sampled_from([None, 0, 1, 2]),
    st.booleans(),
    st.booleans(),
)
def test_a_state_is_what_its_address_says(systems, walk, along, split, tier, is_blind, is_revealed) -> None:
    """Every state of the page can be linked to, and the link is read back as that state."""
    state = ListenQuery(
        systems=tuple(systems),
        walk=walk,
        along=along if walk else "",
        split=split,
        tier=tier,
        is_blind=is_blind,
        is_revealed=is_revealed,
    )
    link = query.listen_address(state)
    assert query.read_listen(dict(parse_qsl(urlsplit(link).query))) == state


@given(st.dictionaries(st.sampled_from(["walk", "split", "find", "systems", "item"]), st.text()))
def test_nonsense_leads_no_walk_astray(asked: dict[str, str]) -> None:
    """What is no walk and no split is none."""
    state = query.read_listen(asked)
    assert state.walk in ("", *query.WALKS) and state.split in ("", *query.SPLITS)
    assert state.walk or not state.along


def _walk(site: Context, walk: str, *names: str, **more: str) -> listen_walk.Walk:
    board = site.published.board("")
    state = query.read_listen({"walk": walk, "systems": ",".join(names), **more})
    allowed = {item.id for item in listen.matching(site.corpus, state)}
    found = listen_walk.walk(site.slices.table(board), state, listen.chosen(board, state), allowed)
    assert found is not None
    return found


def test_the_widest_difference_comes_first(nine: Context) -> None:
    """In the order of the composites themselves, held-out items left out unless they are asked for."""
    samples = nine.published.samples(nine.published.board(""), [A, WORST])
    apart = {item: abs(samples[A][item].composite - samples[WORST][item].composite) for item in samples[A]}
    public = {item.id for item in nine.corpus.items if item.split == "public"}
    stops = [stop.item_id for stop in _walk(nine, "widest", A, WORST).stops]
    assert [apart[item] for item in stops] == sorted((apart[item] for item in stops), reverse=True)
    assert set(stops) == {item for item in public if apart[item] > 0}
    both = {stop.item_id for stop in _walk(nine, "widest", A, WORST, split="any").stops}
    assert both == {item for item, gap in apart.items() if gap > 0} and both - public
    held = {stop.item_id for stop in _walk(nine, "widest", A, WORST, split="held_out").stops}
    assert held == both - public


def test_a_walk_along_a_dimension_says_both_desirabilities(nine: Context) -> None:
    """The reason names the systems and what parts them."""
    first = _walk(nine, "widest:emotion", A, WORST).stops[0]
    board = nine.published.board("")
    names = [row.name for row in (board.row(A), board.row(WORST)) if row is not None]
    assert all(name in first.why for name in names) and "emotion" in first.why


def test_vetoed_clips_are_walked_by_their_word_errors(nine: Context) -> None:
    """Exactly those that the gate vetoed, the most errors first."""
    samples = nine.published.samples(nine.published.board(""), [WORST])[WORST]
    stops = [stop.item_id for stop in _walk(nine, "vetoed", WORST, split="any").stops]
    assert set(stops) == {one.item_id for one in samples.values() if not one.passed_gate and not one.is_declined}
    rates = [samples[item].wer or 0.0 for item in stops]
    assert rates and rates == sorted(rates, reverse=True)


def test_a_dispute_is_between_the_judge_and_the_probe_that_was_asked_for(nine: Context) -> None:
    """The difference of the two desirabilities orders the walk."""
    samples = nine.published.samples(nine.published.board(""), [A])[A]

    def gap(item: str) -> float:
        found = {one.dimension: one.desirability for one in samples[item].dimensions}
        return abs(found["tone"] - found["pitch"])

    stops = [stop.item_id for stop in _walk(nine, "dispute:tone:pitch", A).stops]
    assert stops and [gap(item) for item in stops] == sorted(map(gap, stops), reverse=True)


def test_only_walks_that_there_are_can_be_chosen(nine: Context) -> None:
    """Each choice between judge and probe is a pair that the table has, and leads through what its label says."""
    board = nine.published.board("")
    table = nine.slices.table(board)
    assert table is not None
    offered = [value for _, options in listen_walk.choices(board.protocol) for value, _ in options]
    pairs = [(judged, other or "") for judged, other in walks.dispute_pairs(table)]
    assert [
        tuple(value.split(":")[1:]) for value in offered if value.startswith("dispute:") and value.count(":") > 1
    ] == [pair for pair in pairs if pair[1]]
    assert [value.split(":")[1] for value in offered if value.count(":") == 1 and value.startswith("dispute:")] == [
        judged for judged, other in pairs if not other
    ]
    assert "naturalness" in _walk(nine, "dispute:naturalness", A).what


@pytest.mark.parametrize("walk", ["dispute", "dispute:x:y", "widest:x", "vetoed:x"])
def test_a_walk_along_nothing_takes_another_way(nine: Context, walk: str) -> None:
    """A dimension that is none falls back to the first of its kind."""
    assert _walk(nine, walk, A, WORST).what


def test_a_walk_without_what_it_needs_says_so(six: Context, nine: Context) -> None:
    """One voice has no difference, a board without a judge no dispute, an unread table nothing yet."""
    assert _walk(nine, "widest", A).what == words.WALK_NEEDS_TWO
    assert _walk(six, "dispute", A).what == words.WALK_NO_JUDGE
    waiting = listen_walk.walk(None, ListenQuery(walk="widest"), (), ())
    assert waiting is not None and waiting.is_waiting and not waiting.stops
    page = Page(listen_page(nine, {"systems": A, "walk": "widest"}))
    assert page.by_id("listen-none") and words.WALK_NEEDS_TWO in page.by_id("listen-walk").text


def test_a_page_in_a_walk_has_its_place_and_its_reason(nine: Context) -> None:
    """Position, neighbours in the walk's order, and the sentence why."""
    walk = _walk(nine, "widest", A, WORST)
    here = walk.stops[1]
    page = Page(body_part(nine, {"systems": f"{A},{WORST}", "walk": "widest", "item": here.item_id}))
    assert here.why in page.by_id("listen-why").text
    assert f"2 of {len(walk.stops)}" in page.by_id("listen-body").text
    assert f"item={walk.stops[0].item_id}" in page.by_id("listen-previous").attributes["href"]
    assert f"item={walk.stops[2].item_id}" in page.by_id("listen-next").attributes["href"]
    assert page.elements[0].attributes["id"] == "listen-body"


def test_hidden_voices_are_told_by_nothing_but_their_sound(nine: Context) -> None:
    """No name, number, hash, level, transcript, verdict, reason or open address; after the reveal all of it."""
    board = nine.published.board("")
    samples = nine.published.samples(board, [A, WORST])
    walk = _walk(nine, "widest", A, WORST)
    item = walk.stops[0].item_id
    asked = {"systems": f"{A},{WORST}", "walk": "widest", "item": item, "blind": "1"}
    hidden = body_part(nine, asked)
    page = Page(hidden)
    cards = page.by_id("listen-voices").inside
    told = " ".join(" ".join((one.text, *one.attributes.values())) for one in cards)
    for name in (A, WORST):
        row, sample = board.row(name), samples[name][item]
        assert row is not None and sample.clip_sha256 is not None and row.name not in hidden and name not in told
        assert sample.clip_sha256[:8] not in hidden
        assert sample.level_dbfs is not None and f"{sample.level_dbfs:.1f}"[1:] not in told
    assert words.WALK_HIDDEN_WHY in hidden and walk.stops[0].why not in hidden
    assert "/media/clip/" not in hidden and "/media/contour/" not in hidden and "/why?" not in hidden
    articles = page.all("article")
    assert all(one.attributes["data-contour"].startswith(f"/media/blind-contour/{item}/") for one in articles)
    assert not any("data-level" in one.attributes for one in articles)
    assert not page.all("del") and not page.all("table") and not page.all("div", cls="cb-said")
    shown = Page(body_part(nine, {**asked, "reveal": "1"}))
    assert all("data-level" in one.attributes for one in shown.all("article")) and shown.all("table")
    assert Page(found_part(nine, asked)).by_id("listen-found").text == ""


def test_a_voice_is_added_and_taken_away_by_links(nine: Context) -> None:
    """The search finds by name; each link keeps the order of the others."""
    page = Page(body_part(nine, {"systems": f"{A},{WORST}", "item": "it-004", "find": "halyard"}))
    added = page.all("a", cls="cb-add")
    assert len(added) == 1 and f"systems={A},{WORST}," in added[0].attributes["href"]
    away = [one for one in page.all("a") if one.attributes.get("aria-label", "").startswith("Take ")]
    assert [f"systems={name}" in one.attributes["href"] for name, one in zip((WORST, A), away, strict=True)] == [
        True
    ] * 2
    sooner = next(one for one in page.all("a") if one.attributes.get("aria-label", "").startswith("Move "))
    assert f"systems={WORST},{A}" in sooner.attributes["href"]
    assert "No other system fits" in Page(found_part(nine, {"find": "no such name"})).text()


def test_words_are_held_against_the_script_one_by_one(nine: Context) -> None:
    """Each error has a sign and a word beside its colour."""
    samples = nine.published.samples(nine.published.board(""), [WORST])[WORST]
    item = next(one.item_id for one in samples.values() if not one.passed_gate)
    page = Page(body_part(nine, {"systems": WORST, "item": item}))
    wrong = [one for one in page.all("li") if one.attributes.get("class", "").startswith("cb-align-")]
    signs = {f"cb-align-{kind}": sign for kind, (sign, _) in words.ALIGNED.items()}
    assert wrong and all(signs[one.attributes["class"]] in one.text and one.attributes["title"] for one in wrong)


def test_a_hostile_name_is_inert_in_reasons_and_searches(hostile_nine: Context) -> None:
    """A walk's reason, a chip and a found system show the name as it is written."""
    rows = hostile_nine.published.board("").rows
    names = ",".join(row.submission for row in rows[:2])
    for walk in ("widest", "vetoed", "dispute"):
        page = Page(listen_page(hostile_nine, {"systems": names, "walk": walk, "split": "any", "find": cast.EVIL}))
        assert not page.all("img") and not [one for one in page.all("script") if "src" not in one.attributes]
