"""Which clips are not sent to a judge, and why. Pure: a row's judged part can be decided again from its readings."""

from evaluation.judge.injection import addresses_judge
from evaluation.records import ClipReadings, Item, Transcript, Unread


def why_not_sent(item: Item, readings: ClipReadings, *, has_passed_gate: bool) -> Unread | None:
    """Return why a clip must not be heard by the judge, or None if it may be.

    Args:
        item: what the clip reads.
        readings: what the other instruments said of it.
        has_passed_gate: whether its words are right; a clip that says other words scores 0 whatever a judge says.

    Returns:
        The acoustic pass's own reason ("silent", "no_speech", "too_short" ...) for a clip without speech;
        "addresses_judge" (the clip's fault) for one that speaks to the judge in words that its script does not hold;
        the transcriber's reason if there is no transcript; "gated" (the clip's fault); or None.
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
    return None
