"""The command line as the configured user: for whom it submits, what it has left, what names it asks for."""

from pathlib import Path

import pytest

from leaderboard.cli import main
from submissions import queue
from submissions.store.folder import FolderStore
from tests.leaderboard.test_cli import CARD, site  # noqa: F401 - a fixture
from tests.submissions.small_evaluation import make_corpus, tones, write_zip


def zip_of(folder: Path, version: str) -> str:
    """Write a zip of a version."""
    clips = tones(make_corpus(folder, 3))
    return str(write_zip(folder / f"{version}.zip", clips, system=CARD | {"version": version}))


def test_the_configured_user_submits_and_asks_for_names(
    site: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """For one of its organisations, within its quota; a new version names the older one; no other organisation."""
    for name, value in (("USER", "kim"), ("ORGANISATIONS", "aviary"), ("WEEKLY_PERSON", "2")):
        monkeypatch.setenv(f"CASTBOARD_{name}", value)
    assert main(["submit", zip_of(site, "1"), "--organisation", "evil-corp"]) == 1
    assert "kim may send for kim, aviary" in capsys.readouterr().err
    for version in ("1", "2"):
        assert main(["submit", zip_of(site, version), "--organisation", "aviary"]) == 0
    assert main(["submit", zip_of(site, "3")]) == 1
    assert "kim has used all 2 submissions of seven days" in capsys.readouterr().err
    one, two = queue.load_all(FolderStore(site / "home"))
    assert [state.received.card.organisation for state in (one, two)] == ["aviary", "aviary"]
    assert (one.received.supersedes, two.received.supersedes) == (None, one.submission)
    assert two.received.person is not None and two.received.person.account == "kim"

    names = ["--system", "Heron", "--organisation", "Marsh", "--reason", "We are called so now."]
    assert main(["ask-rename", two.submission, *names]) == 0
    wish = queue.load(FolderStore(site / "home"), two.submission).rename_asked
    assert wish is not None and wish.system == "Heron"
    assert main(["ask-rename", "s00000000000", *names]) == 1
    assert main(["ask-rename", two.submission, *names[:5], " "]) == 1
    assert "reason is missing" in capsys.readouterr().err
