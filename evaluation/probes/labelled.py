"""A manifest of labelled clips: what a probe is tried on, at start-up (the canary) and for its card.

One JSON object a line, with the keys "clip" (a path relative to the manifest) and "label" (a requestable value, or a
number for a numeric trait), and, if known, "sha256" of the clip, "group" (for example the speaker), "script", "gender"
and "age".
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import CastboardError

MAX_BYTES = 32 << 20
_NEEDED = ("clip", "label")
_OPTIONAL = ("sha256", "group", "script", "gender", "age")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST_PART = 255
"""Bytes of a file's or folder's name; asked for a longer one a file system gives an error."""
_LONGEST = {"clip": 400, "label": 100, "sha256": 64, "group": 100, "script": 4_000, "gender": 100, "age": 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClip:
    """One clip of which somebody knows what it holds."""

    path: Path
    """The audio file."""
    label: str
    """What it holds: a requestable value, or a number as text."""
    sha256: str | None
    """sha256 (hex) that the file must have; None if the manifest names none."""
    group: str | None
    """What ties clips together, for example the speaker; None if unknown."""
    script: str | None
    """What is said; None if unknown."""
    gender: str | None
    """The speaker's gender, where a probe needs it; None if unknown."""
    age: str | None
    """The speaker's age in years, where a probe needs it; None if unknown."""


class ManifestError(CastboardError):
    """A manifest cannot be used.

    Attributes:
        problems: every problem, each with its line.
    """

    def __init__(self, where: str, problems: tuple[str, ...]) -> None:
        """Carry all `problems` of the manifest `where`."""
        super().__init__(f"{where}: " + "; ".join(problems))
        self.problems = problems


def read_manifest(path: Path) -> tuple[LabelledClip, ...]:
    """Return the labelled clips that a manifest lists, in its order.

    The clips themselves are not opened. Numbers are accepted as labels and ages and become text.

    Raises:
        ManifestError: with every problem at once: a line that is no object, a key that is missing, unknown or of
            another type, a clip that is named twice, lies outside the manifest's folder or is not there.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ManifestError(path.name, (f"the file must be at most {MAX_BYTES >> 20} MiB",))
        lines = path.read_bytes().decode("utf-8").split("\n")  # other signs that end lines may stand in a script
    except OSError as error:
        raise ManifestError(path.name, (f"it cannot be read: {error.strerror}",)) from error
    except UnicodeDecodeError as error:
        raise ManifestError(path.name, ("it must be UTF-8 text",)) from error
    problems: list[str] = []
    clips: list[LabelledClip] = []
    seen: dict[Path, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        clip = _clip_of(line, path.parent, f"line {number}", problems)
        if clip is None:
            continue
        if clip.path in seen:
            problems.append(f"line {number}: the clip is named on line {seen[clip.path]} already")
        seen.setdefault(clip.path, number)
        clips.append(clip)
    if not clips and not problems:
        problems.append("it lists no clip")
    if problems:
        raise ManifestError(path.name, tuple(problems))
    return tuple(clips)


def _clip_of(line: str, folder: Path, where: str, problems: list[str]) -> LabelledClip | None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        problems.append(f"{where}: must be one JSON object")
        return None
    if not isinstance(fields, dict):
        problems.append(f"{where}: must be a JSON object, got {type(fields).__name__}")
        return None
    texts = {key: _text(key, value) for key, value in fields.items() if value is not None}
    faults = [f'the key "{key}" is missing' for key in _NEEDED if key not in texts]
    faults += [f"the key {key!r:.60} is unknown" for key in texts if key not in (*_NEEDED, *_OPTIONAL)]
    faults += [
        f'"{key}" must be a text of 1 to {_LONGEST[key]} signs, got {fields[key]!r:.60}'
        for key, text in texts.items()
        if key in _LONGEST and text is None
    ]
    if texts.get("sha256") and _SHA256.fullmatch(texts["sha256"] or "") is None:
        faults.append(f'"sha256" must be 64 hex digits, got {texts["sha256"]!r:.80}')
    path = _inside(folder, texts.get("clip"), faults)
    problems += [f"{where}: {fault}" for fault in faults]
    if faults or path is None:
        return None
    return LabelledClip(
        path=path,
        label=texts["label"] or "",
        sha256=texts.get("sha256"),
        group=texts.get("group"),
        script=texts.get("script"),
        gender=texts.get("gender"),
        age=texts.get("age"),
    )


def _text(key: str, value: object) -> str | None:
    """Return `value` as text, or None if it is neither a text nor, where one is meant, a number."""
    if key in ("label", "age") and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    fits = isinstance(value, str) and 0 < len(value) <= _LONGEST.get(key, 0)
    return value if fits and isinstance(value, str) else None


def _inside(folder: Path, name: str | None, faults: list[str]) -> Path | None:
    if name is None:
        return None
    parts = name.split("/")
    if "\\" in name or "\0" in name or ":" in parts[0] or any(part in ("", ".", "..") for part in parts):
        faults.append(f"the clip must be a relative path below the manifest's folder, got {name!r:.120}")
        return None
    path = folder.joinpath(*parts)
    if max(len(part.encode("utf-8", "replace")) for part in parts) > _LONGEST_PART or not path.is_file():
        faults.append(f"there is no clip {name!r:.120}")
        return None
    return path
