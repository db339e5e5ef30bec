"""The items that a number is made of, as a table in pages; each leads to its clip's whole chain. Pure."""

from evaluation.bootstrap import MICRO
from leaderboard import dimensions, display, shell, words
from leaderboard.markup import Child, Markup, el
from leaderboard.pages.why_link import item_address
from leaderboard.pages.why_state import N_SHOWN, SHOWN, WhyState
from leaderboard.views import Board
from leaderboard.why.ledger import Ledger
from leaderboard.why.number import SCORE, NumberProof

PART = "why-items"


def items_table(board: Board, state: WhyState, ledger: Ledger, proof: NumberProof) -> Markup:
    """Return the table with its filter, order and pages."""
    lines = _ordered(state, ledger, proof, _kept(state, ledger, proof))
    n_pages = max(1, -(-len(lines) // N_SHOWN))
    page = min(state.page, n_pages - 1)
    shown = lines[page * N_SHOWN : (page + 1) * N_SHOWN]
    rows = (_row(board, state, ledger, at, int(proof.values_micro[index])) for index, at in shown)
    none = el("p", "No item is of this kind.", cls="cb-note") if not lines else None
    table = el(
        "table",
        el("thead", _head(state, _dimension(state, ledger))),
        el("tbody", *rows),
        cls="cb-table cb-why-items",
        id="why-table",
    )
    return el(
        "section",
        el("h2", f"The {display.count(len(proof.items), 'item')} that it is made of"),
        _filter(state),
        none or shell.scroll_box(table, "Items that the number is made of"),
        _pager(state, page, n_pages),
        id=PART,
        data_view=True,
        data_announce=f"{display.count(len(lines), 'item')}, page {page + 1} of {n_pages}",
    )


def _kept(state: WhyState, ledger: Ledger, proof: NumberProof) -> list[tuple[int, int]]:
    pairs = list(enumerate(proof.items))
    name = state.place.number
    if state.show == "vetoed":
        return [(index, at) for index, at in pairs if not ledger.passed[at] and not ledger.declined[at]]
    if state.show == "declined":
        return [(index, at) for index, at in pairs if ledger.declined[at]]
    if state.show == "unread":
        known = [name] if name in ledger.dimensions else list(ledger.dimensions)
        return [(i, at) for i, at in pairs if any(ledger.dimensions[one].reason[at] is not None for one in known)]
    return pairs


def _ordered(
    state: WhyState, ledger: Ledger, proof: NumberProof, pairs: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    keys = {
        "item": lambda pair: pair[0],
        "value": lambda pair: int(proof.values_micro[pair[0]]),
        "composite": lambda pair: int(ledger.composite_micro[pair[1]]),
        "tier": lambda pair: int(ledger.tiers[pair[1]]),
    }
    return sorted(pairs, key=keys[state.sort], reverse=state.is_descending)


def _dimension(state: WhyState, ledger: Ledger) -> str:
    return state.place.number if state.place.number in ledger.dimensions else ""


def _head(state: WhyState, name: str) -> Markup:
    cells: list[tuple[str, str]] = [("Item", "item"), ("Tier", "tier")]
    cells += [("Requested", ""), ("Measured", "")] if name else [("Gate", "")]
    cells += [("Counts", "value")] + ([("Composite", "composite")] if state.place.number != SCORE else [])
    return el("tr", *(_sorter(state, label, key) for label, key in cells))


def _sorter(state: WhyState, label: str, key: str) -> Markup:
    look = "cb-num" if key in ("value", "composite") else None
    if not key:
        return shell.column(label, look)
    is_here = state.sort == key
    turned = ("" if is_here and state.is_descending else "-") if is_here else ""
    arrow = (" ↓" if state.is_descending else " ↑") if is_here else ""
    href = state.address(sort=turned + key, page=None)
    told = words.column(label)
    link = el("a", label + arrow, href=href, data_swap=PART, data_key=f"sort-{key}", data_tip=told)
    order = ("descending" if state.is_descending else "ascending") if is_here else None
    return el("th", link, scope="col", cls=look, aria_sort=order)


def _row(board: Board, state: WhyState, ledger: Ledger, at: int, value: int) -> Markup:
    name = _dimension(state, ledger)
    link = el("a", ledger.ids[at], href=item_address(board.protocol_id, ledger.submission, ledger.ids[at]))
    cells: list[Child] = [words.TIERS.get(int(ledger.tiers[at]), str(ledger.tiers[at]))]
    cells += _measured(board, ledger, at, name) if name else [_gate(ledger, at)]
    numbers: list[Child] = [display.exact(value / MICRO)]
    if state.place.number != SCORE:
        numbers.append(display.exact(int(ledger.composite_micro[at]) / MICRO))
    return el(
        "tr",
        el("th", link, scope="row"),
        *(el("td", cell) for cell in cells),
        *(el("td", cell, cls="cb-num") for cell in numbers),
    )


def _measured(board: Board, ledger: Ledger, at: int, name: str) -> list[Child]:
    column = ledger.dimensions[name]
    reason = column.reason[at]
    if reason is not None:
        return [column.requested[at] or display.DASH, el("span", dimensions.reason(reason), cls="cb-bad-text")]
    told = dimensions.quantity(board.protocol, name, column.quantity[at])
    measured = column.measured[at]
    shown = el("span", measured, " ", el("small", told)) if measured else told
    return [column.requested[at] or display.DASH, shown]


def _gate(ledger: Ledger, at: int) -> Markup:
    if ledger.declined[at]:
        return el("span", "declined", cls="cb-bad-text")
    wer = ledger.wer[at] or 0.0
    if ledger.passed[at]:
        return el("span", "✓ passes ", el("small", f"WER {wer:.3f}"))
    return el("span", "✕ vetoed ", el("small", f"WER {wer:.3f}"), cls="cb-bad-text")


def _filter(state: WhyState) -> Markup:
    links = (
        el(
            "a",
            label,
            href=state.address(show=key, page=None),
            data_swap=PART,
            data_key=f"show-{key}",
            aria_current="true" if key == state.show else None,
        )
        for key, label in SHOWN.items()
    )
    return el("nav", el("span", "Show"), *links, cls="cb-slice-group cb-why-filter", aria_label="Which items")


def _pager(state: WhyState, page: int, n_pages: int) -> Markup | None:
    if n_pages < 2:
        return None
    steps = [("Earlier", page - 1), ("Later", page + 1)]
    links = [
        el("a", label, href=state.address(page=str(to) if to else None), data_swap=PART, data_key=f"page-{label}")
        for label, to in steps
        if 0 <= to < n_pages
    ]
    return el("nav", *links, el("span", f"page {page + 1} of {n_pages}"), cls="cb-pager", aria_label="Pages of items")
