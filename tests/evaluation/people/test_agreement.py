"""Figures of agreement against hand-worked values and independent arithmetic; and they never touch a score."""

import dataclasses
import itertools
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.errors import SchemaError
from evaluation.people.agreement import agreement_report
from evaluation.people.report import decode, encode
from tests.evaluation.people.people_examples import SIDES, key, label


def report(one, labels, n_resamples=100):
    """A report of today."""
    return agreement_report(one, labels, labels_sha256=["b" * 64, "a" * 64], date="2026-01-02", n_resamples=n_resamples)


def nominal_alpha(units):
    """Krippendorff's alpha from its definition: 1 - observed / expected disagreement over pairable values."""
    units = [unit for unit in units if len(unit) > 1]
    n = sum(map(len, units))
    observed = sum(sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units)
    values = [value for unit in units for value in unit]
    expected = sum(a != b for a, b in itertools.permutations(values, 2)) / (n - 1)
    return 1 - observed / expected


def test_people_first():
    """Alpha is that of the definition, over comparisons with two labels or more, letters turned into clips."""
    answers = [
        ("clip", "clip", "tie"),
        ("anchor", "anchor"),
        ("tie", "clip"),
        ("clip",),
        ("anchor", "anchor", "anchor"),
    ]
    letters = "abbaa"
    labels = [
        label(
            number,
            f"r{rater}",
            SIDES[said] if letters[number - 1] == "a" else {"a": "b", "b": "a"}.get(SIDES[said], "tie"),
        )
        for number, unit in enumerate(answers, start=1)
        for rater, said in enumerate(unit)
    ]
    found = report(key("clip", "anchor", "tie", "clip", "anchor", letters=letters), labels).overall
    assert found.human_alpha.value == pytest.approx(nominal_alpha(answers), abs=1e-6)
    assert found.human_alpha.n == 4
    assert (found.n_comparisons, found.n_labels, found.n_raters, found.n_no_majority) == (5, 11, 3, 1)
    assert found.judge_accuracy.value == 1.0


def test_accuracy_and_kappa_by_hand():
    """Of ten comparisons 7 agree; people say clip 6 times and the judge 5: kappa (0.7 - 0.5) / (1 - 0.5) = 0.4."""
    people = ["clip"] * 6 + ["anchor"] * 4
    judge = ["clip"] * 4 + ["anchor"] * 2 + ["clip"] + ["anchor"] * 3
    found = report(key(*judge), [label(n, "Ann", SIDES[said]) for n, said in enumerate(people, start=1)]).overall
    assert found.judge_accuracy.value == 0.7
    assert found.judge_kappa.value == pytest.approx(0.4)
    assert found.answers["clip"] == {"clip": 4, "anchor": 2, "tie": 0}
    assert found.answers["anchor"] == {"clip": 1, "anchor": 3, "tie": 0}
    assert found.judge_accuracy.interval.low < 0.7 < found.judge_accuracy.interval.high
    assert found.human_alpha.value is None
    assert found.human_alpha.reason == "no comparison was labelled by two people"


def test_without_a_majority_people_tie():
    """One vote each: a tie, on which a judge that ties is right and one that decides is wrong."""
    labels = [label(number, rater, side) for number in (1, 2) for rater, side in (("Ann", "a"), ("Bob", "b"))]
    found = report(key("tie", "clip"), labels).overall
    assert (found.n_no_majority, found.judge_accuracy.value) == (2, 0.5)
    assert found.answers["tie"] == {"clip": 1, "anchor": 0, "tie": 1}


def test_rank_correlation_ranks_ties_at_their_mean():
    """People 3 1 | 3 2 (means), judge 2 1 | 3 1: Pearson of ranks (3.5 1 3.5 2) and (3 1.5 4 1.5) by hand."""
    first = key("clip", score=2.0, anchor_score=1.0).comparisons[0]
    second = key("clip", "clip", letters="ab", score=3.0, anchor_score=1.0).comparisons[1]
    labels = [label(1, "Ann", "a", 3, 1), label(2, "Ann", "b", 1.5, 3), label(2, "Bob", "b", 2.5, 3)]
    whole = report(_with((first, second)), labels).overall
    ranks = ([3.5, 1.0, 3.5, 2.0], [3.0, 1.5, 4.0, 1.5])
    centred = [[rank - 2.5 for rank in side] for side in ranks]
    product = sum(a * b for a, b in zip(*centred, strict=True))
    by_hand = product / (sum(a * a for a in centred[0]) * sum(b * b for b in centred[1])) ** 0.5
    assert whole.score_correlation.value == pytest.approx(by_hand, abs=1e-6)
    assert whole.score_correlation.n == 2


def _with(comparisons):
    return dataclasses.replace(key("clip"), comparisons=comparisons)


def test_figures_that_cannot_be_had_say_why():
    """One answer throughout, no scores, equal scores: reasons, not numbers."""
    same = [label(number, rater, "a") for number in (1, 2) for rater in ("Ann", "Bob")]
    found = report(key("clip", "clip"), same).overall
    assert found.human_alpha.reason == "all answers are the same one"
    assert "one and the same answer" in found.judge_kappa.reason
    assert found.score_correlation.reason == "nobody gave scores"
    level = report(key("clip", "clip"), [label(1, "Ann", "a", 2, 2)]).overall
    assert "the same" in level.score_correlation.reason
    assert (level.judge_accuracy.value, level.judge_accuracy.interval) == (1.0, None)


def test_dimensions_stand_by_themselves():
    """Each dimension has its own figures; together they make the overall ones."""
    tone = key("clip", "clip").comparisons
    natural = key("clip", "clip", "anchor", "anchor", dimension="naturalness", requested="").comparisons[2:]
    labels = [label(number, "Ann", "a") for number in (1, 2, 3, 4)]
    found = report(_with(tone + natural), labels)
    assert list(found.dimensions) == ["naturalness", "tone"]
    assert found.dimensions["tone"].judge_accuracy.value == 1.0
    assert found.dimensions["naturalness"].judge_accuracy.value == 0.0
    assert found.overall.judge_accuracy.value == 0.5
    assert (found.n_asked, found.labels_sha256) == (4, ("a" * 64, "b" * 64))


def test_the_order_of_labels_does_not_matter_and_bytes_come_back():
    """Shuffled labels give the same bytes; encode, decode, encode is the same."""
    rng = random.Random(5)
    winners = [rng.choice(["clip", "anchor", "tie"]) for _ in range(30)]
    labels = [
        label(number, rater, rng.choice(["a", "b", "tie"]), rng.randint(0, 3), rng.randint(0, 3))
        for number in range(1, 31)
        for rater in ("Ann", "Bob")
    ]
    one = report(key(*winners), labels)
    assert encode(one) == encode(report(key(*winners), rng.sample(labels, len(labels))))
    assert encode(decode(encode(one), "p.json")) == encode(one)
    assert b"Ann" not in encode(one)
    for data in (b"{", b"[]", encode(one).replace(b'"schema_version":1', b'"schema_version":2')):
        with pytest.raises(SchemaError, match=r"p\.json"):
            decode(data, "p.json")


def test_a_label_of_another_key_is_a_mistake():
    """Nothing is passed over in silence."""
    with pytest.raises(ValueError, match="c0009"):
        report(key("clip"), [label(9, "Ann", "a")])
    with pytest.raises(ValueError, match="at least one"):
        report(key("clip"), [])


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_whatever_people_say_figures_are_in_range_or_have_a_reason(data):
    """Accuracy 0..1, the others -1..1; a value stands if, and only if, no reason does."""
    n = data.draw(st.integers(1, 6))
    winners = data.draw(st.lists(st.sampled_from(["clip", "anchor", "tie"]), min_size=n, max_size=n))
    labels = [
        label(number, rater, data.draw(st.sampled_from(["a", "b", "tie"])), data.draw(st.none() | st.just(1.0)), None)
        for number in range(1, n + 1)
        for rater in ("Ann", "Bob")
    ]
    found = report(key(*winners), labels, n_resamples=20).overall
    for figure in (found.human_alpha, found.judge_accuracy, found.judge_kappa, found.score_correlation):
        assert (figure.value is None) == (figure.reason is not None)
        assert figure.value is None or -1.0 <= figure.value <= 1.0
    assert sum(sum(row.values()) for row in found.answers.values()) == n


def test_nothing_that_scores_can_read_what_people_said():
    """Scoring, deciding and summing up load no module of this package."""
    modules = "evaluation.scoring, evaluation.decision, evaluation.summary, submissions.publish, submissions.board"
    code = f"import sys, {modules}; print([name for name in sys.modules if name.startswith('evaluation.people')])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
