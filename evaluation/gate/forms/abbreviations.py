"""Abbreviations: titles, streets, companies, months, Latin. Pure."""

from evaluation.gate.forms.form import Form, any_of, word_set

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
    "tue": "tuesday",
    "tues": "tuesday",
    "thu": "thursday",
    "thur": "thursday",
    "thurs": "thursday",
    "fri": "friday",
}
"""Abbreviations that are so with a full stop or without one."""
DOTTED: dict[str, Form] = {
    "e.g": any_of("for example", "e g", "for instance"), "i.e": any_of("that is", "i e"),
    "a.k.a": any_of("also known as", "a k a"), "ph.d": any_of("p h d", "doctor of philosophy"),
    "n.b": any_of("n b", "nota bene"),
    "u.s": any_of("u s", "united states"), "u.k": any_of("u k", "united kingdom"),
    "st": any_of("saint", "street"), "rd": "road", "ln": "lane", "ct": "court", "pl": "place", "sq": "square",
    "ste": "suite", "inc": any_of("incorporated", "inc"), "ltd": any_of("limited", "l t d"),
    "co": any_of("company", "co"), "corp": any_of("corporation", "corp"), "bros": "brothers", "gen": "general",
    "col": "colonel", "lt": "lieutenant", "sgt": "sergeant", "capt": "captain", "cpl": "corporal", "maj": "major",
    "cmdr": "commander", "rev": "reverend", "hon": any_of("honorable", "honourable"), "gov": "governor",
    "sen": "senator", "rep": "representative", "pres": "president", "ft": "fort", "vol": "volume",
    "fig": "figure", "ch": "chapter", "sec": "section", "est": any_of("established", "estimated"),
    "max": any_of("maximum", "max"),
    "min": any_of("minimum", "minutes"), "temp": any_of("temperature", "temp"), "assn": "association",
    "univ": "university",
    "govt": "government", "p": "page", "pp": "pages", "para": "paragraph", "ext": "extension", "no": "number",
    "tel": "telephone",
    "mon": "monday", "wed": "wednesday", "sat": "saturday", "sun": "sunday", "jan": "january", "feb": "february",
    "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august", "sep": "september",
    "sept": "september", "oct": "october", "nov": "november", "dec": "december", "ca": any_of("circa", "about"),
    "intl": "international", "mgr": "manager", "dir": "director", "asst": "assistant", "attn": "attention",
}  # fmt: skip
"""Abbreviations only with a full stop behind."""
NEEDS_CAPITAL = word_set(
    "co gen col lt maj hon sen rep pres ft ch sec est max min temp p no mon wed sat sun mar jan pl ct sq fig"
)
"""Those that are words, or sentence ends, too: an abbreviation only before a capital or a digit."""


def abbreviation(stem: str, *, before: str, after: str, is_heard: bool) -> Form | None:
    """Return what an abbreviation with its full stop stands for; None if the stop ends a sentence.

    Args:
        stem: without its last full stop, in lower case.
        before: the word before it, "" at the start.
        after: the text behind it.
        is_heard: a transcriber's text, in which position says little.
    """
    next_letter = after.lstrip(" ,'\"(")[:1]
    is_named = next_letter.isupper() or next_letter.isdecimal()
    if stem in ("st", "dr"):
        titles, roads = {"st": ("saint", "street"), "dr": ("doctor", "drive")}[stem]
        if is_heard:
            return any_of(titles, roads)
        is_title = next_letter.isupper() and after[:1] == " "
        is_road = before[:1].isupper() or before[:1].isdecimal()
        if is_title and is_road and before not in _NO_ROAD:
            return any_of(titles, roads)
        return titles if is_title else roads if is_road else any_of(titles, roads)
    form = TITLES.get(stem) or DOTTED.get(stem)
    if stem == "co" and before in ("&", "and"):
        return any_of("company", "co")
    if form is None or (stem in NEEDS_CAPITAL and not (is_named and after[:1] == " ") and not is_heard):
        return None
    if stem == "no" and not next_letter.isdecimal():
        return None
    return any_of(form, stem) if is_heard or stem in TITLES else form


_NO_ROAD = frozenset({"The", "In", "At", "On", "To", "By", "And", "Is", "Was", "With", "For", "From", "Ask", "Call"})
