"""What a worker on this machine works with: the home's folders, the local engine, the clock."""

from datetime import UTC, datetime

from evaluation.corpus import Corpus
from evaluation.engine.local import LocalEngine
from evaluation.preflight import preflight
from evaluation.protocol import Protocol
from leaderboard.settings import Settings
from submissions.attempt import Station
from submissions.store.folder import FolderStore, PublishedFolder


def station(settings: Settings, protocol: Protocol, corpus: Corpus, name: str) -> Station:
    """Return the station of the worker called `name`."""
    return Station(
        name=name,
        store=FolderStore(settings.home),
        published=PublishedFolder(settings.home / "published"),
        corpus=corpus,
        protocol=protocol,
        open_engine=lambda: LocalEngine(protocol, n_processes=settings.n_processes),
        preflight=lambda: preflight(protocol),
        clock=lambda: datetime.now(UTC),
        decoder_processes=settings.n_processes,
    )
