"""What a worker on this machine works with: the home's folders, the local engine, the judges, the clock."""

from datetime import UTC, datetime

from evaluation.corpus import Corpus
from evaluation.engine.local import LocalEngine
from evaluation.frozen_constants import refuse_analysis
from evaluation.preflight import preflight
from evaluation.probes.contour import ContourReader
from evaluation.protocol import Protocol
from leaderboard.context import DUELS, VOTES
from leaderboard.duels import board_recipe
from leaderboard.judges import Judges
from leaderboard.protocols import find
from leaderboard.settings import Settings
from leaderboard.stores import HUB_LEASE_S, published_files, work_store_of_worker
from submissions import queue
from submissions.duel_desk import DuelDesk
from submissions.duel_orders import DuelOrders
from submissions.station import Station
from submissions.votes import VoteJournal


def station(settings: Settings, protocol: Protocol, corpus: Corpus, name: str, *, is_sole: bool = False) -> Station:
    """Return the station of the worker called `name`; `is_sole` if one worker alone has that name at a time.

    Raises:
        SchemaError: if the operator's price file is not one.
    """
    judges = Judges(settings)

    def check(wanted: Protocol) -> None:
        refuse_analysis(wanted)
        preflight(
            wanted,
            items=corpus.items,
            models=settings.models,
            allows_non_commercial=settings.allows_non_commercial,
        )
        if wanted.judge is not None:
            judges.open(wanted.judge, "preflight")

    return Station(
        name=name,
        store=work_store_of_worker(settings),
        published=published_files(settings),
        corpus=corpus,
        protocol=protocol,
        open_engine=lambda wanted: local_engine(settings, wanted),
        preflight=check,
        clock=lambda: datetime.now(UTC),
        find_protocol=lambda protocol_id: find(settings, protocol_id),
        open_judge=judges.open,
        judge_prices=judges.prices,
        judge_n_parallel=settings.judge_n_parallel,
        duels=DuelDesk(
            orders=DuelOrders(settings.home / DUELS),
            find_protocol=lambda protocol_id: find(settings, protocol_id),
            recipe_of=board_recipe,
            open_judge=judges.open,
            n_parallel=settings.judge_n_parallel,
        ),
        open_contours=lambda: ContourReader.load().read,
        votes=VoteJournal(settings.home / VOTES),
        decoder_processes=settings.n_processes,
        lease_s=queue.LEASE_S if settings.hub is None else HUB_LEASE_S,
        began=datetime.now(UTC) if is_sole else None,
        is_shared=settings.hub is not None,
    )


def local_engine(settings: Settings, protocol: Protocol) -> LocalEngine:
    """Return an engine of this machine that reads with a protocol's instruments."""
    return LocalEngine(
        protocol,
        n_processes=settings.n_processes,
        models=settings.models,
        allows_non_commercial=settings.allows_non_commercial,
    )
