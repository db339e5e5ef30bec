"""Joins the pages into one Gradio app: a route a page, one style, one script. Gradio is loaded by `build` alone."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from leaderboard import (
    as_of,
    duel_form,
    duel_view,
    forms,
    maker_form,
    operator_form,
    people_form,
    plots,
    protocols,
    query,
    sharing,
    shell,
    standings,
    status_form,
    uploads,
    words,
)
from leaderboard.border import guarded
from leaderboard.catalogue import untried
from leaderboard.clips import BLIND_ROUTE
from leaderboard.coming import coming
from leaderboard.context import Context
from leaderboard.evidence import Evidence
from leaderboard.markup import Markup, el
from leaderboard.operator_rights import has_operators
from leaderboard.pages import board, data, duel, listen, matrix, method, parts, queue, submit, system, trait
from leaderboard.pages import log as log_view
from leaderboard.pages.queue import Work
from leaderboard.people_form import Profile
from leaderboard.published import Kept
from leaderboard.query import Query
from leaderboard.status_keeper import StatusKeeper
from leaderboard.status_view import Status, status_of
from leaderboard.trials import load_trials
from leaderboard.turnaround import turnaround
from leaderboard.views import Board
from submissions import queue as line
from submissions.demo.status import read_status
from submissions.worker_status import read_statuses

ASSETS = Path(__file__).resolve().parent.parent / "assets"
TRIALS = ASSETS / "instrument_trials.json"
N_KEPT = 12
"""Built pages that are kept of each kind; the largest has about 1 MiB."""
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

    pages: Mapping[str, Callable[[Context, Query], Markup]] = {
        "/matrix": matrix_page,
        "/listen": listen_page,
        "/system": system_page,
        "/method": method_page,
        "/data": data_page,
        "/log": log_page,
    }

    class Site(gr.Blocks):  # type: ignore[misc,name-defined]
        """Gradio's blocks without its own sign-in: `leaderboard.sign_in` has the routes and the session."""

        expects_oauth = False

    with Site(title=words.SITE, analytics_enabled=False, fill_width=True, delete_cache=(3600, 6 * 3600)) as blocks:
        gr.Navbar(visible=False, main_page_name="Board")
        _board(gr, context, blocks)
    for path, make in pages.items():
        with blocks.route(path.strip("/").capitalize(), path):
            _html(gr, context, blocks, path, make)
            if path == matrix.HERE:
                duel_form.build(gr, context, blocks)
            gr.HTML(shell.footer(), **_PLAIN)
    with blocks.route("Submit", "/submit"):
        _submit(gr, context, blocks)
        forms.build(gr, context, blocks)
        gr.HTML(shell.footer(), **_PLAIN)
    with blocks.route("Queue", "/queue"):
        _queue(gr, context, blocks)
        maker_form.build(gr, context, blocks)
        gr.HTML(shell.footer(), **_PLAIN)
    with blocks.route("Status", "/status"):
        status_form.build(gr, status or StatusKeeper(partial(status_of, context)), blocks)
        gr.HTML(shell.footer(), **_PLAIN)
    with blocks.route("Operator", "/operator"):
        operator_form.build(gr, context, blocks)
        gr.HTML(shell.footer(), **_PLAIN)
    people_form.keep_private(blocks)
    uploads.seal(blocks)
    return blocks


def look() -> dict[str, Any]:
    """Return the options of `gr.mount_gradio_app` that make the look: theme, style, script; no foreign host."""
    import gradio as gr

    sans = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Noto Sans", "sans-serif")
    mono = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")
    theme = gr.themes.Base(primary_hue="teal", neutral_hue="stone", radius_size="sm", font=sans, font_mono=mono)
    style = (ASSETS / "board.css").read_text(encoding="utf-8")
    (script,) = scripts()
    head = f'<meta name="color-scheme" content="light dark"><script>{script}</script>'
    return {"theme": theme, "css": style, "head": head}


def scripts() -> tuple[str, ...]:
    """Return the scripts that the pages bring beside Gradio's, as they are run."""
    return ((ASSETS / "board.js").read_text(encoding="utf-8"),)


def board_page(context: Context, asked: Query) -> Markup:
    """Return the board page of an address."""
    found = context.published.board(query.one(asked, "protocol"))
    state = query.read_board(asked, standings.columns(found))
    boards = context.published.boards()
    name = query.one(asked, "trait")
    if name in found.protocol.dimensions and found.rows:
        return _trait_page(context, found, boards, name)
    beside = context.derived.beside(found, context.corpus)
    return board.build(found, boards, state, coming=coming(context), beside=beside)


def _trait_page(context: Context, found: Board, boards: Sequence[Board], name: str) -> Markup:
    rows = trait.shown(found, name)
    names = [row.submission for row in rows]
    return trait.build(
        found,
        boards,
        name,
        card=context.published.cards(found).get(name),
        rows=rows,
        summaries=context.derived.summaries(found, names),
        corrected=context.derived.corrected(found, names, (name,)),
    )


def matrix_page(context: Context, asked: Query) -> Markup:
    """Return the matrix page of an address."""
    found = context.published.board(query.one(asked, "protocol"))
    one, other = query.one(asked, "a"), query.one(asked, "b")
    samples = context.published.samples(found, (one, other)) if one and other else {}
    first_row = _start(found, query.one(asked, "from"), one, 0)
    known = duel_view.duelling(context, found, one, other)
    return matrix.build(
        found,
        context.published.boards(),
        one,
        other,
        samples=samples,
        first_row=first_row,
        first_column=_start(found, query.one(asked, "cols"), other, first_row),
        note=duel.note(found, known) if known else None,
    )


def listen_page(context: Context, asked: Query) -> Markup:
    """Return the listen page of an address."""
    state = query.read_listen(asked)
    found = context.published.board(state.protocol)
    names = [row.submission for row in listen.chosen(found, state)]

    def blind_source(item_id: str, submission: str) -> str:
        return f"{BLIND_ROUTE}/{item_id}/{context.clips.blind_token(item_id, submission)}.flac"

    return listen.build(
        found,
        context.published.boards(),
        context.corpus,
        state,
        samples=context.published.samples(found, names),
        blind_source=blind_source,
        replies=context.derived.replies(found, names),
        anchor_source=lambda item_id: _anchor_source(context, found, item_id),
    )


def _anchor_source(context: Context, found: Board, item_id: str) -> str | None:
    """Return where the anchor's clip of an item is heard; None if the clip that the protocol pins is not published."""
    judge = found.protocol.judge
    if judge is None:
        return None
    home, row = context.published.home_of(judge.anchor.submission, found.protocol_id)
    detail = context.published.detail(home, judge.anchor.submission) if row else None
    sample = detail.samples.get(item_id) if detail else None
    sha256 = judge.anchor.clips.get(item_id)
    if sample is None or sha256 is None or sample.clip_sha256 != sha256:
        return None
    return parts.clip_address(judge.anchor.submission, item_id, sha256)


def system_page(context: Context, asked: Query) -> Markup:
    """Return the page of the system that an address names."""
    submission = query.one(asked, "id")
    found, row = context.published.home_of(submission, query.one(asked, "protocol"))
    detail = context.published.detail(found, submission) if row else None
    if row is None or detail is None:
        return system.absent(found, context.published.boards(), submission, context.moderated.sentence(submission))
    return system.build(
        found,
        context.published.boards(),
        context.corpus,
        row,
        detail,
        beside=context.derived.beside(found, context.corpus),
        corrected=context.derived.corrected(found, (submission,)).get(submission, {}),
        has_operators=has_operators(context),
    )


def log_page(context: Context, _: Query) -> Markup:
    """Return the page with the public log of the operators' acts."""
    return log_view.build(context.moderated.entries())


def method_page(context: Context, asked: Query) -> Markup:
    """Return the method page of an address."""
    found = context.published.board(query.one(asked, "protocol"))
    evidence = Evidence(
        trials=load_trials(TRIALS),
        cards=context.published.cards(found),
        people=context.published.people(found),
        ceiling=context.derived.ceiling(found, context.corpus),
        prices=context.judge_prices,
        untried=untried(context.candidates),
    )
    return method.build(found, context.published.boards(), evidence)


def data_page(context: Context, asked: Query) -> Markup:
    """Return the page about reading the board by machine."""
    return data.build(context.published.board(query.one(asked, "protocol")), context.published.boards())


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


def submit_page(context: Context, *, is_expected: bool = True) -> Markup:
    """Return what stands above the form of the submit page.

    Args:
        context: the site.
        is_expected: whether to say how long it takes, for which the queue is read.
    """
    protocol = context.protocols[0]
    expected = turnaround(line.load_all(context.store), protocol.id) if is_expected else None
    return submit.build(context.corpus, context.clip_limits, context.archive_limits, protocol, expected)


def _board(gr: Any, context: Context, blocks: Any) -> None:
    _html(gr, context, blocks, "/", board_page)
    figures: Kept[Any] = Kept(4)
    with gr.Column(elem_classes=["cb-figure"]):
        plot = gr.Plot(show_label=False, container=False, visible=False, elem_id="board-forest")
    gr.HTML(shell.footer(), **_PLAIN)

    def draw(request: gr.Request) -> Any:
        found = context.published.board(query.one(request.query_params, "protocol"))
        if not found.rows or query.one(request.query_params, "trait"):
            return gr.skip()
        figure = figures.get(found.protocol_id, found.revision, lambda: plots.forest(found))
        return gr.update(value=figure, visible=True)

    blocks.load(draw, None, plot, **_QUIET)


def _html(gr: Any, context: Context, blocks: Any, path: str, make: Callable[[Context, Query], Markup]) -> None:
    """Add one HTML block that is made from the address whenever the page is loaded; the last ones are kept."""
    kept: Kept[Markup] = Kept(N_KEPT)
    block = gr.HTML(_before(path), elem_id=f"html{path.replace('/', '-').rstrip('-')}", **_PLAIN)

    def show(request: gr.Request) -> str:
        asked = dict(request.query_params)
        key = (path, tuple(sorted(asked.items())))

        def built() -> Markup:
            beside = "".join(context.published.beside_revision(found) for found in context.published.boards())
            revision = context.published.revision() + beside + context.moderated.revision()
            revision += coming(context) if path == board.HERE else ""
            return kept.get(key, revision, lambda: make(context, asked))

        page = as_of.above(guarded(built, here=path), context.files.health())
        return sharing.embedded(Markup(page), path, asked) if sharing.is_embedded(asked) else page

    blocks.load(show, None, block, **_QUIET)


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


def _start(found: Board, given: str, picked: str, otherwise: int) -> int:
    """Return where one side of the matrix begins: as the address says, else where the picked system is, else there."""
    place = int(given) if given.isascii() and given.isdecimal() else -1
    if place < 0:
        place = next((at for at, row in enumerate(found.rows) if row.submission == picked), otherwise)
    return place // matrix.N_SHOWN * matrix.N_SHOWN if place < len(found.rows) else 0
