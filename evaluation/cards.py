"""Instrument cards: how often a probe errs on clips whose truth is known. Records, their bytes, and whom they concern.

A card belongs to one instrument, known by a hash of everything that decides its readings, so that the card of another
revision is never shown. `evaluation.cards_count` makes cards, `evaluation.validation` runs instruments for them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from evaluation.bootstrap import Interval
from evaluation.codec import canonical, read_record, sha256_of, to_json
from evaluation.errors import ProtocolError, SchemaError
from evaluation.protocol import Protocol
from evaluation.summary import UNREAD, Rate
from evaluation.traits import Kind, Trait, named, trait

SCHEMA_VERSION = 1
MAX_CLIPS = 1_000_000
SHIPPED = Path(__file__).resolve().parent.parent / "assets" / "cards"
"""Folder of the cards that ship with Castboard."""

_ACOUSTIC = ("vad", "f0", "level")


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """Everything of a protocol that decides what is measured of one trait."""

    roles: tuple[str, ...]
    """Instruments, the main one first."""
    constants: tuple[str, ...] = ()
    """Thresholds."""
    counts_words: bool = False
    """Whether the normaliser's word count goes in."""


_BASES: Mapping[str, Basis] = {
    "pace": Basis(roles=_ACOUSTIC, constants=("pace_slow_below", "pace_fast_from"), counts_words=True),
    "pitch": Basis(roles=("f0", "vad", "level"), constants=("pitch_dead_zone_semitones",)),
    "loudness": Basis(roles=("level", "vad", "f0"), constants=("loudness_dead_zone_db",)),
}
"""Traits that the shared acoustic pass measures; any other trait has one instrument, of its own name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstrumentIdentity:
    """Which instrument a card is about."""

    name: str
    """What the protocol calls it."""
    version: str
    """Version of the package that it comes from, or of the library that runs it."""
    revision: str
    """Commit of its model; empty for a package."""
    sha256: str
    """sha256 (hex) of the canonical Instrument record; for a trait of the acoustic pass, of all its instruments,
    thresholds and the normaliser's version together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFigures:
    """One label of a card with classes or buckets."""

    label: str
    """Requestable value."""
    recall: Rate
    """Of the clips so labelled, those measured so; a clip that could not be read is a miss."""
    precision: Rate
    """Of the clips measured so, those labelled so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberErrors:
    """How far a numeric probe is off; over the clips that it could read."""

    mean_absolute: float | None
    """Mean absolute error in the trait's unit, rounded to 6 decimals; None if no clip was read."""
    interval: Interval | None
    """Two-sided 95 % bootstrap interval of it; None for fewer than two clips."""
    bias: float | None
    """Mean of measured minus label, in the trait's unit, rounded to 6 decimals; None if no clip was read."""
    n_read: int
    """Clips in the means."""
    n_unread: int
    """Clips that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPair:
    """One clip of a numeric trait."""

    label: float
    """The truth, in the trait's unit."""
    measured: float | None
    """What the probe said; None if it could not read the clip."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigures:
    """The clips of one group, for example of one voice or engine."""

    group: str
    """Its name, as in the manifest; text of a stranger."""
    right: Rate
    """Clips measured as labelled; for a numeric trait, within its tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstrumentCard:
    """What is known of one instrument on labelled clips."""

    instrument: InstrumentIdentity
    """Which instrument."""
    trait: str
    """What it measures."""
    what: str
    """Which clips these are, in a sentence or two; text of a stranger."""
    source: str
    """Command that makes the figures again."""
    date: str
    """Day of the measurement, YYYY-MM-DD."""
    manifest_sha256: str | None
    """sha256 (hex) of the list of clips and labels; None for a trial that kept no list."""
    n_clips: int
    """Labelled clips, >= 1."""
    n_unread: int
    """Those of them that could not be read."""
    accuracy: Rate
    """Clips measured as labelled; for a numeric trait, within its tolerance. Wilson interval."""
    confusion: Mapping[str, Mapping[str, int]]
    """Clips by label, then by measured value or "unread", every value of the registry; empty for a numeric trait."""
    classes: tuple[ClassFigures, ...]
    """By label, in the registry's order; empty for a numeric trait."""
    errors: NumberErrors | None
    """Of a numeric trait; else None."""
    values: Mapping[str, NumberErrors]
    """Of a numeric trait, by the requestable value that lies nearest to the label; those that occur."""
    pairs: tuple[NumberPair, ...]
    """Every clip of a numeric trait, sorted; else empty."""
    groups: tuple[GroupFigures, ...]
    """By group, sorted by name."""


def basis_of(name: str) -> Basis:
    """Return what decides the readings of the trait called `name`."""
    return _BASES.get(name, Basis(roles=(name,)))


def identity_of(protocol: Protocol, name: str) -> InstrumentIdentity:
    """Return who measures a trait under a protocol.

    Raises:
        ProtocolError: if nothing does, or a judge does, of whom no card can be made.
    """
    basis = basis_of(name)
    missing = [role for role in basis.roles if role not in protocol.instruments]
    if missing or name in protocol.judged or not named([name]):
        known = ", ".join(measurable(protocol)) or "none"
        raise ProtocolError(f"protocol {protocol.name}: no instrument measures {name!r:.40}; measured are: {known}")
    main = protocol.instruments[basis.roles[0]]
    record = to_json(main)
    if basis.constants:
        record = {
            "instruments": {role: to_json(protocol.instruments[role]) for role in basis.roles},
            "constants": {constant: getattr(protocol.constants, constant) for constant in basis.constants},
            "normaliser": protocol.normaliser if basis.counts_words else "",
        }
    return InstrumentIdentity(
        name=main.name,
        version=main.version,
        revision=main.model.revision if main.model else "",
        sha256=sha256_of(canonical(record)),
    )


def measurable(protocol: Protocol) -> tuple[str, ...]:
    """Return the scored traits of which a card can be made under `protocol`, in the registry's order."""
    return tuple(
        one.name
        for one in named(set(protocol.dimensions) - set(protocol.judged))
        if all(role in protocol.instruments for role in basis_of(one.name).roles)
    )


def matching(protocol: Protocol, cards: Iterable[InstrumentCard]) -> dict[str, InstrumentCard]:
    """Return the cards of this protocol's own instruments by trait, in the protocol's order of dimensions.

    Of several cards of one instrument the youngest counts; of one day, that with more clips.
    """
    own = {name: identity_of(protocol, name).sha256 for name in measurable(protocol)}
    found: dict[str, InstrumentCard] = {}
    ranked = sorted(cards, key=lambda card: (card.date, card.n_clips, encode(card)))
    for card in ranked:
        if own.get(card.trait) == card.instrument.sha256:
            found[card.trait] = card
    return {name: found[name] for name in protocol.dimensions if name in found}


def shipped() -> tuple[InstrumentCard, ...]:
    """Return the cards that ship with Castboard; raises as `decode` does."""
    return tuple(decode(path.read_bytes(), path.name) for path in sorted(SHIPPED.glob("*.json")))


def encode(card: InstrumentCard) -> bytes:
    """Return the canonical JSON bytes of a card, schema version included."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(card)})


def decode(data: bytes, where: str) -> InstrumentCard:
    """Read a card.

    Args:
        data: JSON, canonical or not.
        where: path, for messages.

    Raises:
        SchemaError: if it is not a card of this version, or its counts contradict each other.
    """
    card = read_record(InstrumentCard, data, where, version=SCHEMA_VERSION)
    problems = list(_contradictions(card))
    if problems:
        raise SchemaError(f"{where}: {'; '.join(problems)}")
    return card


def _contradictions(card: InstrumentCard) -> Iterable[str]:
    try:
        date.fromisoformat(card.date)
    except ValueError:
        yield f"date must be YYYY-MM-DD, got {card.date!r:.40}"
    known = next(iter(named([card.trait])), None)
    if known is None or known.kind is Kind.JUDGED:
        yield f"trait must be one that an instrument measures, got {card.trait!r:.40}"
        return
    if known.kind is Kind.NUMERIC:
        n_unread = sum(pair.measured is None for pair in card.pairs)
        counted = (len(card.pairs), n_unread, within_tolerance(known, card.pairs))
    else:
        columns = {*known.values, UNREAD}
        if set(card.confusion) != {*known.values} or any(set(row) != columns for row in card.confusion.values()):
            yield f"confusion must have the rows and columns of {card.trait}"
            return
        if any(count < 0 for row in card.confusion.values() for count in row.values()):
            yield "confusion must hold counts of 0 or more"
        rows = card.confusion.values()
        n_right = sum(row[label] for label, row in card.confusion.items())
        counted = (sum(sum(row.values()) for row in rows), sum(row[UNREAD] for row in rows), n_right)
    told = (card.n_clips, card.n_unread, card.accuracy.n_hits)
    if card.n_clips not in range(1, MAX_CLIPS + 1):
        yield f"a card has 1 to {MAX_CLIPS} clips, got {card.n_clips}"
    elif told != counted or card.accuracy.n != card.n_clips:
        yield f"clips, unread and right are told as {told} and counted as {counted}"


def within_tolerance(numeric: Trait, pairs: Iterable[NumberPair]) -> int:
    """Return how many clips a numeric probe measures within the trait's tolerance of their label."""
    return sum(pair.measured is not None and abs(pair.measured - pair.label) <= numeric.tolerance for pair in pairs)


def kind_of(card: InstrumentCard) -> Kind:
    """Return how a card's trait is compared."""
    return trait(card.trait).kind
