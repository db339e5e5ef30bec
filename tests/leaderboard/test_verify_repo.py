"""`app.py verify --repo` as anybody calls it: what is said, the exit code, what is left behind."""

from pathlib import Path

import pytest

from leaderboard.cli import main
from submissions import layout
from submissions.store.folder import PublishedFolder
from tests.hub.double import HubDouble
from tests.hub.fixtures import hub
from tests.submissions import published_example as example
from tests.submissions.hub_board import BOARD, mirror, publish

__all__ = ["hub"]


@pytest.fixture
def files(hub: HubDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PublishedFolder:
    """A board of one system; the hub that this process knows is the double."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", hub.endpoint)
    template = hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setenv("CASTBOARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return publish(tmp_path, example.SUBMISSIONS[0])


def test_an_honest_repo_is_identical(
    hub: HubDouble, files: PublishedFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The newest state is verified, its commit is named, exit code 0, and no copy stays."""
    commit = mirror(hub, files)
    assert main(["verify", "--repo", BOARD]) == 0
    told = capsys.readouterr().out
    assert "identical: 1 rows" in told and told.count(commit) == 2
    assert not (tmp_path / "home").exists()


def test_a_forged_repo_is_not(
    hub: HubDouble, files: PublishedFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed number is found and named, exit code 1; the honest commit before it verifies, in a folder."""
    honest = mirror(hub, files)
    path = layout.system_path(example.SUBMISSIONS[0])
    hub.put(BOARD, {path: files.read(path).replace(b'"1.2"', b'"9.9"')})
    assert main(["verify", "--repo", BOARD]) == 1
    assert path in capsys.readouterr().out
    copy = tmp_path / "copy"
    assert main(["verify", str(copy), "--repo", BOARD, "--revision", honest]) == 0
    assert honest in capsys.readouterr().out
    assert main(["verify", str(copy)]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--repo", "ohm/nowhere"], "no public dataset repo ohm/nowhere"),
        (["--repo", BOARD, "--revision", "v7"], "no revision 'v7'"),
        (["--revision", "main"], "--repo org/name"),
    ],
)
def test_errors_are_sentences(
    hub: HubDouble,
    files: PublishedFolder,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    """What cannot be verified is told with what to do next, exit code 1."""
    mirror(hub, files)
    assert main(["verify", *arguments]) == 1
    assert told in capsys.readouterr().err
