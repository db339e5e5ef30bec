"""Figures that are worked out beside a board and never scored: the ceiling, corrected rates; and a judge's replies.

Each is kept until the files that it follows from change, so nothing is worked out per visitor.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from evaluation.cards import InstrumentCard
from evaluation.ceiling import Ceiling, ceiling
from evaluation.ceiling_gate import gate_errors
from evaluation.corpus import Corpus
from evaluation.corrected import Corrected, corrected
from evaluation.errors import SchemaError
from evaluation.gate import trial
from evaluation.judge.replies import JudgeReply
from evaluation.people.report import AgreementReport
from evaluation.records import Item
from evaluation.summary import Summary
from leaderboard import dimensions
from leaderboard.outages import waits_of
from leaderboard.published import Kept, Published, file_revision
from leaderboard.trust import Trust, trust_of
from leaderboard.views import Board
from submissions import layout
from submissions.evidence import read_items
from submissions.replies import decode_replies
from submissions.result import decode_result
from submissions.store.base import PublishedFiles, WorkStore

log = logging.getLogger(__name__)

N_ROWS = 1024
"""Systems whose summaries are kept; some 20 KiB each."""
N_CORRECTED = 4096
"""Corrected traits of systems that are kept; some 4 KiB each."""
N_REPLIES = 24
"""Systems whose judge's replies are kept; some 3 MiB each."""

Replies = Mapping[str, tuple[JudgeReply, ...]]
"""A judge's raw replies by item, in the order of their table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What stands beside a board's scores, and never in them."""

    ceiling: Ceiling | None = None
    """What a flawless system would score; None if that is not known."""
    cards: Mapping[str, InstrumentCard] = field(default_factory=dict)
    """Cards of the board's own instruments, by trait; a dimension without one has no entry."""
    people: AgreementReport | None = None
    """How far the judge agrees with people; None if nobody was asked."""


NOTHING_BESIDE = Beside()


class Derived:
    """What follows from published files beside the scores."""

    def __init__(self, files: PublishedFiles, published: Published) -> None:
        """Work from `files`; `published` knows the cards."""
        self._files = files
        self._published = published
        self._ceilings: Kept[Ceiling | None] = Kept(16)
        self._summaries: Kept[Summary | None] = Kept(N_ROWS)
        self._corrected: Kept[Corrected] = Kept(N_CORRECTED)
        self._replies: Kept[Replies] = Kept(N_REPLIES)
        self._trusts: Kept[Trust] = Kept(16)

    def beside(self, board: Board, corpus: Corpus) -> Beside:
        """Return what stands beside a board; `corpus` as in `ceiling`."""
        return Beside(
            ceiling=self.ceiling(board, corpus),
            cards=self._published.cards(board),
            people=self._published.people(board),
        )

    def ceiling(self, board: Board, corpus: Corpus) -> Ceiling | None:
        """Return what a flawless system would score on a board; None if its items are not known here.

        Args:
            board: whose instruments err.
            corpus: the site's test set; an older board's items are read from its rows.
        """
        revision = board.revision + self._published.beside_revision(board)
        return self._ceilings.get(board.protocol_id, revision, lambda: self._ceiling(board, corpus))

    def trust(self, board: Board, corpus: Corpus, store: WorkStore) -> Trust:
        """Return how far a board's numbers can be trusted; `corpus` as in `ceiling`, `store` knows what waited."""

        def make() -> Trust:
            names = [row.submission for row in board.rows] if board.protocol.judge is not None else []
            return trust_of(
                board,
                cards=self._published.cards(board),
                ceiling=self.ceiling(board, corpus),
                summaries=self.summaries(board, names),
                waits=waits_of(store, names),
            )

        return self._trusts.get(board.protocol_id, board.revision + self._published.beside_revision(board), make)

    def summaries(self, board: Board, submissions: Sequence[str]) -> dict[str, Summary]:
        """Return the published figures of some systems; one that is withdrawn meanwhile has none."""
        found = ((name, self._summary(board, name)) for name in submissions)
        return {name: summary for name, summary in found if summary is not None}

    def corrected(
        self, board: Board, submissions: Sequence[str], names: Collection[str] = ()
    ) -> dict[str, dict[str, Corrected]]:
        """Return the corrected hit rates of some systems by submission and by trait.

        Args:
            board: whose cards correct.
            submissions: systems on it.
            names: traits that are wanted; empty for all. Those without a hit rate or without a card are left out.
        """
        cards = self._published.cards(board)
        beside = self._published.beside_revision(board)
        known = [name for name in cards if dimensions.is_class(board.protocol, name) and (not names or name in names)]
        found: dict[str, dict[str, Corrected]] = {}
        for submission, summary in self.summaries(board, submissions).items():
            revision = file_revision(self._files, layout.result_path(board.protocol_id, submission)) + beside
            found[submission] = {
                name: self._corrected.get(
                    (board.protocol_id, submission, name),
                    revision,
                    partial(corrected, cards[name], summary.traits[name].confusion, board.protocol.constants),
                )
                for name in known
            }
        return found

    def replies(self, board: Board, submissions: Sequence[str]) -> dict[str, Replies]:
        """Return the judge's raw replies to some systems that are on the board; nothing without a judge."""
        if board.protocol.judge is None:
            return {}
        return {name: self._replies_of(board, name) for name in submissions if board.row(name) is not None}

    def _replies_of(self, board: Board, submission: str) -> Replies:
        path = layout.replies_path(board.protocol_id, submission)
        key = (board.protocol_id, submission)
        try:
            return self._replies.get(key, file_revision(self._files, path), lambda: self._read_replies(path))
        except (FileNotFoundError, SchemaError) as error:  # withdrawn meanwhile, or damaged: the scores still stand
            log.warning("replies.unreadable", extra={"path": path, "why": str(error)})
            return {}

    def _read_replies(self, path: str) -> Replies:
        found: dict[str, list[JudgeReply]] = {}
        for reply in decode_replies(self._files.read(path), path)[1]:
            found.setdefault(reply.item_id, []).append(reply)
        return {item: tuple(replies) for item, replies in found.items()}

    def _summary(self, board: Board, submission: str) -> Summary | None:
        path = layout.result_path(board.protocol_id, submission)

        def read() -> Summary | None:
            try:
                return decode_result(self._files.read(path), path).summary
            except FileNotFoundError:
                return None

        return self._summaries.get((board.protocol_id, submission), file_revision(self._files, path), read)

    def _ceiling(self, board: Board, corpus: Corpus) -> Ceiling | None:
        items = self._items(board, corpus)
        if not items:
            return None
        gate = gate_errors(board.protocol, trial.shipped())
        return ceiling(board.protocol, items, self._published.cards(board), gate=gate)

    def _items(self, board: Board, corpus: Corpus) -> Sequence[Item]:
        if board.protocol.corpus == corpus.pin:
            return corpus.items
        if not board.rows:
            return ()
        try:
            return read_items(layout.read_samples(self._files, board.protocol_id, board.rows[0].submission))
        except FileNotFoundError:  # withdrawn meanwhile
            return ()
