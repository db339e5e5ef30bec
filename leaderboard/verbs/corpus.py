"""The verb `corpus`: build a corpus of one's own and freeze it, or check any corpus file."""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evaluation import traits as registry
from evaluation.corpus_maker.decks import deal
from evaluation.corpus_maker.freeze import FrozenCorpus, freeze
from evaluation.corpus_maker.invariants import check_corpus
from evaluation.corpus_maker.prompts import load_prompts
from evaluation.corpus_maker.provenance import TEMPLATE, of_writer, provenance
from evaluation.corpus_maker.reading import read_drafts
from evaluation.corpus_maker.records import Assignment, CorpusMakerError, Violation
from evaluation.corpus_maker.tables import Tables, load_tables
from evaluation.corpus_maker.template import load_template, write_from_template
from evaluation.corpus_maker.writer import Round, Unwritten, WriterOptions, Written, write
from evaluation.judge.backend import JudgeBackend, JudgeUnavailable
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller, Policy, Tally
from evaluation.judge.open_backend import open_backend
from evaluation.judge.spend import load_prices
from evaluation.judge.spend_ledger import Budget, BudgetSpent, Ledger
from leaderboard.proposals import read_proposals
from leaderboard.settings import Settings
from leaderboard.terminal import say

_WRITERS = ("gemini", "openai")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_TIMEOUT_S = 180.0
_N_SHOWN = 30
_MICRO = 1_000_000
_FAULTY = 1
_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    corpus = add_verb(verbs, "corpus", _check, "build a corpus of your own, or check a corpus file")
    parts = corpus.add_subparsers(title="what to do", metavar="build|check", required=True)
    build = parts.add_parser("build", help="deal, write, check and freeze a corpus", description="Build a corpus.")
    build.set_defaults(run=_build)
    build.add_argument("--out", type=Path, required=True, help="folder for the files")
    build.add_argument("--n", type=int, default=496, help="number of items (default: 496)")
    build.add_argument("--seed", type=int, default=7, help="decides the deal (default: 7)")
    build.add_argument("--name", default="corpus", help="name of the corpus, and beginning of its ids")
    build.add_argument("--writer", default=TEMPLATE, help="template (default), gemini:MODEL or openai:MODEL")
    build.add_argument("--url", help="address of the writer's endpoint (default: the settings', or the provider's own)")
    build.add_argument("--hold-out", type=float, default=0.2, help="share for the private file (default: 0.2)")
    build.add_argument("--temperature", type=float, default=1.0, help="of the writer (default: 1.0)")
    build.add_argument("--tries", type=int, default=4, help="most answers for one item (default: 4)")
    build.add_argument("--proposals", type=Path, help="JSON: item id to {normaliser: [whole scripts in spoken form]}")
    check = parts.add_parser("check", help="check a corpus file against the invariants", description="Check a corpus.")
    check.set_defaults(run=_check)
    check.add_argument("file", type=Path, help="the corpus, JSON lines")
    check.add_argument("--all", action="store_true", help=f"list every violation, not only the first {_N_SHOWN}")


def _build(options: argparse.Namespace, settings: Settings) -> int:
    if not _NAME.fullmatch(options.name):
        raise CorpusMakerError(f"--name must be lower-case letters, digits and _, at most 32, got {options.name!r:.80}")
    if options.tries < 1 or not 0 <= options.temperature <= 2:
        raise CorpusMakerError("--tries must be at least 1 and --temperature between 0 and 2")
    proposals = read_proposals(options.proposals) if options.proposals else {}
    tables = load_tables()
    assignments = deal(options.n, options.seed, traits=registry.TRAITS, tables=tables, hold_out=options.hold_out)
    counts = Counter(assignment.tier for assignment in assignments)
    tiers = ", ".join(f"{counts[at]} {tier.name}" for at, tier in enumerate(tables.tiers))
    say(f"dealt {options.n} items ({tiers}), {sum(a.is_held_out for a in assignments)} of them held out")
    extra: dict[str, Any] = {}
    if options.writer == TEMPLATE:
        drafts = write_from_template(assignments, prefix=options.name, tables=tables, template=load_template())
    else:
        written, extra = _written(assignments, options, settings, tables)
        if written.unwritten:
            _say_unwritten(written.unwritten)
            return _FAULTY
        drafts = written.drafts
    made = provenance(drafts, seed=options.seed, hold_out=options.hold_out, traits=registry.TRAITS, tables=tables)
    frozen = freeze(
        drafts,
        options.out,
        name=options.name,
        provenance={**made, **extra},
        traits=registry.TRAITS,
        tables=tables,
        proposals=proposals,
    )
    _say_frozen(frozen)
    if options.writer == TEMPLATE and frozen.private is not None:
        say(
            "Anybody who guesses the seed can make this held-out part again; one that is to stay secret needs a writer."
        )
    return 0


def _written(
    assignments: Sequence[Assignment], options: argparse.Namespace, settings: Settings, tables: Tables
) -> tuple[Written, dict[str, Any]]:
    """Return what the model wrote and what the provenance says of it."""
    backend = _backend(options, settings)
    asked = WriterOptions(
        prefix=options.name,
        seed=options.seed,
        temperature=options.temperature,
        n_tries=options.tries,
        n_threads=settings.judge_n_parallel,
    )
    private = options.out / "private"
    private.mkdir(parents=True, exist_ok=True, mode=0o700)  # replies hold held-out scripts
    with _caller(backend, private / "replies", options, settings) as caller:
        try:
            written = write(
                assignments,
                caller=caller,
                options=asked,
                traits=registry.TRAITS,
                tables=tables,
                prompts=load_prompts(),
                on_round=_say_round,
            )
        except (JudgeUnavailable, BudgetSpent) as error:
            raise CorpusMakerError(
                f"the writer stopped: {str(error).rstrip('.')}. Its {caller.tally.n_calls} new answers are kept in "
                f"{private / 'replies'}; the same command goes on from there"
            ) from error
        finally:
            _say_spent(caller.tally)
    return written, of_writer(backend.name, backend.model, asked, written)


def _caller(backend: JudgeBackend, replies: Path, options: argparse.Namespace, settings: Settings) -> Caller:
    """Return what asks the model; its spending stands in the same books as the judges'."""
    return Caller(
        backend,
        cache=FolderCache(folder=replies),
        run=f"corpus-{options.name}",
        prices=load_prices(settings.judge_prices),
        ledger=Ledger(settings.home / "judge" / "spend"),
        budget=Budget(
            per_run_micro_usd=settings.judge_budget_micro_usd, per_day_micro_usd=settings.judge_day_budget_micro_usd
        ),
        policy=Policy(per_minute=settings.judge_per_minute or None),
    )


def _backend(options: argparse.Namespace, settings: Settings) -> JudgeBackend:
    backend, _, model = options.writer.partition(":")
    if backend not in _WRITERS or not model:
        raise CorpusMakerError(f"--writer must be template, gemini:MODEL or openai:MODEL, got {options.writer!r:.80}")
    key = settings.judge_key.reveal() if settings.judge_key else None
    return open_backend(backend, model, url=options.url or settings.judge_url, key=key, timeout_s=_TIMEOUT_S)


def _check(options: argparse.Namespace, _: Settings) -> int:
    tables = load_tables()
    drafts, broken = read_drafts(options.file)
    if not drafts and not broken:
        raise CorpusMakerError(f"{options.file} holds no item; a corpus is a file of JSON lines, one item each")
    found = [*broken, *check_corpus(drafts, traits=registry.TRAITS, tables=tables)]
    if not found:
        say(f"{options.file}: {len(drafts)} items, all invariants hold")
        return 0
    for violation in found if options.all else found[:_N_SHOWN]:
        say(_line(violation))
    if not options.all and len(found) > _N_SHOWN:
        say(f"... and {len(found) - _N_SHOWN} more; --all lists them")
    n_items = len({violation.item_id for violation in found})
    say(f"{options.file}: {len(drafts)} items, {len(found)} violations in {n_items} of them:")
    for check, count in sorted(Counter(violation.check for violation in found).items()):
        say(f"  {check:<14}{count:>6}  in {len({v.item_id for v in found if v.check == check})} items")
    return _FAULTY


def _line(violation: Violation) -> str:
    return f"{violation.item_id:.80}  {violation.check}: {violation.reason}".replace("\n", " ")


def _say_round(done: Round) -> None:
    say(f"round {done.number}: {done.n_items - done.n_open} of {done.n_items} items are written")


def _say_spent(tally: Tally) -> None:
    cost = f"{tally.micro_usd / _MICRO:.4f} USD" + (f" and {tally.n_unpriced} unpriced" if tally.n_unpriced else "")
    say(
        f"asked {tally.n_calls} times, {tally.n_cached} answers were kept from before; "
        f"{tally.input_tokens} tokens in, {tally.output_tokens} out, {cost}"
    )


def _say_unwritten(unwritten: Sequence[Unwritten]) -> None:
    say(f"{len(unwritten)} items have no usable texts, so nothing is frozen; all answers are kept:")
    for item in unwritten:
        say(f"  {item.item_id}: " + "; ".join(item.refusals[-1].reasons))
    say("Raise --tries, or use another writer or seed.")


def _say_frozen(frozen: FrozenCorpus) -> None:
    for part, kind in ((frozen.public, "public"), (frozen.private, "private, to be kept")):
        if part is not None:
            say(f"{kind}: {part.corpus}")
            say("\n[corpus]")
            say(f'name = "{part.pin.name}"')
            say(f'file_sha256 = "{part.pin.file_sha256}"')
            say(f'canonical_sha256 = "{part.pin.canonical_sha256}"')
            say(f"n_items = {part.pin.n_items}")
            if part.pin.forms_sha256 is not None:
                say(f'forms_sha256 = "{part.pin.forms_sha256}"')
            say("")
    if frozen.public.pin.forms_sha256 is not None:
        say("The .forms.json beside each corpus belongs to it: keep both in one folder.")
    say("Such lines in the draft of a protocol, and CASTBOARD_CORPUS with the file, make a board of it.")
