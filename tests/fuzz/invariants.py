"""What must hold of every answer of the intake, whatever came in. A broken one is an AssertionError."""

import unicodedata
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Self

from evaluation.audio import canonicalise
from evaluation.audio_facts import CanonicalFacts, ClipRefused, Limits
from evaluation.records import ItemId
from submissions.card import TEXT_FIELDS, read_fields
from submissions.intake import CheckResult
from submissions.problems import Problem


class InlineDecoder:
    """Stands where `evaluation.decoding.Decoder` does and decodes at once, in this process."""

    def __init__(self, n_processes: int = 1, timeout_s: float = 60.0, *, limits: Limits) -> None:
        """Take what a decoder takes; only `limits` matters here."""
        self._limits = limits

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def decode(self, source: Path, target: Path) -> Future[CanonicalFacts]:
        """Decode before returning."""
        answer: Future[CanonicalFacts] = Future()
        try:
            answer.set_result(canonicalise(source, target, self._limits))
        except ClipRefused as refused:
            answer.set_exception(refused)
        return answer


def hold_for_problems(problems: Iterable[Problem]) -> None:
    """Every text is one line that prints, and bounded once it is a sentence."""
    for problem in problems:
        for text in (problem.what, problem.where, problem.allowed, problem.got):
            assert text.isprintable(), f"{problem.code}: text that does not print: {text!r}"
        assert problem.what, f"{problem.code}: nothing is said"
        sentence = problem.sentence()
        assert "{" not in problem.what, f"{problem.code}: a gap was not filled"
        assert len(sentence) < 8_000, f"{problem.code}: a sentence of {len(sentence)} characters"


def hold_for_fields(values: dict[str, str | bool]) -> None:
    """What is kept of a card is regular: bounded, without control characters, and stays itself when read again."""
    bounds = {field.name: field for field in TEXT_FIELDS}
    for name, value in values.items():
        if isinstance(value, bool):
            assert name == "open_weights"
            continue
        field = bounds[name]
        assert field.min_chars <= len(value) <= field.max_chars, f"{name}: {len(value)} characters"
        kinds = {unicodedata.category(c) for c in value if not (field.is_prose and c in "\n\t\u200c\u200d")}
        assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}, f"{name}: {value!r}"
    again, problems = read_fields(values)
    assert again == values, f"{values!r} became {again!r}"
    assert not problems, f"{values!r} is regular, yet {problems!r}"


def hold_for_check(found: CheckResult, item_ids: tuple[ItemId, ...], kept: set[str]) -> None:
    """A check accounts for every item, and keeps the clips that it names and no other file.

    Args:
        found: what the check said.
        item_ids: ids of the corpus.
        kept: names of the files in the folder of canonical clips.
    """
    hold_for_problems((*found.problems, *found.warnings))
    hold_for_fields(dict(found.card_fields))
    clip_ids = [clip.item_id for clip in found.clips]
    assert clip_ids == [i for i in item_ids if i in set(clip_ids)], "clips are not in the order of the corpus"
    assert kept == {f"{i}.flac" for i in clip_ids}, f"kept {sorted(kept)} for {clip_ids}"
    assert all(problem.kind == "problem" for problem in found.problems)
    assert all(problem.kind == "warning" for problem in found.warnings)
    told = " ".join(f"{problem.where} {problem.got}" for problem in found.problems)
    is_stopped = found.is_unreadable or any(
        problem.code in ("too_many_members", "total_size", "gave_up", "all_too_big") for problem in found.problems
    )
    for item_id in item_ids:
        answers = (item_id in clip_ids) + (item_id in found.declined)
        assert is_stopped or answers or item_id in told, f"nothing is said of {item_id}"
        assert answers == 1 or not found.is_clean, f"clean, with {answers} answers for {item_id}"
    if found.is_clean:
        assert len(found.zip_sha256) == 64
        assert found.n_clips == len(found.clips)
