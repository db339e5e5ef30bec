"""The method page of a board with classifiers, a judge, cards, people's labels and a second season."""

import dataclasses
from decimal import Decimal
from pathlib import Path

import pytest

from evaluation.judge import rubrics
from evaluation.judge.spend import Price, load_prices
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from leaderboard import shell
from leaderboard.context import Context, make_context
from leaderboard.pages import method_judge, method_people, method_seasons, method_usage
from leaderboard.reading.method import TRIALS, method_page
from leaderboard.trials import concerns, load_trials
from submissions.replies import JudgeUsage
from submissions.store.folder import FolderStore
from tests.leaderboard import cast, nine
from tests.leaderboard.page_reader import Element, Page

MODELS = ("age", "emotion", "accent")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """Give a board of nine dimensions and, beside it, three rows of the lite season."""
    home = tmp_path_factory.mktemp("method")
    full = nine.make_site(home, cast.SIX[:3], n_items=12)
    lite = cast.make_protocol(full.corpus)
    for part in cast.SIX[:2]:
        cast.play(full.files, full.corpus, lite, part)  # type: ignore[arg-type]
    return make_context(
        home=home,
        files=full.files,
        store=FolderStore(home),
        corpus=full.corpus,
        protocols=(*full.protocols, lite),
        judge_prices=load_prices(),
    )


@pytest.fixture(scope="module")
def page(site: Context) -> Page:
    """Give its page."""
    return Page(method_page(site, {}))


def recipe_of(site: Context) -> JudgeRecipe:
    """Give the judge's recipe."""
    recipe = site.protocols[0].judge
    assert recipe is not None
    return recipe


def cells(table: Element) -> list[str]:
    """Give the texts of a table's cells, row by row."""
    return [one.text for one in table.inside if one.tag in ("td", "th")]


def test_every_model_is_told_with_all_that_its_pin_says(site: Context, page: Page) -> None:
    """Commit, licence with its mark, labels, lengths, known accuracy with its source, files, canary."""
    for name in MODELS:
        model = site.protocols[0].instruments[name].model
        assert model is not None
        told = page.by_id(f"instrument-{name}").text
        for text in (model.repo, model.revision, model.known_accuracy, model.accuracy_source, model.canary_sha256):
            assert text in told
        assert f"{model.shortest_s:g} to {model.longest_s:g} s at 16,000 Hz" in told
        assert all(f"{label} counts as {value}" in told for label, value in model.labels.items())
        assert all(sha256 in told for sha256 in model.files.values())
        assert ("non-commercial" in told) == (name == "age")
    assert "licence forbids commercial use" in page.by_id("instruments").text


def test_what_was_never_tried_is_told_of_the_very_model(site: Context) -> None:
    """Two models of one repository are told apart by name; one that the catalogue lacks is said to be unknown."""
    known = {one.name: one for one in site.candidates}
    one, other = known["gender-wav2vec2-robust-6"], known["age-wav2vec2-robust-6"]
    assert one.repo == other.repo
    protocol = site.protocols[0]
    age = protocol.instruments["age"]
    assert age.model is not None
    mine = dataclasses.replace(age, name=other.name, model=dataclasses.replace(age.model, repo=other.repo))
    changed = dataclasses.replace(protocol, instruments={**protocol.instruments, "age": mine})
    page = Page(method_page(dataclasses.replace(site, published=_Showing(site, changed)), {}))  # type: ignore[arg-type]
    assert other.not_tried in page.by_id("instrument-age").text
    assert one.not_tried != other.not_tried
    assert "does not describe this model" in page.by_id("instrument-emotion").text


def test_cards_show_confusion_and_accuracy_or_say_that_there_is_none(site: Context, page: Page) -> None:
    """Ages are in order of years; a trial that is told below is not told twice."""
    card = site.published.cards(site.published.board(""))["emotion"]
    told = page.by_id("card-emotion").text
    assert f"{card.accuracy.n_hits} of {card.accuracy.n}" in told
    (confusion,) = [
        one for one in page.by_id("card-emotion").inside if "cb-confusion" in one.attributes.get("class", "")
    ]
    assert str(card.confusion["calm"]["calm"]) in cells(confusion)
    (errors,) = [one for one in page.by_id("card-age").inside if one.tag == "table"]
    heads = [one.text for one in errors.inside if one.tag == "th" and one.attributes.get("scope") == "row"]
    assert heads[-1] == "all" and heads[:-1] == sorted(heads[:-1], key=float) and heads[0] == "8"
    assert "Pace, Pitch, Loudness" in page.by_id("cards-missing").text
    assert not [one for one in page.by_id("card-gender").inside if one.tag == "table"]
    assert page.by_id("trial-gender")


def test_the_judge_is_told_from_its_recipe(site: Context, page: Page) -> None:
    """Backend, model, votes, orders, preparation, anchor with its page, and each failure."""
    recipe, told = recipe_of(site), page.by_id("judge").text
    for text in (
        recipe.model,
        "Google's Gemini API",
        "2 calls an item",
        "at most 24 calls",
        *recipe.preparation.values(),
    ):
        assert text in told, text
    links = [one.attributes["href"] for one in page.by_id("judge").inside if one.tag == "a"]
    assert f"/system?id={nine.ANCHOR.id}&protocol={site.protocols[0].id}" in links
    for failure in ("not judged", "goes on where it stopped", "set aside", "by its own word", "speaks to the judge"):
        assert failure in told, failure


def test_rubrics_can_be_read_in_full_beside_their_hashes(site: Context, page: Page) -> None:
    """Word for word as the judge gets them, or their hashes alone if this installation has others."""
    recipe, texts = recipe_of(site), rubrics.load()
    told = page.by_id("judge-rubrics")
    shown = [one.text for one in told.inside if one.tag == "pre"]
    assert all(sha256 in told.text for sha256 in recipe.texts.values())
    assert len(shown) == len(recipe.texts) and set(texts.rubrics.values()) <= set(shown)
    assert any(all(section in text for section in texts.sections.values()) for text in shown)
    other = dataclasses.replace(site.protocols[0], judge=dataclasses.replace(recipe, texts={"rubrics/v1/tone.md": "0"}))
    section = Page(str(method_judge.section(other))).by_id("judge-rubrics")
    assert "other texts than the protocol pins" in section.text
    assert not [one for one in section.inside if one.tag == "pre"]


def test_usage_is_the_sum_and_mean_over_rows_with_the_prices_and_their_date(site: Context, page: Page) -> None:
    """What the page tells is what the rows hold."""
    usages = [row.judge_usage for row in site.published.board("").rows if row.judge_usage]
    told = cells(page.by_id("usage-table"))
    n_calls, spent = sum(one.n_calls for one in usages), sum(one.cost_micro_usd or 0 for one in usages)
    assert len(usages) == 3
    assert told[told.index("Replies") + 1 :][:2] == [f"{n_calls:,}", f"{n_calls / 3:,.0f}"]
    assert told[told.index("Spend") + 1 :][:2] == [method_usage.money(spent), method_usage.money(spent / 3)]
    price = next(one for one in site.judge_prices if one.model == nine.JUDGE)
    section = page.by_id("usage").text
    assert f"{price.out} USD for a million tokens" in section and price.as_of in section


def test_spend_without_a_price_is_not_known_and_never_0(site: Context) -> None:
    """A row without a price is counted as unknown; a model without a price is named."""
    board = site.published.board("")
    unknown = [dataclasses.replace(row, judge_usage=_usage(None)) for row in board.rows[:1]]
    page = Page(str(method_usage.section(dataclasses.replace(board, rows=tuple(unknown)), ())))
    told = cells(page.by_id("usage-table"))
    assert told[told.index("Spend (1 of 1 not known)") + 1] == "–"
    assert "No price is known here" in page.by_id("usage").text
    nobody = Page(str(method_usage.section(dataclasses.replace(board, rows=()), ())))
    assert "No system of this board has been judged yet" in nobody.by_id("usage").text


def test_people_are_told_before_the_judge(site: Context, page: Page) -> None:
    """Alpha first; then accuracy, kappa, correlation by dimension with intervals; and that nothing of it is a score."""
    report = site.published.people(site.published.board(""))
    assert report is not None
    told = page.by_id("people").text
    assert told.index("People among themselves") < told.index("The judge and people")
    assert "None of it enters a score" in told
    assert method_people.figure(report.overall.human_alpha) in told
    for one in report.dimensions.values():
        assert method_people.figure(one.judge_kappa) in told and method_people.figure(one.score_correlation) in told


def test_without_labels_it_says_not_measured_yet(site: Context) -> None:
    """No figure is made up."""
    told = Page(str(method_people.section(site.protocols[0], None))).by_id("people").text
    assert "not measured yet" in told and "enters a score" in told


def test_the_ceiling_is_told_with_all_that_it_takes_for_granted(site: Context, page: Page) -> None:
    """The figure, what each card costs, what has no card, the judge, and the value that nobody labelled."""
    board = site.published.board("")
    found = site.derived.ceiling(board, site.corpus)
    assert found is not None
    told = page.by_id("ceiling").text
    assert page.by_id("ceiling-score").text == f"{found.score:.3f}"
    assert f"alone leaves {found.factors['emotion']:.3f} of 1" in told
    assert "Pace, Pitch, Loudness: without a card" in told and "Tone, Naturalness: a judge has no card" in told
    assert "accent: Canadian" in told and "E[max(d, 0.01)^(1/k)]" in told


def test_seasons_are_listed_with_what_differs(site: Context, page: Page) -> None:
    """Each with its rows; an instrument that the other has not is one line."""
    full, lite = site.protocols
    section = page.by_id("seasons")
    assert f"/method?protocol={lite.id}" in [one.attributes.get("href") for one in section.inside]
    found = {where: (here, there) for where, here, there in method_seasons.differences(full, lite)}
    assert found["judge"][1] == "" and nine.JUDGE in found["judge"][0]
    assert found["instruments.age"][1] == "" and found["instruments.naturalness"][0] == ""
    assert "constants.n_resamples" not in found
    slower = dataclasses.replace(lite, constants=dataclasses.replace(lite.constants, n_resamples=5000))
    assert method_seasons.differences(lite, slower) == (("constants.n_resamples", "2000", "5000"),)
    assert method_seasons.differences(lite, lite) == ()
    assert method_seasons.section(site.published.board(""), site.published.boards()[:1]) is None


def test_the_lite_season_keeps_its_page(site: Context) -> None:
    """No judge, no people, no cost; its own trials, its own limits and its ceiling."""
    page = Page(method_page(site, {"protocol": site.protocols[1].id}))
    ids = {one.attributes.get("id") for one in page.elements}
    assert not ids & {"judge", "people", "usage"}
    assert {"trials", "ceiling", "cards", "seasons"} <= ids
    assert "DistillMOS" in page.by_id("instruments").text and "Kokoro" in page.by_id("limits").text


def test_the_contents_lead_to_sections_that_are_there(site: Context) -> None:
    """Every link of the page's own contents has its place, in both seasons."""
    for protocol in site.protocols:
        page = Page(method_page(site, {"protocol": protocol.id}))
        ids = [one.attributes.get("id") for one in page.elements]
        links = [one.attributes["href"] for one in page.elements if one.attributes.get("href", "").startswith("#")]
        assert len(links) > 12 and all(link[1:] in ids for link in links)
        assert len({one for one in ids if one}) == len([one for one in ids if one])


def test_trials_are_shown_of_the_instruments_that_were_tried(site: Context) -> None:
    """Another gender model has no part in the trial of the packaged probe."""
    trials, lite = load_trials(TRIALS), site.protocols[1]
    assert concerns(trials.gender, lite) and concerns(trials.pitch, lite)
    other = dataclasses.replace(lite.instruments["gender"], name="gender-xlsr-librispeech")
    changed = dataclasses.replace(lite, instruments={**lite.instruments, "gender": other})
    assert not concerns(trials.gender, changed) and concerns(trials.pitch, changed)
    assert [one.what for one in trials.unknown if not concerns(one, changed)] == [trials.unknown[0].what]


def test_outside_text_stays_text(tmp_path: Path) -> None:
    """Cards, pins, replies' model names and prices hold what strangers wrote."""
    evil = "<img src=x onerror=alert(1)>${7*7}"
    site = nine.make_site(tmp_path, cast.SIX[:2], n_items=6, evil=evil)
    protocol = site.protocols[0]
    age = protocol.instruments["age"]
    assert age.model is not None
    pin = dataclasses.replace(
        age.model,
        repo=f"me/{evil}",
        labels={evil: "8"},
        known_accuracy=evil,
        accuracy_source=f"https://x.y/{evil} {evil}",
    )
    wild = dataclasses.replace(age, name=evil, licence=evil, model=pin, settings={evil: evil})
    changed = dataclasses.replace(protocol, instruments={**protocol.instruments, "age": wild})
    price = Price(
        backend="gemini",
        model="*",
        text_in=Decimal(1),
        audio_in=Decimal(1),
        out=Decimal(1),
        audio_tokens_per_s=Decimal(32),
        source=f"javascript:{evil} {evil}",
        as_of=evil,
    )
    wild_site = dataclasses.replace(site, published=_Showing(site, changed), judge_prices=(price,))  # type: ignore[arg-type]
    markup = method_page(wild_site, {})
    assert "<img" not in markup and "${" not in markup
    assert markup.count("&lt;img") > 8
    assert not [one for one in Page(markup).all("a") if one.attributes["href"].lower().startswith("javascript")]


def test_addresses_in_a_text_become_links_and_nothing_else_does() -> None:
    """Brackets and stops around an address stay outside of it."""
    page = Page(str(shell.linked("see https://a.example/x; (repeats https://b.example/y), 2023, javascript:alert(1)")))
    assert [one.attributes["href"] for one in page.all("a")] == ["https://a.example/x", "https://b.example/y"]
    assert shell.linked("a  <b>").startswith("a &lt;b")


class _Showing:
    """What a site publishes, with another recipe on its first board."""

    def __init__(self, site: Context, protocol: Protocol) -> None:
        """Show `protocol` in place of the first board's."""
        self._site, self._protocol = site, protocol

    def board(self, protocol_id: str) -> object:
        """Give the board."""
        return dataclasses.replace(self._site.published.board(protocol_id), protocol=self._protocol)

    def __getattr__(self, name: str) -> object:
        """Give all else as it is."""
        return getattr(self._site.published, name)


def _usage(cost: int | None) -> JudgeUsage:
    return JudgeUsage(
        n_calls=10,
        n_malformed=1,
        input_tokens=100,
        audio_tokens=50,
        output_tokens=20,
        cost_micro_usd=cost,
        models=("other-model",),
    )
