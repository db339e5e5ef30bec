"""Target: a whole zip through the intake, raw or built with lies, against Python's own zip reader."""

import hashlib
import io
import stat
import unicodedata
import zipfile
import zlib
from pathlib import Path
from unittest import mock

from evaluation.audio import canonicalise
from evaluation.audio_facts import Limits
from submissions import intake
from submissions.archive import ArchiveLimits
from submissions.intake import CheckResult
from tests.audio_factory import RawEntry, corpus_of, encoded, raw_zip, tone, zip_bytes
from tests.fuzz.cursor import Cursor
from tests.fuzz.invariants import InlineDecoder, hold_for_check

MAX_BYTES = 32_768
TOKENS = (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"vb-00000.wav", b"declined.json")
CORPUS = corpus_of(3)
ITEM_IDS = tuple(item.id for item in CORPUS.items)
LIMITS = Limits(max_s=2.0)
SMALL = ArchiveLimits(
    zip_bytes=MAX_BYTES,
    max_entries=12,
    directory_bytes=2_048,
    max_members=8,
    member_bytes=20_000,
    total_bytes=60_000,
    max_ratio=20,
    ratio_from_bytes=4_000,
    canonical_bytes=30_000,
    max_decoder_failures=2,
)
_SHORT = encoded(tone(duration_s=0.25, rate_hz=8_000), rate_hz=8_000)
_NAMES = (
    *(f"{item_id}.wav".encode() for item_id in ITEM_IDS),
    b"vb-00001.FLAC",
    b"clips/vb-00002.mp3",
    b"declined.json",
    b"system.json",
    b"../vb-00000.wav",
    b"/vb-00001.wav",
    b"clips/",
    b"__MACOSX/vb-00000.wav",
    b".vb-00000.wav",
    b"vb-00000.wav\x00.txt",
    b"VB-00000.wav",
    "vb-00000\u0301.wav".encode(),
    "Vb\u212a.wav".encode(),
)
_CONTENTS = (
    _SHORT,
    encoded(tone(duration_s=0.3, rate_hz=8_000), container="FLAC", rate_hz=8_000),
    encoded(tone(duration_s=0.25, rate_hz=8_000, frequency_hz=330.0), rate_hz=8_000),
    b"",
    b'["vb-00002"]',
    b'{"vb-00001": "refused"}',
    b'{"system": "A", "version": "1", "organisation": "B"}',
    bytes(9_000),
    _SHORT[:60],
)


def seeds() -> list[bytes]:
    """Return inputs to start from."""
    good = {f"{item_id}.wav": _CONTENTS[n] for n, item_id in enumerate(ITEM_IDS)}
    card = {"system.json": _CONTENTS[6], "declined.json": b'["vb-00002"]'}
    fewer = dict(list(good.items())[:2])
    whole = [
        zip_bytes(good),
        zip_bytes({**fewer, **card}, method=zipfile.ZIP_STORED),
        zip_bytes({f"clips/{name}": data for name, data in good.items()}),
        _zip64(good),
        zip_bytes({}),
        raw_zip([RawEntry(name=b"vb-00000.wav", data=_SHORT)], before=b"#!/bin/sh\n", after=b"more"),
    ]
    built = [b"\x01" + bytes([n, *(0, 0, 1, 0, 0, 1, 2, 0) * n]) for n in (1, 3, 5)]
    return [bytes([0]) + one for one in whole] + [bytes([2]) + one for one in whole] + built


def run_one(data: bytes, folder: Path) -> object:
    """Check one input in `folder`, which is empty and is left empty; return what stands for its outcome."""
    cursor = Cursor(data)
    mode = cursor.number()
    zipped = _built(cursor) if mode & 1 else cursor.rest()
    path, work, keep = folder / "upload.zip", folder / "work", folder / "keep"
    path.write_bytes(zipped)
    work.mkdir()
    keep.mkdir()
    with mock.patch.object(intake, "Decoder", InlineDecoder):
        found = intake.check(
            path,
            CORPUS,
            work,
            keep_clips=keep,
            limits=LIMITS,
            archive_limits=SMALL if mode & 2 else intake.ARCHIVE_LIMITS,
        )
    hold_for_check(found, ITEM_IDS, {one.name for one in keep.iterdir()})
    assert not list(work.iterdir()), "passing files were left behind"
    assert {one.name for one in folder.iterdir()} == {"upload.zip", "work", "keep"}, "a file outside its folders"
    if not found.is_unreadable:
        assert found.zip_sha256 == hashlib.sha256(zipped).hexdigest()
    if found.is_clean:
        hold_against_zipfile(zipped, found, work)
    for place in (keep, work):
        for one in place.iterdir():
            one.unlink()
        place.rmdir()
    path.unlink()
    codes = [problem.code for problem in (*found.problems, *found.warnings)]
    return len(found.clips), len(found.declined), len(found.card_fields), codes


def hold_against_zipfile(zipped: bytes, found: CheckResult, work: Path) -> None:
    """Python's own reader sees the same clips with the same bytes, and no file besides."""
    clips = {clip.item_id: clip.sha256 for clip in found.clips}
    seen = set()
    with zipfile.ZipFile(io.BytesIO(zipped)) as other:
        for info in other.infolist():
            parts = [part for part in info.filename.split("/") if part not in ("", ".")]
            is_dir = info.is_dir() or stat.S_ISDIR(info.external_attr >> 16)
            is_junk = any(part.startswith(".") or part == "__MACOSX" for part in parts)
            if is_dir or is_junk or not parts or parts[-1].casefold() in ("thumbs.db", "desktop.ini"):
                continue
            base = unicodedata.normalize("NFC", parts[-1])
            if base in ("declined.json", "system.json"):
                continue
            stem = base.rpartition(".")[0]
            assert stem in clips, f"clean, with the file {base!r}"
            assert stem not in seen, f"clean, with {stem} twice"
            seen.add(stem)
            try:
                content = other.read(info)
            except NotImplementedError:  # it stops at a version number that says nothing of the bytes
                continue
            (work / "source").write_bytes(content)
            assert canonicalise(work / "source", work / "other.flac", LIMITS).sha256 == clips[stem]
    assert seen == set(clips)


def _built(cursor: Cursor) -> bytes:
    entries = [_entry(cursor) for _ in range(cursor.number() % 14)]
    before = cursor.take(20) if cursor.is_rare() else b""
    after = cursor.take(20) if cursor.is_rare() else b""
    return raw_zip(entries, before=before, after=after)


def _entry(cursor: Cursor) -> RawEntry:
    kind = cursor.number()
    name = _NAMES[kind % len(_NAMES)] if kind < 240 else cursor.take(kind - 238)
    kind = cursor.number()
    content = _CONTENTS[kind % len(_CONTENTS)] if kind < 240 else cursor.take(16 * (kind - 239))
    is_packed = bool(cursor.number() & 1)
    packed = zlib.compress(content, wbits=-zlib.MAX_WBITS) if is_packed else content
    lies = cursor.number()
    return RawEntry(
        name=name,
        data=packed if lies != 1 else packed[: len(packed) // 2],
        method=cursor.number(2) if lies == 2 else 8 * is_packed,
        flags=cursor.number(2) if lies == 3 else 0,
        size_bytes=cursor.number(4) if lies == 4 else len(content),
        crc=cursor.number(4) if lies == 5 else zlib.crc32(content),
        local_name=cursor.take(12) if lies == 6 else None,
        header_at=cursor.number(2) if lies == 7 else None,
        unix_mode=cursor.number(2) if lies == 8 else 0o100644,
    )


def _zip64(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(data)
    return out.getvalue()
