"""Word errors in spoken form."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.corpus import load_benchmark_v1
from evaluation.gate.lite_1.spoken import spoken_words
from evaluation.gate.lite_1.wer import aligned, word_errors

LIMIT = 0.15


@pytest.mark.parametrize(
    ("script", "transcript"),
    [
        ("I owe $4,792.85.", "i owe four thousand seven hundred and ninety two dollars and eighty five cents"),
        ("I owe $4,792.85.", "I owe 4792 dollars and 85 cents."),
        ("In 2024 we met.", "In two thousand and twenty four, we met."),
        ("Code A-X-7-9-Q.", "Code AX79Q."),
        ("Code A-X-7-9-Q.", "code a x seventy nine q"),
        ("Visit www.wild-flora.org.au now", "Visit w w w dot wild dash flora dot org dot a u now"),
        ("the web site", "The website"),
        ("Call 1-888-555-0144", "call one eight eight eight five five five zero one four four"),
        ("It is 98.5%", "it's ninety eight point five per cent"),
        ("by 08:30 AM", "by 8.30 a.m."),
        ("The colour of aluminium", "the color of aluminum"),
        ("Mr. Smith isn't in", "mister smith is not in"),
    ],
)
def test_two_forms_of_one_reading_are_no_error(script, transcript):
    """What cannot be heard is not counted."""
    assert word_errors(script, transcript).wer == 0.0


@pytest.mark.parametrize(
    ("script", "transcript", "errors"),
    [
        ("I owe $4,250.75", "I owe $4,205.75", (1, 0, 0)),
        ("one million dollars", "one thousand thousand dollars", (1, 0, 1)),
        ("five thousand", "five hundred", (1, 0, 0)),
        ("the cat sat", "the bat sat", (1, 0, 0)),
        ("the cat sat", "the sat", (0, 1, 0)),
        ("the cat sat", "the cat cat sat", (0, 0, 1)),
    ],
)
def test_real_misreadings_are_errors(script, transcript, errors):
    """A wrong amount or word stays wrong however lenient the forms are."""
    got = word_errors(script, transcript)
    assert (got.substitutions, got.deletions, got.insertions) == errors
    assert got.wer == round(sum(errors) / got.n_words, 6) > 0


def test_nothing_heard_deletes_every_word():
    """Silence has WER 1."""
    got = word_errors("the cat sat", "")
    assert (got.wer, got.deletions, got.n_words) == (1.0, 3, 3)


def test_a_script_without_words_counts_as_one():
    """Heard words are errors against it; silence is none; no division by 0."""
    assert word_errors("…", "").wer == 0.0
    assert word_errors("…", "two words").wer == 2.0
    assert word_errors("…", "two words").n_words == 0


def test_alignment_names_each_difference_in_order():
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


def test_every_script_is_itself():
    """Read back letter by letter, every script passes with no error; so does its spoken form."""
    for item in load_benchmark_v1().items:
        assert word_errors(item.script, item.script).wer == 0.0
        assert word_errors(item.script, " ".join(spoken_words(item.script))).wer == 0.0


@pytest.mark.parametrize(
    ("item_id", "reading"),
    [
        (
            "vb-00004",
            "to download the supplemental relaxation audio please navigate directly to w w w dot mindful dash recovery "
            "dash eight eight dot c a slash guided underscore sessions underscore two zero two four ensuring you enter "
            "your unique alphanumeric access code a x seven nine q l four before the system maintenance begins at "
            "exactly eleven fifty nine p m",
        ),
        (
            "vb-00012",
            "the statutory compliance report which notwithstanding the prior delays caused by the q three audit was "
            "finalized on november eighteenth twenty twenty three requires a reallocation of i n r forty five million "
            "eight hundred and ninety two thousand seven hundred point five zero to the secondary escrow accounts "
            "ending in four four nine b and seven seven two c",
        ),
        (
            "vb-00116",
            "wait the little thrift boutique at one seven zero one west fourth avenue which usually charges just five "
            "dollars and fifty cents for sweaters actually appraised that nineteenth century louis xiv armoire at "
            "exactly fourteen thousand nine hundred and ninety five dollars and ninety nine cents",
        ),
        (
            "vb-00305",
            "just hop on over to h t t p s colon slash slash w w w dot dazzling dash dingoes dot com dot a u slash "
            "party dash two zero two four or shoot a quick text to plus six one four nine one five seven zero one five "
            "six before eleven fifty nine p m on friday",
        ),
    ],
)
def test_a_careful_reader_of_hard_items_passes(item_id, reading):
    """Hand-written readings that differ from ours in every legitimate way stay within the gate's limit."""
    script = load_benchmark_v1().by_id()[item_id].script
    assert word_errors(script, reading).wer <= LIMIT


words = st.lists(
    st.sampled_from(["a", "b", "cat", "sat", "one", "two", "twenty", "hundred", "point", "and", "5", "2024", "$3.50"]),
    max_size=14,
).map(" ".join)


@given(script=words, transcript=words)
@settings(max_examples=150, deadline=None)
def test_counts_add_up_to_both_texts(script, transcript):
    """Reference words are equal + substituted + deleted; heard words never vanish from the alignment."""
    steps = aligned(script, transcript)
    assert tuple(step.reference for step in steps if step.reference) == spoken_words(script)
    got = word_errors(script, transcript)
    assert got.n_words == len(spoken_words(script))
    assert got.substitutions + got.deletions <= got.n_words
    assert word_errors(script, script).wer == 0.0
    assert all((step.reference == step.heard) == (step.kind == "equal") for step in steps)
