"""Signing in with an account of an OpenID provider, and the session that tells who did.

The routes are those that Gradio's own button goes to. Gradio would bring routes and a session of its own, which keeps
the provider's tokens in a cookie that overflows for whoever belongs to some organisations, and outside a Space signs
everybody in as the owner of the machine's token. Here the cookie holds what is shown and compared, and no token: the
account, its name, and its organisations. It is signed with a key that follows from the client's secret, so a restart
signs nobody out.
"""

import hmac
import logging
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse

from leaderboard.outside import OAuthSettings

log = logging.getLogger(__name__)

LOGIN, CALLBACK, LOGOUT = "/login/huggingface", "/login/callback", "/logout"
TOLD = "sign-in"
"""Key in a page's address that says why a sign-in came to nothing."""
LASTS_S = 8 * 3600
"""So long a sign-in lasts at most, s; then the provider is asked again who belongs where."""
N_ORGANISATIONS = 60
"""More than these of one person do not fit into a cookie; the first ones by name are kept."""
_SESSION = "oauth_info"
"""Where Gradio looks for who is signed in."""
_TARGET = "target"
_PROVIDER = "provider"
_TIMEOUT_S = 20
_PARTS: Mapping[str, str] = {"/submit": "#submit-who", "/queue": "#yours"}
"""Part of a page that a sign-in is about; on a phone it is far down."""
_LOCAL = re.compile(r"/(?![/\\])[!-~]{0,300}")


def add_sign_in(site: FastAPI, settings: OAuthSettings, *, site_url: str) -> None:
    """Add the routes and the session to a site, before anything is mounted on it.

    Args:
        site: the whole site.
        settings: how people sign in.
        site_url: address that visitors know the site by; empty for the one that each asks by.
    """
    from starlette.middleware.sessions import SessionMiddleware

    is_https = settings.is_framed or site_url.startswith("https:")
    site.add_middleware(
        SessionMiddleware,
        secret_key=hmac.digest(settings.secret.reveal().encode(), b"castboard session 1", "sha256").hex(),
        session_cookie="castboard",
        max_age=LASTS_S,
        same_site="none" if settings.is_framed else "lax",
        https_only=is_https,
        partitioned=settings.is_framed,
    )
    _add_routes(site, _client(settings), site_url)


def _client(settings: OAuthSettings) -> Any:
    from authlib.integrations.starlette_client import OAuth

    oauth = OAuth()
    return oauth.register(
        name=_PROVIDER,
        client_id=settings.client,
        client_secret=settings.secret.reveal(),
        client_kwargs={"scope": settings.scopes, "timeout": _TIMEOUT_S},
        server_metadata_url=f"{settings.provider}/.well-known/openid-configuration",
    )


def _add_routes(site: FastAPI, client: Any, site_url: str) -> None:
    from authlib.common.errors import AuthlibBaseError
    from httpx2 import HTTPError, InvalidURL
    from joserfc.errors import JoseError

    failures = (AuthlibBaseError, HTTPError, InvalidURL, JoseError, KeyError, TypeError, ValueError, RuntimeError)
    """Whatever a provider that is away, or not what it says, makes the client raise."""

    @site.get(LOGIN, include_in_schema=False)
    async def login(request: Request) -> RedirectResponse:
        target = _target(request)
        request.session[_TARGET] = target
        back = f"{site_url}{CALLBACK}" if site_url else str(request.url_for("signed_in"))
        try:
            answer: RedirectResponse = await client.authorize_redirect(request, back)
        except failures as error:
            return _told(target, "away", error)
        return answer

    @site.get(CALLBACK, include_in_schema=False)
    async def signed_in(request: Request) -> RedirectResponse:
        target = str(request.session.pop(_TARGET, "/submit"))
        if request.query_params.get("error") == "access_denied":
            return _told(target, "declined")
        try:
            token = await client.authorize_access_token(request)
            claims = await client.userinfo(token=token)
            if claims["sub"] != token["userinfo"]["sub"]:
                raise ValueError("the provider told of two accounts")
        except failures as error:
            return _told(target, "failed", error)
        ends = min(int(token.get("expires_at") or time.time() + LASTS_S), int(time.time()) + LASTS_S)
        request.session[_SESSION] = {"userinfo": kept_claims(claims), "expires_at": ends}
        log.info("signed.in")
        return RedirectResponse(_part_of(target), status_code=303)

    @site.get(LOGOUT, include_in_schema=False)
    async def logout(request: Request) -> RedirectResponse:
        request.session.clear()
        return RedirectResponse(_target(request), status_code=303)


def kept_claims(claims: dict[str, Any]) -> dict[str, Any]:
    """Return what of an account's claims a session keeps; an organisation that asks for another sign-in is left out."""
    orgs = claims.get("orgs")
    listed = [org for org in orgs if isinstance(org, dict)] if isinstance(orgs, list) else []
    names = {str(org.get("preferred_username", "")) for org in listed if not org.get("securityRestrictions")}
    return {
        "sub": claims["sub"],
        "name": "",
        "preferred_username": claims["preferred_username"],
        "profile": "",
        "picture": "",
        # Gradio's button stumbles over a list in a session; no account's name has a space.
        "orgs": " ".join(sorted(name for name in names if name and " " not in name)[:N_ORGANISATIONS]),
    }


def _target(request: Request) -> str:
    """Return the page of this site that a request wants to come back to."""
    asked = dict(request.query_params)
    page, _, more = asked.pop("_target_url", "/submit").partition("?")
    # Gradio's button puts a whole address into the query, so that its second part stands beside it.
    kept = {key: value for key, value in [*parse_qsl(more), *asked.items()] if key != TOLD}
    target = page + ("?" + urlencode(kept) if kept else "")
    return target if _LOCAL.fullmatch(target) else "/submit"


def _told(target: str, what: str, error: Exception | None = None) -> RedirectResponse:
    if error is not None:
        # What the provider wrote may hold anything; its kind is enough to look further.
        log.warning("sign_in.failed", extra={"stage": what, "kind": type(error).__name__})
    told = target + ("&" if "?" in target else "?") + urlencode({TOLD: what})
    return RedirectResponse(_part_of(told), status_code=303)


def _part_of(target: str) -> str:
    """Return an address of a page as the address of what a sign-in changes on it."""
    return target + ("" if "#" in target else _PARTS.get(target.partition("?")[0], ""))
