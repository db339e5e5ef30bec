"""The samples of one system as its table: a record is made when somebody looks at it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from evaluation.records import DimensionScore, GateDetail
from leaderboard.views import Sample
from submissions.cells import read_probes, read_transcript, read_verdicts
from submissions.columns import Shape, shape_in

_N_SINGLY = 8
"""Whoever looks at more records than this will look at most of them; all are then made at once, which is cheaper."""


class SampleMap(Mapping[str, Sample]):
    """Samples by item, in the order of the table. Safe to use from several threads."""

    def __init__(self, table: pa.Table, dimensions: Sequence[str]) -> None:
        """Take them from a per-sample table; `dimensions` are its protocol's."""
        self._table, self._dimensions = table, tuple(dimensions)
        self._shape = shape_in(table.column_names)
        self._places = {item: place for place, item in enumerate(table["item_id"].to_pylist())}
        self._made: dict[str, Sample] = {}
        self._n_singly = 0

    def __len__(self) -> int:
        """Return how many items there are."""
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        """Yield every item."""
        return iter(self._places)

    def __contains__(self, item: object) -> bool:
        """Say whether there is such an item."""
        return item in self._places

    def __getitem__(self, item: str) -> Sample:
        """Return the sample of an item."""
        found = self._made.get(item)
        if found is None:
            place = self._places[item]
            self._n_singly += 1
            first, n_rows = (place, 1) if self._n_singly <= _N_SINGLY else (0, None)
            lines = self._table.slice(first, n_rows).to_pylist()
            self._made.update({line["item_id"]: _sample(line, self._dimensions, self._shape) for line in lines})
            found = self._made[item]
        return found


def _sample(line: Mapping[str, Any], dimensions: Sequence[str], shape: Shape) -> Sample:
    return Sample(
        item_id=line["item_id"],
        is_declined=line["is_declined"],
        duration_s=line["duration_s"],
        transcript=read_transcript(line, line["item_id"]),
        gate=_gate(line),
        wer=line["wer"],
        passed_gate=line["passed_gate"],
        composite=line["composite"],
        dimensions=tuple(
            DimensionScore(
                dimension=name,
                requested=line.get(f"requested_{name}"),
                measured=line[f"measured_{name}"],
                quantity=line[f"quantity_{name}"],
                desirability=line[f"desirability_{name}"],
                reason=line[f"reason_{name}"],
            )
            for name in dimensions
            if line[f"desirability_{name}"] is not None
        ),
        clip_sha256=line["clip_sha256"],
        level_dbfs=line.get("level_dbfs"),
        probes=read_probes(line, shape, line["item_id"]),
        verdicts=read_verdicts(line, shape, line["item_id"]),
    )


def _gate(line: Mapping[str, Any]) -> GateDetail | None:
    if line["is_declined"] or "normaliser" not in line:
        return None
    return GateDetail(
        counted=line["transcript_counted"],
        is_disputed=bool(line["is_disputed"]),
        path=line["spoken_path"],
        n_units=line["n_units"],
        n_units_right=line["n_units_right"],
    )
