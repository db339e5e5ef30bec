"""The site as one ASGI application: health, media and downloads first, then the Gradio pages."""

import warnings
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from evaluation.judge.spend import load_prices
from leaderboard import media, ui
from leaderboard.catalogue import catalogue
from leaderboard.context import Context, make_context
from leaderboard.corpora import corpus_of
from leaderboard.identity import identity_of
from leaderboard.operator_door import OperatorDoor
from leaderboard.protocols import find
from leaderboard.settings import OAuthSettings, Settings
from leaderboard.sign_in import add_sign_in
from leaderboard.stores import published_files, work_store
from leaderboard.uploads import UploadGate
from submissions.quota import Limits as Quota
from submissions.version import VERSION


def build_site(settings: Settings) -> FastAPI:
    """Return the application of the site that `settings` describe; nothing is started yet."""
    protocol = find(settings, settings.protocol)
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
            identity=identity_of(settings),
            quota=Quota(person=settings.weekly_person, organisation=settings.weekly_organisation),
        ),
        oauth=settings.oauth,
        site_url=settings.site_url,
    )


def mount(context: Context, *, oauth: OAuthSettings | None = None, site_url: str = "") -> FastAPI:
    """Return the application of one context.

    Args:
        context: the site.
        oauth: how people sign in; None: nobody can.
        site_url: address that visitors know the site by; empty for the one that each asks by.
    """
    import gradio
    from gradio.utils import get_upload_folder

    # Gradio says this of every multi-page app that is mounted, whatever ssr_mode is.
    warnings.filterwarnings("ignore", message="SSR mode is not supported", category=UserWarning)
    site = FastAPI(title="Castboard", docs_url=None, redoc_url=None, openapi_url=None)
    if oauth is not None:
        add_sign_in(site, oauth, site_url=site_url)
    site.include_router(media.router(context))
    zip_bytes = context.archive_limits.zip_bytes
    site.add_middleware(UploadGate, folder=Path(get_upload_folder()), zip_bytes=zip_bytes)

    @site.get("/healthz", include_in_schema=False)
    def healthz() -> dict[str, Any]:
        return {"version": VERSION, "protocols": [protocol.id for protocol in context.protocols]}

    app: FastAPI = gradio.mount_gradio_app(
        site,
        ui.build(context),
        path="/",
        max_file_size=zip_bytes,
        show_error=False,
        footer_links=[],
        ssr_mode=False,
        enable_monitoring=False,
        run_history=False,
        **ui.look(),
    )
    return app
