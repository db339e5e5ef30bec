"""A page's state as it stands in its address, read leniently: what cannot be understood is left at its default."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

Query = Mapping[str, str]

MAX_SYSTEMS = 12
"""So many players stand side by side at most."""
_MAX_LENGTH = 200
MAX_VALUE = _MAX_LENGTH * MAX_SYSTEMS
"""A longer value of an address is read as none, signs."""
WALKS = ("widest", "dispute", "vetoed")
"""Reasons to walk through items."""
SPLITS = ("public", "held_out", "any")
"""Splits that a listening page can be cut to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenQuery:
    """State of the listen page."""

    protocol: str = ""
    """Protocol id; empty for the one that the site evaluates."""
    item: str = ""
    """Item id; empty for the first that matches."""
    systems: tuple[str, ...] = ()
    """Submissions to hear, in order."""
    trait: str = ""
    """Only items that request `value` of this trait."""
    value: str = ""
    """Requested value."""
    tier: int | None = None
    """Only this tier."""
    split: str = ""
    """Only this split; "any" lets held-out items into a walk; empty: all, of a walk the public ones."""
    walk: str = ""
    """Why items are walked through: "widest", "dispute" or "vetoed"; empty for all in order."""
    along: str = ""
    """Dimension of the walk, of a dispute "judged" or "judged:other"; empty for the composite or the first pair."""
    find: str = ""
    """Words by which a system to add is looked for."""
    text: str = ""
    """Words that must occur in script, instruction or id."""
    is_blind: bool = False
    """Names are hidden."""
    is_revealed: bool = False
    """Names are shown again, order kept."""

    @property
    def is_hidden(self) -> bool:
        """Whether nothing may tell which voice is whose."""
        return self.is_blind and not self.is_revealed


def address(path: str, **state: object) -> str:
    """Return a link within the site; empty, None and False values are left out, True is 1.

    Example:
        >>> address("/matrix", a="x", b="", blind=True)
        '/matrix?a=x&blind=1'
    """
    kept = {key: "1" if value is True else str(value) for key, value in state.items() if value not in ("", None, False)}
    return path + ("?" + urlencode(kept, quote_via=quote, safe=",") if kept else "")


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the values of an address by name; several of one name, as a form sends them, are joined by commas.

    A value that is too long is read as none.
    """
    found: dict[str, str] = {}
    for key, value in pairs:
        found[key] = f"{found[key]},{value}" if found.get(key) and value else value or found.get(key, "")
    return {key: value for key, value in found.items() if len(value) <= MAX_VALUE}


def one(query: Query, key: str) -> str:
    """Return one value, trimmed and cut to a sane length; empty if it is absent."""
    return str(query.get(key, "")).strip()[:_MAX_LENGTH]


def read_listen(query: Query) -> ListenQuery:
    """Read the listen page's state; `pick=trait:value` is the form's way to give trait and value."""
    trait, _, value = one(query, "pick").partition(":")
    walk, _, along = one(query, "walk").partition(":")
    tier = one(query, "tier")
    given = str(query.get("systems", ""))[: _MAX_LENGTH * MAX_SYSTEMS].split(",")
    systems = tuple(dict.fromkeys(name.strip() for name in given if name.strip()))
    return ListenQuery(
        protocol=one(query, "protocol"),
        item=one(query, "item"),
        systems=systems[:MAX_SYSTEMS],
        trait=trait if value else "",
        value=value,
        tier=int(tier) if tier in ("0", "1", "2") else None,
        split=split if (split := one(query, "split")) in SPLITS else "",
        walk=walk if walk in WALKS else "",
        along=along if walk in WALKS else "",
        find=one(query, "find"),
        text=one(query, "q"),
        is_blind=one(query, "blind") == "1",
        is_revealed=one(query, "reveal") == "1",
    )


def listen_address(state: ListenQuery, **changes: object) -> str:
    """Return the address of the listen page in a state, with some parts changed (None takes one away)."""
    whole: dict[str, object] = {
        "protocol": state.protocol,
        "item": state.item,
        "systems": ",".join(state.systems),
        "pick": f"{state.trait}:{state.value}" if state.trait else "",
        "tier": "" if state.tier is None else str(state.tier),
        "split": state.split,
        "walk": f"{state.walk}:{state.along}" if state.along else state.walk,
        "q": state.text,
        "blind": state.is_blind,
        "reveal": state.is_revealed,
    }
    return address("/listen", **(whole | changes))
