"""The gate's trial: which items, who hears them, what is kept, how it is counted."""

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from evaluation.corpus import Corpus, load_benchmark_v1
from evaluation.gate.normalisers import NEWEST
from evaluation.protocol import load_shipped
from evaluation.records import ItemId
from submissions.demo.systems import DEMO_SYSTEMS
from submissions.demo.trial import LITE, N_OF_OTHER_TIERS, Heard, hear_lite, sample_of
from submissions.demo.trial_table import N_CHECKED, cells, rates, stripped, to_check

BENCHMARK = load_benchmark_v1()
ITEMS = BENCHMARK.by_id()
HARD = next(item for item in BENCHMARK.items if "$" in item.script)


def _heard(item_id: str, *texts: str) -> Heard:
    return Heard(engine="voice", item_id=ItemId(item_id), transcriber=LITE, texts=texts)


def test_the_whole_hard_tier_and_some_of_the_others() -> None:
    """Every hard item, and as many of each other tier as agreed, each once."""
    chosen = sample_of(BENCHMARK.items)
    assert Counter(item.tier for item in chosen) == {2: 124, 1: N_OF_OTHER_TIERS, 0: N_OF_OTHER_TIERS}
    assert len({item.id for item in chosen}) == len(chosen)


def test_a_written_reading_passes_everywhere_and_rubbish_nowhere() -> None:
    """The script itself has no error in any way of comparing; other words fail them all."""
    right, wrong = _heard(HARD.id, HARD.script), _heard(HARD.id, "something else altogether")
    assert set(rates(HARD, right, NEWEST).values()) == {0.0}
    assert min(rates(HARD, wrong, NEWEST).values()) > 0.5


def test_the_best_hearing_counts_for_every_way() -> None:
    """A second hearing that is right makes up for a first that loops, and never the other way round."""
    loop = "no " * 40
    assert set(rates(HARD, _heard(HARD.id, loop, HARD.script), NEWEST).values()) == {0.0}
    assert rates(HARD, _heard(HARD.id, loop, HARD.script), NEWEST) == rates(
        HARD, _heard(HARD.id, HARD.script, loop), NEWEST
    )


def test_counts_by_voice_tier_and_transcriber() -> None:
    """Two clips of one cell, one right: one passes."""
    other = next(item for item in sample_of(BENCHMARK.items) if item.tier == 2 and item.id != HARD.id)
    (cell,) = cells(ITEMS, [_heard(HARD.id, HARD.script), _heard(other.id, "no")], version=NEWEST, limit=0.15)
    assert (cell.engine, cell.tier, cell.transcriber, cell.n, cell.passed) == ("voice", 2, LITE, 2, (1, 1, 1))


def test_the_draw_is_of_vetoes_alone_and_always_the_same() -> None:
    """Forty different vetoed clips, the same ones every time."""
    heard = [_heard(item.id, item.script if number % 2 else "no") for number, item in enumerate(BENCHMARK.items)]
    drawn = to_check(ITEMS, heard, version=NEWEST, limit=0.15)
    assert drawn == to_check(ITEMS, heard, version=NEWEST, limit=0.15)
    assert len(set(drawn)) == N_CHECKED
    assert {one.texts for one in drawn} == {("no",)}


def test_bare_letters() -> None:
    """Signs and accents vanish, digits and spaces stay."""
    assert stripped("  It's 4:30 — Café!") == "its 430 caf"


@pytest.mark.models
def test_a_voice_is_heard_once_and_then_remembered(tmp_path: Path) -> None:
    """Three items are spoken and heard for real; the second time neither voice nor transcriber is needed."""
    few = Corpus(pin=BENCHMARK.pin, items=tuple(item for item in BENCHMARK.items if item.tier == 0)[:3])
    pico = next(system for system in DEMO_SYSTEMS if system.key == "pico")
    first = hear_lite(pico, few, load_shipped("lite"), tmp_path, n_processes=1)
    assert {one.item_id for one in first} == {item.id for item in few.items}

    def gone(_: Path) -> None:
        raise AssertionError("the voice was loaded again")

    mute = dataclasses.replace(pico, load=gone)
    assert hear_lite(mute, few, load_shipped("lite"), tmp_path, n_processes=1) == first
    assert rates(ITEMS[first[0].item_id], first[0], NEWEST)["gate"] <= 0.5
