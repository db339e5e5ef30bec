"""Two systems by dimension, and the items on which they differ most. Pure."""

from collections.abc import Sequence

from evaluation.paired import PairedDifference
from leaderboard import display, shell, words
from leaderboard.derive.records import Slice
from leaderboard.markup import Markup, el, join
from leaderboard.pages.why_link import item_link, why_link
from leaderboard.query import address
from leaderboard.views import Row
from leaderboard.why.pair import Gap, PairProof

_WHY = {"gate": "gate", "declined": "declined"}


def by_dimension(protocol_id: str, first: Row, second: Row, proof: PairProof) -> Markup | None:
    """Return the mean of both in every dimension, and the difference with its interval."""
    if not proof.dimensions:
        return None
    heads: Sequence[str] = ("Dimension", first.name, second.name, "Difference", "95 % interval", "")
    rows = [
        _dimension(protocol_id, (first, second), name, found, proof.part) for name, found in proof.dimensions.items()
    ]
    table = el("table", el("thead", _head(heads)), el("tbody", *rows), id="pair-dimensions", cls="cb-table")
    n = next(iter(proof.dimensions.values())).n
    note = el("p", words.PAIR_DIMENSIONS, f" {display.count(n, 'item')}.", cls="cb-small")
    return join(el("h3", "By dimension"), note, shell.scroll_box(table, "Differences by dimension"))


def widest(protocol_id: str, first: Row, second: Row, proof: PairProof) -> Markup:
    """Return the items on which the two differ most, each with a way to hear both."""
    if not proof.widest:
        return el("p", "The two have the same value on every item.", cls="cb-small")
    heads: Sequence[str] = ("Item", first.name, second.name, "Difference", "Where they differ")
    rows = [_gap(protocol_id, (first, second), gap) for gap in proof.widest]
    table = el("table", el("thead", _head(heads, n_last=1)), el("tbody", *rows), id="pair-items", cls="cb-table")
    hint = el("p", "The item opens both clips; a value opens its clip's whole chain.", cls="cb-small")
    return join(el("h3", "Items on which they differ most"), hint, shell.scroll_box(table, "Items that differ most"))


def _head(heads: Sequence[str], n_last: int = 0) -> Markup:
    last = len(heads) - n_last
    cells = (
        shell.column(text, "cb-num" if 0 < at < last else None) if text else el("td") for at, text in enumerate(heads)
    )
    return el("tr", *cells)


def _dimension(protocol_id: str, pair: tuple[Row, Row], name: str, found: PairedDifference, part: Slice) -> Markup:
    means = zip(pair, (found.mean_a, found.mean_b), strict=True)
    links = [
        why_link(display.score(mean), protocol_id, row.submission, name, tier=part.tier, split=part.split)
        for row, mean in means
    ]
    gap = display.DASH if found.difference is None else f"{found.difference:+.3f}".replace("-", "−")
    between = found.interval
    text = f"{between.low:+.3f} to {between.high:+.3f}".replace("-", "−") if between else display.DASH
    is_apart = between is not None and (between.low > 0 or between.high < 0)
    cells = (*links, el("b", gap) if is_apart else gap, text)
    numbers = (el("td", cell, cls="cb-num") for cell in cells)
    whisker = (
        _whisker(found.difference, between.low, between.high) if between and found.difference is not None else None
    )
    return el("tr", el("th", words.header(name).label, scope="row"), *numbers, el("td", whisker, cls="cb-whisker-cell"))


def _whisker(middle: float, low: float, high: float) -> Markup:
    """Return an interval of a difference on -1..1 as a bar, with 0 in the middle of its box."""
    left, width = (low + 1) / 2 * 100, (high - low) / 2 * 100
    bar = el("i", style=f"left:{left:.1f}%;width:{width:.1f}%")
    return el("span", bar, el("b", style=f"left:{(middle + 1) / 2 * 100:.1f}%"), cls="cb-whisker", aria_hidden="true")


def _gap(protocol_id: str, pair: tuple[Row, Row], gap: Gap) -> Markup:
    names = ",".join(row.submission for row in pair)
    href = address("/listen", protocol=protocol_id, item=gap.item_id, systems=names)
    values = zip(pair, (gap.a, gap.b), strict=True)
    cells = [item_link(display.score(value), protocol_id, row.submission, gap.item_id) for row, value in values]
    difference = f"{gap.a - gap.b:+.3f}".replace("-", "−")
    why = ", ".join(_WHY.get(name) or words.header(name).label for name in gap.why[:4]) or display.DASH
    numbers = (el("td", cell, cls="cb-num") for cell in (*cells, difference))
    return el("tr", el("th", el("a", gap.item_id, href=href), scope="row"), *numbers, el("td", why))
