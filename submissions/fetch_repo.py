"""A published board, copied from a public dataset repo at one commit, so that anyone can verify it.

Asked for anonymously, restricted to paths of the published layout, bounded by what the repo lists; a broken download
goes on where it stopped, and every file is what the commit lists, by its hash.
"""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from submissions import layout
from submissions.fetch import FetchError
from submissions.problems import cut_list, shown
from submissions.store.atomic import is_temporary
from submissions.store.hub_calls import HubRefused
from submissions.store.hub_download import OnProgress, Progress, download_all
from submissions.store.hub_limits import HubLimits
from submissions.store.hub_repo import BRANCH, HubEntry, HubRepo, HubRevision
from submissions.unfit import limit_of

REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
"""What a repo is called."""
ROOM_BYTES = 256 << 20
"""So much of the disk stays free."""
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedRepo:
    """What was copied."""

    commit: str
    """Commit that was copied, 40 hex digits."""
    n_fetched: int
    """Files downloaded."""
    n_kept: int
    """Files that were there already."""
    n_left_out: int
    """Files of the repo that are no part of the published layout."""


def fetch_repo(
    repo_id: str,
    folder: Path,
    *,
    revision: str | None = None,
    endpoint: str | None = None,
    limits: HubLimits | None = None,
    on_progress: OnProgress = lambda _, __: None,
) -> FetchedRepo:
    """Copy every published file of one commit of a public dataset repo into `folder`.

    Args:
        repo_id: the repo, "org/name".
        folder: gets the published layout; made if absent. It may hold an earlier or broken copy.
        revision: commit, branch or tag; None for the newest state.
        endpoint: address of the hub; None for the one that the environment names.
        limits: how patient to be.
        on_progress: told of bytes; from several threads, one after the other.

    Raises:
        FetchError: if there is no such public repo or revision, it holds no board, or the folder cannot take it.
        StoreUnavailable: if the hub cannot be asked now; what came over is kept.
    """
    if not REPO.fullmatch(repo_id):
        raise FetchError(f"a dataset repo is called org/name, got {shown(repo_id)!r}")
    repo = HubRepo(repo_id, endpoint=endpoint, limits=limits)
    commit = _found(repo, revision).commit
    entries = [entry for entry in repo.listing(commit, is_recursive=True) if not entry.is_folder]
    wanted = [entry for entry in entries if layout.is_published(entry.path)]
    _refuse(repo_id, commit, wanted, folder)
    progress = Progress(sum(entry.size for entry in wanted), on_progress)
    n_fetched = download_all(repo, commit, [(entry, folder / entry.path) for entry in wanted], progress)
    return FetchedRepo(
        commit=commit,
        n_fetched=n_fetched,
        n_kept=len(wanted) - n_fetched,
        n_left_out=len(entries) - len(wanted),
    )


def _found(repo: HubRepo, revision: str | None) -> HubRevision:
    name = revision or BRANCH
    try:
        found = repo.revision(name) if _REVISION.fullmatch(name) and ".." not in name else None
    except HubRefused as error:
        raise FetchError(
            f"there is no public dataset repo {repo.repo_id} on this hub: it does not exist, or it is private. Look at "
            "its name; a private board can be verified from a copy: app.py verify DIR"
        ) from error
    if found is None:
        raise FetchError(
            f"the dataset repo {repo.repo_id} has no revision {shown(name)!r}; name a commit, a branch or a tag, or "
            "leave --revision out for the newest state"
        )
    if found.is_private or found.is_gated:
        raise FetchError(f"the dataset repo {repo.repo_id} is not open to everybody, so that not anybody can verify it")
    return found


def _refuse(repo_id: str, commit: str, wanted: Sequence[HubEntry], folder: Path) -> None:
    """Refuse what is no board, would fill the disk, or would be mixed with other files; nothing is written then."""
    if not any(entry.path != layout.DATASET_CARD for entry in wanted):
        raise FetchError(f"the dataset repo {repo_id} holds no published board at {commit[:12]}; is it the right repo?")
    for entry in wanted:
        if entry.size > limit_of(entry.path):
            raise FetchError(
                f"{repo_id}: {entry.path} has {entry.size:,} bytes, allowed are {limit_of(entry.path):,}; nothing of "
                "the repo was fetched"
            )
    there = _published_in(folder)
    others = sorted(there - {entry.path for entry in wanted})
    if others:
        raise FetchError(
            f"{folder} holds {len(others)} published files that {repo_id} does not have at {commit[:12]}, so that it "
            f"would be no copy: {cut_list(', '.join(others))}. Remove them, or name another folder"
        )
    n_bytes = sum(entry.size for entry in wanted if entry.path not in there)
    free = shutil.disk_usage(_nearest(folder)).free
    if n_bytes + ROOM_BYTES > free:
        raise FetchError(
            f"the board of {repo_id} has {n_bytes:,} bytes that are not here, and {folder} has room for "
            f"{max(0, free - ROOM_BYTES):,}. Make room, or name a folder on another disk: app.py verify DIR --repo ..."
        )


def _published_in(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file() and not is_temporary(path.name))
    return {name for path in files if layout.is_published(name := path.relative_to(folder).as_posix())}


def _nearest(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that is there."""
    return next(one for one in (folder.absolute(), *folder.absolute().parents) if one.is_dir())
