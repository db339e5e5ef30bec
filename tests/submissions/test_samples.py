"""Whatever instruments and a judge may say comes back from its table as it was; what they can't say is refused."""

import dataclasses
from collections.abc import Mapping
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.errors import SchemaError
from evaluation.judge.replies import JudgeReply
from evaluation.records import (
    Acoustics,
    ClassScores,
    Clip,
    ClipReadings,
    Estimate,
    Hearing,
    Item,
    ItemId,
    PredictedMos,
    SampleScore,
    Transcript,
    Unread,
    Verdict,
)
from evaluation.traits import NATURALNESS, Kind, Trait
from submissions import parquet
from submissions.columns import sample_schema, shape_of
from submissions.evidence import Evidence, read_evidence
from submissions.replies import arranged, decode_replies, replies_table
from submissions.samples import sample_table
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example

NINE = judged.protocol(judged=("emotion", "tone", NATURALNESS))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBER = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))
SHARE = st.floats(0, 1).map(lambda value: round(value, 6))
UNREAD = st.builds(Unread, reason=TEXT, fault=st.sampled_from(["clip", "instrument"]), detail=TEXT)
SCORE = st.floats(0, 3)
VERDICT = st.builds(
    Verdict,
    score=SCORE,
    anchor_score=SCORE,
    winner=st.sampled_from(["clip", "anchor", "tie"]),
    is_consistent=st.booleans(),
    n_replies=st.integers(1, 18),
)
ACOUSTICS = st.builds(
    Acoustics,
    duration_s=NUMBER,
    speech_start_s=st.floats(0, 1),
    speech_end_s=st.floats(2, 100),
    pause_s=NUMBER,
    level_dbfs=NUMBER,
    peak_dbfs=NUMBER,
    f0_hz=st.none() | st.floats(20, 900),
    voiced_share=SHARE,
)
HEARING = st.builds(Hearing, text=TEXT, setting=TEXT)
TRANSCRIPT = st.builds(Transcript, text=TEXT, setting=TEXT) | st.builds(
    Transcript, text=TEXT, setting=TEXT, doubt=st.sampled_from(["loop", "empty"]), again=HEARING, second=HEARING
)


def probe(one: Trait) -> st.SearchStrategy[ClassScores | Estimate | Unread]:
    """What an instrument may say of a trait."""
    if one.kind is Kind.NUMERIC:
        return UNREAD | st.builds(Estimate, value=NUMBER)
    shares = st.tuples(*[SHARE] * len(one.values))
    return UNREAD | st.builds(ClassScores, labels=st.just(one.values), probabilities=shares)


def some_of(choices: Mapping[str, st.SearchStrategy[object]]) -> st.SearchStrategy[dict[str, object]]:
    """A mapping of any of the keys."""
    return st.fixed_dictionaries({}, optional=dict(choices))


PROBES = some_of({one.name: probe(one) for one in NINE.traits if one.name in NINE.instruments})
VERDICTS = some_of(dict.fromkeys(NINE.judged, VERDICT | UNREAD))
READING = st.builds(
    ClipReadings,
    item_id=st.just(ItemId("")),
    clip_sha256=st.just(""),
    acoustics=st.none() | ACOUSTICS | UNREAD,
    transcript=st.none() | TRANSCRIPT | UNREAD,
    naturalness=st.none() | UNREAD | st.builds(PredictedMos, mos=st.floats(1, 5)),
    probes=PROBES,
    verdicts=VERDICTS,
)
CATEGORY = st.sampled_from(["general", "emotion", "syntax"])


def evidence_of(readings: list[ClipReadings | None], categories: list[str]) -> Evidence:
    """Evidence of one item for each reading; None: it was declined."""
    items = tuple(
        dataclasses.replace(item, category=category)
        for item, category in zip(example.items(), categories, strict=False)
    )[: len(readings)]
    held = {item.id: reading for item, reading in zip(items, readings, strict=True) if reading is not None}
    clips = {
        item: Clip(
            item_id=item,
            sha256=f"{n:064}",
            duration_s=1.5,
            rate_hz=8_000,
            bit_depth=16,
            source_format="",
            source_channels=1,
        )
        for n, item in enumerate(held)
    }
    return Evidence(
        items=items,
        clips=clips,
        readings={
            item: dataclasses.replace(reading, item_id=item, clip_sha256=clips[item].sha256)
            for item, reading in held.items()
        },
        declined=frozenset(item.id for item in items if item.id not in held),
    )


def unscored(items: tuple[Item, ...], declined: frozenset[ItemId]) -> list[SampleScore]:
    """Scores that say nothing."""
    return [
        SampleScore(
            item_id=item.id,
            is_declined=item.id in declined,
            dimensions=(),
            word_errors=None,
            passed_gate=False,
            composite_micro=0,
        )
        for item in items
    ]


@given(st.lists(st.none() | READING, min_size=1, max_size=4), st.lists(CATEGORY, min_size=4, max_size=4))
@settings(max_examples=150, deadline=None)
def test_everything_that_can_be_read_comes_back(readings: list[ClipReadings | None], categories: list[str]) -> None:
    """Table to evidence to table, through parquet bytes, changes nothing."""
    evidence = evidence_of(readings, categories)
    table = sample_table(NINE, evidence, unscored(evidence.items, evidence.declined))
    again = read_evidence(parquet.decode_table(parquet.encode_table(table), "x"))
    assert again == evidence
    assert sample_table(NINE, again, unscored(again.items, again.declined)).equals(table)


REPLY = st.builds(
    JudgeReply,
    item_id=st.sampled_from([item.id for item in example.items()]),
    dimensions=st.sampled_from([("emotion",), ("tone",), NINE.judged]),
    order=st.sampled_from(["clip_first", "anchor_first"]),
    vote=st.integers(0, 3),
    ask=st.integers(0, 2),
    text=st.text(max_size=30),
    model=TEXT,
    finish=TEXT,
    input_tokens=st.integers(0, 10**9),
    audio_tokens=st.integers(0, 10**9),
    output_tokens=st.integers(0, 10**9),
    cost_micro_usd=st.none() | st.integers(0, 10**9),
)


@given(
    st.lists(REPLY, max_size=8, unique_by=lambda one: (one.item_id, one.dimensions, one.order, one.vote, one.ask)),
    st.randoms(use_true_random=False),
)
@settings(max_examples=100, deadline=None)
def test_replies_come_back_and_their_order_does_not_matter(replies: list[JudgeReply], shuffler: Random) -> None:
    """Any texts, surrogates aside, survive; a shuffled run gives the same bytes."""
    first = arranged(NINE, example.items(), replies)
    data = parquet.encode_table(replies_table(first))
    assert decode_replies(data, "x")[1] == first
    assert arranged(NINE, example.items(), shuffler.sample(replies, len(replies))) == first
    assert arranged(NINE, example.items(), first) == first


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("judge_tone_score", 3.5, "no judge can say"),
        ("judge_tone_score", None, "judge_tone without .'score'"),
        ("judge_tone_score", float("nan"), "finite"),
        ("judge_tone_winner", "me", "no judge can say"),
        ("judge_tone_n_replies", 0, "no judge can say"),
        ("judge_tone_unread", "down", "reading is not empty"),
        ("age_estimate", float("inf"), "finite"),
        ("age_unread_detail", "hm", "is empty"),
        ("accent_British", 1.5, "must be 0..1"),
        ("category", "jokes", "category"),
    ],
)
def test_what_no_instrument_or_judge_can_say_is_refused(column: str, value: object, complaint: str) -> None:
    """A forged cell of a probe or a verdict never reaches scoring."""
    verdict = Verdict(score=2.0, anchor_score=1.0, winner="clip", is_consistent=True, n_replies=2)
    accent = ClassScores(labels=NINE.traits[6].values, probabilities=(0.6, 0.1, 0.1, 0.1, 0.1))
    reading = ClipReadings(
        item_id=ItemId(""),
        clip_sha256="",
        acoustics=None,
        transcript=None,
        naturalness=None,
        probes={"age": Estimate(value=30.0), "accent": accent},
        verdicts={"tone": verdict},
    )
    evidence = evidence_of([reading], ["syntax"])
    rows = sample_table(NINE, evidence, unscored(evidence.items, evidence.declined)).to_pylist()
    rows[0][column] = value
    with pytest.raises(SchemaError, match=f"some file, row 0.*{complaint}"):
        read_evidence(pa.Table.from_pylist(rows, sample_schema(shape_of(NINE, evidence.items))), "some file")


def test_columns_of_an_unknown_trait_are_refused() -> None:
    """A table of a later registry is refused by name rather than read without a trait."""
    table = sample_schema(shape_of(NINE, ())).empty_table()
    strange = table.append_column("requested_mood", pa.array([], pa.string()))
    with pytest.raises(SchemaError, match=r"no trait of the columns \['requested_mood'\]"):
        read_evidence(strange, "some file")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"order": "sideways"}, "order must be one of"),
        ({"input_tokens": -1}, "no count negative"),
        ({"text": None}, "must hold a value"),
    ],
)
def test_replies_that_no_publisher_writes_are_refused(change: dict[str, object], complaint: str) -> None:
    """By row, with what is wrong."""
    reply = JudgeReply(
        item_id=ItemId("it-001"), dimensions=("tone",), order="clip_first", vote=0, ask=0, text="", model="", finish="",
        input_tokens=0, audio_tokens=0, output_tokens=0, cost_micro_usd=None,
    )  # fmt: skip
    rows = [{**row, **change} for row in replies_table([reply]).to_pylist()]
    loose = pa.schema([field.with_nullable(True) for field in replies_table([reply]).schema])
    data = parquet.encode_table(pa.Table.from_pylist(rows, schema=loose))
    with pytest.raises(SchemaError, match=f"some file, row 0: .*{complaint}"):
        decode_replies(data, "some file")
