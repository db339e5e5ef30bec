"""The verb `compare`: two systems, wherever they are, decided with the whole arithmetic shown."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluation.codec import to_json
from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from leaderboard.comparison import compare
from leaderboard.comparison_text import show_comparison
from leaderboard.contestants import contestant, require_known
from leaderboard.local_board import HERE, board_files, protocol_of, systems
from leaderboard.local_evaluation import Unreadable, finished
from leaderboard.settings import Settings
from leaderboard.tables import console
from leaderboard.terminal import say
from leaderboard.verbs.maker import CLEAN, PROBLEMS, UNREADABLE
from submissions.check_report import found_text
from submissions.local_run import Refused
from submissions.store.base import PublishedFiles


def add(verbs: Any, add_verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the verb to the parser's."""
    parser = add_verb(verbs, "compare", run_compare, "decide two systems, with the whole arithmetic")
    for name in ("a", "b"):
        parser.add_argument(name, help="system of the board (id or name), evaluation folder, zip or folder of clips")
    parser.add_argument("--protocol", help="name, id or JSON file (default: an evaluation's own, or that of the home)")
    parser.add_argument("--board", type=Path, metavar="FOLDER", help="published folder (default: the home's)")
    parser.add_argument("--weights", default="", metavar="tone=2,...", help="what if dimensions weighed differently")
    parser.add_argument("--margin-floor", type=float, metavar="X", help="what if the least margin were X")
    parser.add_argument("--margin-slope", type=float, metavar="Y", help="what if the margin were Y of the headroom")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")


def run_compare(options: argparse.Namespace, settings: Settings) -> int:
    """Compare two systems and show the decision, or a what-if that is marked as one."""
    weights = parse_weights(options.weights)
    given = {"margin_floor": options.margin_floor, "margin_slope": options.margin_slope}
    constants = {name: value for name, value in given.items() if value is not None}
    files = board_files(settings, options.board)
    board = systems(files, _protocol(options, settings, files))
    try:
        for wanted in (options.a, options.b):
            require_known(wanted, board)
        a, b = (
            contestant(wanted, key=f"{HERE}-{side}", settings=settings, board=board)
            for side, wanted in (("a", options.a), ("b", options.b))
        )
    except Unreadable as error:
        say(f"castboard: {error}", sys.stderr)
        return UNREADABLE
    except Refused as refused:
        say(f"{found_text(refused.checked)}\n\nNothing was compared.", sys.stderr)
        return UNREADABLE if refused.checked.is_unreadable else PROBLEMS
    comparison = compare(board.protocol, a, b, weights=weights, constants=constants)
    if options.json:
        say(json.dumps({"schema_version": 1, **to_json(comparison)}, indent=2, ensure_ascii=False))
    else:
        show_comparison(comparison, to=console())
    return CLEAN


def parse_weights(text: str) -> dict[str, float]:
    """Return weights by dimension, of text such as "tone=2,age=0.5".

    Raises:
        CastboardError: if it is not such a text.
    """
    weights: dict[str, float] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, sign, value = part.partition("=")
        try:
            if not sign or name.strip() in weights:
                raise ValueError
            weights[name.strip()] = float(value)
        except ValueError:
            raise CastboardError(
                f"--weights takes each dimension once, as in tone=2,age=0.5; got {part!r:.80}"
            ) from None
    return weights


def _protocol(options: argparse.Namespace, settings: Settings, files: PublishedFiles) -> Protocol:
    """Return the named protocol, else that of the first finished evaluation, else that of new submissions."""
    if not options.protocol:
        for wanted in (options.a, options.b):
            known = finished(Path(wanted))
            if known is not None:
                return known.protocol
    return protocol_of(settings, options.protocol or settings.protocol, files)
