"""Cards of a board's instruments and its agreement with people, in the published layout: derived, and never scored.

cards/<protocol>/<trait>.json     an instrument card, canonical bytes
people/<protocol>.json            how far the judge agrees with people, canonical bytes
"""

from pathlib import PurePosixPath

from evaluation import cards
from evaluation.cards import InstrumentCard
from evaluation.people import report
from evaluation.people.report import AgreementReport
from evaluation.protocol import Protocol
from evaluation.traits import named
from submissions.layout import card_path, people_path
from submissions.store.base import PublishedFiles


def read_cards(files: PublishedFiles, protocol: Protocol) -> dict[str, InstrumentCard]:
    """Return the cards of a protocol's own instruments by trait, in the order of its dimensions.

    A card published for this board goes before one published for another board with the same instrument, and that
    before a shipped one. A card of another revision is left out, and so is one of a trait that this version does not
    know.

    Raises:
        SchemaError: if a published card is damaged.
    """
    own: list[InstrumentCard] = []
    others: list[InstrumentCard] = []
    for path in files.paths("cards/"):
        if named([PurePosixPath(path).stem]):
            card = cards.decode(files.read(path), path)
            (own if path == card_path(protocol.id, card.trait) else others).append(card)
    found: dict[str, InstrumentCard] = {}
    for group in (cards.shipped(), others, own):
        found |= cards.matching(protocol, group)
    return {name: found[name] for name in protocol.dimensions if name in found}


def write_card(files: PublishedFiles, protocol_id: str, card: InstrumentCard) -> str:
    """Publish a card for a board, in place of an older one, and return its path."""
    path = card_path(protocol_id, card.trait)
    files.write(path, cards.encode(card))
    return path


def read_report(files: PublishedFiles, protocol_id: str) -> AgreementReport | None:
    """Return how far a board's judge agrees with people; None if nobody was asked.

    Raises:
        SchemaError: if it is damaged.
    """
    path = people_path(protocol_id)
    try:
        data = files.read(path)
    except FileNotFoundError:
        return None
    return report.decode(data, path)


def write_report(files: PublishedFiles, protocol_id: str, found: AgreementReport) -> str:
    """Publish how far a board's judge agrees with people, in place of an older report, and return its path."""
    path = people_path(protocol_id)
    files.write(path, report.encode(found))
    return path
