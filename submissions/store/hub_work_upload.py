"""A zip that is on the hub, brought to this disk in parts."""

import secrets
from pathlib import Path

from submissions.store import atomic
from submissions.store.base import UploadLost
from submissions.store.hub_repo import HubRepo

PART_BYTES = 32 << 20
MOST_BYTES = 4 << 30
"""Largest zip that is fetched: none that was taken in comes near, and a listing may say anything."""


def fetched(repo: HubRepo, head: str, path: str, target: Path) -> Path:
    """Return `target`, which holds the file at `path` of the commit `head`.

    Raises:
        UploadLost: if there is no such file.
        StoreUnavailable: if it cannot be fetched now.
    """
    folder, _, _ = path.rpartition("/")
    size = next(
        (entry.size for entry in repo.listing(head, folder) if entry.path == path and not entry.is_folder), None
    )
    if size is None or size > MOST_BYTES:
        raise UploadLost(f"the hub's repo {repo.repo_id} no longer holds {path}")
    if target.is_file() and target.stat().st_size == size:
        return target
    atomic.make_folder(target.parent)
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.writing")
    try:
        with part.open("xb") as file:
            for first in range(0, size, PART_BYTES):
                file.write(repo.read_range(path, head, first, min(first + PART_BYTES, size) - 1))
        part.rename(target)
    except FileNotFoundError as error:
        raise UploadLost(f"the hub's repo {repo.repo_id} no longer holds {path}") from error
    finally:
        part.unlink(missing_ok=True)
    return target
