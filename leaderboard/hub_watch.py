"""Keeps a site in touch with the hub from a thread: looks for news, and pushes what was taken in while it was away.

So no page waits for the hub: pages read what was known last, and say of when that is.
"""

import logging
import threading

from evaluation.errors import CastboardError
from leaderboard.settings import Settings
from leaderboard.stores import ensure_repos
from submissions.store.base import PublishedFiles, StoreUnavailable, WorkStore
from submissions.store.hub_work import HubWork

log = logging.getLogger(__name__)

LOOK_S = 5.0
"""Time between two looks, s; the stores themselves ask the hub less often."""


class HubWatch:
    """Looks at the hub until it is stopped."""

    def __init__(self, settings: Settings, store: WorkStore, files: PublishedFiles, look_s: float = LOOK_S) -> None:
        """Prepare to keep both stores of a site fresh; pages begin with what this disk holds."""
        if isinstance(store, HubWork):
            store.recall()
        self._settings = settings
        self._store = store
        self._files = files
        self._look_s = look_s
        self._is_prepared = False
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub-watch", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a look that is under way ends by itself."""
        self._stopping.set()

    def look(self) -> None:
        """Look once; raises StoreUnavailable if the hub is away."""
        if not self._is_prepared:
            ensure_repos(self._settings)
            self._is_prepared = True
        self._store.refresh()
        self._files.refresh()
        if isinstance(self._store, HubWork):
            self._store.push()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
            except StoreUnavailable as error:
                log.info("hub.away", extra={"why": str(error)})
            except (OSError, CastboardError):  # a full disk may have room at the next look
                log.warning("hub.unwatched", exc_info=True)
            self._stopping.wait(self._look_s)
