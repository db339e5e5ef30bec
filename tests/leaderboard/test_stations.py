"""A worker's surroundings as the settings make them."""

import dataclasses
from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from evaluation.errors import ProtocolError
from evaluation.judge.backend import JudgeMisconfigured
from evaluation.judge.spend import PriceUnknown
from evaluation.protocol import load_shipped
from leaderboard.judges import unbounded
from leaderboard.protocols import keep
from leaderboard.settings import Settings, from_env
from leaderboard.stations import station
from tests.evaluation.judge.loopback import Loopback
from tests.submissions.judged_evaluation import judged, prefers_first, recipe
from tests.submissions.small_evaluation import acoustic_protocol, make_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Give a small corpus."""
    return make_corpus(tmp_path, 2)


def _settings(home: Path, **more: str) -> Settings:
    return from_env({"CASTBOARD_HOME": str(home), **{f"CASTBOARD_{name}": value for name, value in more.items()}})


def _recipe(corpus: Corpus, **changes: object):
    return recipe("anchor", {item.id: "0" * 64 for item in corpus.items}, **changes)


def test_callers_of_one_site_share_cache_and_breaker(corpus: Corpus, tmp_path: Path) -> None:
    """A judge that is down for one submission is not asked again by the next before its pause is over."""
    with Loopback(prefers_first) as server:
        settings = _settings(tmp_path / "home", JUDGE_URL=server.openai_url, JUDGE_KEY="k", JUDGE_PARALLEL="2")
        made = station(settings, acoustic_protocol(corpus.pin), corpus, "w1")
        assert made.open_judge is not None
        first, second = made.open_judge(_recipe(corpus), "a"), made.open_judge(_recipe(corpus), "b")
        assert first is not second
        assert first.backend is second.backend
        assert (made.judge_n_parallel, bool(made.judge_prices)) == (2, True)
        assert server.seen == []


def test_a_judge_without_its_key_is_found_before_anything_is_claimed(corpus: Corpus, tmp_path: Path) -> None:
    """The preflight opens the judge, and sends nothing."""
    plain = acoustic_protocol(corpus.pin)
    protocol = judged(plain, _recipe(corpus, backend="gemini"))
    made = station(_settings(tmp_path / "home"), plain, corpus, "w1")
    with pytest.raises(JudgeMisconfigured):
        made.preflight(protocol)


def test_a_budget_for_a_model_without_a_price_is_refused_at_the_start(corpus: Corpus, tmp_path: Path) -> None:
    """What nobody can count cannot be kept within a budget."""
    plain = acoustic_protocol(corpus.pin)
    settings = _settings(tmp_path / "home", JUDGE_URL="http://127.0.0.1:9/v1", JUDGE_KEY="k", JUDGE_BUDGET="5")
    made = station(settings, plain, corpus, "w1")
    with pytest.raises(PriceUnknown):
        made.preflight(judged(plain, _recipe(corpus)))


def test_constants_of_an_analysis_never_reach_a_board(corpus: Corpus, tmp_path: Path) -> None:
    """They are refused before a clip is read, not after hours of work."""
    plain = acoustic_protocol(corpus.pin)
    tuned = dataclasses.replace(plain, constants=dataclasses.replace(plain.constants, margin_floor=0.0))
    with pytest.raises(ProtocolError, match="margin_floor"):
        station(_settings(tmp_path / "home"), plain, corpus, "w1").preflight(tuned)


def test_protocols_that_were_frozen_here_are_found(corpus: Corpus, tmp_path: Path) -> None:
    """And so are those that ship."""
    settings = _settings(tmp_path / "home")
    plain = acoustic_protocol(corpus.pin)
    keep(settings, plain)
    made = station(settings, load_shipped("lite"), corpus, "w1")
    assert made.find_protocol(plain.id) == plain
    assert made.find_protocol(load_shipped("lite").id) == load_shipped("lite")


@pytest.mark.parametrize(
    ("more", "is_told"),
    [({}, True), ({"JUDGE_BUDGET": "5"}, True), ({"JUDGE_DAY_BUDGET": "5"}, False)],
)
def test_an_operator_is_told_that_strangers_may_spend_without_limit(
    more: dict[str, str], is_told: bool, corpus: Corpus, tmp_path: Path
) -> None:
    """A budget for each submission bounds nobody who sends many; the embedded judge costs nothing."""
    plain, settings = acoustic_protocol(corpus.pin), _settings(tmp_path / "home", **more)
    said = unbounded(settings, judged(plain, _recipe(corpus)))
    assert (said is not None) is is_told
    assert said is None or "CASTBOARD_JUDGE_DAY_BUDGET" in said
    free = _recipe(corpus, backend="embedded", model="distillmos-0.9.1", dimensions=("naturalness",))
    assert unbounded(settings, judged(plain, free)) is None
    assert unbounded(settings, plain) is None
