"""A stranger fetches a board over HTTP and verifies it from the copy; a lying site writes nothing outside."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI

from leaderboard import media
from leaderboard.context import Context
from submissions.fetch import FetchError, fetch
from submissions.verify import verify
from tests.submissions.small_evaluation import tree


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _served(context: Context) -> Iterator[str]:
    """Serve a context's files with the real server on a free port of this machine."""
    app = FastAPI()
    app.include_router(media.router(context))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    is_up = threading.Event()
    startup = server.startup

    async def started(*args: object, **kwargs: object) -> None:
        await startup(*args, **kwargs)
        is_up.set()

    server.startup = started
    thread = threading.Thread(target=server.run)
    thread.start()
    assert is_up.wait(60)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@contextmanager
def _lying(folder: Path, files: list[Mapping[str, object]], version: int = 1) -> Iterator[str]:
    """Serve a folder with this list of published files."""
    index = folder / "published" / "index.json"
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_text(json.dumps({"schema_version": version, "files": files}))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_fetched_board_is_the_published_one_and_verifies(six: Context, tmp_path: Path) -> None:
    """Every file that verify needs comes over, byte for byte, and a second time nothing is loaded again."""
    with _served(six) as url:
        first = fetch(url, tmp_path / "copy")
        again = fetch(url, tmp_path / "copy")
    report = verify(tmp_path / "copy")
    assert report.is_identical, report.differences[:3]
    assert report.counts.n_rows == 6
    published = tree(six.home / "published")
    assert {path: published.get(path) for path in tree(tmp_path / "copy")} == tree(tmp_path / "copy")
    assert first.n_fetched > 6
    assert again.n_kept + again.n_fetched == first.n_fetched
    assert again.n_kept > again.n_fetched


@pytest.mark.parametrize("path", ["../evil.json", "/etc/evil", "results/../../evil.json", "notes.txt", "board\\evil"])
def test_path_outside_the_layout_is_refused(tmp_path: Path, path: str) -> None:
    """Nothing is written for a list that names anything but the published layout."""
    files = [{"path": path, "bytes": 1, "sha256": None}]
    with _lying(tmp_path / "site", files) as url, pytest.raises(FetchError, match="no path of the published layout"):
        fetch(url, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_file_that_is_not_what_the_list_says_is_refused(tmp_path: Path) -> None:
    """Another hash or length leaves no file behind."""
    content = tmp_path / "site" / "published" / "systems" / "s123456.json"
    content.parent.mkdir(parents=True)
    content.write_text("{}")
    files = [{"path": "systems/s123456.json", "bytes": 2, "sha256": "00"}]
    with _lying(tmp_path / "site", files) as url, pytest.raises(FetchError, match=r"systems/s123456\.json: expected"):
        fetch(url, tmp_path / "copy")
    assert tree(tmp_path / "copy") == {}


def test_unknown_list_is_refused(tmp_path: Path) -> None:
    """A list of another version is not guessed at."""
    with _lying(tmp_path / "site", [], version=9) as url, pytest.raises(FetchError, match="schema_version must be 1"):
        fetch(url, tmp_path / "copy")


def test_silent_site_is_a_sentence(tmp_path: Path) -> None:
    """A site that does not answer is named."""
    with pytest.raises(FetchError, match=r"http://127\.0\.0\.1:9 cannot be fetched"):
        fetch("http://127.0.0.1:9", tmp_path / "copy")


def test_a_site_that_asks_to_wait_is_waited_for(tmp_path: Path) -> None:
    """Too much asked for in a row is no end: the copy goes on when the site says so."""
    asked: list[str] = []

    class Busy(_Quiet):
        def do_GET(self) -> None:
            asked.append(self.path)
            if len(asked) % 2:
                self.send_response(429)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            super().do_GET()

    (tmp_path / "site" / "published").mkdir(parents=True)
    (tmp_path / "site" / "published" / "index.json").write_text(json.dumps({"schema_version": 1, "files": []}))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Busy, directory=str(tmp_path / "site"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        fetched = fetch(f"http://127.0.0.1:{server.server_address[1]}", tmp_path / "copy")
        server.shutdown()
    assert fetched.n_fetched == 0 and len(asked) == 2
