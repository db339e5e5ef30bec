"""The published repo as a stranger loads it from a hub: a process of its own, over HTTP, without any token."""

import json
import os
import subprocess
import sys
from pathlib import Path

from submissions import layout
from submissions.fetch_repo import fetch_repo
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.verify import verify
from tests.hub.double import HubDouble
from tests.hub.examples import QUICK, open_repo
from tests.hub.fixtures import client_environ, hub
from tests.submissions import dataset_reader as reader
from tests.submissions import published_example as example
from tests.submissions.hub_board import BOARD, mirror, publish

__all__ = ["hub"]

_LOADER = """
import json, sys
import datasets
datasets.disable_progress_bars()
repo, commit, names = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
held = {}
for name in names:
    loaded = datasets.load_dataset(repo, name, split="train", revision=commit)
    held[name] = [loaded.num_rows, type(loaded.features.get("flac")).__name__]
exec(sys.stdin.read())
held["code"] = [len(samples), rate_hz, one.num_rows, sorted(set(rows["submission"]))]
print(json.dumps(held))
"""


def test_every_configuration_opens_over_http(hub: HubDouble, tmp_path: Path) -> None:
    """Each table at a pinned commit, and the code of the card at the newest state; nothing is asked with a token."""
    files = publish(tmp_path, *example.SUBMISSIONS)
    commit = mirror(hub, files)
    card = files.read(layout.DATASET_CARD).decode()
    names = reader.configurations(card)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", _LOADER, BOARD, commit, ",".join(names)],
        input=reader.code_of(card, BOARD),
        env=kept | client_environ(hub.endpoint, tmp_path / "hf"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    held = json.loads(done.stdout.splitlines()[-1])
    n_clips = 3 * (example.N_ITEMS - 1)
    assert held == {
        "leaderboard": [3, "NoneType"],
        "per_sample": [3 * example.N_ITEMS, "NoneType"],
        "decisions": [3, "NoneType"],
        "clips": [n_clips, "Audio"],
        "code": [held["code"][0], 8_000, example.N_ITEMS - 1, sorted(example.SUBMISSIONS)],
    }
    assert held["code"][0] > 1_000 and not hub.seen("whoami")


def test_the_card_comes_in_the_commit_of_the_row(hub: HubDouble, tmp_path: Path) -> None:
    """Two rows are two commits, each with its own card; the repo verifies without a note at either."""
    cache = BlobCache(tmp_path / "cache", 1 << 30)
    files = HubPublished(open_repo(hub, BOARD), cache, tmp_path / "state")
    for name in example.SUBMISSIONS[:2]:
        example.send(files, example.submission(tmp_path / name, name), example.protocol())
    commits = [commit.id for commit in hub.history(BOARD) if layout.DATASET_CARD in commit.files][:2]
    for n_rows, commit in zip((2, 1), commits, strict=True):
        folder = tmp_path / commit
        fetch_repo(BOARD, folder, revision=commit, endpoint=hub.endpoint, limits=QUICK)
        report = verify(folder)
        assert (report.is_identical, report.notes, report.counts.n_rows) == (True, (), n_rows)
        card = (folder / layout.DATASET_CARD).read_text()
        assert f'repo = "{BOARD}"' in card and f"--repo {BOARD} " in card
        names = reader.configurations(card)
        assert ("decisions" in names) == (n_rows > 1)
