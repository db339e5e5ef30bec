"""The card: what is taken, made regular or refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.card import TEXT_FIELDS, Card, parse_card, read_fields

GOOD = {
    "system": "Baritone",
    "version": "2.0",
    "organisation": "Reed & Sons",
    "contact": "voice@example.org",
    "licence": "Apache-2.0",
    "open_weights": True,
    "parameters": "82 M",
    "link": "https://example.org/tts?x=1",
    "how_instructions": "As text before the script.\r\nNothing else.",
    "notes": "",
}


def where(fields: dict[str, object]) -> list[str]:
    """Return the fields of the problems of `fields`."""
    card, problems = parse_card(fields)
    assert (card is None) == any(problem.kind == "problem" for problem in problems)
    return [problem.where.removeprefix("card field ") for problem in problems if problem.kind == "problem"]


def test_a_good_card_is_taken():
    """Every value arrives, line breaks regular; the public part lacks the contact and nothing else."""
    card, problems = parse_card(GOOD)
    assert problems == ()
    assert isinstance(card, Card)
    assert (card.system, card.open_weights, card.how_instructions) == (
        "Baritone",
        True,
        "As text before the script.\nNothing else.",
    )
    assert set(GOOD) - set(card.public()) == {"contact"}


def test_every_problem_comes_at_once():
    """An empty card names each required field; a bad one each bad field."""
    assert where({}) == ["system", "version", "organisation", "contact", "licence"]
    bad = {**GOOD, "system": "a\x00b", "version": 2.0, "open_weights": "perhaps", "link": "javascript:alert(1)"}
    assert where(bad) == ["system", "version", "link", "open_weights"]


def test_markup_is_kept_as_text():
    """Markup and formulas are text: nothing is escaped or refused here."""
    hostile = "<script>alert(1)</script>=1+1"
    card, _ = parse_card({**GOOD, "system": hostile})
    assert card is not None
    assert card.system == hostile


@pytest.mark.parametrize(
    "text",
    [
        "a\x1b[31mb",
        "a\u202eb",
        "a\u2066b",
        "a\u200eb",
        "a\nb\x07",
        "a\ud800b",
        "a\ue000b",
        "a\u2028b\x85\x9f",
        "e" + "\u0301" * 9,
    ],
)
def test_characters_that_deceive_are_refused(text):
    """Control, direction, surrogate and private characters, and heaps of marks, are named with their place."""
    assert where({**GOOD, "system": text}) == ["system"]
    _, problems = parse_card({**GOOD, "notes": text.replace("\n", "")})
    assert all(problem.sentence().isprintable() for problem in problems)


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [("  Bari\u00a0 tone\n", "Bari tone"), ("E\u0301cho", "Écho"), ("Ba\u200bri\ufeff\u00adtone", "Baritone")],
)
def test_names_are_made_regular(given_text, kept):
    """White space, Unicode form and invisible spaces cannot make two names look alike."""
    card, problems = parse_card({**GOOD, "system": given_text})
    assert problems == ()
    assert card is not None
    assert card.system == kept


@pytest.mark.parametrize("field", TEXT_FIELDS, ids=lambda field: field.name)
def test_lengths_include_their_ends(field):
    """The longest text is taken, one more character is not."""
    longest = "x" * field.max_chars
    if field.name == "link":
        longest = ("https://example.org/" + longest)[: field.max_chars]
    assert where({**GOOD, field.name: longest}) == []
    assert where({**GOOD, field.name: longest + "x"}) == [field.name]
    assert where({**GOOD, field.name: "x" * 10_000_000}) == [field.name]


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://example.org",
        "//example.org",
        "https:example.org",
        "https://",
        "https://user@example.org",
        "https://example.org/a b",
        'https://example.org/"onclick="',
        "https://example.org/<b>",
        "https://exämple.org",
        "https://[::1",
        "https://example.org:99999",
        "https://example.org\\@other.org",
    ],
)
def test_other_links_are_refused(link):
    """Only plain http and https addresses are links."""
    assert where({**GOOD, "link": link}) == ["link"]


@pytest.mark.parametrize(
    ("value", "kept"), [(True, True), ("No", False), (" yes ", True), ("", None), (None, None), ("unknown", None)]
)
def test_open_weights_may_be_unsaid(value, kept):
    """Yes, no and nothing are told apart."""
    card, _ = parse_card({**GOOD, "open_weights": value})
    assert card is not None
    assert card.open_weights is kept


def test_unknown_fields_are_warned_of_and_dropped():
    """A misspelt field blocks nothing and is named."""
    card, problems = parse_card({**GOOD, "license\x1b": "MIT"})
    assert card is not None
    assert [(problem.kind, problem.where) for problem in problems] == [("warning", "license\\x1b")]


def test_a_part_of_a_card_is_no_problem():
    """system.json may leave required fields to the form."""
    assert read_fields({"system": " Baritone "}) == ({"system": "Baritone"}, ())


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())


@given(st.dictionaries(st.sampled_from(sorted(GOOD)) | st.text(), _VALUES))
def test_anything_gives_a_card_or_problems(fields):
    """No value raises; a card that is taken can be stored as JSON and parsed again to itself."""
    card, problems = parse_card({**GOOD, **fields})
    if card is None:
        assert problems
    else:
        stored = json.loads(json.dumps(card.public(), ensure_ascii=False).encode("utf-8"))
        assert parse_card({**stored, "contact": card.contact}) == (card, ())
