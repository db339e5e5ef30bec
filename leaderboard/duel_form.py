"""The duel of the picked pair below the matrix, kept up to date, and the operator's button that orders it."""

import hashlib
import logging
from collections.abc import Callable
from typing import Any

from evaluation.errors import CastboardError
from leaderboard import query, shell
from leaderboard.border import guarded
from leaderboard.context import Context
from leaderboard.duel_view import Duelling, duelling
from leaderboard.duels import board_recipe, estimate_sentence, prepared
from leaderboard.markup import Markup, el, join
from leaderboard.pages import duel as page
from leaderboard.pages import matrix
from leaderboard.query import Query
from leaderboard.views import Board

log = logging.getLogger(__name__)

REFRESH_S = 3.0
"""How often an open page looks how far an ordered duel is."""
_QUIET = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
_PLAIN = {"apply_default_css": False, "padding": False, "elem_classes": ["cb-html", "cb"]}
ORDERED = "It is ordered. A worker takes it up as soon as it is free; this page follows it."
GONE = "The address names no pair that could be judged. Pick a cell of the matrix."


def build(gr: Any, context: Context, blocks: Any) -> None:
    """Lay out the duel, and the form of an operator, inside the current page.

    Args:
        gr: the gradio module.
        context: the site; without an operator's key there is no form.
        blocks: the whole site, for what happens at load.
    """
    block = gr.HTML("", elem_id="html-duel", **_PLAIN)
    seen = gr.State("")
    timer = gr.Timer(REFRESH_S, active=False)
    form, parts = _form(gr, context)

    def show(last: str, request: gr.Request) -> tuple[Any, ...]:
        found = _of_address(context, dict(request.query_params))
        html = guarded(lambda: section(context, *found), here=matrix.HERE) if found else ""
        digest = hashlib.sha256(html.encode()).hexdigest()
        known = found[1] if found else None
        told = gr.skip() if digest == last else html
        active = gr.Timer(active=known is not None and known.is_under_way)
        return told, digest, active, gr.update(visible=known is not None and known.may_be_ordered)

    shown = [block, seen, timer, form]
    blocks.load(show, seen, shown, **_QUIET)
    timer.tick(show, seen, shown, **_QUIET)
    if parts:
        _bind(gr, context, parts, (show, seen, shown))


def section(context: Context, board: Board, known: Duelling, one: str, other: str) -> Markup:
    """Return the panel of a pair's duel."""
    first, second = board.row(one), board.row(other)
    if first is None or second is None:  # withdrawn at this very moment
        return join()
    return page.panel(board, (first, second), known, context.published.samples(board, (one, other)))


def told_estimate(context: Context, asked: Query, key: str) -> tuple[Markup, bool]:
    """Return what the duel of an address would take, and whether it may be ordered; for the operator alone.

    Args:
        context: the site.
        asked: the page's address.
        key: what was typed for the operator's key.
    """
    return _for_operator(context, asked, key, lambda board, one, other: _estimate(context, board, one, other))


def told_order(context: Context, asked: Query, key: str) -> tuple[Markup, bool]:
    """Order the duel of an address; arguments and result as `told_estimate`, True if it was ordered."""

    def order(board: Board, one: str, other: str) -> Markup:
        _estimate(context, board, one, other)  # refuses what a worker could not carry out
        context.duel_orders.place(board.protocol_id, one, other, context.clock())
        log.info("duel.ordered", extra={"protocol": board.protocol_id, "a": one, "b": other})
        return shell.notice(ORDERED, look="good")

    return _for_operator(context, asked, key, order)


def _for_operator(
    context: Context, asked: Query, key: str, act: Callable[[Board, str, str], Markup]
) -> tuple[Markup, bool]:
    refusal = "There is no operator here." if context.operator is None else context.operator.refusal(key)
    if refusal is not None:
        log.info("operator.refused")
        return shell.notice(refusal, look="bad"), False
    try:
        found = _of_address(context, asked)
        if found is None or not found[1].may_be_ordered:
            return shell.notice(GONE if found is None else "It is held or under way already.", look="warn"), False
        board, _, one, other = found
        return act(board, one, other), True
    except CastboardError as error:
        return shell.notice(str(error), look="bad"), False


def _estimate(context: Context, board: Board, one: str, other: str) -> Markup:
    match = prepared(context.files, board.protocol, (one, other), recipe=board_recipe(board.protocol))
    return shell.notice(estimate_sentence(match, context.judge_prices), heading="What it takes")


def _of_address(context: Context, asked: Query) -> tuple[Board, Duelling, str, str] | None:
    board = context.published.board(query.one(asked, "protocol"))
    one, other = query.one(asked, "a"), query.one(asked, "b")
    known = duelling(context, board, one, other)
    return None if known is None else (board, known, one, other)


def _form(gr: Any, context: Context) -> tuple[Any, tuple[Any, ...]]:
    """Return the form's frame and its key box, two buttons and answer; no parts without an operator's key."""
    with gr.Column(visible=False, elem_id="duel-form", elem_classes=["cb-form"]) as form:
        if context.operator is None:
            return form, ()
        gr.HTML(el("h3", "For this board's operator"), **_PLAIN)
        key = gr.Textbox(label="Operator's key", type="password", max_lines=1, max_length=200, elem_id="duel-key")
        with gr.Row(elem_classes=["cb-form-buttons"]):
            ask = gr.Button("What would it take?", elem_id="duel-estimate", variant="secondary")
            order = gr.Button("Order the duel", elem_id="duel-order", variant="primary", interactive=False)
        answer = gr.HTML("", elem_id="duel-answer", **_PLAIN)
    return form, (key, ask, order, answer)


def _bind(gr: Any, context: Context, parts: tuple[Any, ...], after: tuple[Any, ...]) -> None:
    key, ask, order, answer = parts
    show, seen, shown = after
    shared = {"inputs": key, "outputs": [answer, order], "concurrency_id": "operator", "concurrency_limit": 1}
    shared |= {"api_visibility": "private", "show_progress": "minimal"}

    def on_ask(typed: str | None, request: gr.Request) -> tuple[str, Any]:
        told, may_order = told_estimate(context, dict(request.query_params), typed or "")
        return told, gr.update(interactive=may_order)

    def on_order(typed: str | None, request: gr.Request) -> tuple[str, Any]:
        told, _ = told_order(context, dict(request.query_params), typed or "")
        return told, gr.update(interactive=False)

    ask.click(on_ask, **shared)
    order.click(on_order, trigger_mode="once", **shared).then(show, seen, shown, **_QUIET)
