"""Model files: only the pinned ones, from a folder or from a hub, and nothing outside the folder."""

import hashlib
import json
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evaluation.errors import MissingDependency, ProtocolError, WeightsMismatch
from evaluation.models import folder_of
from evaluation.pins import ModelPin

COMMIT = "a" * 40
FILES = {"config.json": b"{}", "deep/model.safetensors": b"weights"}
PIN = ModelPin(
    kind="transformers_classifier",
    repo="owner/name",
    revision="local",
    files={name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()},
    labels={},
    scale=1.0,
    rate_hz=16_000,
    shortest_s=0.25,
    longest_s=3.0,
    batch_size=1,
    known_accuracy="unknown",
    accuracy_source="a test",
    is_non_commercial=False,
    canary_sha256="0" * 64,
)


def filled(models: Path) -> Path:
    """Return the model's folder with its files."""
    folder = models / "owner--name"
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_full_folder_is_taken(tmp_path) -> None:
    """Whatever else lies there."""
    folder = filled(tmp_path)
    (folder / "other.bin").write_bytes(b"not pinned")
    assert folder_of(PIN, tmp_path) == folder


def test_another_file_is_refused(tmp_path) -> None:
    """It is named with both hashes, and left where it is."""
    folder = filled(tmp_path)
    (folder / "config.json").write_bytes(b"[]")
    with pytest.raises(WeightsMismatch, match=r"owner/name/config\.json") as found:
        folder_of(PIN, tmp_path)
    assert found.value.expected == PIN.files["config.json"]
    assert found.value.got == hashlib.sha256(b"[]").hexdigest()
    assert str(folder) in str(found.value)
    assert (folder / "config.json").read_bytes() == b"[]"


def test_a_local_model_says_which_folder_to_fill(tmp_path) -> None:
    """No hub is asked for it."""
    (filled(tmp_path) / "config.json").unlink()
    with pytest.raises(MissingDependency, match=r"config\.json of owner/name.*copy it into the folder .*owner--name"):
        folder_of(PIN, tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"repo": "../name"},
        {"repo": "/name"},
        {"repo": "a/b/c"},
        {"repo": "a\\b"},
        {"repo": ""},
        {"repo": ".hidden/name"},
        {"files": {}},
        {"files": {"../config.json": "0" * 64}},
        {"files": {"/etc/passwd": "0" * 64}},
        {"files": {"a/./b": "0" * 64}},
        {"files": {"a\\b": "0" * 64}},
        {"files": {"--flag": "0" * 64}},
        {"files": {"config.json": "short"}},
        {"revision": "main"},
        {"revision": "A" * 40},
    ],
)
def test_a_hostile_pin_is_refused(tmp_path, changes: dict) -> None:
    """Names that could leave the folder, or that pin nothing, reach neither disk nor hub."""
    with pytest.raises(ProtocolError, match="is not pinned"):
        folder_of(replace(PIN, **changes), tmp_path / "models")
    assert not (tmp_path / "models").exists()


class Hub(BaseHTTPRequestHandler):
    """Serves the files of one commit as the hub does."""

    def do_HEAD(self) -> None:
        """Answer with the file's headers."""
        self.answer()

    def do_GET(self) -> None:
        """Answer with the file."""
        self.wfile.write(self.answer())

    def answer(self) -> bytes:
        """Send status and headers; return the body."""
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        prefix = f"/owner/name/resolve/{COMMIT}/"
        data = FILES.get(self.path.removeprefix(prefix)) if self.path.startswith(prefix) else None
        self.send_response(404 if data is None else 200)
        if data is None:
            self.send_header("X-Error-Code", "EntryNotFound")
        else:
            self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        return data or b""

    def log_message(self, *args: object) -> None:
        """Stay quiet."""


@pytest.fixture
def hub():
    """Return a running hub on the loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def fetched(models: Path, pin: ModelPin, port: int, *, offline: bool = False) -> str:
    """Call `folder_of` in a process of its own, since the client reads its settings at import; return what it says."""
    code = (
        "import sys, json; from pathlib import Path; from evaluation.codec import from_json\n"
        "from evaluation.models import folder_of; from evaluation.pins import ModelPin\n"
        "from evaluation.errors import CastboardError\n"
        "try: print(folder_of(from_json(ModelPin, json.loads(sys.argv[1])), Path(sys.argv[2])))\n"
        "except CastboardError as error: print(type(error).__name__, error)"
    )
    from evaluation.codec import to_json

    environ = {
        "HF_ENDPOINT": f"http://127.0.0.1:{port}",
        "HF_HOME": str(models / "home"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_OFFLINE": "1" if offline else "0",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PATH": "/usr/bin:/bin",
    }
    told = subprocess.run(
        [sys.executable, "-c", code, json.dumps(to_json(pin)), str(models)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environ,
        cwd=Path(__file__).resolve().parents[2],
    )
    return told.stdout.strip() or told.stderr


def test_missing_files_come_from_the_pinned_commit(tmp_path, hub) -> None:
    """Exactly the pinned files are asked for, at the commit, and they are checked."""
    pin = replace(PIN, revision=COMMIT)
    folder = fetched(tmp_path, pin, hub.server_port)
    assert folder == str(tmp_path / "owner--name")
    assert {name: (Path(folder) / name).read_bytes() for name in FILES} == FILES
    assert {path.partition(f"/resolve/{COMMIT}/")[2] for path in hub.asked} == set(FILES)


def test_a_hub_that_has_another_file_or_none(tmp_path, hub) -> None:
    """Another file is refused; one that is not there, or a client that is offline, gets the command that brings it."""
    other = replace(PIN, revision=COMMIT, files={**PIN.files, "config.json": "0" * 64})
    assert fetched(tmp_path / "a", other, hub.server_port).startswith("ModelMismatch owner/name/config.json")
    absent = replace(PIN, revision=COMMIT, files={"absent.bin": "0" * 64})
    for told in (
        fetched(tmp_path / "b", absent, hub.server_port),
        fetched(tmp_path / "c", absent, hub.server_port, offline=True),
    ):
        assert told.startswith("MissingDependency")
        assert f"hf download owner/name absent.bin --revision {COMMIT}" in told
