"""The whole site on a board that lies on a hub: the same pages, few requests, one clip for one part of a file."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.records import ItemId
from leaderboard import media, ui
from leaderboard.context import Context, make_context
from leaderboard.gates.faults import speak_for
from submissions import layout, parquet
from submissions.store.base import StoreUnavailable
from submissions.store.folder import FolderStore
from submissions.store.hub_cache import BlobCache
from submissions.store.hub_published import HubPublished
from submissions.store.hub_reader import BLOCK_BYTES
from submissions.store.hub_repo import HubRepo
from submissions.verify import verify
from tests.hub.double import HubDouble
from tests.hub.examples import QUICK, open_repo
from tests.leaderboard.cast import NOW, SIX, make_corpus, make_protocol, make_site, play
from tests.leaderboard.test_pages import PAGES

A, B, PARTS = SIX[0].id, SIX[1].id, SIX[:3]
QUERY = {"id": A, "a": A, "b": B, "systems": f"{A},{B}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """One board in a folder and the same on a hub."""

    hub: HubDouble
    """The hub."""
    folder: Context
    """Site of the folder."""
    n_commits: int
    """What publishing the board took."""
    n_requests: tuple[int, ...]
    """Requests of each publish."""


def site_on(hub: HubDouble, home: Path, folder: Context) -> tuple[Context, HubPublished]:
    """Return a site, and its files, of a process that has just started."""
    repo = HubRepo("ohm/board", token=hub.token, endpoint=hub.endpoint, limits=QUICK)
    files = HubPublished(repo, BlobCache(home / "cache", 1 << 30), home / "board")
    context = make_context(
        home=home,
        files=files,
        store=FolderStore(home),
        corpus=folder.corpus,
        protocols=folder.protocols,
        clock=lambda: NOW,
    )
    hub.forget_seen()
    return context, files


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """Three systems published through the real publisher, here and there."""
    home = tmp_path_factory.mktemp("folder")
    folder = make_site(home, PARTS)
    with HubDouble(tmp_path_factory.mktemp("hub")) as hub:
        files = HubPublished(open_repo(hub), BlobCache(home / "writer" / "cache", 1 << 30), home / "writer" / "board")
        corpus = make_corpus(tmp_path_factory.mktemp("corpus"))
        n_requests = []
        for part in PARTS:
            hub.forget_seen()
            play(files, corpus, make_protocol(corpus), part)  # type: ignore[arg-type] - any published files will do
            n_requests.append(len(hub.seen()))
        n_commits = len(hub.history("ohm/board")) - 1
        yield Both(hub=hub, folder=folder, n_commits=n_commits, n_requests=tuple(n_requests))


def test_publishing_is_one_commit_a_system(both: Both) -> None:
    """Each publish is one commit with all its files, in a handful of requests."""
    assert both.n_commits == len(PARTS)
    assert max(both.n_requests) <= 20
    titles = [commit.title for commit in both.hub.history("ohm/board")[:-1]]
    assert all(part.id in title for part, title in zip(reversed(PARTS), titles, strict=True))
    names = set(both.hub.paths("ohm/board")) - {".gitattributes"}
    assert names == set(both.folder.files.paths())


def test_pages_are_the_same(both: Both, tmp_path: Path) -> None:
    """Every page says on a hub what it says in a folder, to the letter."""
    site, _ = site_on(both.hub, tmp_path, both.folder)
    for name, page in PAGES.items():
        assert str(page(site, QUERY)) == str(page(both.folder, QUERY)), name


def test_start_pulls_the_small_tables_alone(both: Both, tmp_path: Path) -> None:
    """A start on an empty disk shows the board from its listing, the recipe and the two derived tables."""
    site, _ = site_on(both.hub, tmp_path, both.folder)
    ui.board_page(site, {})
    seen = both.hub.seen()
    fetched = {one.path.split("/resolve/")[1].split("/", 1)[1] for one in seen if one.kind == "resolve"}
    assert not any(path.startswith(("clips/", "per_sample/", "replies/")) for path in fetched), fetched
    assert len([one for one in seen if one.kind in ("info", "tree")]) == 2
    assert len(seen) <= 2 + 2 * len(fetched)
    n_seen = len(both.hub.seen())
    ui.board_page(site, {})
    again, _ = site_on(both.hub, tmp_path, both.folder)
    ui.board_page(again, {})
    assert (n_seen, both.hub.seen()) == (len(seen), [])


def test_board_without_the_hub(both: Both, tmp_path: Path) -> None:
    """A start while the hub is away shows the last good board; what was never fetched is away, not absent."""
    site, _ = site_on(both.hub, tmp_path, both.folder)
    shown = str(ui.board_page(site, {}))
    both.hub.down()
    try:
        again, files = site_on(both.hub, tmp_path, both.folder)
        files.refresh()
        assert str(ui.board_page(again, {})) == shown
        assert not files.health().is_reachable
        with pytest.raises(StoreUnavailable):
            layout.read_clip(files, A, ItemId("it-004"))
        app = FastAPI()
        app.include_router(media.router(again))
        speak_for(app)
        for address in (f"/media/clip/{A}/it-004/0123456789abcdef.flac", f"/published/clips/{A}.parquet"):
            answer = TestClient(app).get(address)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "15")
    finally:
        both.hub.calm()


def test_media_and_mirror_over_http(both: Both, tmp_path: Path) -> None:
    """A visitor gets clips and files from the hub's board as from a folder, and a copy of it verifies."""
    site, _ = site_on(both.hub, tmp_path / "home", both.folder)
    app = FastAPI()
    app.include_router(media.router(site))
    client = TestClient(app)
    sample = site.published.samples(site.published.board(""), [A])[A]["it-004"]
    assert sample.clip_sha256 is not None
    clip = client.get(f"/media/clip/{A}/it-004/{sample.clip_sha256[:16]}.flac")
    assert clip.content == layout.read_clip(both.folder.files, A, ItemId("it-004"))
    index = client.get("/published/index.json").json()
    for entry in index["files"]:
        target = tmp_path / "copy" / entry["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(client.get(f"/published/{entry['path']}").content)
    assert verify(tmp_path / "copy").is_identical


def test_one_clip_is_one_part_of_a_file(tmp_path: Path) -> None:
    """Of a submission of full size, hearing a clip fetches the end of its file, a few looks and one row group."""
    with HubDouble(tmp_path / "hub") as hub:
        files = HubPublished(open_repo(hub), BlobCache(tmp_path / "cache", 1 << 30), tmp_path / "board")
        sizes = _write_clips(tmp_path / "clips", n_items=496, n_bytes=20_000)
        files.write_file(layout.clips_path("system"), tmp_path / "clips")
        hub.forget_seen()
        for n, item in enumerate(("vb-00003", "vb-00250", "vb-00495")):
            before = sum(one.n_sent for one in hub.seen("cdn"))
            flac = layout.read_clip(files, "system", ItemId(item))
            assert flac == _clip(item, 20_000)
            n_fetched = sum(one.n_sent for one in hub.seen("cdn")) - before
            group = 16 * 20_000
            assert n_fetched <= group + 9 * BLOCK_BYTES, n
        n_requests = len(hub.seen("resolve"))
        assert n_requests <= 24
        assert sum(one.n_sent for one in hub.seen("cdn")) < sizes / 4
        for item in ("vb-00004", "vb-00251"):
            layout.read_clip(files, "system", ItemId(item))
        assert len(hub.seen("resolve")) == n_requests


def _clip(item: str, n_bytes: int) -> bytes:
    return random.Random(item).randbytes(n_bytes)


def _write_clips(path: Path, *, n_items: int, n_bytes: int) -> int:
    """Write a file of clips as the publisher cuts it; return its size."""
    items = [f"vb-{n:05d}" for n in range(n_items)]
    rows = [
        {"item_id": item, "sha256": "0" * 64, "flac": _clip(item, n_bytes), "duration_s": 1.0}
        | {"rate_hz": 24_000, "bit_depth": 16}
        for item in items
    ]
    groups = (
        pa.Table.from_pylist(rows[first : first + layout.CLIPS_PER_GROUP], layout.CLIPS_SCHEMA)
        for first in range(0, n_items, layout.CLIPS_PER_GROUP)
    )
    parquet.write_groups(path, layout.CLIPS_SCHEMA, groups)
    return path.stat().st_size
