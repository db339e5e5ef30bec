"""What it would cost to let the judge of a protocol hear stored submissions, before a single call is made."""

import math
from collections.abc import Mapping, Sequence

from evaluation.judge import prompt, rubrics
from evaluation.judge.backend import Sound
from evaluation.judge.spend import Price, RunEstimate, estimate
from evaluation.pins import JudgeRecipe
from evaluation.records import Item
from leaderboard.anchors import durations_s
from submissions.store.base import PublishedFiles

_SILENT = Sound(wav=b"", duration_s=0.0)
_MICRO = 1_000_000


def season_cost(
    files: PublishedFiles,
    recipe: JudgeRecipe,
    items: Sequence[Item],
    submissions: Sequence[str],
    prices: Sequence[Price],
) -> str:
    """Return a sentence on calls, audio, tokens and money for judging some submissions once.

    Args:
        files: the published layout, which tells the length of every published clip.
        recipe: the judge.
        items: the corpus's items.
        submissions: ids; one without a published clip is taken to be as long as the anchor.
        prices: the price table.
    """
    anchor = durations_s(files, recipe.anchor.submission)
    n_characters = characters_per_call(recipe, items)
    each = [
        _estimate(recipe, durations_s(files, submission) or anchor, anchor, n_characters, prices)
        for submission in submissions
    ]
    calls = sum(one.calls for one in each)
    hours = math.fsum(one.audio_s for one in each) / 3600
    tokens_in, tokens_out = sum(one.input_tokens for one in each), sum(one.output_tokens for one in each)
    known = [one.micro_usd for one in each if one.micro_usd is not None]
    money = f"at most {sum(known) / _MICRO:,.2f} USD" if len(known) == len(each) else "a price that is not known"
    return (
        f"The judge {recipe.model} would be asked {calls:,} times: {hours:,.1f} hours of audio, {tokens_in:,} tokens "
        f"in, at most {tokens_out:,} out, {money}; replies that are kept already cost nothing."
    )


def characters_per_call(recipe: JudgeRecipe, items: Sequence[Item]) -> int:
    """Return the mean number of characters of text in a call over `items`, rounded up.

    Raises:
        ProtocolError: if the recipe's texts are not those of this installation.
    """
    texts = rubrics.of_recipe(recipe)
    asked = [recipe.dimensions] if recipe.is_combined else [(name,) for name in recipe.dimensions]
    lengths = [
        prompt.n_characters(prompt.build_request(recipe, item, dimensions, _SILENT, _SILENT, texts=texts))
        for item in items
        for dimensions in asked
    ]
    return math.ceil(sum(lengths) / max(1, len(lengths)))


def _estimate(
    recipe: JudgeRecipe,
    clips: Mapping[str, float],
    anchor: Mapping[str, float],
    n_characters: int,
    prices: Sequence[Price],
) -> RunEstimate:
    both = sorted(clips.keys() & anchor.keys())
    return estimate(
        recipe,
        clip_s=[clips[item] for item in both],
        anchor_s=[anchor[item] for item in both],
        prompt_characters=n_characters,
        prices=prices,
    )
