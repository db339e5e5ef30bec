"""The verb `duel` of `app.py`: two systems of a board judged directly, with the cost told before."""

import argparse
from collections.abc import Callable

from evaluation.errors import CastboardError
from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge.judging import JudgingProgress
from evaluation.judge.spend_ledger import BudgetSpent
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from leaderboard import protocols
from leaderboard.context import DUELS
from leaderboard.duel_text import duel_lines
from leaderboard.duels import board_recipe, estimate_sentence, meant, prepared, price_of_duel, usd
from leaderboard.published import Published
from leaderboard.settings import Settings
from leaderboard.stores import published_files, work_store
from leaderboard.terminal import say
from leaderboard.views import Board
from submissions.duel_contest import Contest, DuelRefused, committed_duel
from submissions.duel_orders import DuelOrders
from submissions.duels import Duel
from submissions.store.base import PublishedFiles

_Add = Callable[..., argparse.ArgumentParser]
NOT_NOW = 3
"""Exit code if the judge or the budget makes it wait; started again it goes on."""
_N_LINES = 10


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "duel", run_duel, "let the judge compare two systems of a board directly, on all items")
    verb.add_argument("a", help="a submission's id, or a system's name")
    verb.add_argument("b", help="another one")
    verb.add_argument("--protocol", metavar="P", help="whose board (default: the one of the settings)")
    verb.add_argument(
        "--judge",
        choices=("protocol", "embedded"),
        default="protocol",
        help="embedded: the naturalness predictor on this machine, for a protocol without a judge; free",
    )
    verb.add_argument(
        "--yes", action="store_true", help="agree to what it may cost; without, only the estimate is told"
    )


def run_duel(options: argparse.Namespace, settings: Settings) -> int:
    """Hold a duel, or tell what it would take; a committed one is shown and costs nothing."""
    from leaderboard.judges import Judges  # clients of providers are not for every verb

    protocol = protocols.find(settings, options.protocol or settings.protocol)
    files = published_files(settings)
    board = Published(files, (protocol,)).board(protocol.id)
    pair, faults = _pair(board, options.a, options.b)
    done = committed_duel(files, protocol.id, *pair) if pair else None
    if done is not None:
        say("This duel was held before, and a committed duel never changes:")
        return _show(done, board)
    judges = Judges(settings)
    recipe = _recipe(protocol, options.judge, faults)
    match = prepared(
        files, protocol, pair, recipe=recipe, opens=lambda asked: judges.open(asked, "duel-check"), faults=faults
    )
    say(estimate_sentence(match, judges.prices))
    _, cost = price_of_duel(match, judges.prices)
    if cost != 0 and not options.yes:
        say("Nothing was sent. Run it again with --yes to let it be judged at this cost.")
        return 0
    with DuelOrders(settings.home / DUELS).claimed(protocol.id, match.a, match.b) as is_ours:
        if not is_ours:
            raise DuelRefused(
                "a worker of this home is carrying out this very duel; the pair's page shows how far it is"
            )
        return _hold(match, files, settings, board, judges.open)


def _hold(
    match: Contest,
    files: PublishedFiles,
    settings: Settings,
    board: Board,
    open_judge: "Callable[[JudgeRecipe, str], object]",
) -> int:
    from submissions.duel_work import hold_duel

    try:
        duel = hold_duel(
            match,
            files=files,
            store=work_store(settings),
            open_judge=open_judge,  # type: ignore[arg-type]  # a Caller is its own context manager
            n_parallel=settings.judge_n_parallel,
            on_progress=_teller(),
        )
    except (JudgeUnavailable, BudgetSpent) as error:
        say(f"{error}\nStopped here. Run it again later: what was answered is kept, and no call is repeated.")
        return NOT_NOW
    return _show(duel, board)


def _teller() -> Callable[[JudgingProgress], None]:
    told = [-1]

    def tell(progress: JudgingProgress) -> None:
        step = progress.items_done * _N_LINES // max(1, progress.n_items)
        if step != told[0]:
            told[0] = step
            cost = "" if not progress.cost_micro_usd else f", {usd(progress.cost_micro_usd)}"
            say(
                f"judged {progress.items_done} of {progress.n_items} items: {progress.n_calls} replies, "
                f"{progress.n_cached} of them kept from before{cost}"
            )

    return tell


def _pair(board: Board, *names: str) -> tuple[tuple[str, str] | None, list[str]]:
    """Return both submissions, or every reason why they are not known."""
    found, faults = [], []
    for name in names:
        try:
            found.append(meant(name, board.rows))
        except CastboardError as error:
            faults.append(str(error))
    return ((found[0], found[1]) if len(found) == len(names) else None), faults


def _recipe(protocol: Protocol, judge: str, faults: list[str]) -> JudgeRecipe | None:
    if protocol.judge is not None and judge == "embedded":
        faults.append(f"protocol {protocol.name} has a judge of its own, {protocol.judge.model}; leave --judge out")
    return None if protocol.judge is None and judge == "protocol" else board_recipe(protocol)


def _show(duel: Duel, board: Board) -> int:
    names = {row.submission: row.name for row in board.rows}
    for line in duel_lines(duel, names):
        say(line)
    return 0
