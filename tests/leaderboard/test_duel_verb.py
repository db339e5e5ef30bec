"""`app.py duel`: every reason at once, the cost before, the embedded judge on real clips, and again for nothing."""

import json
from pathlib import Path

import pytest

from evaluation.protocol import encode
from leaderboard.cli import main
from leaderboard.context import Context
from submissions import layout
from submissions.duel_contest import committed_duel
from submissions.duel_orders import DuelOrders
from submissions.verify import verify
from tests.evaluation.judge.loopback import Loopback
from tests.leaderboard.cast import SIX, make_site
from tests.submissions.duel_example import HASTY, A, B, Ring, longer_wins, ring
from tests.submissions.judged_evaluation import after, down

FIRST, OTHER = SIX[0].id, SIX[2].id


def use(monkeypatch: pytest.MonkeyPatch, home: Path, protocol: str, **more: str) -> None:
    """Set the environment of the verb."""
    for name, value in {"HOME": str(home), "PROTOCOL": protocol, **more}.items():
        monkeypatch.setenv(f"CASTBOARD_{name}", value)


@pytest.fixture
def lite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    """A small board of a protocol without a judge."""
    context = make_site(tmp_path, SIX[:3])
    (tmp_path / "small.json").write_bytes(encode(context.protocols[0]))
    use(monkeypatch, tmp_path, str(tmp_path / "small.json"))
    return context


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ring:
    """A small board of a judged protocol, with a price for its judge."""
    stage = ring(tmp_path)
    price = {
        "backend": "openai",
        "model": "*",
        "text_in": "1",
        "audio_in": "1",
        "out": "1",
        "audio_tokens_per_s": "32",
        "source": "a test",
        "as_of": "2026-01-01",
    }
    (tmp_path / "prices.json").write_text(json.dumps({"schema_version": 1, "prices": [price]}))
    (tmp_path / "judged.json").write_bytes(encode(stage.protocol))
    use(monkeypatch, tmp_path, str(tmp_path / "judged.json"), JUDGE_PRICES=str(tmp_path / "prices.json"))
    return stage


def test_every_reason_is_told_at_once(lite: Context, capsys: pytest.CaptureFixture[str]) -> None:
    """Unknown and ambiguous names and a missing judge, in one answer."""
    assert main(["duel", "nobody", "Larkspur"]) != 0
    told = capsys.readouterr().err
    assert "no system of this board is called 'nobody'" in told
    assert "'Larkspur' means 2 systems" in told
    assert "has no judge; --judge embedded" in told
    lite.files.remove(layout.clips_path(OTHER))
    assert main(["duel", FIRST, "halyard  tts 1.0"]) != 0
    told = capsys.readouterr().err
    assert f"the clips of {OTHER} are not published" in told and "has no judge" in told


def test_a_judge_that_is_not_set_up_is_a_reason(judged: Ring, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the others."""
    assert main(["duel", A, "nobody", "--judge", "embedded"]) != 0
    told = capsys.readouterr().err
    assert "has a judge of its own, tiny-judge" in told and "'nobody'" in told and "key" in told.lower()


@pytest.mark.models
def test_the_embedded_judge_hears_real_clips_for_nothing(lite: Context, capsys: pytest.CaptureFixture[str]) -> None:
    """No key, no network, no --yes; the duel names its judge, verifies, and is shown again at no cost."""
    assert main(["duel", FIRST, "halyard tts", "--judge", "embedded"]) == 0
    told = capsys.readouterr().out
    assert "without a bill" in told and "distillmos" in told and "Naturalness: A wins" in told
    duel = committed_duel(lite.files, lite.protocols[0].id, FIRST, OTHER)
    assert duel is not None and duel.recipe.backend == "embedded" and duel.overall.n_items > 0
    assert duel.usage.cost_micro_usd == 0
    assert verify(lite.home / "published").is_identical
    assert main(["duel", OTHER, FIRST, "--judge", "embedded"]) == 0
    assert "never changes" in capsys.readouterr().out


def test_money_is_spent_only_with_a_yes(
    judged: Ring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The estimate comes first; then an outage stops it, and started again it repeats no answered call."""
    with Loopback(after(3, down, longer_wins)) as server:
        monkeypatch.setenv("CASTBOARD_JUDGE_URL", server.openai_url)
        monkeypatch.setenv("CASTBOARD_JUDGE_KEY", "k")
        monkeypatch.setattr("leaderboard.judges.Policy", lambda per_minute: HASTY)
        assert main(["duel", A, B]) == 0
        told = capsys.readouterr().out
        assert "at most 0." in told and "--yes" in told and not server.seen
        assert main(["duel", A, B, "--yes"]) == 3
        assert "no call is repeated" in capsys.readouterr().out
        server.judge = longer_wins
        assert main(["duel", A, B, "--yes"]) == 0
        assert len(server.answered) == 2 * len(judged.match().sent)
    told = capsys.readouterr().out
    assert "3 of them kept from before" in told and "tiny-judge" in told
    assert verify(judged.home / "published").is_identical


def test_a_duel_that_a_worker_holds_is_left_to_it(
    judged: Ring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two never pay for the same calls."""
    with Loopback(longer_wins) as server, DuelOrders(judged.home / "duels").claimed(judged.protocol.id, A, B):
        monkeypatch.setenv("CASTBOARD_JUDGE_URL", server.openai_url)
        monkeypatch.setenv("CASTBOARD_JUDGE_KEY", "k")
        assert main(["duel", A, B, "--yes"]) != 0
        assert not server.seen
    assert "a worker of this home is carrying out this very duel" in capsys.readouterr().err
