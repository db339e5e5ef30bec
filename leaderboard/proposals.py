"""A file of spoken forms that other normalisers propose, as `python -m evaluation.gate.propose` writes it."""

import json
from pathlib import Path

from evaluation.errors import CastboardError


def read_proposals(path: Path) -> dict[str, list[str]]:
    """Return the whole sentences that are proposed, by item id, whoever proposed them.

    Args:
        path: JSON, item id to {normaliser: [whole scripts in spoken form]}; hostile until it is read.

    Raises:
        CastboardError: if it is not that.
    """
    try:
        record = json.loads(path.read_bytes())
        return {
            str(item): [said for by_one in by_normaliser.values() for said in _sentences(by_one)]
            for item, by_normaliser in record.items()
        }
    except (OSError, ValueError, RecursionError, AttributeError, TypeError) as error:
        raise CastboardError(f"{path} must be JSON, item id to {{normaliser: [sentences]}}: {error}") from error


def _sentences(said: object) -> list[str]:
    if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
        raise TypeError(f"a normaliser's sentences must be a list of texts, got {said!r:.60}")
    return said
