"""Asks a model for the texts of every item, until each passes the invariants or its tries are used up.

It goes in rounds. In each round every open item is asked for once, many at a time; then the answers are checked in
the order of the items, so that what is refused as a repetition never depends on which answer came first. An answer
that is refused goes back with its reasons. All raw replies are kept by the caller's cache: a build that stopped
asks, and pays, only for what is missing.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from evaluation.corpus_maker.invariants import Seen, check_draft
from evaluation.corpus_maker.prompts import SCHEMA, Prompts, Refusal, deal_situations, parts_of
from evaluation.corpus_maker.records import Assignment, Draft
from evaluation.corpus_maker.tables import Tables
from evaluation.corpus_maker.template import item_id
from evaluation.judge.backend import Reply, Request
from evaluation.judge.calls import Answer, Caller
from evaluation.judge.calls_key import key_of
from evaluation.traits import Trait

log = logging.getLogger(__name__)

_FIELDS = ("instruction", "script")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterOptions:
    """How a writer is asked."""

    prefix: str
    """Beginning of the ids."""
    seed: int
    """Decides which situation an item is about."""
    temperature: float = 1.0
    """Sampling temperature, >= 0."""
    n_tries: int = 4
    """Most answers for one item, >= 1."""
    n_threads: int = 4
    """Items asked for at once, >= 1."""
    max_output_tokens: int = 4096
    """Most tokens of a reply, thinking included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwritten:
    """An item for which every answer was refused."""

    item_id: str
    """The item."""
    refusals: tuple[Refusal, ...]
    """All answers with their reasons, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a writer gave."""

    drafts: tuple[Draft, ...]
    """Items that pass all invariants, in order."""
    unwritten: tuple[Unwritten, ...]
    """Items that nothing usable was written for; a corpus with any is not frozen."""
    models: tuple[str, ...]
    """Models that answered, by their own word; sorted."""
    n_answers: int
    """Answers that were read, kept ones included."""
    input_tokens: int
    """Tokens that went in for all of them, whenever they were paid for."""
    output_tokens: int
    """Tokens that came out for all of them."""
    micro_usd: int | None
    """Cost of all of them, millionths of a US dollar; None if any has an unknown price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How far a build is."""

    number: int
    """Which round was finished, from 1."""
    n_open: int
    """Items that are still without usable texts."""
    n_items: int
    """All items."""


def write(
    assignments: Sequence[Assignment],
    *,
    caller: Caller,
    options: WriterOptions,
    traits: Sequence[Trait],
    tables: Tables,
    prompts: Prompts,
    on_round: Callable[[Round], object] = lambda _: None,
) -> Written:
    """Return what the writer gives for `assignments`.

    Args:
        assignments: what the items must be.
        caller: asks the model; its cache keeps every raw reply.
        options: how it is asked.
        traits: the registry.
        tables: tiers, phrasings and contradictions.
        prompts: what is asked.
        on_round: told after each round.

    Raises:
        JudgeUnavailable: if the model does not answer now; what it answered so far is kept.
        JudgeMisconfigured: if it never will.
        BudgetSpent: if a call might cost more than is left.
    """
    build = _Build(assignments, caller=caller, options=options, traits=traits, tables=tables, prompts=prompts)
    for number in range(options.n_tries):
        if build.open:
            build.round(number)
            on_round(Round(number=number + 1, n_open=len(build.open), n_items=len(assignments)))
    return build.written()


class _Build:
    """The items of one corpus on their way."""

    def __init__(
        self,
        assignments: Sequence[Assignment],
        *,
        caller: Caller,
        options: WriterOptions,
        traits: Sequence[Trait],
        tables: Tables,
        prompts: Prompts,
    ) -> None:
        self.caller, self.options = caller, options
        self.traits, self.tables, self.prompts = traits, tables, prompts
        self.open = list(assignments)
        self.situations = deal_situations(len(assignments), options.seed, prompts)
        self.refusals: dict[int, list[Refusal]] = {assignment.index: [] for assignment in assignments}
        self.drafts: dict[int, Draft] = {}
        self.answers: list[Answer] = []
        self.seen = Seen()

    def round(self, number: int) -> None:
        """Ask once for every open item and keep what is usable."""
        still_open = []
        for assignment, answer in zip(self.open, self._asked(number), strict=True):
            self.answers.append(answer)
            draft, reasons = self._read(assignment, answer.reply)
            if draft is None or reasons:
                self.refusals[assignment.index].append(Refusal(answer=answer.reply.text, reasons=tuple(reasons)))
                log.info("writer.refused", extra={"item": self._id(assignment), "tries": number + 1})
                still_open.append(assignment)
            else:
                self.drafts[assignment.index] = draft
                self.seen.add(draft)
        self.open = still_open

    def written(self) -> Written:
        """Return what there is."""
        costs = [answer.cost_micro_usd for answer in self.answers]
        usages = [answer.reply.usage for answer in self.answers]
        return Written(
            drafts=tuple(self.drafts[index] for index in sorted(self.drafts)),
            unwritten=tuple(
                Unwritten(item_id=self._id(assignment), refusals=tuple(self.refusals[assignment.index]))
                for assignment in self.open
            ),
            models=tuple(sorted({answer.reply.model for answer in self.answers})),
            n_answers=len(self.answers),
            input_tokens=sum(usage.input_tokens for usage in usages),
            output_tokens=sum(usage.output_tokens for usage in usages),
            micro_usd=None if None in costs else sum(cost or 0 for cost in costs),
        )

    def _asked(self, number: int) -> Iterator[Answer]:
        pool = ThreadPoolExecutor(max_workers=self.options.n_threads, thread_name_prefix="writer")
        try:
            yield from pool.map(lambda assignment: self._ask(assignment, number), self.open)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # on an error nothing more is asked for, nor paid

    def _ask(self, assignment: Assignment, number: int) -> Answer:
        refused = self.refusals[assignment.index]
        situation = self.situations[assignment.index % len(self.situations)]
        request = Request(
            system=self.prompts.system,
            parts=parts_of(
                assignment,
                situation,
                refused[-1] if refused else None,
                traits=self.traits,
                tables=self.tables,
                prompts=self.prompts,
            ),
            schema=SCHEMA,
            temperature=self.options.temperature,
            max_output_tokens=self.options.max_output_tokens,
        )
        key = key_of(request, self.caller.backend, dimensions=(), order="", vote=0, ask=number)
        return self.caller.ask(request, key)

    def _read(self, assignment: Assignment, reply: Reply) -> tuple[Draft | None, list[str]]:
        """Return the draft, and everything that is wrong with it."""
        try:
            instruction, script = _texts(reply)
        except ValueError as error:
            return None, [str(error)]
        draft = Draft(
            id=self._id(assignment),
            instruction=instruction,
            script=script,
            requested=assignment.requested,
            tier=assignment.tier,
            category=assignment.category,
            is_held_out=assignment.is_held_out,
        )
        found = check_draft(draft, traits=self.traits, tables=self.tables)
        repeated = self.seen.repetition(draft)
        return draft, [violation.reason for violation in [*found, *([repeated] if repeated else [])]]

    def _id(self, assignment: Assignment) -> str:
        return item_id(self.options.prefix, assignment.index)


def _texts(reply: Reply) -> tuple[str, str]:
    """Return instruction and script.

    Raises:
        ValueError: says to the writer what is wrong with the reply.
    """
    if reply.finish != "stop":
        raise ValueError(f"the answer was not finished ({reply.finish:.40}); write one short JSON object only")
    try:
        record = json.loads(reply.text)
    except (ValueError, RecursionError) as error:
        raise ValueError("the answer must be one JSON object and nothing besides; it could not be read") from error
    if not isinstance(record, dict) or set(record) != set(_FIELDS):
        raise ValueError(f"the JSON object must have exactly the members {' and '.join(_FIELDS)}")
    texts = [record[name] for name in _FIELDS]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{' and '.join(_FIELDS)} must be texts")
    return texts[0].strip(), texts[1].strip()
