"""The deep check: measure published clips again and compare the readings with those published."""

import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evaluation.codec import to_json
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, ItemId
from submissions import layout
from submissions.differences import Difference, difference
from submissions.evidence import read_evidence
from submissions.store.base import PublishedFiles

TOLERANCE = 1e-3
"""Largest relative (below 1: absolute) deviation that another processor's arithmetic explains."""

Reader = Callable[[Protocol, Path, Sequence[Clip]], Mapping[ItemId, ClipReadings]]
"""Reads clips that lie as `<item id>.flac` in a folder with a protocol's instruments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One published clip."""

    protocol_id: str
    """Protocol that it was measured under."""
    submission: str
    """Submission that it belongs to."""
    item_id: ItemId
    """Item that it reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remeasured:
    """What the deep check found."""

    differences: tuple[Difference, ...]
    """Readings that came out otherwise."""
    deviations: tuple[str, ...]
    """Numbers that came out otherwise within the tolerance, one sentence each."""
    n_clips: int
    """Clips that were measured."""


def remeasure(
    files: PublishedFiles,
    protocols: Mapping[str, Protocol],
    candidates: Sequence[Candidate],
    *,
    n_clips: int,
    rng: np.random.Generator,
    reader: Reader,
) -> Remeasured:
    """Measure `n_clips` clips drawn from `candidates` (all, if there are fewer) and compare every reading.

    Args:
        files: the published files, checked before.
        protocols: by id.
        candidates: clips to draw from.
        n_clips: how many, >= 0.
        rng: draws them.
        reader: the instruments.
    """
    drawn = rng.choice(len(candidates), size=min(n_clips, len(candidates)), replace=False) if candidates else ()
    groups: dict[tuple[str, str], list[ItemId]] = {}
    for index in sorted(int(one) for one in drawn):
        one = candidates[index]
        groups.setdefault((one.protocol_id, one.submission), []).append(one.item_id)
    found: list[Difference] = []
    deviations: list[str] = []
    for (protocol_id, submission), items in groups.items():
        for outcome in _group(files, protocols[protocol_id], submission, items, reader):
            if isinstance(outcome, str):
                deviations.append(outcome)
            else:
                found.append(outcome)
    return Remeasured(differences=tuple(found), deviations=tuple(deviations), n_clips=len(drawn))


def _group(
    files: PublishedFiles, protocol: Protocol, submission: str, items: Sequence[ItemId], reader: Reader
) -> Iterator[Difference | str]:
    path = layout.samples_path(protocol.id, submission)
    evidence = read_evidence(layout.read_samples(files, protocol.id, submission), path)
    with tempfile.TemporaryDirectory(prefix="castboard-verify-") as folder:
        for item in items:
            (Path(folder) / f"{item}.flac").write_bytes(layout.read_clip(files, submission, item))
        measured = reader(protocol, Path(folder), [evidence.clips[item] for item in items])
    for item in items:
        # A judge is not asked again: its verdicts follow from its published replies.
        pair = (replace(source[item], verdicts={}) for source in (evidence.readings, measured))
        was, came = (dict(_leaves("", to_json(one))) for one in pair)
        yield from _compared(path, item, was, came)


def _compared(
    path: str, item: ItemId, was: Mapping[str, object], came: Mapping[str, object]
) -> Iterator[Difference | str]:
    for name in sorted({*was, *came}):
        old, new = was.get(name, "nothing"), came.get(name, "nothing")
        if old == new:
            continue
        place = f"row {item}, {name} measured again"
        if isinstance(old, float) and isinstance(new, float) and _is_near(old, new):
            yield f"{path}: {place}: published {old!r}, now {new!r}: within the tolerance {TOLERANCE}"
        else:
            yield difference(path, place, old, new)


def _is_near(old: float, new: float) -> bool:
    return math.isfinite(new) and abs(old - new) <= TOLERANCE * max(1.0, abs(old))


def _leaves(place: str, value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves(f"{place}.{key}" if place else key, member)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _leaves(f"{place}[{index}]", member)
    else:
        yield place, value
