"""Sheets that strangers filled in: read as they are meant, or refused with every problem and its line."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.people.comparisons import draw
from evaluation.people.labels import Label, LabelsRefused, read_labels
from evaluation.people.sheet import sheet
from evaluation.records import Item, ItemId
from tests.evaluation.people.people_examples import judged

KNOWN = ("c0001", "c0002")
HEAD = "comparison,rater,winner,score_a,score_b\n"


def read(*tables: str):
    """Read tables named 1.csv, 2.csv, ..."""
    return read_labels([(f"{number}.csv", text.encode()) for number, text in enumerate(tables, start=1)], KNOWN)


def test_several_raters_in_several_tables():
    """By comparison and rater; scores or none; capital letters and spaces do not matter."""
    found = read(HEAD + "c0001,Ann,A,3,1.5\nc0002, ANN, TIE ,,\n", HEAD + "c0001,Bob,b,,\n")
    assert found == (
        Label(comparison="c0001", rater="ann", winner="a", score_a=3.0, score_b=1.5),
        Label(comparison="c0001", rater="bob", winner="b", score_a=None, score_b=None),
        Label(comparison="c0002", rater="ann", winner="tie", score_a=None, score_b=None),
    )


def test_other_columns_and_empty_lines_are_passed_over():
    """A sheet keeps its scripts, in which a line may break; a line without an answer was not heard yet."""
    found = read('script,winner,comparison,rater\n"one, two\nthree",a,c0001,Ann\nx,,c0002,Ann\n\n')
    assert [one.comparison for one in found] == ["c0001"]


def test_every_problem_is_told_at_once_with_its_line():
    """Bad answers, scores, raters, ids and repeats of two tables come together."""
    with pytest.raises(LabelsRefused) as caught:
        read(
            HEAD + "c0009,Ann,a,,\nc0001,,a,,\nc0001,Ann,c,,\nc0001,Ann,a,4,nan\nc0001,Ann,a,1,\nc0002,Ann,b,,\n",
            HEAD + "c0002,Ann,a,,\n",
        )
    assert caught.value.problems == (
        "1.csv, line 2: nobody was asked about the comparison 'c0009'",
        "1.csv, line 3: rater must be 1 to 64 visible signs, got ''",
        "1.csv, line 4: winner must be a, b or tie, got 'c'",
        "1.csv, line 5: score_a must be a number of 0 to 3, got '4'",
        "1.csv, line 5: score_b must be a number of 0 to 3, got 'nan'",
        "1.csv, line 6: score_a and score_b must both stand, or neither",
        "2.csv, line 2: 'ann' has answered c0002 already",
    )


def test_hostile_text_is_told_harmlessly():
    """What would steer a terminal, and what is far too long, is shown as escapes and cut short."""
    with pytest.raises(LabelsRefused) as caught:
        read(HEAD + f"c0001,\x1b[31mred\u202e,a,,\n{'x' * 5000},Ann,a,,\n")
    told = str(caught.value)
    assert told.replace("\n", "").isprintable()
    assert len(told) < 500


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "line 1: the column"),
        (b"comparison,rater\nc0001,Ann\n", 'the column "winner" is missing'),
        (b"comparison,rater,winner,winner\nc0001,Ann,a,b\n", 'the column "winner" stands twice'),
        (HEAD.encode() + b"c0001,\xff,a,,\n", "must be UTF-8 text"),
        (HEAD.encode() + b'c0001,"Ann,a,,\n', "not a CSV table"),
        (HEAD.encode() + b"c0001," + b"x" * 200_000 + b",a,,\n", "not a CSV table"),
        (HEAD.encode(), "no line has a winner"),
        (b" " * (17 << 20), "at most 16 MiB"),
    ],
)
def test_what_is_no_table_is_refused(data, says):
    """Each with the table's name, where it has one."""
    with pytest.raises(LabelsRefused, match=says):
        read_labels([("x.csv", data)], KNOWN)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: (HEAD + text).encode("utf-8", "replace")))
def test_whatever_comes_is_labels_or_a_refusal(data):
    """Never another error."""
    try:
        assert read_labels([("x.csv", data)], KNOWN)
    except LabelsRefused as refused:
        assert refused.problems


def test_a_sheet_filled_in_is_read_and_tells_nothing():
    """What export writes, import reads; it names no system, and no script becomes a formula."""
    comparisons = draw([judged(number) for number in range(4)], 4, seed=1)
    items = {
        one.judged.item_id: Item(
            id=ItemId(one.judged.item_id),
            instruction="Say it warmly.",
            script='=HYPERLINK("http://x")',
            requested={"tone": "warm"},
            tier=0,
            split="public",
        )
        for one in comparisons
    }
    data = sheet(comparisons, items)
    assert b"system-" not in data
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert all(row["script"].startswith("'=") for row in rows)
    assert (rows[0]["asked for"], rows[0]["clip a"]) == ("warm", "clips/c0001_a.wav")
    out = io.StringIO()
    table = csv.DictWriter(out, rows[0].keys())
    table.writeheader()
    table.writerows({**row, "rater": "Ann", "winner": "b"} for row in rows[:3])
    table.writerows(rows[3:])
    found = read_labels([("sheet.csv", out.getvalue().encode("utf-8-sig"))], {one.id for one in comparisons})
    assert [(one.comparison, one.winner) for one in found] == [("c0001", "b"), ("c0002", "b"), ("c0003", "b")]
