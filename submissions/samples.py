"""The per-sample table of one scored submission: from records to columns. `evidence` reads it back."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from evaluation.bootstrap import MICRO
from evaluation.protocol import Protocol
from evaluation.records import Acoustics, ClassScores, Estimate, Item, PredictedMos, SampleScore, Transcript, Unread
from evaluation.traits import TRAITS
from submissions.columns import ACOUSTICS, CLIP, UNREAD, sample_schema
from submissions.evidence import Evidence

Reading = Acoustics | Transcript | ClassScores | Estimate | PredictedMos


def sample_table(protocol: Protocol, evidence: Evidence, samples: Sequence[SampleScore]) -> pa.Table:
    """Return the per-sample table, one row an item in the order of the items.

    Args:
        protocol: its dimensions and its normaliser say which columns there are.
        evidence: what the scores were made of.
        samples: the scores, in the order of the items.
    """
    schema = sample_schema(protocol.dimensions, protocol.normaliser)
    rows = [_row(item, evidence, sample) for item, sample in zip(evidence.items, samples, strict=True)]
    return pa.Table.from_pylist([row | {"normaliser": protocol.normaliser} for row in rows], schema=schema)


def _row(item: Item, evidence: Evidence, sample: SampleScore) -> dict[str, Any]:
    row: dict[str, Any] = {
        "item_id": item.id,
        "tier": item.tier,
        "split": item.split,
        "instruction": item.instruction,
        "script": item.script,
        **{f"requested_{trait.name}": item.requested[trait.name] for trait in TRAITS},
        "is_declined": sample.is_declined,
        "passed_gate": sample.passed_gate,
        "composite_micro": sample.composite_micro,
        "composite": sample.composite_micro / MICRO,
    }
    if item.id in evidence.clips:
        clip, readings = evidence.clips[item.id], evidence.readings[item.id]
        row |= {name: getattr(clip, name) for name in CLIP if name != "clip_sha256"} | {"clip_sha256": clip.sha256}
        row |= _reading_cells("acoustics", readings.acoustics) | _reading_cells("transcript", readings.transcript)
        row |= _reading_cells("gender", readings.probes.get("gender")) | _reading_cells("mos", readings.naturalness)
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
            return {f"gender_{name}": p for name, p in zip(reading.labels, reading.probabilities, strict=True)}
        case Estimate():
            return {"age_estimate": reading.value}
        case PredictedMos():
            return {"mos": reading.mos}


def _hearing_cells(heard: Transcript) -> dict[str, Any]:
    cells = {"transcript": heard.text, "transcript_setting": heard.setting, "transcript_doubt": heard.doubt}
    for column, hearing in (("transcript_again", heard.again), ("transcript_second", heard.second)):
        if hearing is not None:
            cells |= {column: hearing.text, f"{column}_setting": hearing.setting}
    return cells
