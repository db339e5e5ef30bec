"""What a board's judge said, read back from published tables, so that people can be asked the same."""

import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, SchemaError
from evaluation.judge.backend import Sound
from evaluation.judge.preparation import prepare_file
from evaluation.people.comparisons import Judged
from evaluation.protocol import Protocol
from evaluation.records import Item, ItemId, Verdict
from submissions import layout
from submissions.evidence import Evidence, read_evidence
from submissions.store.base import PublishedFiles


class JudgedBoard:
    """The verdicts of one board, and the sounds that they are about."""

    def __init__(self, files: PublishedFiles, protocol: Protocol) -> None:
        """Read the board of `protocol` in `files`.

        Raises:
            CastboardError: if the protocol has no judge.
        """
        if protocol.judge is None:
            raise CastboardError(
                f"protocol {protocol.name} {protocol.id} has no judge that people could be compared with"
            )
        self._files = files
        self._protocol_id = protocol.id
        self.judge = protocol.judge
        self._evidence = lru_cache(maxsize=8)(self._read)

    def verdicts(self) -> tuple[tuple[Judged, ...], Mapping[ItemId, Item]]:
        """Return every verdict of every row but the anchor's own, and the items by id.

        Raises:
            CastboardError: if there is none.
            SchemaError: if a published table is damaged.
        """
        judged: list[Judged] = []
        items: dict[ItemId, Item] = {}
        for submission in layout.committed(self._files, self._protocol_id):
            if submission == self.judge.anchor.submission:
                continue
            evidence = self._evidence(submission)
            by_id = {item.id: item for item in evidence.items}
            items |= by_id
            for item_id, reading in evidence.readings.items():
                for dimension, verdict in reading.verdicts.items():
                    if isinstance(verdict, Verdict):
                        judged.append(_judged(submission, by_id[item_id], dimension, verdict))
        if not judged:
            raise CastboardError(f"the board of {self._protocol_id} has no verdict to compare people with yet")
        return tuple(judged), items

    def sound(self, submission: str, item_id: ItemId) -> Sound:
        """Return a clip as the judge heard it: trimmed, at one rate and loudness.

        Raises:
            CastboardError: if the clip is not published, or is not the anchor's that the protocol names.
            SchemaError: if a published file is damaged.
        """
        flac = self._clip(submission, item_id)
        reading = self._evidence(submission).readings.get(item_id) if self._is_on_board(submission) else None
        with tempfile.TemporaryDirectory(prefix="castboard-people-") as folder:
            path = Path(folder) / "clip.flac"
            path.write_bytes(flac)
            return prepare_file(path, reading.acoustics if reading else None)

    def _clip(self, submission: str, item_id: ItemId) -> bytes:
        try:
            flac = layout.read_clip(self._files, submission, item_id)
        except (KeyError, FileNotFoundError) as error:
            raise CastboardError(
                f"{submission} has no published clip of {item_id}, so nobody can hear what the judge heard; "
                "fetch or publish its clips, then export again"
            ) from error
        anchor = self.judge.anchor
        if submission == anchor.submission and anchor.clips.get(item_id) != sha256_of(flac):
            raise CastboardError(
                f"the published clip of {item_id} by {submission} is not the anchor's clip that the protocol names"
            )
        return flac

    def _is_on_board(self, submission: str) -> bool:
        return submission in layout.committed(self._files, self._protocol_id)

    def _read(self, submission: str) -> Evidence:
        path = layout.samples_path(self._protocol_id, submission)
        try:
            return read_evidence(layout.read_samples(self._files, self._protocol_id, submission), path)
        except FileNotFoundError as error:
            raise SchemaError(f"{path} is missing, but the board has a row of it") from error


def _judged(submission: str, item: Item, dimension: str, verdict: Verdict) -> Judged:
    return Judged(
        submission=submission,
        item_id=item.id,
        dimension=dimension,
        requested=item.requested.get(dimension, ""),
        tier=item.tier,
        verdict=verdict,
    )
