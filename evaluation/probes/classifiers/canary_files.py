"""The files of a canary: a few labelled clips of every class, pinned by the sha256 of the manifest that lists them.

They lie at `<models>/canaries/<sha256 of the manifest>/manifest.jsonl`, so a protocol that pins the sha256 pins them.
An operator's own manifest need not name the clips' sha256: they are written into the one that is pinned.
"""

import json
import math
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evaluation import weights
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.models import is_safe_name
from evaluation.pins import ModelPin
from evaluation.probes.labelled import LabelledClip, ManifestError, read_manifest
from evaluation.traits import Kind, Trait

FOLDER = "canaries"
MANIFEST = "manifest.jsonl"
CLIPS_PER_CLASS = 2
"""Fewest clips of each class, and of a numeric trait's lower and upper half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A canary that an operator has put together, checked."""

    manifest: bytes
    """The manifest that is pinned; it names the sha256 of every clip."""
    folder: Path
    """Where the clips are now."""
    clips: tuple[LabelledClip, ...]
    """The clips, as the manifest lists them."""

    @property
    def sha256(self) -> str:
        """Return what a protocol pins (hex)."""
        return sha256(self.manifest).hexdigest()


def clips_of(trait: Trait, pin: ModelPin, models: Path) -> tuple[LabelledClip, ...]:
    """Return the canary clips of a model, every file checked, none decoded.

    Raises:
        MissingDependency: they are not there; says where they belong.
        ProtocolError: the pin names no canary, or they are too few, have other labels, or differ from their sha256.
        ManifestError: the manifest is malformed.
    """
    if not is_safe_name(pin.canary_sha256) or len(pin.canary_sha256) != 64:
        raise ProtocolError(f"{pin.repo}: canary_sha256 must be 64 hex digits, got {pin.canary_sha256!r:.80}")
    path = models / FOLDER / pin.canary_sha256 / MANIFEST
    if not path.is_file():
        raise MissingDependency(f"The canary of {pin.repo}", f"copy its clips and {MANIFEST} into {path.parent}")
    problems = []
    if weights.file_sha256(path) != pin.canary_sha256:
        problems.append(f"{MANIFEST} has another sha256 than its folder's name")
    clips = read_manifest(path)
    problems += [f"{clip.path.name} must have its sha256 in the manifest" for clip in clips if clip.sha256 is None]
    problems += _unfit(trait, clips)
    if problems:
        raise ProtocolError(f"the canary of {pin.repo}: " + "; ".join(problems))
    return clips


def read_canary(trait: Trait, path: Path) -> Canary:
    """Return the canary that a manifest describes; clips without a sha256 get the one that they have now.

    Raises:
        ProtocolError: its clips are too few, have other labels, or differ from their sha256.
        ManifestError: the manifest cannot be read or is malformed.
    """
    try:
        clips = read_manifest(path)
    except ManifestError as error:
        raise ManifestError(f"the canary {path}", error.problems) from error
    problems = _unfit(trait, clips)
    if problems:
        raise ProtocolError(f"the canary {path}: " + "; ".join(problems))
    is_whole = all(clip.sha256 is not None for clip in clips)
    manifest = path.read_bytes() if is_whole else b"".join(_line(clip, path.parent) for clip in clips)
    return Canary(manifest=manifest, folder=path.parent, clips=clips)


def install(canary: Canary, models: Path) -> Path:
    """Copy a canary to where models look for it and return its folder; again is no change.

    The manifest comes last, so that a copy that broke off is no canary; it is then made good.
    """
    folder = models / FOLDER / canary.sha256
    manifest = folder / MANIFEST
    if manifest.is_file() and manifest.read_bytes() == canary.manifest:
        return folder
    for clip in canary.clips:
        target = folder / clip.path.relative_to(canary.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(clip.path, target)
    manifest.write_bytes(canary.manifest)
    return folder


def _middle(trait: Trait) -> float:
    requestable = [float(value) for value in trait.values]
    return (min(requestable) + max(requestable)) / 2


def _line(clip: LabelledClip, folder: Path) -> bytes:
    name = clip.path.relative_to(folder).as_posix()
    sha256 = clip.sha256 or weights.file_sha256(clip.path)
    return json.dumps({"clip": name, "label": clip.label, "sha256": sha256}).encode() + b"\n"


def _unfit(trait: Trait, clips: Sequence[LabelledClip]) -> list[str]:
    changed = [clip for clip in clips if clip.sha256 is not None and weights.file_sha256(clip.path) != clip.sha256]
    return [
        *(f"{clip.path.name} has another sha256 than the manifest says" for clip in changed),
        *_unfit_labels(trait, clips),
    ]


def _unfit_labels(trait: Trait, clips: Sequence[LabelledClip]) -> list[str]:
    if trait.kind is Kind.NUMERIC:
        numbers = [_number(clip.label) for clip in clips]
        if any(number is None for number in numbers):
            return [f"labels must be numbers of {trait.unit or 'the trait'}"]
        middle = _middle(trait)
        upper = sum(number is not None and number > middle for number in numbers)
        if min(upper, len(numbers) - upper) < CLIPS_PER_CLASS:
            return [f"it needs {CLIPS_PER_CLASS} clips below and {CLIPS_PER_CLASS} above {middle:g}"]
        return []
    counts = Counter(clip.label for clip in clips)
    problems = [f"the label {label!r:.60} is no value of {trait.name}" for label in counts if label not in trait.values]
    few = [value for value in trait.values if counts[value] < CLIPS_PER_CLASS]
    if few:
        problems.append(f"it needs {CLIPS_PER_CLASS} clips of each class; too few of {', '.join(few)}")
    return problems


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
