"""All that a worker works with. Which protocol a submission is evaluated under is decided here."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from evaluation.corpus import Corpus
from evaluation.errors import CastboardError, ProtocolError
from evaluation.judge.calls import Caller
from evaluation.judge.spend import Price
from evaluation.pins import JudgeRecipe
from evaluation.probes.contour import Draw
from evaluation.protocol import Protocol
from evaluation.run import SHARD_SIZE, Engine
from submissions import queue
from submissions.duel_desk import DuelDesk
from submissions.liveness import is_dead
from submissions.records import ProcessIdentity
from submissions.state import SubmissionState
from submissions.store.base import PublishedFiles, WorkStore
from submissions.votes import VoteJournal

OpenJudge = Callable[[JudgeRecipe, str], AbstractContextManager[Caller]]
"""Opens what asks a recipe's judge for the run of that name."""


class ProtocolUnknown(CastboardError):
    """A submission waits for a row under a protocol that this worker cannot evaluate."""


def _knows_none(protocol_id: str) -> Protocol:
    raise ProtocolError(f"this worker knows no protocol but its own, and so not {protocol_id!r:.80}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """All that a worker works with."""

    name: str
    """Name of the worker: lower-case letters, digits, dashes; no other worker of the store has it."""
    store: WorkStore
    """Where submissions wait."""
    published: PublishedFiles
    """Where rows go."""
    corpus: Corpus
    """The corpus of all its protocols."""
    protocol: Protocol
    """What submissions are evaluated under unless they want another."""
    open_engine: Callable[[Protocol], AbstractContextManager[Engine]]
    """Opens an engine that reads with a protocol's instruments, for one submission."""
    preflight: Callable[[Protocol], None]
    """Returns if a run under a protocol may start; else raises what stands in the way."""
    clock: Callable[[], datetime]
    """The time, aware."""
    find_protocol: Callable[[str], Protocol] = _knows_none
    """Finds a protocol by its id; raises ProtocolError if there is none."""
    open_judge: OpenJudge | None = None
    """Opens the judge; None: there is none here, and protocols that have one cannot be evaluated."""
    judge_prices: tuple[Price, ...] = ()
    """What judges cost."""
    judge_n_parallel: int = 4
    """Calls of a judge at once, >= 1."""
    duels: DuelDesk | None = None
    """What ordered duels are carried out with; None: none are."""
    open_contours: Callable[[], Draw] | None = None
    """Loads what draws contours of published clips; None: none are made here."""
    votes: VoteJournal | None = None
    """Votes that this machine's site took in, to be published; None: there is no site."""
    decoder_processes: int = 2
    """Decoders at work at once, >= 1."""
    shard_size: int = SHARD_SIZE
    """Most clips of a shard."""
    lease_s: float = queue.LEASE_S
    """Length of a lease, s."""
    is_dead: Callable[[ProcessIdentity], bool] = is_dead
    """Tells whether the holder of a lease is certainly gone."""
    began: datetime | None = None
    """When its worker began, aware, if nobody else ever has its name: it goes on at once with what that name held
    before. None: it waits until such leases end."""
    is_shared: bool = False
    """Whether workers of other machines work on the same queue: what cannot be run here is then left to them."""
    away_pauses_s: tuple[float, float] = (5.0, 60.0)
    """Shortest and longest pause between two tries while the store is away, s."""

    def protocol_for(self, state: SubmissionState) -> Protocol:
        """Return the protocol that a submission is to be evaluated under.

        Raises:
            ProtocolUnknown: if it is not known here, or is of another corpus.
        """
        wanted = state.wanted
        if wanted is None or wanted == self.protocol.id:
            return self.protocol
        try:
            found = self.find_protocol(wanted)
        except ProtocolError as error:
            raise ProtocolUnknown(f"it waits for a row under protocol {wanted:.80}: {error}") from error
        if found.id != wanted:
            raise ProtocolUnknown(f"it waits for a row under protocol {wanted:.80}; that name means {found.id} here")
        if found.corpus != self.corpus.pin:
            raise ProtocolUnknown(
                f"it waits for a row under protocol {wanted}, which is of the corpus {found.corpus.title()}; "
                f"this worker has {self.corpus.pin.title()}"
            )
        return found
