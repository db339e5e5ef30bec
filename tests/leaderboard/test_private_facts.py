"""What is never published: a contact, who sent what, whom an operator is. Looked for wherever a stranger can look."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from leaderboard import settings, words
from leaderboard.context import Context
from leaderboard.figure_files import KINDS
from leaderboard.reading.pages import PAGES
from leaderboard.site import mount
from submissions import bans, layout, queue
from submissions.bans import Account
from submissions.board import rebuild_board
from submissions.operating import Desk, Warrant
from submissions.operator_events import Flagged, RenameAsked
from submissions.records import Claimed, Event, Person, Published, Queued, SubmissionId, submission_id, timestamp
from tests.hub.double import HubDouble
from tests.leaderboard.cast import NOW, SIX, card_of
from tests.leaderboard.gates.serving import routes_of
from tests.leaderboard.signed_site import form, oauth_settings, press, sign_in, signed_context
from tests.submissions.work_examples import CARD, a_process, later, received

ROW, GONE, RUNNING = SIX[0].id, SIX[1].id, "s000000running"
WORD = "canary"
"""In every private value, and nowhere else."""
PERSON = Person(account=f"{WORD}-account", name=f"{WORD}-name", organisations=(f"{WORD}-other-organisation", "ohm-lab"))
_NOT_READ = ("/gradio_api/heartbeat", "/gradio_api/queue", "/mcp", "/log")
"""Streams that do not end by themselves, and signing in and out."""
FORMS = ("/submit", "/queue", "/status", "/operator", "/duel", "/vote")
"""Pages that are no reading pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One answer."""

    address: str
    """What was asked for."""
    status: int
    """HTTP status."""
    text: str
    """Its headers and body."""


def tell(context: Context, submission: SubmissionId, *payloads: Any) -> None:
    """Append events."""
    for payload in payloads:
        n = len(context.store.events(submission)) + 1
        context.store.create_event(submission, Event(n=n, at=timestamp(NOW), payload=payload))


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site with a row, a hidden one and one that runs, all sent by one person whose every private fact is marked."""
    site = signed_context(tmp_path_factory.mktemp("private") / "home", SIX[:2])
    site = replace(site, operators=(f"{WORD}-operator",))
    for at, name in enumerate((ROW, GONE, RUNNING)):
        card = replace(CARD, contact=f"{WORD}-contact@example.org", system=str(card_of(SIX[at])["system"]))
        first = replace(
            received(),
            card=card,
            person=PERSON,
            organisation="ohm-lab",
            submitter=PERSON.name,
            corpus=site.corpus.pin.name,
        )
        submission = submission_id(name)
        tell(site, submission, first, Queued())
        if name == RUNNING:
            tell(site, submission, RenameAsked(system="Heron", organisation="Marsh", reason=f"{WORD}-wish"))
            tell(site, submission, Flagged(kind="duplicate_audio", other=ROW, message=f"{WORD}-flag"))
        claim = len(site.store.events(submission)) + 1
        lease = timestamp(later(10**9))
        process = replace(a_process(), host=f"{WORD}-host")
        tell(site, submission, Claimed(worker="w", process=process, lease_until=lease, takes_over=None))
        if name != RUNNING:
            tell(site, submission, Published(claim=claim, protocol=site.protocols[0].id))
    desk = Desk(store=site.store, published=site.files)
    warrant = Warrant.for_reason("It is not theirs.", operator=f"{WORD}-operator", at=NOW)
    desk.rename(submission_id(ROW), warrant, system="Larkspur Pro", organisation="Ohm AG")
    desk.hide(submission_id(GONE), warrant)
    desk.ban(Account(account=f"{WORD}-banned", name=f"{WORD}-banned-name"), warrant)
    rebuild_board(site.files, site.protocols[0].id)
    return site


@pytest.fixture(scope="module")
def client(context: Context, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A stranger's door to it; mallory is signed in, who sent nothing."""
    with pytest.MonkeyPatch.context() as patch, HubDouble(tmp_path_factory.mktemp("hub")) as hub:
        patch.setenv("GRADIO_TEMP_DIR", "")
        settings.keep_uploads_in(context.home / "uploads")
        hub.add_user("mallory", "hf_mallory")
        with TestClient(mount(context, oauth=oauth_settings(hub))) as client:
            sign_in(client, hub, "mallory")
            yield client


def addresses(client: TestClient, context: Context) -> Iterator[str]:
    """Give every address that can be read, with every submission in the place of its parameters."""
    board = context.published.board("")
    for name in (ROW, GONE, RUNNING):
        item = context.corpus.items[0].id
        places = {"submission": name, "protocol": board.protocol_id, "item_id": item, "trait": "gender", "kind": "json"}
        for method, path in sorted(routes_of(client.app)):
            if method == "GET" and not path.startswith(_NOT_READ):
                filled = re.sub(r"\{(\w+)(?::\w+)?\}", "{\\1}", path).format_map(defaultdict(lambda: "x", places))
                yield f"{filled}?system={name}&id={name}&a={name}&b={ROW}&limit=100"
        yield from (f"{page}?id={name}" for page in FORMS)
        for page in PAGES:
            for part in ("", *page.parts, "page-stamp"):
                asked = f"id={name}&system={name}&a={name}&b={ROW}&row={name}&systems={name}&facts=1"
                yield f"{page.path}?{asked}&part={part}"
        yield from (f"/figure/{figure}.{kind}?systems={name}" for figure in words.FIGURES for kind in KINDS)
    yield from (f"/published/{path}" for path in context.files.paths())


def loads(client: TestClient, asked: dict[str, str]) -> Iterator[Seen]:
    """Call every function of the pages that runs without a press of a button."""
    for one in client.get("/config").json()["dependencies"]:
        if not one["backend_fn"] or any(event in ("click", "change", "then") for _, event in one["targets"]):
            continue
        body = {"data": [""] * len(one["inputs"]), "fn_index": one["id"], "session_hash": "reader"}
        answer = client.post("/gradio_api/run/predict", json=body, params=asked)
        yield Seen(address=f"load {one['api_name']} {asked}", status=answer.status_code, text=answer.text)


def test_no_stranger_reads_a_private_fact(client: TestClient, context: Context) -> None:
    """Not on a page, in a download, an API's answer, the mirror, the dataset card, the public log, nor a header."""
    seen = []
    for address in addresses(client, context):
        answer = client.get(address, follow_redirects=False)
        text = f"{dict(answer.headers)} {answer.content.decode('utf-8', 'replace')}"
        seen.append(Seen(address=address, status=answer.status_code, text=text))
    for name in (ROW, GONE, RUNNING):
        seen += list(loads(client, {"id": name}))
        presses = {"on_take": ["why", True], "on_ask": ["a", "b", "c"], "on_send": form(client, "ohm-lab")}
        for button, data in presses.items():
            seen.append(Seen(address=button, status=200, text=press(client, button, data, {"id": name})))
    told = [one.address for one in seen if WORD in one.text]
    assert told == []
    good = {one.address for one in seen if one.status == 200}
    for must in ("/published/README.md", f"/published/{layout.rename_path(ROW)}", "/published/log/moderation.jsonl"):
        assert must in good
    assert len(good) > 200
    assert sum("Larkspur Pro" in one.text for one in seen) > 5


def test_no_published_byte_holds_a_private_fact(context: Context) -> None:
    """Nor does any file of the published folder, while the private events do."""
    files = {path: context.files.read(path) for path in context.files.paths()}
    assert [path for path, data in files.items() if WORD.encode() in data] == []
    held = repr(queue.load_all(context.store)) + repr(bans.entries(context.store))
    for fact in ("contact@", "account", "name", "host", "wish", "flag", "operator", "banned"):
        assert f"{WORD}-{fact}" in held
