"""The page with all that people heard in blind tests, and the same of one pair or one system for other pages."""

from collections.abc import Mapping, Sequence

from evaluation.records import Decision
from leaderboard import shell, vote_words, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.mirror import ROUTE
from leaderboard.query import address
from leaderboard.views import Board
from submissions import layout
from submissions.vote_summary import ENOUGH, BoardEvidence, PairEvidence, Share

HERE = "/votes"
N_SHOWN = 200
"""Pairs that the page lists; the file has all."""


def build(found: BoardEvidence, board: Board, boards: Sequence[Board], *, is_published: bool) -> Markup:
    """Return the page of one board; `is_published` if votes on it lie in the published layout."""
    protocol = board.protocol_id
    aside = join(
        shell.protocol_choice(boards, HERE, protocol),
        el("a", vote_words.TITLE, href=address("/vote", protocol=protocol), cls="cb-button"),
    )
    head = shell.title(vote_words.EVIDENCE_TITLE, vote_words.EVIDENCE_LEAD, aside)
    if not found.n_votes:
        return shell.page("page-votes", join(head, shell.notice(vote_words.NO_VOTES)), here=HERE, protocol=protocol)
    body = join(head, _figures(found), _pairs(found, board), _systems(found, board), _files(protocol, is_published))
    return shell.page("page-votes", body, here=HERE, protocol=protocol)


def pair_section(found: PairEvidence, board: Board) -> Markup:
    """Return what people heard of one pair, as a section of a page about it."""
    heading = el("h2", vote_words.EVIDENCE_TITLE)
    if not found.n_preferences and not found.told_apart.n:
        told: Child = join(vote_words.PAIR_NONE, " ", el("a", vote_words.TITLE, href=address("/vote")))
        return el("section", heading, el("p", told, cls="cb-note"), id="pair-votes", cls="cb-pair-votes")
    a, b = _name(board, found.a), _name(board, found.b)
    counts = f"{found.n_for_a} for {a}, {found.n_for_b} for {b}, {found.n_none} heard no difference"
    facts = shell.facts(
        [
            ("Preferred", join(f"{a}: ", _share(found.prefers_a))),
            ("Votes", counts),
            ("Told apart", _share(found.told_apart)),
            ("d′", _d_prime(found)),
            ("Listeners", found.n_raters),
        ]
    )
    verdict = el("p", words.VOTE_AGREES[found.agrees(decision_of(board, found.a, found.b))], cls="cb-note")
    lead = el("p", vote_words.EVIDENCE_LEAD, cls="cb-small")
    more = el("p", el("a", words.VOTES_MORE, href=address(HERE, protocol=board.protocol_id)), cls="cb-small")
    return el("section", heading, lead, facts, verdict, more, id="pair-votes", cls="cb-pair-votes")


def decision_of(board: Board, a: str, b: str) -> Decision | None:
    """Return the decision of two systems, whichever challenged."""
    return board.decisions.get((a, b)) or board.decisions.get((b, a))


def _figures(found: BoardEvidence) -> Markup:
    left_out = el("span", str(found.n_left_out), data_tip=words.VOTE_LEFT_OUT, tabindex=0)
    return shell.facts(
        [
            ("Votes", f"{found.n_votes:,}"),
            ("Listeners", el("span", f"{found.n_raters:,}", data_tip=words.VOTE_TIPS["raters"], tabindex=0)),
            ("Checks passed", _tipped(found.catches, "catches")),
            ("Left out", left_out),
            ("With the board's scores", _tipped(found.with_scores, "with_scores")),
        ]
    )


def _pairs(found: BoardEvidence, board: Board) -> Markup | None:
    if not found.pairs:
        return None
    heads = (
        ("Pair", None),
        ("Preferred", "prefers"),
        ("Votes", None),
        ("Told apart", "apart"),
        ("d′", "d_prime"),
        ("Board", None),
        ("People and board", None),
    )
    rows = (_pair_row(one, board) for one in found.pairs[:N_SHOWN])
    table = el("table", _head(heads), el("tbody", *rows), cls="cb-table", id="votes-pairs")
    return join(el("h2", "Pairs"), shell.scroll_box(table, "Votes by pair"))


def _pair_row(one: PairEvidence, board: Board) -> Markup:
    decision = decision_of(board, one.a, one.b)
    pair = el(
        "a",
        f"{_name(board, one.a)} and {_name(board, one.b)}",
        href=address("/matrix", protocol=board.protocol_id, a=one.a, b=one.b),
    )
    placed = "tie" if decision is None or not decision.is_win else f"{_name(board, decision.challenger)} wins"
    agrees = {True: "agree", False: "differ", None: "open"}[one.agrees(decision)]
    cells: tuple[Child, ...] = (
        join(_name(board, one.a), ": ", _share(one.prefers_a)),
        f"{one.n_for_a} : {one.n_for_b}, {one.n_none} none",
        _share(one.told_apart),
        _d_prime(one),
        placed,
        el("span", agrees, data_tip=words.VOTE_AGREES[one.agrees(decision)], tabindex=0),
    )
    return el("tr", el("th", pair, scope="row"), *(el("td", cell) for cell in cells))


def _systems(found: BoardEvidence, board: Board) -> Markup | None:
    if not found.systems:
        return None
    rows = (_system_row(name, share, board) for name, share in _most_heard(found.systems))
    head = _head((("System", None), ("Preferred over others", "prefers")))
    table = el("table", head, el("tbody", *rows), cls="cb-table", id="votes-systems")
    return join(el("h2", "Systems"), shell.scroll_box(table, "Votes by system"))


def _system_row(name: str, share: Share, board: Board) -> Markup:
    link = el("a", _name(board, name), href=address("/system", id=name, protocol=board.protocol_id))
    return el("tr", el("th", link, scope="row"), el("td", _share(share)))


def _most_heard(systems: Mapping[str, Share]) -> list[tuple[str, Share]]:
    return sorted(systems.items(), key=lambda pair: (-pair[1].n, pair[0]))[:N_SHOWN]


def _files(protocol: str, is_published: bool) -> Markup:
    links = [el("a", kind.upper(), href=address("/api/v1/votes", protocol=protocol, format=kind)) for kind in _KINDS]
    copy = el("a", "published file", href=f"{ROUTE}/{layout.votes_path(protocol)}") if is_published else None
    return el("p", "Every vote as ", join(*links, *([copy] if copy else []), by=", "), ".", cls="cb-small")


_KINDS = ("json", "csv", "parquet")


def _head(heads: Sequence[tuple[str, str | None]]) -> Markup:
    cells = []
    for label, tip in heads:
        told = words.VOTE_TIPS[tip] if tip else words.column(label)
        cells.append(el("th", label, scope="col", data_tip=told, tabindex=0 if told else None))
    return el("thead", el("tr", *cells))


def _tipped(share: Share, tip: str) -> Markup:
    return el("span", _share(share), data_tip=words.VOTE_TIPS[tip], tabindex=0)


def _share(share: Share) -> Markup:
    """Return a share with its interval, or how many votes lack before it says anything."""
    if not share.is_enough or share.value is None or share.low is None or share.high is None:
        return el("span", vote_words.NOT_ENOUGH.format(n=share.n, least=ENOUGH), cls="cb-soft")
    interval = el("small", f"{share.low:.0%} to {share.high:.0%}, n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{share.n}")
    return el("span", f"{share.value:.0%} ", interval)


def _d_prime(found: PairEvidence) -> str:
    return "–" if found.d_prime is None else f"{found.d_prime:.2f}"


def _name(board: Board, submission: str) -> str:
    row = board.row(submission)
    return row.name if row is not None else submission
