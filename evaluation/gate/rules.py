"""Which rule may explain what a text holds at one place, by its first character. Pure data."""

import re
from collections.abc import Callable

from evaluation.gate.forms import addresses, codes, dates, money, quantities, units
from evaluation.gate.forms.form import Form, any_of, word_set

Build = Callable[[re.Match[str], bool], Form | None]
Rule = tuple[re.Pattern[str], str, Build]

SAME_LENGTH = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‑": "-", "‐": "-", "\xa0": " ", "\u202f": " ", "⁄": "/"})
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*'?")
DIGIT_RULES: tuple[Rule, ...] = (
    (dates.ISO, "date", dates.iso),
    (dates.NUMERIC, "date", dates.numeric),
    (dates.CLOCK, "time", dates.clock),
    (dates.HOUR, "time", dates.hour),
    (dates.BARE_HALF_CLOCK, "time", dates.clock),
    (dates.DAY_CLOCK, "time", dates.day_clock),
    (codes.RATIO, "number", codes.ratio),
    (dates.MILITARY, "time", dates.military),
    (dates.DAY_FIRST, "date", dates.day_first),
    (codes.PHONE, "phone", codes.phone),
    (quantities.PERCENT_RANGE, "percent", quantities.percent_range),
    (quantities.PERCENT, "percent", quantities.percent),
    (dates.DECADE, "year", dates.decade),
    (quantities.ORDINAL, "ordinal", quantities.ordinal),
    (units.DEGREES, "unit", units.degrees),
    (quantities.FEET_INCHES, "unit", quantities.feet),
    (quantities.FEET, "unit", quantities.feet),
    (quantities.INCHES, "unit", quantities.inches),
    (quantities.BY, "number", quantities.by),
    (quantities.TIMES, "number", quantities.times),
    (money.AFTER, "currency", money.after),
    (quantities.SCALED, "number", quantities.scaled),
    (units.MEASURE, "unit", units.measure),
    (quantities.GLYPH, "fraction", quantities.glyph),
    (codes.DOTTED, "code", codes.dotted),
    (quantities.FRACTION, "fraction", quantities.parts),
    (codes.SECTION, "code", codes.section),
    (codes.SPELLED, "code", codes.spelled),
    (codes.CODE, "code", codes.code),
    (codes.DIGIT_GROUPS, "range", codes.digit_groups),
    (quantities.BARE, "number", quantities.bare),
)
SIGN_RULES: dict[str, tuple[Rule, ...]] = {
    sign: rules
    for signs, rules in (
        ("$£€₹¥₩₽₺₿", ((money.BEFORE, "currency", money.before),)),
        ("+", ((codes.PHONE, "phone", codes.phone), (quantities.SIGNED, "symbol", quantities.signed))),
        ("±", ((quantities.SIGNED, "symbol", quantities.signed),)),
        ("(", ((codes.PHONE, "phone", codes.phone), (codes.SECTION, "code", codes.section))),
        ("'", ((dates.DECADE, "year", dates.decade),)),
        ("#", ((addresses.HASHTAG, "hashtag", addresses.hashtag),)),
        ("@", ((addresses.HANDLE, "hashtag", addresses.handle),)),
        ("½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚", ((quantities.GLYPH, "fraction", quantities.glyph),)),
    )
    for sign in signs
}
LETTER_RULES: tuple[Rule, ...] = (
    (money.BEFORE, "currency", money.before),
    (codes.VERSION, "version", codes.version),
    (codes.EXTENSION, "phone", codes.extension),
    (codes.SPELLED, "code", codes.spelled),
    (codes.CODE, "code", codes.code),
    (units.ALONE, "unit", units.alone),
)
SYMBOLS: dict[str, Form] = {
    "&": any_of("and", "ampersand"),
    "%": any_of("percent", "per cent"),
    "=": any_of("equals", "is", "equal to", "is equal to"),
    "+": "plus",
    "@": "at",
    "~": any_of("approximately", "about", "around", "roughly", "tilde"),
    "≈": any_of("approximately", "about", "around", "roughly", "approximately equal to"),
    "<": any_of("less than", "is less than"),
    ">": any_of("greater than", "more than", "is greater than"),
    "×": any_of("times", "by", "multiplied by"),
    "÷": "divided by",
    "°": any_of("degrees", "degree"),
    "§": "section",
    "™": any_of("", "trademark"),
    "®": any_of("", "registered"),
    "©": any_of("copyright", ""),
    "_": "underscore",
    "$": any_of("dollars", "dollar", "dollar sign"),
    "£": any_of("pounds", "pound", "pound sign"),
    "€": any_of("euros", "euro", "euro sign"),
    "№": "number",
    "\\": any_of("backslash", "back slash"),
    "^": any_of("caret", "to the power of", "to the"),
}
BETWEEN = any_of("to", "through", "", "dash", "hyphen", "minus")
SHORT_SLASHES: dict[str, Form] = {
    "w/o": "without",
    "c/o": "care of",
    "n/a": any_of("n a", "not applicable"),
    "w/": "with",
}
SHORT_SLASH = re.compile(r"(?:w/o|c/o|n/a)(?!\w)|w/(?=\s|$)", re.I)
ABBREVIATION = re.compile(r"([A-Za-z]{1,6}(?:\.[A-Za-z]{1,2})*)\.(?!\w)")
INITIALS = re.compile(r"(?:[A-Za-z]\.){2,}(?:[A-Za-z](?!\w))?|(?:[A-Z]\.\s?)+(?=[A-Z]\w)|[A-Z](?:&[A-Z])+(?!\w)")
CLIPPED = re.compile(r"'(?:n'|(?:em|cause|til|tis|twas)\b)", re.I)
STUTTER = re.compile(r"((?:[^\W\d_]{1,4}-){1,6})([^\W\d_]+(?:'[^\W\d_]+)*)(?!-?\w)")
ECHOED = word_set("i we you he she it they the a an and but no what that this my is so who why how if")
ROMAN = re.compile(r"[IVX]+(?!\w|')")
ROMAN_HEADS = word_set(
    "chapter part war act volume book phase type class section article appendix grade level tier stage figure table"
    " king queen pope emperor louis henry charles george edward james william elizabeth richard mark title scene step"
    " group unit superbowl bowl rocky episode season version round schedule category"
)
MONTHS = frozenset(dates.MONTHS) | word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
CURRENCY_HEADS = word_set("usd cad aud nzd hkd sgd gbp eur inr jpy chf cny mxn rs us c a au ca nz hk")
AFTER_WORD = frozenset(' ,;!?\n\t)"”:—…')
DETERMINERS = word_set("the a this that these those his her its our your their my each every first last next")
PARTS = re.compile(r"[-/]")
