"""What of the derivations an address shows. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.protocol import Protocol
from leaderboard.derive.records import slice_of
from leaderboard.pages.why_link import HERE
from leaderboard.query import Query, address, one
from leaderboard.why.number import Place, read_place

N_SHOWN = 50
"""Items of one page of the table."""
SHOWN: Mapping[str, str] = {"": "all", "vetoed": "vetoed", "declined": "declined", "unread": "unread"}
SORTS = ("item", "value", "composite", "tier")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyState:
    """State of a number's page."""

    protocol: str
    """Protocol id."""
    submission: str
    """The system."""
    place: Place
    """Which number."""
    sort: str = "value"
    """Column that the items are in order of."""
    is_descending: bool = False
    """Largest first."""
    show: str = ""
    """Which items: "vetoed", "declined", "unread"; empty for all."""
    page: int = 0
    """Page of the items, from 0."""

    def address(self, **changes: object) -> str:
        """Return the address of this state with some parts changed; None takes one away."""
        part = self.place.part
        whole: dict[str, object] = {
            "protocol": self.protocol,
            "system": self.submission,
            "number": self.place.number,
            "tier": None if part.tier is None else str(part.tier),
            "split": part.split,
            "value": self.place.value,
            "sort": ("-" if self.is_descending else "") + self.sort,
            "show": self.show,
            "page": str(self.page) if self.page else None,
        }
        return address(HERE, **(whole | changes))


def read_why(protocol: Protocol, protocol_id: str, asked: Query) -> WhyState:
    """Return the state that an address asks for; what cannot be understood is left at its default."""
    part = slice_of(protocol, tier=one(asked, "tier"), split=one(asked, "split"))
    sort = one(asked, "sort")
    page, show = one(asked, "page"), one(asked, "show")
    return WhyState(
        protocol=protocol_id,
        submission=one(asked, "system"),
        place=read_place(protocol, {key: one(asked, key) for key in ("number", "value")}, part),
        sort=sort.removeprefix("-") if sort.removeprefix("-") in SORTS else "value",
        is_descending=sort.startswith("-"),
        show=show if show in SHOWN else "",
        page=int(page) if page.isascii() and page.isdecimal() and len(page) < 6 else 0,
    )
