"""The verb `evaluate`: a zip or a folder of clips measured on this machine, and the place it would take."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluation.codec import to_json
from evaluation.errors import CastboardError
from evaluation.placement import Placement
from evaluation.protocol import Protocol
from leaderboard.comparison import Comparison, compare
from leaderboard.comparison_text import show_comparison
from leaderboard.contestants import contestant, of_evaluation, require_known
from leaderboard.decision_text import neighbour_sentences, place_sentence
from leaderboard.local_board import HERE, Systems, board_files, place_on, protocol_of, systems
from leaderboard.local_evaluation import Unreadable, default_out, evaluate_source, finished
from leaderboard.progress import OnlyEstimated
from leaderboard.settings import Settings
from leaderboard.summary_text import show_summary
from leaderboard.tables import console, show_line
from leaderboard.terminal import say
from leaderboard.verbs.maker import CLEAN, PROBLEMS, UNREADABLE
from submissions import local_result
from submissions.check_report import as_json, found_text
from submissions.local_result import Evaluation
from submissions.local_run import Refused
from submissions.problems import shown
from submissions.store.base import PublishedFiles

AddVerb = Callable[..., argparse.ArgumentParser]


def add(verbs: Any, add_verb: AddVerb) -> None:
    """Add the verb to the parser's."""
    text = "evaluate a zip or a folder of clips on this machine: exit 0 done, 1 problems, 2 unreadable"
    parser = add_verb(verbs, "evaluate", run_evaluate, text)
    parser.add_argument("clips", type=Path, help="zip, folder of <item id>.wav ..., or a finished evaluation")
    parser.add_argument("--protocol", help="name, id or JSON file (default: that of new submissions)")
    parser.add_argument("--against", metavar="OTHER", help="decide it against a system of the board, a zip or a folder")
    parser.add_argument("--board", type=Path, metavar="FOLDER", help="published folder (default: the home's)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where it is kept (default: ./<name>.castboard)")
    parser.add_argument("--name", default="", help="what the system is called (default: the name of the file)")
    parser.add_argument("--partial", action="store_true", help="take what is there; the result is no S of a board")
    parser.add_argument("--dry-run", action="store_true", help="measure, tell what the judge would cost, ask nothing")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")


def run_evaluate(options: argparse.Namespace, settings: Settings) -> int:
    """Evaluate clips, show the figures, the place on a board and the decision against another system."""
    files = board_files(settings, options.board)
    try:
        protocol = protocol_of(settings, options.protocol or settings.protocol, files)
        evaluation = _evaluation(options, settings, protocol, files)
    except OnlyEstimated:
        say("Nothing was sent to the judge. What was measured is kept; without --dry-run it goes on from there.")
        return CLEAN
    except Unreadable as error:
        say(f"castboard: {error}", sys.stderr)
        return UNREADABLE
    except Refused as refused:
        return _refuse(refused, options)
    board = systems(files, evaluation.protocol)
    placement = None if evaluation.result.is_partial else place_on(board, evaluation)
    comparison = None
    if options.against:
        other = contestant(options.against, key=f"{HERE}-other", settings=settings, board=board)
        comparison = compare(evaluation.protocol, of_evaluation(evaluation, board.protocol, HERE), other)
    if options.json:
        say(json.dumps(_as_json(evaluation, placement, comparison), indent=2, ensure_ascii=False))
    else:
        _show(evaluation, board, placement, comparison, options.out or _place_of(options.clips))
    return CLEAN


def _evaluation(
    options: argparse.Namespace, settings: Settings, protocol: Protocol, files: PublishedFiles
) -> Evaluation:
    known = finished(options.clips)
    if known is not None:
        if options.protocol and known.protocol.id != protocol.id:
            raise CastboardError(
                f"{options.clips} was evaluated under {known.protocol.name} {known.protocol.id}; evaluate the clips "
                f"themselves under {protocol.name}"
            )
        return known
    if options.against:
        require_known(options.against, systems(files, protocol))
    return evaluate_source(
        settings,
        protocol,
        options.clips,
        board=files,
        out=options.out,
        name=options.name,
        may_be_partial=options.partial,
        is_dry=options.dry_run,
    )


def _refuse(refused: Refused, options: argparse.Namespace) -> int:
    checked = refused.checked
    if options.json:
        say(json.dumps(as_json(checked), indent=2, ensure_ascii=False))
    else:
        say(f"{len(checked.clips):,} of {checked.n_items:,} items have a clip that can be read.\n")
        say(found_text(checked))
        only_missing = {problem.code for problem in checked.problems} == {"missing_items"}
        hint = " To evaluate what is there all the same: --partial." if only_missing else ""
        say(f"\nNothing was evaluated. Next: mend this and run the same command again.{hint}")
    return UNREADABLE if checked.is_unreadable else PROBLEMS


def _place_of(clips: Path) -> Path:
    return clips if local_result.is_finished(clips) else default_out(clips)


def _show(
    evaluation: Evaluation, board: Systems, placement: Placement | None, comparison: Comparison | None, out: Path
) -> None:
    to = console()
    show_summary(evaluation, to=to)
    if placement is not None:
        _show_place(evaluation, board, placement)
    elif not evaluation.result.is_partial:
        show_line(f"\nNo board has a row under {board.protocol.name}, so there is no place to tell.", to=to)
    if comparison is not None:
        show_comparison(comparison, to=to)
    names = ", ".join(sorted([*evaluation.result.files, local_result.RESULT]))
    show_line(f"\nKept in {shown(str(out), 200)}: {names}", to=to)


def _show_place(evaluation: Evaluation, board: Systems, placement: Placement) -> None:
    to = console()

    def name_of(key: str) -> str:
        return evaluation.result.name if key == HERE else board.name(key)

    show_line(f"\n{place_sentence(placement)}", to=to, is_strong=True)
    for label, told in neighbour_sentences(placement, name_of):
        show_line(f"{label}: {told}", to=to)
    told_keys = {placement.above, placement.below}
    others = [key for key in placement.ties if key not in told_keys]
    if others:
        show_line(f"It also ties with: {', '.join(map(name_of, others))}.", to=to)
    twins = board.twins(evaluation.evidence)
    if twins:
        show_line(f"These very clips are on the board already, as {', '.join(map(name_of, twins))}.", to=to)


def _as_json(evaluation: Evaluation, placement: Placement | None, comparison: Comparison | None) -> dict[str, object]:
    return {
        "schema_version": 1,
        "result": to_json(evaluation.result),
        "place": None if placement is None else to_json(placement),
        "against": None if comparison is None else to_json(comparison),
    }
