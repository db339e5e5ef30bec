"""Whether the model that answered is the one that was asked: a season ends with its judge, whoever takes its place."""

import re
from datetime import timedelta

from evaluation.judge.backend import JudgeMisconfigured

FOREIGN_KEPT = timedelta(hours=1)
"""How long another model's reply stands for what the provider would answer now: a worker that starts again and again
pays for no more of them meanwhile."""

_PREFIX = "models/"
# What a provider adds to the name of one model: the number or the day of a snapshot.
_SNAPSHOT = re.compile(r"[-@](?:\d{3,4}|\d{8}|\d{2}-\d{2}|\d{2}-\d{4}|\d{4}-\d{2}-\d{2})")
_MOST_SHOWN = 80


def is_same_model(asked: str, said: str) -> bool:
    """Return whether `said`, a model by its provider's word, is the model `asked` or a snapshot of it."""
    wanted, found = asked.removeprefix(_PREFIX), said.removeprefix(_PREFIX)
    return found == wanted or (found.startswith(wanted) and _SNAPSHOT.fullmatch(found, pos=len(wanted)) is not None)


def foreign(backend: str, asked: str, said: str) -> JudgeMisconfigured:
    """Return the error for a reply of another model."""
    return JudgeMisconfigured(
        f"judge {backend} was asked for {asked} and {said!r:.{_MOST_SHOWN}} answered, by its own word. Its replies "
        "count for nothing. If the provider has retired the model, this season is over: freeze a protocol with a "
        "judge that exists, and evaluate under it. If it was a passing substitute, it is asked anew in an hour."
    )
