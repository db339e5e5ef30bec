"""The per-sample table of one scored submission: from records to columns. `evidence` reads it back."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from evaluation.bootstrap import MICRO
from evaluation.protocol import Protocol
from evaluation.records import (
    Acoustics,
    ClassScores,
    ClipReadings,
    Estimate,
    Item,
    PredictedMos,
    SampleScore,
    Transcript,
    Unread,
    Verdict,
)
from submissions.columns import ACOUSTICS, CLIP, REQUESTED, UNREAD, VERDICT, judge_prefix, sample_schema, shape_of
from submissions.evidence import Evidence
from submissions.forms_cells import forms_cell

Reading = Acoustics | Transcript | ClassScores | Estimate | PredictedMos | Verdict


def sample_table(protocol: Protocol, evidence: Evidence, samples: Sequence[SampleScore]) -> pa.Table:
    """Return the per-sample table, one row an item in the order of the items.

    Args:
        protocol: its traits, dimensions, instruments, judge and normaliser say which columns there are.
        evidence: what the scores were made of.
        samples: the scores, in the order of the items.
    """
    schema = sample_schema(shape_of(protocol, evidence.items))
    rows = [_row(item, evidence, sample) for item, sample in zip(evidence.items, samples, strict=True)]
    return pa.Table.from_pylist([row | {"normaliser": protocol.normaliser} for row in rows], schema=schema)


def _row(item: Item, evidence: Evidence, sample: SampleScore) -> dict[str, Any]:
    row: dict[str, Any] = {
        "item_id": item.id,
        "tier": item.tier,
        "split": item.split,
        "instruction": item.instruction,
        "script": item.script,
        "spoken_forms": forms_cell(item.spoken_forms),
        "category": item.category,
        **{REQUESTED + name: value for name, value in item.requested.items()},
        "is_declined": sample.is_declined,
        "passed_gate": sample.passed_gate,
        "composite_micro": sample.composite_micro,
        "composite": sample.composite_micro / MICRO,
    }
    if item.id in evidence.clips:
        clip, readings = evidence.clips[item.id], evidence.readings[item.id]
        row |= {name: getattr(clip, name) for name in CLIP if name != "clip_sha256"} | {"clip_sha256": clip.sha256}
        row |= _readings_cells(readings)
    for score in sample.dimensions:
        for name in ("measured", "quantity", "desirability", "reason"):
            row[f"{name}_{score.dimension}"] = getattr(score, name)
    if sample.word_errors is not None:
        counts = ("n_words", "wer", "substitutions", "deletions", "insertions")
        row |= {name: getattr(sample.word_errors, name) for name in counts}
    if sample.gate is not None:
        detail = sample.gate
        row |= {"transcript_counted": detail.counted, "is_disputed": detail.is_disputed, "spoken_path": detail.path}
        row |= {"n_units": detail.n_units, "n_units_right": detail.n_units_right}
    return row


def _readings_cells(readings: ClipReadings) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    held = {"acoustics": readings.acoustics, "transcript": readings.transcript, "mos": readings.naturalness}
    verdicts = {judge_prefix(name): verdict for name, verdict in readings.verdicts.items()}
    for prefix, reading in (*held.items(), *readings.probes.items(), *verdicts.items()):
        cells |= _reading_cells(prefix, reading)
    return cells


def _reading_cells(prefix: str, reading: Reading | Unread | None) -> dict[str, Any]:
    match reading:
        case None:
            return {}
        case Unread():
            return {prefix + suffix: getattr(reading, field) for suffix, field in UNREAD.items()}
        case Acoustics():
            return {column: getattr(reading, field) for column, field in ACOUSTICS.items()}
        case Transcript():
            return _hearing_cells(reading)
        case ClassScores():
            return {f"{prefix}_{name}": p for name, p in zip(reading.labels, reading.probabilities, strict=True)}
        case Estimate():
            return {f"{prefix}_estimate": reading.value}
        case PredictedMos():
            return {"mos": reading.mos}
        case Verdict():
            return {f"{prefix}_{name}": getattr(reading, name) for name in VERDICT}


def _hearing_cells(heard: Transcript) -> dict[str, Any]:
    cells = {"transcript": heard.text, "transcript_setting": heard.setting, "transcript_doubt": heard.doubt}
    for column, hearing in (("transcript_again", heard.again), ("transcript_second", heard.second)):
        if hearing is not None:
            cells |= {column: hearing.text, f"{column}_setting": hearing.setting}
    return cells
