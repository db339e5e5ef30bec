"""The booth of blind listening tests: gives out one-time tickets with two clips each, and takes their answers.

A ticket is sealed: it binds item, pair, order, question and time, and neither tells them nor can be made by anybody
else. What was answered is kept only of who agreed to that; the answer itself is told either way.
"""

import json
import re
import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from random import Random, SystemRandom
from typing import Literal, cast

from cryptography.fernet import Fernet, InvalidToken

from evaluation.corpus import Corpus
from evaluation.errors import CastboardError, SchemaError
from evaluation.records import Item, ItemId
from leaderboard import vote_pairing, vote_words
from leaderboard.clips import Clips
from leaderboard.published import Kept, Published
from leaderboard.views import Board
from leaderboard.vote_clips import VoteClips
from leaderboard.vote_pairing import Trial
from submissions import layout
from submissions.store.base import PublishedFiles
from submissions.vote_publishing import merged
from submissions.votes import Answer, Kind, Vote, VoteJournal, VotesFull, rater_of, read_votes

TICKET_S = 1800
"""So long a ticket may be answered, s."""
N_USED = 20_000
"""Answered tickets that are remembered; older ones have run out, and a kept vote is never kept twice anyway."""
DAILY_RATER = 150
"""Votes of one random number in a day that are kept."""
DAILY_ALL = 4_000
"""Votes of everybody in a day that are kept."""
N_TRIES = 6
MOST_TICKET = 2_000
Choice = Literal["1", "2", "none"]

_SECRET = re.compile(r"[0-9a-f]{32}")


class TicketRefused(CastboardError):
    """A ticket cannot be answered, or not so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One trial on its way to a listener."""

    trial: Trial
    """What is asked; not to be shown."""
    item: Item
    """The item that the clips read."""
    ticket: str
    """What the answer must bring along."""
    addresses: tuple[str, ...]
    """Where the clips are, in the order of the page: two, and in an abx test the one to name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One answered trial."""

    trial: Trial
    """What was asked."""
    answer: Answer
    """Whose clip was chosen."""
    is_kept: bool
    """Whether the answer was stored."""
    why_not: str
    """Why it was not, in a sentence; empty if it was."""
    secret: str
    """The listener's random number; empty if nothing was stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a listener's browser tells of an answer."""

    choice: Choice
    """Which clip of the page."""
    has_agreed: bool
    """Whether it may be stored."""
    secret: str = ""
    """The random number that the browser keeps; empty for a new one."""
    n_plays: int | None = None
    """How often a clip was started."""
    listened_s: float | None = None
    """How long clips played in all, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """What a ticket says."""

    nonce: str
    since_s: float
    trial: Trial


class Booth:
    """Gives and takes. Safe to use from several threads."""

    def __init__(
        self,
        *,
        published: Published,
        files: PublishedFiles,
        corpus: Corpus,
        clips: Clips,
        journal: VoteJournal,
        clock: Callable[[], datetime],
        rng: Random | None = None,
    ) -> None:
        """Set the booth up; tickets are good until the process ends."""
        self._published = published
        self._files = files
        self._items = {item.id: item for item in corpus.items}
        self._corpus = corpus
        self._journal = journal
        self._clock = clock
        self._rng = rng or SystemRandom()
        self._fernet = Fernet(Fernet.generate_key())
        self.clips = VoteClips(clips, self._fernet)
        self._used: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()
        self._votes: Kept[tuple[Vote, ...]] = Kept(8)

    def revision(self, board: Board) -> str:
        """Return what changes whenever a vote on a board does."""
        return f"{self._files.version(layout.votes_path(board.protocol_id))};{self._journal.revision()}"

    def votes(self, board: Board) -> tuple[Vote, ...]:
        """Return all votes on a board's systems, published or still on the way, sorted by id."""
        revision = self.revision(board) + board.revision
        return self._votes.get(board.protocol_id, revision, lambda: self._read(board))

    def give(self, board: Board, kind: Kind | None = None) -> Given | None:
        """Return the next trial on a board, or None if no two systems of it can be compared."""
        if board.protocol.corpus != self._corpus.pin:
            return None
        votes = self.votes(board)
        for _ in range(N_TRIES):
            pair = vote_pairing.choose_pair(board, votes, self._rng)
            if pair is None:
                return None
            samples = self._published.samples(board, pair)
            trial = vote_pairing.choose_trial(
                board, self._corpus.items, samples, pair, votes=votes, rng=self._rng, kind=kind
            )
            if trial is not None:
                return self._given(trial)
        return None

    def take(self, ticket: str, heard: Heard) -> Taken:
        """Return what came of an answer; it is stored if the listener agreed and there is room.

        Raises:
            TicketRefused: if the ticket is none of ours, too old or answered, or the answer is none to its question.
        """
        opened = self._open(ticket)
        nonce, trial = opened.nonce, opened.trial
        if trial.kind == "abx" and heard.choice == "none":
            raise TicketRefused(vote_words.NO_ANSWER)
        sides = {"1": trial.first, "2": "b" if trial.first == "a" else "a", "none": "none"}
        answer = cast("Answer", sides[heard.choice])
        with self._lock:
            if nonce in self._used:
                raise TicketRefused(vote_words.USED)
            self._used[nonce] = None
            while len(self._used) > N_USED:
                self._used.popitem(last=False)
        secret = heard.secret if _SECRET.fullmatch(heard.secret) else secrets.token_hex(16)
        if not heard.has_agreed:
            return Taken(trial=trial, answer=answer, is_kept=False, why_not=vote_words.NOT_AGREED, secret="")
        vote = self._vote(opened, answer, heard, rater_of(secret))
        why_not = self._refusal(vote) or self._keep(vote)
        return Taken(trial=trial, answer=answer, is_kept=not why_not, why_not=why_not, secret="" if why_not else secret)

    def forget(self, secret: str) -> int | None:
        """Take back all that a random number sent; return how many votes wait here to go, None if it is no number."""
        return self._journal.forget(rater_of(secret)) if _SECRET.fullmatch(secret) else None

    def _read(self, board: Board) -> tuple[Vote, ...]:
        try:
            published = read_votes(self._files, board.protocol_id)
        except SchemaError:  # `verify` names the damage
            published = ()
        names = {row.submission for row in board.rows}
        found = merged(published, self._journal, board.protocol_id).values()
        return tuple(sorted((vote for vote in found if {vote.a, vote.b} <= names), key=lambda vote: vote.id))

    def _given(self, trial: Trial) -> Given:
        told = {"nonce": secrets.token_hex(16), "at_s": self._clock().timestamp(), "trial": asdict(trial)}
        return Given(
            trial=trial,
            item=self._items[ItemId(trial.item)],
            ticket=self._fernet.encrypt(json.dumps(told).encode()).decode(),
            addresses=tuple(
                self.clips.address(name, trial.item, trial.b if name == trial.a else trial.a)
                for name in trial.submissions()
            ),
        )

    def _open(self, ticket: str) -> _Opened:
        try:
            told: Mapping[str, object] = json.loads(self._fernet.decrypt(ticket.encode()))
        except (InvalidToken, UnicodeEncodeError, ValueError) as error:
            raise TicketRefused(vote_words.UNKNOWN) from error
        if not isinstance(told, dict) or "nonce" not in told:  # the sealed address of a clip
            raise TicketRefused(vote_words.UNKNOWN)
        since_s = self._clock().timestamp() - float(told["at_s"])
        if not 0 <= since_s <= TICKET_S:
            raise TicketRefused(vote_words.TOO_LATE)
        return _Opened(nonce=str(told["nonce"]), since_s=since_s, trial=Trial(**told["trial"]))

    def _vote(self, opened: _Opened, answer: Answer, heard: Heard, rater: str) -> Vote:
        trial = opened.trial
        return Vote(
            id=opened.nonce,
            day=self._clock().astimezone(UTC).date().isoformat(),
            protocol=trial.protocol,
            kind=trial.kind,
            question=trial.question,
            catch=trial.catch,
            item=trial.item,
            a=trial.a,
            b=trial.b,
            first=trial.first,
            expected=cast("Literal['', 'a', 'b', 'none']", trial.expected),
            answer=answer,
            seconds=round(opened.since_s, 1),
            n_plays=heard.n_plays,
            listened_s=heard.listened_s,
            rater=rater,
        )

    def _refusal(self, vote: Vote) -> str:
        counts = Counter(one.rater for one in self._journal.votes().values() if one.day == vote.day)
        if counts[vote.rater] >= DAILY_RATER:
            return vote_words.ENOUGH_TODAY
        return vote_words.FULL_TODAY if counts.total() >= DAILY_ALL else ""

    def _keep(self, vote: Vote) -> str:
        try:
            return "" if self._journal.add(vote) else vote_words.USED
        except (VotesFull, SchemaError, OSError):
            return vote_words.NO_ROOM
