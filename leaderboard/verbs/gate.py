"""The verbs of `app.py` that concern the gate: measure pairs of texts, freeze spoken forms."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evaluation import corpus_forms
from evaluation.corpus import load, load_benchmark_v1, pin_of
from evaluation.errors import CastboardError
from evaluation.gate import frozen
from evaluation.gate.wer import GateReading, read_gate
from evaluation.records import ExtraForm, Item
from leaderboard.corpora import corpus_of
from leaderboard.proposals import read_proposals
from leaderboard.protocols import find
from leaderboard.settings import Settings
from leaderboard.terminal import say

_FIELDS = ("id", "script", "transcript")
_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verbs to the parser."""
    gate = add_verb(verbs, "gate", _gate, "hold transcripts against scripts: one JSON line for each pair")
    gate.add_argument("pairs", type=Path, help='lines of JSON {"id", "script", "transcript"}')
    forms = add_verb(verbs, "freeze-forms", _freeze, "freeze spoken forms that other normalisers propose")
    forms.add_argument("proposals", type=Path, help="JSON: item id to {normaliser: [whole sentences in spoken form]}")
    forms.add_argument("--corpus", type=Path, help="corpus file of your own (default: the packaged benchmark_v1)")
    forms.add_argument("--out", type=Path, help="file to write (default: beside that corpus, or the shipped one)")


def _gate(options: argparse.Namespace, settings: Settings) -> int:
    forms = _forms_of(settings)
    is_clean = True
    for number, line in enumerate(_lines(options.pairs), start=1):
        if not line.strip():
            continue
        try:
            pair = _pair(line)
        except ValueError as error:
            is_clean = False
            sys.stderr.write(f"castboard: {options.pairs}, line {number}: {error}\n")
            continue
        extra = frozen.shipped_forms(pair["script"]) + forms.get(pair["script"], ())
        record = _record(pair["id"], read_gate(pair["script"], pair["transcript"], extra=extra))
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
    return 0 if is_clean else 1


def _forms_of(settings: Settings) -> dict[str, tuple[ExtraForm, ...]]:
    """Return the forms that a corpus of the operator's own brings, by script; none of the packaged corpus."""
    if settings.corpus is None:
        return {}
    corpus = corpus_of(settings, find(settings, settings.protocol))
    return {item.script: item.spoken_forms for item in corpus.items}


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            yield from lines
    except OSError as error:
        raise CastboardError(f"{path} cannot be opened: {error.strerror}") from error


def _pair(line: str) -> dict[str, str]:
    """Return a pair.

    Raises:
        ValueError: says what is wrong with the line.
    """
    try:
        record = json.loads(line)
    except RecursionError as error:
        raise ValueError("not JSON (it is nested too deep); a line must be one JSON object") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno}); a line must be one JSON object") from error
    if not isinstance(record, dict):
        raise ValueError(f"must be a JSON object with {', '.join(_FIELDS)}, got {type(record).__name__}")
    wrong = [name for name in _FIELDS if not isinstance(record.get(name), str)]
    if wrong:
        raise ValueError(f"{', '.join(wrong)} must be text, got {', '.join(repr(record.get(name)) for name in wrong)}")
    return {name: record[name] for name in _FIELDS}


def _record(pair_id: str, reading: GateReading) -> dict[str, object]:
    return {
        "id": pair_id,
        "wer": reading.errors.wer,
        "substitutions": reading.errors.substitutions,
        "deletions": reading.errors.deletions,
        "insertions": reading.errors.insertions,
        "path": list(reading.path),
        "units": [
            {"class": unit.kind, "text": unit.text, "start": unit.start, "end": unit.end, "right": unit.is_right}
            for unit in reading.units
        ],
    }


def _freeze(options: argparse.Namespace, _: Settings) -> int:
    sentences = read_proposals(options.proposals)
    items, out = _to_freeze(options)
    found = frozen.freeze(items, sentences)
    raw = frozen.as_bytes(found)
    if options.corpus and out.exists() and out.read_bytes() not in (raw, frozen.as_bytes({})):
        raise CastboardError(f"{out} holds other forms, which a protocol may pin; name another file with --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(raw)
    n_forms = sum(len(forms) for _, forms in found.values())
    digest = frozen.sha256_of(raw)
    say(f"{n_forms} forms of {len(found)} items written to {out}; sha256 {digest}")
    if options.corpus and found:
        say(f'Review the file, then pin it in the draft of a protocol, under [corpus]:\nforms_sha256 = "{digest}"')
    elif not options.corpus and digest != frozen.FORMS_SHA256:
        say("The pinned hash is another one: review the file, then set FORMS_SHA256.")
    return 0


def _to_freeze(options: argparse.Namespace) -> tuple[Sequence[Item], Path]:
    """Return the items of the corpus that is meant, and the file for their forms."""
    if options.corpus is None:
        return load_benchmark_v1().items, options.out or frozen.FORMS_FILE
    try:
        corpus = load(options.corpus, pin_of(options.corpus, options.corpus.stem))
    except (OSError, ValueError, RecursionError) as error:
        raise CastboardError(f"{options.corpus} cannot be read as a corpus: {error}") from error
    return corpus.items, options.out or corpus_forms.path_beside(options.corpus)
