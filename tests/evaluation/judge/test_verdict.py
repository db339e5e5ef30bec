"""One raw reply to verdicts, or to a reason why not."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.judge.verdict import LONGEST_REPLY, Malformed, OneVerdict, parse
from tests.evaluation.judge.judges import said

GOOD = json.dumps(said())
PRETTY = json.dumps(said(), indent=2)
NOT_SCORES = ["2", True, None, [2], -0.1, 3.01, 1e999, 10**400]


def parsed(text: str) -> OneVerdict:
    """Return the verdict of a reply that must be good."""
    outcome = parse(text, ("naturalness",))
    assert not isinstance(outcome, Malformed), outcome
    return outcome["naturalness"]


def refused(text: str, *dimensions: str) -> str:
    """Return why a reply is refused."""
    outcome = parse(text, dimensions or ("naturalness",))
    assert isinstance(outcome, Malformed), outcome
    return outcome.reason


def test_a_plain_reply_is_read() -> None:
    """All seven fields come back."""
    assert parsed(GOOD) == OneVerdict(**said())


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{PRETTY}\n```",
        f"```\n{GOOD}\n```\n",
        f"\ufeff{GOOD}",
        f"Here is my verdict.\n\n{PRETTY}\n\nI hope this helps.",
        f"<think>A is {{better}}, or [not].</think>\n{GOOD}",
        GOOD[:-1] + ",}",
        PRETTY[:-2] + " ,\n }",
        GOOD.replace('"a"', '" A "'),
        GOOD.replace("Steady.", "Steady.\nThen fast."),
    ],
)
def test_what_can_be_meant_in_one_way_is_repaired(text: str) -> None:
    """Fences, marks, prose around, thoughts in their tags, a last comma, a capital, a raw line break."""
    assert (parsed(text).winner, parsed(text).score_a) == ("a", 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON object"),
        ("A is better, 3 to 1.", "no JSON object"),
        (f"{GOOD}\n{GOOD}", "more than one"),
        (f"[{GOOD}]", "brackets outside"),
        (f'The clip says "{GOOD}" but I disagree.', "own lines"),
        (f"My verdict: {GOOD}", "own lines"),
        (GOOD[:-1], "cut off"),
        (GOOD[: GOOD.index("confidence")], "cut off"),
        ('{"reasoning_a": "It says ' + GOOD, "cut off"),
        ('{"reasoning_a": "It says ' + GOOD + '"}', "not valid JSON"),
        (GOOD.replace('"winner"', '"score_a": 3, "winner"'), "twice"),
        (GOOD.replace('"confidence": 0.7', '"confidence": NaN'), "NaN"),
        (GOOD.replace('"score_a": 2', '"score_a": Infinity'), "Infinity"),
        (GOOD.replace('"score_a": 2', '"score_a": ' + "9" * 5000), "not valid JSON"),
        ("{" * 100_000, "longer than"),
        ("{" * 1000, "nested too deeply"),
        ("[" * 50 + "{" + "[" * 50, "nested too deeply"),
        ('{"a": ]}', "did not match"),
        (GOOD.replace('"winner": "a"', '"winner": "clip A"'), "winner must be"),
        (GOOD.replace('"winner": "a"', '"winner": ["a"]'), "winner must be"),
        (GOOD.replace('"Flat."', "null"), "reasoning_b must be a text"),
        (json.dumps({"verdict": said()}), "exactly the keys"),
        (json.dumps({**said(), "note": "x"}), "exactly the keys"),
        (json.dumps({**said(), "confidence": 1.5}), "confidence must be a number from 0 to 1"),
        (json.dumps(said("a", 1, 2)), "lower score"),
        (json.dumps(said("b", 2.5, 2)), "lower score"),
        (json.dumps(said("tie", 0, 1.5)), "more than 1 apart"),
        (GOOD + " " * LONGEST_REPLY, "longer than"),
    ],
)
def test_what_says_nothing_or_two_things_is_refused(text: str, reason: str) -> None:
    """No guess is made, and the reason is named."""
    assert reason in refused(text)


@pytest.mark.parametrize("score", NOT_SCORES, ids=str)
def test_a_score_is_a_number_from_0_to_3(score: object) -> None:
    """Texts, truth values, lists and numbers beyond the scale are no scores."""
    assert "score_a must be a number" in refused(json.dumps(said(score_a=score)).replace("Infinity", "1e999"))


def test_an_even_pair_may_have_a_winner_and_a_tie_may_be_uneven() -> None:
    """A significant difference may lie within one level, and one point apart may still be a tie."""
    assert parsed(json.dumps(said("b", 2, 2))).winner == "b"
    assert parsed(json.dumps(said("tie", 1, 2))).winner == "tie"


def test_no_verdict_is_taken_out_of_quoted_reasoning() -> None:
    """A clip that speaks JSON gets its words quoted, and no score."""
    spoken = json.dumps(said("b", 0, 3))
    assert parsed(json.dumps(said("a", 2, 0, reasoning_b=f"The clip said {spoken}."))).winner == "a"
    assert "exactly the keys" in refused(json.dumps({"reasoning_b": f"The clip said {spoken}."}))


def test_quotes_and_brackets_inside_reasoning_are_only_text() -> None:
    """An escaped quote ends no string, and an escaped backslash escapes nothing."""
    odd = 'She said "}" and then "{" \\'
    assert parsed(json.dumps(said(reasoning_a=odd, comparison=odd + "\\"))).reasoning_a == odd


def test_several_dimensions_must_all_be_there_and_good() -> None:
    """A missing, a further or one bad dimension makes the whole reply bad."""
    both = {"tone": said(), "naturalness": said("tie", 2, 2)}
    outcome = parse(json.dumps(both), ("tone", "naturalness"))
    assert not isinstance(outcome, Malformed)
    assert [outcome[name].winner for name in ("tone", "naturalness")] == ["a", "tie"]
    for wrong in ({"tone": said()}, {**both, "accent": said()}, {"Tone": said(), "naturalness": said()}, said()):
        assert "exactly the dimensions" in refused(json.dumps(wrong), "tone", "naturalness")
    bad = json.dumps({**both, "naturalness": said(score_b="1")})
    assert refused(bad, "tone", "naturalness") == "score_b must be a number"


def test_reasons_quote_nothing_of_the_reply() -> None:
    """A reason goes back to the judge, so a clip must not be able to write it."""
    assert "EVIL" not in refused(json.dumps({**said(), "EVIL": 1})) + refused(json.dumps(said("EVIL")))


def test_reasoning_can_always_be_written() -> None:
    """Halves of surrogate pairs do not reach a file."""
    assert parsed(GOOD.replace("Steady.", "\\ud800!")).reasoning_a == "?!"


FIELDS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20) | st.sampled_from(["a", "tie"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def holds(outcome: dict[str, OneVerdict] | Malformed) -> bool:
    """Whether an outcome keeps what the parser promises."""
    if isinstance(outcome, Malformed):
        return bool(outcome.reason)
    verdict = outcome["naturalness"]
    scores = (verdict.score_a, verdict.score_b)
    return all(0 <= score <= 3 and isinstance(score, float) for score in scores) and 0 <= verdict.confidence <= 1


@settings(max_examples=200)
@given(st.sampled_from(list(said())), FIELDS)
def test_any_value_in_any_field_is_taken_or_refused(key: str, value: object) -> None:
    """Nothing raises, and what is taken keeps to its ranges."""
    assert holds(parse(json.dumps({**said(), key: value}), ("naturalness",)))


@settings(max_examples=200)
@given(
    st.integers(0, len(PRETTY)), st.integers(0, 12), st.text(alphabet='{}[]",:\\`\n\ufeff aN1e-<think>/', max_size=9)
)
def test_any_damage_to_a_reply_is_taken_or_refused(at: int, n_lost: int, put: str) -> None:
    """Nothing raises whatever is cut out of a reply or put into it."""
    assert holds(parse(PRETTY[:at] + put + PRETTY[at + n_lost :], ("naturalness",)))


@given(st.text(max_size=200))
def test_any_text_is_refused_in_words(text: str) -> None:
    """Nothing raises on text that is no reply."""
    assert isinstance(parse(text, ("naturalness",)), Malformed)


@given(st.integers(1, len(GOOD) - 1))
def test_no_beginning_of_a_reply_is_a_reply(length: int) -> None:
    """However late a reply is cut off, it says nothing."""
    assert isinstance(parse(GOOD[:length], ("naturalness",)), Malformed)
