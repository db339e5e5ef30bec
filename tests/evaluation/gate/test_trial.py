"""The gate's record and the rates that follow from it."""

import dataclasses
from pathlib import Path

import pytest

from evaluation.bootstrap import Interval, wilson_interval
from evaluation.corpus import load_benchmark_v1
from evaluation.errors import SchemaError
from evaluation.gate import trial
from evaluation.gate.trial import Cell, Trial, Verdict, rate_of, vetoes
from evaluation.protocol import load_shipped
from evaluation.records import ItemId


def _trial(*causes: str) -> Trial:
    cells = (
        Cell(engine="a", tier=2, transcriber="lite", n=300, passed=(90, 180, 240)),
        Cell(engine="b", tier=2, transcriber="lite", n=200, passed=(60, 120, 160)),
        Cell(engine="b", tier=2, transcriber="base", n=200, passed=(0, 0, 0)),
    )
    verdicts = tuple(Verdict(item_id=ItemId(f"vb-{n:05}"), engine="a", cause=cause) for n, cause in enumerate(causes))
    return Trial(corpus="c", normaliser="n", wer_limit=0.15, transcriber="lite", cells=cells, verdicts=verdicts)


def test_rates_scale_the_draw_to_all_clips() -> None:
    """100 of 500 clips vetoed, 10 of 40 checked misheard: 5 % of all clips, and its Wilson interval likewise."""
    found = _trial(*["transcriber"] * 10, *["voice"] * 28, *["gate"] * 2)
    assert vetoes(found) == (100, 500)
    rate = rate_of(found, "transcriber")
    draw = wilson_interval(10, 40, alpha=0.05)
    assert rate.share == pytest.approx(0.05)
    assert rate.interval == Interval(low=0.2 * draw.low, high=0.2 * draw.high)
    assert rate_of(found, "gate", "transcriber").share == pytest.approx(0.06)


def test_nothing_checked_gives_no_rate() -> None:
    """Without a verdict, or with one alone, there is no rate."""
    assert rate_of(_trial(), "gate") is None
    assert rate_of(_trial("gate"), "gate") is None


def test_a_record_survives_its_file(tmp_path: Path) -> None:
    """What was written is what is read; anything else is refused by name."""
    path = tmp_path / "trial.json"
    found = _trial("gate", "voice")
    path.write_bytes(trial.encode(found))
    assert trial.load(path) == found
    path.write_bytes(trial.encode(found).replace(b'"schema_version": 1', b'"schema_version": 2'))
    with pytest.raises(SchemaError, match="schema_version"):
        trial.load(path)
    with pytest.raises(SchemaError, match="not a readable record"):
        trial.load(tmp_path / "absent.json")


def test_the_shipped_record_is_of_the_shipped_gate() -> None:
    """Corpus, normaliser and limit are those of the lite protocol, and every hand-checked veto is a known item."""
    shipped, lite = trial.shipped(), load_shipped("lite")
    assert (shipped.corpus, shipped.normaliser, shipped.wer_limit) == (
        lite.corpus.name,
        lite.normaliser,
        lite.constants.wer_limit,
    )
    known = load_benchmark_v1().by_id()
    checked = [(verdict.engine, verdict.item_id) for verdict in shipped.verdicts]
    assert len(set(checked)) == len(checked) == 40
    assert {item_id for _, item_id in checked} <= set(known)
    assert len({cell.engine for cell in shipped.cells}) >= 3
    assert trial.encode(dataclasses.replace(shipped)) == trial.FILE.read_bytes()
