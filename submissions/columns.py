"""The columns of a per-sample table: items, clips, readings and scores of one submission.

Everything that scoring needs stands in the table, so it alone gives every score again. Columns, in order:

- the item: item_id, tier (0..2), split, instruction, script, requested_<trait> for all eight traits
- the clip, null if declined: is_declined, clip_sha256, duration_s, rate_hz, bit_depth, source_format, source_channels
- acoustics: acoustics_duration_s, speech_start_s, speech_end_s, pause_s, level_dbfs, peak_dbfs, f0_hz, voiced_share
- transcript, transcript_setting; gender_<value> (probabilities); mos (1..5)
- for each of the four instruments: <instrument>_unread, _unread_fault, _unread_detail (why it read nothing; else null)
- for each dimension of the protocol: measured_, quantity_, desirability_ (0..1) and reason_<dimension>
- unless the protocol names the first normaliser, lite-1: transcript_doubt (why the clip was heard again),
  transcript_again and transcript_second with their settings, transcript_counted (first, again, second),
  is_disputed, normaliser, spoken_path (the accepted reading that counts), n_units, n_units_right
- n_words, wer, substitutions, deletions, insertions, passed_gate
- composite_micro (millionths, exact) and composite (the same, 0..1)
"""

from collections.abc import Sequence

import pyarrow as pa

from evaluation.gate.normalisers import LITE_1
from evaluation.traits import TRAITS, trait

_TEXT, _NUMBER, _COUNT, _FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
GENDERS = trait("gender").values

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
READ = {
    "acoustics": dict.fromkeys(ACOUSTICS, _NUMBER),
    "transcript": {"transcript": _TEXT, "transcript_setting": _TEXT},
    "gender": {f"gender_{value}": _NUMBER for value in GENDERS},
    "mos": {"mos": _NUMBER},
}
"""Columns of each instrument's reading, by the prefix of its unread columns."""
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


def sample_schema(dimensions: Sequence[str], normaliser: str) -> pa.Schema:
    """Return the schema of the per-sample table of a protocol with these dimensions and this normaliser."""
    has_detail = normaliser != LITE_1
    fields = [*_item_fields(), *((name, kind, True) for name, kind in CLIP.items())]
    for prefix, columns in READ.items():
        fields += [(name, kind, True) for name, kind in columns.items()]
        fields += [(prefix + suffix, _TEXT, True) for suffix in UNREAD]
    fields += [(name, kind, True) for name, kind in HEARINGS.items() if has_detail]
    for dimension in dimensions:
        kinds = {"measured": _TEXT, "quantity": _NUMBER, "desirability": _NUMBER, "reason": _TEXT}
        fields += [(f"{name}_{dimension}", kind, True) for name, kind in kinds.items()]
    fields += [(name, kind, True) for name, kind in GATE.items() if has_detail]
    fields += [("n_words", _COUNT, True), ("wer", _NUMBER, True)]
    fields += [(name, _COUNT, True) for name in ("substitutions", "deletions", "insertions")]
    fields += [("passed_gate", _FLAG, False), ("composite_micro", _COUNT, False), ("composite", _NUMBER, False)]
    return pa.schema([pa.field(name, kind, nullable=nullable) for name, kind, nullable in fields])


def _item_fields() -> list[tuple[str, pa.DataType, bool]]:
    names = {"item_id": _TEXT, "tier": _COUNT, "split": _TEXT, "instruction": _TEXT, "script": _TEXT}
    names |= {f"requested_{trait.name}": _TEXT for trait in TRAITS}
    return [(name, kind, False) for name, kind in {**names, "is_declined": _FLAG}.items()]
