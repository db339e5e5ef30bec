"""The verb `gate-trial` of `app.py`: the gate's false-veto rate on real voices, by a command anybody can run."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.corpus import Corpus
from evaluation.errors import CastboardError, MissingDependency
from evaluation.gate import trial as record
from evaluation.protocol import Protocol
from leaderboard.corpora import corpus_of
from leaderboard.protocols import find
from leaderboard.settings import Settings
from submissions.demo.records import DemoSystem
from submissions.demo.systems import DEMO_SYSTEMS
from submissions.demo.trial import LITE, Heard, hear_larger, hear_lite
from submissions.demo.trial_table import cells, render, to_check

_VOICES = ("hibari", "flite-slt", "pico")
_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "gate-trial", _run, "let real voices read the hard tier and count what the gate vetoes")
    names = [system.key for system in DEMO_SYSTEMS]
    verb.add_argument("--voices", nargs="+", choices=names, default=_VOICES, metavar="VOICE", help=", ".join(names))
    verb.add_argument("--out", type=Path, help="write the record here, verdicts of the shipped one included")
    verb.add_argument("--check", type=Path, help="write the drawn vetoes, script and transcripts, for a person")


def _run(options: argparse.Namespace, settings: Settings) -> int:
    protocol = find(settings, settings.protocol)
    corpus = corpus_of(settings, protocol)
    by_key = {system.key: system for system in DEMO_SYSTEMS}
    systems = [by_key[key] for key in dict.fromkeys(options.voices)]
    heard = _heard(systems, corpus, protocol, settings)
    items = corpus.by_id()
    limit = protocol.constants.wer_limit
    if options.check is not None:
        lite = [one for one in heard if one.transcriber == LITE]
        drawn = to_check(items, lite, version=protocol.normaliser, limit=limit)
        options.check.write_text(_sheet(corpus, drawn, heard), encoding="utf-8")
    found = record.Trial(
        corpus=corpus.pin.name,
        normaliser=protocol.normaliser,
        wer_limit=limit,
        transcriber=LITE,
        cells=cells(items, heard, version=protocol.normaliser, limit=limit),
        verdicts=(),
    )
    shipped = record.shipped()
    if (found.normaliser, found.corpus) == (shipped.normaliser, shipped.corpus):
        found = replace(found, verdicts=shipped.verdicts)
    sys.stdout.write(render(found) + "\n")
    if options.out is not None:
        options.out.write_bytes(record.encode(found))
    return 0


def _heard(systems: Sequence[DemoSystem], corpus: Corpus, protocol: Protocol, settings: Settings) -> tuple[Heard, ...]:
    """Hear every voice that is installed; say which voice or transcriber is not."""
    folder = settings.home / "demo"
    found: list[Heard] = []
    for system in systems:
        try:
            found += hear_lite(system, corpus, protocol, folder, n_processes=settings.n_processes)
            found += hear_larger(system, corpus, folder, n_threads=settings.n_processes)
        except MissingDependency as error:
            sys.stderr.write(f"castboard: {system.key}: {error}\n")
    if not found:
        raise CastboardError("no voice could be heard; install one of those named above")
    return tuple(found)


def _sheet(corpus: Corpus, drawn: Sequence[Heard], heard: Sequence[Heard]) -> str:
    items = corpus.by_id()
    rows = []
    for one in drawn:
        others = [text for o in heard if (o.engine, o.item_id) == (one.engine, one.item_id) for text in o.texts]
        rows.append(
            {"item_id": one.item_id, "engine": one.engine, "script": items[one.item_id].script, "heard": others}
        )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
