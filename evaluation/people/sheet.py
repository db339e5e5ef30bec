"""The sheet that raters fill in: a CSV table of drawn comparisons, and a page that says how. Pure."""

import csv
import io
from collections.abc import Mapping, Sequence

from evaluation.people.comparisons import Comparison, Letter
from evaluation.records import Item, ItemId
from evaluation.traits import NATURALNESS, trait

COLUMNS = ("comparison", "dimension", "question", "asked for", "script", "clip a", "clip b")
ANSWERS = ("rater", "winner", "score_a", "score_b")
"""Columns that a rater fills in."""
NATURAL = "Does it sound like a person who means what is said?"
GUIDE = """How to fill in the sheet

Each line is one comparison of two clips that read the same script. Listen to both, as often as you like, with
headphones, in a quiet place. Judge only what the line asks about. Both clips have the same loudness and the same
silence around the speech, so neither should sway you, and it does not matter which of the two you hear first.

rater    the same short name on every line of yours; it is not published
winner   a, b or tie: which clip does better what is asked for; tie if you cannot tell
score_a  0 to 3, parts allowed: 0 not at all, 1 a little, 2 mostly, 3 fully; may be left empty, but then so must score_b
score_b  the same for clip b

Leave winner empty on a line that you have not heard. Several raters may each send a sheet of their own.
"""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def clip_name(comparison: str, letter: Letter) -> str:
    """Return the path of one clip of a comparison inside the folder that raters get."""
    return f"clips/{comparison}_{letter}.wav"


def sheet(comparisons: Sequence[Comparison], items: Mapping[ItemId, Item]) -> bytes:
    """Return the sheet as CSV, UTF-8 with a mark that spreadsheets look for; it names no system.

    Args:
        comparisons: as drawn.
        items: by id; their scripts are text of strangers, and none becomes a formula.
    """
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow((*COLUMNS, *ANSWERS))
    for one in comparisons:
        dimension = one.judged.dimension
        cells = (
            one.id,
            dimension,
            NATURAL if dimension == NATURALNESS else trait(dimension).question,
            one.judged.requested,
            items[one.judged.item_id].script,
            clip_name(one.id, "a"),
            clip_name(one.id, "b"),
        )
        table.writerow([*(_inert(cell) for cell in cells), *("" for _ in ANSWERS)])
    return out.getvalue().encode("utf-8-sig")


def _inert(cell: str) -> str:
    """Return a cell that a spreadsheet shows as it is instead of working it out."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
