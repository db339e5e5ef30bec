"""A page's state as it stands in its address, read leniently: what cannot be understood is left at its default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from leaderboard.standings import Filters, SortKey

Query = Mapping[str, str]

MAX_SYSTEMS = 12
"""So many players stand side by side at most."""
_MAX_LENGTH = 200
MAX_VALUE = _MAX_LENGTH * MAX_SYSTEMS
"""A longer value of an address is read as none, signs."""
NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardQuery:
    """State of the board page."""

    protocol: str = ""
    """Protocol id; empty for the one that the site evaluates."""
    sort: tuple[SortKey, ...] = ()
    """Ordering, strongest key first; empty for the published order."""
    filters: Filters = NO_FILTERS
    """What is shown."""


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
    text: str = ""
    """Words that must occur in script, instruction or id."""
    is_blind: bool = False
    """Names are hidden."""
    is_revealed: bool = False
    """Names are shown again, order kept."""


def address(path: str, **state: object) -> str:
    """Return a link within the site; empty, None and False values are left out, True is 1.

    Example:
        >>> address("/matrix", a="x", b="", blind=True)
        '/matrix?a=x&blind=1'
    """
    kept = {key: "1" if value is True else str(value) for key, value in state.items() if value not in ("", None, False)}
    return path + ("?" + urlencode(kept, quote_via=quote, safe=",") if kept else "")


def one(query: Query, key: str) -> str:
    """Return one value, trimmed and cut to a sane length; empty if it is absent."""
    return str(query.get(key, "")).strip()[:_MAX_LENGTH]


def read_board(query: Query, columns: Sequence[str]) -> BoardQuery:
    """Read the board's state; `columns` are the keys that it can be sorted by."""
    return BoardQuery(
        protocol=one(query, "protocol"),
        sort=_sort_keys(one(query, "sort"), columns),
        filters=Filters(
            text=one(query, "q"),
            only_open=one(query, "open") == "1",
            organisation=one(query, "org"),
            only_newest=one(query, "newest") == "1",
        ),
    )


def told(state: BoardQuery) -> dict[str, object]:
    """Return filters and order of a board as its address has them."""
    sort = ",".join(("-" if key.is_descending else "") + key.column for key in state.sort)
    filters = state.filters
    ticked = {"open": filters.only_open, "newest": filters.only_newest}
    return {"q": filters.text, "org": filters.organisation, **ticked, "sort": sort}


def read_listen(query: Query) -> ListenQuery:
    """Read the listen page's state; `pick=trait:value` is the form's way to give trait and value."""
    trait, _, value = one(query, "pick").partition(":")
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
        "q": state.text,
        "blind": state.is_blind,
        "reveal": state.is_revealed,
    }
    return address("/listen", **(whole | changes))


def _sort_keys(text: str, columns: Sequence[str]) -> tuple[SortKey, ...]:
    found: dict[str, SortKey] = {}
    for part in text.split(","):
        column = part.strip().removeprefix("-")
        if column in columns and column not in found:
            found[column] = SortKey(column=column, is_descending=part.strip().startswith("-"))
    return tuple(found.values())
