"""The frozen recipe of a board: corpus, dimensions, instruments, constants. Its id is a hash of all that.

Protocol files live under `assets/protocols/`; a published board carries its own copy. Rows of
different protocols never share a table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.codec import OPTIONAL, canonical, read_record, sha256_of, to_json
from evaluation.corpus import CorpusPin
from evaluation.errors import ProtocolError, SchemaError
from evaluation.pins import JudgeRecipe, ModelPin
from evaluation.traits import Trait, named

SCHEMA_VERSION = 1
ID_LENGTH = 12
"""A protocol's id is so many hex digits of the sha256 of its canonical JSON."""

SHIPPED = Path(__file__).resolve().parent.parent / "assets" / "protocols"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """The numbers that turn readings into ranks. Nothing else is tunable."""

    desirability_floor: float
    """Smallest desirability inside the geometric mean."""
    adjacent_credit: float
    """Desirability of an ordinal bucket next to the requested one."""
    wer_limit: float
    """A clip passes the gate if its word-error rate is at most this."""
    pace_slow_below: float
    """Spoken words per second below which a clip is slow."""
    pace_fast_from: float
    """Spoken words per second from which a clip is fast."""
    pitch_dead_zone_semitones: float
    """Half-width of "medium" around the reference for the requested gender and age."""
    loudness_dead_zone_db: float
    """Half-width of "normal" around the submission's own normal level."""
    n_resamples: int
    """Bootstrap resamples."""
    seed: int
    """Seed of numpy's default generator."""
    alpha: float
    """Percentile (as a share) of the lower confidence bound."""
    margin_floor: float
    """Least margin of a win."""
    margin_slope: float
    """Share of the incumbent's headroom that a win must exceed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """One measuring model or program of a protocol."""

    name: str
    """What it is called, for example "silero-vad"."""
    reads: str
    """What it reads, in plain words."""
    package: str
    """Distribution that carries code and weights."""
    version: str
    """Pinned version of the distribution."""
    licence: str
    """Licence of the weights, or of the code if there are none."""
    weights: Mapping[str, str]
    """sha256 (hex) of each weight file, by its path inside the package; empty if there are none."""
    needs: Mapping[str, str]
    """Version of each further distribution that its readings depend on, by name."""
    settings: Mapping[str, str]
    """Everything else that changes its readings."""
    model: ModelPin | None = field(default=None, metadata=OPTIONAL)
    """The model, if it comes from no package; `package` and `version` then name the library that runs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """A board's whole recipe."""

    name: str
    """Short name, for example "lite"."""
    track: str
    """Track that it belongs to."""
    corpus: CorpusPin
    """The test set."""
    dimensions: tuple[str, ...]
    """Scored dimensions, in order."""
    not_measured: Mapping[str, str]
    """Dimensions that this protocol leaves out, each with the reason in one sentence."""
    instruments: Mapping[str, Instrument]
    """Instruments by role: vad, f0, level, the transcribers, naturalness, and every trait that a model reads."""
    normaliser: str
    """Version of the spoken-form normaliser."""
    constants: Constants
    """All thresholds and bootstrap settings."""
    judge: JudgeRecipe | None = field(default=None, metadata=OPTIONAL)
    """The judge; None if no dimension is judged."""

    @property
    def id(self) -> str:
        """First 12 hex digits of the sha256 of the canonical JSON."""
        return sha256_of(encode(self))[:ID_LENGTH]

    @property
    def traits(self) -> tuple[Trait, ...]:
        """Traits that the items of its corpus fix, scored or not, in the order of the registry."""
        return named((*self.dimensions, *self.not_measured))

    @property
    def judged(self) -> tuple[str, ...]:
        """Scored dimensions that the judge judges, in the protocol's order."""
        return tuple(name for name in self.dimensions if self.judge and name in self.judge.dimensions)


def encode(protocol: Protocol) -> bytes:
    """Return the canonical JSON bytes of a protocol, schema version included."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(protocol)})


def decode(data: bytes, where: str) -> Protocol:
    """Read a protocol file.

    Args:
        data: JSON, canonical or not.
        where: path, for messages.

    Raises:
        ProtocolError: if it is not JSON, of an unknown schema version, or malformed.
    """
    try:
        return read_record(Protocol, data, where, version=SCHEMA_VERSION)
    except SchemaError as error:
        raise ProtocolError(str(error)) from error


def load(name: str) -> Protocol:
    """Return a protocol by the `name` of a shipped one, or by the path of a file that ends in .json.

    Raises:
        ProtocolError: if there is no such protocol or it is malformed.
    """
    if not name.endswith(".json"):
        return load_shipped(name)
    try:
        return decode(Path(name).read_bytes(), name)
    except OSError as error:
        raise ProtocolError(f"protocol file {name} cannot be read: {error.strerror}") from error


def load_shipped(name: str) -> Protocol:
    """Return the protocol called `name` that ships with Castboard.

    Raises:
        ProtocolError: if there is none of that name; the message lists those that exist.
    """
    path = SHIPPED / f"{name}.json"
    names = sorted(file.stem for file in SHIPPED.glob("*.json"))
    if name not in names:
        raise ProtocolError(f"no protocol is called {name!r}; there are: {', '.join(names)}")
    return decode(path.read_bytes(), str(path.name))
