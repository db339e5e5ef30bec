"""Duels as this machine holds them: which judge hears a board's, who is meant by a name, and what it would take."""

from collections.abc import Callable, Sequence

from evaluation.errors import CastboardError
from evaluation.judge import embedded, preparation, rubrics
from evaluation.judge.judging_check import check_recipe
from evaluation.judge.spend import Price, RunEstimate
from evaluation.pins import Anchor, JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.traits import NATURALNESS
from leaderboard.views import Row
from submissions.duel_contest import Contest, DuelRefused, contest, obstacles
from submissions.duel_work import expected
from submissions.duels import without_anchor
from submissions.store.base import PublishedFiles

_MICRO = 1_000_000
_MAX_OUTPUT_TOKENS = 800


def board_recipe(protocol: Protocol) -> JudgeRecipe:
    """Return what hears the duels of a protocol's board: its own judge, or the embedded one where it has none."""
    return embedded_recipe() if protocol.judge is None else without_anchor(protocol.judge)


def embedded_recipe() -> JudgeRecipe:
    """Return the recipe of the judge in this process: naturalness alone, without a network, a key or a bill."""
    return JudgeRecipe(
        backend="embedded",
        model=embedded.MODEL,
        dimensions=(NATURALNESS,),
        is_combined=False,
        votes=1,
        prompt=rubrics.VERSION,
        texts=rubrics.hashes(),
        preparation=preparation.settings(),
        temperature=0.0,
        max_output_tokens=_MAX_OUTPUT_TOKENS,
        n_asks=1,
        anchor=Anchor(name="", submission="", clips={}),
    )


def meant(name: str, rows: Sequence[Row]) -> str:
    """Return the submission that a name means: an id, or a system's name with or without its version.

    Raises:
        DuelRefused: if it means none or several.
    """
    wanted = " ".join(name.split()).casefold()
    exact = [row.submission for row in rows if row.submission == name]
    full = [row.submission for row in rows if row.name.casefold() == wanted]
    found = exact or full or [row.submission for row in rows if row.system.casefold() == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise DuelRefused(f"{name!r:.80} means {len(found)} systems, give an id: {', '.join(found)}")
    raise DuelRefused(f"no system of this board is called {name!r:.80}; its ids stand on the Queue page")


def prepared(
    files: PublishedFiles,
    protocol: Protocol,
    pair: tuple[str, str] | None,
    *,
    recipe: JudgeRecipe | None,
    opens: Callable[[JudgeRecipe], object] = lambda _: None,
    faults: Sequence[str] = (),
) -> Contest:
    """Return the contest of a pair, if nothing at all stands in its way.

    Args:
        files: the published layout.
        protocol: beside whose board it stands.
        pair: both submissions; None if `faults` say why they are not known.
        recipe: the judge; None: there is none.
        opens: tries to open the judge; its errors count.
        faults: what is known to stand in the way already.

    Raises:
        DuelRefused: naming every reason at once.
    """
    in_the_way = [*faults, *(obstacles(files, protocol.id, *pair) if pair else ())]
    match = None
    if recipe is None:
        in_the_way.append(
            f"protocol {protocol.name} has no judge; --judge embedded lets the predictor on this machine hear "
            "naturalness, and the duel says so"
        )
    elif pair and not in_the_way:
        match = contest(files, protocol, recipe, *pair)
    if recipe is not None:
        for check in (opens, lambda asked: check_recipe(asked, match.sent if match else ())):
            try:
                check(recipe)
            except CastboardError as error:
                in_the_way.append(str(error))
    if in_the_way or match is None:
        raise DuelRefused("this duel cannot be held:\n" + "\n".join(f"- {fault}" for fault in in_the_way))
    if not match.sent:
        raise DuelRefused("this duel cannot be held: there is no item on which both clips may be heard")
    return match


def price_of_duel(match: Contest, prices: Sequence[Price]) -> tuple[RunEstimate, int | None]:
    """Return what a duel would take, and the most that it costs in millionths of a USD; None if that is not known."""
    found = expected(match, tuple(prices))
    return found, 0 if match.recipe.backend == "embedded" else found.micro_usd


def estimate_sentence(match: Contest, prices: Sequence[Price]) -> str:
    """Return calls, audio, tokens and money of a duel in a sentence; replies that are kept already cost nothing."""
    found, cost = price_of_duel(match, prices)
    who = judge_name(match.recipe)
    start = (
        f"{who} would be asked {found.calls:,} times about {len(match.sent):,} items in "
        f"{', '.join(match.recipe.dimensions)}: {found.audio_s / 60:,.1f} minutes of audio"
    )
    if match.recipe.backend == "embedded":
        return start + ", on this machine, without a bill."
    money = "a price that is not known" if cost is None else f"at most {usd(cost)}"
    return (
        f"{start}, {found.input_tokens:,} tokens in, at most {found.output_tokens:,} out, {money}. Replies that are "
        "kept already cost nothing."
    )


def judge_name(recipe: JudgeRecipe) -> str:
    """Return what a recipe's judge is called; hostile text."""
    if recipe.backend == "embedded":
        return f"The embedded predictor {recipe.model}"
    return f"The judge {recipe.model}"


def usd(micro_usd: int) -> str:
    """Return an amount as text."""
    return (
        f"{micro_usd / _MICRO:,.2f} USD" if micro_usd >= 10_000 or micro_usd == 0 else f"{micro_usd / _MICRO:.6f} USD"
    )
