"""The way of a clip through a check: out of the zip, through the decoder, away. A few are under way at a time."""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

from evaluation.audio_facts import CanonicalFacts, ClipRefused
from evaluation.decoding import Decoder
from evaluation.records import Clip, ItemId
from submissions.archive import Archive, ArchiveError, Member
from submissions.findings import Finding

log = logging.getLogger(__name__)

CANONICAL_BYTES = 8 << 30
"""Size that all canonical clips may have together."""
PATIENCE_S = 900.0
"""Far more than a decoder may take with all that is under way; beyond it something of ours is broken."""

_ENDINGS = {"WAV": "wav", "WAVEX": "wav", "RF64": "wav", "FLAC": "flac", "MP3": "mp3", "OGG": "ogg"}

OnProgress = Callable[[int, int], None]
"""Called with the number of clips that are done and of all clips."""
Decoded = tuple[Clip | None, tuple[Finding, ...]]
"""A clip if it can be read, and what there is to say of it."""


class Bench:
    """Brings members to the decoder, a few at a time, and takes the clips away."""

    def __init__(
        self, archive: Archive, decoder: Decoder, work_dir: Path, clip_dir: Path, *, keeps_clips: bool
    ) -> None:
        """Set up the way of a clip.

        Args:
            archive: where the members are.
            decoder: what decodes them.
            work_dir: folder for unpacked members; each is removed once it is decoded.
            clip_dir: folder for canonical clips, `<item id>.flac`.
            keeps_clips: leave them there.
        """
        self._archive = archive
        self._decoder = decoder
        self._work_dir = work_dir
        self._clip_dir = clip_dir
        self._keeps_clips = keeps_clips
        self._n_bytes = 0

    def decode_all(
        self, wanted: list[tuple[ItemId, Member]], n_in_flight: int, on_progress: OnProgress | None
    ) -> Iterator[Decoded]:
        """Yield what came of each wanted clip, in order; one more without a clip if all are too big together."""
        pending: deque[tuple[ItemId, Member, Future[CanonicalFacts] | Finding]] = deque()
        queue = iter(wanted)
        for n_done in range(len(wanted)):
            while len(pending) < n_in_flight and (following := next(queue, None)) is not None:
                pending.append((*following, self._start(*following)))
            yield self._finish(*pending.popleft())
            if on_progress is not None:
                on_progress(n_done + 1, len(wanted))
            if self._n_bytes > CANONICAL_BYTES:
                yield None, (Finding(code="all_too_big", got=f"more after {n_done + 1:,} clips"),)
                return

    def _start(self, item_id: ItemId, member: Member) -> Future[CanonicalFacts] | Finding:
        source = self._source(member)
        try:
            self._archive.copy_to(member, source)
        except ArchiveError as error:
            return error.finding
        return self._decoder.decode(source, self._target(item_id))

    def _finish(self, item_id: ItemId, member: Member, answer: Future[CanonicalFacts] | Finding) -> Decoded:
        if isinstance(answer, Finding):
            return None, (answer,)
        try:
            facts = answer.result(timeout=PATIENCE_S)
        except ClipRefused as refused:
            log.info("clip.refused", extra={"item_id": item_id, "code": refused.code})
            faults = refused.faults
            return None, tuple(Finding(code=f.code, where=item_id, got=f.detail) for f in faults)
        finally:
            self._source(member).unlink(missing_ok=True)
            target = self._target(item_id)
            target.with_name(f".{target.name}.part").unlink(missing_ok=True)
            if not self._keeps_clips:
                target.unlink(missing_ok=True)
        self._n_bytes += facts.n_bytes
        return _clip(item_id, facts), tuple(_notes(item_id, member, facts))

    def _source(self, member: Member) -> Path:
        return self._work_dir / f"member-{member.index:05}"

    def _target(self, item_id: ItemId) -> Path:
        return self._clip_dir / f"{item_id}.flac"


def _clip(item_id: ItemId, facts: CanonicalFacts) -> Clip:
    return Clip(
        item_id=item_id,
        sha256=facts.sha256,
        duration_s=facts.duration_s,
        rate_hz=facts.rate_hz,
        bit_depth=facts.bit_depth,
        source_format=facts.source_format,
        source_channels=facts.source_channels,
    )


def _notes(item_id: ItemId, member: Member, facts: CanonicalFacts) -> Iterator[Finding]:
    for note in facts.notes:
        yield Finding(code=note.code, where=item_id, got=note.detail)
    ending = member.base.rpartition(".")[2].lower()
    expected = {_ENDINGS[facts.source_format.partition("/")[0]]}
    if facts.source_format == "OGG/OPUS":
        expected.add("opus")
    if ending not in expected:
        yield Finding(code="other_format", where=item_id, got=f"{facts.source_format} named .{ending}")
