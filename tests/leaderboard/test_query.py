"""A page's state in its address."""

from hypothesis import given
from hypothesis import strategies as st

from leaderboard import query


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


@given(st.dictionaries(st.sampled_from(["item", "systems", "pick", "tier", "q", "blind"]), st.text()))
def test_no_address_breaks_a_page(asked: dict[str, str]) -> None:
    """Whatever stands in an address, a state comes out."""
    state = query.read_listen(asked)
    assert len(state.systems) <= query.MAX_SYSTEMS and state.tier in (None, 0, 1, 2)


def test_values_of_one_name_are_joined() -> None:
    """A form without a script sends a name several times; what is too long is none."""
    pairs = [("cols", "score"), ("cols", ""), ("cols", "pace"), ("q", ""), ("org", "a"), ("x", "y" * 5_000)]
    assert query.joined(pairs) == {"cols": "score,pace", "q": "", "org": "a"}


def _parsed(address: str) -> dict[str, str]:
    from urllib.parse import parse_qsl, urlsplit

    return dict(parse_qsl(urlsplit(address).query))
