"""An instrument card as tables for a terminal."""

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluation.bootstrap import Interval
from evaluation.cards import InstrumentCard, NumberErrors
from evaluation.summary import Rate
from evaluation.traits import trait

_WIDTH = 110


def render(card: InstrumentCard) -> str:
    """Return a card as lines of plain text; nothing in it is read as markup."""
    tables = [_head(card)]
    tables += [_confusion(card), _classes(card)] if card.confusion else [_numbers(card)]
    if card.groups:
        tables.append(_groups(card))
    out = io.StringIO()
    console = Console(file=out, width=_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    for table in tables:
        console.print(table)
    return out.getvalue()


def share(found: Rate) -> str:
    """Return "845 of 866, 97.6 % (96.3 to 98.4)"; a dash without a clip."""
    if found.rate is None:
        return "—"
    spread = f" ({100 * found.interval.low:.1f} to {100 * found.interval.high:.1f})" if found.interval else ""
    return f"{found.n_hits} of {found.n}, {100 * found.rate:.1f} %{spread}"


def _head(card: InstrumentCard) -> Table:
    measured = trait(card.trait)
    right = f"within {measured.tolerance:g} {measured.unit}" if card.pairs else "measured as labelled"
    table = Table(title=Text(f"Card of the {card.trait} probe"), show_header=False, title_justify="left")
    lines = {
        "Instrument": f"{card.instrument.name} {card.instrument.version} {card.instrument.revision}".strip(),
        "sha256": card.instrument.sha256,
        "Clips": card.what,
        "Measured": f"{card.date}, {card.source}",
        right.capitalize(): share(card.accuracy),
        "Not readable": f"{card.n_unread} of {card.n_clips}",
    }
    for name, value in lines.items():
        table.add_row(Text(name), Text(value))
    return table


def _confusion(card: InstrumentCard) -> Table:
    columns = list(next(iter(card.confusion.values())))
    table = Table(title=Text("Label down, measured across"), title_justify="left")
    for name in ("", *columns):
        table.add_column(Text(name), justify="right" if name else "left")
    for label, row in card.confusion.items():
        table.add_row(Text(label), *(Text(str(row[column])) for column in columns))
    return table


def _classes(card: InstrumentCard) -> Table:
    table = Table("Label", "Recall", "Precision")
    for one in card.classes:
        table.add_row(Text(one.label), Text(share(one.recall)), Text(share(one.precision)))
    return table


def _numbers(card: InstrumentCard) -> Table:
    unit = trait(card.trait).unit
    table = Table(f"Nearest value ({unit})", "Mean absolute error", "Bias", "Read", "Not readable")
    rows = dict(card.values) | ({"all": card.errors} if card.errors else {})
    for value, errors in rows.items():
        table.add_row(Text(value), *(Text(cell) for cell in _cells(errors)))
    return table


def _cells(errors: NumberErrors) -> tuple[str, ...]:
    if errors.mean_absolute is None or errors.bias is None:
        return ("—", "—", "0", str(errors.n_unread))
    return (
        f"{errors.mean_absolute:.2f}{_spread(errors.interval)}",
        f"{errors.bias:+.2f}",
        str(errors.n_read),
        str(errors.n_unread),
    )


def _spread(interval: Interval | None) -> str:
    return f" ({interval.low:.2f} to {interval.high:.2f})" if interval else ""


def _groups(card: InstrumentCard) -> Table:
    table = Table("Group", "Right")
    for one in card.groups:
        table.add_row(Text(one.group), Text(share(one.right)))
    return table
