"""A small judged board whose systems can meet, and judges on this machine that hear them."""

import dataclasses
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evaluation.judge import preparation, rubrics
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller, Policy
from evaluation.judge.judging import JudgingProgress
from evaluation.judge.open_backend import open_backend
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from submissions.duel_contest import Contest, contest
from submissions.duel_desk import DuelDesk
from submissions.duel_orders import DuelOrders
from submissions.duel_work import hold_duel
from submissions.duels import Duel, without_anchor
from submissions.store.folder import FolderStore, PublishedFolder
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example
from tests.submissions.judged_evaluation import reply

A, B, THIRD = example.SUBMISSIONS
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HASTY = Policy(n_tries=2, first_wait_s=0.0, longest_wait_s=0.0, n_failures=2, pause_s=60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """A home with a judged board of three systems."""

    home: Path
    protocol: Protocol
    files: PublishedFolder
    recipe: JudgeRecipe

    def match(self, one: str = A, other: str = B) -> Contest:
        """Return who meets."""
        return contest(self.files, self.protocol, self.recipe, one, other)

    def caller(self, server: Loopback) -> Callable[[JudgeRecipe, str], AbstractContextManager[Caller]]:
        """Return what opens the judge at `server`, with this home's cache."""
        url = server.gemini_url if self.recipe.backend == "gemini" else server.openai_url
        cache = FolderCache(folder=self.home / "judge" / "replies")

        def opened(wanted: JudgeRecipe, run: str) -> Caller:
            backend = open_backend(wanted.backend, wanted.model, url=url, key="k", timeout_s=10)
            return Caller(backend, cache=cache, run=run, policy=HASTY)

        return opened

    def hold(
        self,
        server: Loopback,
        *pair: str,
        on_progress: Callable[[JudgingProgress], None] = lambda _: None,
        n_parallel: int = 1,
    ) -> Duel:
        """Hold a duel with the judge at `server`."""
        return hold_duel(
            self.match(*pair),
            files=self.files,
            store=FolderStore(self.home),
            open_judge=self.caller(server),
            n_parallel=n_parallel,
            on_progress=on_progress,
        )

    def desk(self, server: Loopback) -> DuelDesk:
        """Return what a worker carries out orders with."""
        return DuelDesk(
            orders=DuelOrders(self.home / "duels"),
            find_protocol=lambda _: self.protocol,
            recipe_of=lambda _: self.recipe,
            open_judge=self.caller(server),
            n_parallel=1,
        )


def ring(home: Path, *, backend: str = "openai", is_judged: bool = True) -> Ring:
    """Publish three systems and return their ring; without a judge, the recipe is still one for `backend`."""
    under = judged.protocol(anchor=judged.anchor_clips(home / "anchor"))
    assert under.judge is not None
    true = dataclasses.replace(
        under.judge,
        backend=backend,
        model="tiny-judge",
        texts=rubrics.hashes(),
        prompt=rubrics.VERSION,
        preparation=preparation.settings(),
        n_asks=2,
    )
    under = dataclasses.replace(under, judge=true) if is_judged else example.protocol()
    files = PublishedFolder(home / "published")
    for name in example.SUBMISSIONS:
        one = (
            judged.submission(home / "made" / name, name, under) if is_judged else example.submission(home / name, name)
        )
        example.send(files, one, under)
    return Ring(home=home, protocol=under, files=files, recipe=without_anchor(true))


def longer_wins(seen: RequestSeen) -> ReplyPlan:
    """Prefer the longer clip, whichever comes first; a tie for two alike."""
    first, second = map(len, seen.sounds)
    if first == second:
        return ReplyPlan(text=reply(2, 2, "tie"))
    return ReplyPlan(text=reply(3, 1, "a") if first > second else reply(1, 3, "b"))


def liar(seen: RequestSeen) -> ReplyPlan:
    """Break off in the middle of every other reply."""
    plan = longer_wins(seen)
    return ReplyPlan(text=plan.text[:-9]) if seen.number % 2 == 0 else plan


def payload(path: Path) -> dict[str, object]:
    """Return a JSON file."""
    found: dict[str, object] = json.loads(path.read_bytes())
    return found
