"""Bodies and uploads over a real connection: refused before they are read, cut where they break a limit, tidied up."""

import dataclasses
import http.client
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from leaderboard import settings
from leaderboard.context import Context
from leaderboard.gates.limits import WEB_LIMITS, WebLimits
from leaderboard.gates.order import Reach
from leaderboard.gates.uploads import remove_old
from leaderboard.site import mount
from submissions.archive import ARCHIVE_LIMITS
from tests.leaderboard.gates.serving import Strangers, ask, served

ZIP_BYTES = 200_000
MOST = ZIP_BYTES + WEB_LIMITS.upload_slack_bytes
UPLOAD = "/gradio_api/upload"
HASTY = dataclasses.replace(
    WEB_LIMITS, upload_stall_s=0.2, upload_grace_s=0.2, body_s=0.2, n_uploads=2, n_uploads_visitor=1
)


@contextmanager
def _site(context: Context, folder: Path, limits: WebLimits = WEB_LIMITS) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", "")
        settings.keep_uploads_in(folder)
        small = dataclasses.replace(context, archive_limits=dataclasses.replace(ARCHIVE_LIMITS, zip_bytes=ZIP_BYTES))
        with served(mount(small, reach=Reach(limits=limits, is_behind_proxy=True))) as address:
            yield address


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the uploads."""
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="module")
def address(lone: Context, folder: Path) -> Iterator[str]:
    """A site whose largest zip has 200 kB."""
    with _site(lone, folder) as address:
        yield address


@pytest.fixture(scope="module")
def hasty(lone: Context, folder: Path) -> Iterator[str]:
    """The same site with no patience."""
    with _site(lone, folder, HASTY) as address:
        yield address


def _head(path: str, *lines: str, method: str = "POST") -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: x", *lines, "", "")).encode()


def _form(*parts: tuple[str, bytes]) -> bytes:
    """Return a multipart body; each part is its Content-Disposition and its data."""
    told = b"".join(
        f"--b\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + data + b"\r\n" for head, data in parts
    )
    return told + b"--b--\r\n"


FORM = "Content-Type: multipart/form-data; boundary=b"
ZIP = 'name="files"; filename="a.zip"'


def _sent(address: str, body: bytes, *lines: str) -> bytes:
    return ask(address, _head(UPLOAD, FORM, *lines, "Connection: close") + body)


def _status(told: bytes) -> int:
    return int(told.split(b" ", 2)[1])


def _kept(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


@pytest.fixture(autouse=True)
def _tidy(folder: Path) -> Iterator[None]:
    yield
    for file in _kept(folder):
        file.unlink()


def test_an_upload_that_is_too_large_is_refused_before_it_comes(address: str) -> None:
    """One byte over the limit: 413 with a sentence and not one byte of the body sent."""
    told = ask(address, _head(UPLOAD, FORM, f"Content-Length: {MOST + 1}"))
    assert _status(told) == 413 and b"larger than the" in told


def test_an_upload_without_a_length_is_counted_and_cut(address: str, folder: Path) -> None:
    """Chunks without an end stop at the limit, and nothing of them stays."""
    piece = b"x" * 50_000
    begin = _form((ZIP, b""))[:-9]
    chunks = b"".join(f"{len(one):x}\r\n".encode() + one + b"\r\n" for one in (begin, *[piece] * 8))
    told = ask(address, _head(UPLOAD, FORM, "Transfer-Encoding: chunked") + chunks)
    assert _status(told) == 413 and b"larger than the" in told
    assert not _kept(folder)


def test_a_chunked_upload_that_fits_is_taken(address: str, folder: Path) -> None:
    """A length is not needed."""
    body = _form((ZIP, b"PK" * 1_000))
    told = _sent(address, f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n", "Transfer-Encoding: chunked")
    assert _status(told) == 200
    assert [file.name for file in _kept(folder)] == ["a.zip"]


@pytest.mark.parametrize("length", ["-1", "1e3", "+5", "0x10", "１", "99999999999999999999999"])
def test_a_length_that_is_none_is_refused(address: str, length: str) -> None:
    """Whatever it says, the answer is a refusal and not an error."""
    assert _status(
        ask(address, _head(UPLOAD, FORM).removesuffix(b"\r\n") + f"Content-Length: {length}\r\n\r\n".encode())
    ) in (400, 413)


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        (((ZIP, b"a"), (ZIP, b"b")), 413),
        ((('name="note"', b"x" * 100),), 400),
        ((('name="files"', b"x" * 100),), 400),
        ((('name="other"; filename="a.zip"', b"x"),), 400),
        (((f'name="files"; filename="{"n" * 5_000}"', b"x"),), 400),
    ],
    ids=["two files", "a field", "no file name", "another field", "a long head"],
)
def test_only_one_file_and_nothing_beside_it(
    address: str, folder: Path, parts: tuple[tuple[str, bytes], ...], status: int
) -> None:
    """Gradio takes a thousand files, and keeps fields in memory; here it never sees them, and nothing stays."""
    body = _form(*parts)
    told = _sent(address, body, f"Content-Length: {len(body)}")
    assert _status(told) == status and b"upload" in told
    assert not _kept(folder)


@pytest.mark.parametrize("name", ["", "..", "/", "a\\b", "\x00.zip", "ä" * 120 + ".zip", "CON", "-rf"])
def test_no_name_of_a_file_is_an_error(address: str, folder: Path, name: str) -> None:
    """It is taken under a name that can be, or refused; it never lies outside the folder."""
    body = _form((f'name="files"; filename="{name}"', b"x"))
    told = _sent(address, body, f"Content-Length: {len(body)}")
    assert _status(told) in (200, 400)
    assert all(file.is_relative_to(folder) for file in _kept(folder))


def test_a_sender_that_goes_away_leaves_nothing(address: str, folder: Path) -> None:
    """Half an upload is removed as soon as its connection is gone, and its place is free."""
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as line:
        line.sendall(_head(UPLOAD, FORM, "Content-Length: 100000") + _form((ZIP, b"x" * 5_000))[:-9])
        _until(lambda: bool(_kept(folder)))
    _until(lambda: not _kept(folder))


def _until(condition) -> None:
    """Give the processor away until the condition holds, or fail after a long time."""
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up, "the condition never held"
        os.sched_yield()


def test_a_slow_upload_ends(hasty: str, folder: Path) -> None:
    """One that stops and one that drips are both told, cut and tidied."""
    stopped = ask(hasty, _head(UPLOAD, FORM, "Content-Length: 100000") + _form((ZIP, b"x"))[:-9])
    assert _status(stopped) == 408 and b"too slowly" in stopped
    dripped = _dripped(hasty, _head(UPLOAD, FORM, "Content-Length: 100000") + _form((ZIP, b"x"))[:-9])
    assert _status(dripped) == 408
    assert not _kept(folder)


def _dripped(address: str, begin: bytes) -> bytes:
    """Send the begin of a request, then one byte at a time until an answer comes."""
    host, _, port = address.removeprefix("http://").partition(":")
    done = threading.Event()
    with socket.create_connection((host, int(port)), timeout=20) as line:
        line.sendall(begin)

        def drip() -> None:
            while not done.wait(0.01):
                try:
                    line.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        told = line.recv(65_536)
        done.set()
        thread.join()
    return told


def test_a_slow_body_of_any_other_request_ends(hasty: str) -> None:
    """Nobody holds a handler by sending half a request."""
    told = ask(
        hasty, _head("/gradio_api/run/predict", "Content-Type: application/json", "Content-Length: 50") + b'{"da'
    )
    assert _status(told) == 408


def test_one_visitor_never_holds_all_places(hasty: str) -> None:
    """A second upload from one address waits; from another it comes in, until all places are taken."""
    host, _, port = hasty.removeprefix("http://").partition(":")
    begin = _form((ZIP, b""))[:-9]

    def open_one(visitor: str) -> socket.socket:
        line = socket.create_connection((host, int(port)), timeout=20)
        line.sendall(_head(UPLOAD, FORM, "Content-Length: 100000", f"X-Forwarded-For: {visitor}") + begin)
        return line

    with open_one("8.8.8.8") as held, httpx.Client(base_url=hasty) as client:
        again = client.post(UPLOAD, files={"files": ("a.zip", b"x")}, headers={"X-Forwarded-For": "8.8.8.8"})
        assert again.status_code == 503 and again.headers["retry-after"] and "from here" in again.text
        other = client.post(UPLOAD, files={"files": ("a.zip", b"x")}, headers={"X-Forwarded-For": "9.9.9.9"})
        assert other.status_code == 200
        held.recv(1_000)


def test_no_more_is_promised_than_there_is_room(lone: Context, folder: Path) -> None:
    """What lies here, what is on its way and what a sender tells of count together; everything else goes on."""
    with _site(lone, folder, dataclasses.replace(WEB_LIMITS, room=1)) as address:
        (folder / "lies").write_bytes(b"x" * (ZIP_BYTES + 1))
        told = ask(address, _head(UPLOAD, FORM, f"Content-Length: {MOST}", "Connection: close"))
        assert _status(told) == 507 and b"no room" in told and b"retry-after: 3600" in told.lower()
        assert httpx.get(f"{address}/healthz").status_code == 200


def test_requests_in_one_line_are_answered_in_turn(address: str) -> None:
    """Pipelined requests get an answer each; a body that was cut ends the line, so that its rest is no request."""
    both = ask(address, _head("/healthz", method="GET") + _head("/healthz", "Connection: close", method="GET"))
    assert both.count(b"HTTP/1.1 200 ") == 2
    smuggled = _head("/gradio_api/run/x", f"Content-Length: {WEB_LIMITS.body_bytes + 1}") + _head(
        "/healthz", method="GET"
    )
    told = ask(address, smuggled)
    assert told.count(b"HTTP/1.1 ") == 1 and _status(told) == 413
    twice = _head("/healthz", "Content-Length: 5", "Transfer-Encoding: chunked", method="GET") + b"0\r\n\r\n"
    assert ask(address, twice + _head("/healthz", "Connection: close", method="GET")).count(b"HTTP/1.1 200 ") <= 2


def test_a_body_may_be_as_large_as_the_limit(address: str) -> None:
    """The largest body is read, and refused for what it says."""
    with httpx.Client(base_url=address, auth=Strangers()) as client:
        body = b'{"data": "' + b"x" * (WEB_LIMITS.body_bytes - 12) + b'"}'
        answer = client.post("/gradio_api/run/predict", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422 and len(body) == WEB_LIMITS.body_bytes


def test_a_refused_upload_is_heard_by_a_client_that_asks_first(address: str) -> None:
    """`Expect: 100-continue`, as curl sends it with large bodies: the refusal comes in place of the go-ahead."""
    host, _, port = address.removeprefix("http://").partition(":")
    line = http.client.HTTPConnection(host, int(port), timeout=20)
    line.putrequest("POST", UPLOAD)
    line.putheader("Content-Length", str(MOST + 1))
    line.putheader("Content-Type", "multipart/form-data; boundary=b")
    line.putheader("Expect", "100-continue")
    line.endheaders()
    assert line.getresponse().status == 413
    line.close()


def test_old_uploads_go_with_their_folders_and_new_ones_stay(tmp_path: Path) -> None:
    """What was broken off or never sent is removed after its time."""
    for name, written_at in (("old/a.zip", 1.0), ("new/b.zip", None), ("both/c.zip", 1.0), ("both/d.zip", None)):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"x")
        if written_at is not None:
            os.utime(file, (written_at, written_at))
    remove_old(tmp_path, older_than_s=WEB_LIMITS.upload_kept_s)
    assert sorted(str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*")) == [
        "both",
        "both/d.zip",
        "new",
        "new/b.zip",
    ]


def test_uploads_are_swept_without_another_upload(lone: Context, folder: Path) -> None:
    """An unclaimed upload goes by itself."""
    old = folder / "hash" / "old.zip"
    old.parent.mkdir(exist_ok=True)
    old.write_bytes(b"x")
    os.utime(old, (1.0, 1.0))
    with _site(lone, folder):
        _until(lambda: not old.exists())
