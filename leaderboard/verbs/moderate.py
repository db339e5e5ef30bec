"""The verbs of `app.py` by which an operator acts on a submission or a person, each with a reason that is public.

On this machine the command line is right enough: whoever can run it can write into the home anyway.
"""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime

from evaluation.errors import CastboardError
from leaderboard.settings import Settings
from leaderboard.stores import published_files, work_store
from leaderboard.terminal import say
from leaderboard.verbs.maker import anchored
from submissions.bans import account_meant
from submissions.operating import Desk, Warrant
from submissions.records import SubmissionId, submission_id
from submissions.state import IllegalEvent

_Add = Callable[..., argparse.ArgumentParser]
_Act = Callable[[Desk, SubmissionId, Warrant], bool]

NAMES = ("hide", "unhide", "fail", "requeue", "rename", "ban", "unban")
"""The verbs."""

_ACTS: dict[str, tuple[_Act, str, str]] = {
    "hide": (Desk.hide, "hidden", "was hidden already"),
    "unhide": (Desk.unhide, "shown again", "was not hidden"),
    "fail": (Desk.fail, "ended without a row", "was ended already"),
    "requeue": (Desk.requeue, "queued again", "waits or runs already"),
}
_HELP = {
    "hide": "take a submission's rows, clips and duels off the board, to come back as they were",
    "unhide": "bring a hidden submission back, the same bytes, without an evaluation",
    "fail": "end a submission that waits or runs, without a row",
    "requeue": "let a failed or rejected submission run again from its kept zip",
    "rename": "let the board show other names for a submission; its rows stay as they are",
    "ban": "let an account send nothing any more; what it sent stays",
    "unban": "let a banned account send again",
}


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verbs to the parser."""
    for name in NAMES:
        run = run_person if name in ("ban", "unban") else run_rename if name == "rename" else run_act
        verb = add_verb(verbs, name, run, _HELP[name])
        if run is run_person:
            verb.add_argument("who", help="an account's id, a user name, or the id of a submission that it sent")
        else:
            verb.add_argument("submission", help="its id")
        if run is run_rename:
            verb.add_argument("--system", required=True, help="name that the system is to have")
            verb.add_argument("--organisation", required=True, help="organisation that the board is to name")
        verb.add_argument("--reason", required=True, help="why, in one sentence; it is public")


def run_act(options: argparse.Namespace, settings: Settings) -> int:
    """Hide, show again, end or queue again one submission."""
    act, done, was_so = _ACTS[options.verb]
    submission, has_acted = _on_submission(options, settings, act)
    say(f"{submission}: {done if has_acted else was_so}")
    if options.verb == "hide":
        _warn_of_anchor(settings, submission)
    return 0


def run_rename(options: argparse.Namespace, settings: Settings) -> int:
    """Let the board show other names."""

    def act(desk: Desk, submission: SubmissionId, warrant: Warrant) -> bool:
        return desk.rename(submission, warrant, system=options.system, organisation=options.organisation)

    submission, has_acted = _on_submission(options, settings, act)
    say(f"{submission}: {'renamed' if has_acted else 'is called so already'}")
    return 0


def run_person(options: argparse.Namespace, settings: Settings) -> int:
    """Ban an account, or end its ban."""
    desk = _desk(settings)
    who, warrant = account_meant(desk.store, options.who), _warrant(options, settings)
    told = f"{who.account}{f' ({who.name})' if who.name else ''}"
    if options.verb == "ban":
        say(f"{told}: {'banned' if desk.ban(who, warrant) else 'was banned already'}")
    else:
        say(f"{told}: {'may send again' if desk.unban(who, warrant) else 'was not banned'}")
    return 0


def _on_submission(options: argparse.Namespace, settings: Settings, act: _Act) -> tuple[SubmissionId, bool]:
    desk, warrant = _desk(settings), _warrant(options, settings)
    try:
        submission = submission_id(options.submission)
        return submission, act(desk, submission, warrant)
    except (ValueError, IllegalEvent) as error:
        raise CastboardError(f"{options.submission}: {error}. The Queue page lists all ids.") from error


def _desk(settings: Settings) -> Desk:
    desk = Desk(store=work_store(settings), published=published_files(settings))
    desk.store.refresh()
    desk.published.refresh()
    return desk


def _warrant(options: argparse.Namespace, settings: Settings) -> Warrant:
    return Warrant.for_reason(options.reason, operator=settings.user, at=datetime.now(UTC))


def _warn_of_anchor(settings: Settings, submission: SubmissionId) -> None:
    for one in anchored(settings, submission):
        say(
            f"{submission} is the anchor of protocol {one.protocol.name} {one.protocol.id}: its judge goes on hearing "
            "its clips, visitors do not, and nobody can hear again what a verdict compares with until it is shown."
        )
