"""Every column of every table that can be published has a meaning, and every meaning a column."""

import dataclasses
import itertools

import pyarrow as pa
import pytest

from evaluation.gate.normalisers import LITE_1
from evaluation.traits import TRAITS
from submissions.board import DECISIONS_SCHEMA, leaderboard_schema
from submissions.column_meanings import EXACT, Table, meaning
from submissions.columns import sample_schema, shape_of
from submissions.contours import CONTOURS_SCHEMA
from submissions.layout import CLIPS_SCHEMA
from submissions.replies import REPLIES_SCHEMA
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example


def _schemas() -> list[tuple[Table, pa.Schema]]:
    """Every table under the plain recipe, the first normaliser and a judge of all that can be judged."""
    everything = judged.protocol(judged=("tone", "emotion", "naturalness"))
    nine = judged.protocol()
    first = dataclasses.replace(example.protocol(), normaliser=LITE_1)
    items = example.items()
    hard = tuple(dataclasses.replace(item, category="syntax") for item in items)
    forms = dataclasses.replace(nine, corpus=dataclasses.replace(nine.corpus, forms_sha256="0" * 64))
    protocols = (example.protocol(), first, nine, everything, forms)
    samples = [sample_schema(shape_of(one, some)) for one, some in itertools.product(protocols, (items, hard))]
    found: list[tuple[Table, pa.Schema]] = [("per_sample", schema) for schema in samples]
    found += [("leaderboard", leaderboard_schema(one, has_versions=True)) for one in protocols]
    found += [("decisions", DECISIONS_SCHEMA), ("clips", CLIPS_SCHEMA), ("replies", REPLIES_SCHEMA)]
    found.append(("contours", CONTOURS_SCHEMA))
    return found


def test_every_column_has_a_meaning() -> None:
    """No table has a column of which nothing is said, and what is said is one line without an open place."""
    for table, schema in _schemas():
        for column in schema.names:
            told = meaning(table, column)
            assert told and "\n" not in told and "{" not in told, column


def test_every_meaning_has_a_column() -> None:
    """What a column is called that no table has any more is not told."""
    named: dict[Table, set[str]] = {}
    for table, schema in _schemas():
        named.setdefault(table, set()).update(schema.names)
    assert {table: set(told) - named[table] for table, told in EXACT.items() if set(told) - named[table]} == {}


@pytest.mark.parametrize(
    ("table", "column", "word"),
    [
        ("leaderboard", "mean_pace_low", "lower end of the 95 % interval of `mean_pace`"),
        ("leaderboard", "gate_pass_rate_high", "`gate_pass_rate`"),
        ("per_sample", "judge_tone_anchor_score", "anchor's clip for tone"),
        ("per_sample", "judge_tone_unread_fault", "`judge_tone`"),
        ("per_sample", f"accent_{TRAITS[6].values[0]}", "probability that the accent is American"),
        ("per_sample", "age_estimate", "years"),
    ],
)
def test_columns_of_many_names(table: Table, column: str, word: str) -> None:
    """A name that is made of others is told by its parts."""
    assert word in meaning(table, column)


def test_an_unknown_column_is_an_error() -> None:
    """Nothing is made up of a column that nobody publishes."""
    with pytest.raises(KeyError, match="mystery"):
        meaning("decisions", "mystery")
