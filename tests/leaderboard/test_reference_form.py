"""A submission that is named, through the page's form and through the command line, from a hub on the loopback."""

import dataclasses
import zipfile
from pathlib import Path

import pytest

from evaluation.protocol import encode
from leaderboard import forms, words
from leaderboard.cli import main
from leaderboard.context import Context
from leaderboard.identity import Identity
from leaderboard.reading.system import system_page
from submissions.store.folder import FolderStore
from tests.audio_factory import clip_bytes
from tests.hub.double import HubDouble
from tests.hub.fixtures import hub
from tests.leaderboard import cast
from tests.leaderboard.page_reader import Page
from tests.submissions.small_evaluation import acoustic_protocol, make_corpus, tones, write_corpus, write_zip

__all__ = ["hub"]

REPO = "lark/clips"
FIELDS = {"system": "Heron", "version": "1", "organisation": "Marsh", "contact": "a@b.example", "licence": "MIT"}


@pytest.fixture
def known(hub: HubDouble, monkeypatch: pytest.MonkeyPatch) -> HubDouble:
    """The hub that this process knows is the double, which has a repo."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", hub.endpoint)
    template = hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    hub.create(REPO)
    return hub


def _quiet(_done: int, _all: int) -> None:
    return


def _answer(markup: str) -> str:
    return Page(markup).by_id("submit-answer").text


def test_a_named_repo_is_checked_and_taken(known: HubDouble, empty: Context) -> None:
    """A folder of clips at a commit is checked, then taken with its address, and nothing fetched stays behind."""
    corpus = empty.corpus
    commit = known.put(REPO, {f"{item.id}.wav": clip_bytes(at) for at, item in enumerate(corpus.items)})
    seen: list[int] = []
    ref = f"  {REPO}@{commit}\n"
    report = forms.check_only(empty, None, FIELDS, _quiet, ref=ref, on_fetch=lambda here, _: seen.append(here))
    assert "Clean" in _answer(report) and seen[-1] > 1_000
    page = Page(forms.send(empty, None, FIELDS, _quiet, ref=ref))
    submission = page.by_id("receipt-id").text
    received = empty.store.events(submission)[0].payload  # type: ignore[arg-type]
    assert received.source == f"{known.endpoint}/datasets/{REPO}/tree/{commit}"  # type: ignore[union-attr]
    assert page.by_id("receipt-sha256").text == received.zip_sha256  # type: ignore[union-attr]
    assert list((empty.home / "scratch").rglob("*.*")) == []


def test_what_is_wrong_with_a_reference_is_told(known: HubDouble, empty: Context) -> None:
    """A branch, a foreign host and a hub that is away are answers on the page."""
    commit = known.put(REPO, {"a.zip": b"x"})
    assert f"pin it: {REPO}@{commit}" in _answer(forms.send(empty, None, FIELDS, _quiet, ref=REPO))
    evil = "https://evil.example/datasets/a/b/resolve/main/<b>.zip"
    assert "this site's hub" in _answer(forms.check_only(empty, None, FIELDS, _quiet, ref=evil))
    assert "to mend" in _answer(forms.send(empty, None, FIELDS, _quiet, ref=f"{REPO}@{commit}"))
    known.fail("GET /api/", status=429, retry_after_s=300, times=None)
    assert "later" in _answer(forms.send(empty, None, FIELDS, _quiet, ref=f"{REPO}@{commit}"))
    assert empty.store.submissions() == ()


def test_one_thing_at_a_time(known: HubDouble, empty: Context, tmp_path: Path) -> None:
    """A zip and a repo together are refused, and strangers fetch nothing through this machine."""
    path = str(write_zip(tmp_path / "a.zip", {"x": b"x"}))
    for act in (forms.check_only, forms.send):
        assert "a zip and a repo" in _answer(act(empty, path, FIELDS, _quiet, ref=REPO))
    site = dataclasses.replace(empty, identity=Identity(has_sign_in=True))
    assert "Sign in first" in _answer(forms.check_only(site, None, FIELDS, _quiet, ref=f"{REPO}@{'a' * 40}"))
    assert "ign in" in _answer(forms.send(site, None, FIELDS, _quiet, ref=f"{REPO}@{'a' * 40}"))
    assert known.seen() == []


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small corpus, and an environment that points at it."""
    pin = write_corpus(tmp_path / "corpus.jsonl", 3)
    (tmp_path / "small.json").write_bytes(encode(dataclasses.replace(acoustic_protocol(pin), name="small")))
    monkeypatch.setenv("CASTBOARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASTBOARD_PROTOCOL", str(tmp_path / "small.json"))
    monkeypatch.setenv("CASTBOARD_CORPUS", str(tmp_path / "corpus.jsonl"))
    return tmp_path


def test_the_command_line_takes_a_reference(known: HubDouble, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`submit --from` queues what a commit holds and says where it came from; the form is the zip's system.json."""
    zipped = write_zip(site / "good.zip", tones(make_corpus(site, 3)), system=FIELDS)
    commit = known.put(REPO, {"good.zip": zipped.read_bytes()})
    assert main(["submit", "--from", f"{REPO}@{commit}"]) == 0
    told = capsys.readouterr().out
    assert f"fetched from {known.endpoint}/datasets/{REPO}/resolve/{commit}/good.zip" in told
    store = FolderStore(site / "home")
    (submission,) = store.submissions()
    with zipfile.ZipFile(store.upload_path(submission)) as kept, zipfile.ZipFile(zipped) as sent:
        assert kept.namelist() == sent.namelist()
    assert main(["submit", "--from", REPO]) == 1
    assert f"pin it: {REPO}@{commit}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["a.zip", "--from", REPO]])
def test_one_thing_is_submitted(site: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """Nothing, or a file and a reference together, is told in a sentence."""
    assert main(["submit", *arguments]) == 1
    assert "name one thing to submit" in capsys.readouterr().err


def test_the_systems_page_links_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a zip was fetched from is a link on its system's page; an uploaded one says nothing."""
    plain = cast.provenance_of
    source = "https://hub.example/datasets/lark/clips/tree/" + "a" * 40
    monkeypatch.setattr(cast, "provenance_of", lambda part: dataclasses.replace(plain(part), source=source))
    named = cast.make_site(tmp_path / "named", cast.SIX[:1])
    monkeypatch.setattr(cast, "provenance_of", plain)
    asked = {"id": cast.SIX[0].id}
    page = system_page(named, asked)
    assert f'href="{source}"' in page and words.FETCHED_FROM in page
    assert words.FETCHED_FROM not in system_page(cast.make_site(tmp_path / "plain", cast.SIX[:1]), asked)
