"""A page's state in its address."""

from hypothesis import given
from hypothesis import strategies as st

from leaderboard import query
from leaderboard.standings import Filters, SortKey

_COLUMNS = ("band", "score", "pace")


def test_the_board_reads_what_its_links_say() -> None:
    """Sort keys in order, unknown ones dropped; filters as given."""
    state = query.read_board(
        {"sort": "-score,nonsense,pace,score", "q": " two words ", "open": "1", "org": "Ohm", "protocol": "ab"},
        _COLUMNS,
    )
    assert state.sort == (SortKey(column="score", is_descending=True), SortKey(column="pace", is_descending=False))
    assert state.filters == Filters(text="two words", only_open=True, organisation="Ohm")
    assert state.protocol == "ab"


def test_the_listen_page_reads_what_its_links_say() -> None:
    """What a state writes into a link, the page reads back."""
    state = query.ListenQuery(
        protocol="ab",
        item="it-001",
        systems=("s1", "s2"),
        trait="pace",
        value="fast",
        tier=0,
        text="a & b",
        is_blind=True,
        is_revealed=True,
    )
    assert query.read_listen(_parsed(query.listen_address(state))) == state
    assert query.read_listen(_parsed(query.listen_address(state, reveal=None))).is_revealed is False


@given(
    st.dictionaries(
        st.sampled_from(["item", "systems", "pick", "tier", "q", "blind", "sort", "open", "org"]), st.text()
    )
)
def test_no_address_breaks_a_page(asked: dict[str, str]) -> None:
    """Whatever stands in an address, a state comes out."""
    query.read_board(asked, _COLUMNS)
    state = query.read_listen(asked)
    assert len(state.systems) <= query.MAX_SYSTEMS and state.tier in (None, 0, 1, 2)


def _parsed(address: str) -> dict[str, str]:
    from urllib.parse import parse_qsl, urlsplit

    return dict(parse_qsl(urlsplit(address).query))
