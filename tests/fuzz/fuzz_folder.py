"""Target: a folder of clips, with links, devices and odd names in it, through the same check."""

import os
import shutil
from pathlib import Path
from unittest import mock

from submissions import intake
from submissions.folder_check import check_folder
from tests.audio_factory import corpus_of, encoded, tone
from tests.fuzz.cursor import Cursor
from tests.fuzz.invariants import InlineDecoder, hold_for_check

MAX_BYTES = 1_024
TOKENS = (b"vb-00000.wav", b"declined.json", b"system.json", b"\xff\xfe", b"..")
CORPUS = corpus_of(3)
ITEM_IDS = tuple(item.id for item in CORPUS.items)
_NAMES = (
    *(f"{item_id}.wav".encode() for item_id in ITEM_IDS),
    *(b"vb-00001.FLAC", b"clips/vb-00002.mp3", b"declined.json", b"system.json", b".hidden", b"Thumbs.db", b"b\nc.wav"),
)
_CONTENTS = (
    encoded(tone(duration_s=0.25, rate_hz=8_000), rate_hz=8_000),
    encoded(tone(duration_s=0.25, rate_hz=8_000, frequency_hz=330.0), rate_hz=8_000),
    b"",
    b'["vb-00002"]',
    b'{"system": "A"}',
)
_SECRET = encoded(tone(duration_s=0.4, rate_hz=8_000, frequency_hz=555.0), rate_hz=8_000)


def seeds() -> list[bytes]:
    """Return inputs to start from."""
    return [bytes([n, 0, 0, 0, 1, 1, 0, 2, 0, 0]) for n in range(6)]


def run_one(data: bytes, folder: Path) -> object:
    """Check one folder below `folder`, which is empty and is left empty; return what stands for its outcome."""
    root, work, keep, secret = (folder / name for name in ("clips", "work", "keep", "secret.wav"))
    for place in (root, work, keep):
        place.mkdir()
    secret.write_bytes(_SECRET)
    try:
        n_links = _fill(root, Cursor(data), secret)
        with mock.patch.object(intake, "Decoder", InlineDecoder):
            found = check_folder(root, CORPUS, work, keep_clips=keep)
        hold_for_check(found, ITEM_IDS, {one.name for one in keep.iterdir()})
        assert not list(work.iterdir()), "passing files were left behind"
        assert all(clip.duration_s != 0.4 for clip in found.clips), "a link was followed"
        return n_links, len(found.clips), [problem.code for problem in (*found.problems, *found.warnings)]
    finally:
        for place in (root, work, keep):
            shutil.rmtree(place)
        secret.unlink()


def _fill(root: Path, cursor: Cursor, secret: Path) -> int:
    n_links = 0
    for _ in range(cursor.number() % 10):
        kind = cursor.number()
        name = _NAMES[kind % len(_NAMES)] if kind < 200 else cursor.take(kind - 198)
        place = os.fsencode(root) + b"/" + name.replace(b"\0", b"0")
        made, content = cursor.number(), cursor.pick(_CONTENTS)
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - names that are not text
            if not os.path.realpath(place).startswith(os.fsencode(root)):  # ".." is ours to keep out here
                continue
            if made in (1, 2):
                os.symlink(secret if made == 1 else ".", place)  # noqa: PTH211
                n_links += 1
            elif made == 3:
                os.mkfifo(place)
            else:
                with open(place, "xb") as file:  # noqa: PTH123
                    file.write(content)
        except OSError:  # a name that this file system does not take, or that is there
            continue
    return n_links
