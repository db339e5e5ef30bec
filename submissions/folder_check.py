"""A folder of clips checked by the rules of a zip, and everything that is wrong told at once."""

from dataclasses import replace
from pathlib import Path

from submissions.clip_bench import OnProgress
from submissions.clip_folder import ClipFolder
from submissions.intake import CheckResult, Corpus, check
from submissions.problems import Problem


def check_folder(
    folder: Path,
    corpus: Corpus,
    work_dir: Path,
    *,
    decoder_processes: int = 2,
    keep_clips: Path | None = None,
    on_progress: OnProgress | None = None,
    may_be_partial: bool = False,
) -> CheckResult:
    """Check a folder of clips by the rules of a zip; arguments and result are those of `check`.

    Its `zip_sha256` is the sha256 of the names and hashes of the files.

    Raises:
        OSError: if the folder cannot be listed.
    """
    found = check(
        folder,
        corpus,
        work_dir,
        decoder_processes=decoder_processes,
        keep_clips=keep_clips,
        on_progress=on_progress,
        open_source=ClipFolder.open,
        may_be_partial=may_be_partial,
    )
    return replace(
        found,
        problems=tuple(map(_of_a_folder, found.problems)),
        warnings=tuple(map(_of_a_folder, found.warnings)),
    )


def _of_a_folder(problem: Problem) -> Problem:
    what, allowed = (
        text.replace("The zip", "The folder").replace("the zip", "the folder").replace("in one zip", "in one folder")
        for text in (problem.what, problem.allowed)
    )
    return replace(problem, what=what, allowed=allowed.replace(": zip the files themselves", ""))
