"""Where this machine keeps its work and its publications, as the settings say: in folders, or on the hub.

A process has one mirror of each repo, whoever asks for it, and one budget of requests for both.
"""

import contextlib
import time
from functools import lru_cache
from pathlib import Path

from leaderboard.outside import HubSettings
from leaderboard.settings import Settings
from submissions.layout import is_of_board
from submissions.store.base import PublishedFiles, StoreUnavailable, WorkStore
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_limits import Budget, HubLimits
from submissions.store.hub_published import HubPublished
from submissions.store.hub_repo import HubRepo
from submissions.store.hub_work import HubWork
from submissions.store.no_work import NoWork
from submissions.store.spool import Spool

PUBLISHED = "published"
"""Folder of the home that holds the published layout."""
HUB = "hub"
"""Folder of the home that holds copies of what is on the hub, and what is on its way there."""
HUB_LEASE_S = 1800.0
"""Length of a lease on a hub, s: renewing one is a commit."""


def work_store(settings: Settings) -> WorkStore:
    """Return the work state, that of submissions which are not on the hub yet included."""
    if settings.hub is None:
        return FolderStore(settings.home, room_bytes=settings.room_bytes)
    return _hub_work(settings.hub, settings.home / HUB, sees_spool=True)


def work_store_of_worker(settings: Settings) -> WorkStore:
    """Return the work state as a worker sees it: what is not on the hub yet is not there."""
    if settings.hub is None:
        return FolderStore(settings.home, room_bytes=settings.room_bytes)
    return _hub_work(settings.hub, settings.home / HUB, sees_spool=False)


def published_files(settings: Settings) -> PublishedFiles:
    """Return the published layout."""
    if settings.hub is None:
        return PublishedFolder(settings.home / PUBLISHED)
    return _hub_published(settings.hub, settings.home / HUB)


def push(store: WorkStore) -> None:
    """Bring to the hub what waits on this machine, if there is a hub and it can be reached."""
    if isinstance(store, HubWork):
        with contextlib.suppress(StoreUnavailable):
            store.push()


def ensure_repos(settings: Settings) -> None:
    """Create the repos of the hub that are not there yet; raises StoreUnavailable."""
    if settings.hub is not None and settings.hub.token is not None:
        _repo(settings.hub, settings.hub.board).ensure(is_private=False)
        if settings.hub.work is not None:
            _repo(settings.hub, settings.hub.work).ensure(is_private=True)


@lru_cache(maxsize=8)
def _hub_work(hub: HubSettings, home: Path, *, sees_spool: bool) -> WorkStore:
    if hub.work is None:
        return NoWork(home / "none")
    spool = Spool(home / "spool") if sees_spool and hub.may_spool else None
    return HubWork(_repo(hub, hub.work), home, _cache(hub, home), spool=spool)


@lru_cache(maxsize=8)
def _hub_published(hub: HubSettings, home: Path) -> PublishedFiles:
    return HubPublished(_repo(hub, hub.board), _cache(hub, home), home / "published", is_first=is_of_board)


def _cache(hub: HubSettings, home: Path) -> BlobCache:
    return BlobCache(home / "cache", hub.cache_bytes)


@lru_cache(maxsize=16)
def _repo(hub: HubSettings, repo_id: str) -> HubRepo:
    token = hub.token.reveal() if hub.token is not None else None
    return HubRepo(repo_id, token=token, endpoint=hub.endpoint, limits=HubLimits(), budget=_budget(hub))


@lru_cache(maxsize=8)
def _budget(hub: HubSettings) -> Budget:  # noqa: ARG001 - one for each account
    return Budget(HubLimits(), time.monotonic)
