"""The page of one clip of one system: its whole chain from the sound to its share in S. Pure."""

import math
from collections.abc import Mapping, Sequence

from evaluation.bootstrap import MICRO
from evaluation.cards import InstrumentCard
from evaluation.protocol import Protocol
from evaluation.records import DimensionScore, SampleScore, Transcript
from leaderboard import dimensions, display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import parts, why, why_read
from leaderboard.pages.why_link import why_address
from leaderboard.query import address
from leaderboard.views import Board, Row, Sample
from leaderboard.why.chain import Chain
from leaderboard.why.rules import explained


def build(
    board: Board,
    boards: Sequence[Board],
    row: Row,
    chain: Chain,
    *,
    cards: Mapping[str, InstrumentCard],
) -> Markup:
    """Return the whole page.

    Args:
        board: the board.
        boards: all boards, for what the navigation keeps.
        row: the system.
        chain: the item, scored anew.
        cards: cards of the board's instruments, by trait.
    """
    item, protocol = chain.item, board.protocol
    heard = address("/listen", protocol=board.protocol_id, item=item.id, systems=row.submission)
    aside = (el("a", "Listen beside others", href=heard, cls="cb-button"), shell.copy_link())
    steps = (
        ("What was asked", _asked(chain)),
        ("The clip", _clip(row, chain)),
        *((("What the instruments read", why_read.readings(protocol, chain, cards)),) if chain.readings else ()),
        *((("The gate: are these the words?", _gate(protocol, chain)),) if chain.readings else ()),
        *((("Each dimension: was it as asked?", _dimensions(protocol, chain)),) if _scores(chain) else ()),
        ("The composite", _composite(protocol, chain)),
        ("Its share in S", _share(board, row, chain)),
    )
    body = join(
        shell.title(join(item.id, el("span", " of ", cls="cb-soft"), row.name), words.WHY_LEAD, *aside),
        why.crumbs(board, row),
        _value(chain),
        _same(chain),
        el("ol", *(el("li", el("h2", head), part) for head, part in steps), cls="cb-chain"),
    )
    return why.page(board, boards, body)


def _scores(chain: Chain) -> tuple[DimensionScore, ...]:
    return chain.score.dimensions if chain.score else ()


def _value(chain: Chain) -> Markup:
    shown = display.exact(chain.published_micro / MICRO)
    return el("p", el("strong", shown), el("span", "composite", cls="cb-soft"), cls="cb-why-value", id="why-value")


def _same(chain: Chain) -> Markup:
    if chain.fault:
        return el("p", chain.fault, cls="cb-bad-text", id="why-same", data_same="different")
    if chain.differences:
        text = f"Scored again here: other values than published in {', '.join(chain.differences)}."
        return el("p", text, cls="cb-bad-text", id="why-same", data_same="different")
    text = f"Scored again here from its published readings: all {chain.n_columns} published values of it are identical."
    return el("p", "✓ ", text, cls="cb-small cb-good-text", id="why-same", data_same="identical")


def _asked(chain: Chain) -> Markup:
    item = chain.item
    facts: list[tuple[str, Child]] = [
        ("Instruction", item.instruction),
        ("Script", item.script),
        ("Kind", f"{words.TIERS.get(item.tier, item.tier)}, {words.SPLITS.get(item.split, item.split)}"),
    ]
    return join(shell.facts(facts), why.requested_chips(item))


def _clip(row: Row, chain: Chain) -> Markup:
    clip = chain.clip
    if clip is None:
        return parts.player(None, "")
    source = parts.clip_address(row.submission, chain.item.id, clip.sha256)
    kind = f"{clip.duration_s:.3f} s, {clip.rate_hz:,} Hz, {clip.bit_depth} bit; uploaded as {clip.source_format}"
    facts: list[tuple[str, Child]] = [
        ("Sound", kind + (", two channels averaged" if clip.source_channels == 2 else "")),
        ("sha256", el("code", clip.sha256, cls="cb-hash")),
    ]
    return join(parts.player(source, f"{chain.item.id}, {row.name}"), shell.facts(facts))


def _gate(protocol: Protocol, chain: Chain) -> Markup:
    score = chain.score
    errors = score.word_errors if score else None
    if errors is None:
        return el("p", "Nothing was heard.", cls="cb-absent")
    limit = protocol.constants.wer_limit
    n_errors = errors.substitutions + errors.deletions + errors.insertions
    passed = bool(score and score.passed_gate)
    kinds = f"{errors.substitutions} replaced + {errors.deletions} left out + {errors.insertions} added"
    sum_ = f"({kinds}) / {errors.n_words} words = {n_errors} / {errors.n_words} = {errors.wer:.6f}"
    verdict = f"{errors.wer:.6f} {'≤' if passed else '>'} {limit:g}: {'passes, g = 1' if passed else 'vetoed, g = 0'}"
    facts: list[tuple[str, Child]] = [("Word errors", sum_), ("Verdict", el("b", verdict))]
    path = chain.comparison.path if chain.comparison else None
    facts += [("Nearest reading", path)] if path else []
    return join(parts.transcript(chain.item, _sample(chain), protocol), shell.facts(facts))


def _sample(chain: Chain) -> Sample:
    """Return the item as the other pages show it."""
    score = chain.score
    heard = chain.readings.transcript if chain.readings else None
    return Sample(
        item_id=chain.item.id,
        is_declined=chain.clip is None,
        duration_s=chain.clip.duration_s if chain.clip else None,
        transcript=heard if isinstance(heard, Transcript) else None,
        gate=score.gate if score else None,
        wer=score.word_errors.wer if score and score.word_errors else None,
        passed_gate=bool(score and score.passed_gate),
        composite=chain.published_micro / MICRO,
        dimensions=_scores(chain),
        clip_sha256=chain.clip.sha256 if chain.clip else None,
    )


def _dimensions(protocol: Protocol, chain: Chain) -> Markup:
    heads = ("Dimension", "Requested", "Measured", "Desirability", "How")
    head = el("tr", *(shell.column(text, "cb-num" if at == 3 else None) for at, text in enumerate(heads)))
    rows = [_dimension(protocol, chain, score) for score in _scores(chain)]
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-rules", id="why-dimensions")
    return shell.scroll_box(table, "Every dimension of the clip")


def _dimension(protocol: Protocol, chain: Chain, score: DimensionScore) -> Markup:
    told = explained(protocol, chain, score)
    number = dimensions.quantity(protocol, score.dimension, score.quantity) if score.quantity is not None else ""
    measured = join(
        score.measured or number or display.DASH, el("small", number) if score.measured and number else None
    )
    return el(
        "tr",
        el("th", words.header(score.dimension).label, scope="row"),
        el("td", score.requested or display.DASH),
        el("td", measured),
        el("td", display.exact(score.desirability), cls="cb-num"),
        el("td", el("small", told.measured) if told.measured else None, told.rule),
        data_dimension=score.dimension,
    )


def _composite(protocol: Protocol, chain: Chain) -> Markup:
    score = chain.score
    if score is None:
        return el("p", chain.fault)
    if score.is_declined:
        return el("p", "The system declined the item, so its composite is 0.")
    made = score.composite_micro / MICRO
    floor = protocol.constants.desirability_floor
    terms = [max(one.desirability, floor) for one in score.dimensions]
    lines = [
        el(
            "tr",
            el("th", words.header(one.dimension).label, scope="row"),
            el("td", f"ln max({one.desirability:g}, {floor:g})"),
            el("td", f"{math.log(term):.6f}".replace("-", "−"), cls="cb-num"),
        )
        for one, term in zip(score.dimensions, terms, strict=True)
    ]
    table = el("table", el("tbody", *lines, *_sum(score, terms)), cls="cb-table cb-sum", id="why-composite")
    note = None
    if not score.passed_gate:
        note = el("p", "The gate vetoed the clip: g = 0, so the composite is 0 whatever the dimensions say.")
    return join(
        note, shell.scroll_box(table, "Arithmetic of the composite"), el("p", f"Composite {made:.6f}.", cls="cb-vh")
    )


def _sum(score: SampleScore, terms: Sequence[float]) -> tuple[Markup, ...]:
    mean = math.fsum(math.log(term) for term in terms) / max(1, len(terms))
    gate = 1 if score.passed_gate else 0
    made = display.exact(score.composite_micro / MICRO)
    lines = (
        ("Mean of these", f"sum / {len(terms)}", f"{mean:.6f}".replace("-", "−")),
        ("Composite", join("g × e", el("sup", "mean"), f" = {gate} × {math.exp(mean):.6f}"), made),
    )
    return tuple(
        el("tr", el("th", name, scope="row"), el("td", how), el("td", value, cls="cb-num"))
        for name, how, value in lines
    )


def _share(board: Board, row: Row, chain: Chain) -> Markup:
    composite = chain.published_micro / MICRO
    n = max(1, row.n_items)
    s = el("a", display.exact(row.score or 0.0), href=why_address(board.protocol_id, row.submission, "score"))
    part = composite / n
    share = f", {part / row.score:.2%} of it" if row.score else ""
    return el(
        "p",
        f"S is the mean over {n} items, so this one adds {display.exact(composite)} / {n} = {part:.6f} to S = ",
        s,
        f"{share}. At 1 it would add {1 / n:.6f}.",
        id="why-share",
    )
