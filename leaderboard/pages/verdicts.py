"""What the judge said of one clip: scores, winners, reasoning in both orders, and its raw replies.

Everything that the judge wrote is text of a stranger: it is escaped, and long texts are cut behind "show all".
"""

from collections.abc import Sequence

from evaluation.judge.prompt import HIGHEST_SCORE
from evaluation.judge.replies import JudgeReply, Order
from evaluation.judge.verdict import Malformed, OneVerdict, parse
from evaluation.protocol import Protocol
from evaluation.records import Unread, Verdict
from leaderboard import dimensions, display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import judging, parts
from leaderboard.pages.play_button import play_button
from leaderboard.views import Board, Sample

N_SHORT = 240
"""Signs of a reasoning that are shown at once."""
N_RAW = 20_000
"""Signs of a raw reply that are shown at all; the whole of it is in the download."""
_ORDERS: dict[Order, str] = {"clip_first": "This clip first", "anchor_first": "The anchor first"}
_HEADINGS = {"addresses_judge": "This clip speaks to the judge", "adds_words": "This clip adds words to its script"}
_WINNERS = {"clip": "better than the anchor’s", "anchor": "worse than the anchor’s", "tie": "as good as the anchor’s"}


def anchor(board: Board, item_id: str, source: str | None) -> Markup | None:
    """Return the anchor's clip of an item with a player; why it cannot be heard; or nothing without a judge."""
    recipe = board.protocol.judge
    if recipe is None or not board.protocol.judged:
        return None
    name = join("Anchor · ", judging.anchor_link(board))
    what = f"The judge ({recipe.model}) hears every clip of this item beside this one."
    heard = (
        parts.player(source, f"{item_id}, anchor {recipe.anchor.name}")
        if source
        else el("p", "The clip that the protocol pins is not published here.", cls="cb-absent")
    )
    track = "0" if source else None
    play = play_button("0", "the anchor") if source else None
    return el(
        "section",
        el("div", el("h3", name), el("p", what, cls="cb-small")),
        el("div", play, heard),
        id="anchor",
        cls="cb-judge-anchor",
        data_track=track,
        data_src=source,
        data_voice=f"anchor {recipe.anchor.name}",
    )


def section(protocol: Protocol, sample: Sample, replies: Sequence[JudgeReply]) -> Markup | None:
    """Return what the judge said of a clip; nothing without a judge or without a clip.

    Args:
        protocol: the judge and its dimensions.
        sample: the clip with its verdicts.
        replies: all raw replies to it, in the order of their table.
    """
    if not protocol.judged or sample.is_declined:
        return None
    said = [sample.verdicts.get(name) for name in protocol.judged]
    first = said[0]
    if isinstance(first, Unread) and all(one == first for one in said):
        return el("div", el("h4", "Judge"), _unread(first), _raw(replies), cls="cb-said")
    blocks = [_dimension(name, sample.verdicts.get(name), replies) for name in protocol.judged]
    is_mute = not replies and any(isinstance(one, Verdict) for one in said)
    mute = el("p", "What the judge wrote cannot be read here.", cls="cb-absent") if is_mute else None
    return el("div", el("h4", "Judge"), *blocks, mute, _raw(replies), cls="cb-said")


def _unread(unread: Unread) -> Markup:
    if unread.reason in _HEADINGS:
        return shell.notice(
            join(unread.detail, " It was not sent to the judge and scores 0 in what the judge judges."),
            look="bad",
            heading=_HEADINGS[unread.reason],
        )
    return el("p", f"Not judged: {dimensions.reason(unread.reason)}.", cls="cb-absent")


def _dimension(name: str, found: Verdict | Unread | None, replies: Sequence[JudgeReply]) -> Markup:
    label = el("b", words.header(name).label)
    if found is None:
        return el("div", label, el("p", "Not judged: there is no verdict.", cls="cb-absent"))
    if isinstance(found, Unread):
        return el("div", label, _unread(found))
    mark = (
        el("span", "✓ both orders agree", cls="cb-mark cb-good")
        if found.is_consistent
        else el("span", "≠ the orders disagree, so a tie", cls="cb-mark cb-warn-text")
    )
    scores = f"{found.score:.2f}, anchor {found.anchor_score:.2f}, of {HIGHEST_SCORE}"
    line = el("p", label, f" {scores}. ", _WINNERS[found.winner].capitalize(), ". ", mark, cls="cb-verdict-line")
    opinions = [opinion for reply in replies if (opinion := _opinion(name, reply)) is not None]
    reasons = el("details", el("summary", "Why, order by order"), *opinions) if opinions else None
    return el("div", line, reasons, cls="cb-judged")


def _opinion(name: str, reply: JudgeReply) -> Markup | None:
    """Return what one reply says of a dimension; nothing if it says nothing of it."""
    if name not in reply.dimensions:
        return None
    parsed = parse(reply.text, reply.dimensions)
    head = f"{_ORDERS[reply.order]}{_vote(reply)}"
    if isinstance(parsed, Malformed):
        return el("div", el("h4", head), el("p", f"Not used, because {parsed.reason}.", cls="cb-absent"))
    one = parsed[name]
    clip, other = ("a", "b") if reply.order == "clip_first" else ("b", "a")
    scores: dict[str, float] = {"a": one.score_a, "b": one.score_b}
    won = {clip: "this clip", other: "the anchor’s clip"}.get(one.winner, "neither")
    told = f": {scores[clip]:g} for this clip, {scores[other]:g} for the anchor’s; prefers {won}"
    return el("div", el("h4", head, told), *_texts(one, clip))


def _texts(one: OneVerdict, clip: str) -> list[Markup]:
    own, other = (one.reasoning_a, one.reasoning_b) if clip == "a" else (one.reasoning_b, one.reasoning_a)
    return [
        el("div", el("small", label), cut(text))
        for label, text in (("This clip", own), ("The anchor’s clip", other), ("Compared", one.comparison))
    ]


def _vote(reply: JudgeReply) -> str:
    vote = f", vote {reply.vote + 1}" if reply.vote else ""
    return f"{vote}, asked again" if reply.ask else vote


def cut(text: str) -> Markup:
    """Return a stranger's text, a long one cut with all of it behind "show all"."""
    if len(text) <= N_SHORT:
        return el("p", text or display.DASH, cls="cb-quote")
    rest = el("details", el("summary", f"show all {len(text):,} signs"), el("p", text, cls="cb-quote"))
    return join(el("p", text[:N_SHORT], "…", cls="cb-quote"), rest)


def _raw(replies: Sequence[JudgeReply]) -> Markup | None:
    if not replies:
        return None
    return el("details", el("summary", f"Raw replies ({len(replies)})"), *(_raw_reply(reply) for reply in replies))


def _raw_reply(reply: JudgeReply) -> Markup:
    asked = ", ".join(words.header(name).label for name in reply.dimensions)
    head = f"{_ORDERS[reply.order]}{_vote(reply)}: {asked}"
    used = f"{reply.model}, ended with “{reply.finish}”, {reply.input_tokens:,} tokens in, {reply.output_tokens:,} out"
    cost = f", {display.money(reply.cost_micro_usd)}" if reply.cost_micro_usd is not None else ", price not known"
    left = len(reply.text) - N_RAW
    more: Child = (
        el("p", f"{left:,} signs more are in the download of all replies.", cls="cb-small") if left > 0 else None
    )
    raw = el("pre", reply.text[:N_RAW], cls="cb-raw", tabindex=0, role="group", aria_label=f"Raw reply. {head}")
    return el("div", el("h4", head), el("small", used, cost), raw, more)
