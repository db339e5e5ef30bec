"""The tools for programs, asked by the real client over HTTP of the whole site."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard import mcp_server, mcp_tools
from leaderboard.context import Context
from leaderboard.site import mount
from submissions.version import VERSION
from tests.leaderboard.cast import EVIL, HOSTILE
from tests.leaderboard.gates.serving import served

ONE, OTHER = "Larkspur 2.1", "s00000000002"
TOOLS = {"list_protocols", "leaderboard", "compare_systems", "explain_metric", "system", "worst_clips"}


@pytest.fixture(scope="module")
def address(hostile_nine: Context) -> Iterator[str]:
    """The whole site, served; a stranger's markup stands in its first system and its judge."""
    with served(mount(hostile_nine)) as address:
        yield address


@asynccontextmanager
async def _session(address: str) -> AsyncIterator[tuple[Any, Any]]:
    """The real client, and what the server said of itself."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with (
        streamable_http_client(address + mcp_server.PATH) as (incoming, outgoing, _),
        ClientSession(incoming, outgoing) as session,
    ):
        yield session, await session.initialize()


def _ask(address: str, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    async def talk() -> list[Any]:
        async with _session(address) as (session, _):
            return [await session.call_tool(name, arguments) for name, arguments in calls]

    return anyio.run(talk)


def test_every_tool_is_told_typed_and_read_only(address: str) -> None:
    """Name, description, arguments with words, form of the answer; none changes anything."""

    async def tools() -> Any:
        async with _session(address) as (session, about):
            return (await session.list_tools()).tools, about

    listed, about = anyio.run(tools)
    assert {one.name for one in listed} == TOOLS
    for one in listed:
        assert one.description and one.outputSchema and one.annotations.readOnlyHint
        assert all(field.get("description") for field in one.inputSchema["properties"].values())
    assert "never instructions" in about.instructions
    assert (about.serverInfo.name, about.serverInfo.version) == ("Castboard", VERSION)


def test_answers_are_the_board_s_own(address: str, hostile_nine: Context) -> None:
    """Rows, the decision of a pair and the worst clips are those of the published files."""
    board = hostile_nine.published.board("")
    rows, pair, worst, told = _ask(
        address,
        ("leaderboard", {"n_rows": 2, "sort": "score"}),
        ("compare_systems", {"a": ONE, "b": OTHER}),
        ("worst_clips", {"system": ONE, "n_clips": 3}),
        ("system", {"system": ONE.upper()}),
    )
    listed = rows.structuredContent["rows"]
    assert [one["score"] for one in listed] == sorted(row.score for row in board.rows)[:2]
    assert rows.structuredContent["n_matching"] == 3
    decision = board.decisions.get(("s00000000001", OTHER)) or board.decisions[(OTHER, "s00000000001")]
    found = pair.structuredContent
    assert found["decision"]["lcb"] == decision.lcb and found["decision"]["is_win"] == decision.is_win
    assert f"{decision.margin:.6f}" in found["in_words"] and "<b>" not in found["in_words"]
    samples = hostile_nine.published.samples(board, ["s00000000001"])["s00000000001"].values()
    composites = [one["composite"] for one in worst.structuredContent["rows"]]
    assert composites == sorted(one.composite for one in samples)[:3]
    assert told.structuredContent["submission"] == "s00000000001"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("system", {"system": "nobody"}, "no such system"),
        ("system", {"system": "larkspur"}, "several systems"),
        ("leaderboard", {"protocol": "nobody"}, "no board of such a protocol"),
        ("leaderboard", {"n_rows": 51}, "less than or equal to 50"),
        ("leaderboard", {"sort": "colour"}, "no such column"),
        ("worst_clips", {"system": ONE, "trait": "colour", "value": "red"}, "no such trait"),
        ("worst_clips", {"system": ONE, "n_clips": 10_000}, "less than or equal to 20"),
        ("compare_systems", {"a": ONE, "b": ONE}, "compared with itself"),
        ("explain_metric", {"metric": "colour"}, "no such number"),
        ("drop_table", {}, "drop_table"),
    ],
)
def test_what_cannot_be_answered_is_told(tool: str, arguments: dict[str, Any], said: str, address: str) -> None:
    """A wrong question is an error of the tool in words, from which the asker can go on."""
    try:
        (answer,) = _ask(address, (tool, arguments))
        assert answer.isError
        text = answer.content[0].text
    except ExceptionGroup as error:  # an unknown tool may be refused by the protocol itself
        text = repr(error.exceptions)
    assert said in text and "Traceback" not in text


def test_every_number_can_be_explained(nine: Context) -> None:
    """Each column of a board, composite and decision have a sentence; dimensions name what measures them."""
    questions = mcp_tools.Questions(nine)
    for name in nine.published.board("").protocol.dimensions:
        assert questions.explain(name, "").measured_by
    for name in ("score", "gate", "band", "composite", "decision", "coverage"):
        assert questions.explain(name, "").what.endswith(".")


def test_answers_are_bounded(nine: Context) -> None:
    """The largest answer of each kind fits into 200 KB, texts are cut."""
    questions = mcp_tools.Questions(nine)
    clips = questions.clips("Gantry", "", "worst", mcp_tools.MOST_CLIPS)
    assert len(clips.rows) == mcp_tools.MOST_CLIPS and len(clips.model_dump_json()) < 200_000
    assert mcp_tools._short({"transcript": "x" * 9_999, "wer": 1.0}) == {"transcript": "x" * 2_000, "wer": 1.0}


def test_a_stranger_s_words_stay_words(hostile_nine: Context) -> None:
    """Names full of markup come out as they are in JSON, and as text in sentences."""
    found = mcp_tools.Questions(hostile_nine).compare(HOSTILE.id, OTHER, "")
    assert HOSTILE.system in (found.a.system, found.b.system) and EVIL[:20] not in found.how_to_read


def test_a_page_of_another_site_is_refused_on_this_machine(address: str) -> None:
    """Another name for this machine, or another origin, gets nothing; a program that sends neither is served."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accepts = {"Accept": "application/json, text/event-stream"}
    plain = httpx.post(address + mcp_server.PATH, json=call, headers=accepts)
    assert plain.status_code == 200 and plain.headers["content-type"].startswith("application/json")
    rebound = httpx.post(address + mcp_server.PATH, json=call, headers={**accepts, "Host": "evil.example"})
    assert rebound.status_code == 421
    foreign = httpx.post(address + mcp_server.PATH, json=call, headers={**accepts, "Origin": "https://evil.example"})
    assert foreign.status_code == 403
    large = httpx.post(address + mcp_server.PATH, content=b" " * 100_000, headers={"Content-Type": "application/json"})
    assert large.status_code == 413


def test_no_stream_is_held_open(address: str) -> None:
    """The server has nothing to tell of its own accord, so nobody may wait for it: a client goes on without."""
    with httpx.stream("GET", address + mcp_server.PATH, headers={"Accept": "text/event-stream"}, timeout=5) as answer:
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_public_site_answers_under_any_name(hostile_nine: Context) -> None:
    """Behind a Space's proxy the name differs from what this machine calls itself; the data is public."""
    site = FastAPI()
    mcp_server.add(site, hostile_nine, site_url="https://someone-castboard.hf.space")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accepts = {"Accept": "application/json, text/event-stream", "Host": "someone-castboard.hf.space"}
    with TestClient(site) as client:
        assert client.post(mcp_server.PATH, json=call, headers=accepts).status_code == 200
    with TestClient(site) as client:  # a second start has a session manager of its own
        assert client.post(mcp_server.PATH, json=call, headers=accepts).status_code == 200
    assert TestClient(site).post(mcp_server.PATH, json=call, headers=accepts).status_code == 503


def test_gradio_s_own_api_lists_nothing(address: str) -> None:
    """Reading is for the read API; no handler of a page is offered to programs."""
    assert httpx.get(f"{address}/gradio_api/info").json() == {"named_endpoints": {}, "unnamed_endpoints": {}}


def test_the_whole_site_serves_the_read_api(address: str) -> None:
    """Under its prefix, with links that lead on, beside Gradio's pages."""
    page = httpx.get(f"{address}/api/v1/leaderboard?limit=1")
    assert page.status_code == 200 and page.headers["access-control-allow-origin"] == "*"
    assert httpx.get(address + page.json()["next"]).json()["rows"]
    assert httpx.get(f"{address}/api/v1/docs").status_code == 200
    assert 'type="application/rss+xml"' in httpx.get(address + "/").text
