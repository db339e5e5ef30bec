"""A protocol before it is frozen: a TOML file in which an operator names what is measured and by whom.

Names may still move here (a branch, a catalogue's candidate); `evaluation.freeze` replaces each by what it is now.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.codec import OPTIONAL, from_json
from evaluation.corpus import CorpusPin
from evaluation.errors import ProtocolError, SchemaError
from evaluation.packaged import ACOUSTIC_ROLES, ROLES
from evaluation.pins import Backend
from evaluation.traits import NATURALNESS, TRAITS, Kind

DRAFTS = Path(__file__).resolve().parent.parent / "assets" / "protocols" / "drafts"

_MOST_ASKS = 3
_MEASURED_BY_ACOUSTICS = frozenset(trait.name for trait in TRAITS if trait.kind is Kind.ORDINAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftModel:
    """The model that reads one trait."""

    candidate: str = field(default="", metadata=OPTIONAL)
    """Its key in the catalogue of models; empty for the trait's default."""
    revision: str = field(default="", metadata=OPTIONAL)
    """Branch, tag or commit on the hub; "local" for a folder below the models; empty for the hub's default branch."""
    canary: str = field(default="", metadata=OPTIONAL)
    """Manifest of its canary clips: a path, or the sha256 (hex) under which it lies; may be named later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftJudge:
    """The judge."""

    backend: Backend
    """How it is reached."""
    model: str
    """Exact model id, as the provider names it."""
    dimensions: tuple[str, ...]
    """Dimensions that it judges."""
    is_combined: bool
    """True: one call judges all dimensions; False: one call each."""
    votes: int
    """Replies asked for in each order; odd."""
    temperature: float
    """Sampling temperature, >= 0."""
    max_output_tokens: int
    """Most tokens of a reply."""
    n_asks: int
    """Times that one reply is asked for, 1..3."""
    anchor: str = field(default="", metadata=OPTIONAL)
    """Published submission whose clips every other is compared with; may be named later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an operator wants a protocol to be."""

    name: str
    """Short name."""
    base: str
    """Protocol from which corpus, track and packaged instruments are taken."""
    dimensions: tuple[str, ...]
    """Scored dimensions, in order."""
    instruments: tuple[str, ...]
    """Roles of the base's packaged instruments that are used."""
    not_measured: Mapping[str, str] = field(default_factory=dict, metadata=OPTIONAL)
    """Every other dimension, with the reason."""
    models: Mapping[str, DraftModel] = field(default_factory=dict, metadata=OPTIONAL)
    """Models that no package carries, by the trait that they read."""
    judge: DraftJudge | None = field(default=None, metadata=OPTIONAL)
    """The judge; None if there is none."""
    corpus: CorpusPin | None = field(default=None, metadata=OPTIONAL)
    """The test set, with the spoken forms that it brings; None for the base's."""


def read(path: Path) -> Draft:
    """Return the draft of a file.

    Raises:
        ProtocolError: if the file cannot be read, is no TOML, or has a missing, unknown or malformed field.
    """
    try:
        fields: dict[str, Any] = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise ProtocolError(f"the draft {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ProtocolError(f"the draft {path} is no TOML in UTF-8: {error}") from error
    for name, kind in (("judge", DraftJudge), ("corpus", CorpusPin)):
        if isinstance(fields.get(name), dict):
            fields[name] = {**fields[name], "is": kind.__name__}
    try:
        return from_json(Draft, fields)
    except SchemaError as error:
        raise ProtocolError(f"the draft {path}: {error}") from error


def problems(draft: Draft, base_roles: tuple[str, ...]) -> tuple[str, ...]:
    """Return everything that is wrong with a draft by itself.

    Args:
        draft: the draft.
        base_roles: roles of the instruments of its base.
    """
    found = [*_of_dimensions(draft), *_of_measures(draft), *_of_instruments(draft, base_roles)]
    return (*found, *(_of_judge(draft.judge) if draft.judge else ()))


def _of_dimensions(draft: Draft) -> Iterator[str]:
    if not draft.name:
        yield "the name is missing"
    registered = (*(trait.name for trait in TRAITS), NATURALNESS)
    named = (*draft.dimensions, *draft.not_measured)
    if not draft.dimensions:
        yield "no dimension is scored"
    unknown = sorted(set(named) - set(registered))
    if unknown:
        yield f"there is no dimension {', '.join(unknown)}; there are {', '.join(registered)}"
    for name, times in Counter(named).items():
        if times > 1:
            yield f"{name} is named {times} times; a dimension is scored, or not measured, once"
    for name in registered:
        if name not in named:
            yield f"{name} is neither scored nor, with a reason, among not_measured"
    for name, why in draft.not_measured.items():
        if not why.strip():
            yield f"nothing says why {name} is not measured"


def _of_measures(draft: Draft) -> Iterator[str]:
    judged = draft.judge.dimensions if draft.judge else ()
    for name in draft.dimensions:
        by = [
            *(["the judge"] if name in judged else []),
            *(["a model"] if name in draft.models else []),
            *(["a packaged instrument"] if name in draft.instruments else []),
            *(["the acoustic pass"] if name in _MEASURED_BY_ACOUSTICS and _has_acoustics(draft) else []),
        ]
        if not by:
            yield f"nothing measures {name}"
        if len(by) > 1:
            yield f"{name} is measured by {' and by '.join(by)}; one must do"
    for name in (*judged, *draft.models):
        if name not in draft.dimensions:
            yield f"{name} is measured and not scored"


def _of_instruments(draft: Draft, base_roles: tuple[str, ...]) -> Iterator[str]:
    for role in draft.instruments:
        if role not in ROLES:
            yield f"no packaged instrument reads {role!r:.40}; there are {', '.join(ROLES)}"
        elif role not in base_roles:
            yield f"the base {draft.base} has no instrument for {role}; it has {', '.join(base_roles)}"
    if "transcriber" not in draft.instruments:
        yield "without a transcriber there is no gate"
    twice = sorted(role for role, times in Counter(draft.instruments).items() if times > 1)
    if twice:
        yield f"named twice among the instruments: {', '.join(twice)}"


def _of_judge(judge: DraftJudge) -> Iterator[str]:
    if not judge.dimensions or len(set(judge.dimensions)) != len(judge.dimensions):
        yield f"a judge needs dimensions, each once, got {', '.join(judge.dimensions) or 'none'}"
    if judge.votes < 1 or judge.votes % 2 == 0:
        yield f"votes must be odd and at least 1, so that there is a majority, got {judge.votes}"
    if not 1 <= judge.n_asks <= _MOST_ASKS:
        yield f"n_asks must be from 1 to {_MOST_ASKS}, got {judge.n_asks}"
    if judge.max_output_tokens < 1:
        yield f"max_output_tokens must be at least 1, got {judge.max_output_tokens}"
    if not 0 <= judge.temperature <= 2:
        yield f"temperature must be from 0 to 2, got {judge.temperature}"


def _has_acoustics(draft: Draft) -> bool:
    return all(role in draft.instruments for role in ACOUSTIC_ROLES)
