"""The spoken forms of one item as a cell of a per-sample table, and back with everything checked."""

import json

from evaluation import codec, corpus_forms
from evaluation.errors import SchemaError
from evaluation.records import ExtraForm


def forms_cell(forms: tuple[ExtraForm, ...]) -> str:
    """Return the cell of an item's forms: canonical JSON, a list of [start, end, words]."""
    return codec.canonical([[form.start, form.end, form.words] for form in forms]).decode()


def read_forms(cell: str | None, script: str, place: str) -> tuple[ExtraForm, ...]:
    """Return the forms of a cell; none if the table has no such column.

    Raises:
        SchemaError: naming `place`, for a cell that no publisher writes.
    """
    if cell is None:
        return ()
    try:
        held = json.loads(cell)
        if not isinstance(held, list):
            raise ValueError(f"got {cell!r:.80}")
        forms = tuple(ExtraForm(start=start, end=end, words=words) for start, end, words in held)
        why = corpus_forms.why_unfit(script, forms)
    except (ValueError, TypeError, RecursionError) as error:
        raise SchemaError(f"{place}: spoken_forms must be a list of [start, end, words]: {error}") from error
    if why is not None:
        raise SchemaError(f"{place}: spoken_forms: {why}")
    return forms
