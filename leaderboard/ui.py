"""Joins the pages with forms into one Gradio app, a route a page. Gradio is loaded by `build` alone.

Pages that are only read are in `leaderboard.reading` and never meet Gradio.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

from evaluation.errors import CastboardError
from leaderboard import (
    duel_form,
    forms,
    maker_form,
    operator_form,
    people_form,
    protocols,
    query,
    sharing,
    shell,
    status_form,
    uploads,
    words,
)
from leaderboard import look as files
from leaderboard.border import guarded
from leaderboard.context import Context
from leaderboard.markup import Markup, el
from leaderboard.pages import matrix, queue, submit
from leaderboard.pages.queue import Work
from leaderboard.people_form import Profile
from leaderboard.query import Query
from leaderboard.stamps import Stamps
from leaderboard.status_keeper import StatusKeeper
from leaderboard.status_view import Status, status_of
from leaderboard.turnaround import turnaround
from submissions import queue as line
from submissions.demo.status import read_status
from submissions.worker_status import read_statuses

REFRESH_S = 3.0
"""How often an open queue page looks whether anything changed."""

_QUIET = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
_PLAIN = {"apply_default_css": False, "padding": False, "elem_classes": ["cb-html"]}


def build(context: Context, status: StatusKeeper[Status] | None = None) -> Any:
    """Return the whole site as one gr.Blocks; hand `look` to the mount.

    Args:
        context: the site.
        status: how it is; None for a keeper of its own.
    """
    import gradio as gr

    class Site(gr.Blocks):  # type: ignore[misc,name-defined]
        """Gradio's blocks without its own sign-in: `leaderboard.sign_in` has the routes and the session."""

        expects_oauth = False

    stamped = partial(stamp_line, context, Stamps(context.files))
    with Site(title=words.SITE, analytics_enabled=False, fill_width=True, delete_cache=(3600, 6 * 3600)) as blocks:
        gr.Navbar(visible=False, main_page_name="Board")  # its own main page is never seen: ours answers there
    with blocks.route("Duel", "/duel"):
        gr.HTML(el("div", shell.masthead(matrix.HERE), shell.title(words.DUEL_TITLE), cls="cb"), **_PLAIN)
        duel_form.build(gr, context, blocks)
        _last(gr, blocks, stamped)
    with blocks.route("Submit", "/submit"):
        _submit(gr, context, blocks)
        forms.build(gr, context, blocks)
        _last(gr, blocks, stamped)
    with blocks.route("Queue", "/queue"):
        _queue(gr, context, blocks)
        maker_form.build(gr, context, blocks)
        _last(gr, blocks, stamped)
    with blocks.route("Status", "/status"):
        status_form.build(gr, status or StatusKeeper(partial(status_of, context)), blocks)
        _last(gr, blocks, stamped)
    with blocks.route("Operator", "/operator"):
        operator_form.build(gr, context, blocks)
        _last(gr, blocks, stamped)
    people_form.keep_private(blocks)
    uploads.seal(blocks)
    return blocks


def look() -> dict[str, Any]:
    """Return the options of `gr.mount_gradio_app` that make the look: theme, style, script; no foreign host."""
    import gradio as gr

    sans = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Noto Sans", "sans-serif")
    mono = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")
    theme = gr.themes.Base(primary_hue="teal", neutral_hue="stone", radius_size="sm", font=sans, font_mono=mono)
    script = f'<script type="module" src="{files.look().address("site.js")}"></script>'
    head = f'<meta name="color-scheme" content="light dark">{script}'
    return {"theme": theme, "css": files.text("base.css"), "head": head}


def queue_page(context: Context, asked: Query, profile: Profile | None = None) -> Markup:
    """Return the queue page of an address, as whoever is signed in sees it."""
    states = line.load_all(context.store)
    work = Work(
        states=states,
        workers=read_statuses(context.store),
        demo=read_status(context.home / "demo"),
        protocols={protocol.id: protocol for protocol in protocols.at_home(context.home, context.protocols)},
        default=context.protocols[0].id,
        own=maker_form.own(context, profile, states),
        unpushed=frozenset(one.submission for one in states if not context.store.is_pushed(one.submission)),
    )
    return queue.build(work, query.one(asked, "id"))


def stamp_line(context: Context, stamps: Stamps) -> Markup:
    """Return as of when the board is, and its versions; nothing while it cannot be read, which the page above tells."""
    try:
        return sharing.below_form(stamps.of(context.published.board("")))
    except CastboardError:
        return Markup("")


def submit_page(context: Context, *, is_expected: bool = True) -> Markup:
    """Return what stands above the form of the submit page.

    Args:
        context: the site.
        is_expected: whether to say how long it takes, for which the queue is read.
    """
    protocol = context.protocols[0]
    expected = turnaround(line.load_all(context.store), protocol.id) if is_expected else None
    return submit.build(context.corpus, context.clip_limits, context.archive_limits, protocol, expected)


def _last(gr: Any, blocks: Any, stamped: Callable[[], Markup]) -> None:
    block = gr.HTML("", **_PLAIN)
    gr.HTML(shell.footer(), **_PLAIN)
    blocks.load(stamped, None, block, **_QUIET)


def _submit(gr: Any, context: Context, blocks: Any) -> None:
    block = gr.HTML(submit_page(context, is_expected=False), elem_id="html-submit", **_PLAIN)
    blocks.load(lambda: guarded(lambda: submit_page(context), here=submit.HERE), None, block, **_QUIET)


def _queue(gr: Any, context: Context, blocks: Any) -> None:
    block = gr.HTML(_before(queue.HERE), elem_id="html-queue", **_PLAIN)
    seen = gr.State("")
    timer = gr.Timer(REFRESH_S)

    def show(profile: gr.OAuthProfile | None, last: str, request: gr.Request) -> tuple[Any, str]:
        page = guarded(lambda: queue_page(context, dict(request.query_params), profile), here=queue.HERE)
        digest = hashlib.sha256(page.encode()).hexdigest()
        return (gr.skip(), last) if digest == last else (page, digest)

    blocks.load(show, seen, [block, seen], **_QUIET)
    timer.tick(show, seen, [block, seen], **_QUIET)


def _before(path: str) -> Markup:
    return el("div", shell.masthead(path), cls="cb")
