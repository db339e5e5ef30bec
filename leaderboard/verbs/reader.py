"""Verbs of a reader: fetch a published board, verify it, measure its clips again."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.errors import CastboardError
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, ItemId
from evaluation.run import Memory
from evaluation.stages import read_clips
from leaderboard.settings import Settings
from leaderboard.stations import local_engine
from leaderboard.terminal import say
from submissions.fetch import fetch
from submissions.remeasure import Reader
from submissions.verify import render, verify


def run_fetch(options: argparse.Namespace, _: Settings) -> int:
    """Download the published files of a Castboard site into a folder."""
    report = fetch(options.url, options.folder, on_file=lambda path: say(f"  {path}"))
    say(f"{report.n_fetched} files fetched, {report.n_kept} were there already. Next: app.py verify {options.folder}")
    return 0


def run_verify(options: argparse.Namespace, settings: Settings) -> int:
    """Recompute a published folder from its own files."""
    folder = options.folder or settings.home / "published"
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
