"""The listen page: one item, several systems side by side, with or without their names."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evaluation.corpus import Corpus
from evaluation.protocol import Protocol
from evaluation.records import Item
from leaderboard import display, sharing, shell, words
from leaderboard.derived import Replies
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import listen_form, parts, verdicts
from leaderboard.query import ListenQuery, address, listen_address
from leaderboard.views import Board, Row, Sample

HERE = "/listen"
_N_AT_FIRST = 2

BlindSource = Callable[[str, str], str]
"""Address of a clip that names no system: item id and submission to an opaque address."""

AnchorSource = Callable[[str], str | None]
"""Address of the anchor's clip of an item; None if it is not published here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One system's clip of the item, as it is to be shown."""

    row: Row
    """The system."""
    sample: Sample
    """Its clip."""
    alias: str
    """What it is called while names are hidden: "Voice A"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """What was read and said of the clips, and where they are heard."""

    samples: Mapping[str, Mapping[str, Sample]]
    """Samples by submission and item."""
    replies: Mapping[str, Replies]
    """The judge's raw replies by submission."""
    blind_source: BlindSource
    """Addresses that name no system."""
    anchor_source: AnchorSource
    """Addresses of the anchor's clips."""


def build(
    board: Board,
    boards: Sequence[Board],
    corpus: Corpus,
    state: ListenQuery,
    *,
    samples: Mapping[str, Mapping[str, Sample]],
    blind_source: BlindSource,
    replies: Mapping[str, Replies] = MappingProxyType({}),
    anchor_source: AnchorSource = lambda _: None,
) -> Markup:
    """Return the whole page.

    Args:
        board: the board to show.
        boards: all boards, for the choice of protocol.
        corpus: its test set.
        state: item, systems, filters and blindness.
        samples: samples by submission and item of `chosen(board, state)`.
        blind_source: gives addresses that name no system.
        replies: the judge's raw replies to the same systems, by submission and item.
        anchor_source: gives the address of the anchor's clip of an item, or None if it is not published.
    """
    aside = (shell.protocol_choice(boards, HERE, board.protocol_id), shell.copy_link())
    head = shell.title("Listen side by side", words.LISTEN_LEAD, *aside)
    kept = board.protocol_id if len(boards) > 1 else ""
    if not board.rows:
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
    items = matching(corpus, state)
    item = next((item for item in items if item.id == state.item), items[0] if items else None)
    if state.item and item is not None and item.id != state.item:
        item = next((other for other in corpus.items if other.id == state.item), item)
    media = Media(samples=samples, replies=replies, blind_source=blind_source, anchor_source=anchor_source)
    body = _item_part(item, items, board, state, media) if item else _no_item()
    return shell.page(
        "page-listen",
        join(head, listen_form.build(board, corpus, state, items, chosen(board, state)), body),
        here=HERE,
        protocol=kept,
    )


def chosen(board: Board, state: ListenQuery) -> tuple[Row, ...]:
    """Return the systems to hear: those asked for that are on the board, else the first two."""
    rows = [board.row(submission) for submission in state.systems]
    known = tuple(row for row in rows if row is not None)
    return known or board.rows[:_N_AT_FIRST]


def matching(corpus: Corpus, state: ListenQuery) -> tuple[Item, ...]:
    """Return the items that pass the filters, in corpus order."""
    wanted = state.text.casefold().split()
    return tuple(
        item
        for item in corpus.items
        if (not state.trait or item.requested.get(state.trait) == state.value)
        and (state.tier is None or item.tier == state.tier)
        and all(word in f"{item.id} {item.script} {item.instruction}".casefold() for word in wanted)
    )


def shuffled(rows: Sequence[Row], item_id: str) -> tuple[Row, ...]:
    """Return the rows in an order that depends on the item and says nothing about rank."""
    return tuple(sorted(rows, key=lambda row: hashlib.sha256(f"{item_id} {row.submission}".encode()).digest()))


def _no_item() -> Markup:
    return el("div", shell.notice(join("No item matches. ", el("a", "Show all items", href=HERE))), id="listen-none")


def _item_part(
    item: Item,
    items: Sequence[Item],
    board: Board,
    state: ListenQuery,
    media: Media,
) -> Markup:
    samples = media.samples
    is_hidden = state.is_blind and not state.is_revealed
    rows = [row for row in chosen(board, state) if item.id in samples.get(row.submission, {})]
    if state.is_blind:
        rows = list(shuffled(rows, item.id))
    voices = [
        Voice(row=row, sample=samples[row.submission][item.id], alias=f"Voice {chr(ord('A') + at)}")
        for at, row in enumerate(rows)
    ]
    cards = [_voice(voice, item, board, state, media) for voice in voices]
    return join(
        _steps(item, items, state),
        _item(item, board),
        None if is_hidden else verdicts.anchor(board, item.id, media.anchor_source(item.id)),
        _blind_bar(state, item) if state.is_blind else None,
        el("div", *cards, id="listen-voices", cls="cb-voices"),
    )


def _steps(item: Item, items: Sequence[Item], state: ListenQuery) -> Markup:
    ids = [other.id for other in items]
    at = ids.index(item.id) if item.id in ids else -1
    before = ids[at - 1] if at > 0 else None
    after = ids[at + 1] if at + 1 < len(ids) else None
    place = f"{at + 1} of {len(ids)}" if at >= 0 else "outside the filter"
    return el(
        "nav",
        _step("← Previous", before, state, "listen-previous"),
        el("span", el("b", item.id), f" · {place}"),
        _step("Next →", after, state, "listen-next"),
        cls="cb-steps",
        aria_label="Items",
    )


def _step(label: str, item_id: str | None, state: ListenQuery, name: str) -> Markup:
    if item_id is None:
        return el("span", label, cls="cb-button cb-off", id=name, aria_disabled="true")
    return el("a", label, href=listen_address(state, item=item_id, reveal=None), cls="cb-button", id=name)


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
        again = el(
            "a", "Hide names", href=listen_address(state, item=item.id, reveal=None), cls="cb-button", id="listen-hide"
        )
        return el(
            "div",
            el("span", "Names are shown, in the order you heard them."),
            again,
            cls="cb-notice cb-plain cb-bar-line",
        )
    show = el(
        "a",
        "Reveal names",
        href=listen_address(state, item=item.id, reveal=True),
        cls="cb-button cb-strong",
        id="listen-reveal",
    )
    return el("div", el("span", words.BLIND_NOTE), show, cls="cb-notice cb-plain cb-bar-line")


def _voice(voice: Voice, item: Item, board: Board, state: ListenQuery, media: Media) -> Markup:
    row, sample = voice.row, voice.sample
    is_hidden = state.is_blind and not state.is_revealed
    label = voice.alias if is_hidden else row.name
    source = None
    if sample.clip_sha256 is not None:
        source = (
            media.blind_source(item.id, row.submission)
            if is_hidden
            else parts.clip_address(row.submission, item.id, sample.clip_sha256)
        )
    heading: Child = voice.alias
    if not is_hidden:
        link = el("a", row.name, href=address("/system", id=row.submission, protocol=board.protocol_id))
        judge = board.protocol.judge
        is_anchor = judge is not None and judge.anchor.submission == row.submission
        mark = el("span", "anchor", cls="cb-chip") if is_anchor else None
        heading = join(el("span", f"{voice.alias} · ", cls="cb-soft") if state.is_blind else None, link, " ", mark)
    said = media.replies.get(row.submission, {}).get(item.id, ())
    found = join(_numbers(sample, item, board.protocol), verdicts.section(board.protocol, sample, said))
    numbers = el("details", el("summary", "Show the numbers"), found) if is_hidden else found
    return el(
        "article",
        el("h3", heading),
        parts.player(source, f"{item.id}, {label}"),
        numbers,
        None if is_hidden else _files(row, board, state),
        cls="cb-voice",
        data_voice=voice.alias,
    )


def _files(row: Row, board: Board, state: ListenQuery) -> Markup:
    """Return the links to all items of a system that the filters let through."""
    tier = "" if state.tier is None else str(state.tier)
    shown = {"trait": state.trait, "value": state.value, "tier": tier, "q": state.text}
    name = f"Items of this filter, {row.name}"
    links = sharing.files("/per-sample", name, protocol=board.protocol_id, system=row.submission, **shown)
    return el("p", "All items of this filter: ", links, cls="cb-small")


def _numbers(sample: Sample, item: Item, protocol: Protocol) -> Markup:
    composite = el("span", el("strong", display.score(sample.composite)), el("small", "composite"), cls="cb-composite")
    length = el("small", f"{sample.duration_s:.2f} s", cls="cb-soft") if sample.duration_s is not None else None
    verdict = el("p", composite, parts.gate_mark(sample), length, cls="cb-verdict")
    said = None if sample.is_declined else join(el("h4", "Transcript"), parts.transcript(item, sample, protocol))
    return el("div", verdict, parts.readings(sample, protocol) if sample.dimensions else None, said)
