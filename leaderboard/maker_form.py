"""The queue page's panel for the owner of the submission that the address names: take it back, ask for other names."""

import logging
from collections.abc import Callable
from typing import Any

from evaluation.errors import CastboardError
from leaderboard import query
from leaderboard.context import Context
from leaderboard.identity import SIGN_IN, NotAllowed
from leaderboard.markup import Markup
from leaderboard.pages import people, queue
from leaderboard.people_form import Profile
from leaderboard.query import Query
from leaderboard.sign_in import TOLD
from submissions import queue as line
from submissions import renaming
from submissions.hostile_text import BadText, regular
from submissions.ownership import is_owner
from submissions.records import SubmissionId, submission_id
from submissions.state import IllegalEvent, State, SubmissionState
from submissions.withdrawal import withdraw

log = logging.getLogger(__name__)

MAX_REASON = 300
"""Longest reason, code points."""
_QUIET = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
_PLAIN = {"apply_default_css": False, "padding": False, "elem_classes": ["cb-html", "cb"]}
_NOT_YOURS = "This is not yours: only who sent it, or a member of the organisation it was sent for, may do this."
_TOO_LATE = "It is in no state for this any more. Load the page again."
_KEPT = "Blank: as it is now"
_UNKNOWN = "No submission has this id."


def build(gr: Any, context: Context, blocks: Any) -> None:
    """Lay out the panel inside the current page; it is seen by the owner alone.

    Args:
        gr: the gradio module.
        context: the site.
        blocks: the whole site, for what happens at load.
    """
    hint = gr.HTML("", elem_id="html-maker", **_PLAIN)
    with gr.Column(visible=False, elem_id="maker-form", elem_classes=["cb-form"]) as form:
        head = gr.HTML("", **_PLAIN)
        with gr.Column(visible=False, elem_id="maker-back") as back:
            reason = _box(gr, "Why do you take it back? This is public", "maker-reason", MAX_REASON)
            sure = gr.Checkbox(label="Its row, clips and duels may go", value=False, elem_id="maker-sure")
            with gr.Row(elem_classes=["cb-form-buttons"]):
                take = gr.Button("Take it back", elem_id="maker-withdraw", variant="secondary")
        with gr.Column(visible=False, elem_id="maker-names") as names:
            with gr.Row():
                system = _box(gr, "New name of the system", "maker-system", 64, _KEPT)
                organisation = _box(gr, "New organisation", "maker-organisation", 80, _KEPT)
            why = _box(gr, "Why? For the operator, who decides", "maker-why", renaming.MAX_REASON)
            with gr.Row(elem_classes=["cb-form-buttons"]):
                ask = gr.Button("Ask for these names", elem_id="maker-rename", variant="secondary")
        answer = gr.HTML("", elem_id="maker-answer", **_PLAIN)
    shown = [hint, form, head, back, names]
    taking, asking = (take, [reason, sure]), (ask, [system, organisation, why])
    _bind(gr, context, blocks, shown, taking=taking, asking=asking, answer=answer)


def _bind(
    gr: Any,
    context: Context,
    blocks: Any,
    shown: list[Any],
    *,
    taking: tuple[Any, list[Any]],
    asking: tuple[Any, list[Any]],
    answer: Any,
) -> None:
    """Fill the panel when the page is loaded, and let its two buttons do what they say."""

    def show(profile: gr.OAuthProfile | None, request: gr.Request) -> tuple[Any, ...]:
        mine, told = of_address(context, profile, dict(request.query_params))
        if mine is None:
            return told, gr.Column(visible=False), "", gr.Column(visible=False), gr.Column(visible=False)
        is_gone = mine.state is State.WITHDRAWN
        return (
            "",
            gr.Column(visible=True),
            people.maker_head(mine),
            gr.Column(visible=mine.can_be_withdrawn),
            gr.Column(visible=not is_gone),
        )

    def on_take(profile: gr.OAuthProfile | None, given: str | None, is_sure: bool, request: gr.Request) -> str:
        return take_back(context, profile, dict(request.query_params), given or "", is_sure=is_sure is True)

    def on_ask(
        profile: gr.OAuthProfile | None, name: str | None, by: str | None, given: str | None, request: gr.Request
    ) -> str:
        return ask_names(context, profile, dict(request.query_params), (name or "", by or "", given or ""))

    shared = {"outputs": answer, "concurrency_id": "maker", "concurrency_limit": 1, "trigger_mode": "once"}
    shared |= {"api_visibility": "private", "show_progress": "minimal"}
    blocks.load(show, None, shown, **_QUIET)
    for (button, inputs), act in ((taking, on_take), (asking, on_ask)):
        button.click(act, inputs, **shared).then(show, None, shown, **_QUIET)


def own(context: Context, profile: Profile | None, states: tuple[SubmissionState, ...]) -> frozenset[str]:
    """Return the ids of the submissions that are of whoever is signed in."""
    person = context.identity.manager(profile)
    return frozenset(state.submission for state in states if is_owner(person, state.received))


def of_address(context: Context, profile: Profile | None, asked: Query) -> tuple[SubmissionState | None, Markup | str]:
    """Return the submission that an address names if it is of whoever is signed in, else what to tell instead."""
    name = query.one(asked, "id")
    try:
        found = line.load(context.store, submission_id(name))
    except (ValueError, IllegalEvent):
        return None, ""
    if is_owner(context.identity.manager(profile), found.received):
        return found, ""
    is_signed_out = context.identity.has_sign_in and context.identity.person(profile) is None
    if not is_signed_out or found.received.person is None:
        return None, ""
    return None, people.hint(found.submission, query.one(asked, TOLD))


def take_back(context: Context, profile: Profile | None, asked: Query, given: str, *, is_sure: bool) -> Markup:
    """Take the submission of an address back for its owner, and return what to tell.

    Args:
        context: the site.
        profile: what the session holds; None for nobody.
        asked: the page's address.
        given: why, as it was typed.
        is_sure: whether the box that says so is ticked.
    """

    def act(submission: SubmissionId) -> Markup:
        reason = regular(given, is_prose=False, max_chars=MAX_REASON)
        if isinstance(reason, BadText):
            return people.refused(f"The reason is not accepted: allowed are {reason.allowed}, got {reason.got}.")
        if not reason:
            return people.refused("Say why in one sentence; it will stand in the queue.")
        if not is_sure:
            return people.refused("Tick the box first: what is taken back leaves the board at once.")
        withdraw(context.store, context.files, submission, now=context.clock(), reason=reason)
        log.info("maker.withdrew", extra={"submission": submission})
        return people.withdrawn(line.load(context.store, submission))

    return _for_owner(context, profile, asked, act)


def ask_names(context: Context, profile: Profile | None, asked: Query, given: tuple[str, str, str]) -> Markup:
    """Ask for other names of the submission of an address, and return what to tell.

    Args:
        context: the site.
        profile: what the session holds; None for nobody.
        asked: the page's address.
        given: name, organisation and reason, as they were typed.
    """
    system, organisation, reason = given

    def act(submission: SubmissionId) -> Markup:
        state = renaming.ask(
            context.store, submission, now=context.clock(), system=system, organisation=organisation, reason=reason
        )
        log.info("maker.asked_names", extra={"submission": submission})
        wish = state.rename_asked
        return people.asked(wish.system, wish.organisation) if wish else people.refused(_UNKNOWN)

    return _for_owner(context, profile, asked, act)


def _for_owner(
    context: Context, profile: Profile | None, asked: Query, act: Callable[[SubmissionId], Markup]
) -> Markup:
    try:
        return act(_owned(context, profile, query.one(asked, "id")))
    except IllegalEvent:  # another tab, or an operator, was first
        return people.refused(_TOO_LATE)
    except CastboardError as error:
        log.info("maker.refused", extra={"page": queue.HERE, "reason": str(error)})
        return people.refused(str(error))


def _owned(context: Context, profile: Profile | None, name: str) -> SubmissionId:
    """Return the id that an address names; raises NotAllowed unless it is of whoever is signed in."""
    person = context.identity.manager(profile)
    if person is None:
        raise NotAllowed(SIGN_IN if context.identity.has_sign_in else _NOT_YOURS)
    try:
        found = line.load(context.store, submission_id(name))
    except (ValueError, IllegalEvent) as error:
        raise NotAllowed(_UNKNOWN) from error
    if not is_owner(person, found.received):
        raise NotAllowed(_NOT_YOURS)
    return found.submission


def _box(gr: Any, label: str, name: str, n_most: int, hint: str | None = None) -> Any:
    return gr.Textbox(label=label, elem_id=name, max_lines=1, max_length=n_most, placeholder=hint)
