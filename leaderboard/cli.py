"""The verbs of `app.py`: which there are, what each one takes, and how errors are told."""

import argparse
import errno
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluation.errors import CastboardError
from leaderboard import redaction
from leaderboard import settings as environment
from leaderboard.settings import Settings
from leaderboard.terminal import say, set_up_logging
from leaderboard.verbs import (
    compare,
    contours,
    corpus,
    duel,
    duplicates,
    evaluate,
    gate,
    maker,
    moderate,
    operator,
    people,
    protocol,
    reevaluate,
    rescore,
    trial,
    validate,
)

Verb = Callable[[argparse.Namespace, Settings], int]

_INTERRUPTED = 130
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_PLACE = (errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EEXIST)
"""What a path that somebody named can be wrong by."""
_KEEPING = (
    "serve",
    "submit",
    "worker",
    "demo",
    "protocol",
    "reevaluate",
    "contours",
    "resume",
    "duel",
    "duplicates",
    *moderate.NAMES,
)
"""Verbs that write into the home."""
_TALKATIVE = ("worker", "demo")
_LOGGING = ("serve", "worker", "demo")
"""Verbs whose standard error is a log."""


def main(arguments: Sequence[str]) -> int:
    """Run one verb and return the exit code; errors written for people are shown without a traceback."""
    options = _parser().parse_args(arguments)
    set_up_logging(logging.INFO if options.verb in _TALKATIVE else logging.WARNING)
    run: Verb = options.run
    try:
        with operator.settings_of(options) as settings:
            redactor = redaction.redactor_of(settings)
            redaction.install(redactor)
            if options.verb in _KEEPING:
                environment.require_home(settings)
            redaction.install(redactor, takes_stderr=options.verb in _LOGGING)
            return run(options, settings)
    except CastboardError as error:
        say(f"castboard: {error}", sys.stderr)
        return maker.PROBLEMS
    except OSError as error:
        if error.errno not in _DISK and not (error.errno in _PLACE and error.filename):
            raise
        remedy = "Make room" if error.errno in _DISK else "Name another path, or mend this one"
        say(f"castboard: {error.strerror}: {error.filename or 'the disk'}. {remedy}, then run this again.", sys.stderr)
        return maker.PROBLEMS
    except KeyboardInterrupt:
        return _INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="app.py", description="Castboard; without a verb it serves the pages.")
    parser.set_defaults(run=operator.run_serve, verb="serve")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    _add(verbs, "serve", operator.run_serve, "serve the pages, with a worker in the background (the default)")
    check = _add(verbs, "check", maker.run_check, "check a zip: exit 0 clean, 1 problems, 2 unreadable")
    check.add_argument("file", type=Path, help="the zip")
    check.add_argument("--json", action="store_true", help="the whole result as JSON")
    submit = _add(verbs, "submit", maker.run_submit, "check a zip and put it into this machine's queue")
    submit.add_argument("file", type=Path, nargs="?", help="the zip; its system.json is the form")
    submit.add_argument(
        "--from", dest="ref", metavar="REF", help="instead of a file: org/name@COMMIT[:path] on the hub"
    )
    submit.add_argument("--organisation", help="for which of your organisations (default: on your own, or the zip's)")
    names = _add(verbs, "ask-rename", maker.run_ask_rename, "ask the operator for other names of a submission")
    names.add_argument("submission", help="its id")
    names.add_argument("--system", default="", help="name that the system is to have (default: as it is)")
    names.add_argument("--organisation", default="", help="organisation that the board is to name (default: as it is)")
    names.add_argument("--reason", required=True, help="why, in one sentence, for the operator")
    withdraw = _add(verbs, "withdraw", maker.run_withdraw, "take a submission of this machine's home back")
    withdraw.add_argument("submission", help="its id")
    withdraw.add_argument("--reason", required=True, help="why, in one sentence; it is public")
    worker = _add(verbs, "worker", operator.run_worker, "evaluate what is queued, until stopped")
    worker.add_argument("--once", action="store_true", help="stop when nothing is queued")
    worker.add_argument("--name", help="name of this worker (default: local; with --repo a made-up one)")
    worker.add_argument("--repo", metavar="ORG/WORK", help="work on the queue in this private dataset repo of the hub")
    worker.add_argument("--board", metavar="ORG/BOARD", help="public dataset repo that rows go to; goes with --repo")
    demo = _add(verbs, "demo", operator.run_demo, "synthesise the demo systems and submit them")
    for child in (worker, demo):
        child.add_argument("--child", action="store_true", help=argparse.SUPPRESS)  # ends with the server
    fetch = _add(verbs, "fetch", _fetch, "download the published files of a site")
    fetch.add_argument("url", help="address of the site")
    fetch.add_argument("folder", type=Path, help="where the files go")
    verify = _add(verbs, "verify", _verify, "recompute a published board from its own files")
    verify.add_argument("folder", type=Path, nargs="?", help="published folder (default: the home's), or where to copy")
    verify.add_argument("--repo", metavar="ORG/NAME", help="verify this public dataset repo, anonymously")
    verify.add_argument("--revision", metavar="REV", help="commit, branch or tag of it (default: the newest state)")
    verify.add_argument("--deep", type=int, default=0, metavar="N", help="measure N random clips again")
    verify.add_argument("--seed", type=int, default=0, help="draws the clips of --deep")
    verify.add_argument("--all", action="store_true", help="list every difference, not only the first")
    evaluate.add(verbs, _add)
    compare.add(verbs, _add)
    gate.add(verbs, _add)
    rescore.add(verbs, _add)
    trial.add(verbs, _add)
    protocol.add(verbs, _add)
    reevaluate.add(verbs, _add)
    validate.add(verbs, _add)
    people.add(verbs, _add)
    corpus.add(verbs, _add)
    duel.add(verbs, _add)
    moderate.add(verbs, _add)
    duplicates.add(verbs, _add)
    contours.add(verbs, _add)
    return parser


def _add(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, run: Verb, text: str
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    parser.set_defaults(run=run, verb=name)
    return parser


def _fetch(options: argparse.Namespace, settings: Settings) -> int:
    from leaderboard.verbs.reader import run_fetch  # an HTTP client and the evaluator are not for every verb

    return run_fetch(options, settings)


def _verify(options: argparse.Namespace, settings: Settings) -> int:
    from leaderboard.verbs.reader import run_verify

    return run_verify(options, settings)
