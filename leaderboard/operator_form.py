"""The operator's page in Gradio: the key, what there is to look at, and the form that its buttons fill."""

from typing import Any

from leaderboard import people_form, query, shell, words
from leaderboard.context import Context
from leaderboard.markup import Markup, el, join
from leaderboard.operator_acts import Request, told_act, told_view
from leaderboard.operator_rights import has_operators
from leaderboard.pages import operator as page
from leaderboard.pages import people
from leaderboard.sign_in import TOLD
from submissions.operating import MAX_REASON

_QUIET = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
_PLAIN = {"apply_default_css": False, "padding": False, "elem_classes": ["cb-html"]}
_INNER = {"apply_default_css": False, "padding": False, "elem_classes": ["cb-html", "cb"]}
_SECRET = 200
_TARGET = 1
"""Place of the box with the submission among all."""


def build(gr: Any, context: Context, blocks: Any) -> None:
    """Lay out the page inside the current route.

    Args:
        gr: the gradio module.
        context: the site; without any operator the page says so, and has no form.
        blocks: the whole site, for what happens at load.
    """
    gr.HTML(head(context), elem_id="html-operator", **_PLAIN)
    if not has_operators(context):
        return
    key, show = _door(gr, context)
    view = gr.HTML("", elem_id="operator-view", **_INNER)
    with gr.Column(visible=False, elem_id="operator-form", elem_classes=["cb-form"]) as form:
        boxes, do = _form(gr)
        answer = gr.HTML("", elem_id="operator-answer", **_INNER)

    def look(profile: gr.OAuthProfile | None, typed: str | None) -> tuple[str, Any]:
        told, may_act = told_view(context, profile, _text(typed))
        return told, gr.Column(visible=may_act)

    def at_load(profile: gr.OAuthProfile | None, request: gr.Request) -> tuple[str, Any, Any]:
        asked = dict(request.query_params)
        named = query.one(asked, "id")[:_SECRET] or gr.skip()
        if profile is not None:
            return *look(profile, ""), named
        return people.not_signed_in(query.one(asked, TOLD)) or "", gr.Column(visible=False), named

    def act(profile: gr.OAuthProfile | None, typed: str | None, *given: Any) -> tuple[str, Any]:
        told, has_acted = told_act(context, profile, _text(typed), request_of(given))
        return told, gr.Checkbox(value=False) if has_acted else gr.skip()

    shared = {"concurrency_id": "operator", "concurrency_limit": 1, "trigger_mode": "once"}
    shared |= {"api_visibility": "private", "show_progress": "minimal"}
    blocks.load(at_load, None, [view, form, boxes[_TARGET]], **_QUIET)
    show.click(look, key, [view, form], **shared)
    key.submit(look, key, [view, form], **shared)
    do.click(act, [key, *boxes], [answer, boxes[-1]], **shared).then(look, key, [view, form], **shared)


def head(context: Context) -> Markup:
    """Return what anybody may see of the page."""
    lead = words.OPERATOR_LEAD if has_operators(context) else "This site has no operator on its pages."
    more = None if has_operators(context) else el("p", "Whoever runs it acts on its command line.", cls="cb-note")
    return shell.page("page-operator", join(shell.title("Operator", lead), more), here=page.HERE)


def request_of(given: tuple[Any, ...]) -> Request:
    """Return what the form's boxes hold, in their order; anything may come."""
    act, target, system, organisation, reason, is_sure = given
    return Request(
        act=_text(act),
        target=_text(target),
        system=_text(system),
        organisation=_text(organisation),
        reason=_text(reason),
        is_sure=is_sure is True,
    )


def _door(gr: Any, context: Context) -> tuple[Any, Any]:
    with gr.Row(elem_classes=["cb-form", "cb-door"]):
        key = gr.Textbox(
            label="Operator's key",
            type="password",
            max_lines=1,
            max_length=_SECRET,
            elem_id="operator-key",
            visible=context.operator is not None,
        )
        show = gr.Button(
            "Open",
            elem_id="operator-show",
            variant="secondary",
            scale=0,
            min_width=120,
            visible=context.operator is not None,
        )
        if context.identity.has_sign_in and context.operators:
            people_form.sign_in_button(gr)
    return key, show


def _form(gr: Any) -> tuple[list[Any], Any]:
    """Return the boxes in the order of `request_of`, and the button."""
    gr.HTML(el("h2", "Act"), **_INNER)
    meant = shell.facts([(one.label, one.meaning) for one in words.ACTS.values()])
    gr.HTML(el("details", el("summary", "What each of these does"), meant, id="operator-meaning"), **_INNER)
    choices = [(one.label, name) for name, one in words.ACTS.items()]
    act = gr.Radio(choices, value=None, label="What", elem_id="operator-act")
    target = gr.Textbox(
        label="Submission, or account to ban", max_lines=1, max_length=_SECRET, elem_id="operator-target"
    )
    with gr.Row():
        system = gr.Textbox(label="New name, to rename", max_lines=1, max_length=64, elem_id="operator-system")
        organisation = gr.Textbox(
            label="New organisation, to rename", max_lines=1, max_length=80, elem_id="operator-organisation"
        )
    reason = gr.Textbox(
        label="Why, in one sentence; it is public", max_lines=2, max_length=MAX_REASON, elem_id="operator-reason"
    )
    sure = gr.Checkbox(label="I have read what it is and mean it", value=False, elem_id="operator-sure")
    do = gr.Button("Do it", elem_id="operator-do", variant="primary")
    return [act, target, system, organisation, reason, sure], do


def _text(given: Any) -> str:
    return given if isinstance(given, str) else ""
