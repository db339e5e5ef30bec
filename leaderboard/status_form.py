"""The status page in Gradio: kept up to date while it is open."""

import hashlib
from typing import Any

from leaderboard import shell
from leaderboard.border import guarded
from leaderboard.markup import el
from leaderboard.pages import status as page
from leaderboard.status_keeper import StatusKeeper
from leaderboard.status_view import Status

REFRESH_S = 5.0
"""How often an open page looks whether anything changed."""
_QUIET = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
_PLAIN = {"apply_default_css": False, "padding": False, "elem_classes": ["cb-html"]}


def build(gr: Any, keeper: StatusKeeper[Status], blocks: Any) -> None:
    """Lay out the page inside the current route; `blocks` is the whole site."""
    block = gr.HTML(el("div", shell.masthead(page.HERE), cls="cb"), elem_id="html-status", **_PLAIN)
    seen = gr.State("")
    timer = gr.Timer(REFRESH_S)

    def show(last: str) -> tuple[Any, str]:
        html = guarded(lambda: page.build(keeper.last()), here=page.HERE)
        digest = hashlib.sha256(html.encode()).hexdigest()
        return (gr.skip(), last) if digest == last else (html, digest)

    blocks.load(show, seen, [block, seen], **_QUIET)
    timer.tick(show, seen, [block, seen], **_QUIET)
