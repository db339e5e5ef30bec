"""What the operator's page does when a button is pressed: rights first, then one act, then what to tell."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.errors import CastboardError
from leaderboard import shell, words
from leaderboard.context import Context
from leaderboard.identity import NotAllowed
from leaderboard.markup import Markup, el, join
from leaderboard.operator_rights import operator_of
from leaderboard.operator_view import view_of
from leaderboard.pages import operator as page
from submissions import flag_decisions, queue
from submissions.bans import account_meant
from submissions.operating import Desk, OperatorError, Warrant
from submissions.records import SubmissionId, submission_id
from submissions.reevaluation import REASONS, begin, plan
from submissions.state import IllegalEvent

log = logging.getLogger(__name__)

Profile = Mapping[str, object]
_Act = Callable[[Context, "Request", Warrant], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the form holds; anything may stand there."""

    act: str
    """Name of the act."""
    target: str
    """Id of a submission, or of an account."""
    reason: str
    """Why."""
    is_sure: bool
    """Whether the box that says so is ticked."""
    system: str = ""
    """New name of the system, to rename."""
    organisation: str = ""
    """New organisation, to rename."""


def told_view(context: Context, profile: Profile | None, key: str) -> tuple[Markup, bool]:
    """Return what there is to look at, and True; or why it is not shown."""
    try:
        operator_of(context, profile, key)
        return page.build(view_of(context)), True
    except NotAllowed as error:
        return page.refused(str(error)), False
    except CastboardError as error:
        return shell.notice(str(error), look="bad"), True


def told_act(context: Context, profile: Profile | None, key: str, asked: Request) -> tuple[Markup, bool]:
    """Do what an operator asks, and say what was done; True if it was, or was so already.

    Args:
        context: the site.
        profile: what the session holds; None for nobody.
        key: what was typed for the operator's key.
        asked: what the form holds.
    """
    try:
        who = operator_of(context, profile, key)
        act = _ACTS.get(asked.act)
        if act is None:
            raise OperatorError(f"choose what to do: {', '.join(_ACTS)}")
        warrant = Warrant.for_reason(asked.reason, operator=who, at=context.clock())
        if not asked.is_sure:
            raise OperatorError("tick the box first; this is done at once, and the reason is public")
        has_acted = act(context, asked, warrant)
    except (NotAllowed, OperatorError) as error:
        return shell.notice(_sentence(str(error)), look="bad"), False
    except IllegalEvent:
        return shell.notice("No submission has this id, or it is in no state for this.", look="bad"), False
    except CastboardError as error:
        log.warning("operator.failed", extra={"act": asked.act, "why": str(error)})
        return shell.notice(_sentence(str(error)), look="bad"), False
    log.info("operator.acted", extra={"act": asked.act, "target": asked.target, "has_acted": has_acted})
    done = words.ACTS[asked.act].done if has_acted else "It was so already; nothing was done."
    return shell.notice(
        join(el("code", asked.target.strip()), " ", done, _of_anchor(context, asked)), look="good"
    ), True


def _of_anchor(context: Context, asked: Request) -> str | None:
    """Return what hiding the anchor of a judge means; None for anything else."""
    judges = (board.protocol.judge for board in context.published.boards())
    is_anchor = any(judge is not None and judge.anchor.submission == asked.target.strip() for judge in judges)
    return f" {words.HIDDEN_ANCHOR}" if asked.act == "hide" and is_anchor else None


def _submission(asked: Request) -> SubmissionId:
    try:
        return submission_id(asked.target.strip())
    except ValueError as error:
        raise OperatorError(str(error)) from error


def _on_submission(act: Callable[[Desk, SubmissionId, Warrant], bool]) -> _Act:
    def run(context: Context, asked: Request, warrant: Warrant) -> bool:
        return act(_desk(context), _submission(asked), warrant)

    return run


def _desk(context: Context) -> Desk:
    return Desk(store=context.store, published=context.files)


def _rename(context: Context, asked: Request, warrant: Warrant) -> bool:
    return _desk(context).rename(_submission(asked), warrant, system=asked.system, organisation=asked.organisation)


def _ban(context: Context, asked: Request, warrant: Warrant) -> bool:
    return _desk(context).ban(account_meant(context.store, asked.target), warrant)


def _unban(context: Context, asked: Request, warrant: Warrant) -> bool:
    return _desk(context).unban(account_meant(context.store, asked.target), warrant)


def _resume(context: Context, asked: Request, warrant: Warrant) -> bool:
    before = queue.load(context.store, _submission(asked))
    return queue.resume(context.store, before.submission, warrant.at).n_events > before.n_events


def _reevaluate(context: Context, asked: Request, warrant: Warrant) -> bool:
    """Queue it for a row under the site's own protocol; another one's row is asked for on the command line."""
    protocol, submission = context.protocols[0], queue.load(context.store, _submission(asked)).submission
    season = plan(context.store, context.files, protocol, (submission,))
    why = season.left.get(submission)
    if why in ("has_row", "asked"):
        return False
    if why is not None:
        raise OperatorError(f"it cannot get a row under {protocol.name}: submissions like it {REASONS[why]}")
    return bool(begin(context.store, season, protocol, warrant.at))


def _seen(context: Context, asked: Request, warrant: Warrant) -> bool:
    return flag_decisions.decide(context.store, _submission(asked), warrant)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


_ACTS: Mapping[str, _Act] = {
    "hide": _on_submission(Desk.hide),
    "unhide": _on_submission(Desk.unhide),
    "fail": _on_submission(Desk.fail),
    "requeue": _on_submission(Desk.requeue),
    "resume": _resume,
    "reevaluate": _reevaluate,
    "rename": _rename,
    "seen": _seen,
    "ban": _ban,
    "unban": _unban,
}
