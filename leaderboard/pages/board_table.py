"""The board's table: presets above it, heads that sort, rows as many as are wanted now, and the way to more."""

import json
from collections.abc import Iterator
from dataclasses import replace

from leaderboard import dimensions, display, sharing, shell, words
from leaderboard.derive.records import ALL
from leaderboard.markup import Markup, el, join
from leaderboard.pages.board_cells import cell
from leaderboard.query import address
from leaderboard.table import columns as known
from leaderboard.table.state import ANY, TableState, added, filters_told, told, turned
from leaderboard.table.view import N_MORE, TableView

HERE = "/"
VIEW = "board-view"
ROWS = "board-rows"
BODY = "board-body"
NOTES = "board-notes"
"""Id of what stands below the table."""
FACTS = "facts"
"""Key of an address that asks for what else loads when it comes into view."""
_REM = {"band": 7.2, "here": 7.2, "system": 15.5, "score": 9.2, "judge": 5.8, "organisation": 9.0, "licence": 7.5}
_REM |= {"style": 8.6, "date": 6.2, "size": 4.2, "gate": 4.9, "coverage": 5.0, "naturalness": 5.8, "adherence": 5.4}
_USUAL_REM = 4.75
"""Width of a column, rem: of text as it needs, of a trait all alike."""


def link(view: TableView, **changes: object) -> str:
    """Return the address of the same table with some of its state changed."""
    return address(HERE, **told(view.state, view.board.protocol, **changes))


def below(view: TableView) -> str:
    """Return the address of what stands below the table, however many rows there are."""
    return address(HERE, **told(view.state, view.board.protocol), **{FACTS: "1"}) + f"#{NOTES}"


def section(view: TableView, detail: Markup | None = None) -> Markup:
    """Return everything that a filter, an order or a preset changes: the part that is put in place as one.

    Args:
        view: what is shown.
        detail: what stands below the row that is open, if one is.
    """
    state = view.state
    return el(
        "div",
        el("input", type="hidden", name="preset", value=state.preset) if state.preset else None,
        _presets(view),
        _sentence(view),
        _problems(view),
        _waiting(view),
        _above(view),
        shell.scroll_box(table(view, detail), "Board") if view.found else _nothing(view),
        _more(view),
        id=VIEW,
        data_state=_state_json(view),
        data_address=link(view),
        data_wait="1" if view.is_waiting and view.board.rows else None,
        data_announce=f"{_count(view)}{_order_told(state)}",
    )


def table(view: TableView, detail: Markup | None = None) -> Markup:
    """Return the table itself."""
    order = view.state.order()
    widths = [_REM.get(name, _USUAL_REM) for name in order]
    columns = [
        el("col", style=None if name == "system" else f"--w:{width}", cls=f"cb-col-{name}")
        for name, width in zip(order, widths, strict=True)
    ]
    caption = f"Systems with rank bands and scores. {_count(view)}{_order_told(view.state)}"
    return el(
        "table",
        el("caption", caption, cls="cb-vh"),
        el("colgroup", *columns),
        el("thead", el("tr", *_heads(view, order), aria_rowindex=1)),
        rows(view, detail),
        id="board-table",
        cls="cb-table cb-board",
        style=f"--rest:{sum(widths) - _REM['system']:.1f};{_pin_offsets(view.state, order)}",
        aria_rowcount=len(view.found) + 1,
        data_protocol=view.board.protocol_id,
        data_pins=len(view.state.pins),
    )


def rows(view: TableView, detail: Markup | None = None) -> Markup:
    """Return the rows of the window that is shown now, as the table's body."""
    return Markup(f'<tbody id="{ROWS}">{"".join(_rows(view, detail))}</tbody>')


def more_link(view: TableView) -> Markup | None:
    """Return the link to the rows after those that are shown; a script puts them below instead."""
    end, total = view.end(), len(view.found)
    if end >= total:
        return None
    n = min(N_MORE, total - end)
    href = link(view, first=end, row="")
    return el(
        "a",
        f"Show {n} more of {total - end:,}",
        href=href,
        id="board-more",
        cls="cb-button",
        data_more=ROWS,
        data_left=total - end,
    )


def _rows(view: TableView, detail: Markup | None) -> Iterator[str]:
    order = view.state.order()
    judge = view.board.protocol.judge
    anchor = judge.anchor.submission if judge is not None else ""
    pins = len(view.state.pins)
    for at, line in enumerate(view.window(), start=view.state.first + 2):
        submission = line.row.submission
        cells = [cell(view.lines, line, name, protocol=view.board.protocol_id, anchor=anchor) for name in order]
        is_open = detail is not None and submission == view.state.row
        marked = "".join(cells)
        if is_open:
            marked = marked.replace(
                'aria-expanded="false"', f'aria-expanded="true" aria-controls="detail-{submission}"'
            )
        yield f'<tr aria-rowindex="{at}" data-submission="{submission}">{marked}</tr>'
        if is_open:
            yield f'<tr class="cb-opened"><td colspan="{len(cells)}" data-pinned="{pins}">{detail}</td></tr>'


def _heads(view: TableView, order: tuple[str, ...]) -> list[Markup]:
    state = view.state
    places = {key.column: (at, key) for at, key in enumerate(state.sort)}
    found = []
    for name in order:
        at, key = places.get(name, (-1, None))
        way = "none" if key is None or at else "descending" if key.is_descending else "ascending"
        sign = None
        if key is not None:
            told_way = "largest first" if key.is_descending else "smallest first"
            arrow = "↓" if key.is_descending else "↑"
            number = str(at + 1) if len(state.sort) > 1 else ""
            sign = join(
                el("span", f"{arrow}{number}", aria_hidden="true", cls="cb-way"),
                el("span", f", key {at + 1}, {told_way}", cls="cb-vh") if at else None,
            )
        found.append(
            el(
                "th",
                el(
                    "a",
                    label(view, name),
                    sign,
                    href=link(view, sort=turned(state.sort, name), first=0, row=""),
                    data_swap=VIEW,
                    data_sort=name,
                    data_add=link(view, sort=added(state.sort, name), first=0, row=""),
                    data_key=f"sort-{name}",
                    data_tip=tip(view, name),
                ),
                _how(view, name),
                scope="col",
                cls=f"cb-{name}" + ("" if name in known.TEXTS or name in ("band", "here") else " cb-n"),
                aria_sort=None if way == "none" else way,
            )
        )
    return found


def label(view: TableView, name: str) -> str:
    """Return a column's head."""
    if name == "here" and view.state.trait is not None and view.state.part == ALL:
        return f"Rank, {words.header(view.state.trait).label.lower()}"
    return words.header(name).label


def tip(view: TableView, name: str) -> str:
    """Return one sentence that says what a column is."""
    protocol = view.board.protocol
    return dimensions.tip(protocol, name) if name in protocol.dimensions else words.header(name).tip


def _how(view: TableView, name: str) -> Markup | None:
    protocol = view.board.protocol
    if name not in protocol.dimensions:
        return None
    return el("small", dimensions.NOTES[dimensions.how(protocol, name)])


def _presets(view: TableView) -> Markup:
    named = known.presets(view.board.protocol)
    links = [
        el(
            "a",
            preset_label(key),
            href=address(HERE, **_of_preset(view, key)),
            data_swap=VIEW,
            data_key=f"preset-{key}",
            aria_current="true" if key == view.state.preset else None,
        )
        for key in named
    ]
    return el("nav", *links, cls="cb-presets", aria_label="Views of the board")


def preset_label(key: str) -> str:
    """Return what a preset is called."""
    return words.PRESETS[key][0] if key in words.PRESETS else words.header(key).label


def _of_preset(view: TableView, key: str) -> dict[str, str]:
    """Return the address of a preset: filters stay, columns, order and tier are the preset's own."""
    protocol = view.board.protocol
    preset = known.presets(protocol)[key]
    kept = told(view.state, protocol)
    gone = ("preset", "trait", "tier", "sort", "cols", "pin", "row", "from")
    name = {"trait": key} if preset.trait else {"preset": key}
    return {**{at: value for at, value in kept.items() if at not in gone}, **name}


def _sentence(view: TableView) -> Markup:
    state = view.state
    if state.preset in words.PRESETS:
        told_preset = words.PRESETS[state.preset][1]
    else:
        told_preset = words.PRESET_TRAIT.format(trait=words.header(state.preset).label.lower())
    part = part_told(state)
    note = words.PART_NOTE.format(part=part) if part and state.preset != "hard" else None
    gap = view.lines.view.gap if view.lines.view is not None else None
    return el(
        "p",
        told_preset,
        join(" ", el("b", note)) if note else None,
        join(" ", el("span", gap.sentence(), id="board-gap")) if gap is not None and not view.state.trait else None,
        join(" ", el("a", words.BOARD_BELOW, href=below(view), id="board-jump")) if view.found else None,
        cls="cb-small cb-sentence",
    )


def part_told(state: TableState) -> str:
    """Return which items a table is about, in words; empty for all."""
    tier = f"the {words.TIERS[state.tier]} items" if state.tier is not None else ""
    split = f"the {words.SPLITS[state.split]} split" if state.split else ""
    return f"{tier} of {split}" if tier and split else tier or split


def _problems(view: TableView) -> Markup | None:
    if not view.search.problems:
        return None
    lines = [el("p", text) for text in view.search.problems]
    return el("div", *lines, cls="cb-notice cb-warn", role="alert", id="board-problems")


def _waiting(view: TableView) -> Markup | None:
    if not view.board.rows:
        return None
    if view.progress.is_failing:
        return el("p", words.NEEDS_FAILING, cls="cb-small", id="board-waiting")
    part = part_told(view.state)
    if view.lines.view is None and part:
        text = words.PART_WAITING.format(part=part)
    elif view.lines.view is None:
        text = words.NEEDS_WAITING
    elif not view.progress.is_ready:
        text = f"{words.REST_WAITING} {view.progress.n_ready} of {view.progress.n_all} are done."
    else:
        return None
    return el("p", text, cls="cb-small cb-waiting", id="board-waiting", role="status")


def _above(view: TableView) -> Markup:
    state, protocol = view.state, view.board.protocol
    wanted = told(replace(state, row="", first=0), protocol)
    wanted |= {"protocol": view.board.protocol_id, "cols": ",".join(state.columns)}
    wanted.pop("pin", None)
    export = sharing.files("/leaderboard", "This view", **wanted)
    is_changed = bool(set(told(state, protocol)) - {"protocol", "preset", "trait", "row", "from"})
    reset = (
        el("a", "Reset", href=address(HERE, **_bare(state)), data_swap=VIEW, data_key="reset") if is_changed else None
    )
    return el(
        "div",
        el("output", _count(view), id="board-count"),
        reset,
        el("div", "This view:", export, cls="cb-push"),
        cls="cb-table-line",
    )


def _bare(state: TableState) -> dict[str, str]:
    return {"protocol": state.protocol}


def _count(view: TableView) -> str:
    return f"{len(view.found):,} of {display.count(len(view.board.rows), 'system')}"


def _order_told(state: TableState) -> str:
    if not state.sort:
        return ", best score first"
    told_keys = (
        f"{words.header(key.column).label.lower()} {'largest' if key.is_descending else 'smallest'} first"
        for key in state.sort
    )
    return f", by {', then '.join(told_keys)}"


def _nothing(view: TableView) -> Markup:
    href = address(HERE, **_bare(view.state))
    whole = el("a", "Show all systems", href=href, data_swap=VIEW)
    return el("p", words.NO_ROWS, " ", whole, ".", id="board-none")


def _more(view: TableView) -> Markup | None:
    if not view.found:
        return None
    first = view.state.first
    back = el("a", "Back to the first rows", href=link(view, first=0), data_swap=VIEW) if first else None
    more = more_link(view)
    return el("p", join(back, more, by=" "), id="board-end", cls="cb-more") if back or more else None


def _pin_offsets(state: TableState, order: tuple[str, ...]) -> str:
    """Return how far from the left each pinned column stands still, rem."""
    left, told_offsets = 0.0, []
    for at, name in enumerate(order[: len(state.pins)], start=1):
        told_offsets.append(f"--pin{at}:{left:.2f}rem")
        left += _REM.get(name, _USUAL_REM)
    return ";".join(told_offsets)


def _state_json(view: TableView) -> str:
    """Return what each field of the form holds in this state, so that a script can bring the form in step."""
    state = view.state
    fields: dict[str, list[str]] = {name: [value] for name, value in filters_told(state.filters).items()}
    fields |= {
        "tier": [ANY if state.tier is None else str(state.tier)],
        "split": [state.split or ""],
        "sort": [str(key) for key in state.sort],
        "cols": list(state.columns),
        "pin": list(state.pins),
    }
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)
