"""The verb `rescore` of `app.py`: a published board scored anew from its readings."""

import argparse
import sys
from collections.abc import Callable

from leaderboard.protocols import find
from leaderboard.settings import Settings
from leaderboard.stores import published_files, work_store
from submissions import layout
from submissions.rescore import RescoreError, newest, rescore

_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "rescore", _rescore, "score a published board anew from its readings, without its audio")
    verb.add_argument("board", help="id of the protocol whose readings are taken")
    verb.add_argument(
        "--protocol",
        metavar="NAME",
        help="what they are scored by, a name, an id or a .json file (default: the same with the newest normaliser)",
    )


def _rescore(options: argparse.Namespace, settings: Settings) -> int:
    files = published_files(settings)
    with work_store(settings).publishing():
        if options.protocol is None:
            old = layout.read_protocols(files).get(options.board)
            if old is None:
                raise RescoreError(f"no protocol {options.board!r:.40} is published")
            target = newest(old)
        else:
            target = find(settings, options.protocol)
        why = f"Rows of {target.id} from the readings of {options.board}"
        changes = files.change(why, lambda draft: rescore(draft, options.board, target))
    for one in changes:
        sys.stdout.write(
            f"{one.submission}: S {one.old_score:.4f} -> {one.new_score:.4f}, "
            f"gate {one.old_pass_rate:.1%} -> {one.new_pass_rate:.1%}\n"
        )
    sys.stdout.write(f"{len(changes)} rows published under {target.name} {target.id}; those of {options.board} stay\n")
    return 0
