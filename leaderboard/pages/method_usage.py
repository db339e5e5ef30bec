"""The method page's part on cost: what the judge of a board has used so far, and the prices that were counted with."""

from collections.abc import Callable, Sequence

from evaluation.judge.spend import Price, price_of
from evaluation.pins import JudgeRecipe
from leaderboard import display, shell
from leaderboard.markup import Child, Markup, el, join
from leaderboard.views import Board
from submissions.replies import JudgeUsage

_MICRO = 1_000_000


def section(board: Board, prices: Sequence[Price]) -> Markup | None:
    """Return the section; None for a board without a judge."""
    recipe = board.protocol.judge
    if recipe is None:
        return None
    usages = [row.judge_usage for row in board.rows if row.judge_usage is not None]
    lead = (
        f"As the provider counted it, over {display.count(len(usages), 'system')} of this board. Replies that were "
        "kept from an earlier run were paid for then and count once."
        if usages
        else "No system of this board has been judged yet."
    )
    return el(
        "section",
        el("h2", "What judging costs"),
        el("p", lead),
        shell.scroll_box(_table(usages), "Usage of the judge") if usages else None,
        _models(usages, recipe),
        el("h3", "Prices"),
        _prices(recipe, prices),
        id="usage",
    )


def money(micro_usd: float) -> str:
    """Return an amount in USD; small ones with more digits."""
    usd = micro_usd / _MICRO
    return f"{usd:,.2f} USD" if usd >= 1 or not usd else f"{usd:.4f} USD"


def _table(usages: Sequence[JudgeUsage]) -> Markup:
    counts: tuple[tuple[str, Callable[[JudgeUsage], int]], ...] = (
        ("Replies", lambda one: one.n_calls),
        ("of them asked for again", lambda one: one.n_malformed),
        ("Tokens in", lambda one: one.input_tokens),
        ("of them audio", lambda one: one.audio_tokens),
        ("Tokens out", lambda one: one.output_tokens),
    )
    rows = [(label, [read(one) for one in usages]) for label, read in counts]
    lines = [_line(label, f"{sum(each):,}", f"{sum(each) / len(each):,.0f}") for label, each in rows]
    costs = [one.cost_micro_usd for one in usages if one.cost_micro_usd is not None]
    n_unknown = len(usages) - len(costs)
    label = f"Spend ({n_unknown} of {len(usages)} not known)" if n_unknown else "Spend"
    spend = (money(sum(costs)), money(sum(costs) / len(costs))) if costs else (display.DASH, display.DASH)
    lines.append(_line(label, *spend))
    head = el(
        "tr",
        el("td"),
        *(shell.column(text, "cb-num") for text in ("Whole board", "Mean of a system")),
    )
    return el("table", el("thead", head), el("tbody", *lines), cls="cb-table", id="usage-table")


def _line(label: str, total: str, mean: str) -> Markup:
    return el("tr", el("th", label, scope="row"), el("td", total, cls="cb-num"), el("td", mean, cls="cb-num"))


def _models(usages: Sequence[JudgeUsage], recipe: JudgeRecipe) -> Markup | None:
    names = sorted({name for one in usages for name in one.models})
    if not names:
        return None
    answered = join(*(el("code", name) for name in names), by=", ")
    return el("p", "Asked for: ", el("code", recipe.model), ". Answered, by its own word: ", answered, ".")


def _prices(recipe: JudgeRecipe, prices: Sequence[Price]) -> Markup:
    price = price_of(prices, backend=recipe.backend, model=recipe.model)
    if price is None:
        return el(
            "p",
            "No price is known here of ",
            el("code", recipe.model),
            ", so no spend can be told, and no budget can be kept. The operator can name one.",
        )
    pairs: list[tuple[str, Child]] = [
        ("Text in", _per_million(price.text_in)),
        ("Audio in", join(_per_million(price.audio_in), f", {price.audio_tokens_per_s} tokens a second")),
        ("Out", _per_million(price.out)),
        ("Said by", shell.linked(price.source)),
        ("Read on", price.as_of),
    ]
    note = "A row keeps the spend at the prices of its own day; the prices below are today's."
    return join(el("p", note), shell.facts(pairs))


def _per_million(amount: object) -> str:
    return f"{amount} USD for a million tokens"
