"""The samples of a system as its table: looked at singly or all together, they are the same records."""

from pathlib import Path

from leaderboard.sample_map import SampleMap
from submissions import layout
from tests.leaderboard import nine


def test_samples_are_the_same_singly_and_all_together(tmp_path: Path) -> None:
    """A record made of its own row alone equals the one that is made with all others, in the table's order."""
    site = nine.make_site(tmp_path, nine.cast.SIX[:2], n_items=24, has_trials=False)
    protocol = site.protocols[0]
    table = layout.read_samples(site.files, protocol.id, nine.ANCHOR.id)
    items = table["item_id"].to_pylist()
    together = dict(SampleMap(table, protocol.dimensions).items())
    singly = [SampleMap(table, protocol.dimensions)[item] for item in items]
    assert list(together) == items
    assert list(together.values()) == singly
    assert [one.item_id for one in singly] == items
    assert any(one.transcript for one in singly)
    assert "nothing" not in SampleMap(table, protocol.dimensions)
    assert SampleMap(table, protocol.dimensions).get("nothing") is None
