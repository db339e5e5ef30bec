"""Every endpoint of the whole site, called directly by a stranger with nothing, nonsense, and far too much."""

import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from leaderboard import settings, words
from leaderboard.context import Context
from leaderboard.derive.keeper import FOLDER
from leaderboard.gates.limits import WEB_LIMITS
from leaderboard.gates.order import Reach
from leaderboard.look import plotly_address
from leaderboard.reading.pages import PAGES
from leaderboard.site import mount
from tests.leaderboard.gates.serving import Strangers, ask, routes_of, served

SHUT = frozenset({404, 405})
READ = frozenset({200, 304, 403, 404, 405, 406, 416, 422})
PAGE = frozenset({200, 301, 307})
EVENT = frozenset({200, 400, 404, 405, 422})
PROTOCOL = frozenset({200, 202, 400, 404, 405, 406, 415, 421, 422})
"""Answers of the tools for programs."""

TABLE: dict[str, frozenset[int]] = {
    # Ours.
    "/media/clip/{submission}/{item_id}/{digest}.flac": READ,
    "/media/blind/{item_id}/{token}.flac": READ,
    "/media/contour/{submission}/{item_id}/{digest}.json": READ,
    "/media/blind-contour/{item_id}/{token}.json": READ,
    "/media/vote/{sealed}.flac": READ,
    "/vote": READ,
    "/download/samples/{protocol}/{submission}.{kind}": READ,
    "/download/board/{protocol}.csv": READ,
    "/download/results/{protocol}/{submission}.json": READ,
    "/download/system/{submission}.json": READ,
    "/download/protocol/{protocol}.json": READ,
    "/download/instrument/{protocol}/{trait}.json": READ,
    "/download/resamples/{protocol}/{a}/{b}.csv": READ,
    "/download/prompts.jsonl": READ,
    "/download/prompts.csv": READ,
    "/download/eval-results/{submission}.yaml": READ,
    "/figure/{file}": READ,
    "/published/index.json": READ,
    "/published/{path:path}": READ,
    "/badge/{submission}.svg": READ,
    "/feed.xml": READ,
    "/healthz": READ,
    "/api/v1/": READ,
    "/api/v1/protocols": READ,
    "/api/v1/protocols/{protocol}": READ,
    "/api/v1/systems": READ,
    "/api/v1/systems/{submission}": READ,
    "/api/v1/leaderboard": READ,
    "/api/v1/decisions": READ,
    "/api/v1/clips/{submission}/{item_id}": READ,
    "/api/v1/per-sample": READ,
    "/api/v1/replies": READ,
    "/api/v1/votes": READ,
    "/api/v1/votes/pairs": READ,
    "/api/v1/openapi.json": READ,
    "/api/v1/docs": READ,
    "/mcp": PROTOCOL,
    "/look/{digest}/{name}": READ,
    plotly_address(): READ,
    **{page.path: READ for page in PAGES},
    # Gradio's that the pages use.
    "/config": READ,
    "/static/{path:path}": READ,
    "/assets/{path:path}": READ,
    "/favicon.ico": READ,
    "/theme.css": READ,
    "/robots.txt": READ,
    "/gradio_api/info": READ,
    "/gradio_api/heartbeat/{session_hash}": READ,
    "/gradio_api/run/{api_name}": EVENT,
    "/gradio_api/call/{api_name}": EVENT,
    "/gradio_api/call/{api_name}/{event_id}": EVENT,
    "/gradio_api/queue/join": EVENT,
    "/gradio_api/queue/data": EVENT,
    "/gradio_api/cancel": EVENT,
    "/gradio_api/reset": EVENT,
    "/gradio_api/upload": EVENT,
    "/gradio_api/upload_progress": EVENT,
    # Gradio's that nothing here uses.
    "/openapi.json": SHUT,
    "/login": SHUT,
    "/logout": SHUT,
    "/svelte/{path:path}": SHUT,
    "/pwa_icon": SHUT,
    "/pwa_icon/{size}": SHUT,
    "/manifest.json": SHUT,
    "/monitoring": SHUT,
    "/monitoring/summary": SHUT,
    "/monitoring/{key}": SHUT,
    "/gradio_api/deep_link": SHUT,
    "/gradio_api/user": SHUT,
    "/gradio_api/login_check": SHUT,
    "/gradio_api/token": SHUT,
    "/gradio_api/app_id": SHUT,
    "/gradio_api/dev/reload": SHUT,
    "/gradio_api/runs": SHUT,
    "/gradio_api/openapi.json": SHUT,
    "/gradio_api/custom_component/{id}/{environment}/{type}/{file_name}": SHUT,
    "/gradio_api/proxy={url_path:path}": SHUT,
    "/gradio_api/file={path_or_url:path}": SHUT,
    "/gradio_api/file/{path:path}": SHUT,
    "/gradio_api/stream/{event_id}": SHUT,
    "/gradio_api/stream/{event_id}/close": SHUT,
    "/gradio_api/stream/{session_hash}/{run}/{component_id}/playlist.m3u8": SHUT,
    "/gradio_api/stream/{session_hash}/{run}/{component_id}/{segment_id}.{ext}": SHUT,
    "/gradio_api/stream/{session_hash}/{run}/{component_id}/playlist-file": SHUT,
    "/gradio_api/api/{api_name}": SHUT,
    "/gradio_api/call/v2/{api_name}": SHUT,
    "/gradio_api/call/v2/{api_name}/{event_id}": SHUT,
    "/gradio_api/component_server": SHUT,
    "/gradio_api/queue/status": SHUT,
    "/gradio_api/startup-events": SHUT,
    "/gradio_api/theme.css": SHUT,
    "/gradio_api/process_recording": SHUT,
    "/gradio_api/vibe-edit": SHUT,
    "/gradio_api/undo-vibe-edit": SHUT,
    "/gradio_api/vibe-code": SHUT,
    "/gradio_api/vibe-starter-queries": SHUT,
}
"""What may be answered to a stranger, by the route's path. A new page of ours needs no entry; any other route does."""
METHODS = ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")
STREAMS = (
    "/mcp",
    "/gradio_api/heartbeat/",
    "/gradio_api/queue/data",
    "/gradio_api/upload_progress",
    "/gradio_api/call/",
)
"""Answers without an end: their begin is looked at."""
EVIL = ("../../../../etc/passwd", "http:/127.0.0.1:1/", "%00", "x" * 3_000, "{7*7}<script>")
BODIES: tuple[tuple[str, bytes], ...] = (
    ("", b""),
    ("application/json", b"{"),
    ("application/json", b"[" * 50_000),
    ("application/json", b"null"),
    ("application/json", b'{"data": [], "fn_index": 99999, "session_hash": "aaaaaaaa"}'),
    ("application/json", b'{"data": [{"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}], "fn_index": 0}'),
    ("application/json", b'{"data": [], "fn_index": -1, "session_hash": {"a": 1}, "event_id": []}'),
    ("application/json", b'{"data": "no list", "fn_name": "__init__", "component_id": 1, "session_hash": "\\u0000"}'),
    ("application/x-www-form-urlencoded", b"username=a&password=b&data=%00"),
    ("multipart/form-data", b"no boundary"),
    (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\nno file\r\n--x--\r\n',
    ),
    ("multipart/form-data; boundary=x", b"--x\r\n: \r\n\r\n--x--\r\n"),
    ("\xff\xfe", b"\xff" * 100),
)


@dataclass(frozen=True, slots=True)
class Site:
    """The served site."""

    address: str
    """Where it answers."""
    routes: frozenset[tuple[str, str]]
    """Every route."""
    pages: frozenset[str]
    """Paths of the pages."""
    home: Path
    """Its home."""


@pytest.fixture(scope="module")
def site(six: Context, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with six systems, served over a real connection."""
    uploads = tmp_path_factory.mktemp("uploads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", "")
        settings.keep_uploads_in(uploads)
        app = mount(six, reach=Reach(is_behind_proxy=True))
        routes = routes_of(app)
        pages = frozenset(
            path for _, path in routes if f"{path}/" in {other for _, other in routes} and "_" not in path
        )
        with served(app) as address:
            yield Site(address, routes, pages - {"/login", "/monitoring", "/config"}, six.home)


def _stranger(site: Site) -> httpx.Client:
    """Return a client that no rate stands in the way of."""
    return httpx.Client(base_url=site.address, timeout=20, auth=Strangers())


def _expected(site: Site, path: str) -> frozenset[int] | None:
    bare = path if path in TABLE else path.rstrip("/") or "/"
    return PAGE if bare in site.pages else TABLE.get(bare)


def _files(home: Path) -> set[tuple[str, int, int]]:
    """Return every file but those that can be worked out again at any time, which reading a page may make."""
    found = (Path(folder) / name for folder, _, names in os.walk(home) for name in names)
    kept = (file for file in found if file.relative_to(home).parts[0] != FOLDER)
    return {(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in kept}


def _derived(home: Path) -> set[str]:
    return {str(file.relative_to(home)) for file in (home / FOLDER).rglob("*") if file.is_file()}


def _filled(path: str, value: str) -> str:
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + value.replace("{", "%7B").replace("}", "%7D") + rest.partition("}")[2]
    return path


def _looked_at(client: httpx.Client, method: str, path: str, **more: object) -> tuple[int, str, httpx.Headers]:
    with client.stream(method, path, **more) as answer:  # type: ignore[arg-type]
        if path.startswith(STREAMS) and answer.status_code == 200:
            return 200, "", answer.headers
        return answer.status_code, answer.read().decode(errors="replace"), answer.headers


def _assert_tells_nothing(site: Site, body: str, headers: httpx.Headers) -> None:
    told = body + str(headers)
    for leak in ("Traceback (most", str(site.home), 'File "', "site-packages", "root:x:0", "/tmp/"):
        assert leak not in told
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"]


def test_every_route_stands_in_the_table(site: Site) -> None:
    """A route without an entry is one that nobody has thought about: say above what it may answer."""
    missing = sorted(f"{method} {path}" for method, path in site.routes if _expected(site, path) is None)
    assert not missing, f"add to TABLE in {Path(__file__).name}, and to gates/doors.py if it is Gradio's: {missing}"


def test_every_route_survives_nonsense(site: Site) -> None:
    """Each route, each way: the answer is one of those expected, tells nothing, and nothing on the disk changes.

    Nonsense adds nothing to what is worked out of a board either: it is there after its pages were read once.
    """
    with _stranger(site) as client:
        for path in ("/", "/matrix", "/figures"):
            assert client.get(path).status_code == 200
    worked_out = _derived(site.home)
    before = _files(site.home)
    with _stranger(site) as client:
        for method, path in sorted(site.routes):
            expected = _expected(site, path) or SHUT
            tries = [_filled(path, value) for value in (EVIL if "{" in path else ("",))][
                : 1 if method == "HEAD" else None
            ]
            for at, tried in enumerate(tries):
                bodies = BODIES if method == "POST" and at == 0 else BODIES[:1]
                for kind, body in bodies:
                    headers = {b"content-type": kind.encode("latin-1")} if kind else {}
                    status, told, got = _looked_at(client, method, tried, content=body, headers=headers)
                    assert status in expected | {400, 404, 405}, (
                        method,
                        tried[:80],
                        kind,
                        body[:60],
                        status,
                        told[:300],
                    )
                    assert status < 500
                    if method != "HEAD" and "html" not in got.get("content-type", ""):
                        _assert_tells_nothing(site, told, got)
    assert _files(site.home) == before
    assert _derived(site.home) == worked_out


def test_every_route_refuses_a_body_that_is_too_large(site: Site) -> None:
    """Refused by its length, before one byte of it has come, whatever the method."""
    for at, (method, path) in enumerate(sorted(site.routes)):
        if path.rstrip("/") == "/gradio_api/upload":
            continue
        head = (
            f"{method} {_filled(path, 'a')} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 9.9.9.{at}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {WEB_LIMITS.body_bytes + 1}\r\n\r\n"
        )
        told = ask(site.address, head.encode())
        assert told.startswith(b"HTTP/1.1 413 "), (method, path, told[:200])
        assert b"\r\nconnection: close\r\n" in told.lower()


def test_other_methods_are_refused(site: Site) -> None:
    """No route takes a method that it does not name."""
    with _stranger(site) as client:
        for path, method in zip(sorted({path for _, path in site.routes}), itertools.cycle(METHODS), strict=False):
            answer = client.request(method, _filled(path, "a"))
            assert answer.status_code in (400, 404, 405, 406), (method, path, answer.status_code)
            _assert_tells_nothing(site, answer.text, answer.headers)


def test_what_is_nowhere_is_told_in_our_words(site: Site) -> None:
    """A page for a browser, JSON for a program; neither repeats the address."""
    with _stranger(site) as client:
        page = client.get("/nothing<b>", headers={"accept": "text/html"})
        assert page.status_code == 404 and f"<h1>{words.LOST_TITLE}</h1>" in page.text and "nothing<b>" not in page.text
        told = client.get("/nothing")
        assert json.loads(told.text)["detail"] == "There is nothing at this address."


def test_an_address_without_end_is_no_fault_of_ours(site: Site) -> None:
    """What no page makes is refused with a sentence, at pages, files and uploads alike."""
    with _stranger(site) as client:
        for method, path in (("GET", "/"), ("GET", "/api/v1/systems"), ("POST", "/gradio_api/upload")):
            answer = client.request(method, f"{path}?q={'a' * 60_000}")
            assert answer.status_code == 414 and "longer than any" in answer.text
