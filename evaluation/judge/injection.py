"""Words that speak to a judge instead of reading a script. Pure."""

from collections.abc import Sequence


def addresses_judge(script: str, heard: Sequence[str]) -> str | None:
    """Return the words by which a clip speaks to the judge, or None.

    Args:
        script: what the clip was to read.
        heard: what transcribers wrote of it, each hearing by itself.

    Returns:
        The first such words that were heard and are not in the script, lower case; at most 120 characters.
    """
    raise NotImplementedError


def script_addresses_judge(text: str) -> str | None:
    """Return the words by which a script or an instruction itself speaks to a judge, or None.

    A corpus with such an item is not built, and a protocol with a judge does not start on one.
    """
    raise NotImplementedError
