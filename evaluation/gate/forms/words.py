"""Words: contractions, abbreviations, titles, spelling, accents, interjections, stutters. Pure."""

import re
import unicodedata
from functools import lru_cache

from evaluation.gate.forms.form import Form, any_of
from evaluation.gate.forms.spelling import american

_NOT = {"can't": "can not", "won't": "will not", "shan't": "shall not"}
_NOT_BASES = (
    "are could did does do had has have is might must need ought should was were would dare may"
).split()
_BARE_NOT = {base: f"{base}nt" for base in _NOT_BASES}
_TAILS = {"'re": ("are",), "'ll": ("will", "shall"), "'ve": ("have",), "'d": ("would", "had"), "'m": ("am",)}
_IS_HEADS = frozenset(
    "it he she that this what who where when why how there here everyone everybody someone somebody something"
    " everything nobody nothing one".split()
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
    "'cause": ("because",),
    "'til": ("until", "till"),
    "'tis": ("it is",),
    "'twas": ("it was",),
    "ma'am": ("madam",),
    "ok": ("okay", "o k"),
    "okay": ("ok",),
    "alright": ("all right",),
}
_FULL = {"going to": "gonna", "want to": "wanna", "got to": "gotta"}
_SANS_APOSTROPHE = {
    word.replace("'", ""): word
    for word in "you're they're we've you've they've i've i'm you'll they'll it'll that'll you'd they'd".split()
}

INTERJECTION = re.compile(
    r"^(?:o+h+|a+h+|o{2,}|a+w+|s+h+|p+s+t+|h+m+|m{2,}|mhm|u+h+|u+m+|e+r+m?|eh|huh|u+gh+|ar+gh*|brr+|phew+|whew+|tsk"
    r"|(?:ha){1,}h?|(?:he){2,}|heh|w(?:h)?oa+h?|woah+|ee+k|a+ha+)$"
)
"""Sounds that are no words; a reader, and still more a transcriber, may leave them out."""
FILLER = frozenset({"um", "uh", "hmm", "erm", "er", "mm", "mhm", "uhm", "umm", "uhh", "hm"})
"""What may stand in a transcript without being in the script."""
_SOUNDS = (
    (re.compile(r"^o+h*$"), "oh"), (re.compile(r"^a+h+$"), "ah"), (re.compile(r"^s+h+$"), "shh"),
    (re.compile(r"^h*m{2,}$|^hm+$|^mhm$"), "hmm"), (re.compile(r"^u+h+$"), "uh"), (re.compile(r"^u+h?m+$"), "um"),
    (re.compile(r"^wh?oa+h?$|^woah+$"), "whoa"), (re.compile(r"^(?:ha){2,}h?$"), "haha"), (re.compile(r"^a+w+$"), "aw"),
    (re.compile(r"^e+r+m?$"), "er"), (re.compile(r"^p+s+t+$"), "psst"), (re.compile(r"^u+gh+$"), "ugh"),
)  # fmt: skip
_STRETCHED = re.compile(r"([a-z])\1{2,}")
_LIGATURES = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d"})

TITLES: dict[str, Form] = {
    "mr": "mister",
    "mrs": any_of("missus", "misses", "mistress"),
    "ms": any_of("miss", "miz", "ms"),
    "messrs": any_of("messieurs", "messrs"),
    "dr": "doctor",
    "prof": "professor",
    "jr": "junior",
    "sr": "senior",
    "vs": any_of("versus", "v s"),
    "etc": any_of("et cetera", "etcetera"),
    "mt": "mount",
    "blvd": "boulevard",
    "ave": "avenue",
    "hwy": "highway",
    "apt": "apartment",
    "dept": "department",
    "approx": any_of("approximately", "approx"),
}
"""Abbreviations that are so with a full stop or without one."""
DOTTED: dict[str, Form] = {
    "e.g": any_of("for example", "e g", "for instance"), "i.e": any_of("that is", "i e"),
    "a.k.a": any_of("also known as", "a k a"), "ph.d": any_of("p h d", "doctor of philosophy"), "n.b": any_of("n b", "nota bene"),
    "u.s": any_of("u s", "united states"), "u.k": any_of("u k", "united kingdom"),
    "st": any_of("saint", "street"), "rd": "road", "ln": "lane", "ct": "court", "pl": "place", "sq": "square",
    "ste": "suite", "inc": any_of("incorporated", "inc"), "ltd": any_of("limited", "l t d"),
    "co": any_of("company", "co"), "corp": any_of("corporation", "corp"), "bros": "brothers", "gen": "general",
    "col": "colonel", "lt": "lieutenant", "sgt": "sergeant", "capt": "captain", "cpl": "corporal", "maj": "major",
    "cmdr": "commander", "rev": "reverend", "hon": any_of("honorable", "honourable"), "gov": "governor",
    "sen": "senator", "rep": "representative", "pres": "president", "ft": "fort", "vol": "volume",
    "fig": "figure", "ch": "chapter", "sec": "section", "est": any_of("established", "estimated"), "max": any_of("maximum", "max"),
    "min": any_of("minimum", "minutes"), "temp": any_of("temperature", "temp"), "assn": "association", "univ": "university",
    "govt": "government", "p": "page", "pp": "pages", "para": "paragraph", "ext": "extension", "no": "number",
    "mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thur": "thursday",
    "thurs": "thursday", "fri": "friday", "sat": "saturday", "sun": "sunday", "jan": "january", "feb": "february",
    "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august", "sep": "september",
    "sept": "september", "oct": "october", "nov": "november", "dec": "december", "ca": any_of("circa", "about"),
    "intl": "international", "mgr": "manager", "dir": "director", "asst": "assistant", "attn": "attention",
}  # fmt: skip
"""Abbreviations only with a full stop behind."""
NEEDS_CAPITAL = frozenset(
    "co gen col lt maj hon sen rep pres ft ch sec est max min temp p no mon wed sat sun mar jan pl ct sq fig".split()
)
"""Those that are words, or sentence ends, too: an abbreviation only before a capital or a digit."""


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
    for pattern, sound in _SOUNDS:
        if pattern.match(lower):
            return sound if len(lower) > 1 else lower
    return american(lower)


@lru_cache(maxsize=16384)
def word_form(lower: str, *, is_heard: bool) -> Form:
    """Return one plain word, in lower case, with whatever else it may stand for."""
    if INTERJECTION.match(lower) and (not is_heard or lower in FILLER):
        return any_of(lower, "")
    if lower in FILLER and is_heard:
        return any_of(lower, "")
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


def abbreviation(stem: str, *, before: str, after: str, is_heard: bool) -> Form | None:
    """Return what an abbreviation with its full stop stands for; None if the stop ends a sentence.

    Args:
        stem: without its last full stop, in lower case.
        before: the word before it, "" at the start.
        after: the text behind it.
        is_heard: a transcriber's text, in which position says little.
    """
    next_letter = after.lstrip(" ,'\"(")[:1]
    is_named = next_letter.isupper() or next_letter.isdigit()
    if stem in ("st", "dr"):
        titles, roads = {"st": ("saint", "street"), "dr": ("doctor", "drive")}[stem]
        if is_heard:
            return any_of(titles, roads)
        is_title = next_letter.isupper() and after[:1] == " "
        is_road = before[:1].isupper() or before[:1].isdigit()
        if is_title and is_road and before not in _NO_ROAD:
            return any_of(titles, roads) if stem == "st" else any_of(titles, roads)
        return titles if is_title else roads if is_road else any_of(titles, roads)
    form = TITLES.get(stem) or DOTTED.get(stem)
    if form is None or (stem in NEEDS_CAPITAL and not (is_named and after[:1] == " ") and not is_heard):
        return None
    if stem == "no" and not next_letter.isdigit():
        return None
    return any_of(form, stem) if is_heard or stem in TITLES else form


_NO_ROAD = frozenset({"The", "In", "At", "On", "To", "By", "And", "Is", "Was", "With", "For", "From", "Ask", "Call"})
