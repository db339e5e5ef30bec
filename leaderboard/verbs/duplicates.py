"""The verb of `app.py` that tells an operator which submissions share audio, and looks for more."""

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from leaderboard.settings import Settings
from leaderboard.stores import published_files, work_store
from leaderboard.terminal import say
from submissions.duplicate_search import Pair, flagged_pairs, search
from submissions.state import SubmissionState

_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "duplicates", run_duplicates, "list pairs of submissions that share audio")
    verb.add_argument("--again", action="store_true", help="look through all submissions first, old ones too")


def run_duplicates(options: argparse.Namespace, settings: Settings) -> int:
    """List flagged pairs, after a search of all of them if asked for."""
    store = work_store(settings)
    store.refresh()
    if options.again:
        published = published_files(settings)
        published.refresh()
        n_added = search(store, published, datetime.now(UTC), _tell_progress)
        say(f"{n_added:,} new {'pair' if n_added == 1 else 'pairs'}")
    pairs = flagged_pairs(store)
    for pair in pairs:
        say(_told(pair))
    if not pairs:
        say("No two submissions share audio, as far as was looked. Older ones are looked at with --again.")
    return 0


def _tell_progress(n_done: int, n_all: int) -> None:
    if n_done % 50 == 0:
        say(f"looked at {n_done:,} of {n_all:,} submissions", sys.stderr)


def _told(pair: Pair) -> str:
    other = _name(pair.older) if pair.older is not None else pair.flag.other
    return f"{_name(pair.newer)} after {other}. {pair.flag.message}"


def _name(state: SubmissionState) -> str:
    card = state.received.card
    return f"{card.system} {card.version} of {card.organisation} ({state.submission}, {state.state})"
