"""The method page's part on people: how far they agree with each other, and how far the judge agrees with them."""

from evaluation.people.report import Agreement, AgreementReport, Figure
from evaluation.protocol import Protocol
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join

_NEVER = "None of it enters a score, a weight or a rank."
_ASK = "People have not been asked yet: how far the judge agrees with them is not measured yet. "
_ANSWERS = {"clip": "the clip", "anchor": "the anchor", "tie": "a tie"}


def section(protocol: Protocol, report: AgreementReport | None) -> Markup | None:
    """Return the section; None for a protocol without a judge."""
    if protocol.judge is None:
        return None
    body = _report(report) if report is not None else _not_measured()
    return el("section", el("h2", "The judge against people"), body, id="people")


def _not_measured() -> Markup:
    return join(
        el("p", el("b", _ASK), _NEVER),
        el("p", "An operator draws comparisons with ", el("code", "python app.py people export FOLDER"), "."),
    )


def _report(report: AgreementReport) -> Markup:
    groups = {words.header(name).label: one for name, one in report.dimensions.items()}
    groups |= {"All together": report.overall}
    heads = ("", "Asked", "Labels", "People", "No majority", "Alpha of people")
    people = [
        (name, f"{one.n_comparisons:,}", f"{one.n_labels:,}", f"{one.n_raters:,}", f"{one.n_no_majority:,}", one)
        for name, one in groups.items()
    ]
    pairs: list[tuple[str, Child]] = [
        ("Judge", el("code", report.judge)),
        ("Labels taken in", report.date),
        ("Comparisons drawn", f"{report.n_asked:,}"),
        ("sha256 of the key", el("code", report.key_sha256, cls="cb-hash")),
        *(("sha256 of labels", el("code", sha256, cls="cb-hash")) for sha256 in report.labels_sha256),
    ]
    return join(
        el("p", el("b", _NEVER), " It is here so that you can tell how much a judged score means."),
        el("h3", "People among themselves"),
        el(
            "p",
            "First how far people agree with each other, since no judge can be asked for more. Alpha is "
            "Krippendorff's: 1 is agreement, 0 is chance.",
        ),
        shell.scroll_box(
            _table("people-humans", heads, [(*cells, figure(one.human_alpha)) for *cells, one in people]),
            "People among themselves",
        ),
        el("h3", "The judge and people"),
        el(
            "p",
            "People's answer is the one with most votes, a tie without a majority; the judge's is a tie where its two "
            "orders disagree. Kappa is Cohen's, the rank correlation Spearman's over both clips' scores. Intervals: "
            "95 %.",
        ),
        shell.scroll_box(_judge(groups), "The judge and people"),
        _answers(report.overall),
        el("details", el("summary", "Where the figures come from"), shell.facts(pairs)),
    )


def figure(found: Figure) -> str:
    """Return "0.71 (0.60 to 0.81), n = 40" with hard spaces, or why there is no value."""
    if found.value is None:
        return f"{display.DASH} ({found.reason})"
    spread = f" ({_number(found.interval.low)} to {_number(found.interval.high)})" if found.interval else ""
    return f"{_number(found.value)}{spread}, n\u00a0=\u00a0{found.n:,}"


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _judge(groups: dict[str, Agreement]) -> Markup:
    heads = ("", "Answers as most people do", "Kappa", "Rank correlation", "Orders disagree")
    rows: list[tuple[Child, ...]] = [
        (
            name,
            figure(one.judge_accuracy),
            figure(one.judge_kappa),
            figure(one.score_correlation),
            f"{one.n_inconsistent:,} of {one.n_comparisons:,}",
        )
        for name, one in groups.items()
    ]
    return _table("people-judge", heads, rows)


def _answers(overall: Agreement) -> Markup:
    names = list(_ANSWERS)
    heads = ("People ↓ Judge →", *(_ANSWERS[name] for name in names))
    rows: list[tuple[Child, ...]] = [
        (_ANSWERS[name], *(f"{overall.answers.get(name, {}).get(other, 0):,}" for other in names)) for name in names
    ]
    return el("details", el("summary", "Answer by answer"), shell.scroll_box(_table("", heads, rows), "Answers"))


def _table(name: str, heads: tuple[str, ...], rows: list[tuple[Child, ...]]) -> Markup:
    head = el("tr", *(shell.column(text) for text in heads))
    lines = [el("tr", el("th", row[0], scope="row"), *(el("td", cell) for cell in row[1:])) for row in rows]
    return el(
        "table",
        el("thead", head),
        el("tbody", *lines),
        cls="cb-table cb-agreement" if name == "people-judge" else "cb-table",
        id=name or None,
    )
