"""What the pages of blind listening tests say: one plain sentence each."""

from collections.abc import Mapping

TITLE = "Listen blind"
LEAD = "Two systems read the same script. You hear both without their names and say what you hear."
CONSENT = (
    "Keep my answer and publish it: which clips I heard, what I chose, how long it took, and a random number that this "
    "browser keeps. No name and no address."
)
CONSENT_NOTE = "Without this your answer is shown to you and stored nowhere. What you sent can be deleted at any time."
LEVELLED = "Both clips are brought to one loudness. Play them as often as you like."
KEYS = "Keys: {labels} hear a clip from where you are, the space bar plays and pauses, arrows move by two seconds."

QUESTIONS: Mapping[str, str] = {
    "apart": "Is clip X the same as clip 1 or as clip 2?",
    "instruction": "Which clip follows the instruction better?",
    "naturalness": "Which clip sounds more like a person?",
}
KINDS: Mapping[str, str] = {
    "abx": "Tell apart",
    "preference": "Compare",
}
KIND_NOTES: Mapping[str, str] = {
    "abx": "X is one of the two clips. If people cannot say which, the difference cannot be heard.",
    "preference": "There is no right answer: say what you hear.",
}
CHOICES: Mapping[str, str] = {"1": "Clip 1", "2": "Clip 2", "none": "No difference"}
SEND = "Answer"
NEXT = "Next pair"
FORGET = "Delete what I sent"
FORGOTTEN = "All that this browser sent is deleted here, and leaves the published votes within some minutes."
NOTHING_KEPT = "This browser keeps no random number, so nothing of it can be found or deleted."

NOT_AGREED = "Your answer was not stored, since you did not agree to it."
KEPT = "Your answer is stored, and published with the next batch."
RIGHT = "Right: X was clip {0}."
WRONG = "No: X was clip {0}."
CHOSE = "You preferred {0}."
CHOSE_NONE = "You heard no difference worth a choice."
IDENTICAL = "This was a check: both clips were the same, of {0}."
VETOED = "This was a check: the clip of {0} does not say the script."

UNKNOWN = "This answer belongs to no pair that was given out here. Take a new one."
USED = "This pair was answered already. Take a new one."
TOO_LATE = "This pair was given out more than half an hour ago. Take a new one."
NO_ANSWER = "Choose one of the answers, then send it."
ENOUGH_TODAY = "Your answer was not stored: this browser has sent as many as are kept in a day. Thank you for them."
FULL_TODAY = "Your answer was not stored: as many as are kept in a day have come from everybody."
NO_ROOM = "Your answer was not stored: there is no room for it now."
TOO_MANY = "Too many answers came from here in a row. Try again in a minute."
NO_PAIR = (
    "No two systems of this board can be compared by ear yet: that takes two rows whose clips say the same script."
)

EVIDENCE_TITLE = "What people heard"
EVIDENCE_LEAD = (
    "Blind votes of this site's readers stand beside the board and are never part of a score. Anyone can vote, so they "
    "are evidence about clips, not a survey."
)
NO_VOTES = "Nobody has voted on this board yet."
NOT_ENOUGH = "not enough votes yet ({n} of {least})"
PAIR_NONE = "Nobody has compared these two by ear yet."
