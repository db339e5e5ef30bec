"""Run by `test_ninth_trait` in a process of its own: a ninth trait is registered, and nothing else is changed.

Prints "ok" if a board with it is scored, published, verified and shown, and an older corpus still loads.
"""

import dataclasses
import sys
import tempfile
from pathlib import Path

import evaluation.traits as registry
from evaluation.traits import Kind, Trait

NINTH = {
    "categorical": Trait(name="breath", kind=Kind.CATEGORICAL, values=("clear", "breathy"), question="Breathy?"),
    "ordinal": Trait(name="roughness", kind=Kind.ORDINAL, values=("smooth", "rough", "creaky"), question="Rough?"),
    "numeric": Trait(
        name="distance", kind=Kind.NUMERIC, values=("10", "50", "200"), tolerance=20.0, unit="cm", question="How near?"
    ),
    "judged": Trait(name="irony", kind=Kind.JUDGED, values=("plain", "ironic"), question="Ironic?"),
}[sys.argv[1]]
registry.TRAITS = (*registry.TRAITS, NINTH)

# Only now: everything below reads the registry when it is imported.
from evaluation import corpus  # noqa: E402
from evaluation.corpus import Corpus  # noqa: E402
from evaluation.protocol import Protocol  # noqa: E402
from leaderboard.context import make_context  # noqa: E402
from leaderboard.reading.board import board_page  # noqa: E402
from leaderboard.reading.listen import listen_page  # noqa: E402
from leaderboard.reading.matrix import matrix_page  # noqa: E402
from leaderboard.reading.method import method_page  # noqa: E402
from leaderboard.reading.system import system_page  # noqa: E402
from submissions import layout  # noqa: E402
from submissions.store.folder import FolderStore, PublishedFolder  # noqa: E402
from submissions.verify import verify  # noqa: E402
from tests.leaderboard.cast import NOW  # noqa: E402
from tests.submissions import judged_example as judged  # noqa: E402
from tests.submissions import published_example as example  # noqa: E402

NAME = NINTH.name


def main(home: Path) -> None:
    """Publish two systems under a protocol of ten dimensions, check them and build every page."""
    dimensions = ("tone", "naturalness", *([NAME] if NINTH.kind is Kind.JUDGED else []))
    plain = example.protocol()
    covering = dataclasses.replace(plain, not_measured={**plain.not_measured, NAME: "Not here."})
    under = judged.protocol(judged=dimensions, traits=covering.traits)
    files = PublishedFolder(home / "published")
    for name in example.SUBMISSIONS[:2]:
        example.send(files, judged.submission(home / name, name, under), under)
    report = verify(home / "published")
    assert report.is_identical, report.differences
    rows = layout.read_samples(files, under.id, example.SUBMISSIONS[0]).to_pylist()
    scored = [row[f"desirability_{NAME}"] for row in rows if row[f"desirability_{NAME}"] is not None]
    assert len(scored) == example.N_ITEMS - 1 and any(scored), scored
    assert all(row[f"mean_{NAME}"] is not None for row in layout.read_leaderboard(files, under.id).to_pylist())
    _show(home, files, under)
    _old_corpus(files, home)


def _show(home: Path, files: PublishedFolder, under: Protocol) -> None:
    test_set = Corpus(pin=under.corpus, items=example.items())
    context = make_context(
        home=home, files=files, store=FolderStore(home), corpus=test_set, protocols=(under,), clock=lambda: NOW
    )
    query = {"id": example.SUBMISSIONS[0], "systems": ",".join(example.SUBMISSIONS[:2])}
    for page in (board_page, matrix_page, listen_page, system_page, method_page):
        text = str(page(context, query))
        assert page is matrix_page or NAME in text.casefold(), page
    board = context.published.board(under.id)
    detail = context.published.detail(board, example.SUBMISSIONS[0])
    assert detail is not None
    held = [*(sample.verdicts if NINTH.kind is Kind.JUDGED else sample.probes for sample in detail.samples.values())]
    assert sum(NAME in one for one in held) == example.N_ITEMS - 1


def _old_corpus(files: PublishedFolder, home: Path) -> None:
    """The corpus of eight traits loads, and a row of such items is published and verified as ever."""
    shipped = corpus.load_benchmark_v1()
    assert all(NAME not in item.requested and len(item.requested) == 8 for item in shipped.items)
    old = [
        dataclasses.replace(item, requested={name: value for name, value in item.requested.items() if name != NAME})
        for item in example.items()
    ]
    under = example.protocol()
    example.send(files, example.submission(home / "old", example.SUBMISSIONS[0]), under, old)
    assert verify(home / "published").is_identical
    names = layout.read_samples(files, under.id, example.SUBMISSIONS[0]).column_names
    assert not any(NAME in name for name in names)


with tempfile.TemporaryDirectory() as folder:
    main(Path(folder))
sys.stdout.write("ok\n")
