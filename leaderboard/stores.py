"""Where this machine keeps its work and its publications, as the settings say."""

from leaderboard.settings import Settings
from submissions.store.base import PublishedFiles, WorkStore
from submissions.store.folder import FolderStore, PublishedFolder

PUBLISHED = "published"
"""Folder of the home that holds the published layout."""


def work_store(settings: Settings) -> WorkStore:
    """Return the work state."""
    return FolderStore(settings.home)


def published_files(settings: Settings) -> PublishedFiles:
    """Return the published layout."""
    return PublishedFolder(settings.home / PUBLISHED)
