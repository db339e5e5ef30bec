"""Two workers on one queue, whatever the order of their steps and whatever the hub does: one row each, none lost."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions import worker
from submissions.records import decode_event
from submissions.state import IllegalEvent, State, fold
from tests.hub.double import HubDouble
from tests.hub.repos import Repo
from tests.submissions.interleaving import MarkingAttempt, Scene
from tests.submissions.small_evaluation import acoustic_protocol, write_corpus

N_STORIES = 200


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubDouble]:
    """Give one hub for all stories."""
    with HubDouble(tmp_path_factory.mktemp("hub")) as double:
        yield double


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let evaluations take no time, nor the disk: power cuts play no part here."""
    monkeypatch.setattr(worker, "Attempt", MarkingAttempt)
    monkeypatch.setattr(os, "fsync", lambda _: None)


def see(scene: Scene) -> None:
    """Fail unless each submission has one row, ever, and a sound history that ends with it."""
    for name in scene.names:
        rows, kinds = scene.rows(name), scene.kinds(name)
        story = "\n".join(scene.turns.story)
        assert len(rows) == 1, f"{name} has the rows {rows}\n{story}"
        path = f"work/{name}/events/"
        events = [decode_event(scene.hub.read(scene.work, path + kind), kind) for kind in kinds]
        state = fold(name, events)
        assert (state.state, state.attempts) == (State.PUBLISHED, 0), f"{kinds}\n{story}"
        assert sum("published" in kind for kind in kinds) == 1, kinds


@pytest.mark.parametrize("tens", range(N_STORIES // 10))
def test_every_submission_is_published_once(hub: HubDouble, quick: None, tmp_path: Path, tens: int) -> None:
    """No row is written twice with different claims, none is missing, and no history is broken."""
    protocol = acoustic_protocol(write_corpus(tmp_path / "corpus.jsonl", 2))
    for seed in range(10 * tens, 10 * tens + 10):
        see(Scene(hub, tmp_path / str(seed), seed, protocol).play())


def test_without_the_parent_it_would_go_wrong(
    hub: HubDouble, quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same stories fail on a hub that does not look at what a commit is on top of: they can fail."""
    protocol, whole = acoustic_protocol(write_corpus(tmp_path / "corpus.jsonl", 2)), Repo.commit

    def careless(self, changed, title, message, author, parent):
        return whole(self, changed, title, message, author, None)

    monkeypatch.setattr(Repo, "commit", careless)
    with pytest.raises((AssertionError, IllegalEvent, KeyError)):
        for seed in range(1000, 1010):
            see(Scene(hub, tmp_path / str(seed), seed, protocol).play())
