"""The method page's part on the judge: what it hears and is asked, what a verdict is, what happens if it fails."""

from collections.abc import Mapping, Sequence

from evaluation.errors import ProtocolError
from evaluation.judge import rubrics
from evaluation.judge.panel import questions
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.traits import NATURALNESS, named
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address

_BACKENDS = {
    "gemini": "Google's Gemini API",
    "openai": "an endpoint that speaks OpenAI's chat protocol",
    "embedded": "a model in this process; it predicts an opinion score and hears neither script nor rubric",
}
_BY_KIND = "trait_"
_WRONG: tuple[tuple[str, str], ...] = (
    (
        "A reply that is no verdict",
        "What can be meant in one way only is mended (a code fence, a comma too many); nothing is guessed, and a reply "
        "that was cut off is not used. The judge is asked again, up to {n_asks} times in all. Then the clip counts as "
        "“not judged”, never as 0, and a row with such a hole is not published until the judge has said something.",
    ),
    (
        "A judge that does not answer",
        "It is asked again after growing, random pauses, longer if it asks for that; after some failures in a row it "
        "is left alone for a while. The run then waits, as the Queue page tells, and goes on where it stopped: every "
        "reply is kept and none is paid for twice. No maker loses anything by it.",
    ),
    (
        "A budget that is spent",
        "Before each call the most that it can cost is set aside. A call that might cost more than is left is not "
        "made; the run waits for the next day or for its operator.",
    ),
    (
        "Another model that answers",
        "A reply counts only if the model that gave it, by its own word, is the one that the protocol names.",
    ),
    (
        "A clip or a script that speaks to the judge",
        "A clip that is heard to address the judge, or to say three or more words in a row of its own, is not sent and "
        "gets 0 in every judged dimension. Words that are not in the script cost the gate. Script and instruction are "
        "marked as data that gives no orders. A verdict is only ever the one object of the reply, never a part of a "
        "text in it. No corpus with such a script is accepted.",
    ),
    (
        "A clip that failed already",
        "One without speech, or with other words than the script, is not sent: it scores 0 whatever a judge would say.",
    ),
)


def section(protocol: Protocol) -> Markup | None:
    """Return the section; None for a protocol without a judge."""
    recipe = protocol.judge
    if recipe is None:
        return None
    said = {"n_asks": recipe.n_asks}
    return el(
        "section",
        el("h2", "The judge"),
        el("p", _lead(protocol)),
        shell.facts(_facts(recipe)),
        el("h3", "From replies to a verdict"),
        el("ol", *(el("li", line) for line in _way(recipe)), id="judge-verdict"),
        el("h3", "What it hears"),
        el("p", "Both clips go through the same steps first, so that neither gain nor silence can win:"),
        shell.facts([(name, what) for name, what in recipe.preparation.items()]),
        el("h3", "The anchor"),
        *(el("p", line) for line in _anchor(protocol, recipe)),
        el("h3", "When something goes wrong"),
        shell.facts([(what, text.format(**said)) for what, text in _WRONG]),
        el("h3", "Its rubrics, in full"),
        _texts(recipe),
        id="judge",
    )


def _lead(protocol: Protocol) -> str:
    names = " and ".join(words.header(name).label.lower() for name in protocol.judged)
    return (
        f"No instrument measures {names} well. A model that listens hears each clip beside the same item's clip of one "
        "fixed system, the anchor, and gives both 0 to 3 by a written rubric. It is not told who made either."
    )


def _facts(recipe: JudgeRecipe) -> list[tuple[str, Child]]:
    n_questions = len(questions(recipe))
    per_item = 2 * recipe.votes * n_questions
    how = "all in one call" if recipe.is_combined else "one call each"
    return [
        ("Model", el("code", recipe.model)),
        ("Reached through", _BACKENDS[recipe.backend]),
        ("Dimensions", f"{', '.join(words.header(name).label for name in recipe.dimensions)}; {how}"),
        ("Votes", f"{recipe.votes} in each of both orders: {display.count(per_item, 'call')} an item"),
        ("Sampling", f"temperature {recipe.temperature:g}, at most {recipe.max_output_tokens:,} tokens a reply"),
        ("Wording", el("code", recipe.prompt)),
    ]


def _way(recipe: JudgeRecipe) -> Sequence[str]:
    majority = (
        f"{recipe.votes} replies are asked for in each order, and in each the side with more than half of them wins; "
        "else that order is a tie."
        if recipe.votes > 1
        else "One reply is asked for in each order; its winner is that order's."
    )
    return (
        "A reply describes each clip by itself first, then compares, then gives two scores and a winner, as strict "
        "JSON.",
        "Every pair is heard in both orders: once the clip first, once the anchor.",
        majority,
        "A verdict is consistent if both orders name the same winner. If they do not (as with a judge that prefers "
        "whatever comes first) it is a tie, and is marked so wherever it is shown.",
        f"The clip's score is the mean over all {2 * recipe.votes} replies, not rounded; divided by 3 it is the "
        "desirability. Who wins against the anchor does not enter the composite; the score does.",
    )


def _anchor(protocol: Protocol, recipe: JudgeRecipe) -> tuple[Child, ...]:
    anchor = recipe.anchor
    page = address("/system", id=anchor.submission, protocol=protocol.id)
    name: Child = anchor.name or "none"
    if anchor.submission:
        name = el("a", name, href=page)
    calls = 2 * recipe.votes * len(questions(recipe)) * protocol.corpus.n_items
    return (
        join(
            "Every clip is heard beside that of ",
            name,
            f", whose {display.count(len(anchor.clips), 'clip')} are pinned by their hashes in the protocol.",
        ),
        f"Why one anchor: a new system takes at most {calls:,} calls, however many systems the board has, and all "
        "scores are given beside the same voice, so they can be compared across the board. Two systems that are close "
        "can be heard against each other too; such a duel stands beside the decision and never changes it.",
    )


def _texts(recipe: JudgeRecipe) -> Markup:
    texts = _readable(recipe)
    lead = (
        "The wording and every rubric, word for word as the judge gets them; the protocol pins each file by its sha256."
        if texts
        else "This installation has other texts than the protocol pins, so only their hashes can be shown here."
    )
    blocks = [
        el(
            "details",
            el("summary", el("b", _title(path)), el("span", f" {_use(path, recipe)}", cls="cb-soft")),
            el("p", f"{path}, sha256 ", el("code", sha256, cls="cb-hash"), cls="cb-small"),
            el("pre", texts[path], cls="cb-rubric", tabindex=0) if path in texts else None,
            cls="cb-instrument",
        )
        for path, sha256 in recipe.texts.items()
    ]
    return el("div", el("p", lead), *blocks, id="judge-rubrics")


def _readable(recipe: JudgeRecipe) -> Mapping[str, str]:
    """Return the texts of a recipe by path; nothing if this installation has others."""
    try:
        texts = rubrics.of_recipe(recipe)
    except ProtocolError:
        return {}
    wording = "\n\n".join(f"## {name}\n\n{text}" for name, text in texts.sections.items())
    return {path: texts.rubrics.get(_stem(path), wording) for path in recipe.texts}


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _title(path: str) -> str:
    return _stem(path).replace("_", ", ", 1).replace("_", " ").capitalize()


def _use(path: str, recipe: JudgeRecipe) -> str:
    stem = _stem(path)
    if stem == "prompt":
        return "the wording around the rubrics"
    if stem.startswith(f"{NATURALNESS}_"):
        return f"for items of this category{'' if NATURALNESS in recipe.dimensions else '; not asked for here'}"
    if stem in recipe.dimensions:
        return "asked for here"
    if not stem.startswith(_BY_KIND):
        return "not asked for here"
    own = {_stem(other) for other in recipe.texts}
    users = [one.name for one in named(set(recipe.dimensions) - own) if stem == f"{_BY_KIND}{one.kind.value}"]
    return f"for {', '.join(users)}" if users else "for traits without a rubric of their own; none is judged here"
