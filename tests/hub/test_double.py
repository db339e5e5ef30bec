"""The double itself: it fails as told, survives a kill, and signs people in as OpenID Connect asks."""

import base64
import hashlib
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.hub.double import HubDouble
from tests.hub.fixtures import hub, hub_client, remote_hub
from tests.hub.oauth import CLIENT_ID, CLIENT_SECRET
from tests.hub.remote import RemoteHub
from tests.hub.repos import Entry, folder_oids

__all__ = ["hub", "hub_client", "remote_hub"]


def test_failures_come_when_told(hub: HubDouble) -> None:
    """Skipping, every second one, and so many times: each exactly."""
    hub.create("ohm/board")
    hub.fail("GET .*/refs", status=503, retry_after_s=9, skip=1, every=2, times=2)
    url = f"{hub.endpoint}/api/datasets/ohm/board/refs"
    answers = [httpx.get(url) for _ in range(8)]
    assert [answer.status_code for answer in answers] == [200, 200, 503, 200, 503, 200, 200, 200]
    assert answers[2].headers["retry-after"] == "9"
    assert [seen.status for seen in hub.seen("refs", "ohm/board")] == [answer.status_code for answer in answers]


def test_connections_are_cut(hub: HubDouble) -> None:
    """Before anything is done, in the middle of an answer, or after all is done; down is down until calm."""
    hub.create("ohm/board")
    url = f"{hub.endpoint}/api/datasets/ohm/board"
    for cut in ("before", "middle", "after"):
        hub.fail("GET", cut=cut)
        with pytest.raises(httpx.TransportError):
            httpx.get(url)
    hub.down()
    with pytest.raises(httpx.TransportError):
        httpx.get(url)
    hub.calm()
    assert httpx.get(url).json()["id"] == "ohm/board"
    hub.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)
    hub.start()
    assert httpx.get(url).status_code == 200


def test_process_survives_a_kill(remote_hub: RemoteHub, hub_client: None) -> None:
    """What was committed before a kill is there after it, at the same address; control works from outside."""
    from huggingface_hub import CommitOperationAdd, HfApi

    remote_hub.create("ohm/work", private=True)
    remote_hub.fail("GET .*/refs", status=500)
    api = HfApi(endpoint=remote_hub.endpoint, token=remote_hub.token)
    made = api.create_commit(
        "ohm/work", [CommitOperationAdd("a.json", b"{}")], commit_message="one", repo_type="dataset"
    )
    address = remote_hub.endpoint
    remote_hub.kill()
    remote_hub.start()
    assert remote_hub.endpoint == address
    assert api.dataset_info("ohm/work").sha == made.oid
    assert [commit["title"] for commit in remote_hub.history("ohm/work")] == ["one", "initial commit"]
    assert [seen.kind for seen in remote_hub.seen()] == ["info"]


def test_folder_ids_follow_what_is_below() -> None:
    """The id of a folder changes with any file below it, and with nothing else."""
    files = {"a/b/c.json": Entry("1", 1), "a/d.json": Entry("2", 1), "e/f.json": Entry("3", 1)}
    before, after = folder_oids(files), folder_oids(files | {"a/b/c.json": Entry("9", 1)})
    assert {folder for folder in before if before[folder] != after[folder]} == {"", "a", "a/b"}
    assert folder_oids(dict(reversed(files.items()))) == before


def test_sign_in(hub: HubDouble) -> None:
    """Code, token, signed statement and user info agree on who signed in; nobody signs in as nobody."""
    hub.add_user("ada", "hf_ada", organisations=("lab",))
    about = httpx.get(f"{hub.endpoint}/.well-known/openid-configuration").json()
    asked = {"response_type": "code", "client_id": CLIENT_ID, "redirect_uri": "http://site/cb?x=1"}
    asked |= {"state": "s", "nonce": "n", "scope": "openid profile"}
    refused = httpx.get(about["authorization_endpoint"], params=asked)
    assert parse_qs(urlsplit(refused.headers["location"]).query)["error"] == ["access_denied"]
    hub.sign_in_as("ada")
    sent = parse_qs(urlsplit(httpx.get(about["authorization_endpoint"], params=asked).headers["location"]).query)
    assert (sent["state"], sent["x"]) == (["s"], ["1"])
    form = {"grant_type": "authorization_code", "code": sent["code"][0], "redirect_uri": asked["redirect_uri"]}
    assert httpx.post(about["token_endpoint"], data=form, auth=(CLIENT_ID, "wrong")).status_code == 401
    token = httpx.post(about["token_endpoint"], data=form, auth=(CLIENT_ID, CLIENT_SECRET)).json()
    assert httpx.post(about["token_endpoint"], data=form, auth=(CLIENT_ID, CLIENT_SECRET)).status_code == 400
    claims = jwt.decode(token["id_token"], KeySet.import_key_set(httpx.get(about["jwks_uri"]).json())).claims
    half = hashlib.sha256(token["access_token"].encode()).digest()[:16]
    assert claims["at_hash"] == base64.urlsafe_b64encode(half).decode().rstrip("=")
    assert (claims["iss"], claims["aud"], claims["nonce"]) == (hub.endpoint, CLIENT_ID, "n")
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    info = httpx.get(about["userinfo_endpoint"], headers=headers).json()
    assert info["preferred_username"] == claims["preferred_username"] == "ada"
    assert [org["preferred_username"] for org in info["orgs"]] == ["lab"]
    assert httpx.get(f"{hub.endpoint}/api/whoami-v2", headers=headers).json()["orgs"][0]["name"] == "lab"
