"""A pair's decision as a worked sum, with the drawing of its resamples and what would change it. Pure."""

from collections.abc import Mapping

import numpy as np

from evaluation.protocol import Constants
from evaluation.records import Decision
from leaderboard import display, shell, words
from leaderboard.decision_words import signed
from leaderboard.derive.records import ALL
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages.histogram import Mark, histogram
from leaderboard.pages.why_link import why_link
from leaderboard.why.pair import PairProof

_N_BINS = 48


def steps(proof: PairProof, names: Mapping[str, str], constants: Constants, protocol_id: str) -> Markup:
    """Return the arithmetic line by line: what, how, and the value with six decimals."""
    found = proof.decision
    means = {found.challenger: found.challenger_score, found.incumbent: found.incumbent_score}
    lines: list[tuple[Child, Child, Child]] = [
        (
            join("Mean of ", el("b", names[key])),
            f"sum of {display.count(found.n_items, 'item')} / {found.n_items}",
            _linked(proof, protocol_id, key, display.exact(score)),
        )
        for key, score in means.items()
    ]
    gap = found.challenger_score - found.incumbent_score
    minus = f"{display.exact(found.challenger_score)} − {display.exact(found.incumbent_score)}"
    headroom = constants.margin_slope * (1 - found.incumbent_score)
    sign = ">" if found.is_win else "≤"
    lines += [
        ("Difference", minus, signed(gap)),
        (
            "Lower bound (LCB)",
            f"{100 * constants.alpha:g}th percentile of {constants.n_resamples:,} resampled differences",
            signed(found.lcb),
        ),
        (
            "Margin",
            f"max({constants.margin_floor:g}, {constants.margin_slope:.2f} × (1 − "
            f"{display.exact(found.incumbent_score)})) = max({constants.margin_floor:g}, {display.exact(headroom)})",
            display.exact(found.margin),
        ),
        (
            el("b", "Decision"),
            f"{signed(found.lcb)} {sign} {display.exact(found.margin)}",
            el("b", "win" if found.is_win else "tie"),
        ),
    ]
    rows = (
        el("tr", el("th", what, scope="row"), el("td", how), el("td", value, cls="cb-num"))
        for what, how, value in lines
    )
    head = el("tr", shell.column("What"), shell.column("How"), shell.column("Value", "cb-num"))
    return el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-sum", id="pair-sum")


def same(proof: PairProof, published: Decision | None) -> Markup:
    """Return whether the decision that was made anew is the published one."""
    if proof.part != ALL:
        return el("p", words.WHY_DERIVED, cls="cb-small", id="pair-same")
    if published == proof.decision:
        text = "Worked out again here from both systems' published items: identical to the published decision."
        return el("p", "✓ ", text, cls="cb-small cb-good-text", id="pair-same", data_same="identical")
    told = "there is none" if published is None else f"LCB {signed(published.lcb)}, margin {published.margin:.6f}"
    return el("p", f"Worked out again here: not the published decision ({told}).", cls="cb-bad-text", id="pair-same")


def figure(proof: PairProof, names: Mapping[str, str]) -> Markup:
    """Return the drawing of the resampled differences, with bound, zero and margin, and what it says."""
    found, means = proof.decision, proof.means
    marks = (
        Mark(value=0.0, label="0", look="zero"),
        Mark(value=found.lcb, label=f"LCB {signed(found.lcb)}", look="lcb"),
        Mark(value=found.margin, label=f"margin {found.margin:.6f}", look="margin"),
    )
    low = min(*means, *(mark.value for mark in marks))
    high = max(*means, *(mark.value for mark in marks))
    room = max(0.04 * (high - low), 1e-4)
    n_above = int(np.count_nonzero(np.asarray(means) > 0))
    said = (
        f"Of {len(means):,} resamples {n_above:,} put {names[found.challenger]} ahead; 95 % of the differences lie "
        f"above {signed(found.lcb)}, which is {'above' if found.is_win else 'not above'} the margin {found.margin:.6f}."
    )
    drawing = histogram(
        means,
        low=low - room,
        high=high + room,
        n_bins=_N_BINS,
        label=f"Resampled mean differences of {names[found.challenger]} less {names[found.incumbent]}. {said}",
        marks=sorted(marks, key=lambda mark: mark.value),
        decimals=3,
    )
    return el("figure", drawing, el("figcaption", said), id="pair-histogram", cls="cb-histogram-figure")


def needs(proof: PairProof, names: Mapping[str, str]) -> Markup:
    """Return what would have to change for the decision to be another one."""
    found = proof.decision
    above = names[found.challenger]
    if found.is_win:
        text = words.PAIR_NEEDS_WIN.format(spare=display.exact(-proof.needed()), above=above)
    else:
        text = words.PAIR_NEEDS_TIE.format(lack=display.exact(proof.needed()), above=above)
        n_items = proof.items_needed()
        more = words.PAIR_NEEDS_ITEMS.format(n=f"{n_items:,}") if n_items else words.PAIR_NEEDS_MEAN
        text = f"{text} {more}"
    return el("p", text, id="pair-needs", cls="cb-small")


def _linked(proof: PairProof, protocol_id: str, key: str, text: str) -> Markup:
    part = proof.part
    return why_link(text, protocol_id, key, part.trait or "score", tier=part.tier, split=part.split)
