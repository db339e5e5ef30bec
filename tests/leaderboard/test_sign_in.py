"""Signing in for real, against a provider on the loopback: who is told, what a cookie holds, who is let through."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from leaderboard import settings
from leaderboard.context import Context
from leaderboard.outside import OAuthSettings
from leaderboard.secret import Secret
from leaderboard.sign_in import N_ORGANISATIONS, add_sign_in, kept_claims
from leaderboard.site import mount
from submissions import queue
from submissions.records import Event, Queued, SubmissionId, submission_id, timestamp
from submissions.state import State
from tests.hub.double import HubDouble
from tests.leaderboard.cast import NOW
from tests.leaderboard.signed_site import form, oauth_settings, press, sign_in, signed_context
from tests.submissions.test_quota import POLLY
from tests.submissions.work_examples import received


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubDouble]:
    """A provider with some accounts."""
    with HubDouble(tmp_path_factory.mktemp("hub")) as double:
        double.add_user("polly", "hf_polly", organisations=("aviary", "marsh-lab"))
        double.add_user("peter", "hf_peter", organisations=("aviary",))
        double.add_user("mallory", "hf_mallory")
        yield double


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site without rows where people sign in."""
    return signed_context(tmp_path_factory.mktemp("site") / "home")


@pytest.fixture(scope="module")
def open_site(context: Context, hub: HubDouble) -> Iterator[TestClient]:
    """That site, open for the whole module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", "")
        settings.keep_uploads_in(context.home / "uploads")
        with TestClient(mount(context, oauth=oauth_settings(hub))) as client:
            yield client


@pytest.fixture
def client(open_site: TestClient) -> TestClient:
    """That site, and nobody signed in."""
    open_site.cookies.clear()
    return open_site


def bare(oauth: OAuthSettings, **more: Any) -> TestClient:
    """Return a site of nothing but the sign-in, and a page that tells who is."""
    site = FastAPI()
    add_sign_in(site, oauth, site_url="")

    @site.get("/who")
    def who(request: Request) -> str:
        return str(request.session.get("oauth_info", {}).get("userinfo", {}).get("preferred_username"))

    return TestClient(site, **more)


def put(context: Context) -> SubmissionId:
    """Let polly send something for aviary."""
    submission = submission_id(f"s{len(context.store.submissions()):06}")
    first = replace(received(), person=POLLY, organisation="aviary")
    for n, payload in enumerate((first, Queued()), start=1):
        context.store.create_event(submission, Event(n=n, at=timestamp(NOW), payload=payload))
    return submission


def session_of(client: TestClient) -> str:
    """Return what the cookie holds."""
    [value] = [cookie.value for cookie in client.cookies.jar if cookie.name == "castboard"]
    return base64.b64decode(str(value).split(".")[0]).decode()


def test_the_whole_way_and_back(client: TestClient, hub: HubDouble) -> None:
    """One comes back to the page one came from; the cookie tells who it is and holds no token; signing out ends it."""
    answer = sign_in(client, hub, "polly", "/queue?id=s00001")
    assert (answer.status_code, answer.headers["location"]) == (303, "/queue?id=s00001#yours")
    held = session_of(client)
    assert json.loads(held)["oauth_info"]["userinfo"]["sub"] == "id-of-polly"
    assert "hf_" not in held and "token" not in held and "eyJ" not in held
    flags = answer.headers["set-cookie"].lower()
    assert "httponly" in flags and "samesite=lax" in flags and "secure" not in flags
    assert "aviary" in press(client, "again", ["aviary"])
    client.get("/logout", params={"_target_url": "/submit"}, follow_redirects=False)
    assert "Nobody is signed in" in press(client, "again", ["aviary"])


def test_inside_another_page_the_cookie_goes_along(hub: HubDouble) -> None:
    """On a Space it must be secure, partitioned and sent from a frame."""
    client = bare(oauth_settings(hub, is_framed=True), base_url="https://testserver")
    flags = client.get("/login/huggingface", follow_redirects=False).headers["set-cookie"].lower()
    for flag in ("httponly", "samesite=none", "; secure", "; partitioned"):
        assert flag in flags


def test_a_restart_signs_nobody_out_and_a_forged_cookie_nobody_in(client: TestClient, hub: HubDouble) -> None:
    """The key follows from the client's secret."""
    sign_in(client, hub, "polly")
    for secret, name in ((oauth_settings(hub).secret, "polly"), (Secret("another"), "None")):
        assert bare(oauth_settings(hub, secret=secret), cookies=client.cookies).get("/who").json() == name


def test_what_goes_wrong_is_told(client: TestClient, hub: HubDouble) -> None:
    """No consent, a callback that nobody asked for, a provider that is away: back to the page, nobody signed in."""
    assert sign_in(client, hub, "").headers["location"] == "/submit?sign-in=declined#submit-who"
    stray = client.get("/login/callback", params={"code": "x", "state": "forged"}, follow_redirects=False)
    assert stray.headers["location"] == "/submit?sign-in=failed#submit-who"
    assert "Nobody is signed in" in press(client, "again", [None])
    lonely = bare(oauth_settings(hub, provider="http://127.0.0.1:9"))
    answer = lonely.get("/login/huggingface", params={"_target_url": "/queue?id=x"}, follow_redirects=False)
    assert answer.headers["location"] == "/queue?id=x&sign-in=away#yours"
    assert "does not answer now" in press(client, "again", [None], {"sign-in": "away"})
    assert "<b>" not in press(client, "again", [None], {"sign-in": "<b>x"})


def test_a_page_of_another_attempt_is_left_behind(client: TestClient, hub: HubDouble) -> None:
    """What an earlier sign-in came to is told no more after the next one."""
    assert sign_in(client, hub, "polly", "/submit?sign-in=declined&x=1").headers["location"] == "/submit?x=1#submit-who"


TARGETS = (
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/a\nb",
    "/" + "x" * 400,
)


@pytest.mark.parametrize("target", TARGETS)
def test_no_one_is_sent_away(hub: HubDouble, target: str) -> None:
    """Whatever the address names, one lands on a page of this site."""
    client = bare(oauth_settings(hub))
    assert sign_in(client, hub, "polly", target).headers["location"] == "/submit#submit-who"
    answer = client.get("/logout", params={"_target_url": target}, follow_redirects=False)
    assert answer.headers["location"] == "/submit"


def test_a_cookie_does_not_overflow() -> None:
    """Of hundreds of organisations the first ones are kept; one that asks for another sign-in is none."""
    orgs = [{"preferred_username": f"organisation-number-{at:04d}"} for at in range(500)]
    orgs.append({"preferred_username": "a-guarded-one", "securityRestrictions": ["sso"]})
    kept = kept_claims({"sub": "x" * 24, "preferred_username": "y" * 40, "orgs": [*orgs, "no", None]})
    assert len(kept["orgs"].split()) == N_ORGANISATIONS and "guarded" not in kept["orgs"]
    assert len(base64.b64encode(json.dumps({"oauth_info": {"userinfo": kept, "expires_at": 10**10}}).encode())) < 3800


def test_nobody_submits_without_signing_in(client: TestClient, context: Context, hub: HubDouble) -> None:
    """The handler itself refuses a direct call before it looks at any file, and an organisation of others too."""
    before = context.store.submissions()
    assert "Sign in first" in press(client, "on_send", form(client, "aviary"))
    sign_in(client, hub, "mallory")
    for organisation in ("aviary", ["aviary"], {"a": 1}, "<b>"):
        assert "mallory may send for mallory, got" in press(client, "on_send", form(client, organisation))
    assert "Choose a zip first" in press(client, "on_send", form(client, ""))
    assert context.store.submissions() == before


@pytest.mark.parametrize(("name", "is_owner"), [("", False), ("mallory", False), ("polly", True), ("peter", True)])
def test_only_owners_take_back_and_rename(
    client: TestClient,
    context: Context,
    hub: HubDouble,
    name: str,
    is_owner: bool,
) -> None:
    """Direct calls of the buttons: nobody, a stranger, who sent it, and a member of its organisation."""
    asked = {"id": put(context)}
    if name:
        sign_in(client, hub, name)
    told = press(client, "on_ask", ["Heron", "Marsh", "We are called so now."], asked)
    wish = queue.load(context.store, asked["id"]).rename_asked
    assert (wish is not None) == is_owner == ("Asked for: Heron by Marsh" in told)
    assert is_owner or ("Sign in first" if not name else "This is not yours") in told
    told = press(client, "on_take", ["Wrong voice.", True], asked)
    state = queue.load(context.store, asked["id"])
    assert (state.state is State.WITHDRAWN) == is_owner == ("is taken back" in told)


def test_taking_back_needs_a_reason_and_a_tick(client: TestClient, context: Context, hub: HubDouble) -> None:
    """Else nothing happens; nor to a submission that nobody knows."""
    asked = {"id": put(context)}
    sign_in(client, hub, "polly")
    for given, told in (
        (["", True], "Say why"),
        (["Why not", False], "Tick the box"),
        (["Why not", "true"], "Tick the box"),
        (["a\u202eb", True], "reason is not accepted"),
        (["x" * 301, True], ""),
    ):
        assert told in press(client, "on_take", given, asked)
    assert "No submission has this id" in press(client, "on_take", ["Why not", True], {"id": "../../etc"})
    assert queue.load(context.store, asked["id"]).state is State.QUEUED


def test_owners_see_their_panel_and_others_do_not(client: TestClient, context: Context, hub: HubDouble) -> None:
    """The line is marked, the panel is there; who is not signed in is told how to get there."""
    asked = {"id": put(context)}
    config = client.get("/config").json()
    queue_show, panel = _of_queue(config)
    assert "Is it yours?" in _load(client, panel, [], asked)
    assert ">yours<" not in _load(client, queue_show, [""], asked)
    sign_in(client, hub, "peter")
    assert "Yours: " in _load(client, panel, [], asked)
    assert ">yours<" in _load(client, queue_show, [""], asked)


def _of_queue(config: dict[str, Any]) -> tuple[int, int]:
    """Return the functions that fill the queue page and the owner's panel, by how much they fill."""
    places = {one["id"]: one["props"].get("elem_id") for one in config["components"]}
    found: dict[str, int] = {}
    for one in config["dependencies"]:
        names = {places.get(output) for output in one["outputs"]}
        for name in ("html-queue", "html-maker"):
            if name in names:
                found.setdefault(name, one["id"])
    return found["html-queue"], found["html-maker"]


def _load(client: TestClient, function: int, data: list[object], asked: dict[str, str]) -> str:
    body = {"data": data, "fn_index": function, "session_hash": "loader"}
    return client.post("/gradio_api/run/predict", json=body, params=asked).text
