"""The way of a clip through a check: out of the zip, through a decoder, away. A few are under way at a time."""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

from evaluation.audio_facts import CanonicalFacts, ClipRefused
from evaluation.decoding import Decoder
from evaluation.records import Clip, ItemId
from submissions.archive import Archive, ArchiveError, Member
from submissions.clip_folder import ClipFolder
from submissions.findings import Finding

log = logging.getLogger(__name__)

PATIENCE_S = 900.0
"""Far more than a decoder may take with all that is under way; beyond it something of ours is broken."""

_COSTLY = ("too_slow", "decoder_died")
_ENDINGS = {"WAV": "wav", "WAVEX": "wav", "RF64": "wav", "FLAC": "flac", "MP3": "mp3", "OGG": "ogg"}

OnProgress = Callable[[int, int], None]
"""Called with the number of clips that are done and of all clips."""
Decoded = tuple[Clip | None, tuple[Finding, ...]]
"""A clip if it can be read, and what there is to say of it."""


class Bench:
    """Brings members to decoders, a few at a time, and clears up after them."""

    def __init__(
        self,
        archive: Archive | ClipFolder,
        work_dir: Path,
        keep_clips: Path | None,
        *,
        make_decoder: Callable[[], Decoder],
        n_in_flight: int,
    ) -> None:
        """Set up the way of a clip.

        Args:
            archive: where the members are.
            work_dir: folder for what passes; nothing of ours stays there.
            keep_clips: folder in which the canonical clips stay as `<item id>.flac`; None keeps none.
            make_decoder: makes the pool of decoders for one call of `decode_all`.
            n_in_flight: members that may be unpacked and not yet decoded, >= 1.
        """
        self._archive = archive
        self._work_dir = work_dir
        self._keep_clips = keep_clips
        self._make_decoder = make_decoder
        self._n_in_flight = n_in_flight

    def decode_all(self, wanted: list[tuple[ItemId, Member]], on_progress: OnProgress | None) -> tuple[Decoded, ...]:
        """Return what came of each wanted clip, in order; if a limit stops the work, the last entry says so."""
        done: list[Decoded] = []
        try:
            with self._make_decoder() as decoder:
                for decoded in self._decoded(decoder, wanted):
                    done.append(decoded)
                    if on_progress is not None:
                        on_progress(min(len(done), len(wanted)), len(wanted))
        finally:
            good = {clip.item_id for clip, _ in done if clip is not None}
            for item_id, member in wanted:
                self._clear(item_id, member, keeps_clip=item_id in good and self._keep_clips is not None)
        return tuple(done)

    def _decoded(self, decoder: Decoder, wanted: list[tuple[ItemId, Member]]) -> Iterator[Decoded]:
        limits = self._archive.limits
        pending: deque[tuple[ItemId, Member, Future[CanonicalFacts] | Finding]] = deque()
        queue = iter(wanted)
        n_bytes = n_failures = 0
        for n_done in range(1, len(wanted) + 1):
            while len(pending) < self._n_in_flight and (following := next(queue, None)) is not None:
                pending.append((*following, self._start(decoder, *following)))
            item_id, member, answer = pending.popleft()
            outcome = _settled(item_id, answer)
            if isinstance(outcome, CanonicalFacts):
                n_bytes += outcome.n_bytes
                yield _clip(item_id, outcome), tuple(_notes(item_id, member, outcome))
            else:
                n_failures += any(finding.code in _COSTLY for finding in outcome)
                yield None, outcome
            self._clear(item_id, member, keeps_clip=self._keep_clips is not None)
            if n_bytes > limits.canonical_bytes:
                yield None, (Finding(code="all_too_big", got=f"more after {n_done:,} clips"),)
                return
            if n_failures >= limits.max_decoder_failures and n_done < len(wanted):
                yield None, (Finding(code="gave_up", got=f"{n_failures:,} among the first {n_done:,} clips"),)
                return

    def _start(self, decoder: Decoder, item_id: ItemId, member: Member) -> Future[CanonicalFacts] | Finding:
        source = self._source(member)
        try:
            self._archive.copy_to(member, source)
        except ArchiveError as error:
            return error.finding
        return decoder.decode(source, self._target(item_id))

    def _clear(self, item_id: ItemId, member: Member, *, keeps_clip: bool) -> None:
        self._source(member).unlink(missing_ok=True)
        target = self._target(item_id)
        target.with_name(f".{target.name}.part").unlink(missing_ok=True)
        if not keeps_clip:
            target.unlink(missing_ok=True)

    def _source(self, member: Member) -> Path:
        return self._work_dir / f"member-{member.index:05}"

    def _target(self, item_id: ItemId) -> Path:
        return (self._work_dir if self._keep_clips is None else self._keep_clips) / f"{item_id}.flac"


def _settled(item_id: ItemId, answer: Future[CanonicalFacts] | Finding) -> CanonicalFacts | tuple[Finding, ...]:
    if isinstance(answer, Finding):
        return (answer,)
    try:
        return answer.result(timeout=PATIENCE_S)
    except ClipRefused as refused:
        log.info("clip.refused", extra={"item_id": item_id, "code": refused.code})
        return tuple(Finding(code=f.code, where=item_id, got=f.detail) for f in refused.faults)


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
