"""Verbs of a reader: fetch a published board from a site, verify one from a folder or a hub, measure clips again."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, ItemId
from evaluation.run import Memory
from evaluation.stages import read_clips
from leaderboard.display import size
from leaderboard.settings import Settings
from leaderboard.stations import local_engine
from leaderboard.terminal import say
from submissions.fetch import fetch
from submissions.fetch_repo import fetch_repo
from submissions.remeasure import Reader
from submissions.store.base import StoreUnavailable
from submissions.verify import render, verify


def run_fetch(options: argparse.Namespace, _: Settings) -> int:
    """Download the published files of a Castboard site into a folder."""
    report = fetch(options.url, options.folder, on_file=lambda path: say(f"  {path}"))
    say(f"{report.n_fetched} files fetched, {report.n_kept} were there already. Next: app.py verify {options.folder}")
    return 0


def run_verify(options: argparse.Namespace, settings: Settings) -> int:
    """Recompute a published folder, or a public dataset repo, from its own files."""
    if options.repo is None:
        if options.revision is not None:
            raise CastboardError("--revision names a state of a repo; name the repo too: --repo org/name")
        return _verify(options, settings, options.folder or settings.home / "published")
    if options.folder is not None:
        return _verify_repo(options, settings, options.folder)
    with tempfile.TemporaryDirectory(prefix="castboard-verify-") as folder:
        return _verify_repo(options, settings, Path(folder))


def _verify_repo(options: argparse.Namespace, settings: Settings, folder: Path) -> int:
    try:
        found = fetch_repo(options.repo, folder, revision=options.revision, on_progress=_percent())
    except StoreUnavailable as error:
        raise CastboardError(
            f"{error}. Run this again later; in a folder that you name it goes on where it stopped: "
            f"app.py verify DIR --repo {options.repo}"
        ) from error
    kept = f", {found.n_kept} were there already" if found.n_kept else ""
    say(f"{options.repo} at commit {found.commit}: {found.n_fetched} files fetched{kept}")
    code = _verify(options, settings, folder)
    say(f"verified: {options.repo} at commit {found.commit}")
    return code


def _percent() -> Callable[[int, int], None]:
    """Return what says how far a download is, a line every tenth."""
    told = [0]

    def tell(n_here: int, n_all: int) -> None:
        tenth = 10 * n_here // max(1, n_all)
        if tenth > told[0]:
            told[0] = tenth
            say(f"  {10 * tenth}% of {size(n_all)}", sys.stderr)

    return tell


def _verify(options: argparse.Namespace, settings: Settings, folder: Path) -> int:
    if not folder.is_dir():
        raise CastboardError(f"there is no published folder at {folder}; name one: app.py verify DIR")
    report = verify(folder, deep=options.deep, seed=options.seed, open_reader=lambda: _reader(settings))
    say(render(report, n_shown=None if options.all else 1))
    return 0 if report.is_identical else 1


def _reader(settings: Settings) -> Reader:
    def read(protocol: Protocol, clips_dir: Path, clips: Sequence[Clip]) -> Mapping[ItemId, ClipReadings]:
        return read_clips(
            protocol=protocol,
            clips=clips,
            clips_dir=clips_dir,
            store=Memory(),
            open_engine=lambda wanted: local_engine(settings, wanted),
            shard_size=-(-len(clips) // settings.n_processes),
        )

    return read
