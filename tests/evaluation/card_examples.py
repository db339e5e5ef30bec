"""Cards with made-up counts, for tests."""

from evaluation.cards import InstrumentCard, InstrumentIdentity, identity_of
from evaluation.cards_count import Origin, Outcome, card_of
from evaluation.protocol import load_shipped

LITE = load_shipped("lite")
ORIGIN = Origin(what="Made-up clips.", source="a test", date="2026-01-02", manifest_sha256="a" * 64)
STRANGE = InstrumentIdentity(name="made up", version="1", revision="", sha256="f" * 64)


def outcomes(label: str, **measured: int) -> list[Outcome]:
    """Outcomes of clips of one label, by measured value or `unread`."""
    return [
        Outcome(label=label, measured=None if value == "unread" else value, quantity=None, group="")
        for value, count in measured.items()
        for _ in range(count)
    ]


def card(name: str, *rows: list[Outcome]) -> InstrumentCard:
    """Return a card of lite's own instrument of a trait, or of a made-up one."""
    identity = identity_of(LITE, name) if name in ("gender", "pace", "pitch", "loudness") else STRANGE
    return card_of(name, identity, [one for row in rows for one in row], ORIGIN, LITE.constants)


def gender(female: tuple[int, int, int], male: tuple[int, int, int]) -> InstrumentCard:
    """Return a gender card from two rows of (measured female, measured male, unread)."""
    rows = (
        outcomes(label, female=row[0], male=row[1], unread=row[2])
        for label, row in (("female", female), ("male", male))
    )
    return card("gender", *rows)


def ages(*pairs: tuple[float, float | None]) -> InstrumentCard:
    """Return an age card from (label, measured)."""
    found = [Outcome(label=str(label), measured=None, quantity=measured, group="") for label, measured in pairs]
    return card("age", found)
