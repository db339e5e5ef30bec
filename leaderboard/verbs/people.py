"""The verb `people` of `app.py`: ask people what the judge was asked, and hold the two against each other."""

import argparse
import datetime
from collections.abc import Callable, Mapping
from pathlib import Path

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError
from evaluation.people.agreement import agreement_report
from evaluation.people.comparisons import LETTERS, AnswerKey, decode_key, draw, encode_key
from evaluation.people.labels import read_labels
from evaluation.people.report import encode
from evaluation.people.sheet import GUIDE, clip_name, sheet
from evaluation.records import Item, ItemId
from leaderboard.agreement_table import render
from leaderboard.protocols import find
from leaderboard.settings import Settings, require_home
from leaderboard.stores import published_files, work_store
from leaderboard.terminal import say
from submissions.instrument_cards import write_report
from submissions.judged import JudgedBoard

N_DRAWN = 200
SEED = 1
KEY = "key.json"
RATERS = "for-raters"
_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "people", lambda *_: 2, "hold the judge against people: export comparisons, import labels")
    steps = verb.add_subparsers(title="steps", metavar="STEP", required=True, dest="step")
    export = steps.add_parser("export", help="draw comparisons for people: clips, a sheet, and the key to it")
    export.set_defaults(run=_export)
    export.add_argument("folder", type=Path, help="new folder; give raters only what lies in its for-raters")
    export.add_argument("--protocol", metavar="NAME", help="whose judge (default: that of new submissions)")
    export.add_argument("--n", type=int, default=N_DRAWN, help=f"comparisons (default: {N_DRAWN})")
    export.add_argument("--seed", type=int, default=SEED, help=f"seed of the draw (default: {SEED})")
    take = steps.add_parser("import", help="read filled-in sheets and report who agrees with whom")
    take.set_defaults(run=_import)
    take.add_argument("folder", type=Path, help="folder of the export")
    take.add_argument("labels", type=Path, nargs="+", help="filled-in sheets, CSV")
    take.add_argument("--out", type=Path, help="write the report here, as JSON")
    take.add_argument("--publish", action="store_true", help="show the report on this home's Method page")


def _export(options: argparse.Namespace, settings: Settings) -> int:
    if options.n < 1 or options.seed < 0:
        raise CastboardError(f"--n must be at least 1 and --seed at least 0, got {options.n} and {options.seed}")
    protocol = find(settings, options.protocol or settings.protocol)
    board = JudgedBoard(published_files(settings), protocol)
    judged, items = board.verdicts()
    key = AnswerKey(
        protocol_id=protocol.id,
        judge=board.judge.model,
        anchor=board.judge.anchor.submission,
        seed=options.seed,
        comparisons=draw(judged, options.n, seed=options.seed),
    )
    _write(options.folder, key, items, board)
    say(
        f"{len(key.comparisons)} comparisons in {options.folder}. Give raters {options.folder / RATERS} and nothing "
        f"else; {KEY} says what stands behind the letters. Next: app.py people import {options.folder} SHEET.csv ..."
    )
    return 0


def _write(folder: Path, key: AnswerKey, items: Mapping[ItemId, Item], board: JudgedBoard) -> None:
    try:
        (folder / RATERS / "clips").mkdir(parents=True)
    except FileExistsError as error:
        raise CastboardError(f"{folder} holds an export already; name another folder") from error
    for one in key.comparisons:
        item_id = one.judged.item_id
        for letter in LETTERS:
            submission = one.judged.submission if letter == one.clip_letter else key.anchor
            (folder / RATERS / clip_name(one.id, letter)).write_bytes(board.sound(submission, item_id).wav)
    (folder / RATERS / "sheet.csv").write_bytes(sheet(key.comparisons, items))
    (folder / RATERS / "guide.txt").write_text(GUIDE, encoding="utf-8")
    (folder / KEY).write_bytes(encode_key(key))


def _import(options: argparse.Namespace, settings: Settings) -> int:
    key = decode_key(_bytes_of(options.folder / KEY), str(options.folder / KEY))
    tables = [(path.name, _bytes_of(path)) for path in options.labels]
    labels = read_labels(tables, {one.id for one in key.comparisons})
    report = agreement_report(
        key,
        labels,
        labels_sha256=[sha256_of(data) for _, data in tables],
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )
    say(render(report))
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_bytes(encode(report))
        say(f"written to {options.out}")
    if options.publish:
        require_home(settings)
        with work_store(settings).publishing():
            path = write_report(published_files(settings), key.protocol_id, report)
        say(f"published as {path}")
    return 0


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CastboardError(f"{path} cannot be read: {error.strerror}") from error
