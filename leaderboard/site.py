"""The site as one ASGI application: what is read first, then the pages with forms, which are Gradio's."""

import warnings
from functools import partial
from pathlib import Path

from fastapi import FastAPI
from starlette.routing import Mount

from evaluation.judge.spend import load_prices
from leaderboard import figure_files, look, machine, media, ui, vote_routes, why_downloads
from leaderboard.catalogue import catalogue
from leaderboard.context import Context, make_context
from leaderboard.corpora import corpus_of
from leaderboard.gates.order import Reach, add_gradio_gates, add_inner_gates, add_outer_gates, swept
from leaderboard.gates.packing import PackingGate
from leaderboard.health import health_router
from leaderboard.identity import identity_of
from leaderboard.operator_door import OperatorDoor
from leaderboard.outside import OAuthSettings
from leaderboard.protocols import find
from leaderboard.reading import pages
from leaderboard.reading.router import router as reading_router
from leaderboard.reading.sparing import Sparing
from leaderboard.reading.warm import Warmer
from leaderboard.sessions import keep_little
from leaderboard.settings import Settings
from leaderboard.sign_in import add_sign_in
from leaderboard.status_keeper import StatusKeeper
from leaderboard.status_view import status_of
from leaderboard.stores import published_files, work_store
from submissions.quota import Limits as Quota

HERE = Reach()
"""A site that is asked for directly, by whatever name."""


def build_site(settings: Settings) -> FastAPI:
    """Return the application of the site that `settings` describe; nothing is started yet."""
    protocol = find(settings, settings.protocol)
    identity = identity_of(settings)
    return mount(
        make_context(
            home=settings.home,
            files=published_files(settings),
            store=work_store(settings),
            corpus=corpus_of(settings, protocol),
            protocols=(protocol,),
            operator=OperatorDoor(settings.operator_key) if settings.operator_key else None,
            judge_prices=load_prices(settings.judge_prices),
            candidates=catalogue(settings),
            identity=identity,
            quota=Quota(person=settings.weekly_person, organisation=settings.weekly_organisation),
            operators=settings.operators,
        ),
        oauth=settings.oauth,
        reach=Reach(
            site_url=settings.site_url,
            is_behind_proxy=settings.is_behind_proxy,
            is_private=identity.is_private and not settings.is_behind_proxy,
        ),
        board_repo=settings.hub.board if settings.hub else None,
    )


def mount(
    context: Context, *, oauth: OAuthSettings | None = None, reach: Reach = HERE, board_repo: str | None = None
) -> FastAPI:
    """Return the application of one context.

    Args:
        context: the site.
        oauth: how people sign in; None: nobody can.
        reach: how visitors reach the site.
        board_repo: dataset repo of the published board, "org/name"; None without one.

    Returns:
        The application; `state.warmer` makes its pages ahead once it is started.
    """
    import gradio
    from gradio.utils import get_upload_folder

    # Gradio says this of every multi-page app that is mounted, whatever ssr_mode is.
    warnings.filterwarnings("ignore", message="SSR mode is not supported", category=UserWarning)
    uploads = Path(get_upload_folder())
    site = FastAPI(title="Castboard", docs_url=None, redoc_url=None, openapi_url=None, lifespan=swept(uploads, reach))
    zip_bytes = context.archive_limits.zip_bytes
    add_inner_gates(site, reach, uploads=uploads, zip_bytes=zip_bytes)
    if oauth is not None:
        add_sign_in(site, oauth, site_url=reach.site_url)
    add_outer_gates(site, reach)
    site.include_router(look.router())
    sparing = Sparing(is_behind_proxy=reach.is_behind_proxy)
    reading = reading_router(context, pages.PAGES, site_url=reach.site_url, sparing=sparing)
    site.include_router(reading)
    site.state.warmer = Warmer(context, reading)
    site.include_router(figure_files.router(context, sparing))
    site.include_router(media.router(context))
    site.include_router(vote_routes.router(context, is_behind_proxy=reach.is_behind_proxy))
    site.include_router(why_downloads.router(context, sparing))
    machine.add(site, context, site_url=reach.site_url, board_repo=board_repo)
    site.add_middleware(PackingGate)  # around all, as what is packed cannot be added to

    status = StatusKeeper(partial(status_of, context))
    site.include_router(health_router(status))
    blocks = ui.build(context, status)
    app: FastAPI = gradio.mount_gradio_app(
        site,
        blocks,
        path="/",
        max_file_size=zip_bytes,
        show_error=False,
        footer_links=[],
        ssr_mode=False,
        enable_monitoring=False,
        run_history=False,
        **ui.look(),
    )
    inner = _gradio_of(app)
    add_gradio_gates(inner, blocks, reach, uploads=uploads)
    keep_little(inner, blocks)
    return app


def _gradio_of(site: FastAPI) -> FastAPI:
    """Return Gradio's own application, which it mounts last of all."""
    mounted = site.router.routes[-1]
    if not isinstance(mounted, Mount) or not isinstance(mounted.app, FastAPI):
        raise TypeError(f"Gradio is not where it mounts itself, but {mounted!r}")
    return mounted.app
