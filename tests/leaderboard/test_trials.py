"""What is known of the instruments."""

import json
from pathlib import Path

import pytest

from evaluation.errors import SchemaError
from leaderboard.pages import method_trials
from leaderboard.reading.method import TRIALS
from leaderboard.trials import load_trials


def test_the_shipped_trials_agree_with_themselves() -> None:
    """The confusion and the engines count the same clips."""
    trials = load_trials(TRIALS)
    assert (trials.gender.n_right, trials.gender.n_clips) == (845, 866)
    assert trials.unknown


@pytest.mark.parametrize("change", ["version", "count", "text"])
def test_a_damaged_file_is_refused(tmp_path: Path, change: str) -> None:
    """An unknown version, counts that contradict each other, or no JSON at all."""
    fields = json.loads(TRIALS.read_bytes())
    if change == "version":
        fields["schema_version"] = 2
    if change == "count":
        fields["gender"]["engines"][0]["n_right"] += 1
    path = tmp_path / "trials.json"
    path.write_text("{" if change == "text" else json.dumps(fields))
    with pytest.raises(SchemaError, match=r"trials\.json"):
        load_trials(path)


def test_a_rate_carries_its_interval() -> None:
    """Wilson's, as in the text books: 8 of 10 lies between 49 and 94 %."""
    assert method_trials.rate(8, 10) == "8 of 10, 80.0% (49.0% to 94.3%)"
    assert method_trials.rate(0, 0) == "0 of 0, –"
