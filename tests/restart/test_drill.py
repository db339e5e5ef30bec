"""A Space that is killed whole loses no receipt and publishes nothing twice; `tests.restart` kills it more often."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.restart.drill import Bench, bench, drill, measure
from tests.restart.kinds import KINDS

SEEDS = range(2)

pytestmark = pytest.mark.restart


@pytest.fixture(scope="module", params=sorted(KINDS))
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, object]]:
    """A bench with a kind of store, an undisturbed run behind it."""
    folder = tmp_path_factory.mktemp(request.param)
    with KINDS[request.param](folder) as kind, bench(folder, kind.zygote_environ()) as shared:
        measure(shared, kind, folder / "undisturbed")
        yield shared, kind


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_whole_and_started_again(stage, tmp_path: Path, seed: int) -> None:
    """Whatever was under way, every receipt leads to exactly one row without a hand lifted."""
    shared, kind = stage
    point = drill(shared, kind, tmp_path / "home", seed)
    assert point.outcome == "whole", point
