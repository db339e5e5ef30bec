"""How an evaluation goes, shown on standard error: a bar for a person at a terminal, a line a stage in a pipe."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from evaluation.errors import CastboardError
from evaluation.judge_stage import JudgeProgress
from evaluation.passes import SHARED
from evaluation.run_progress import Progress as Reading
from leaderboard.display import count, span
from leaderboard.tables import console
from leaderboard.terminal import say
from submissions.intake import CheckResult
from submissions.local_run import Watch

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_MICRO = 1_000_000


class OnlyEstimated(CastboardError):
    """What the judge would take was told, and it was not asked, as was wished."""


class ProgressBar:
    """Shows the stages of one evaluation; a context manager whose end clears the bar."""

    def __init__(self, name: str, *, is_dry: bool = False) -> None:
        """Show the stages of the evaluation called `name`; with `is_dry`, stop it once the estimate is told."""
        self._name = name
        self._is_dry = is_dry
        self._stage = ""
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._is_estimated = False

    def __enter__(self) -> Self:
        """Show nothing yet."""
        if sys.stderr.isatty():
            from rich.progress import BarColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=None),
                TextColumn("{task.completed:.0f}/{task.total:.0f}", markup=False),
                TextColumn("{task.fields[left]}", markup=False),
                console=console(sys.stderr),
                transient=True,
                expand=True,
            )
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the bar."""
        if self._bar is not None:
            self._bar.stop()

    def watch(self) -> Watch:
        """Return what is to be told."""
        return Watch(
            on_check=self._on_check, on_checked=self._on_checked, on_reading=self._on_reading, on_judging=self._judging
        )

    def _on_check(self, done: int, n_clips: int) -> None:
        self._tell("checking", done, n_clips, "")

    def _on_checked(self, checked: CheckResult) -> None:
        if checked.warnings:
            remarks = " ".join(warning.sentence() for warning in checked.warnings)
            self._say(f"{self._name}: {count(len(checked.warnings), 'warning')}: {remarks}")

    def _on_reading(self, at: Reading) -> None:
        which = "" if at.n_passes == 1 else f" ({'light instruments' if at.pass_name == SHARED else at.pass_name})"
        left = "" if at.eta_s is None else f"{span(at.eta_s)} left"
        self._tell(f"reading{which}", at.clips_done, at.n_clips, left)

    def _judging(self, at: JudgeProgress) -> None:
        if not self._is_estimated:
            self._is_estimated = True
            self._say(f"{self._name}: {estimate_sentence(at)}")
        if self._is_dry:
            raise OnlyEstimated("the judge was not asked")
        tally = at.tally
        spent = f"{tally.n_calls} calls, {tally.n_cached} cached, {tally.micro_usd / _MICRO:,.2f} USD"
        self._tell("judging", at.items_done, at.n_items, spent)

    def _tell(self, stage: str, done: int, total: int, left: str) -> None:
        if self._bar is None:
            if stage != self._stage:
                self._say(f"{self._name}: {stage}, {count(total, 'clip')}" + (f", {done} done" if done > 1 else ""))
        elif stage != self._stage or self._task is None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(stage, total=total, completed=done, left=left)
        else:
            self._bar.update(self._task, completed=done, total=total, left=left)
        self._stage = stage

    def _say(self, text: str) -> None:
        if self._bar is None:
            say(text, sys.stderr)
        else:
            from leaderboard.tables import show_line

            show_line(text, to=self._bar.console)


def estimate_sentence(at: JudgeProgress) -> str:
    """Return what judging would take if nothing had been answered before."""
    expected = at.expected
    money = "at a price that is not known"
    if expected.micro_usd is not None:
        money = f"at most {expected.micro_usd / _MICRO:,.2f} USD"
    return (
        f"the judge would be asked {expected.calls:,} times about {count(at.n_items, 'clip')}: "
        f"{expected.audio_s / 60:,.1f} min of audio, {expected.input_tokens:,} tokens in, at most "
        f"{expected.output_tokens:,} out, {money}; replies in the cache cost nothing."
    )
