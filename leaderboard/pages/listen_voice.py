"""The card of one voice: its clip, its drawing, and what was measured, heard and judged of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.gate.normalisers import normaliser
from evaluation.gate.wer import AlignedWord
from evaluation.protocol import Protocol
from evaluation.records import Item
from leaderboard import display, sharing, words
from leaderboard.clips import BLIND_ROUTE
from leaderboard.contours import blind_contour_url, contour_url
from leaderboard.derived import Replies
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import parts, verdicts
from leaderboard.pages.play_button import play_button
from leaderboard.pages.why_link import item_address, item_link
from leaderboard.query import ListenQuery, address
from leaderboard.views import Board, Row, Sample

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
    number: int
    """Its key, from 1."""


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


def card(voice: Voice, item: Item, board: Board, state: ListenQuery, media: Media) -> Markup:
    """Return the card of a voice; while names are hidden, its clip and nothing else."""
    row, sample = voice.row, voice.sample
    label = voice.alias if state.is_hidden else row.name
    source, contour = _addresses(voice, item, media, is_hidden=state.is_hidden)
    said = media.replies.get(row.submission, {}).get(item.id, ())
    told = (
        el("p", words.BLIND_REST, cls="cb-small")
        if state.is_hidden
        else join(
            _numbers(sample, item, board, row),
            verdicts.section(board.protocol, sample, said),
            _files(voice, board, state, source),
        )
    )
    level = None if state.is_hidden or sample.level_dbfs is None else f"{sample.level_dbfs:.2f}"
    heading = el("h3", voice.alias if state.is_hidden else _heading(voice, board, state))
    return el(
        "article",
        el("header", heading, play_button(str(voice.number), label) if source else None, cls="cb-voice-head"),
        wave(label) if source else None,
        parts.player(source, f"{item.id}, {label}"),
        told,
        cls="cb-voice",
        id=f"voice-{voice.number}",
        data_voice=label,
        data_track=str(voice.number) if source else None,
        data_src=source,
        data_level=level,
        data_contour=contour,
    )


def wave(label: str) -> Markup:
    """Return the place of a drawing; a script fills it and its description."""
    return el(
        "figure",
        el("canvas", cls="cb-wave", role="img", aria_label=f"Waveform of {label}, drawn when it is there"),
        el("figcaption", cls="cb-wave-told cb-small"),
        cls="cb-wave-box",
    )


def _addresses(voice: Voice, item: Item, media: Media, *, is_hidden: bool) -> tuple[str | None, str | None]:
    sha256, submission = voice.sample.clip_sha256, voice.row.submission
    if sha256 is None:
        return None, None
    if not is_hidden:
        return parts.clip_address(submission, item.id, sha256), contour_url(submission, item.id, sha256)
    source = media.blind_source(item.id, submission)
    token = source.removeprefix(f"{BLIND_ROUTE}/{item.id}/").removesuffix(".flac")
    return source, blind_contour_url(item.id, token)


def _heading(voice: Voice, board: Board, state: ListenQuery) -> Markup:
    row = voice.row
    link = el("a", row.name, href=address("/system", id=row.submission, protocol=board.protocol_id))
    judge = board.protocol.judge
    is_anchor = judge is not None and judge.anchor.submission == row.submission
    mark = el("span", "anchor", cls="cb-chip") if is_anchor else None
    alias = el("span", f"{voice.alias} · ", cls="cb-soft") if state.is_blind else None
    return join(alias, link, " ", mark)


def _files(voice: Voice, board: Board, state: ListenQuery, source: str | None) -> Markup:
    """Return the links to the clip and to all items of a system that the filters let through."""
    row = voice.row
    tier = "" if state.tier is None else str(state.tier)
    shown = {"trait": state.trait, "value": state.value, "tier": tier, "q": state.text}
    name = f"Items of this filter, {row.name}"
    links = sharing.files("/per-sample", name, protocol=board.protocol_id, system=row.submission, **shown)
    clip = join(el("a", "This clip (FLAC)", href=source, download=True), " · ") if source else None
    return el("p", clip, "All items of this filter: ", links, cls="cb-small")


def _numbers(sample: Sample, item: Item, board: Board, row: Row) -> Markup:
    protocol = board.protocol
    chain = item_address(board.protocol_id, row.submission, item.id)
    number = item_link(display.score(sample.composite), board.protocol_id, row.submission, item.id)
    gate = el("a", parts.gate_mark(sample), href=chain, cls="cb-plain-link", tabindex=-1)
    composite = el("span", el("strong", number), el("small", "composite"), cls="cb-composite")
    length = el("small", f"{sample.duration_s:.2f} s", cls="cb-soft") if sample.duration_s is not None else None
    told = None if sample.level_dbfs is None else f"{sample.level_dbfs:.1f} dBFS".replace("-", "−")
    level = el("small", told, cls="cb-soft", data_gain=True) if told else None
    verdict = el("p", composite, gate, length, level, cls="cb-verdict")
    said = None if sample.is_declined else join(el("h4", "Transcript"), parts.transcript(item, sample, protocol))
    readings = parts.readings(sample, protocol, chain=chain) if sample.dimensions else None
    return el("div", verdict, readings, said, alignment(item, sample, protocol))


def alignment(item: Item, sample: Sample, protocol: Protocol) -> Markup | None:
    """Return the script's words above what was heard, word by word; nothing without a transcript."""
    counted = sample.counted()
    if counted is None:
        return None
    steps = normaliser(protocol.normaliser).compare(item, counted.text).words
    n_wrong = sum(step.kind != "equal" for step in steps)
    head = f"Word by word: {n_wrong} wrong of {display.count(len(steps), 'word')}" if n_wrong else "Word by word"
    key = join(*(el("span", el("b", sign), f" {told}") for sign, told in words.ALIGNED.values()), by=" ")
    return el(
        "details",
        el("summary", head),
        el("p", "Script above, heard below. ", key, cls="cb-small cb-align-key"),
        el("ol", *(_pair(step) for step in steps), cls="cb-align"),
        cls="cb-alignment",
    )


def _pair(step: AlignedWord) -> Markup:
    if step.kind == "equal":
        return el("li", el("span", step.reference), el("span", step.heard))
    sign, told = words.ALIGNED[step.kind]
    script: Child = el("del", step.reference) if step.reference else display.DASH
    heard: Child = el("ins", step.heard) if step.heard else display.DASH
    mark = join(el("b", sign, aria_hidden="true"), el("span", told, cls="cb-vh"))
    return el("li", el("span", script), el("span", heard), mark, cls=f"cb-align-{step.kind}", title=told)
