"""Weight files that ship inside installed packages: where one lies, and proof that it is the pinned one."""

import hashlib
import importlib.metadata
import importlib.util
from collections import Counter
from pathlib import Path

from evaluation.errors import MissingDependency, WeightsMismatch

_CHUNK_BYTES = 1 << 20
_seen_sha256: dict[tuple[str, int, int], str] = {}  # a file is hashed once a process, not once a load


def locate(package: str, file: str, sha256: str, install: str) -> Path:
    """Return the path of a weight file inside an installed package, its content checked.

    The package is found without being imported.

    Args:
        package: top-level import name or distribution, for example "distillmos".
        file: path relative to the package folder, with forward slashes.
        sha256: the pinned sha256 of the file, 64 hex digits.
        install: the command line that installs the package, for the message.

    Raises:
        MissingDependency: if the package, or the file in it, is not there.
        WeightsMismatch: if the file has another sha256.
    """
    path = package_folder(package, install) / file
    if not path.is_file():
        raise MissingDependency(f"The weight file {file} of the package {package}", install)
    got = file_sha256(path)
    if got != sha256:
        raise WeightsMismatch(f"{package}/{file}", sha256, got)
    return path


def package_folder(package: str, install: str) -> Path:
    """Return the folder of an installed package, without importing it.

    Args:
        package: top-level import name, or the distribution's name if the two differ ("silero-vad").
        install: the command line that installs it, for the message.

    Raises:
        MissingDependency: if there is no such package.
    """
    for name in (package, *_import_names(package)):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            return Path(next(iter(spec.submodule_search_locations)))
    raise MissingDependency(f"The package {package}", install)


def _import_names(distribution: str) -> list[str]:
    """Return the top-level packages of a distribution, most files first; none if it is not installed."""
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    tops = Counter(file.parts[0] for file in files if len(file.parts) > 1)
    return [top for top, _ in tops.most_common() if top.isidentifier()]


def file_sha256(path: Path) -> str:
    """Return a file's sha256 in hex: computed, or remembered for the same path, size and modification time."""
    stat = path.stat()
    key = (str(path), stat.st_size, stat.st_mtime_ns)
    if key not in _seen_sha256:
        digest = hashlib.sha256()
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                digest.update(chunk)
        _seen_sha256[key] = digest.hexdigest()
    return _seen_sha256[key]
