"""What pages tell one person: who is signed in, what is left of this week's submissions, what can be done with one."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from leaderboard import display, shell
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address
from submissions.quota import Allowance, left_sentence
from submissions.records import Person
from submissions.renaming import names_of
from submissions.state import SubmissionState

TOLD: Mapping[str, str] = {
    "declined": "You did not agree to sign in, so nobody is signed in. Nothing was sent.",
    "failed": "The sign-in did not come to its end. Try it once more. If it fails again, your browser may keep no "
    "cookies for a page inside another page: open this site in a tab of its own.",
    "away": "The provider of accounts does not answer now, so nobody can sign in. Try it again in some minutes.",
}
"""Why a sign-in came to nothing, by what the address says of it."""
_ROLE = "status"
YOURS = "yours"
"""Name of the part of the queue page that is an owner's."""


def who(
    person: Person | None, left: Sequence[Allowance], *, banned: str | None, told: str, has_sign_in: bool
) -> Markup:
    """Return what stands above the form of the submit page.

    Args:
        person: who is signed in, or the configured user; None for nobody.
        left: what that person, and the chosen organisation, have left; none without a limit.
        banned: why the person may send nothing; None if it may.
        told: what the address says of a sign-in that came to nothing; anything.
        has_sign_in: whether people sign in here.
    """
    notes: list[Child] = [not_signed_in(told)] if person is None else []
    if person is None:
        lead = "Nobody is signed in. A check needs no account; to submit, sign in with one."
        return el("div", *notes, el("p", lead), id="submit-who", data_person="", role=_ROLE)
    name = join("Signed in as ", el("b", person.name), ".") if has_sign_in else None
    if banned is not None:
        notes.append(shell.notice(banned, look="bad", heading="This account cannot submit"))
    lines = [] if banned is not None else [_left(one) for one in left]
    tries = el("ul", *lines, id="submit-left", cls="cb-left") if lines else None
    return el(
        "div", el("p", name) if name else None, *notes, tries, id="submit-who", data_person=person.name, role=_ROLE
    )


def not_signed_in(told: str) -> Markup | None:
    """Return why nobody is signed in, as an address says it; None if that says nothing of it."""
    return shell.notice(TOLD[told], look="warn") if told in TOLD else None


def _left(one: Allowance) -> Markup:
    look = "cb-bad-text" if one.n_left == 0 else None
    return el("li", left_sentence(one), cls=look, data_left=one.n_left, data_limit=one.limit)


def maker_head(state: SubmissionState) -> Markup:
    """Return the head of the panel in which an owner deals with one submission."""
    system, organisation = names_of(state)
    wish = state.rename_asked
    asked = (
        shell.notice(
            join("You asked for the names ", el("b", wish.system), " by ", el("b", wish.organisation), "."),
            heading="The operator has not decided yet",
        )
        if wish
        else None
    )
    hidden = state.hidden
    kept = (
        shell.notice(f"Reason: {hidden.reason}", look="warn", heading="The operator has hidden it") if hidden else None
    )
    title = join(system, " ", state.received.card.version, el("small", f" {organisation} · {state.submission}"))
    return el("div", el("h3", "Yours: ", title), kept, asked, id=YOURS)


def hint(submission: str, told: str) -> Markup:
    """Return how the owner of a submission gets to its panel who is not signed in.

    Args:
        submission: its id.
        told: what the address says of a sign-in that came to nothing; anything.
    """
    note = not_signed_in(told)
    target = quote(address("/queue", id=submission), safe="")
    link = el("a", "Sign in", href=f"/login/huggingface?_target_url={target}")
    line = el("p", "Is it yours? ", link, " to take it back or to ask for other names.", cls="cb-small")
    return el("div", note, line, id=YOURS)


def withdrawn(state: SubmissionState) -> Markup:
    """Return what an owner is told who has taken a submission back."""
    return shell.notice(
        f"{state.received.card.system} {state.received.card.version} is taken back. Its row, clips and duels are gone; "
        "the zip and its history stay with us.",
        look="good",
    )


def asked(system: str, organisation: str) -> Markup:
    """Return what an owner is told who has asked for other names."""
    text = f"Asked for: {system} by {organisation}. The operator decides; until then the board shows the old names."
    return shell.notice(text, look="good")


def refused(text: str) -> Markup:
    """Return why something was not done."""
    return el("div", shell.notice(text, look="bad"), role="alert")


def yours(submission: str) -> Markup:
    """Return the mark of an own submission in the queue, which leads to its panel."""
    return join(" ", el("a", "yours", href=panel(submission), cls="cb-chip cb-plain"))


def panel(submission: str) -> str:
    """Return the address of the panel in which an owner deals with a submission."""
    return f"{address('/queue', id=submission)}#{YOURS}"


def former(system: str, organisation: str, reason: str, at: str) -> Markup:
    """Return what a system was called before."""
    told = join("Formerly ", el("b", system), f" by {organisation}")
    return el("p", told, f", renamed on {display.day(at)}: {reason}", cls="cb-small", id="system-formerly")
