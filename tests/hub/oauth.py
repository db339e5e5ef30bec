"""Sign-in with an account of the double, as OpenID Connect asks: an account that was named before consents at once."""

import base64
import binascii
import hashlib
import secrets
import time
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.hub.people import User, claims_of
from tests.hub.state import State, refused, state_of, user_of

CLIENT_ID = "castboard-test"
CLIENT_SECRET = "secret-of-the-test-site"
_LASTS_S = 8 * 3600
_CODES: dict[tuple[str, str], tuple[str, str, str]] = {}


@lru_cache(maxsize=1)
def _key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "double", "use": "sig", "alg": "RS256"})


async def metadata(request: Request) -> Response:
    """Tell where everything of the sign-in is."""
    base = state_of(request).endpoint
    return JSONResponse(
        {
            "issuer": base,
            "authorization_endpoint": f"{base}/oauth/authorize",
            "token_endpoint": f"{base}/oauth/token",
            "userinfo_endpoint": f"{base}/oauth/userinfo",
            "jwks_uri": f"{base}/oauth/jwks",
            "scopes_supported": ["openid", "profile", "email", "read-repos", "write-repos"],
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }
    )


async def authorize(request: Request) -> Response:
    """Send the browser back with a code."""
    hub, asked = state_of(request), request.query_params
    if asked.get("client_id") != CLIENT_ID or asked.get("response_type") != "code":
        raise refused(400, "", "unknown client or response type")
    answer = {"state": asked.get("state", "")}
    user = hub.people.named(hub.people.consenting)
    if user is None:
        answer["error"] = "access_denied"
    else:
        code = secrets.token_urlsafe(16)
        _CODES[hub.endpoint, code] = (user.name, asked.get("nonce", ""), asked["redirect_uri"])
        answer["code"] = code
    sign = "&" if "?" in asked["redirect_uri"] else "?"
    return RedirectResponse(asked["redirect_uri"] + sign + urlencode(answer), 302)


async def token(request: Request) -> Response:
    """Exchange a code for a token."""
    hub = state_of(request)
    form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
    if _client(request, form) != (CLIENT_ID, CLIENT_SECRET):
        return JSONResponse({"error": "invalid_client"}, 401)
    name, nonce, redirect = _CODES.pop((hub.endpoint, form.get("code", "")), ("", "", ""))
    user = hub.people.named(name)
    if user is None or form.get("redirect_uri") != redirect:
        return JSONResponse({"error": "invalid_grant"}, 400)
    access = f"hf_oauth_{secrets.token_hex(12)}"
    hub.people.add(user, access)
    return JSONResponse(
        {
            "access_token": access,
            "token_type": "bearer",
            "expires_in": _LASTS_S,
            "scope": "openid profile",
            "id_token": id_token(hub, user, nonce, access),
        }
    )


async def userinfo(request: Request) -> Response:
    """Tell who has a token."""
    user = user_of(request)
    if user is None:
        raise refused(401, "", "a token is needed")
    return JSONResponse(claims_of(user, state_of(request).endpoint))


async def jwks(request: Request) -> Response:
    """Tell the public key."""
    return JSONResponse({"keys": [_key().as_dict(private=False)]})


def id_token(hub: State, user: User, nonce: str, access: str) -> str:
    """Return the signed statement of who signed in."""
    half = hashlib.sha256(access.encode()).digest()[:16]
    now = int(time.time())
    claims: dict[str, Any] = claims_of(user, hub.endpoint) | {
        "iss": hub.endpoint,
        "aud": CLIENT_ID,
        "iat": now,
        "exp": now + _LASTS_S,
        "at_hash": base64.urlsafe_b64encode(half).decode().rstrip("="),
    }
    return jwt.encode({"alg": "RS256", "kid": "double"}, claims | ({"nonce": nonce} if nonce else {}), _key())


def _client(request: Request, form: dict[str, str]) -> tuple[str, str]:
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return form.get("client_id", ""), form.get("client_secret", "")
    try:
        name, _, secret = base64.b64decode(text).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, secret


ROUTES = [
    Route("/.well-known/openid-configuration", metadata),
    Route("/oauth/authorize", authorize),
    Route("/oauth/token", token, methods=["POST"]),
    Route("/oauth/userinfo", userinfo),
    Route("/oauth/jwks", jwks),
]
