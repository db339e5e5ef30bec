"""Provenance names the code that took a submission in."""

from pathlib import Path

import pytest

from submissions import version

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("files", "commit"),
    [
        ({"HEAD": COMMIT}, COMMIT),
        ({"HEAD": "ref: refs/heads/main", "refs/heads/main": COMMIT}, COMMIT),
        ({"HEAD": "ref: refs/heads/main", "packed-refs": f"# pack\n{COMMIT} refs/heads/main\n"}, COMMIT),
        ({"HEAD": "ref: refs/heads/new", "packed-refs": f"{COMMIT} refs/heads/main\n"}, None),
        ({"HEAD": "nonsense"}, None),
        ({}, None),
    ],
)
def test_commit_is_read_from_a_checkout(tmp_path: Path, files: dict[str, str], commit: str | None) -> None:
    """A detached head, a branch, a packed branch; anything else is no commit."""
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert version._commit(tmp_path) == commit


def test_version_begins_with_the_release() -> None:
    """With or without a checkout."""
    assert version.code_version().partition("+")[0] == version.VERSION
