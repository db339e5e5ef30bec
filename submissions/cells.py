"""The readings of one row of a per-sample table, read back with every value checked.

A forged cell is refused here by row and column, so that scoring may trust what it is given.
"""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from evaluation.errors import SchemaError
from evaluation.records import (
    Acoustics,
    ClassScores,
    Doubt,
    Estimate,
    Hearing,
    PredictedMos,
    ProbeReading,
    Transcript,
    Unread,
    Verdict,
    Winner,
)
from evaluation.traits import trait
from submissions.columns import ACOUSTICS, UNREAD, VERDICT, Shape, judge_prefix, probe_columns

_FULL_MARK = 3.0

Row = Mapping[str, Any]


def read_acoustics(row: Row, place: str) -> Acoustics | Unread | None:
    """Return the acoustics of a row; raises SchemaError, naming `place`, for a forged one."""
    values = {field: row[column] for column, field in ACOUSTICS.items()}
    unread = _unread("acoustics", ACOUSTICS, row, place)
    if unread is not None or all(value is None for value in values.values()):
        return unread
    absent = [field for field, value in values.items() if value is None and field != "f0_hz"]
    if absent:
        raise SchemaError(f"{place}: acoustics without {absent}")
    if not values["speech_start_s"] < values["speech_end_s"] or not (values["f0_hz"] is None or values["f0_hz"] > 0):
        raise SchemaError(f"{place}: speech must end after it starts, and f0_hz must be above 0")
    return Acoustics(**values)


def read_heard(row: Row, place: str) -> Transcript | Unread | None:
    """Return the transcript of a row, or why there is none; raises SchemaError, naming `place`, for a forged one."""
    return _unread("transcript", ("transcript", "transcript_setting"), row, place) or read_transcript(row, place)


def read_transcript(row: Row, place: str) -> Transcript | None:
    """Return the transcript of a row, or None; raises SchemaError, naming `place`, for a forged one."""
    text, setting = row["transcript"], row["transcript_setting"]
    if (text is None) != (setting is None):
        raise SchemaError(f"{place}: transcript and transcript_setting must both stand, or neither")
    doubt = row.get("transcript_doubt")
    again, second = (_hearing(name, row, place) for name in ("transcript_again", "transcript_second"))
    if (doubt is None) != (again is None and second is None) or (text is None and doubt is not None):
        raise SchemaError(f"{place}: a clip was heard again if, and only if, its first transcript was in doubt")
    if doubt is not None and doubt not in get_args(Doubt):
        raise SchemaError(f"{place}: transcript_doubt must be one of {get_args(Doubt)}, got {doubt!r:.40}")
    return None if text is None else Transcript(text=text, setting=setting, doubt=doubt, again=again, second=second)


def read_naturalness(row: Row, place: str) -> PredictedMos | Unread | None:
    """Return the predicted score of a row; raises SchemaError, naming `place`, for a forged one."""
    unread = _unread("mos", ("mos",), row, place)
    return unread if unread is not None or row["mos"] is None else PredictedMos(mos=row["mos"])


def read_probes(row: Row, shape: Shape, place: str) -> dict[str, ProbeReading]:
    """Return what the instruments read of a row, by trait; raises SchemaError, naming `place`, for a forged one."""
    found = {name: _probe(name, row, place) for name in shape.probes}
    return {name: reading for name, reading in found.items() if reading is not None}


def read_verdicts(row: Row, shape: Shape, place: str) -> dict[str, Verdict | Unread]:
    """Return what the judge said of a row, by dimension; raises SchemaError, naming `place`, for a forged one."""
    found = {name: _verdict(judge_prefix(name), row, place) for name in shape.judged}
    return {name: verdict for name, verdict in found.items() if verdict is not None}


def _probe(name: str, row: Row, place: str) -> ProbeReading | None:
    columns = probe_columns(name)
    unread = _unread(name, columns, row, place)
    held = {column: row[column] for column in columns if row[column] is not None}
    if unread is not None or not held:
        return unread
    if f"{name}_estimate" in held:
        return Estimate(value=held[f"{name}_estimate"])
    if not all(0.0 <= probability <= 1.0 for probability in held.values()):
        raise SchemaError(f"{place}: the probabilities of {name} must be 0..1, got {held}")
    labels = tuple(value for value in trait(name).values if f"{name}_{value}" in held)
    return ClassScores(labels=labels, probabilities=tuple(held[f"{name}_{value}"] for value in labels))


def _verdict(prefix: str, row: Row, place: str) -> Verdict | Unread | None:
    fields = {name: row[f"{prefix}_{name}"] for name in VERDICT}
    unread = _unread(prefix, [f"{prefix}_{name}" for name in VERDICT], row, place)
    if unread is not None or all(value is None for value in fields.values()):
        return unread
    absent = [name for name, value in fields.items() if value is None]
    if absent:
        raise SchemaError(f"{place}: {prefix} without {absent}")
    scores = (fields["score"], fields["anchor_score"])
    is_known = fields["winner"] in get_args(Winner) and fields["n_replies"] > 0
    if not is_known or not all(0.0 <= score <= _FULL_MARK for score in scores):
        raise SchemaError(f"{place}: {prefix} holds what no judge can say: {fields!r:.200}")
    return Verdict(**fields)


def _unread(prefix: str, columns: Iterable[str], row: Row, place: str) -> Unread | None:
    reason, fault, detail = (row[prefix + suffix] for suffix in UNREAD)
    if reason is None:
        if fault is not None or detail is not None:
            raise SchemaError(f"{place}: {prefix}_unread is empty, but fault or detail is not")
        return None
    if any(row[column] is not None for column in columns):
        raise SchemaError(f"{place}: {prefix} was unread, but its reading is not empty")
    if fault not in ("clip", "instrument") or detail is None:
        raise SchemaError(f"{place}: {prefix}_unread_fault must be clip or instrument, got {fault!r:.40}")
    return Unread(reason=reason, fault=fault, detail=detail)


def _hearing(name: str, row: Row, place: str) -> Hearing | None:
    text, setting = row.get(name), row.get(f"{name}_setting")
    if text is not None and setting is not None:
        return Hearing(text=text, setting=setting)
    if text is not None or setting is not None:
        raise SchemaError(f"{place}: {name} and {name}_setting must both stand, or neither")
    return None
