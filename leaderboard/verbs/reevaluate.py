"""The verbs of `app.py` that move what is stored: a season under another protocol, and the end of a wait."""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

from evaluation.corpus import Corpus
from evaluation.errors import CastboardError, ProtocolError
from evaluation.freeze_check import unpinned
from evaluation.frozen_constants import refuse_analysis
from evaluation.judge.spend import load_prices
from evaluation.preflight import preflight
from evaluation.protocol import Protocol
from leaderboard import display, protocols, terminal
from leaderboard.corpora import corpus_of
from leaderboard.season_cost import season_cost
from leaderboard.settings import Settings
from leaderboard.stores import published_files, work_store
from submissions import queue
from submissions.records import SubmissionId, submission_id
from submissions.reevaluation import REASONS, begin, plan, unknown
from submissions.store.base import WorkStore

_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verbs to the parser."""
    verb = add_verb(verbs, "reevaluate", run_reevaluate, "queue stored submissions for a row under another protocol")
    verb.add_argument("--protocol", required=True, metavar="ID", help="its name, id, first digits of the id, or file")
    verb.add_argument("--submission", nargs="+", metavar="S", help="only these (default: all)")
    verb.add_argument(
        "--dry-run", action="store_true", help="say what would be queued and what it costs; queue nothing"
    )
    again = add_verb(verbs, "resume", run_resume, "let submissions that wait for a judge or money go on at once")
    again.add_argument("submission", nargs="*", metavar="S", help="only these (default: all that are held)")


def run_resume(options: argparse.Namespace, settings: Settings) -> int:
    """Let held submissions be claimed at once; one that is named may also be pausing after a failure of ours."""
    store, now = work_store(settings), datetime.now(UTC)
    _refuse_strangers(store, options.submission)
    for name in options.submission:
        queue.resume(store, submission_id(name), now)
    names = options.submission or queue.resume_all(store, now)
    told = display.count(len(names), "submission")
    terminal.say(f"{told} may go on at once{': ' if names else ''}{', '.join(names)}")
    return 0


def run_reevaluate(options: argparse.Namespace, settings: Settings) -> int:
    """Queue every submission that has no row under the protocol, or those that are named; again is no change."""
    store, published = work_store(settings), published_files(settings)
    protocol = protocols.find(settings, options.protocol)
    corpus = _refuse_unfit(settings, protocol)
    _refuse_strangers(store, options.submission or ())
    season = plan(store, published, protocol, options.submission)
    queued: Sequence[SubmissionId] = season.wanted
    if not options.dry_run:
        protocols.keep_known(settings, protocol)
        queued = begin(store, season, protocol, datetime.now(UTC))
    verb = "would be queued" if options.dry_run else "queued"
    n_queued = display.count(len(queued), "submission")
    terminal.say(f"{n_queued} {verb} for a row under {protocol.name} {protocol.id}; other rows stay.")
    for why, n_left in sorted(Counter(season.left.values()).items()):
        terminal.say(f"{n_left} {REASONS[why]}.")
    if protocol.judge is not None and queued:
        prices = load_prices(settings.judge_prices)
        terminal.say(season_cost(published, protocol.judge, corpus.items, queued, prices))
    return 0


def _refuse_strangers(store: WorkStore, names: Sequence[str]) -> None:
    strangers = unknown(store, names)
    if strangers:
        raise CastboardError(f"no submission is called {', '.join(strangers)}; the Queue page lists all ids")


def _refuse_unfit(settings: Settings, protocol: Protocol) -> Corpus:
    """Return the corpus if a worker of this machine could evaluate under `protocol`.

    Raises:
        ProtocolError: with every reason why it could not.
    """
    from leaderboard.stations import station  # an engine's imports are not for every verb

    own = protocols.find(settings, settings.protocol)
    reasons = []
    if protocol.corpus != own.corpus:
        reasons.append(
            f"it is of the corpus {protocol.corpus.title()}, the workers of this machine have that of {own.name} "
            f"{own.id}, {own.corpus.title()}; set CASTBOARD_PROTOCOL to a protocol of that corpus"
        )
    reasons += unpinned(protocol)
    corpus = corpus_of(settings, own)
    instruments = partial(
        preflight,
        items=corpus.items,
        models=settings.models,
        allows_non_commercial=settings.allows_non_commercial,
    )
    # A worker's own check stops at the first of these; what both say is told once.
    for check in (refuse_analysis, instruments, station(settings, own, corpus, "reevaluate").preflight):
        try:
            check(protocol)
        except CastboardError as error:
            reasons.append(str(error))
    if reasons:
        raise ProtocolError(f"{protocol.name} {protocol.id} cannot run here:\n" + "\n".join(dict.fromkeys(reasons)))
    return corpus
