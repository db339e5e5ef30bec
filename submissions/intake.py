"""From a zip to clips, or to everything that is wrong with it at once: `check`, for page, command line and worker.

The result depends on the bytes of the zip, the corpus and the limits alone. A check that was killed can be run again in
the same folders: every clip is decoded anew and takes its place whole.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evaluation.audio import FORMATS, LIMITS
from evaluation.audio_facts import Limits
from evaluation.decoding import Decoder
from evaluation.records import Clip, Item, ItemId
from submissions.archive import ARCHIVE_LIMITS, Archive, ArchiveError, ArchiveLimits, Member
from submissions.card import read_fields
from submissions.clip_bench import Bench, OnProgress
from submissions.clip_folder import ClipFolder
from submissions.findings import Finding, to_problems
from submissions.listing import DECLINED_NAME, SYSTEM_NAME, Listing, list_members, missing, read_declined
from submissions.problems import Problem
from submissions.strict_json import MAX_BYTES, BadJson, load

Source = Archive | ClipFolder
"""Where the clips are."""
OpenSource = Callable[[Path, ArchiveLimits], Source]
TIMEOUT_S = 60.0
"""Time that one clip may take to decode, s."""


class Corpus(Protocol):
    """What a check needs of a corpus."""

    @property
    def items(self) -> tuple[Item, ...]:
        """Every item, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What a check found."""

    zip_sha256: str
    """sha256 (hex) of the zip file; empty if the file is too big to be taken."""
    n_items: int
    """Items of the corpus."""
    n_clips: int
    """Items for which the zip has a clip, readable or not."""
    clips: tuple[Clip, ...]
    """Clips that can be read, in the order of the corpus."""
    declined: tuple[ItemId, ...]
    """Items that the system refused, in the order of the corpus."""
    card_fields: Mapping[str, str | bool]
    """Good values of system.json in regular form; empty without one."""
    problems: tuple[Problem, ...]
    """What blocks the submission, all of it."""
    warnings: tuple[Problem, ...]
    """What the maker should know."""
    is_unreadable: bool
    """The file cannot be opened as a zip, so nothing else was looked at."""

    @property
    def is_clean(self) -> bool:
        """Nothing blocks the submission; there may be warnings."""
        return not self.problems


def check(
    zip_path: Path,
    corpus: Corpus,
    work_dir: Path,
    *,
    decoder_processes: int = 2,
    keep_clips: Path | None = None,
    on_progress: OnProgress | None = None,
    limits: Limits = LIMITS,
    archive_limits: ArchiveLimits = ARCHIVE_LIMITS,
    open_source: OpenSource = Archive.open,
    may_be_partial: bool = False,
) -> CheckResult:
    """Check a submission and decode its clips.

    Args:
        zip_path: the zip; it is only read.
        corpus: what must be read.
        work_dir: an existing folder of this check's own, for passing files.
        decoder_processes: decoders at work at once, >= 1.
        keep_clips: an existing folder in which the canonical clips stay as `<item id>.flac`; clips of the corpus that
            an earlier check left there are replaced or removed. None keeps none.
        on_progress: called now and then from this thread.
        limits: what a clip may be.
        archive_limits: what a zip may be.
        open_source: opens `zip_path`; only `submissions.folder_check` needs another way than that of a zip.
        may_be_partial: whether items may be without a clip, which no submission allows.

    Returns:
        Everything that was found; the same zip gives an equal result.
    """
    words = _limit_words(corpus, limits, archive_limits)
    item_ids = tuple(item.id for item in corpus.items)
    _remove_old_clips(keep_clips, item_ids)
    try:
        archive = open_source(zip_path, archive_limits)
    except ArchiveError as error:
        return _unreadable(error.finding, len(item_ids), words)
    with archive:
        listing = list_members(archive.members, item_ids)
        declined, declined_findings = _declined(archive, listing, item_ids)
        card_fields, card_problems, card_findings = _card_fields(archive, listing)
        bench = Bench(
            archive,
            work_dir,
            keep_clips,
            make_decoder=lambda: Decoder(decoder_processes, TIMEOUT_S, limits=limits),
            n_in_flight=2 * decoder_processes + 1,
        )
        decoded = bench.decode_all(_wanted(archive, listing, item_ids), on_progress)
        sha256 = archive.sha256()
    clips = tuple(clip for clip, _ in decoded if clip is not None)
    findings = [*archive.findings, *listing.findings, *declined_findings, *card_findings]
    absent = missing(item_ids, listing.clips, declined)
    findings += [one for one in absent if not (may_be_partial and one.code == "missing_items")]
    findings += [finding for _, found in decoded for finding in found]
    findings += _same_audio(clips, corpus)
    told = to_problems(findings, words) + card_problems
    return CheckResult(
        zip_sha256=sha256,
        n_items=len(item_ids),
        n_clips=len(listing.clips),
        clips=clips,
        declined=declined,
        card_fields=card_fields,
        problems=tuple(problem for problem in told if problem.kind == "problem"),
        warnings=tuple(problem for problem in told if problem.kind == "warning"),
        is_unreadable=False,
    )


def _wanted(archive: Source, listing: Listing, item_ids: tuple[ItemId, ...]) -> list[tuple[ItemId, Member]]:
    """Return the clips to decode, in the order of the corpus; none if there is too much of everything."""
    if any(finding.code in ("too_many_members", "total_size") for finding in archive.findings):
        return []
    return [(i, listing.clips[i]) for i in item_ids if i in listing.clips and listing.clips[i].is_readable]


def _same_audio(clips: tuple[Clip, ...], corpus: Corpus) -> Iterator[Finding]:
    scripts = {item.id: item.script for item in corpus.items}
    first: dict[str, ItemId] = {}
    for clip in clips:
        twin = first.setdefault(clip.sha256, clip.item_id)
        if scripts[twin] != scripts[clip.item_id]:
            yield Finding(code="same_audio", where=clip.item_id, got=f"the clip of {twin}")


def _declined(
    archive: Source, listing: Listing, item_ids: tuple[ItemId, ...]
) -> tuple[tuple[ItemId, ...], tuple[Finding, ...]]:
    value = _json(archive, listing.declined_file, "declined_unreadable")
    if value is None:
        return (), ()
    if isinstance(value, Finding):
        return (), (value,)
    return read_declined(value[0], item_ids)


def _card_fields(
    archive: Source, listing: Listing
) -> tuple[dict[str, str | bool], tuple[Problem, ...], tuple[Finding, ...]]:
    value = _json(archive, listing.system_file, "system_unreadable")
    if value is None:
        return {}, (), ()
    if isinstance(value, Finding):
        return {}, (), (value,)
    if not isinstance(value[0], dict):
        return {}, (), (Finding(code="system_unreadable", where=SYSTEM_NAME, got="something else than an object"),)
    fields, problems = read_fields(value[0])
    return fields, problems, ()


def _json(archive: Source, member: Member | None, code: str) -> tuple[object] | Finding | None:
    """Return the value of a JSON member in a tuple of one; None without a readable member."""
    if member is None or not member.is_readable:
        return None
    try:
        return (load(archive.read(member, MAX_BYTES)),)
    except ArchiveError as error:
        return Finding(code=code, where=member.name, got=error.finding.got)
    except BadJson as error:
        return Finding(code=code, where=member.name, got=str(error))


def _remove_old_clips(keep_clips: Path | None, item_ids: tuple[ItemId, ...]) -> None:
    if keep_clips is not None:
        for item_id in item_ids:
            (keep_clips / f"{item_id}.flac").unlink(missing_ok=True)
            (keep_clips / f".{item_id}.flac.part").unlink(missing_ok=True)


def _unreadable(finding: Finding, n_items: int, words: Mapping[str, str]) -> CheckResult:
    return CheckResult(
        zip_sha256="",
        n_items=n_items,
        n_clips=0,
        clips=(),
        declined=(),
        card_fields={},
        problems=to_problems([finding], words),
        warnings=(),
        is_unreadable=True,
    )


def _limit_words(corpus: Corpus, limits: Limits, archive_limits: ArchiveLimits) -> dict[str, str]:
    example = f"{corpus.items[0].id}.wav" if corpus.items else "item.wav"
    return {
        "zip_bytes": f"{archive_limits.zip_bytes:,} bytes",
        "max_entries": f"{archive_limits.max_entries:,}",
        "max_members": f"{archive_limits.max_members:,}",
        "member_bytes": f"{archive_limits.member_bytes:,} bytes",
        "total_bytes": f"{archive_limits.total_bytes:,} bytes",
        "max_ratio": f"{archive_limits.max_ratio:,}",
        "canonical_bytes": f"{archive_limits.canonical_bytes:,} bytes",
        "max_decoder_failures": f"{archive_limits.max_decoder_failures:,}",
        "clip_s": f"{limits.min_s:g} to {limits.max_s:g} s",
        "clip_hz": f"{limits.min_hz:,} to {limits.max_hz:,} Hz",
        "timeout_s": f"{TIMEOUT_S:g}",
        "formats": FORMATS,
        "example": example,
        "declined": DECLINED_NAME,
        "json_names": f"{SYSTEM_NAME} and {DECLINED_NAME}",
    }
