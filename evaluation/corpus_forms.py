"""The spoken forms that a corpus brings for its scripts: beside its file, pinned by their sha256, carried by its items.

Beside `<name>.jsonl` they stand as `<name>.forms.json`. The items carry them wherever they go, into published tables
too, so whoever has the items can make the pinned file again: its bytes follow from its forms.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.errors import CorpusMismatch, ProtocolError, SchemaError
from evaluation.gate import frozen
from evaluation.gate.normalisers import normaliser
from evaluation.records import ExtraForm, Item

SUFFIX = ".forms.json"
_NO_FORMS = frozen.sha256_of(frozen.as_bytes({}))


def path_beside(corpus: Path) -> Path:
    """Return where the spoken forms of the corpus file `corpus` stand, if it has any."""
    return corpus.with_suffix(SUFFIX)


def sha256_beside(corpus: Path) -> str | None:
    """Return the sha256 (hex) of the forms that stand beside a corpus file; None if there is no form."""
    try:
        found = frozen.sha256_of(path_beside(corpus).read_bytes())
    except FileNotFoundError:
        return None
    return None if found == _NO_FORMS else found


def sha256_of(items: Sequence[Item]) -> str | None:
    """Return the sha256 (hex) of the file that holds the forms of `items`; None if they carry none."""
    held = {item.id: (frozen.script_hash(item.script), item.spoken_forms) for item in items if item.spoken_forms}
    return frozen.sha256_of(frozen.as_bytes(held)) if held else None


def with_forms(items: Sequence[Item], corpus: Path, sha256: str | None) -> tuple[Item, ...]:
    """Return `items` with the forms that stand beside the corpus file `corpus`.

    Args:
        items: the corpus.
        corpus: its file.
        sha256: of the forms (hex), as the protocol pins them; None if it pins none.

    Raises:
        CorpusMismatch: if the forms are absent, other ones, of other scripts, or there though none are pinned.
    """
    path, beside = path_beside(corpus), sha256_beside(corpus)
    if beside != sha256:
        raise CorpusMismatch(
            f"{path}: the spoken forms beside the corpus must have sha256 {sha256}, as the protocol pins them "
            f"(None: no form), got {beside}. Put the frozen file there, or freeze a protocol that names the other one"
        )
    if sha256 is None:
        return tuple(items)
    try:
        forms = frozen.load(path, sha256)
    except (SchemaError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusMismatch(f"{path}: no file of frozen spoken forms: {error}") from error
    carrying = tuple(replace(item, spoken_forms=forms.get(item.id, ("", ()))[1]) for item in items)
    wrong = [f"{item.id}: {why}" for item in carrying if (why := why_unfit(item.script, item.spoken_forms))]
    if wrong:
        raise CorpusMismatch(f"{path}: {'; '.join(wrong[:3])}")
    if sha256_of(carrying) != sha256:
        raise CorpusMismatch(f"{path}: it holds forms of other items or scripts than those of {corpus.name}")
    return carrying


def why_unfit(script: str, forms: Sequence[ExtraForm]) -> str | None:
    """Return why these can be no forms of a script; None if they can."""
    for form in forms:
        is_text = isinstance(form.words, str) and (form.words.isprintable())
        is_whole = all(type(place) is int for place in (form.start, form.end))
        if not is_text or not is_whole or not 0 <= form.start < form.end <= len(script):
            return (
                f"a form must be words for a stretch of the {len(script)} characters of its script, got {form!r:.120}"
            )
    return None


def check_forms(sha256: str | None, version: str, items: Sequence[Item]) -> None:
    """Return if `items` carry the forms that a protocol pins, and its normaliser accepts them.

    Args:
        sha256: of the forms (hex), as the protocol pins them; None if it pins none.
        version: of its normaliser.
        items: all items of its corpus.

    Raises:
        ProtocolError: if not.
    """
    if sha256 is not None and not normaliser(version).takes_forms:
        raise ProtocolError(f"the corpus brings spoken forms, which the normaliser {version} does not know")
    got = sha256_of(items)
    if got != sha256:
        raise ProtocolError(
            f"the items carry spoken forms of sha256 {got}, the protocol pins {sha256} (None: no form); "
            "load the corpus with its frozen forms beside it"
        )
