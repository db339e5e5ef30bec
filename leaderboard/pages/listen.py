"""The listen page: one item, several systems side by side, with or without their names."""

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from evaluation.corpus import Corpus
from evaluation.records import Item
from leaderboard import display, shell, words
from leaderboard.derive.records import ScoreTable
from leaderboard.derived import Replies
from leaderboard.markup import Markup, el, join
from leaderboard.pages import listen_form, listen_player, listen_systems, listen_voice, listen_walk, verdicts
from leaderboard.pages.listen_voice import AnchorSource, BlindSource, Media, Voice
from leaderboard.pages.listen_walk import Walk
from leaderboard.query import ListenQuery, address, listen_address
from leaderboard.views import Board, Row, Sample

HERE = "/listen"
BODY = listen_systems.BODY
_N_AT_FIRST = 2
_N_BEFORE = 6
_N_LISTED = 30
_N_SCRIPT = 90


def build(board: Board, boards: Sequence[Board], corpus: Corpus, state: ListenQuery, inner: Markup | None) -> Markup:
    """Return the whole page.

    Args:
        board: the board to show.
        boards: all boards, for the choice of protocol.
        corpus: its test set.
        state: item, systems, filters and blindness.
        inner: the body, as `body` makes it; None if the board has no row.
    """
    aside = (shell.protocol_choice(boards, HERE, board.protocol_id), shell.copy_link())
    blind = el("a", words.BLIND_TEST_OFFER, href=address("/vote", protocol=board.protocol_id))
    head = shell.title("Listen side by side", join(words.LISTEN_LEAD, " ", blind), *aside)
    kept = board.protocol_id if len(boards) > 1 else ""
    if inner is None:
        acts = el("p", el("a", "Submit a system", href="/submit", cls="cb-button cb-strong"))
        nothing = el(
            "section",
            el("h2", "Nothing to hear yet"),
            el("p", words.EMPTY_LEAD),
            acts,
            id="listen-empty",
            cls="cb-empty",
        )
        return shell.page("page-listen", join(head, nothing), here=HERE, protocol=kept)
    form = listen_form.build(board, corpus, state)
    whole = join(head, form, inner, listen_player.bar(), listen_player.keys())
    return shell.page("page-listen", whole, here=HERE, protocol=kept)


def body(
    board: Board,
    corpus: Corpus,
    state: ListenQuery,
    *,
    samples: Mapping[str, Mapping[str, Sample]],
    blind_source: BlindSource,
    replies: Mapping[str, Replies] = MappingProxyType({}),
    anchor_source: AnchorSource = lambda _: None,
    table: ScoreTable | None = None,
) -> Markup:
    """Return everything that follows from the item and the voices: the part that a step or a filter replaces.

    Args:
        board: the board to show.
        corpus: its test set.
        state: item, systems, filters and blindness.
        samples: samples by submission and item of `chosen(board, state)`.
        blind_source: gives addresses that name no system.
        replies: the judge's raw replies to the same systems, by submission and item.
        anchor_source: gives the address of the anchor's clip of an item, or None if it is not published.
        table: the board's scores, for a walk; None if none is asked for, or they are still being read.
    """
    rows = chosen(board, state)
    items = matching(corpus, state)
    walk = listen_walk.walk(table, state, rows, {item.id for item in items})
    if walk is not None:
        known: dict[str, Item] = {item.id: item for item in items}
        items = tuple(known[stop.item_id] for stop in walk.stops)
    item = next((other for other in corpus.items if other.id == state.item), items[0] if items else None)
    media = Media(samples=samples, replies=replies, blind_source=blind_source, anchor_source=anchor_source)
    found = f"{len(items)} of {display.count(len(corpus.items), 'item')}"
    picker = listen_systems.picker(board, state, rows)
    shown = _item_part(item, items, board, state, media=media, picker=picker) if item else join(_no_item(walk), picker)
    place = _place(item, items) if item else "no item"
    n_voices = display.count(len(rows), "voice")
    return el(
        "div",
        *listen_form.fields(state),
        el("p", el("output", found), " ", _blind_link(state, item), cls="cb-listen-line"),
        _walk_line(walk, item, state),
        shown,
        id=BODY,
        data_view=True,
        data_item=item.id if item else None,
        data_form=listen_form.values(state),
        data_hidden="1" if state.is_hidden else None,
        data_waiting="1" if walk is not None and walk.is_waiting else None,
        data_announce=f"Item {item.id}, {place}, {n_voices}" if item else "No item matches.",
    )


def chosen(board: Board, state: ListenQuery) -> tuple[Row, ...]:
    """Return the systems to hear: those asked for that are on the board, else the first two."""
    rows = [board.row(submission) for submission in state.systems]
    known = tuple(row for row in rows if row is not None)
    return known or board.rows[:_N_AT_FIRST]


def matching(corpus: Corpus, state: ListenQuery) -> tuple[Item, ...]:
    """Return the items that pass the filters, in corpus order."""
    wanted = state.text.casefold().split()
    split = "" if state.split == listen_walk.ANY else state.split
    return tuple(
        item
        for item in corpus.items
        if (not state.trait or item.requested.get(state.trait) == state.value)
        and (state.tier is None or item.tier == state.tier)
        and (not split or item.split == split)
        and all(word in f"{item.id} {item.script} {item.instruction}".casefold() for word in wanted)
    )


def shuffled(rows: Sequence[Row], item_id: str) -> tuple[Row, ...]:
    """Return the rows in an order that depends on the item and says nothing about rank."""
    return tuple(sorted(rows, key=lambda row: hashlib.sha256(f"{item_id} {row.submission}".encode()).digest()))


def _no_item(walk: Walk | None) -> Markup:
    if walk is not None and walk.is_waiting:
        return el("div", id="listen-none")
    said = words.WALK_EMPTY if walk is not None else "No item matches."
    return el("div", shell.notice(join(said, " ", el("a", "Show all items", href=HERE))), id="listen-none")


def _blind_link(state: ListenQuery, item: Item | None) -> Markup:
    changes: dict[str, object] = {"item": item.id if item else "", "blind": not state.is_blind, "reveal": None}
    return el(
        "a",
        "Leave blind listening" if state.is_blind else "Listen blind",
        el("kbd", "b", aria_hidden="true"),
        href=listen_address(state, **changes),
        cls="cb-button cb-quiet",
        id="listen-blind",
        data_swap=BODY,
        aria_keyshortcuts="b",
    )


def _walk_line(walk: Walk | None, item: Item | None, state: ListenQuery) -> Markup | None:
    if walk is None:
        return None
    why = next((stop.why for stop in walk.stops if item is not None and stop.item_id == item.id), None)
    head = None if state.is_hidden else el("b", "Why this item: ")
    reason = el("p", head, words.WALK_HIDDEN_WHY if state.is_hidden else why, id="listen-why") if why else None
    held = "" if walk.is_waiting else " " + words.WALK_HELD_OUT[listen_walk.has_held_out(state)]
    return el("div", el("p", walk.what, held), reason, id="listen-walk", cls="cb-notice cb-plain")


def _item_part(
    item: Item, items: Sequence[Item], board: Board, state: ListenQuery, *, media: Media, picker: Markup
) -> Markup:
    samples = media.samples
    rows = [row for row in chosen(board, state) if item.id in samples.get(row.submission, {})]
    if state.is_blind:
        rows = list(shuffled(rows, item.id))
    voices = [
        Voice(row=row, sample=samples[row.submission][item.id], alias=f"Voice {chr(ord('A') + at)}", number=at + 1)
        for at, row in enumerate(rows)
    ]
    cards = [listen_voice.card(voice, item, board, state, media) for voice in voices]
    source = None if state.is_hidden else media.anchor_source(item.id)
    return join(
        _steps(item, items, state),
        _list(item, items, state) if len(items) > 1 else None,
        _item(item, board),
        None if state.is_hidden else verdicts.anchor(board, item.id, source),
        _blind_bar(state, item) if state.is_blind else None,
        picker,
        el("p", words.WAVE_LEGEND, cls="cb-small cb-wave-legend"),
        el("div", *cards, id="listen-voices", cls="cb-voices"),
    )


def _place(item: Item, items: Sequence[Item]) -> str:
    at = next((at for at, other in enumerate(items) if other.id == item.id), None)
    return "outside the filter" if at is None else f"{at + 1} of {len(items)}"


def _steps(item: Item, items: Sequence[Item], state: ListenQuery) -> Markup:
    ids = [other.id for other in items]
    at = ids.index(item.id) if item.id in ids else -1
    before = ids[at - 1] if at > 0 else None
    after = ids[at + 1] if at + 1 < len(ids) else None
    return el(
        "nav",
        _step("← Previous", before, state, "listen-previous"),
        el("span", el("b", item.id), f" · {_place(item, items)}"),
        _step("Next →", after, state, "listen-next"),
        cls="cb-steps",
        aria_label="Items",
    )


def _step(label: str, item_id: str | None, state: ListenQuery, name: str) -> Markup:
    if item_id is None:
        return el("span", label, cls="cb-button cb-off", id=name, aria_disabled="true")
    href = listen_address(state, item=item_id, reveal=None)
    return el("a", label, href=href, cls="cb-button", id=name, data_swap=BODY)


def _list(item: Item, items: Sequence[Item], state: ListenQuery) -> Markup:
    """Return the items around this one, to jump to."""
    at = next((at for at, other in enumerate(items) if other.id == item.id), 0)
    first = max(0, min(at - _N_BEFORE, len(items) - _N_LISTED))
    lines = []
    for place, other in enumerate(items[first : first + _N_LISTED], first + 1):
        href = listen_address(state, item=other.id, reveal=None)
        text = other.script if len(other.script) <= _N_SCRIPT else other.script[:_N_SCRIPT] + "…"
        link = el("a", other.id, href=href, data_swap=BODY, aria_current="true" if other.id == item.id else None)
        lines.append(el("li", el("small", f"{place}"), link, el("span", text)))
    shown = f"Items {first + 1} to {first + len(lines)} of {len(items)}"
    return el("details", el("summary", shown), el("ol", *lines, cls="cb-item-list"), id="listen-items")


def _item(item: Item, board: Board) -> Markup:
    scored = set(board.protocol.dimensions)
    chips = [
        el(
            "span",
            el("small", trait.name),
            item.requested[trait.name],
            cls="cb-chip" + ("" if trait.name in scored else " cb-unscored"),
            title=None if trait.name in scored else "requested, not measured on this board",
        )
        for trait in board.protocol.traits
    ]
    facts = el("span", el("small", "tier"), words.TIERS[item.tier], cls="cb-chip cb-plain")
    split = el("span", el("small", "split"), words.SPLITS[item.split], cls="cb-chip cb-plain")
    return el(
        "section",
        el("div", el("h2", "Instruction"), el("p", item.instruction, cls="cb-instruction")),
        el("div", el("h2", "Script"), el("p", item.script, cls="cb-script")),
        el("p", *chips, facts, split, cls="cb-chips"),
        id="listen-item",
        cls="cb-item",
    )


def _blind_bar(state: ListenQuery, item: Item) -> Markup:
    if state.is_revealed:
        href = listen_address(state, item=item.id, reveal=None)
        again = el("a", "Hide names", href=href, cls="cb-button", id="listen-hide", data_swap=BODY)
        told = el("span", "Names are shown, in the order you heard them.")
        return el("div", told, again, cls="cb-notice cb-plain cb-bar-line")
    href = listen_address(state, item=item.id, reveal=True)
    show = el("a", "Reveal names", href=href, cls="cb-button cb-strong", id="listen-reveal", data_swap=BODY)
    return el("div", el("span", words.BLIND_NOTE), show, cls="cb-notice cb-plain cb-bar-line")
