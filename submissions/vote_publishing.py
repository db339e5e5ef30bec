"""Brings the votes of a machine's journal to the published layout: all boards in one change, when a worker looks.

What is published is what was published before and what the journal holds, without the votes of raters who took theirs
back, and without votes on systems that are on the board no more.
"""

import logging
from collections.abc import Iterable
from pathlib import PurePosixPath

from evaluation.errors import SchemaError
from submissions import layout
from submissions.store.base import PublishedFiles, WorkStore
from submissions.votes import MOST_VOTES, Vote, VoteJournal, encode_votes, read_votes

log = logging.getLogger(__name__)


def publish_votes(store: WorkStore, files: PublishedFiles, journal: VoteJournal) -> bool:
    """Publish what the journal holds; return whether anything was to be changed.

    Raises:
        StoreUnavailable: if it cannot be published now; nothing is then.
    """
    if not _changes(files, journal):
        return False

    def write(draft: PublishedFiles) -> None:
        for path, data in _changes(draft, journal).items():
            if data:
                draft.write(path, data)
            else:
                draft.remove(path)

    with store.publishing():
        files.change("Votes of listeners", write)
    return True


def merged(published: Iterable[Vote], journal: VoteJournal, protocol_id: str) -> dict[str, Vote]:
    """Return all votes on a board that nobody took back, by id."""
    gone = journal.forgotten()
    held = {vote.id: vote for vote in published if vote.rater not in gone}
    own = {key: vote for key, vote in journal.votes().items() if vote.protocol == protocol_id}
    return {**own, **held}


def _changes(files: PublishedFiles, journal: VoteJournal) -> dict[str, bytes]:
    """Return the new bytes of every file that must change by path; empty for one that must go."""
    found = {PurePosixPath(path).stem for path in files.paths("votes/") if layout.is_published(path)}
    changes: dict[str, bytes] = {}
    for protocol_id in sorted(found | {vote.protocol for vote in journal.votes().values()}):
        path = layout.votes_path(protocol_id)
        try:
            published = read_votes(files, protocol_id)
        except SchemaError as error:  # `verify` names the damage; nothing is lost by leaving it
            log.warning("votes.unreadable", extra={"path": path, "why": str(error)})
            continue
        systems = set(layout.committed(files, protocol_id))
        votes = [vote for vote in merged(published, journal, protocol_id).values() if {vote.a, vote.b} <= systems]
        data = encode_votes(sorted(votes, key=lambda vote: vote.day)[:MOST_VOTES])
        if data != encode_votes(published):
            changes[path] = data
    return changes
