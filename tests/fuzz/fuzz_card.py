"""Target: the JSON files of a zip and the texts of a form: system.json, declined.json, card fields."""

import json
from pathlib import Path

from submissions.card import TEXT_FIELDS, parse_card, read_fields
from submissions.findings import to_problems
from submissions.hostile_text import BadText, regular, web_link
from submissions.listing import read_declined
from submissions.problems import shown
from submissions.strict_json import BadJson, load
from tests.audio_factory import corpus_of
from tests.fuzz.cursor import Cursor
from tests.fuzz.invariants import hold_for_fields, hold_for_problems

MAX_BYTES = 8_192
TOKENS = (b"open_weights", b"https://", b"vb-00001", b"\xe2\x80\xae", b"\\ud800", b"\\u0000", b"1e999", b"NaN")
ITEM_IDS = tuple(item.id for item in corpus_of(3).items)
_NAMES = (*(field.name for field in TEXT_FIELDS), "open_weights", "else\u202e")


def seeds() -> list[bytes]:
    """Return inputs to start from."""
    card = {
        "system": "A",
        "version": "1",
        "organisation": "B",
        "contact": "a@b",
        "licence": "MIT",
        "open_weights": True,
    }
    values = [
        card,
        {**card, "link": "https://example.org/a?b#c", "notes": "one\ntwo"},
        ["vb-00001"],
        {"vb-00002": "no"},
    ]
    texts = ["plain", "e\u0301a\u0300", "\u202eabc", "a\u200db", "https://u:p@h:0/", "true", " x \r\n y ", "[" * 200]
    return [b"\x00" + json.dumps(value).encode() for value in values] + [
        bytes([1, n]) + text.encode() for n, text in enumerate(texts)
    ]


def run_one(data: bytes, folder: Path) -> object:
    """Read one input; return what stands for its outcome."""
    cursor = Cursor(data)
    if cursor.number() & 1:
        return _form(cursor)
    try:
        value = load(cursor.rest())
    except BadJson as error:
        told = str(error)
        assert told.isprintable(), f"text that does not print: {told!r}"
        return told.partition(" in line")[0].partition(" at ")[0]
    declined, findings = read_declined(value, ITEM_IDS)
    assert [i for i in ITEM_IDS if i in set(declined)] == list(declined)
    hold_for_problems(to_problems(findings, {"declined": "declined.json"}))
    if not isinstance(value, dict):
        return type(value).__name__, len(declined), len(findings)
    return len(declined), len(findings), _card(value)


def _form(cursor: Cursor) -> object:
    fields: dict[str, object] = {}
    while not cursor.is_over:
        name = cursor.pick(_NAMES)
        fields[name] = cursor.take(1 + cursor.number()).decode("utf-8", "surrogateescape")
    for text in map(str, fields.values()):
        assert shown(text).isprintable()
        for is_prose in (False, True):
            clean = regular(text, is_prose=is_prose, max_chars=40)
            if not isinstance(clean, BadText):
                assert regular(clean, is_prose=is_prose, max_chars=40) == clean, f"not regular yet: {clean!r}"
        link = web_link(text)
        assert isinstance(link, BadText) or link == text
    return _card(fields)


def _card(fields: dict[str, object]) -> object:
    values, problems = read_fields(fields)
    hold_for_problems(problems)
    hold_for_fields(values)
    card, more = parse_card(fields)
    hold_for_problems(more)
    assert (card is None) == any(problem.kind == "problem" for problem in more)
    return sorted(values), [problem.where for problem in more if problem.code == "card_field"]
