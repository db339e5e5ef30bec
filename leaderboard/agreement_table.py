"""A report of agreement with people as tables for a terminal."""

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluation.people.report import Agreement, AgreementReport, Figure

_WIDTH = 110


def render(report: AgreementReport) -> str:
    """Return a report as lines of plain text; nothing in it is read as markup."""
    groups = {**report.dimensions, "all": report.overall}
    people = Table("Dimension", "Asked", "Labels", "People", "No majority", "Alpha of people", title_justify="left")
    people.title = Text("People among themselves")
    judge = Table("Dimension", "As most people", "Kappa", "Rank correlation", "Orders disagree", title_justify="left")
    judge.title = Text(f"{report.judge} and people")
    for name, one in groups.items():
        counts = (one.n_comparisons, one.n_labels, one.n_raters, one.n_no_majority)
        people.add_row(Text(name), *(str(count) for count in counts), Text(figure(one.human_alpha)))
        judge.add_row(Text(name), *(Text(cell) for cell in _judge_cells(one)))
    out = io.StringIO()
    console = Console(file=out, width=_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(people)
    console.print(judge)
    return out.getvalue()


def figure(found: Figure) -> str:
    """Return "0.71 (0.60 to 0.81), 40", or why there is none."""
    if found.value is None:
        return f"— ({found.reason})"
    spread = f" ({found.interval.low:.2f} to {found.interval.high:.2f})" if found.interval else ""
    return f"{found.value:.2f}{spread}, {found.n}"


def _judge_cells(one: Agreement) -> tuple[str, ...]:
    figures = (one.judge_accuracy, one.judge_kappa, one.score_correlation)
    return (*(figure(found) for found in figures), str(one.n_inconsistent))
