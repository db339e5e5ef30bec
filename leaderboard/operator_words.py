"""What the pages say of operators' acts and of the site's own state, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.words import State


@dataclass(frozen=True, slots=True, kw_only=True)
class ActWords:
    """One act of an operator."""

    label: str
    """On its button."""
    meaning: str
    """What it does, for the operator."""
    done: str
    """What was done, to follow an id."""


ACTS: Mapping[str, ActWords] = {
    "hide": ActWords(
        label="Hide",
        meaning="Rows, clips and duels leave the board and can come back as they were.",
        done="is hidden.",
    ),
    "unhide": ActWords(label="Show again", meaning="Brings it back, byte by byte.", done="is shown again."),
    "fail": ActWords(
        label="End", meaning="Ends what waits or runs, without a row.", done="is ended and gets no row from this run."
    ),
    "requeue": ActWords(
        label="Run again", meaning="A failed or rejected one runs again from its kept zip.", done="is queued again."
    ),
    "resume": ActWords(
        label="Go on now", meaning="What waits for a judge or for money is tried at once.", done="may go on at once."
    ),
    "reevaluate": ActWords(
        label="Re-evaluate",
        meaning="Queues it for a row under this site's protocol; other rows stay.",
        done="is queued for a row under this site's protocol.",
    ),
    "rename": ActWords(
        label="Grant the names",
        meaning="The board shows the new names; rows and files stay as they are.",
        done="has its new names.",
    ),
    "seen": ActWords(
        label="Looked at", meaning="Takes its flags off this list; nothing else follows.", done="is looked at."
    ),
    "ban": ActWords(
        label="Ban", meaning="The account may send nothing any more; what it sent stays.", done="may send nothing."
    ),
    "unban": ActWords(label="End the ban", meaning="The account may send again.", done="may send again."),
}
OPERATOR_LEAD = (
    "What to look at, and what can be done. Every act is done at once; its reason is public, your name is not."
)
HIDDEN_ANCHOR = (
    "It is the anchor of a judge, which goes on hearing its clips; visitors cannot hear what a verdict compares with "
    "until it is shown again."
)
NO_FLAGS = "Nothing has been flagged that nobody has looked at."

LOG_LEAD = "Everything that an operator of this site did to what is published here: what, when and why."
LOG_EMPTY = "No operator has hidden, stopped or renamed anything, and nobody is banned."
LOG_NAMES = (
    "A submission stands here by its id: its name is its maker's text and may be the very reason for the act. Nobody "
    "who sent something, or who decided, is named. Lines are added and never changed."
)
LOG_ACTS: Mapping[str, State] = {
    "hidden": State(
        label="Hidden", meaning="Its rows, clips and duels left the board; they can come back.", look="bad"
    ),
    "unhidden": State(label="Shown again", meaning="Everything is back as it was, byte by byte.", look="good"),
    "stopped": State(label="Stopped", meaning="It was ended before it got a row.", look="bad"),
    "renamed": State(label="Renamed", meaning="The board shows other names; its rows stay.", look="work"),
    "banned": State(label="Banned", meaning="An account may send nothing any more; its rows stay.", look="bad"),
    "unbanned": State(label="Ban ended", meaning="An account may send again.", look="good"),
}

STATUS_LEAD = "Whether everything works, and when the board is next brought up to date. This page refreshes itself."
STATUS_UNKNOWN = "The status is being worked out; this page shows it in a moment."
STATUS_GOOD = "Everything works."
STATUS_PROBLEMS: Mapping[str, str] = {
    "board_unreadable": "The board cannot be read. Its pages cannot be shown until it can.",
    "hub_unreachable": "The Hub cannot be reached. The board shows its last copy, and new rows appear later.",
    "unpushed": "Some submissions are kept on this machine alone until the Hub can be reached. Nothing is lost.",
    "work_unreadable": "The queue cannot be read now. Rows that are on the board stay.",
    "no_worker": "No worker has reported lately, so what waits goes on waiting. Nothing is lost.",
    "judge_unavailable": "The judge does not answer. Submissions that need it wait, and go on by themselves.",
    "disk_low": "There is little room on this machine's disk; uploads may be refused for a while.",
}
STATUS_WHEN = "A row appears as soon as its submission has been evaluated; there is no fixed hour."
STATUS_JUDGE: Mapping[str, str] = {
    "none": "this site's protocol has none",
    "ok": "answers, as far as is known",
    "unavailable": "does not answer",
}
STATUS_MORE = "The same for programs:"
