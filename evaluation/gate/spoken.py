"""A text as the words that speak it in its plain reading. Pure."""

from functools import lru_cache

from evaluation.gate.lattice import plain_words

NORMALISER = "lattice-1"
"""Version of all rules in this package; a change of any of them is a new version."""


def spoken_words(text: str) -> tuple[str, ...]:
    """Return the words of one settled reading of `text`, lower case, without punctuation.

    Args:
        text: a script or a transcript, any length.

    Example:
        >>> spoken_words("It's $5.50 at 4:30 PM!")
        ("it's", 'five', 'dollars', 'fifty', 'cents', 'at', 'four', 'thirty', 'p', 'm')
    """
    return plain_words(text)


@lru_cache(maxsize=4096)
def n_spoken_words(script: str) -> int:
    """Return how many words a speaker says for `script`: the count that pace is measured in.

    A contraction is one word; initials without a vowel are as many as they have letters.
    """
    return len(plain_words(script))
