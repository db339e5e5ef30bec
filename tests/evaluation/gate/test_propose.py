"""What is handed to the freezer of spoken forms."""

from evaluation.corpus import load_benchmark_v1
from evaluation.gate.propose import propose


def test_every_item_gets_every_proposal_and_the_hard_ones_come_first() -> None:
    """One sentence an item and normaliser, in the shape that the freezer reads."""
    items = load_benchmark_v1().items
    found = propose(items, {"loud": str.upper, "quiet": str.lower})
    assert {item.id: {"loud": [item.script.upper()], "quiet": [item.script.lower()]} for item in items} == found
    tiers = {item.id: item.tier for item in items}
    assert [tiers[item_id] for item_id in found] == sorted(tiers.values(), reverse=True)
