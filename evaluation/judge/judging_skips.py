"""Which clips are not sent to a judge, and why. Pure: a row's judged part can be decided again from its readings."""

from collections.abc import Sequence
from itertools import groupby

from evaluation.gate.normalisers import NEWEST, normaliser
from evaluation.gate.wer import AlignedWord
from evaluation.judge.injection import addresses_judge
from evaluation.records import ClipReadings, Item, Transcript, Unread

_LEAST_ADDED = 3  # words in a row that the script does not hold
_LEAST_NEW = 2  # of them, words that it holds nowhere: who only stammers repeats its own
_LONGEST_SHOWN = 120


def why_not_sent(item: Item, readings: ClipReadings, *, has_passed_gate: bool) -> Unread | None:
    """Return why a clip must not be heard by the judge, or None if it may be.

    Args:
        item: what the clip reads.
        readings: what the other instruments said of it.
        has_passed_gate: whether its words are right; a clip that says other words scores 0 whatever a judge says.

    Returns:
        The acoustic pass's own reason ("silent", "no_speech", "too_short" ...) for a clip without speech;
        "addresses_judge" (the clip's fault) for one that speaks to the judge in words that its script does not hold;
        the transcriber's reason if there is no transcript; "gated" (the clip's fault); "adds_words" (the clip's fault)
        for one that passed the gate, but says three words in a row of its own by every hearing: in whatever words or
        language somebody pleads, a judge that obeys must not hear it; or None.
    """
    if isinstance(readings.acoustics, Unread):
        return readings.acoustics
    if isinstance(readings.transcript, Transcript):
        phrase = addresses_judge(item.script, [one.text for one in readings.transcript.hearings()])
        if phrase is not None:
            return Unread(reason="addresses_judge", fault="clip", detail=f'The clip speaks to a judge: "{phrase}".')
    elif isinstance(readings.transcript, Unread):
        return readings.transcript
    if not has_passed_gate:
        return Unread(reason="gated", fault="clip", detail="The clip says other words than its script.")
    added = _added(item, readings.transcript) if isinstance(readings.transcript, Transcript) else None
    if added is not None:
        return Unread(reason="adds_words", fault="clip", detail=f'The clip adds words to its script: "{added}".')
    return None


def _added(item: Item, transcript: Transcript) -> str | None:
    """Return words in a row that a clip adds to its script; None if any hearing has no such words."""
    spoken = normaliser(NEWEST)
    found = [_added_run(spoken.compare(item, one.text).words) for one in transcript.hearings()]
    return found[0][:_LONGEST_SHOWN] if all(found) else None


def _added_run(words: Sequence[AlignedWord]) -> str:
    own = {word.reference for word in words}
    for is_added, run in groupby(words, key=lambda word: word.kind == "insert"):
        said = [word.heard for word in run]
        if is_added and len(said) >= _LEAST_ADDED and sum(word not in own for word in said) >= _LEAST_NEW:
            return " ".join(said)
    return ""
