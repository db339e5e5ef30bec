"""What goes wrong is told in our words; a mistake of the program has an id that the log knows."""

import logging
import re
from collections.abc import AsyncIterator, Iterator

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.testclient import TestClient
from starlette.responses import JSONResponse, Response, StreamingResponse

from leaderboard.gates.faults import MALFORMED, SENTENCES, FaultGate, speak_for
from submissions.store.base import StoreUnavailable


@pytest.fixture
def client() -> TestClient:
    """A site whose routes go wrong in every way, with another application mounted in it."""
    inner, site = FastAPI(), FastAPI()
    for app in (inner, site):
        _add_routes(app)
        speak_for(app)
    site.mount("/inner", inner)
    site.add_middleware(FaultGate)
    return TestClient(site)


def _add_routes(app: FastAPI) -> None:
    @app.get("/bug")
    def bug() -> None:
        raise RuntimeError("the inside of it")

    @app.get("/number/{number}")
    def number(number: int) -> int:
        return number

    @app.get("/refused")
    def refused() -> None:
        raise HTTPException(409, "It is there already.")

    @app.get("/cut")
    def cut() -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"begun"
            raise HTTPException(404)

        return StreamingResponse(pieces())

    @app.get("/lost")
    def lost() -> Response:
        def pieces() -> Iterator[bytes]:
            yield b"begun"
            raise StoreUnavailable("the hub does not answer")

        return StreamingResponse(pieces(), headers={"Content-Length": "9"})

    @app.post("/gradio_api/run/{name}")
    def run(name: str) -> Response:
        return JSONResponse({"error": "Name a system." if name == "told" else None}, 500)


@pytest.mark.parametrize("prefix", ["", "/inner"])
def test_a_bug_gets_an_id_that_the_log_knows(client: TestClient, prefix: str, caplog: pytest.LogCaptureFixture) -> None:
    """The visitor hears the id and nothing else; the traceback is in the log, once."""
    with caplog.at_level(logging.ERROR):
        answer = client.get(f"{prefix}/bug")
    assert answer.status_code == 500 and "inside" not in answer.text
    reference = re.search(r"[0-9a-f]{12}", answer.text)
    assert reference is not None
    [record] = [record for record in caplog.records if record.message == "request.bug"]
    assert record.reference == reference[0] and record.exc_info


@pytest.mark.parametrize("prefix", ["", "/inner"])
def test_refusals_are_ours_and_repeat_nothing(client: TestClient, prefix: str) -> None:
    """Bare phrases of the framework and echoes of the input are replaced; a sentence of ours stands."""
    told = client.get(f"{prefix}/number/<script>")
    assert told.status_code == 422 and told.json()["detail"] == MALFORMED
    assert client.get(f"{prefix}/nowhere").json()["detail"] == SENTENCES[404]
    assert client.post(f"{prefix}/bug").json()["detail"] == SENTENCES[405]
    assert client.get(f"{prefix}/refused").json()["detail"] == "It is there already."


@pytest.mark.parametrize("prefix", ["", "/inner"])
def test_a_stream_that_breaks_off_ends(client: TestClient, prefix: str, caplog: pytest.LogCaptureFixture) -> None:
    """What was sent stands; no error of the framework follows it, and no stranger fills the log with tracebacks."""
    with caplog.at_level(logging.WARNING):
        assert client.get(f"{prefix}/cut").text == "begun"
    assert not [record for record in caplog.records if record.name.startswith("leaderboard")]


@pytest.mark.parametrize("prefix", ["", "/inner"])
def test_a_hub_that_is_lost_on_the_way_is_no_bug(
    client: TestClient, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What has begun is cut off, with one line in the log and no id."""
    with caplog.at_level(logging.WARNING):
        assert client.get(f"{prefix}/lost").text == "begun"
    assert [record.message for record in caplog.records if record.name.startswith("leaderboard")] == ["request.cut"]


def test_an_event_that_refuses_is_no_mistake_of_the_program(client: TestClient) -> None:
    """Gradio tells both with 500; what an event said of itself is whoever asked to mend."""
    told = client.post("/gradio_api/run/told")
    assert (told.status_code, told.json()["error"]) == (400, "Name a system.")
    broken = client.post("/gradio_api/run/broken")
    assert broken.status_code == 500 and re.search(r"as [0-9a-f]{12}\.", broken.json()["error"])
