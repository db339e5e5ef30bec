"""Words: contractions, spelling, accents, interjections, stretched words. Pure."""

import re
import unicodedata
from functools import lru_cache

from evaluation.gate.forms.abbreviations import TITLES
from evaluation.gate.forms.form import Form, any_of, word_set
from evaluation.gate.forms.spelling import american

_NOT = {"can't": "can not", "won't": "will not", "shan't": "shall not"}
_NOT_BASES = [
    "are",
    "could",
    "did",
    "does",
    "do",
    "had",
    "has",
    "have",
    "is",
    "might",
    "must",
    "need",
    "ought",
    "should",
    "was",
    "were",
    "would",
    "dare",
    "may",
]
_BARE_NOT = {base: f"{base}nt" for base in _NOT_BASES}
_TAILS = {"'re": ("are",), "'ll": ("will", "shall"), "'ve": ("have",), "'d": ("would", "had"), "'m": ("am",)}
_IS_HEADS = word_set(
    "it he she that this what who where when why how there here everyone everybody someone somebody something"
    " everything nobody nothing one"
)
_OTHERS: dict[str, tuple[str, ...]] = {
    "let's": ("let us",),
    "gonna": ("going to",),
    "wanna": ("want to", "want a"),
    "gotta": ("got to", "got a"),
    "kinda": ("kind of",),
    "sorta": ("sort of",),
    "outta": ("out of",),
    "lemme": ("let me",),
    "gimme": ("give me",),
    "y'all": ("you all",),
    "'em": ("them",),
    "'n'": ("and",),
    "wwi": ("world war one", "w w one"),
    "wwii": ("world war two", "w w two"),
    "'cause": ("because",),
    "'til": ("until", "till"),
    "'tis": ("it is",),
    "'twas": ("it was",),
    "ma'am": ("madam",),
    "ok": ("okay", "o k"),
    "okay": ("ok",),
    "alright": ("all right",),
}
_SANS_APOSTROPHE = {
    word.replace("'", ""): word
    for word in [
        "you're",
        "they're",
        "we've",
        "you've",
        "they've",
        "i've",
        "i'm",
        "you'll",
        "they'll",
        "it'll",
        "that'll",
        "you'd",
        "they'd",
    ]
}

INTERJECTION = re.compile(
    r"^(?:o+h+|a+h+|o{2,}|a+w+|s+h+|p+s+t+|h+m+|m{2,}|mhm|u+h+|u+m+|e+r+m?|eh|huh|u+gh+|ar+gh*|brr+|phew+|whew+|tsk"
    r"|(?:ha){1,}h?|(?:he){2,}|heh|w(?:h)?oa+h?|woah+|ee+k|a+ha+)$"
)
"""Sounds that are no words; a reader, and still more a transcriber, may leave them out."""
FILLER = frozenset({"um", "uh", "hmm", "erm", "er", "mm", "mhm", "uhm", "umm", "uhh", "hm"})
"""What may stand in a transcript without being in the script."""
_SOUNDS = (
    (re.compile(r"^o+h+$|^oo+$"), "oh"), (re.compile(r"^a+h+$"), "ah"), (re.compile(r"^s+h+$"), "shh"),
    (re.compile(r"^h*m{2,}$|^hm+$|^mhm$"), "hmm"), (re.compile(r"^u+h+$"), "uh"), (re.compile(r"^u+h?m+$"), "um"),
    (re.compile(r"^wh?oa+h?$|^woah+$"), "whoa"), (re.compile(r"^(?:ha){2,}h?$"), "haha"), (re.compile(r"^a+w+$"), "aw"),
    (re.compile(r"^e+r+m?$"), "er"), (re.compile(r"^p+s+t+$"), "psst"), (re.compile(r"^u+gh+$"), "ugh"),
)  # fmt: skip
_STRETCHED = re.compile(r"([a-z])\1{2,}")
_LIGATURES = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d"})


def folded(word: str) -> str:
    """Return a word in lower case without accents."""
    lower = word.lower()
    if lower.isascii():
        return lower
    parts = unicodedata.normalize("NFKD", lower.translate(_LIGATURES))
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


@lru_cache(maxsize=16384)
def key(word: str) -> str:
    """Return what two words must share to count as the same: folded, American, possessives without their sign."""
    lower = folded(word)
    if "'" in lower:
        if lower.endswith(("'re", "'ll", "'ve", "'d", "'m")) and lower[0] != "'":
            return lower
        lower = lower.replace("'", "")
    return american(lower)


@lru_cache(maxsize=16384)
def word_form(lower: str, *, is_heard: bool) -> Form:
    """Return one plain word, in lower case, with whatever else it may stand for."""
    if lower in FILLER or INTERJECTION.match(lower):
        sounds = (sound for pattern, sound in _SOUNDS if pattern.match(lower))
        return any_of(lower, *sounds, *(("",) if lower in FILLER or not is_heard else ()))
    signed = _SANS_APOSTROPHE.get(lower, lower)
    expanded = _expanded(signed)
    if expanded:
        return any_of(lower, signed, *expanded)
    if lower in TITLES:
        return any_of(TITLES[lower], lower)
    if _STRETCHED.search(lower):
        return any_of(_STRETCHED.sub(r"\1", lower), _STRETCHED.sub(r"\1\1", lower), lower)
    return lower


def _expanded(lower: str) -> tuple[str, ...]:
    if lower in _OTHERS:
        return _OTHERS[lower]
    if lower in _NOT or lower.replace("n't", "nt") in ("cant",):
        return (_NOT.get(lower, "can not"),)
    if lower == "wont":
        return ("will not",)
    if lower.endswith("n't") and lower[:-3] in _BARE_NOT:
        return (f"{lower[:-3]} not",)
    if lower.endswith("nt") and lower[:-2] in _BARE_NOT:
        return (f"{lower[:-2]} not",)
    head, apostrophe, tail = lower.rpartition("'")
    if not (head and apostrophe):
        return ()
    if tail == "s" and head in _IS_HEADS:
        return (f"{head} is", f"{head} has")
    if tail == "d" and head in ("how", "where", "why", "what"):
        return (f"{head} did", f"{head} would", f"{head} had")
    if head.endswith("n't") and tail in ("ve", "d"):
        return (f"{head[:-3]} not {_TAILS[apostrophe + tail][0]}",)
    if tail == "ve" and head.endswith("'d"):
        return (f"{head[:-2]} would have",)
    return tuple(f"{head} {word}" for word in _TAILS.get(apostrophe + tail, ()))
