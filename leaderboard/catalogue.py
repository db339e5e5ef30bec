"""Every model that this machine knows for a trait: the shipped catalogue and the operator's own."""

from collections.abc import Iterable, Mapping

from evaluation.errors import ProtocolError
from evaluation.probes.classifiers.catalogue import Candidate, load_catalogue
from leaderboard.settings import Settings


def catalogue(settings: Settings) -> tuple[Candidate, ...]:
    """Return the shipped models and those that the operator describes in the folder "catalogue" of the models.

    Raises:
        ProtocolError: if one of the operator's is called as a shipped one.
        SchemaError: if a file is malformed.
    """
    shipped, own = load_catalogue(), load_catalogue(settings.models / "catalogue")
    twice = sorted({one.name for one in shipped} & {one.name for one in own})
    if twice:
        raise ProtocolError(f"{settings.models / 'catalogue'}: {', '.join(twice)} ships already; give yours a new name")
    return (*shipped, *own)


def untried(candidates: Iterable[Candidate]) -> Mapping[tuple[str, str], str]:
    """Return what of each model has not been tried with its real weights, by its name and its repository."""
    return {(one.name, one.repo): one.not_tried for one in candidates}
