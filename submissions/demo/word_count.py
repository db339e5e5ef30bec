"""How many words a script is when read aloud, as far as the rule-based baseline needs to know."""

import re

# Letters with inner apostrophes, a run of digits (with separators), or a sign that is read out between two others.
_TOKEN = re.compile(
    r"(?P<letters>[^\W\d_]+(?:['\u2019][^\W\d_]+)*)|(?P<digits>\d+(?:,\d{3})*)|(?P<sign>[@%&+=#$\u00a3\u20ac]|(?<=\w)[._/\\](?=\w))"
)
_N_LONGEST_CARDINAL = 6  # longer runs of digits are read digit by digit more often than as one number


def spoken_words(script: str) -> int:
    """Estimated number of spoken words, at least 1.

    Args:
        script: text of any length.

    Returns:
        One for each word of letters, the words of each number read as a cardinal, one for each sign that is read out.

    Example:
        >>> spoken_words("Call 25 people at acme.com!")
        7
    """
    n_words = sum(
        _digit_words(match["digits"].replace(",", "")) if match["digits"] else 1 for match in _TOKEN.finditer(script)
    )
    return max(1, n_words)


def _digit_words(digits: str) -> int:
    from num2words import num2words

    if len(digits) > _N_LONGEST_CARDINAL or digits.startswith("0"):
        return len(digits)
    return len(num2words(int(digits)).replace("-", " ").split())
