"""The submit page's part on who submits: signing in and out, for whom, and how many submissions are left."""

import logging
from collections.abc import Mapping
from typing import Any

from leaderboard import query
from leaderboard.context import Context
from leaderboard.identity import ALONE, NotAllowed
from leaderboard.markup import Markup
from leaderboard.pages import people
from leaderboard.query import Query
from leaderboard.sign_in import TOLD
from submissions import bans
from submissions.ownership import Sender
from submissions.quota import allowances

log = logging.getLogger(__name__)

Profile = Mapping[str, object]
"""What a session holds of an account, as Gradio hands it to a handler."""
_QUIET = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
_PLAIN = {"apply_default_css": False, "padding": False, "elem_classes": ["cb-html", "cb"]}
SIGNED_OUT = "Sign in first"
_OWNS = "You submit for it, and it owns the row"
_MISSING = "One is missing? Sign out and in again, and let this site see it"


def head(gr: Any, context: Context) -> Any:
    """Lay out who is signed in, with the button; return the block that tells it."""
    with gr.Row(elem_classes=["cb-who"]):
        told = gr.HTML("", elem_id="html-who", **_PLAIN)
        if context.identity.has_sign_in:
            sign_in_button(gr)
    return told


def sign_in_button(gr: Any) -> None:
    """Lay out the button that signs in and out."""
    gr.LoginButton(
        "Sign in with Hugging Face",
        logout_value="Sign out ({})",
        icon=None,  # Gradio's own lies outside of what this site gives away
        size="md",
        elem_id="sign-in",
        scale=0,
        min_width=260,
    )


def choice(gr: Any) -> Any:
    """Return the box in which a person chooses for whom to submit; it is filled when the page is loaded."""
    box = gr.Dropdown(choices=[], value=None, label="Organisation *", elem_id="card-organisation", interactive=True)
    # Gradio knows the choices of an open page no more after a restart; what was chosen is checked against the session.
    box.preprocess = lambda chosen: chosen
    return box


def keep_private(blocks: Any) -> None:
    """Take the events that Gradio's own button brings along out of the names for programs; `blocks` is complete."""
    for event in blocks.fns.values():
        if getattr(event.fn, "__name__", "") == "_check_login_status":
            event.api_visibility = "private"


def bind(gr: Any, context: Context, blocks: Any, told: Any, chosen: Any) -> Any:
    """Fill the parts whenever the page is loaded or the choice changes; return what shows them anew.

    Args:
        gr: the gradio module.
        context: the site.
        blocks: the whole site.
        told: what `head` gave.
        chosen: the box with the organisation.
    """
    is_chosen = not context.identity.takes_any_organisation

    def fill(profile: gr.OAuthProfile | None, request: gr.Request) -> tuple[str, Any]:
        line = who(context, profile, ALONE, dict(request.query_params))
        return line, gr.Dropdown(**offered(context, profile)) if is_chosen else gr.skip()

    def again(profile: gr.OAuthProfile | None, value: str | None, request: gr.Request) -> str:
        return who(context, profile, value, dict(request.query_params))

    blocks.load(fill, None, [told, chosen], **_QUIET)
    if is_chosen:
        chosen.change(again, chosen, told, **_QUIET)
    return again


def offered(context: Context, profile: Profile | None) -> dict[str, Any]:
    """Return the options of the box with the organisations of who is signed in."""
    choices = list(context.identity.choices(context.identity.person(profile)))
    if not choices:
        return {"choices": [], "value": None, "interactive": False, "info": SIGNED_OUT}
    info = f"{_OWNS}. {_MISSING}" if context.identity.has_sign_in else _OWNS
    return {"choices": choices, "value": ALONE, "interactive": True, "info": info}


def who(context: Context, profile: Profile | None, chosen: object, asked: Query) -> Markup:
    """Return who is signed in and what is left.

    Args:
        context: the site.
        profile: what the session holds; None for nobody.
        chosen: for whom the form would submit; anything.
        asked: the page's address.
    """
    person = context.identity.person(profile)
    banned = None if person is None else bans.refusal(context.store, person.account)
    try:
        left = allowances(context.store, sender(context, profile, chosen), context.quota, context.clock())
    except NotAllowed:
        left = ()
    told = query.one(asked, TOLD)
    return people.who(person, left, banned=banned, told=told, has_sign_in=context.identity.has_sign_in)


def sender(context: Context, profile: Profile | None, chosen: object) -> Sender:
    """Return for whom a session submits; raises NotAllowed if it may not."""
    return context.identity.sender(context.identity.person(profile), chosen)
