"""The version of the code that a submission's provenance names."""

import re
from functools import cache
from pathlib import Path

VERSION = "0.1.0"

_ROOT = Path(__file__).resolve().parent.parent
_COMMIT_DIGITS = 12


@cache
def code_version() -> str:
    """Return the version, with the checked-out commit behind a "+" where this is a git checkout."""
    commit = _commit(_ROOT / ".git")
    return f"{VERSION}+{commit[:_COMMIT_DIGITS]}" if commit else VERSION


def _commit(git: Path) -> str | None:
    try:
        head = (git / "HEAD").read_text(encoding="ascii").strip()
        name = head.removeprefix("ref: ")
        commit = head if name == head else _of_branch(git, name)
    except (OSError, UnicodeError):
        return None
    return commit if re.fullmatch(r"[0-9a-f]{40,64}", commit) else None


def _of_branch(git: Path, name: str) -> str:
    if (git / name).is_file():
        return (git / name).read_text(encoding="ascii").strip()
    packed = (git / "packed-refs").read_text(encoding="ascii")
    return next((line.split()[0] for line in packed.splitlines() if line.endswith(f" {name}")), "")
