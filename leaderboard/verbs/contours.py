"""The verb of `app.py` that makes what pages draw of clips: waves, levels and pitch."""

import argparse
from collections.abc import Callable

from evaluation.errors import CastboardError
from leaderboard.settings import Settings
from leaderboard.terminal import say
from submissions import layout

_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "contours", run_contours, "make the contours that published clips are drawn from")
    verb.add_argument("submission", nargs="?", help="only of this submission, anew (default: of all that lack them)")
    verb.add_argument("--again", action="store_true", help="make those of all submissions anew")


def run_contours(options: argparse.Namespace, settings: Settings) -> int:
    """Make the contours that lack, or those that were asked for."""
    from evaluation.probes.contour import ContourReader
    from leaderboard.stores import published_files, work_store
    from submissions.contour_work import lacking, make, with_clips

    store, files = work_store(settings), published_files(settings)
    files.refresh()
    if options.submission is not None:
        there = with_clips(files)
        if options.submission not in there:
            raise CastboardError(f"{options.submission!r:.80} has no published clips")
        wanted: tuple[str, ...] = (options.submission,)
    else:
        wanted = with_clips(files) if options.again else lacking(files)
    reader = ContourReader.load().read if wanted else None
    for submission in wanted:
        n_clips = sum(1 for _ in make(store, files, submission, reader)) if reader else 0
        say(f"{layout.contours_path(submission)}: {n_clips:,} clips")
    if not wanted:
        say("Every published row has its contours.")
    return 0
