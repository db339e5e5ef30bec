"""A demo system's zip: clips synthesised one by one into a cache, then packed like any maker's submission.

Each clip appears in the cache by a rename, so a run that is killed goes on where it stopped; the zip is a function
of the cached clips and the card alone.
"""

import hashlib
import json
import logging
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile

from submissions.card import Card
from submissions.demo.records import DemoSystem, EngineFailed, Prompt, Speech

log = logging.getLogger(__name__)

MIN_DURATION_S = 0.25  # shorter speech is padded with silence: a submission's clips last at least 0.2 s
N_BLOCK_SAMPLES = 65_536  # libsndfile's vorbis encoder overflows its stack on one very long write
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can hold


class _Encoding(NamedTuple):
    container: str
    subtype: str


_ENCODINGS = {
    "flac": _Encoding("FLAC", "PCM_16"),
    "wav": _Encoding("WAV", "PCM_16"),
    "mp3": _Encoding("MP3", "MPEG_LAYER_III"),
    "ogg": _Encoding("OGG", "VORBIS"),
}


def synthesise(
    system: DemoSystem,
    prompts: Sequence[Prompt],
    cache_dir: Path,
    *,
    on_progress: Callable[[int, int], None],
) -> Path:
    """Return the system's zip with one clip a prompt, synthesising those that the cache lacks.

    Args:
        system: the system to run; its engine is loaded only if a clip is missing.
        prompts: what to speak; ids are unique and safe as file names.
        cache_dir: folder for `<key>/clips/<id>.<suffix>`, `<key>.zip` and the engines' downloads; made if absent.
        on_progress: called with (clips that exist, clips in all) at the start and after each clip.

    Returns:
        Path of `<cache_dir>/<key>.zip`, byte for byte the same for the same clips and card.

    Raises:
        MissingDependency: if the engine or its voice is not installed.
        EngineFailed: if the engine gives no usable speech for a prompt.
    """
    clips_dir = _clips_dir(system, prompts, cache_dir)
    paths = {prompt.id: clips_dir / f"{prompt.id}.{system.suffix}" for prompt in prompts}
    missing = [prompt for prompt in prompts if not paths[prompt.id].exists()]
    n_done = len(prompts) - len(missing)
    on_progress(n_done, len(prompts))
    if missing:
        log.info("demo.synthesise", extra={"system": system.key, "n_missing": len(missing)})
        for speech in system.load(cache_dir / "downloads").speak(missing):
            _write_clip(paths[speech.prompt_id], speech)
            n_done += 1
            on_progress(n_done, len(prompts))
    return _pack(system, [paths[prompt.id] for prompt in prompts], cache_dir / f"{system.key}.zip")


def card_fields(card: Card) -> dict[str, str | bool | None]:
    """The fields of a system.json, contact included."""
    return asdict(card)


def _clips_dir(system: DemoSystem, prompts: Sequence[Prompt], cache_dir: Path) -> Path:
    """Return the clip folder, emptied first if its clips were made by another version or from other prompts."""
    folder = cache_dir / system.key
    recipe = json.dumps([system.card.version, system.suffix, [asdict(prompt) for prompt in prompts]])
    mark = hashlib.sha256(recipe.encode("utf-8", "surrogatepass")).hexdigest()
    mark_path = folder / "recipe.sha256"
    if folder.exists() and (not mark_path.exists() or mark_path.read_text(encoding="ascii") != mark):
        log.info("demo.discard", extra={"system": system.key})
        shutil.rmtree(folder)
    clips_dir = folder / "clips"
    clips_dir.mkdir(parents=True, exist_ok=True)
    mark_path.write_text(mark, encoding="ascii")
    return clips_dir


def _write_clip(path: Path, speech: Speech) -> None:
    samples = np.clip(speech.samples, -1.0, 1.0)
    if not np.any(samples):
        raise EngineFailed(f"the engine gave only silence for {speech.prompt_id}")
    n_short = round(MIN_DURATION_S * speech.rate_hz) - samples.size
    if n_short > 0:
        samples = np.pad(samples, (0, n_short))
    encoding = _ENCODINGS[path.suffix.removeprefix(".")]
    part = path.with_suffix(".part")
    with soundfile.SoundFile(
        part,
        "w",
        samplerate=speech.rate_hz,
        channels=1,
        format=encoding.container,
        subtype=encoding.subtype,
    ) as file:
        for start in range(0, samples.size, N_BLOCK_SAMPLES):
            file.write(samples[start : start + N_BLOCK_SAMPLES])
    part.replace(path)


def _pack(system: DemoSystem, clips: Sequence[Path], target: Path) -> Path:
    card = json.dumps(card_fields(system.card), indent=2, ensure_ascii=False) + "\n"
    part = target.with_suffix(".zip.part")
    with zipfile.ZipFile(part, "w") as archive:
        archive.writestr(_member("system.json"), card.encode())
        for clip in sorted(clips):
            archive.writestr(_member(clip.name), clip.read_bytes())
    part.replace(target)
    return target


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, date_time=_ZIP_DATE)
    member.create_system = 3
    member.external_attr = 0o644 << 16
    member.compress_type = zipfile.ZIP_STORED  # clips are compressed already
    return member
