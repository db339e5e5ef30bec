"""Whether a transcript shows that the transcriber failed, whatever the voice said. Pure.

The script plays no part: an instrument does not know what it should hear. A clip in doubt is heard again, which
harms no voice: a loop that is really spoken is heard by the other settings as well.
"""

import re

from evaluation.records import Acoustics, Doubt, Unread

LOOP_REPEATS = 5
"""So many times in a row the same word (a run of letters or of digits) makes a loop."""
LOOP_REPEATS_OF_PHRASE = 4
"""The same for a phrase of 2 to LONGEST_PHRASE words."""
LONGEST_PHRASE = 12
LOOP_INSIDE_WORD = 12
"""The same one to six letters or digits so many times without a space are a loop too."""
LETTERS_PER_S = 30.0
"""Letters and digits per second of speech above which nobody can have said the text."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+")
_INSIDE_WORD = re.compile(rf"(\w{{1,6}}?)\1{{{LOOP_INSIDE_WORD - 1}}}")
_MUTE = frozenset({"silent", "no_speech"})


def doubt_of(text: str, acoustics: Acoustics | Unread | None) -> Doubt | None:
    """Return why `text` cannot be what was said, or None.

    Args:
        text: raw transcript.
        acoustics: the clip's acoustic reading; None, or too short a clip: only loops are looked for.
    """
    words = _WORD.findall(text.casefold())
    if isinstance(acoustics, Unread) and acoustics.reason in _MUTE:
        return "over_silence" if words else None
    if has_loop(words) or _INSIDE_WORD.search(text):
        return "loop"
    if not isinstance(acoustics, Acoustics):
        return None
    if not words:
        return "empty"
    speech_s = acoustics.speech_end_s - acoustics.speech_start_s
    return "too_fast" if sum(map(len, words)) > LETTERS_PER_S * speech_s else None


def has_loop(words: list[str]) -> bool:
    """Return whether a phrase of 1 to LONGEST_PHRASE words stands too often in a row."""
    return any(
        _longest_repeat(words, length) >= (LOOP_REPEATS if length == 1 else LOOP_REPEATS_OF_PHRASE)
        for length in range(1, LONGEST_PHRASE + 1)
    )


def _longest_repeat(words: list[str], length: int) -> int:
    """Return how many times in a row some phrase of `length` words stands."""
    best = run = 0
    for word, earlier in zip(words[length:], words, strict=False):
        run = run + 1 if word == earlier else 0
        best = max(best, run)
    return best // length + 1
