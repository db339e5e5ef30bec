"""What the pages and media routes are handed: where things lie and what this site evaluates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evaluation.audio import LIMITS
from evaluation.audio_facts import Limits
from evaluation.corpus import Corpus
from evaluation.judge.spend import Price
from evaluation.probes.classifiers.catalogue import Candidate, load_catalogue
from evaluation.protocol import Protocol
from leaderboard.clips import Clips
from leaderboard.contours import Contours
from leaderboard.derive.keeper import SliceKeeper
from leaderboard.derived import Derived
from leaderboard.identity import Identity
from leaderboard.moderated import Moderated
from leaderboard.operator_door import OperatorDoor
from leaderboard.published import Published
from leaderboard.table.keeper import Tables
from leaderboard.voting import Booth
from leaderboard.why.kept import Whys
from submissions.archive import ARCHIVE_LIMITS, ArchiveLimits
from submissions.duel_orders import DuelOrders
from submissions.quota import Limits as Quota
from submissions.store.base import PublishedFiles, WorkStore
from submissions.votes import VoteJournal

ANYBODY = Identity()
NO_QUOTA = Quota()
DUELS = "duels"
"""Folder of the home that holds the orders of duels."""
VOTES = "votes"
"""Folder of the home that holds what listeners voted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One running site."""

    home: Path
    """Folder that holds everything; never shown to a visitor."""
    files: PublishedFiles
    """The published layout."""
    store: WorkStore
    """Submissions on their way."""
    corpus: Corpus
    """The test set that submissions must read."""
    protocols: tuple[Protocol, ...]
    """Protocols that this site evaluates, the default one first."""
    published: Published
    """Kept views of `files`."""
    derived: Derived
    """Kept figures that follow from `files` beside the scores."""
    slices: SliceKeeper
    """What follows from the per-sample tables of whole boards: slices and their decisions; made in the background."""
    tables: Tables
    """Kept rows of boards as the table shows, sorts and searches them."""
    clips: Clips
    """Kept clips of `files`."""
    contours: Contours
    """Kept contours of the same clips."""
    booth: Booth
    """Gives out blind listening tests and takes their answers."""
    moderated: Moderated
    """Kept public log of what operators did."""
    clip_limits: Limits
    """What a clip may be."""
    archive_limits: ArchiveLimits
    """What a zip may be."""
    clock: Callable[[], datetime]
    """The time now, aware."""
    candidates: tuple[Candidate, ...]
    """Models that this site knows, with what of each was never tried."""
    duel_orders: DuelOrders
    """Duels that were ordered, and how far they are."""
    whys: Whys
    """Kept derivations of published numbers."""
    operator: OperatorDoor | None = None
    """Lets an operator in; None: there are no operator's buttons."""
    judge_prices: tuple[Price, ...] = ()
    """What judges cost."""
    identity: Identity = ANYBODY
    """Tells who somebody is."""
    quota: Quota = NO_QUOTA
    """How many submissions a person, and an organisation, may send in seven days."""
    operators: tuple[str, ...] = ()
    """Account names of the operators who sign in."""


def make_context(
    *,
    home: Path,
    files: PublishedFiles,
    store: WorkStore,
    corpus: Corpus,
    protocols: Sequence[Protocol],
    clip_limits: Limits = LIMITS,
    archive_limits: ArchiveLimits = ARCHIVE_LIMITS,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    operator: OperatorDoor | None = None,
    judge_prices: tuple[Price, ...] = (),
    candidates: Sequence[Candidate] | None = None,
    identity: Identity = ANYBODY,
    quota: Quota = NO_QUOTA,
    operators: tuple[str, ...] = (),
) -> Context:
    """Return the context of a site; nothing is read yet.

    Args:
        home: folder that holds everything; uploads are checked in a folder below it.
        files: the published layout.
        store: the work state.
        corpus: the test set.
        protocols: at least one; the default first.
        clip_limits: what a clip may be.
        archive_limits: what a zip may be.
        clock: gives the time now, aware.
        candidates: models that this site knows; None for those that ship.
        operator: lets an operator in; None for no operator's buttons.
        judge_prices: what judges cost.
        identity: tells who somebody is.
        quota: how many submissions a person, and an organisation, may send in seven days.
        operators: account names of the operators who sign in.

    Raises:
        ValueError: without a protocol.
    """
    if not protocols:
        raise ValueError("a site needs at least one protocol")
    published = Published(files, protocols)
    clips = Clips(files)
    slices = SliceKeeper(files, home)
    return Context(
        home=home,
        files=files,
        store=store,
        corpus=corpus,
        protocols=tuple(protocols),
        published=published,
        derived=Derived(files, published),
        slices=slices,
        tables=Tables(files, slices),
        clips=clips,
        booth=Booth(
            published=published,
            files=files,
            corpus=corpus,
            clips=clips,
            journal=VoteJournal(home / VOTES),
            clock=clock,
        ),
        contours=Contours(files),
        moderated=Moderated(files),
        clip_limits=clip_limits,
        archive_limits=archive_limits,
        clock=clock,
        duel_orders=DuelOrders(home / DUELS),
        whys=Whys(files),
        operator=operator,
        judge_prices=judge_prices,
        candidates=load_catalogue() if candidates is None else tuple(candidates),
        identity=identity,
        quota=quota,
        operators=operators,
    )
