"""Only what was uploaded here is taken for an upload, whatever a browser names."""

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from leaderboard import settings
from leaderboard.context import Context
from leaderboard.gates.events import NO_FILE
from leaderboard.site import mount
from leaderboard.uploads import NotUploaded, accepted, named
from tests.audio_factory import clip_bytes
from tests.submissions.small_evaluation import write_zip

CARD = ["Heron", "1", "Marsh", "a@b.example", "MIT", "", "", "", "", "not said", ""]


@pytest.fixture
def client(empty: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The whole site, with an upload folder of its own."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", "")
    settings.keep_uploads_in(tmp_path / "uploads")
    with TestClient(mount(empty)) as client:
        yield client


def _zip(folder: Path, site: Context) -> Path:
    return write_zip(folder / "mine.zip", {item.id: clip_bytes(at) for at, item in enumerate(site.corpus.items)})


def _press(client: TestClient, upload: object, *, card: list[object] | None = None) -> dict[str, Any]:
    """Press Check only, as a browser does it, and return the last message."""
    config = client.get("/config").json()
    [button] = [one for one in config["dependencies"] if one["api_name"] == "on_check"]
    session = uuid.uuid4().hex
    body = {"data": [upload, *(card or CARD)], "fn_index": button["id"], "session_hash": session}
    joined = client.post("/gradio_api/queue/join", json=body)
    if joined.status_code == 422:
        return {"refused": joined.json()["detail"]}
    assert joined.status_code == 200
    with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
        for line in lines.iter_lines():
            message = json.loads(line.removeprefix("data:")) if line else {}
            if message.get("msg") == "process_completed":
                return message
    raise AssertionError("the queue never answered")


def _file(path: object, **more: object) -> dict[str, object]:
    return {"path": str(path), "meta": {"_type": "gradio.FileData"}, **more}


def test_an_uploaded_zip_is_checked(client: TestClient, empty: Context, tmp_path: Path) -> None:
    """Upload, then the button: the report says clean."""
    data = _zip(tmp_path, empty).read_bytes()
    [path] = client.post("/gradio_api/upload", files={"files": ("mine.zip", data)}).json()
    assert (tmp_path / "uploads" / path).is_file() and not Path(path).is_absolute()
    assert "/" not in path.partition("/")[2] and str(tmp_path) not in path, "it tells nothing of where uploads lie"
    message = _press(client, _file(path))
    assert message["success"] and 'data-result="good"' in message["output"]["data"][0]


@pytest.mark.parametrize("is_stream", [False, True])
def test_another_file_of_this_machine_is_never_read(
    client: TestClient, empty: Context, tmp_path: Path, is_stream: bool
) -> None:
    """The zip of another submission, named by its path, is neither checked nor copied to where it could be fetched."""
    theirs = _zip(tmp_path, empty)
    message = _press(client, _file(theirs, is_stream=is_stream))
    assert "Choose the zip again" in message["refused"]
    assert not list((tmp_path / "uploads").rglob("*.zip"))


@pytest.mark.parametrize("path", ["/dev/zero", "http://192.0.2.1/x.zip", "https://example.org/x.zip", "a\0b", "", "."])
def test_no_field_of_the_form_makes_the_server_read_or_fetch(client: TestClient, path: str) -> None:
    """A file or address in the place of a file or of a text is refused at once, and the site stays up."""
    assert "Choose the zip again" in _press(client, _file(path))["refused"]
    assert "Choose the zip again" in _press(client, None, card=[_file(path), *CARD[1:]])["refused"]
    assert _press(client, path)["refused"] == NO_FILE == _press(client, {"path": path})["refused"]
    assert client.get("/healthz").status_code == 200


def test_buttons_cannot_be_pressed_around_the_queue(client: TestClient) -> None:
    """Checks wait for one another; a direct call is refused."""
    for route in ("run", "api"):
        answer = client.post(f"/gradio_api/{route}/on_check", json={"data": [None, *CARD]})
        assert answer.status_code >= 400


def test_accepted_takes_plain_files_of_the_folder_alone(tmp_path: Path) -> None:
    """No folder, no link that leads out, no way up, no name that cannot be."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "a.zip").write_bytes(b"x")
    (tmp_path / "secret").write_bytes(b"x")
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    assert accepted(str(folder / "a.zip"), folder) == folder / "a.zip" == accepted("a.zip", folder)
    assert named(str(folder / "a.zip"), folder) == "a.zip"
    for bad in (
        folder,
        folder / "link",
        folder / ".." / "secret",
        folder / "pipe",
        folder / "gone",
        "../secret",
        "x\0",
        "x" * 5000,
    ):
        with pytest.raises(NotUploaded, match="Choose the zip again"):
            accepted(str(bad), folder)
