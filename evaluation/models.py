"""Model files that no package carries: where they lie, how they come there, and proof that they are the pinned ones.

A model's folder lies below the models folder and is called as its hub id, with "--" for "/". Only pinned files are
looked at. A file that is missing is fetched from the hub at the pinned commit; a file that is another one is refused
and left alone, since somebody put it there.
"""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from evaluation import weights
from evaluation.errors import CastboardError, MissingDependency, ProtocolError, WeightsMismatch
from evaluation.pins import ModelPin

LOCAL = "local"
"""Revision of a model that is on no hub."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_LONGEST_NAME = 200


class ModelMismatch(WeightsMismatch):
    """A file in a model's folder is not the pinned one."""

    def __init__(self, what: str, expected: str, got: str, folder: Path) -> None:
        """Name the file `what` in `folder` with the `expected` and the `got` sha256 (hex)."""
        CastboardError.__init__(
            self,
            f"{what} is not the file that the protocol names: expected sha256 {expected}, got {got}. "
            f"Remove it from {folder} and start again: it is then fetched, or asked for, anew.",
        )
        self.what, self.expected, self.got = what, expected, got


def folder_of(pin: ModelPin, models: Path) -> Path:
    """Return the folder that holds every pinned file of a model, each with its pinned sha256.

    Args:
        pin: the model; its names are not trusted.
        models: folder of all models; need not exist.

    Raises:
        ProtocolError: the pin names no commit, no file, or a name that could leave the folder.
        MissingDependency: files are missing and cannot be fetched; says which, and the command that brings them.
        ModelMismatch: a file is another one.
    """
    _check_names(pin)
    folder = models / pin.repo.replace("/", "--")
    missing = [name for name in sorted(pin.files) if not (folder / name).is_file()]
    if missing:
        _fetch(pin, missing, folder)
    for name, sha256 in sorted(pin.files.items()):
        got = weights.file_sha256(folder / name)
        if got != sha256:
            raise ModelMismatch(f"{pin.repo}/{name}", sha256, got, folder)
    return folder


def is_safe_name(name: str) -> bool:
    """Whether `name` is a relative path of plain parts, so that it stays below any folder it is joined to."""
    parts = name.split("/")
    return len(name) <= _LONGEST_NAME and all(_PART.fullmatch(part) is not None for part in parts)


def _check_names(pin: ModelPin) -> None:
    problems = []
    if not is_safe_name(pin.repo) or len(PurePosixPath(pin.repo).parts) > 2:
        problems.append(f'the repository must be "owner/name", got {pin.repo!r:.120}')
    if pin.revision != LOCAL and _COMMIT.fullmatch(pin.revision) is None:
        problems.append(f'the revision must be a commit of 40 hex digits or "{LOCAL}", got {pin.revision!r:.120}')
    if not pin.files:
        problems.append("no file is named")
    for name, sha256 in pin.files.items():
        if not is_safe_name(name):
            problems.append(f"a file must lie inside the model's folder, got {name!r:.120}")
        if _SHA256.fullmatch(sha256) is None:
            problems.append(f"{name!r:.120} must have a sha256 of 64 hex digits, got {sha256!r:.80}")
    if problems:
        raise ProtocolError(f"the model {pin.repo!r:.120} is not pinned: " + "; ".join(problems))


def _fetch(pin: ModelPin, missing: Sequence[str], folder: Path) -> None:
    if pin.revision == LOCAL:
        raise MissingDependency(
            f"The model file {', '.join(missing)} of {pin.repo}", f"copy it into the folder {folder}"
        )
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, OfflineModeIsEnabled
    except ImportError:
        raise MissingDependency("huggingface_hub", "pip install huggingface_hub") from None
    try:
        for name in missing:
            hf_hub_download(pin.repo, name, revision=pin.revision, local_dir=folder)
    except (EntryNotFoundError, HfHubHTTPError, OfflineModeIsEnabled, OSError) as error:
        command = f"hf download {pin.repo} {' '.join(missing)} --revision {pin.revision} --local-dir {folder}"
        raise MissingDependency(
            f"The model file {', '.join(missing)} of {pin.repo} (the hub did not give it: {type(error).__name__})",
            command,
        ) from error
