"""Carrying out a duel: what it would take, the clips onto this machine, the judge, the committed comparison."""

import logging
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from evaluation.codec import sha256_of
from evaluation.errors import SchemaError
from evaluation.judge.calls import Caller
from evaluation.judge.judging import JudgingProgress, duel_clips
from evaluation.judge.judging_calls import HeardClip
from evaluation.judge.spend import Price, RunEstimate
from evaluation.judge_stage import expect
from evaluation.pins import JudgeRecipe
from evaluation.records import ItemId
from submissions import layout
from submissions.duel_contest import Contest, commit
from submissions.duels import Duel
from submissions.store.base import PublishedFiles, WorkStore

log = logging.getLogger(__name__)

OpenJudge = Callable[[JudgeRecipe, str], AbstractContextManager[Caller]]


def expected(match: Contest, prices: tuple[Price, ...]) -> RunEstimate:
    """Return what a duel would take if nothing had been answered before: calls, audio, tokens, money.

    Raises:
        ProtocolError: if the recipe's texts are not those of this version.
    """
    sent = [item.id for item in match.sent]
    a, b = ([match.evidence[name].clips[item] for item in sent] for name in (match.a, match.b))
    return expect(match.recipe, a, b, prices)


def run_name(match: Contest) -> str:
    """Return the name of a duel's run in the books; the budget of one submission holds for it."""
    return f"duel.{match.protocol.id}.{sha256_of(f'{match.a}--{match.b}'.encode())[:16]}"


def hold_duel(
    match: Contest,
    *,
    files: PublishedFiles,
    store: WorkStore,
    open_judge: OpenJudge,
    n_parallel: int,
    on_progress: Callable[[JudgingProgress], None],
) -> Duel:
    """Judge every item that both may be heard on, publish the duel and return it.

    Started again after any interruption it repeats no call that was answered.

    Args:
        match: who meets, and which items are put to the judge.
        files: the published layout, which has the clips.
        store: keeps other publishers out while the duel is written.
        open_judge: opens the judge for the run of a name.
        n_parallel: calls at once, >= 1.
        on_progress: told before the first call and after every item; may raise to stop.

    Raises:
        DuelRefused, ProtocolError, SchemaError: it cannot be held.
        JudgeUnavailable, BudgetSpent: not now; nothing is lost.
        JudgeMisconfigured, MissingDependency, PriceUnknown: not with these settings.
    """
    with tempfile.TemporaryDirectory(prefix="castboard-duel-") as name:
        a, b = (_clips(files, match, submission, Path(name)) for submission in (match.a, match.b))
        with open_judge(match.recipe, run_name(match)) as caller:
            judged = duel_clips(
                recipe=match.recipe,
                items=match.sent,
                clips_a=a,
                clips_b=b,
                skipped={},
                caller=caller,
                n_parallel=n_parallel,
                on_progress=on_progress,
            )
    with store.publishing():
        duel = files.change(f"Duel of {match.a} and {match.b}", lambda draft: commit(draft, match, judged.replies))
    log.info("duel.published", extra={"protocol": match.protocol.id, "a": match.a, "b": match.b})
    return duel


def _clips(files: PublishedFiles, match: Contest, submission: str, folder: Path) -> dict[ItemId, HeardClip]:
    """Copy the clips that are put to the judge into `folder`, and return them."""
    path = layout.clips_path(submission)
    evidence = match.evidence[submission]
    wanted = {item.id for item in match.sent}
    place = folder / submission
    place.mkdir()
    found: dict[ItemId, HeardClip] = {}
    for row in layout.clip_rows(files.read(path), path):
        item = ItemId(row["item_id"])
        if item not in wanted:
            continue
        named = evidence.clips[item].sha256
        if sha256_of(row["flac"]) != named:
            raise SchemaError(f"{path}: the clip of {item} is not the one that was measured, {named}")
        (place / f"{item}.flac").write_bytes(row["flac"])
        found[item] = HeardClip(sha256=named, path=place / f"{item}.flac", acoustics=evidence.readings[item].acoustics)
    missing = sorted(wanted - found.keys())
    if missing:
        raise SchemaError(f"{path}: no clip of {', '.join(missing[:5])} ({len(missing)} in all)")
    return found
