"""Word errors against every accepted reading."""

import random
import re
from collections.abc import Iterator

import jiwer
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.corpus import load_benchmark_v1
from evaluation.gate.distance import Step, align
from evaluation.gate.forms.form import AnyOf, Form, Graph
from evaluation.gate.lattice import Lattice, compiled, heard_lattice, script_lattice
from evaluation.gate.reading import Fragment, fragments
from evaluation.gate.spoken import spoken_words
from evaluation.gate.wer import aligned, read_gate, word_errors
from tests.evaluation.gate.pairs import PAIRS
from tests.evaluation.gate.short_pairs import OTHER_WORDS, SAME_WORDS

SCRIPTS = (*(item.script for item in load_benchmark_v1().items), *(pair[1] for pair in PAIRS))
CONTENT = ["banana", "granite", "lantern", "orbit", "velvet"]
VOCABULARY = [
    *("a", "the", "cat", "dog", "sat", "stood", "runs", "quick", "brown", "under", "over", "table", "green", "lamp"),
    *("web", "site", "website", "in", "to", "day", "today", "up", "set", "upset", "every", "where", "everywhere"),
    *("house", "boat", "river", "stone", "light", "night"),
]
SAME = [(kind, script, said) for kind, script, same, _ in PAIRS for said in (script, *same)]
OTHER = [(kind, script, said) for kind, script, _, other in PAIRS for said in other]


@pytest.mark.parametrize(("kind", "script", "transcript"), SAME)
def test_same_words_are_no_error(kind: str, script: str, transcript: str) -> None:
    """What a careful reader may say, written as a transcriber may write it, has no error."""
    reading = read_gate(script, transcript)
    assert reading.errors.wer == 0.0, [word for word in reading.words if word.kind != "equal"]
    assert all(unit.is_right for unit in reading.units)


@pytest.mark.parametrize(("kind", "script", "transcript"), OTHER)
def test_other_words_are_errors(kind: str, script: str, transcript: str) -> None:
    """A wrong digit, unit, month or ending, and whatever is left out or added, is an error."""
    assert word_errors(script, transcript).wer > 0.0


def _short(lines: str) -> list[tuple[str, str]]:
    return [(script, said) for script, _, said in (line.partition(" | ") for line in lines.strip().splitlines())]


def test_short_pairs() -> None:
    """Every short pair of the same words has no error, and every other one has; each script is itself."""
    wrong = [pair for pair in _short(SAME_WORDS) if word_errors(*pair).wer > 0.0]
    wrong += [pair for pair in _short(OTHER_WORDS) if word_errors(*pair).wer == 0.0]
    wrong += [(script, script) for script, _ in _short(SAME_WORDS + OTHER_WORDS) if word_errors(script, script).wer]
    assert wrong == []


@pytest.mark.parametrize(
    ("script", "transcript", "errors"),
    [
        ("I owe $4,250.75", "I owe $4,205.75", (1, 0, 0)),
        ("five thousand", "five hundred", (1, 0, 0)),
        ("the cat sat", "the bat sat", (1, 0, 0)),
        ("the cat sat", "the sat", (0, 1, 0)),
        ("the cat sat", "the cat cat sat", (0, 0, 1)),
        ("the web site is up", "the website is", (0, 1, 0)),
        ("it is on aaa.org", "it is on aaa dot com", (1, 0, 0)),
    ],
)
def test_errors_are_counted_as_words(script: str, transcript: str, errors: tuple[int, int, int]) -> None:
    """Substitutions, deletions and insertions of the nearest accepted reading."""
    got = word_errors(script, transcript)
    assert (got.substitutions, got.deletions, got.insertions) == errors
    assert got.wer == round(sum(errors) / got.n_words, 6) > 0


def test_nothing_heard_deletes_every_word() -> None:
    """Silence has WER 1."""
    got = word_errors("the cat sat", "")
    assert (got.wer, got.deletions, got.n_words) == (1.0, 3, 3)


def test_a_script_without_words_counts_as_one() -> None:
    """Heard words are errors against it; silence is none; no division by 0."""
    assert word_errors("…", "").wer == 0.0
    assert word_errors("…", "two words").wer == 2.0
    assert word_errors("…", "two words").n_words == 0


def test_alignment_names_each_difference_in_order() -> None:
    """The page's marks: what was to be said, what was heard, and which kind it is."""
    steps = [(step.kind, step.reference, step.heard) for step in aligned("the cat sat down", "the bat sat right down")]
    assert steps == [
        ("equal", "the", "the"),
        ("substitute", "cat", "bat"),
        ("equal", "sat", "sat"),
        ("insert", "", "right"),
        ("equal", "down", "down"),
    ]
    assert [step.kind for step in aligned("cat sat", "sat")] == ["delete", "equal"]


def test_denominator_is_the_path_that_was_said() -> None:
    """The rate is taken of the words of the chosen reading, and the path names them."""
    long = read_gate("Pay £6,340.85 now", "pay six thousand three hundred and forty pounds and eighty five pence now")
    short = read_gate("Pay £6,340.85 now", "pay six thousand three hundred forty pounds eighty five now")
    assert (long.errors.n_words, short.errors.n_words) == (13, 10)
    assert long.path[-4:] == ("eighty", "five", "pence", "now")


def test_units_are_right_or_wrong_one_by_one() -> None:
    """One wrong word spoils its own unit only; a word that creeps into a unit spoils it too."""
    script = "On May 5, 2021, I paid $5.50 at www.kiln.org."
    right = read_gate(script, "on may fifth twenty twenty one i paid five dollars fifty at www.kiln.org")
    assert [(unit.kind, unit.is_right) for unit in right.units] == [("date", True), ("currency", True), ("url", True)]
    assert [unit.text for unit in right.units] == ["May 5, 2021", "$5.50", "www.kiln.org"]
    wrong = read_gate(script, "on may fifth twenty twenty one i paid five dollars sixty at w w w dot old kiln dot org")
    assert [unit.is_right for unit in wrong.units] == [True, False, False]
    assert (right.n_units_right, wrong.n_units_right) == (3, 1)
    beside = read_gate(script, "on may fifth twenty twenty one i gladly paid five dollars fifty at www.kiln.org")
    assert all(unit.is_right for unit in beside.units)
    assert beside.errors.insertions == 1


def test_words_of_a_unit_name_it() -> None:
    """Every aligned script word says which unit it belongs to."""
    reading = read_gate("Pay $5 to Bo on May 5", "pay five dollars to bo on may fifth")
    assert [word.unit for word in reading.words] == [None, 0, 0, None, None, None, 1, 1]


def test_every_script_is_itself() -> None:
    """Read back letter by letter, every script passes with no error; so does its plain reading."""
    for script in SCRIPTS:
        assert word_errors(script, script).wer == 0.0
        assert word_errors(script, " ".join(spoken_words(script))).wer == 0.0


def _walk(lattice: Lattice, rng: random.Random) -> str:
    """Return one accepted reading, drawn at random."""
    node, said = 0, []
    while not (node in lattice.accepting and (not lattice.edges[node] or rng.random() < 0.3)):
        edge = rng.choice(lattice.edges[node])
        node = edge[0]
        said.append(edge[2])
    return " ".join(said)


def test_every_accepted_reading_has_no_error() -> None:
    """Random walks through every lattice, read as transcripts, are accepted whole."""
    rng = random.Random(5)
    for script in SCRIPTS:
        for _ in range(3):
            said = _walk(script_lattice(script), rng)
            assert word_errors(script, said, extra=()).wer == 0.0, (script, said)


def test_swapped_digits_are_never_accepted() -> None:
    """Two different digits of a number exchanged: an error, as written and in every drawn way to say it."""
    rng = random.Random(6)
    n_swaps = 0
    for script in SCRIPTS:
        for number in re.finditer(r"\d[\d,.]*\d", script):
            places = [at for at in range(*number.span()) if script[at].isdigit()]
            pairs = [(a, b) for a in places for b in places if a < b and script[a] != script[b]]
            for a, b in rng.sample(pairs, min(2, len(pairs))):
                swapped = list(script)
                swapped[a], swapped[b] = swapped[b], swapped[a]
                other = "".join(swapped)
                for said in (other, _walk(script_lattice(other), rng)):
                    assert word_errors(script, said).wer > 0.0, (number[0], said)
                n_swaps += 1
    assert n_swaps > 500


@given(number=st.integers(10, 10**9), places=st.tuples(st.integers(0, 9), st.integers(0, 9)), seed=st.integers(0, 99))
@settings(max_examples=300, deadline=None)
@pytest.mark.parametrize("frame", ["{}", "room {}", "${}.00", "code B-{}-C", "{} km", "at x{}.org"])
def test_no_two_numbers_share_a_reading(number: int, places: tuple[int, int], seed: int, frame: str) -> None:
    """In every surrounding, no drawn reading of a number is a reading of the same number with swapped digits."""
    digits = list(str(number))
    a, b = (place % len(digits) for place in places)
    digits[a], digits[b] = digits[b], digits[a]
    if "".join(digits) != str(number) and digits[0] != "0":
        said = _walk(script_lattice(frame.format("".join(digits))), random.Random(seed))
        assert word_errors(frame.format(number), said).wer > 0.0


def test_a_content_word_more_or_less_is_an_error() -> None:
    """One word added anywhere, or one ordinary word taken away, raises the errors by one."""
    rng = random.Random(7)
    for script in SCRIPTS:
        words = list(spoken_words(script))
        at = rng.randrange(len(words) + 1)
        more = [*words[:at], rng.choice(CONTENT), *words[at:]]
        assert word_errors(script, " ".join(more)).insertions == 1
        plain = {fragment.form for fragment in fragments(script, is_heard=False) if fragment.kind == "word"}
        ordinary = [i for i, word in enumerate(words) if len(word) > 3 and word in plain]
        for i in rng.sample(ordinary, min(3, len(ordinary))):
            got = word_errors(script, " ".join(words[:i] + words[i + 1 :]))
            assert got.wer > 0.0, (script, words[i])


def test_a_sentence_twice_or_a_tail_is_an_error() -> None:
    """What a looping or inventing voice adds is counted word for word."""
    for script in SCRIPTS[::25]:
        said = " ".join(spoken_words(script))
        assert word_errors(script, f"{said} {said}").insertions > 0
        assert word_errors(script, f"{said} thank you for watching").insertions == 4


def _shuffled(form: Form, rng: random.Random) -> Form:
    if isinstance(form, AnyOf):
        return AnyOf(tuple(rng.sample([_shuffled(way, rng) for way in form.forms], len(form.forms))))
    if isinstance(form, Graph):
        edges = [(at, to, _shuffled(way, rng)) for at, to, way in form.edges]
        return Graph(form.n_nodes, tuple(rng.sample(edges, len(edges))))
    return tuple(_shuffled(part, rng) for part in form) if isinstance(form, tuple) else form


def test_order_of_alternatives_is_irrelevant() -> None:
    """With all alternatives in another order, every count stays."""
    rng = random.Random(8)
    for _, script, transcript in rng.sample(SAME + OTHER, 120):
        pieces = fragments(script, is_heard=False)
        mixed = [Fragment(start=one.start, end=one.end, kind=one.kind, form=_shuffled(one.form, rng)) for one in pieces]
        heard = heard_lattice(transcript)
        ours, theirs = (align(compiled(way), heard) for way in (pieces, mixed))
        assert [_kinds(ours), len([s for s in ours if s.script])] == [
            _kinds(theirs),
            len([s for s in theirs if s.script]),
        ]


def _kinds(steps: list[Step]) -> tuple[int, int, int, int]:
    wrong = [step for step in steps if not step.is_equal]
    return (
        sum(step.script is not None for step in steps),
        sum(bool(step.script and step.heard) for step in wrong),
        sum(step.heard is None for step in wrong),
        sum(step.script is None for step in wrong),
    )


def _paths(lattice: Lattice, node: int = 0) -> Iterator[tuple[str, ...]]:
    if node in lattice.accepting:
        yield ()
    for to, key, _, _ in lattice.edges[node]:
        for rest in _paths(lattice, to):
            yield (key, *rest)


def _edits(ours: tuple[str, ...], theirs: tuple[str, ...]) -> int:
    row = list(range(len(theirs) + 1))
    for i, mine in enumerate(ours, start=1):
        last, row[0] = row[0], i
        for j, other in enumerate(theirs, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (mine != other))
    return row[-1]


@pytest.mark.parametrize("script", ["$5.50 on May 5", "Dr. Bo: 10:05 AM", "room 314, 1/2 off", "I can't, it's 21st"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_distance_is_the_least_over_all_paths(script: str, data: st.DataObject) -> None:
    """The search finds what trying every path finds."""
    lattice = script_lattice(script)
    known = sorted({edge[1] for edges in lattice.edges for edge in edges if edge[1].isalpha()})
    said = data.draw(st.lists(st.sampled_from([*known, "velvet"]), max_size=8).map(" ".join))
    heard = tuple(said.split())
    got = read_gate(script, said, joins=False)
    heard_paths = set(_paths(compiled(fragments(said, is_heard=True)))) or {heard}
    least = min(_edits(ours, theirs) for ours in set(_paths(lattice)) for theirs in heard_paths)
    assert got.errors.substitutions + got.errors.deletions + got.errors.insertions == least


def test_plain_texts_have_the_rate_of_jiwer() -> None:
    """On 1,000 random pairs without digits, word by word, the rate is jiwer's."""
    rng = random.Random(9)
    for _ in range(1000):
        script = " ".join(rng.choices(VOCABULARY, k=rng.randint(1, 14)))
        words = script.split()
        for _ in range(rng.randint(0, 6)):
            at = rng.randrange(len(words) + 1)
            words[at : at + rng.randint(0, 2)] = rng.choices(VOCABULARY, k=rng.randint(0, 2))
        said = " ".join(words)
        expected = jiwer.wer(script, said) if said else 1.0
        assert read_gate(script, said, joins=False).errors.wer == pytest.approx(expected, abs=1e-6)


@given(words=st.lists(st.sampled_from(VOCABULARY), max_size=8), cuts=st.lists(st.booleans(), min_size=80, max_size=80))
@settings(max_examples=150, deadline=None)
def test_spaces_are_free(words: list[str], cuts: list[bool]) -> None:
    """However the letters of a plain text are spaced, the words are the same."""
    letters = "".join(words)
    if letters:
        spaced = "".join(letter + (" " if cut else "") for letter, cut in zip(letters, cuts, strict=False))
        spaced += letters[len(cuts) :]
        assert word_errors(" ".join(words), spaced).wer == 0.0


@example(script="B'", transcript="0")
@given(script=st.text(max_size=40), transcript=st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_counts_add_up_for_any_texts(script: str, transcript: str) -> None:
    """Whatever the texts hold: equal, replaced and left-out words are the path, and the text itself is right."""
    reading = read_gate(script, transcript)
    errors = reading.errors
    assert errors.n_words == len(reading.path)
    n_equal = sum(word.kind == "equal" for word in reading.words)
    assert n_equal + errors.substitutions + errors.deletions == errors.n_words
    assert word_errors(script, script).wer == 0.0


_SCRAPS = st.sampled_from(
    [
        "'",
        "-",
        ".",
        "$",
        "£",
        "%",
        "1",
        "0",
        "23",
        "1,000",
        "12:30",
        "am",
        "PM",
        "http://",
        "www.",
        "a@b.co",
        "#",
        "½",
        "/",
        "3/4",
        "St.",
        "Dr.",
        "e.g.",
        "can't",
        "O'",
        "x",
        "km",
        "°C",
        '"',
        "5'11\"",
        "v1.2",
        "IV",
        "2024-01-05",
        "…",
        "“",
        "é",
        "&",
        "+1-",
        "1990s",
        "№",
        "²",
        "٣",
        "_",
        "~",
        "W-w-wait",
        "soooo",
    ]
)
_MESS = st.lists(_SCRAPS, max_size=10).map("".join) | st.lists(_SCRAPS, max_size=10).map(" ".join)


@given(script=_MESS, transcript=_MESS)
@example(script="", transcript="A0://²")
@settings(max_examples=400, deadline=None)
def test_any_mess_of_signs_can_be_held_against_any_other(script: str, transcript: str) -> None:
    """Scraps of numbers, addresses and signs in any order: nothing is raised, and a mess says itself."""
    assert word_errors(script, transcript).wer >= 0.0
    assert word_errors(script, script).wer == 0.0
