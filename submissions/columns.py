"""The columns of a per-sample table: items, clips, readings and scores of one submission, in order.

Everything that scoring needs stands in the table (and, of a judge, the raw replies beside it), so it alone gives
every score again. First the item, then the clip (null if declined), then each reading with why it read nothing, what
was heard again, each dimension of the protocol, the gate, the composite. What a column means: `column_meanings`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from evaluation.corpus import GENERAL
from evaluation.gate.normalisers import LITE_1
from evaluation.protocol import Protocol
from evaluation.records import Item
from evaluation.traits import NATURALNESS, TRAITS, Kind, named, trait

_TEXT, _NUMBER, _COUNT, _FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
_GENDER = "gender"

CLIP = {
    "clip_sha256": _TEXT,
    "duration_s": _NUMBER,
    "rate_hz": _COUNT,
    "bit_depth": _COUNT,
    "source_format": _TEXT,
    "source_channels": _COUNT,
}
ACOUSTICS = {
    "acoustics_duration_s": "duration_s",
    **{name: name for name in ("speech_start_s", "speech_end_s", "pause_s", "level_dbfs", "peak_dbfs")},
    **{name: name for name in ("f0_hz", "voiced_share")},
}
VERDICT = {
    "score": _NUMBER,
    "anchor_score": _NUMBER,
    "winner": _TEXT,
    "is_consistent": _FLAG,
    "n_replies": _COUNT,
}
"""Columns of a verdict behind their prefix; each is the field of the same name."""
HEARINGS = {
    "transcript_doubt": _TEXT,
    "transcript_again": _TEXT,
    "transcript_again_setting": _TEXT,
    "transcript_second": _TEXT,
    "transcript_second_setting": _TEXT,
}
"""Columns of what was heard again; tables of the first normaliser have none."""
GATE = {
    "transcript_counted": _TEXT,
    "is_disputed": _FLAG,
    "normaliser": _TEXT,
    "spoken_path": _TEXT,
    "n_units": _COUNT,
    "n_units_right": _COUNT,
}
"""Columns of how the word errors came about; tables of the first normaliser have none."""
UNREAD = {"_unread": "reason", "_unread_fault": "fault", "_unread_detail": "detail"}
REQUESTED = "requested_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Which columns a per-sample table has."""

    traits: tuple[str, ...]
    """Traits that the items fix, in the registry's order."""
    probes: tuple[str, ...]
    """Traits with columns of an instrument, in the registry's order."""
    judged: tuple[str, ...]
    """Dimensions that the judge judges, in its order."""
    dimensions: tuple[str, ...]
    """Scored dimensions, in the protocol's order."""
    has_category: bool
    """Whether an item is of another category than "general"."""
    has_forms: bool
    """Whether the corpus brings spoken forms."""
    has_detail: bool
    """Whether it holds hearings and how the word errors came about: not under the first normaliser."""

    def readings(self) -> dict[str, Mapping[str, pa.DataType]]:
        """Return the columns of every instrument's reading, by the prefix of its unread columns, in order."""
        return {
            "acoustics": dict.fromkeys(ACOUSTICS, _NUMBER),
            "transcript": {"transcript": _TEXT, "transcript_setting": _TEXT},
            **{name: dict.fromkeys(probe_columns(name), _NUMBER) for name in self.probes},
            "mos": {"mos": _NUMBER},
            **{judge_prefix(name): verdict_columns(name) for name in self.judged},
        }


def shape_of(protocol: Protocol, items: Sequence[Item]) -> Shape:
    """Return the shape of the per-sample tables of a protocol on these items."""
    traits = tuple(one.name for one in protocol.traits)
    return Shape(
        traits=traits,
        # The columns of gender were there before those of an instrument became a matter of the protocol.
        probes=tuple(name for name in traits if name == _GENDER or name in protocol.instruments),
        judged=protocol.judge.dimensions if protocol.judge else (),
        dimensions=protocol.dimensions,
        has_category=any(item.category != GENERAL for item in items),
        has_forms=protocol.corpus.forms_sha256 is not None,
        has_detail=protocol.normaliser != LITE_1,
    )


def shape_in(columns: Sequence[str]) -> Shape:
    """Return the shape, but for the scored dimensions, that the names of a table's columns show."""
    names = set(columns)
    dimensions = (*(one.name for one in TRAITS), NATURALNESS)
    return Shape(
        traits=tuple(one.name for one in named(name.removeprefix(REQUESTED) for name in names)),
        probes=tuple(one.name for one in TRAITS if names & set(probe_columns(one.name))),
        judged=tuple(name for name in dimensions if names & set(verdict_columns(name))),
        dimensions=(),
        has_category="category" in names,
        has_forms="spoken_forms" in names,
        has_detail="normaliser" in names,
    )


def probe_columns(name: str) -> tuple[str, ...]:
    """Return the columns of what an instrument reads of a trait; none for a trait that is a judge's."""
    one = trait(name)
    if one.kind is Kind.NUMERIC:
        return (f"{name}_estimate",)
    return () if one.kind is Kind.JUDGED else tuple(f"{name}_{value}" for value in one.values)


def judge_prefix(dimension: str) -> str:
    """Return what the names of a judged dimension's columns begin with."""
    return f"judge_{dimension}"


def verdict_columns(dimension: str) -> dict[str, pa.DataType]:
    """Return the columns of a judged dimension."""
    return {f"{judge_prefix(dimension)}_{name}": kind for name, kind in VERDICT.items()}


def sample_schema(shape: Shape) -> pa.Schema:
    """Return the schema of a per-sample table.

    Raises:
        ValueError: if two columns would have one name, which takes a trait of an ill-chosen name.
    """
    fields = [*_item_fields(shape), *((name, kind, True) for name, kind in CLIP.items())]
    for prefix, columns in shape.readings().items():
        fields += [(name, kind, True) for name, kind in columns.items()]
        fields += [(prefix + suffix, _TEXT, True) for suffix in UNREAD]
    fields += [(name, kind, True) for name, kind in HEARINGS.items() if shape.has_detail]
    for dimension in shape.dimensions:
        kinds = {"measured": _TEXT, "quantity": _NUMBER, "desirability": _NUMBER, "reason": _TEXT}
        fields += [(f"{name}_{dimension}", kind, True) for name, kind in kinds.items()]
    fields += [(name, kind, True) for name, kind in GATE.items() if shape.has_detail]
    fields += [("n_words", _COUNT, True), ("wer", _NUMBER, True)]
    fields += [(name, _COUNT, True) for name in ("substitutions", "deletions", "insertions")]
    fields += [("passed_gate", _FLAG, False), ("composite_micro", _COUNT, False), ("composite", _NUMBER, False)]
    names = [name for name, _, _ in fields]
    if len(set(names)) != len(names):
        raise ValueError(f"columns would share a name: {sorted({name for name in names if names.count(name) > 1})}")
    return pa.schema([pa.field(name, kind, nullable=nullable) for name, kind, nullable in fields])


def _item_fields(shape: Shape) -> list[tuple[str, pa.DataType, bool]]:
    names = {"item_id": _TEXT, "tier": _COUNT, "split": _TEXT}
    names |= {"category": _TEXT} if shape.has_category else {}
    names |= {"instruction": _TEXT, "script": _TEXT}
    names |= {"spoken_forms": _TEXT} if shape.has_forms else {}
    names |= {REQUESTED + name: _TEXT for name in shape.traits}
    return [(name, kind, False) for name, kind in {**names, "is_declined": _FLAG}.items()]
