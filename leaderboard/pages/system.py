"""One system's page: card, breakdowns, confusion, clips to hear, neighbours, downloads."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from evaluation.corpus import Corpus
from evaluation.corrected import Corrected
from evaluation.records import Item
from leaderboard import display, sharing, shell, standings, words
from leaderboard.derived import NOTHING_BESIDE, Beside
from leaderboard.eval_results import hub_model
from leaderboard.markup import Child, Markup, el, join
from leaderboard.mirror import ROUTE
from leaderboard.pages import breakdown, instrument_card, judging, parts, people
from leaderboard.pages.board_cells import score_cell
from leaderboard.pages.system_versions import versions
from leaderboard.pages.why_link import item_link, why_link
from leaderboard.query import address
from leaderboard.views import Board, Detail, Row, Sample
from submissions import layout

HERE = "/system"
N_CLIPS = 4
"""Clips shown as best and as worst."""
N_NEIGHBOURS = 8
"""Systems listed as nearest."""


def build(
    board: Board,
    boards: Sequence[Board],
    corpus: Corpus,
    row: Row,
    detail: Detail,
    *,
    beside: Beside = NOTHING_BESIDE,
    corrected: Mapping[str, Corrected] = MappingProxyType({}),
    has_operators: bool = False,
    drawn: Markup | None = None,
) -> Markup:
    """Return the whole page of a system.

    Args:
        board: its board.
        boards: all boards, for the choice of protocol.
        corpus: the test set.
        row: the system.
        detail: its figures and samples.
        beside: cards, ceiling and agreement with people of the board.
        corrected: its corrected rates, by trait.
        has_operators: whether somebody can act on it on the operators' page.
        drawn: its figure beside its neighbours.
    """
    kept = board.protocol_id if len(boards) > 1 else ""
    by = join("by ", el("b", row.organisation)) if row.organisation else None
    aside = (shell.protocol_choice(boards, HERE, board.protocol_id, system=row.submission), sharing.aside())
    head = shell.title(row.name or row.submission, by, *aside)
    body = join(
        head,
        _names(board, row),
        _figures(board, row, detail),
        instrument_card.ceiling_note(beside.ceiling),
        el("div", _card(row, detail, has_operators=has_operators), _downloads(board, row, beside), cls="cb-columns"),
        judging.section(board, row, detail),
        drawn,
        breakdown.traits(board, row, detail, beside=beside, corrected=corrected),
        breakdown.slices(board, row, detail),
        breakdown.reasons(detail),
        versions(board, row),
        _clips(board, corpus, row, detail),
        _neighbours(board, row),
    )
    return shell.page("page-system", body, here=HERE, protocol=kept)


def absent(board: Board, boards: Sequence[Board], submission: str, hidden: str | None = None) -> Markup:
    """Return the page of an id that is not on the board; `hidden` says why an operator took it off."""
    head = shell.title("Hidden" if hidden else "No such system")
    under = join(" under the id ", el("code", submission)) if submission else None
    queue = join(" If it was sent lately, see the ", el("a", "queue", href="/queue"), ".")
    text = join("There is no row", under, f" on the board of protocol {board.protocol.name}.", queue)
    if hidden:
        text = join(hidden, " ", el("a", "What operators did", href="/log"), ".")
    back = el("p", el("a", "Back to the board", href="/", cls="cb-button"))
    kept = board.protocol_id if len(boards) > 1 else ""
    return shell.page("page-absent", join(head, shell.notice(text, look="warn"), back), here=HERE, protocol=kept)


def _names(board: Board, row: Row) -> Markup:
    """Return what a system was called before, and which of its versions come before and after this one."""
    was = row.rename
    renamed = people.former(was.was.system, was.was.organisation, was.reason, was.at) if was else None
    after = board.row(row.superseded_by) if row.superseded_by else None
    before = board.row(row.supersedes) if row.supersedes else None
    newer = join("Superseded by ", _version(after), ", a later version of this system.") if after else None
    older = join("A new version of ", _version(before), ".") if before else None
    return join(
        renamed,
        shell.notice(el("span", newer, id="system-superseded"), look="warn") if newer else None,
        el("p", older, cls="cb-small", id="system-supersedes") if older else None,
    )


def _version(row: Row) -> Markup:
    return el("a", row.name, href=address(HERE, id=row.submission))


def _figures(board: Board, row: Row, detail: Detail) -> Markup:
    band = el("strong", display.band(row.band.best, row.band.worst), f" of {len(board.rows)}")
    shares = {"gate": display.percent(row.gate_pass_rate), "coverage": display.percent(row.coverage)}
    made = {"band": band, "score": score_cell(row)} | {name: el("strong", text) for name, text in shares.items()}
    labels = {"band": "Rank band", "score": "Score S", "gate": "Gate pass rate", "coverage": "Coverage"}
    cells = [
        *((labels[name], why_link(told, board.protocol_id, row.submission, name)) for name, told in made.items()),
        *_heard(detail),
        *_judge_cost(row),
    ]
    return el(
        "div", *(el("div", el("span", label), value) for label, value in cells), cls="cb-figures", id="system-figures"
    )


def _heard(detail: Detail) -> list[tuple[str, Markup]]:
    """Return how many units were read right and how many clips were heard again, where the board knows."""
    heard = standings.heard_totals(detail.samples.values())
    cells = []
    if heard.n_units:
        right = el("small", f" {heard.n_units_right} of {heard.n_units}")
        cells.append(
            ("Numbers, dates, addresses", el("strong", display.percent(heard.n_units_right / heard.n_units), right))
        )
    if heard.n_again:
        disputed = el("small", f" hearings differ in {heard.n_disputed}")
        cells.append(("Heard again", el("strong", str(heard.n_again), disputed)))
    return cells


def _judge_cost(row: Row) -> list[tuple[str, Markup]]:
    if row.judge_usage is None:
        return []
    calls = el("small", f" {display.count(row.judge_usage.n_calls, 'call')}")
    return [("Judging cost", el("strong", display.money(row.judge_usage.cost_micro_usd), calls))]


def _card(row: Row, detail: Detail, *, has_operators: bool) -> Markup:
    weights = display.DASH if row.is_open is None else "open" if row.is_open else "not open"
    pairs: list[tuple[str, Child]] = [
        ("System", row.system),
        ("Version", row.version or display.DASH),
        ("Organisation", row.organisation or display.DASH),
        ("Licence", row.licence or display.DASH),
        ("Weights", weights),
        ("Parameters", row.parameters or display.DASH),
        ("Link", shell.outside_link(row.link) or display.DASH),
        ("Instructions", detail.prompting or display.DASH),
        ("Notes", detail.notes or display.DASH),
        ("Received", display.when(row.received_at)),
        *((label, _origin(label, value)) for label, value in detail.provenance),
    ]
    yours = el("a", "Take it back, or ask for other names", href=people.panel(row.submission))
    act = el("a", "Act on it", href=address("/operator", id=row.submission)) if has_operators else None
    foot = el("p", "Is it yours? ", yours, ".", *((" For operators: ", act, ".") if act else ()), cls="cb-small")
    return el("section", el("h2", "Card"), shell.facts(pairs), foot, id="system-card", cls="cb-panel")


def _origin(label: str, value: str) -> Markup:
    address = shell.outside_link(value) if label == words.FETCHED_FROM else None
    return address or el("code", value)


def _downloads(board: Board, row: Row, beside: Beside) -> Markup:
    base = f"/download/samples/{board.protocol_id}/{row.submission}"
    files = [
        ("Every item, CSV", f"{base}.csv", "download-csv"),
        ("Every item, parquet", f"{base}.parquet", "download-parquet"),
        ("Every item, JSON", f"{base}.json", "download-json"),
        ("Summary, JSON", f"/download/results/{board.protocol_id}/{row.submission}.json", "download-summary"),
        ("Clips, parquet", f"{ROUTE}/{layout.clips_path(row.submission)}", "download-clips"),
        ("Card, JSON", f"/download/system/{row.submission}.json", "download-card"),
        ("Protocol, JSON", f"/download/protocol/{board.protocol_id}.json", "download-protocol"),
    ]
    if board.protocol.judge is not None:
        replies = f"{ROUTE}/{layout.replies_path(board.protocol_id, row.submission)}"
        files.append(("The judge’s raw replies, parquet", replies, "download-replies"))
    files += [
        (
            f"Card of the {name} probe, JSON",
            f"/download/instrument/{board.protocol_id}/{name}.json",
            f"download-card-{name}",
        )
        for name in beside.cards
    ]
    if beside.people is not None:
        people = f"{ROUTE}/{layout.people_path(board.protocol_id)}"
        files.append(("The judge and people, JSON", people, "download-people"))
    if hub_model(row.link) is not None:
        results = address(f"/download/eval-results/{row.submission}.yaml", protocol=board.protocol_id)
        files.append(("For .eval_results of the model’s repo, YAML", results, "download-eval-results"))
    links = [el("li", el("a", label, href=href, id=name, download=True)) for label, href, name in files]
    text = (
        "One line an item: what was requested, what was measured, the transcript, every desirability and the clip's "
        "hash. The clips are one file, each in the very bytes that were measured."
    )
    listen = el(
        "a",
        "Listen to all its clips",
        href=address("/listen", protocol=board.protocol_id, systems=row.submission),
        cls="cb-button cb-strong",
    )
    return el(
        "section",
        el("h2", "Downloads"),
        el("p", text),
        el("ul", *links, cls="cb-files"),
        el("p", listen),
        el("h3", "In a README"),
        sharing.badge(row, board.protocol_id),
        id="system-downloads",
        cls="cb-panel",
    )


def _clips(board: Board, corpus: Corpus, row: Row, detail: Detail) -> Markup:
    best, worst = standings.best_and_worst(detail.samples, n_each=N_CLIPS)
    items: Mapping[str, Item] = {item.id: item for item in corpus.items}
    groups = (("Best clips", best, "system-best"), ("Worst clips", worst, "system-worst"))
    columns = [
        el(
            "div",
            el("h2", label),
            *(_clip(sample, items[sample.item_id], board, row) for sample in chosen if sample.item_id in items),
            id=name,
        )
        for label, chosen, name in groups
        if chosen
    ]
    return el("section", *columns, cls="cb-columns cb-clips")


def _clip(sample: Sample, item: Item, board: Board, row: Row) -> Markup:
    source = parts.clip_address(row.submission, item.id, sample.clip_sha256) if sample.clip_sha256 else None
    link = el("a", item.id, href=address("/listen", protocol=board.protocol_id, item=item.id, systems=row.submission))
    verdict = el(
        "p",
        item_link(
            el("span", el("strong", display.score(sample.composite)), cls="cb-composite"),
            board.protocol_id,
            row.submission,
            item.id,
        ),
        parts.gate_mark(sample),
        link,
        cls="cb-verdict",
    )
    return el(
        "article",
        verdict,
        parts.player(source, f"{item.id}, {row.name}"),
        el("p", item.instruction, cls="cb-instruction"),
        parts.transcript(item, sample, board.protocol),
        cls="cb-voice",
    )


def _nearest(row: Row, others: Sequence[Row]) -> tuple[Row, ...]:
    if row.score is None:
        return ()
    gaps = [(abs(other.score - row.score), other) for other in others if other.score is not None]
    return tuple(other for _, other in sorted(gaps, key=lambda pair: pair[0])[:N_NEIGHBOURS])


def _neighbours(board: Board, row: Row) -> Markup | None:
    others = [other for other in board.rows if other.submission != row.submission]
    if not others:
        return None
    lines = []
    for other in _nearest(row, others):
        decision = standings.between(board.decisions, row.submission, other.submission)
        if decision is None:
            continue
        glyph, verb = words.OUTCOMES[standings.outcome(decision, row.submission)]
        pair = address("/matrix", protocol=board.protocol_id, a=row.submission, b=other.submission) + "#pair"
        mark = el("span", glyph, cls=f"cb-cell cb-{standings.outcome(decision, row.submission)}", title=verb)
        lines.append(
            el(
                "tr",
                el("td", mark, " ", el("a", verb, href=pair)),
                el("th", el("a", other.name, href=address("/system", id=other.submission)), scope="row"),
                el(
                    "td",
                    why_link(display.score(other.score), board.protocol_id, other.submission, "score"),
                    cls="cb-num",
                ),
                el("td", el("a", display.exact(decision.lcb).replace("-", "−"), href=pair, cls="cb-why"), cls="cb-num"),
                el("td", el("a", display.exact(decision.margin), href=pair, cls="cb-why"), cls="cb-num"),
            )
        )
    heads = (("This system", None), ("Neighbour", None), ("S", "cb-num"), ("LCB", "cb-num"), ("Margin", "cb-num"))
    head = el("tr", *(shell.column(text, look) for text, look in heads))
    table = el("table", el("thead", head), el("tbody", *lines), cls="cb-table", id="system-neighbours")
    return el(
        "section",
        el("h2", "Nearest neighbours"),
        shell.scroll_box(table, "Decisions against the nearest systems"),
        cls="cb-narrow",
    )
