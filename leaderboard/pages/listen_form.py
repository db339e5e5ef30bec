"""The form of the listen page: by what items are found, and in which order they are walked through."""

from collections.abc import Iterable
from urllib.parse import urlencode

from evaluation.corpus import Corpus
from leaderboard import words
from leaderboard.markup import Child, Markup, el
from leaderboard.pages import listen_walk
from leaderboard.query import ListenQuery
from leaderboard.views import Board

ACTION = "/listen"
NAME = "listen-form"
_SPLITS = (
    ("", "Any split (walks: public)"),
    ("public", "Public items"),
    ("held_out", "Held-out items"),
    (listen_walk.ANY, "All, held-out in walks too"),
)


def build(board: Board, corpus: Corpus, state: ListenQuery) -> Markup:
    """Return the form; what the reader picked elsewhere on the page is tied to it by `fields`.

    Args:
        board: the board, for its traits and dimensions.
        corpus: its test set.
        state: what the form shows as set.
    """
    tiers = [("", "Any tier"), *((str(tier), label) for tier, label in words.TIERS.items())]
    text = el(
        "input",
        type="search",
        name="q",
        value=state.text,
        placeholder=f"Words or item id, of {len(corpus.items)}",
        aria_label="Words in script, instruction or id",
        autocomplete="off",
    )
    return el(
        "form",
        text,
        el("select", *_picks(board, state), name="pick", aria_label="Requested trait"),
        el("select", *_options(tiers, "" if state.tier is None else str(state.tier)), name="tier", aria_label="Tier"),
        el("select", *_options(_SPLITS, state.split), name="split", aria_label="Split"),
        el("select", *_walks(board, state), name="walk", aria_label="Order of the items", cls="cb-wide"),
        el("button", "Find", type="submit", cls="cb-button"),
        id=NAME,
        cls="cb-controls",
        action=ACTION,
        method="get",
        data_swap="listen-body",
        role="search",
    )


def fields(state: ListenQuery) -> tuple[Markup, ...]:
    """Return what of the state belongs to the form without standing in it: protocol, voices, blindness."""
    kept = {"protocol": state.protocol, "systems": ",".join(state.systems), "blind": "1" if state.is_blind else ""}
    return tuple(el("input", type="hidden", name=name, value=value, form=NAME) for name, value in kept.items() if value)


def values(state: ListenQuery) -> str:
    """Return what stands in the form's own fields, as a query: a script sets them after a step back."""
    told = {
        "q": state.text,
        "pick": f"{state.trait}:{state.value}" if state.trait else "",
        "tier": "" if state.tier is None else str(state.tier),
        "split": state.split,
        "walk": f"{state.walk}:{state.along}" if state.along else state.walk,
    }
    return urlencode({name: value for name, value in told.items() if value}) or "q="


def _options(options: Iterable[tuple[str, str]], chosen: str) -> list[Markup]:
    return [el("option", text, value=value, selected=value == chosen) for value, text in options]


def _picks(board: Board, state: ListenQuery) -> list[Child]:
    picks: list[Child] = [el("option", "Any trait", value="")]
    now = f"{state.trait}:{state.value}" if state.trait else ""
    for trait in board.protocol.traits:
        options = _options(((f"{trait.name}:{value}", f"{trait.name}: {value}") for value in trait.values), now)
        picks.append(el("optgroup", *options, label=trait.name))
    return picks


def _walks(board: Board, state: ListenQuery) -> list[Child]:
    now = f"{state.walk}:{state.along}" if state.along else state.walk
    made: list[Child] = [el("option", words.WALK_ALL, value="")]
    made += [
        el("optgroup", *_options(options, now), label=label) for label, options in listen_walk.choices(board.protocol)
    ]
    return made
