"""The models that Castboard knows for each trait, as data (`assets/models/*.json`), and which one is taken by default.

A candidate holds everything of an instrument that can be known without the weights. Freezing a protocol resolves the
commit and hashes the files that `wanted_files` names; `instrument_of` then makes the instrument.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.codec import from_json
from evaluation.errors import ProtocolError, SchemaError
from evaluation.pins import ModelKind, ModelPin
from evaluation.protocol import Instrument

SCHEMA_VERSION = 1
FOLDER = Path(__file__).resolve().parents[3] / "assets" / "models"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One model that could read a trait."""

    name: str
    """What its instrument is called; the same as its file, without the ending."""
    trait: str
    """What it would read."""
    is_default: bool
    """Whether it is taken unless another is named; at most one of a trait is."""
    why: str
    """Why it is, or is not, the default."""
    not_tried: str
    """What of it has not been tried with its real weights."""
    reads: str
    """What it reads, in plain words."""
    licence: str
    """Licence of the weights."""
    is_non_commercial: bool
    """Whether the licence forbids commercial use: the operator must then opt in."""
    package: str
    """Distribution that runs it."""
    version: str
    """Version of that distribution that it is run with."""
    needs: Mapping[str, str]
    """Version of each further distribution that its readings depend on, by name."""
    settings: Mapping[str, str]
    """Settings of its instrument, by name."""
    kind: ModelKind
    """How it is built and called."""
    repo: str
    """Its id on the hub."""
    files: tuple[str, ...]
    """Files that must be pinned."""
    weights: tuple[str, ...]
    """Weight files, best first: the first one that the repository holds is pinned too. Empty if `files` names them."""
    labels: Mapping[str, str]
    """Requestable value of each label of the model; empty for a regressor."""
    scale: float
    """What a regressor's output is multiplied by to give the trait's unit; 1 for a classifier."""
    rate_hz: int
    """Sampling rate that it hears, Hz."""
    shortest_s: float
    """Clips shorter than this are not read, s."""
    longest_s: float
    """Longer clips are cut to their middle of this length, s."""
    batch_size: int
    """Most clips of one batch."""
    known_accuracy: str
    """What is known of its accuracy, in a sentence."""
    accuracy_source: str
    """Where that is said."""


def load_catalogue(folder: Path = FOLDER) -> tuple[Candidate, ...]:
    """Return every candidate, by trait and name.

    Raises:
        SchemaError: a file is malformed, is called otherwise than its candidate, or a trait has two defaults.
    """
    found = [_read(path) for path in sorted(folder.glob("*.json"))]
    defaults = [candidate.trait for candidate in found if candidate.is_default]
    twice = sorted({trait for trait in defaults if defaults.count(trait) > 1})
    if twice:
        raise SchemaError(f"{folder.name}: more than one default for {', '.join(twice)}")
    return tuple(sorted(found, key=lambda candidate: (candidate.trait, candidate.name)))


def default_for(trait_name: str, candidates: Iterable[Candidate]) -> Candidate:
    """Return the model that reads a trait unless another is named; its licence may forbid commercial use.

    Raises:
        ProtocolError: there is none, or an operator's own claims to be it beside a shipped one.
    """
    fitting = [one for one in candidates if one.trait == trait_name]
    defaults = [one for one in fitting if one.is_default]
    if len(defaults) != 1:
        what = f"{len(defaults)} defaults" if defaults else "no default"
        known = ", ".join(one.name for one in defaults or fitting) or "no model"
        raise ProtocolError(f"the catalogue has {what} for {trait_name}; name a candidate, it has {known}")
    return defaults[0]


def wanted_files(candidate: Candidate, available: Collection[str]) -> tuple[str, ...]:
    """Return which of a repository's files a pin of `candidate` must name, in order.

    Raises:
        ProtocolError: the repository lacks one.
    """
    weights = next((name for name in candidate.weights if name in available), None)
    lacking = [name for name in candidate.files if name not in available]
    if candidate.weights and weights is None:
        lacking.append(" or ".join(candidate.weights))
    if lacking:
        raise ProtocolError(f"{candidate.repo} lacks {', '.join(lacking)}, which {candidate.name} needs")
    return candidate.files if weights is None else (*candidate.files, weights)


def instrument_of(candidate: Candidate, revision: str, files: Mapping[str, str], canary_sha256: str) -> Instrument:
    """Return the instrument of a candidate whose files are known.

    Args:
        candidate: the model.
        revision: commit, 40 hex digits.
        files: sha256 (hex) of each file of the repository at that commit; those that are not wanted are left out.
        canary_sha256: sha256 (hex) of its canary's manifest.

    Raises:
        ProtocolError: a file that it needs is not among `files`.
    """
    return Instrument(
        name=candidate.name,
        reads=candidate.reads,
        package=candidate.package,
        version=candidate.version,
        licence=candidate.licence,
        weights={},
        needs=candidate.needs,
        settings=candidate.settings,
        model=ModelPin(
            kind=candidate.kind,
            repo=candidate.repo,
            revision=revision,
            files={name: files[name] for name in wanted_files(candidate, files)},
            labels=candidate.labels,
            scale=candidate.scale,
            rate_hz=candidate.rate_hz,
            shortest_s=candidate.shortest_s,
            longest_s=candidate.longest_s,
            batch_size=candidate.batch_size,
            known_accuracy=candidate.known_accuracy,
            accuracy_source=candidate.accuracy_source,
            is_non_commercial=candidate.is_non_commercial,
            canary_sha256=canary_sha256,
        ),
    )


def _read(path: Path) -> Candidate:
    try:
        fields = json.loads(path.read_bytes())
        if not isinstance(fields, dict) or fields.pop("schema_version", None) != SCHEMA_VERSION:
            raise SchemaError(f"schema_version must be {SCHEMA_VERSION}")
        candidate = from_json(Candidate, fields)
    except (ValueError, RecursionError, SchemaError) as error:
        raise SchemaError(f"{path.name}: {error}") from error
    if candidate.name != path.stem:
        raise SchemaError(f"{path.name}: it must be called as its candidate, {candidate.name}")
    return candidate
