"""The real site as a process, full of secrets: none of them, and no place of this machine, comes out anywhere."""

import os
import re
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from evaluation.protocol import encode
from leaderboard import words
from leaderboard.reading.pages import PAGES as READING
from submissions import layout
from tests.leaderboard import cast

ROOT = Path(__file__).resolve().parents[3]
SECRETS = {
    "CASTBOARD_JUDGE_KEY": "canary-judge-5d1c9e",
    "CASTBOARD_OPERATOR_KEY": "canary-operator-77ab",
    "HF_TOKEN": "hf_canaryCanaryCanary",
}
ONE, OTHER = "s00000000001", "s00000000002"
ASKED = f"system={ONE}&id={ONE}&a={ONE}&b={OTHER}&systems={ONE},{OTHER}&row={ONE}&facts=1&item=it-001"
PAGES = (
    *(f"{page.path}?{ASKED}" for page in READING),
    *(f"{page.path}?{ASKED}&part={part}" for page in READING for part in page.parts),
    *(f"/figure/{name}.json?tier=1" for name in words.FIGURES),
    *("/submit", "/queue", "/status", "/vote", "/config", "/healthz"),
)
GATES = ("/nothing", "/gradio_api/file=/etc/passwd", "/gradio_api/proxy=http://127.0.0.1/", "/media/clip/a/b/c.flac")


@dataclass(frozen=True, slots=True)
class Site:
    """The running site."""

    address: str
    """Where it answers."""
    home: Path
    """Its home."""
    process: subprocess.Popen[bytes]
    """Its process."""
    log: Path
    """What it wrote."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with two systems, every secret set, a broken row, and a worker that cannot run."""
    folder = tmp_path_factory.mktemp("canary")
    home = folder / "hidden-home"
    corpus = cast.make_corpus(folder, 12)
    context = cast.make_site(home, cast.SIX[:2], corpus)
    (folder / "protocol.json").write_bytes(encode(context.protocols[0]))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    settings = SECRETS | {
        "CASTBOARD_HOME": str(home),
        "CASTBOARD_PORT": str(port),
        "CASTBOARD_DEMO": "0",
        "CASTBOARD_PROTOCOL": str(folder / "protocol.json"),
        "CASTBOARD_CORPUS": str(folder / "corpus.jsonl"),
    }
    log = folder / "out.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "app.py"], cwd=ROOT, env=os.environ | settings, stdout=subprocess.PIPE, stderr=out
        )
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(b"Ready"):
                break
        protocol = context.protocols[0].id
        damaged = home / "published" / layout.samples_path(protocol, "s00000000001")
        damaged.write_bytes(b"no table")
        yield Site(f"http://127.0.0.1:{port}", home, process, log)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        process.stdout.close()


def _everything(site: Site) -> Iterator[tuple[str, str]]:
    """Give every answer, with what was asked."""
    with httpx.Client(base_url=site.address, timeout=30) as client:
        for path in (*PAGES, *GATES):
            answer = client.get(path)
            yield path, answer.text + str(answer.headers)
        for event in client.get("/config").json()["dependencies"]:
            for query in ({}, {"id": "s00000000001", "a": "s00000000001", "b": "s00000000002"}):
                body = {"data": [None] * len(event["inputs"]), "fn_index": event["id"], "session_hash": "canary"}
                answer = client.post("/gradio_api/run/predict", params=query, json=body)
                yield f"event {event['id']} {event['api_name']} {query}", answer.text + str(answer.headers)
                if event["queue"]:
                    yield f"queued {event['api_name']}", _queued(client, body, query)
        protocol = client.get("/api/v1/protocols").json()
        named = re.search(r"[0-9a-f]{12}", str(protocol))
        assert named is not None
        for kind in ("csv", "json", "parquet"):
            answer = client.get(f"/download/samples/{named[0]}/s00000000001.{kind}")
            yield f"a damaged table as {kind}", answer.text + str(answer.headers)
        answer = client.get(f"/download/resamples/{named[0]}/{ONE}/{OTHER}.csv")
        yield "resamples of a damaged row", answer.text + str(answer.headers)
        for path in ("per-sample", "decisions", "leaderboard", "systems/s00000000001", "clips/s00000000001/it-001"):
            answer = client.get(f"/api/v1/{path}", params={"submission": "s00000000001"})
            yield f"/api/v1/{path}", answer.text + str(answer.headers)


def _queued(client: httpx.Client, body: dict[str, object], query: dict[str, str]) -> str:
    session = uuid.uuid4().hex
    client.post("/gradio_api/queue/join", params=query, json=body | {"session_hash": session})
    told = ""
    with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
        for line in lines.iter_lines():
            told += line
            if "process_completed" in line or "unexpected_error" in line:
                break
    return told


def _found(site: Site, text: str) -> list[str]:
    hidden = [*SECRETS.values(), "canaryCanary", str(site.home), str(ROOT), sys.prefix, "Traceback (most", "root:x:0"]
    return [one for one in hidden if one in text]


def test_no_answer_and_no_log_holds_a_secret_or_a_place(site: Site) -> None:
    """Pages, events, downloads of a damaged row, refusals, and everything that server and worker wrote."""
    leaks = [(asked, found) for asked, told in _everything(site) if (found := _found(site, told))]
    assert leaks == []
    site.process.send_signal(signal.SIGINT)
    site.process.wait(60)
    logs = [site.log, *(site.home / "logs").glob("*.log")]
    told = "".join(log.read_text(errors="replace") for log in logs)
    assert [one for one in _found(site, told) if "Traceback" not in one] == []
    assert "request.bug" in told or "page." in told, "the damaged row was never told of"
