"""Tables for a terminal of any width, and for a pipe, where they are plain text. The one user of rich's tables."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TextIO

from leaderboard.terminal import inert

if TYPE_CHECKING:
    from rich.console import Console

Justify = Literal["left", "right"]
_PIPE_WIDTH = 100


def console(stream: TextIO | None = None) -> "Console":
    """Return a console that writes no control code unless a person looks at the stream."""
    from rich.console import Console

    out = stream or sys.stdout
    is_seen = out.isatty()
    return Console(
        file=out,
        force_terminal=is_seen,
        no_color=not is_seen,
        width=None if is_seen else _PIPE_WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
    )


def show_table(
    heads: Sequence[tuple[str, Justify]],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    to: "Console",
) -> None:
    """Write a table; texts may be hostile.

    Args:
        heads: title and alignment of each column.
        rows: cells as text, one for each column.
        title: stands above it.
        to: where it goes.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    for at, (head, justify) in enumerate(heads):
        wraps = at == 0 or justify == "left"
        table.add_column(Text(head), justify=justify, no_wrap=not wraps, overflow="fold")
    for row in rows:
        table.add_row(*(Text(inert(cell)) for cell in row))
    if title:
        to.print(Text(f"\n{inert(title)}", style="bold"))
    to.print(table)


def show_line(text: str, *, to: "Console", is_strong: bool = False) -> None:
    """Write a sentence, wrapped at words; it may be hostile."""
    from rich.text import Text

    to.print(Text(inert(text), style="bold" if is_strong else ""))
