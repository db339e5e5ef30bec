"""A few lines for a notebook that work out a pair's bound from the published items, and nothing else. Pure."""

from evaluation.protocol import Protocol
from leaderboard.derive.records import Slice
from leaderboard.why.pair import PairProof

_TEXT = """import numpy as np
import pandas as pd

SITE = "{site}"

def values(submission):
    path = f"{{SITE}}/published/per_sample/{protocol}/{{submission}}.parquet"
    rows = pd.read_parquet(path){where}.sort_values("item_id")
    return {column}.to_numpy()

above, below = values("{challenger}"), values("{incumbent}")
n = len(above)
draws = np.random.default_rng({seed}).integers(0, n, size=({n_resamples}, n))
means = (above - below)[draws].sum(axis=1) / n / 1_000_000
lcb = round(float(np.percentile(means, {percent:g})), 6)
margin = round(max({floor:g}, {slope:g} * (1 - round(below.mean() / 1_000_000, 6))), 6)
print(f"n = {{n}}, LCB {{lcb:.6f}}, margin {{margin:.6f}}:", "win" if lcb > margin else "tie")
"""


def snippet(protocol: Protocol, protocol_id: str, proof: PairProof, *, site: str) -> str:
    """Return the code.

    Args:
        protocol: whose constants decide.
        protocol_id: its id.
        proof: the pair and its slice.
        site: the site's own address, without a slash at the end.
    """
    constants = protocol.constants
    return _TEXT.format(
        site=site,
        protocol=protocol_id,
        where=_where(proof.part),
        column=_column(proof.part),
        challenger=proof.decision.challenger,
        incumbent=proof.decision.incumbent,
        seed=constants.seed,
        n_resamples=constants.n_resamples,
        percent=100 * constants.alpha,
        floor=constants.margin_floor,
        slope=constants.margin_slope,
    )


def _where(part: Slice) -> str:
    tests = [f"tier == {part.tier}"] if part.tier is not None else []
    tests += [f"split == '{part.split}'"] if part.split is not None else []
    return f'.query("{" and ".join(tests)}")' if tests else ""


def _column(part: Slice) -> str:
    if part.trait is None:
        return 'rows["composite_micro"]'
    return f'(rows["desirability_{part.trait}"].fillna(0) * 1_000_000).round().astype(int)'
