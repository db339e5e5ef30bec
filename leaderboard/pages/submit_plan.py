"""The submit page's part on what becomes of a zip: the protocol, what it measures, who judges, how long it takes."""

from evaluation.protocol import Protocol
from leaderboard import dimensions, display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address
from leaderboard.turnaround import Turnaround

_NOT_ASKED = "Measuring and judging cost you nothing, and a wait for the judge is nobody’s fault."


def section(protocol: Protocol, expected: Turnaround | None) -> Markup:
    """Return the section.

    Args:
        protocol: what a new submission is evaluated under.
        expected: how long it takes; None if nobody has looked yet.
    """
    pairs: list[tuple[str, Child]] = [
        ("Protocol", _name(protocol)),
        ("It measures", dimensions.season_line(protocol)),
    ]
    if protocol.not_measured:
        left = ", ".join(words.header(name).label.lower() for name in protocol.not_measured)
        pairs.append(("Not measured", f"{left}; the Method page says why"))
    if expected is not None:
        pairs.append(("It takes", _time(expected)))
    if protocol.judge is not None:
        pairs.append(("You pay", _NOT_ASKED))
    return el("section", el("h2", "3. What happens then"), shell.facts(pairs), id="submit-plan", cls="cb-panel")


def _name(protocol: Protocol) -> Markup:
    return join(
        el("a", protocol.name, " ", el("code", protocol.id), href=address("/method", protocol=protocol.id)),
        ". Your row stands on its board; the clips are kept, so that later protocols can measure them too.",
    )


def _time(expected: Turnaround) -> Markup:
    if expected.median_s is None:
        told = "Not known yet: no system has a row under this protocol."
    elif expected.n_systems == 1:
        told = f"The last system had its row {display.span(expected.median_s)} after it arrived."
    else:
        told = (
            f"Half of the last {expected.n_systems} systems had their row within {display.span(expected.median_s)} of "
            "arriving, waiting included."
        )
    before = f" {display.count(expected.n_before, 'submission')} before yours now." if expected.n_before else ""
    return join(told, before, " ", el("a", "The queue", href="/queue"), " shows how far each one is.")
