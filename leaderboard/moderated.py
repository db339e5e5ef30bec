"""What the public log says of a submission: whether it is hidden, since when and why. Of published files alone."""

import logging

from evaluation.errors import SchemaError
from leaderboard.published import Kept
from submissions import layout, moderation
from submissions.moderation import Entry
from submissions.store.base import PublishedFiles, StoreUnavailable

log = logging.getLogger(__name__)

ROUTE = "/log"
"""Page that shows the whole log."""


class Moderated:
    """The public log of a site, kept until its file changes. Safe to use from several threads."""

    def __init__(self, files: PublishedFiles) -> None:
        """Read `files`."""
        self._files = files
        self._kept: Kept[tuple[Entry, ...]] = Kept(1)

    def revision(self) -> str:
        """Return what changes whenever the log does."""
        return self._files.version(layout.MODERATION)

    def entries(self) -> tuple[Entry, ...]:
        """Return the log; nothing if it is damaged or cannot be fetched now."""
        return self._kept.get("all", self.revision(), self._read)

    def why_hidden(self, submission: str) -> Entry | None:
        """Return the entry by which a submission is hidden, or None if it is not."""
        return moderation.hidden_now(self.entries()).get(submission)

    def sentence(self, submission: str) -> str | None:
        """Return what to say in the place of anything of a hidden submission, or None if it is not hidden."""
        entry = self.why_hidden(submission)
        return None if entry is None else hidden_sentence(entry.at, entry.reason)

    def _read(self) -> tuple[Entry, ...]:
        try:
            return moderation.read(self._files)
        except (SchemaError, StoreUnavailable) as error:
            log.warning("moderation.unreadable", extra={"why": str(error)})
            return ()


def hidden_sentence(at: str, reason: str) -> str:
    """Return why a submission is not shown; `reason` is an operator's text."""
    stop = "" if reason.endswith((".", "!", "?")) else "."
    return f"This submission is hidden by the operator since {at[:16].replace('T', ' ')} UTC. Reason: {reason}{stop}"
