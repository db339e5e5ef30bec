"""What a model is now: asked of a hub by the real client, or read from a folder."""

import hashlib
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from evaluation.errors import ProtocolError
from evaluation.freeze_hub import ModelUnresolved, Resolved, from_folder, from_hub, opened
from tests.evaluation.loopback_hub import COMMIT, Hub, serve

FILES = {"config.json": b'{"id2label": {"0": "calm"}}', "model.safetensors": b"\x00" * 300, "README.md": b"words"}
WANTED = ("config.json", "model.safetensors")
SHA256 = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}
READ = {name: SHA256[name] for name in ("config.json", "model.safetensors")}


def choose(available: Collection[str], wanted: tuple[str, ...] = WANTED) -> tuple[str, ...]:
    """Return what is read of a model."""
    lacking = set(wanted) - set(available)
    if lacking:
        raise ProtocolError(f"it lacks {', '.join(lacking)}")
    return wanted


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Serve a hub with one small model; the client may go on line for it."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with serve(Hub(models={"maker/moods": FILES}, large=frozenset({"model.safetensors"}))) as served:
        yield served


@pytest.mark.parametrize("revision", [None, "main", COMMIT])
def test_name_becomes_a_commit_and_hashes(hub: Hub, revision: str | None) -> None:
    """Branch, default branch and commit come to the same; large files are not fetched, others are, at the commit."""
    found = from_hub("maker/moods", revision, choose, endpoint=hub.endpoint)
    assert (found.revision, dict(found.files)) == (COMMIT, READ)
    fetched = [line for line in hub.asked if line.startswith("GET /maker")]
    assert fetched == [f"GET /maker/moods/resolve/{COMMIT}/config.json"]


def test_other_hub_gets_no_token(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is saved for the real hub is not handed to another."""
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    from_hub("maker/moods", None, choose, endpoint=hub.endpoint)
    assert set(hub.tokens) == {None}


@pytest.mark.parametrize(
    ("repo", "revision", "message"),
    [
        ("maker/none", None, "'maker/none' at 'its default branch': the hub gave no answer .*NotFound"),
        ("maker/moods", "v9", "'maker/moods' at 'v9': .*RevisionNotFound"),
        ("../../maker", None, "HFValidationError"),
    ],
)
def test_what_is_not_there_is_told(hub: Hub, repo: str, revision: str | None, message: str) -> None:
    """The message names model and revision and what the hub said."""
    with pytest.raises(ModelUnresolved, match=message):
        from_hub(repo, revision, choose, endpoint=hub.endpoint)


def test_file_that_is_lacking_is_told(hub: Hub) -> None:
    """What the chooser objects to is the objection."""
    with pytest.raises(ProtocolError, match=r"it lacks x\.bin"):
        from_hub("maker/moods", None, lambda names: choose(names, ("x.bin",)), endpoint=hub.endpoint)


def test_hub_that_is_down_is_told(hub: Hub) -> None:
    """A hub that does not answer is a message, not a traceback."""
    with serve(Hub(models={}, large=frozenset())) as gone:
        endpoint = gone.endpoint
    with pytest.raises(ModelUnresolved, match="the hub gave no answer that can be used"):
        from_hub("maker/moods", None, choose, endpoint=endpoint)


def test_offline_client_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that was told to stay off line says so."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelUnresolved, match="offline mode is"):
        from_hub("maker/moods", None, choose, endpoint="https://huggingface.co")


def test_folder_is_pinned_by_its_files_alone(tmp_path: Path) -> None:
    """A model that is on no hub has the revision "local" and the hashes of the files that are read."""
    folder = tmp_path / "maker--moods" / "sub"
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder.parent / name).write_bytes(data)
    (folder / "more.safetensors").write_bytes(b"")
    found = from_folder("maker/moods", choose, tmp_path)
    assert (found.revision, dict(found.files)) == ("local", READ)
    deep = from_folder("maker/moods", lambda names: [name for name in names if "/" in name], tmp_path)
    assert list(deep.files) == ["sub/more.safetensors"]
    (folder.parent / "config.json").unlink()
    with pytest.raises(ProtocolError, match=r"lacks config\.json"):
        from_folder("maker/moods", choose, tmp_path)


@pytest.mark.parametrize("repo", ["maker/other", "../maker--moods", ""])
def test_folder_that_is_not_there_is_told(tmp_path: Path, repo: str) -> None:
    """The message says where the model is looked for; no name leads out of the folder."""
    (tmp_path / "models").mkdir()
    with pytest.raises(ModelUnresolved, match="there is no folder"):
        from_folder(repo, choose, tmp_path / "models")


def test_name_that_could_leave_the_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub cannot make us pin, and later fetch, a file elsewhere."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    evil = Hub(models={"maker/moods": {"../model.bin": b"x"}}, large=frozenset({"../model.bin"}))
    with serve(evil) as served, pytest.raises(ModelUnresolved, match="could leave the model's folder"):
        from_hub("maker/moods", None, list, endpoint=served.endpoint)


def test_file_is_opened_at_the_commit_and_checked(hub: Hub, tmp_path: Path) -> None:
    """What lies in the folder is what was resolved, small or large; nothing is left behind; another one is refused."""
    found = from_hub("maker/moods", None, choose, endpoint=hub.endpoint)
    with opened("maker/moods", found, WANTED, tmp_path, endpoint=hub.endpoint) as folder:
        assert {name: (folder / name).read_bytes() for name in WANTED} == {name: FILES[name] for name in WANTED}
    assert not folder.exists()
    other = Resolved(revision=COMMIT, files={**found.files, "model.safetensors": "0" * 64})
    with (
        pytest.raises(ModelUnresolved, match=r"the hub says that model\.safetensors has the sha256 000"),
        opened("maker/moods", other, WANTED, tmp_path, endpoint=hub.endpoint),
    ):
        pass
