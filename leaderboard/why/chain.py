"""One clip's whole chain, scored again from its published readings by the code that scores. Pure but for its file."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from evaluation.errors import CastboardError
from evaluation.gate.normalisers import Comparison, normaliser
from evaluation.probes.loudness import NORMAL
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, Hearing, Item, ItemId, SampleScore, Transcript
from evaluation.scoring import own_level_dbfs, score_clip
from submissions.evidence import Evidence, read_evidence
from submissions.samples import sample_table

_LEVELS = ("requested_loudness", "level_dbfs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One item of one system from its clip to its composite."""

    item: Item
    """The item."""
    clip: Clip | None
    """The canonical clip; None for a refused item."""
    readings: ClipReadings | None
    """What every instrument reported; None for a refused item."""
    reference_dbfs: float | None
    """The system's own normal level; None if no clip that requests normal could be read."""
    score: SampleScore | None
    """Its score, made anew; None if it could not be."""
    published_micro: int
    """The published composite, millionths."""
    comparison: Comparison | None
    """The hearing that counts, held against the script; None without a transcript."""
    heard: Hearing | None
    """The hearing that counts."""
    n_columns: int
    """Published values of this row that were made anew."""
    differences: tuple[str, ...]
    """Columns whose published value differs from the one made anew; empty: identical."""
    fault: str
    """Why it could not be scored anew; empty if it was."""


def chain_of(protocol: Protocol, table: pa.Table, item_id: str) -> Chain | None:
    """Return the chain of one item of a system's per-sample table; None for an item that is not there.

    Raises:
        SchemaError: if the row holds what no publisher writes.
    """
    row = table.filter(pc.equal(table["item_id"], item_id))
    if row.num_rows != 1:
        return None
    evidence = read_evidence(row)
    reference = own_level_dbfs(_normal_levels(table))
    item = evidence.items[0]
    score, fault = _scored(protocol, evidence, reference)
    comparison, heard = _heard(protocol, evidence, score)
    made = _made(protocol, evidence, score) if score else {}
    published = row.to_pylist()[0]
    shared = [name for name in made if name in published]
    return Chain(
        item=item,
        clip=evidence.clips.get(item.id),
        readings=evidence.readings.get(item.id),
        reference_dbfs=reference,
        score=score,
        published_micro=published["composite_micro"],
        comparison=comparison,
        heard=heard,
        n_columns=len(shared),
        differences=tuple(name for name in shared if made[name] != published[name]),
        fault=fault,
    )


def _normal_levels(table: pa.Table) -> list[float]:
    if not set(_LEVELS) <= set(table.column_names):
        return []
    normal = table.select(_LEVELS).filter(pc.equal(table["requested_loudness"], NORMAL))
    return [level for level in normal["level_dbfs"].to_pylist() if level is not None]


def _scored(protocol: Protocol, evidence: Evidence, reference: float | None) -> tuple[SampleScore | None, str]:
    item = evidence.items[0]
    if item.id in evidence.declined:
        return _refused(item.id), ""
    try:
        return score_clip(protocol, item, evidence.readings[item.id], reference_dbfs=reference), ""
    except CastboardError as error:
        return None, str(error)


def _refused(item_id: ItemId) -> SampleScore:
    return SampleScore(
        item_id=item_id, is_declined=True, dimensions=(), word_errors=None, passed_gate=False, composite_micro=0
    )


def _heard(
    protocol: Protocol, evidence: Evidence, score: SampleScore | None
) -> tuple[Comparison | None, Hearing | None]:
    item = evidence.items[0]
    readings = evidence.readings.get(item.id)
    transcript = readings.transcript if readings else None
    if score is None or not isinstance(transcript, Transcript):
        return None, None
    later = {"again": transcript.again, "second": transcript.second}
    heard = later.get((score.gate.counted if score.gate else None) or "") or transcript.hearings()[0]
    return normaliser(protocol.normaliser).compare(item, heard.text), heard


def _made(protocol: Protocol, evidence: Evidence, score: SampleScore) -> dict[str, object]:
    """Return the row that the publisher would write of this score."""
    found: dict[str, object] = sample_table(protocol, evidence, (score,)).to_pylist()[0]
    return found
