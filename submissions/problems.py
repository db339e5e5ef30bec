"""Problems and warnings of a submission: what is wrong, where, what is allowed, what came. Pure.

Also the one way to show a hostile name: `shown` leaves nothing in it that a terminal would obey.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evaluation.errors import CastboardError

ProblemKind = Literal["problem", "warning"]
SEPARATOR = ", "
VALUE_SEPARATOR = "; "
_MAX_SHOWN = 80
_MAX_LISTED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing to fix (a problem) or to know (a warning); alike cases are one Problem."""

    kind: ProblemKind
    """A problem blocks the submission, a warning does not."""
    code: str
    """Short code, for example "missing_items"."""
    what: str
    """What is wrong, a sentence without its full stop."""
    where: str
    """Items, members or fields that it concerns, all of them, joined with ", "."""
    allowed: str
    """What would be accepted."""
    got: str
    """What came instead, values joined with "; "; may be empty where `what` says it."""

    def sentence(self) -> str:
        """Return the whole on one line; long lists are cut and counted."""
        parts = [self.what + "."]
        if self.where:
            parts.append(f"Where: {cut_list(self.where)}.")
        if self.allowed:
            parts.append(f"Allowed: {self.allowed}.")
        if self.got:
            parts.append(f"Got: {cut_list(self.got, VALUE_SEPARATOR)}.")
        return " ".join(parts)


class SubmissionError(CastboardError):
    """A submission cannot be taken, for reasons that are its maker's to fix.

    Attributes:
        problems: all of them, at least one.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Carry `problems`, at least one."""
        super().__init__(" ".join(problem.sentence() for problem in problems))
        self.problems = problems


def shown(text: str, limit: int = _MAX_SHOWN) -> str:
    """Return hostile `text` on one line of at most `limit` characters; what does not print is written as an escape."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def joined(parts: Iterable[str]) -> str:
    """Return `parts` as one list in words."""
    return SEPARATOR.join(parts)


def cut_list(text: str, separator: str = SEPARATOR, *, n_listed: int = _MAX_LISTED) -> str:
    """Return a joined list with at most `n_listed` entries and the number of the rest."""
    parts = text.split(separator)
    if len(parts) <= n_listed + 1:
        return text
    return f"{separator.join(parts[:n_listed])} and {len(parts) - n_listed:,} more"
