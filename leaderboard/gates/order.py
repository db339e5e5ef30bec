"""Stands the gates before a site in their order: what is cheapest to refuse is refused first, and all of it is signed.

From outside in: faults, headers, [session], rates, origins, bodies, uploads, the site; then, before Gradio alone,
doors and events.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.types import Scope

from leaderboard.gates.bodies import BodyGate
from leaderboard.gates.doors import Doors
from leaderboard.gates.events import EventGate
from leaderboard.gates.faults import FaultGate, speak_for
from leaderboard.gates.headers import HeaderGate
from leaderboard.gates.limits import WEB_LIMITS, WebLimits
from leaderboard.gates.origins import OriginGate
from leaderboard.gates.rates import RateGate
from leaderboard.gates.uploads import UploadGate, sweeping


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How visitors reach a site, and how much each of them may use."""

    site_url: str = ""
    """Address that they know it by; empty: the one that each asks by."""
    is_behind_proxy: bool = False
    """Whether a proxy of ours names their addresses."""
    is_private: bool = False
    """Whether it is for its own machine alone, which it then has to be asked by."""
    limits: WebLimits = WEB_LIMITS
    """How much they may use."""


def person_of_session(scope: Scope) -> str | None:
    """Return the account that the session of a request vouches for, None for nobody."""
    told: object = scope.get("session")
    for key in ("oauth_info", "userinfo", "sub"):
        told = told.get(key) if isinstance(told, dict) else None
    return told if isinstance(told, str) else None


def add_inner_gates(site: FastAPI, reach: Reach, *, uploads: Path, zip_bytes: int) -> None:
    """Stand the gates before a site that go by who asks; a session, if there is one, is added after these.

    Args:
        site: the whole site.
        reach: how visitors reach it.
        uploads: folder that holds what was uploaded.
        zip_bytes: the largest zip that is taken.
    """
    limits, is_behind_proxy = reach.limits, reach.is_behind_proxy
    site.add_middleware(UploadGate, folder=uploads, zip_bytes=zip_bytes, limits=limits, is_behind_proxy=is_behind_proxy)
    site.add_middleware(BodyGate, limits=limits)
    site.add_middleware(OriginGate, site_url=reach.site_url, is_private=reach.is_private)
    site.add_middleware(RateGate, limits=limits, is_behind_proxy=is_behind_proxy, person_of=person_of_session)


def add_outer_gates(site: FastAPI, reach: Reach) -> None:
    """Stand the gates around all others."""
    site.add_middleware(HeaderGate, is_behind_proxy=reach.is_behind_proxy)
    site.add_middleware(FaultGate)
    speak_for(site)


def add_gradio_gates(app: FastAPI, blocks: Any, reach: Reach, *, uploads: Path) -> None:
    """Stand the gates before Gradio's own application.

    Args:
        app: Gradio's application, mounted and not yet started.
        blocks: the gr.Blocks that it shows.
        reach: how visitors reach the site.
        uploads: folder that holds what was uploaded.
    """
    app.add_middleware(EventGate, blocks=blocks, uploads=uploads)
    app.add_middleware(Doors, pages=[page for page, *_ in blocks.pages], is_behind_proxy=reach.is_behind_proxy)
    speak_for(app)


def swept(uploads: Path, reach: Reach) -> Callable[[Any], AbstractAsyncContextManager[None]]:
    """Return the lifespan of a site, during which old uploads are removed from `uploads`."""
    return sweeping(uploads, reach.limits)
