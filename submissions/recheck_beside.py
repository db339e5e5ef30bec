"""What stands beside a board and can be held against it: constants, the anchor's clips, instrument cards, the log."""

from collections.abc import Collection, Iterator
from pathlib import Path

from evaluation import cards
from evaluation.cards_count import recounted
from evaluation.errors import ProtocolError, SchemaError
from evaluation.frozen_constants import deviations
from evaluation.protocol import Protocol
from submissions import layout, moderation, renaming
from submissions.differences import Difference, difference, json_difference
from submissions.store.base import PublishedFiles


def constant_differences(protocol_id: str, protocol: Protocol) -> Iterator[Difference]:
    """Yield every constant of a recipe that no board may have: such a board is an analysis, not a ranking."""
    path = layout.protocol_path(protocol_id)
    for name, value, frozen in deviations(protocol.constants):
        yield difference(path, f"constants.{name}", value, f"{frozen!r}, frozen for every board")


def anchor_differences(
    files: PublishedFiles, protocol_id: str, protocol: Protocol, damaged: Collection[str]
) -> Iterator[Difference]:
    """Yield every clip of a judge's anchor that is published with another hash than the recipe names.

    Args:
        files: the published files.
        protocol_id: the protocol's id.
        protocol: its recipe.
        damaged: paths that differ anyway; the anchor's clips are not looked for in such a file.
    """
    if protocol.judge is None:
        return
    anchor = protocol.judge.anchor
    if not layout.is_name(anchor.submission) or not layout.committed_protocols(files, anchor.submission):
        return
    path = layout.clips_path(anchor.submission)
    if path in damaged or path not in files.paths(path):
        return
    published = {row["item_id"]: row["sha256"] for row in layout.clip_rows(files.read(path), path)}
    for item in sorted({*anchor.clips, *published}):
        named, there = anchor.clips.get(item, "no such clip"), published.get(item, "no such clip")
        if named != there:
            yield difference(
                layout.protocol_path(protocol_id), f"judge.anchor.clips.{item}", named, f"{there}, in {path}"
            )


def log_differences(files: PublishedFiles) -> Iterator[Difference]:
    """Yield what contradicts the public log of the operators' acts: damage, and rows of what it says is hidden."""
    path = layout.MODERATION
    try:
        hidden = moderation.hidden_now(moderation.read(files))
    except SchemaError as error:
        yield difference(path, "file", str(error).removeprefix(f"{path}"), "one act a line, numbered from 1")
        return
    for submission in sorted(hidden):
        boards = layout.committed_protocols(files, submission)
        if boards:
            yield difference(path, f"hidden submission {submission}", f"rows under {', '.join(boards)}", "no row")


def rename_difference(files: PublishedFiles, path: str) -> Difference | None:
    """Return why granted names do not belong to a submission's card, which is published; None if they do."""
    try:
        data = files.read(path)
        rename = renaming.decode_rename(data, path)
        card = layout.read_system(files, Path(path).stem).card
    except SchemaError as error:
        return difference(path, "file", str(error).removeprefix(f"{path}: "), "granted names")
    was = (rename.was.system, rename.was.organisation)
    named = (card.get("system"), card.get("organisation"))
    if was != named:
        return difference(path, "was", was, f"{named}, as its card says")
    again = renaming.encode_rename(rename)
    return None if again == data else json_difference(path, data, again)


def card_difference(files: PublishedFiles, path: str, protocol: Protocol) -> Difference | None:
    """Return why an instrument's card does not belong to a board, or what its own counts contradict; None if neither.

    Its groups are taken as they are told: a card does not say which clip is of which group.
    """
    try:
        data = files.read(path)
        card = cards.decode(data, path)
        own = cards.identity_of(protocol, card.trait).sha256
    except (SchemaError, ProtocolError) as error:
        return difference(path, "file", str(error).removeprefix(f"{path}: "), "the card of one of its instruments")
    if path != layout.card_path(protocol.id, card.trait):
        return difference(path, "trait", card.trait, "the trait that the file is named after")
    if own != card.instrument.sha256:
        return difference(path, "instrument.sha256", card.instrument.sha256, own)
    again = cards.encode(recounted(card, protocol.constants))
    return None if again == data else json_difference(path, data, again)
