"""The prints of one submission's clips as one small private file beside its events."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation import audio
from evaluation.errors import SchemaError
from evaluation.records import Clip, ItemId
from submissions.fingerprint import MAX_FRAMES, Print, fingerprint

FILE = "fingerprints.bin"
"""Name of the file."""
VERSION = 1
"""Changes with anything that changes a print: prints of two versions are never compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipPrint:
    """What one clip is known by."""

    sha256: str
    """sha256 (hex) of the canonical clip."""
    frames: Print
    """Its print; without frames if there is too little sound to be known by."""


Prints = Mapping[ItemId, ClipPrint]
"""Prints of a submission by item."""


def prints_of(clips: Iterable[Clip], clips_dir: Path) -> dict[ItemId, ClipPrint]:
    """Return the prints of canonical clips.

    Args:
        clips: clips of one submission.
        clips_dir: folder that holds each as `<item id>.flac`.

    Raises:
        DecodeError: if one cannot be read.
    """
    return {
        clip.item_id: ClipPrint(sha256=clip.sha256, frames=fingerprint(*audio.read(clips_dir / f"{clip.item_id}.flac")))
        for clip in clips
    }


def encode(prints: Prints) -> bytes:
    """Return `prints` as bytes: one line of JSON, then the frames of all clips in its order."""
    table = [[item_id, one.sha256, len(one.frames)] for item_id, one in prints.items()]
    head = json.dumps({"version": VERSION, "clips": table}, separators=(",", ":")).encode("ascii")
    return head + b"\n" + b"".join(one.frames.astype("<u2").tobytes() for one in prints.values())


def decode(data: bytes) -> dict[ItemId, ClipPrint]:
    """Return what `encode` wrote; nothing if another version did.

    Raises:
        SchemaError: if the bytes are damaged.
    """
    head, _, body = data.partition(b"\n")
    try:
        table = json.loads(head)
        if table["version"] != VERSION:
            return {}
        rows = [(ItemId(str(item_id)), str(sha256), int(n)) for item_id, sha256, n in table["clips"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SchemaError(f"{FILE} is damaged: its first line is not the table of its clips") from error
    if any(not 0 <= n <= MAX_FRAMES for _, _, n in rows) or sum(n for _, _, n in rows) * 4 != len(body):
        raise SchemaError(f"{FILE} is damaged: {len(body):,} bytes of prints are not what its table announces")
    frames = np.frombuffer(body, "<u2").reshape(-1, 2).astype(np.uint16)
    prints, at = {}, 0
    for item_id, sha256, n in rows:
        prints[item_id] = ClipPrint(sha256=sha256, frames=frames[at : at + n])
        at += n
    return prints
