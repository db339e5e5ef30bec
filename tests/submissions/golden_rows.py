"""Three lite rows of which every input is fixed, here or in `published_example`: for hashes that must never change."""

import dataclasses
from pathlib import Path

from evaluation.codec import sha256_of
from evaluation.corpus import CorpusPin
from evaluation.protocol import load_shipped
from submissions import layout
from submissions.store.folder import PublishedFolder
from tests.submissions import published_example as example


def publish_rows(base: Path, normaliser: str) -> PublishedFolder:
    """Publish the rows below `base`; the clips are plain bytes, so that no audio encoder has a say."""
    corpus = CorpusPin(name="invented", file_sha256="0" * 64, canonical_sha256="1" * 64, n_items=example.N_ITEMS)
    under = dataclasses.replace(load_shipped("lite"), corpus=corpus, normaliser=normaliser)
    files = PublishedFolder(base / "published")
    for name in example.SUBMISSIONS:
        one = example.submission(base / name, name)
        clips = []
        for clip in one.clips:
            data = f"clip of {clip.item_id} by {name}".encode()
            (one.clips_dir / f"{clip.item_id}.flac").write_bytes(data)
            clips.append(dataclasses.replace(clip, sha256=sha256_of(data)))
        readings = {
            clip.item_id: dataclasses.replace(one.readings[clip.item_id], clip_sha256=clip.sha256) for clip in clips
        }
        example.send(files, dataclasses.replace(one, clips=tuple(clips), readings=readings), under)
    return files


def fingerprint(files: PublishedFolder) -> dict[str, str]:
    """Return the sha256 of all published files of each folder, in order of their paths; the card is words."""
    folders: dict[str, list[str]] = {}
    for path in (path for path in files.paths() if path != layout.DATASET_CARD):
        folders.setdefault(path.partition("/")[0], []).append(sha256_of(files.read(path)))
    return {folder: sha256_of("".join(hashes).encode()) for folder, hashes in sorted(folders.items())}
