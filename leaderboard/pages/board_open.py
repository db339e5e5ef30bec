"""What a row of the board opens into: every number with its interval and the way to its derivation, tiers, clips."""

from collections.abc import Mapping, Sequence

from evaluation.records import Item, ItemId
from leaderboard import dimensions, display, shell, words
from leaderboard.derive.needs import Needs
from leaderboard.derive.view import SliceRow
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import parts
from leaderboard.pages.board_cells import interval_bar, shown
from leaderboard.pages.why_link import item_address, item_link, why_link
from leaderboard.query import address
from leaderboard.standings import best_and_worst
from leaderboard.table.lines import Line, Lines
from leaderboard.views import Board, Detail, Row, Sample

DETAIL = "board-detail"
_MOST_TOLD = 300


def detail_id(submission: str) -> str:
    """Return the id of the element that a row opens into."""
    return f"detail-{submission}"


def section(
    board: Board,
    lines: Lines,
    line: Line,
    *,
    tiers: Mapping[int, SliceRow | None],
    detail: Detail | None,
    items: Mapping[ItemId, Item],
    name: str = "",
) -> Markup:
    """Return what stands below an open row.

    Args:
        board: the board.
        lines: its rows, as the table shows them.
        line: the row.
        tiers: the system on each tier; None where that is not worked out yet.
        detail: samples and what the maker says; None if it was withdrawn meanwhile.
        items: the corpus, for the words that a clip should say.
        name: id of the element; empty for the row's own.
    """
    row = line.row
    close = el("button", "Close", type="button", cls="cb-button cb-quiet cb-closes", data_closes=row.submission)
    head = el("p", el("b", row.name or row.submission), ": ", _standing(lines, line), cls="cb-open-head")
    columns = el(
        "div",
        el("section", el("h3", "Every dimension"), _numbers(board, line)),
        el("section", el("h3", "Tiers"), _tiers(board, row, tiers), _facts(row, detail)),
        el("section", el("h3", "Best and worst clip"), *_clips(board, row, detail, items)),
        cls="cb-open-columns",
    )
    return el(
        "div",
        head,
        columns,
        el("p", *_links(board, row), close, cls="cb-open-links"),
        id=name or detail_id(row.submission),
        cls="cb-open",
        role="region",
        aria_label=f"Details of {row.name or row.submission}",
    )


def told_needs(needs: Needs) -> str:
    """Return in a sentence what a band rests on and what would move it."""
    beats, beaten = needs.n_beats, needs.n_beaten_by
    if not beats and not beaten and not needs.ties:
        return words.LONE_NOTE
    told = f"It beats {beats}, ties with {len(needs.ties)} and is beaten by {beaten} of the others. "
    steps = []
    if needs.nearest_win is not None:
        steps.append(f"with +{display.gain(needs.nearest_win.change)} on every item it would beat one of its ties")
    if needs.clear is not None and needs.clear.change > (needs.nearest_win.change if needs.nearest_win else 0):
        steps.append(f"with +{display.gain(needs.clear.change)} all of them")
    if needs.nearest_tie is not None:
        steps.append(f"with +{display.gain(needs.nearest_tie.change)} one that beats it no longer would")
    down = needs.down()
    if down is not None:
        steps.append(f"with −{display.gain(down.change)} on every item it would lose a rank")
    text = "; ".join(steps)
    return told + (f"{text[0].upper()}{text[1:]}." if text else "")


def _standing(lines: Lines, line: Line) -> str:
    band = line.row.band
    rank = f"rank {display.band(band.best, band.worst)}"
    if band.best != band.worst:
        rank = f"ranks {display.band(band.best, band.worst)} are open"
    needs = lines.needs(line)
    here = "" if line.here is None else f" Here, {display.band(line.here.best, line.here.worst)}."
    return f"{rank}.{here} {told_needs(needs)}" if needs is not None else f"{rank}.{here}"


def _numbers(board: Board, line: Line) -> Markup:
    names = ("score", "gate", *board.protocol.dimensions)
    lines = [_number(board, line, name) for name in names]
    return el("table", el("caption", "Values with 95 % intervals", cls="cb-vh"), el("tbody", *lines), cls="cb-mini")


def _number(board: Board, line: Line, name: str) -> Markup:
    label = words.header(name).label
    how = dimensions.NOTES[dimensions.how(board.protocol, name)] if name in board.protocol.dimensions else None
    value = line.values.get(name)
    head = el("th", label, el("small", f" {how}") if how else None, scope="row")
    if value is None or isinstance(value, str):
        return el("tr", head, el("td", display.DASH, cls="cb-n"), el("td"), el("td"))
    spread = line.spreads.get(name)
    told = f"{shown(name, spread[0])} to {shown(name, spread[1])}" if spread else "no interval"
    derived = why_link(shown(name, value), board.protocol_id, line.row.submission, name)
    return el(
        "tr",
        head,
        el("td", derived, cls="cb-n"),
        el("td", interval_bar(value, spread), cls="cb-mini-bar"),
        el("td", el("small", told)),
    )


def _tiers(board: Board, row: Row, tiers: Mapping[int, SliceRow | None]) -> Markup:
    lines = []
    for tier, found in tiers.items():
        head = el("th", words.TIERS[tier].capitalize(), scope="row")
        if found is None or found.score is None:
            text = "not worked out yet" if found is None else "no items"
            lines.append(el("tr", head, el("td", el("small", text), colspan=4)))
            continue
        ends = (found.interval.low, found.interval.high) if found.interval else None
        told = display.interval(*ends) if ends else "no interval"
        lines.append(
            el(
                "tr",
                head,
                el("td", why_link(display.score(found.score), board.protocol_id, row.submission, "score", tier=tier)),
                el("td", interval_bar(found.score, ends), cls="cb-mini-bar"),
                el("td", el("small", told)),
                el("td", el("small", f"rank {display.band(found.band.best, found.band.worst)}")),
            )
        )
    caption = el("caption", "Score and derived rank on each tier", cls="cb-vh")
    return el("table", caption, el("tbody", *lines), cls="cb-mini")


def _facts(row: Row, detail: Detail | None) -> Markup:
    prompting = detail.prompting if detail is not None else ""
    told = prompting if len(prompting) <= _MOST_TOLD else prompting[: _MOST_TOLD - 1] + "…"
    weights = {True: "open", False: "closed", None: "not told"}[row.is_open]
    pairs: list[tuple[str, Child]] = [
        ("Clips", f"{row.n_items - row.n_declined:,} of {row.n_items:,} items ({display.percent(row.coverage)})"),
        ("Instructions", told or "not told"),
        ("Parameters", row.parameters or "not told"),
        ("Weights, licence", f"{weights}, {row.licence or 'not told'}"),
        ("Received", display.day(row.received_at)),
    ]
    return shell.facts(pairs)


def _clips(board: Board, row: Row, detail: Detail | None, items: Mapping[ItemId, Item]) -> list[Markup]:
    if detail is None:
        return [el("p", "It was withdrawn meanwhile.", cls="cb-absent")]
    best, worst = best_and_worst(detail.samples, n_each=1)
    pairs: Sequence[tuple[str, Sequence[Sample]]] = (("Best", best), ("Worst", worst))
    return [_clip(board, row, label, sample, items) for label, found in pairs for sample in found] or [
        el("p", "There is no clip.", cls="cb-absent")
    ]


def _clip(board: Board, row: Row, label: str, sample: Sample, items: Mapping[ItemId, Item]) -> Markup:
    item = items.get(ItemId(sample.item_id))
    asked = None
    if item is not None:
        asked = join(el("p", item.instruction, cls="cb-small"), el("p", f"“{item.script}”", cls="cb-said-script"))
    source = None
    if sample.clip_sha256 is not None:
        source = parts.clip_address(row.submission, sample.item_id, sample.clip_sha256)
    composite = item_link(display.score(sample.composite), board.protocol_id, row.submission, sample.item_id)
    name = row.name or row.submission
    chain = item_address(board.protocol_id, row.submission, sample.item_id)
    gate = el("a", parts.gate_mark(sample), href=chain, cls="cb-plain-link", tabindex=-1)
    head = el("p", el("b", label), " ", el("code", sample.item_id), " composite ", composite, " ", gate)
    return el("div", head, asked, parts.player(source, f"{label} clip of {name}, {sample.item_id}"), cls="cb-open-clip")


def _links(board: Board, row: Row) -> list[Child]:
    protocol, submission = board.protocol_id, row.submission
    places = (
        ("The system’s page", address("/system", id=submission, protocol=protocol)),
        ("Listen to it", address("/listen", protocol=protocol, systems=submission)),
        ("Its row of the matrix", address("/matrix", protocol=protocol, a=submission)),
    )
    made = [el("a", text, href=href) for text, href in places]
    score = why_link("How its score was made", protocol, submission, "score")
    return [*made, score]
