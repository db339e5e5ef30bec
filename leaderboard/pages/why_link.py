"""Links from a number to how it was made: every page that shows one makes them here. Pure."""

from leaderboard.markup import Child, Markup, el
from leaderboard.query import address

HERE = "/why"
TIP = "How this number was made"


def why_address(protocol_id: str, submission: str, number: str, **place: object) -> str:
    """Return where the derivation of a number stands.

    Args:
        protocol_id: board of the number.
        submission: system of the number.
        number: "score", "gate", "coverage", "band", or a dimension of the protocol.
        place: where it is narrowed to: `tier` 0..2, `split`, `value` (requested value of the dimension), and the
            state of the table of items.
    """
    told = {key: str(value) for key, value in place.items() if value is not None and value != ""}
    return address(HERE, protocol=protocol_id, system=submission, number=number, **told)


def item_address(protocol_id: str, submission: str, item_id: str) -> str:
    """Return where the whole chain of one clip stands."""
    return address(HERE, protocol=protocol_id, system=submission, item=item_id)


def why_link(shown: Child, protocol_id: str, submission: str, number: str, **place: object) -> Markup:
    """Return a number as a link to its derivation; arguments as of `why_address`."""
    href = why_address(protocol_id, submission, number, **place)
    return el("a", shown, href=href, cls="cb-why", data_tip=TIP)


def item_link(shown: Child, protocol_id: str, submission: str, item_id: str) -> Markup:
    """Return a number of one clip as a link to the clip's whole chain."""
    return el("a", shown, href=item_address(protocol_id, submission, item_id), cls="cb-why", data_tip=TIP)
