"""Prices, costs, upper bounds and the estimate of a run."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import SchemaError
from evaluation.judge.backend import Request, Sound, Usage
from evaluation.judge.spend import (
    Price,
    cost_micro_usd,
    estimate,
    load_prices,
    price_of,
    upper_bound_micro_usd,
)
from evaluation.pins import Anchor, JudgeRecipe
from tests.evaluation.judge.asking import request

LINE = {
    "backend": "openai",
    "model": "mine*",
    "text_in": "0",
    "audio_in": "0",
    "out": "0",
    "audio_tokens_per_s": "25",
    "source": "my own machine",
    "as_of": "2026-01-02",
}


def recipe(*, is_combined: bool = False, votes: int = 1, model: str = "gemini-2.5-flash") -> JudgeRecipe:
    """Return a recipe for tone and naturalness."""
    return JudgeRecipe(
        backend="gemini",
        model=model,
        dimensions=("tone", "naturalness"),
        is_combined=is_combined,
        votes=votes,
        prompt="v1",
        texts={},
        preparation={},
        temperature=0.0,
        max_output_tokens=1000,
        n_asks=3,
        anchor=Anchor(name="x", submission="x", clips={}),
    )


def table(folder: Path, *lines: dict[str, str]) -> Path:
    """Write a price table and return where it is."""
    path = folder / "prices.json"
    path.write_text(json.dumps({"schema_version": 1, "prices": lines}))
    return path


def test_shipped_table_is_sound() -> None:
    """Every shipped price has a source and a date, and patterns meet what they name."""
    prices = load_prices()
    assert all(price.source and len(price.as_of) == 10 for price in prices)
    found = price_of(prices, backend="gemini", model="gemini-3.1-pro-preview")
    assert found is not None
    assert (found.text_in, found.out) == (Decimal("2.00"), Decimal("12.00"))
    assert price_of(prices, backend="openai", model="gemini-3.1-pro-preview") is None
    assert price_of(prices, backend="gemini", model="gemini-9") is None


def test_worked_cost() -> None:
    """1000 tokens of text at 0.30, 500 of audio at 1.00 and 200 out at 2.50 dollars a million cost 1300 millionths."""
    price = price_of(load_prices(), backend="gemini", model="gemini-2.5-flash")
    assert cost_micro_usd(Usage(input_tokens=1500, audio_tokens=500, output_tokens=200), price) == 1300


def test_cost_is_rounded_up() -> None:
    """A tenth of a millionth is one millionth, so that sums never fall short."""
    price = price_of(load_prices(), backend="gemini", model="gemini-2.5-flash")
    assert cost_micro_usd(Usage(input_tokens=1, audio_tokens=0, output_tokens=0), price) == 1


def test_cost_without_a_price_or_a_count_is_not_known() -> None:
    """Neither is zero; what runs for nothing is."""
    nothing = Usage(input_tokens=0, audio_tokens=0, output_tokens=0)
    assert cost_micro_usd(Usage(input_tokens=1, audio_tokens=0, output_tokens=0), None) is None
    assert cost_micro_usd(nothing, price_of(load_prices(), backend="gemini", model="gemini-2.5-flash")) is None
    assert cost_micro_usd(nothing, price_of(load_prices(), backend="embedded", model="any")) == 0


def test_sounds_that_are_not_counted_apart_are_taken_at_the_dearer_price() -> None:
    """Many servers count no audio; at the price of text a hard budget would be overspent."""
    price = price_of(load_prices(), backend="gemini", model="gemini-2.5-flash")
    uncounted = Usage(input_tokens=1500, audio_tokens=0, output_tokens=200)
    assert cost_micro_usd(uncounted, price) == 950
    assert cost_micro_usd(uncounted, price, has_sound=True) == 2000


def test_a_reply_of_no_tokens_was_not_counted() -> None:
    """What was written or heard cost something, so its cost is not known; an empty reply cost what went in."""
    price = price_of(load_prices(), backend="gemini", model="gemini-2.5-flash")
    assert cost_micro_usd(Usage(input_tokens=1000, audio_tokens=0, output_tokens=0), price, has_text=True) is None
    assert cost_micro_usd(Usage(input_tokens=0, audio_tokens=0, output_tokens=9), price, has_sound=True) is None
    assert cost_micro_usd(Usage(input_tokens=1000, audio_tokens=0, output_tokens=0), price) == 300


def test_operators_line_comes_first(tmp_path: Path) -> None:
    """The operator's own file adds models and overrules shipped prices."""
    own = table(tmp_path, LINE, {**LINE, "backend": "gemini", "model": "gemini-2.5-flash", "out": "9"})
    prices = load_prices(own)
    assert price_of(prices, backend="openai", model="mine-7b") is not None
    overruled = price_of(prices, backend="gemini", model="gemini-2.5-flash")
    assert overruled is not None
    assert overruled.out == 9


@pytest.mark.parametrize(
    "line",
    [
        {**LINE, "out": "-1"},
        {**LINE, "out": "NaN"},
        {**LINE, "out": "much"},
        {**LINE, "out": 1},
        {**LINE, "more": "x"},
        {"model": "m"},
        [],
    ],
)
def test_bad_price_lines_are_refused(line: object, tmp_path: Path) -> None:
    """A line of another shape, or a price below 0, is named."""
    with pytest.raises(SchemaError, match="price 0"):
        load_prices(table(tmp_path, line))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 2, "prices": []}', '{"schema_version": 1}'])
def test_bad_tables_are_refused(text: str, tmp_path: Path) -> None:
    """A file that is no price table of this version is refused."""
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(SchemaError, match=r"prices\.json"):
        load_prices(path)


@given(
    texts=st.lists(st.text(max_size=50), max_size=4),
    seconds=st.lists(st.floats(0.1, 120), max_size=2),
    n_out=st.integers(1, 5000),
)
def test_no_call_costs_more_than_its_upper_bound(texts: list[str], seconds: list[float], n_out: int) -> None:
    """A token for every byte of text, every second of audio and a reply of full length stay within the bound."""
    price = price_of(load_prices(), backend="gemini", model="gemini-2.5-flash")
    assert price is not None
    parts = (*texts, *(Sound(wav=b"", duration_s=s) for s in seconds))
    asked = Request(system="s", parts=parts, schema={}, temperature=0.0, max_output_tokens=n_out)
    audio = sum(int(32 * s) + 1 for s in seconds)
    text = 1 + sum(len(t.encode()) for t in texts)
    usage = Usage(input_tokens=text + audio, audio_tokens=audio, output_tokens=n_out)
    cost = cost_micro_usd(usage, price)
    assert cost is not None
    assert cost <= upper_bound_micro_usd(asked, price)


def test_bound_grows_with_the_reply() -> None:
    """A longer reply may cost more, by exactly its price."""
    nothing = Decimal(0)
    price = Price(
        backend="openai",
        model="m",
        text_in=nothing,
        audio_in=nothing,
        out=Decimal(3),
        audio_tokens_per_s=nothing,
        source="",
        as_of="",
    )
    bounds = [upper_bound_micro_usd(request(max_output_tokens=n), price) for n in (100, 101)]
    assert bounds == [300, 303]


def test_estimate_by_hand() -> None:
    """Two items, two dimensions, both orders, three votes: 24 calls that hear 9 s of clips 12 times."""
    found = estimate(
        recipe(votes=3), clip_s=[1.0, 2.0], anchor_s=[2.0, 4.0], prompt_characters=401, prices=load_prices()
    )
    assert (found.calls, found.audio_s) == (24, 108.0)
    assert found.input_tokens == 24 * 101 + 108 * 32
    assert found.output_tokens == 24_000
    assert found.micro_usd == 728 + 108 * 32 + 60_000  # 2424 x 0.30 = 727.2, rounded up with the rest


def test_combined_mode_asks_once_for_all_dimensions() -> None:
    """One call for both dimensions halves the calls."""
    clips = {"clip_s": [1.0], "anchor_s": [1.0], "prompt_characters": 4, "prices": load_prices()}
    assert estimate(recipe(is_combined=True), **clips).calls == 2
    assert estimate(recipe(), **clips).calls == 4


def test_estimate_without_a_price_has_no_money() -> None:
    """Calls and tokens are known all the same."""
    found = estimate(recipe(model="new"), clip_s=[1.0], anchor_s=[1.0], prompt_characters=4, prices=load_prices())
    assert found.micro_usd is None
    assert found.input_tokens > 0


def test_estimate_needs_pairs() -> None:
    """Every clip needs the anchor's."""
    with pytest.raises(ValueError, match="2 clips, 1 of the anchor"):
        estimate(recipe(), clip_s=[1.0, 1.0], anchor_s=[1.0], prompt_characters=4, prices=load_prices())
