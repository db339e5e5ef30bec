"""The anchor of a judge, as a protocol pins it, from the submission that a board has published."""

from collections.abc import Iterator
from typing import Any

from evaluation.corpus import CorpusPin
from evaluation.errors import ProtocolError
from evaluation.pins import Anchor
from submissions import layout, parquet
from submissions.store.base import PublishedFiles


def anchor_of(files: PublishedFiles, submission: str, corpus: CorpusPin) -> Anchor:
    """Return the anchor that a published submission is.

    Args:
        files: the published layout.
        submission: its id.
        corpus: the corpus that its clips must read.

    Raises:
        ProtocolError: if it is not published, or read another corpus.
        SchemaError: if a published file is damaged.
    """
    protocols = layout.read_protocols(files)
    boards = layout.committed_protocols(files, submission) if layout.is_name(submission) else ()
    if not boards:
        raise ProtocolError(
            f"the anchor {submission!r:.80} is not published here; name a submission that has a row on this board"
        )
    if not any(protocols[board].corpus == corpus for board in boards):
        raise ProtocolError(f"the anchor {submission} did not read the corpus {corpus.name} of this protocol")
    card = layout.read_system(files, submission).card
    name = f"{card.get('system') or submission} {card.get('version') or ''}".strip()
    return Anchor(name=name, submission=submission, clips=dict(_clips(files, submission)))


def durations_s(files: PublishedFiles, submission: str) -> dict[str, float]:
    """Return the length of every published clip of a submission by item, s; nothing if none is published."""
    where = layout.clips_path(submission)
    try:
        return {item: float(length) for item, length in _columns(files, where, "duration_s")}
    except FileNotFoundError:
        return {}


def _clips(files: PublishedFiles, submission: str) -> Iterator[tuple[str, str]]:
    for item, sha256 in _columns(files, layout.clips_path(submission), "sha256"):
        yield item, str(sha256)


def _columns(files: PublishedFiles, where: str, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the item and one column of every clip; the sound itself is not read."""
    with layout.opened(files, where) as file:
        for group in range(file.num_row_groups):
            columns = parquet.read_group(file, group, ["item_id", name], where)
            yield from zip(columns["item_id"].to_pylist(), columns[name].to_pylist(), strict=True)
