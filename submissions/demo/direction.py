"""What an instruction asks of a voice, read from its text alone by a small table of English cues.

This is the ear of the rule-based baseline: it sees the sentence a maker sees and nothing else. Each cue is a word
or a phrase that speaks for one level of one trait with a weight; a phrase that names its trait ("a steady pace")
weighs more than a word that only hints at it ("booming"). The heaviest level wins, the earliest on a tie.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Sex = Literal["female", "male"]
Accent = Literal["American", "Australian", "British", "Canadian", "Indian"]
Pitch = Literal["low", "medium", "high"]
Pace = Literal["slow", "moderate", "fast"]
Loudness = Literal["quiet", "normal", "loud"]
Level = TypeVar("Level", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """The voice settings that an instruction names; None where it says nothing."""

    sex: Sex | None
    """Sex of the speaker, from nouns (woman, lad) before pronouns."""

    age_years: int | None
    """Age of the speaker in years, 1..120."""

    accent: Accent | None
    """National accent, as the corpus names it."""

    pitch: Pitch | None
    """Level of the voice's pitch for a speaker of that sex and age."""

    pace: Pace | None
    """Level of the speaking rate."""

    loudness: Loudness | None
    """Level of the voice's loudness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cue(Generic[Level]):
    """One row of a cue table, compiled."""

    level: Level
    """The level that the cue speaks for."""

    weight: int
    """3 the trait is named, 2 a plain word for the level, 1 a hint that anything else overrules."""

    pattern: re.Pattern[str]
    """What to look for in the lower-case text."""


def _cues(*rows: tuple[Level, int, str]) -> tuple[_Cue[Level], ...]:
    return tuple(
        _Cue(level=level, weight=weight, pattern=re.compile(rf"(?<![a-z])(?:{words})(?![a-z])"))
        for level, weight, words in rows
    )


# Up to three words may stand between a level and the noun it describes ("a steady, moderate reading pace").
_GAP = r"(?:[ ,]+(?:and |but |yet )?[a-z-]+){0,3}?[ ,]+"
# Up to three words between a noun and what is said of it ("keeping his pacing quite deliberate").
_FEW = r"(?:\w+ ){0,3}?"
_MIDDLE = (
    r"(?:moderate|moderately|medium|average|normal|standard|regular|typical|everyday|conversational|ordinary|neutral"
    r"|mid-?range|middle|mid|mid-?level|even|steady|comfortable|natural|balanced|middle-range|middle-of-the-road)"
)
_PACE = r"(?:pace|paced|pacing|tempo|speed|rate|clip|rhythm|cadence)"
_VOLUME = r"(?:volume|loudness|voice level|sound level|level)"
_PITCH = r"(?:pitch|pitched|register|range)"
_SLOW = (
    r"(?:slow|slower|slowed|unhurried|leisurely|leisured|sluggish|dragging|drawn-out|deliberate|lingering|creeping"
    r"|measured|relaxed|languid|plodding|ponderous|lazy|peaceful|glacial)"
)
_FAST = (
    r"(?:fast|faster|rapid|rapid-fire|quick|quicker|brisk|rushed|hurried|swift|speedy|hasty|frantic|breakneck|racing"
    r"|breathless|snappy|lively|frenetic|accelerated|high)"
)
_LOUD = (
    r"(?:loud|louder|high|booming|strong|projecting|projected|raised|full|powerful|forceful|thunderous|elevated|big"
    r"|increased|commanding|top)"
)
_QUIET = r"(?:quiet|quieter|hushed|low|soft|softer|whispered|subdued|muted|gentle|reduced|faint|minimal)"
_HIGH = r"(?:high|higher|elevated|raised|shrill|piercing|squeaky|bright|upper|soaring|heightened)"
_LOW = r"(?:low|lower|deep|deeper|deeply|husky|rumbling|baritone|bass|gravelly|resonant)"

PACE_CUES: tuple[_Cue[Pace], ...] = _cues(
    ("slow", 3, rf"{_SLOW}{_GAP}{_PACE}|slow-paced|slow-moving|{_PACE} {_FEW}{_SLOW}|pac(?:es|ing) {_FEW}slowly"),
    ("fast", 3, rf"{_FAST}{_GAP}{_PACE}|fast-paced|quick-paced|{_PACE} {_FEW}{_FAST}"),
    (
        "moderate",
        3,
        rf"{_MIDDLE}{_GAP}{_PACE}|medium-paced|evenly paced|well-paced|steady-paced|{_PACE} {_FEW}{_MIDDLE}",
    ),
    ("slow", 3, r"slowly|unhurriedly|unhurried|leisurely|sluggishly|lethargically|languidly|drawl(?:s|ing)?"),
    ("slow", 3, r"(?:drag|draw|stretch)(?:s|ging|ing|es)? (?:out )?(?:\w+ ){0,4}?(?:words?|syllables?|sentences?)"),
    ("slow", 2, r"tak(?:es?|ing) (?:\w+ ){0,2}?time|deliberate(?:ly)?|lingers?|lingering|slow|drawn-out|to a crawl"),
    ("fast", 3, r"quickly|rapidly|swiftly|briskly|hurriedly|hastily|speedily|rapid-fire"),
    (
        "fast",
        2,
        r"fast|rapid|quick|brisk|swift|rush(?:es|ed|ing)?|hurr(?:y|ies|ied|ying)|rattl(?:es?|ing)|rac(?:es|ing)",
    ),
    ("moderate", 2, r"moderately|steadily|at a steady|evenly"),
)

LOUDNESS_CUES: tuple[_Cue[Loudness], ...] = _cues(
    ("normal", 3, rf"{_MIDDLE}{_GAP}{_VOLUME}|indoor (?:\w+ )?volume|{_VOLUME} {_FEW}{_MIDDLE}"),
    ("loud", 3, rf"{_LOUD}{_GAP}{_VOLUME}|high-volume|top of (?:his|her|their) lungs?"),
    ("quiet", 3, rf"{_QUIET}{_GAP}{_VOLUME}|volume {_FEW}(?:quiet|low|down|hushed|soft)|under (?:his|her) breath"),
    ("loud", 3, r"loudly|loud|shout(?:s|ed|ing)?|yell(?:s|ed|ing)?|scream(?:s|ed|ing)?|bellow(?:s|ed|ing)?"),
    (
        "loud",
        2,
        r"boom(?:s|ed|ing)?|project(?:s|ed|ing)?|roar(?:s|ed|ing)?|thunder(?:s|ous|ing)|blaring|at full volume",
    ),
    ("loud", 1, r"across (?:a|the|an) (?:\w+ )?(?:room|hall|stage|field)|exclaim(?:s|ing)?|cr(?:y|ies|ying) out"),
    ("quiet", 3, r"quietly|quiet|softly|hushed|in a hush|whisper(?:s|ed|y|ing)?|not to be heard"),
    ("quiet", 2, r"murmur(?:s|ed|ing)?|mutter(?:s|ed|ing)?|soft-spoken|soft|barely audible|subdued|mumbl(?:es?|ing)"),
)

PITCH_CUES: tuple[_Cue[Pitch], ...] = _cues(
    ("medium", 3, rf"{_MIDDLE}(?:{_GAP}|-){_PITCH}|(?:mid|medium|average|moderate|normal|standard)-?pitched"),
    ("medium", 3, rf"{_PITCH} {_FEW}{_MIDDLE}|in the middle|mid-?range|middle of (?:his|her)"),
    ("high", 3, rf"{_HIGH}(?:{_GAP}|-){_PITCH}|high-?pitched|{_PITCH} {_FEW}{_HIGH}|higher-register"),
    ("high", 3, rf"high(?:er)? (?:\w+ )?(?:voice|tone)|{_HIGH} in pitch|pitched (?:\w+ ){{0,2}}?{_HIGH}"),
    ("low", 3, rf"{_LOW}(?:{_GAP}|-){_PITCH}|(?:low|lower|deep|deeper)-?pitched|{_PITCH} {_FEW}{_LOW}"),
    (
        "low",
        3,
        r"(?:deep|low|deeper|lower)(?: and|,)? (?:\w+[ ,]+){0,2}?(?:voice|tone|vocals?|rumble|growl|murmur|pitch)",
    ),
    ("high", 2, r"shrill|squeaky|falsetto|piercing(?:ly)?|soprano"),
    ("low", 2, r"deep|rumbl(?:e|es|ing)|baritone|bass|gravelly|contralto"),
)

SEX_CUES: tuple[_Cue[Sex], ...] = _cues(
    (
        "female",
        3,
        r"female|wom[ae]n(?:'s)?|girl(?:'s)?|lady|ladies|grandmother|grandma|mother|mum|mom|lass|aunt|feminine",
    ),
    (
        "male",
        3,
        r"male|m[ae]n(?:'s)?|boy(?:'s)?|gentleman(?:'s)?|guy(?:'s)?|lad|fellow|bloke|grandfather|grandpa|father|dad",
    ),
    ("male", 3, r"uncle|masculine|chap"),
    ("female", 1, r"she|hers?|herself"),
    ("male", 1, r"he|his|him|himself"),
)

ACCENT_CUES: tuple[_Cue[Accent], ...] = _cues(
    ("American", 3, r"american|u\.?s\.?a?(?= accent)|united states|new york(?:er)?|midwestern|californian|texan"),
    ("Australian", 3, r"australian|aussie|australia|sydney|melbourne"),
    ("British", 3, r"british|english(?= accent| man| woman| gentleman| lady| boy| girl)|brit|london(?:er)?|england|uk"),
    ("British", 3, r"scottish|received pronunciation|welsh"),
    ("Canadian", 3, r"canadian|canada|toronto"),
    ("Indian", 3, r"indian|india|mumbai|delhi"),
)

_NEGATION = re.compile(
    r"(?:\bnot|\bnever|\bno|\bwithout|\bisn't|\baren't|\bdoesn't|\bdon't|\bshouldn't|\bmustn't|\brather than"
    r"|\binstead of|\banything but|\bfar from|\bavoid(?:s|ing)?|\bneither|\bnor)"
    r"(?: (?:a|an|the|at|in|be|being|sound|sounding|speak|speaking|too|very|overly|particularly|or|is|with|any))*[ ]*$"
)
_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_NUMBERS = (
    {word: value for value, word in enumerate(_UNITS, start=1)}
    | {word: value for value, word in enumerate(_TEENS, start=10)}
    | {word: 10 * value for value, word in enumerate(_TENS, start=2)}
)
_NUMBER = rf"(\d{{1,3}}|(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_UNITS)})|{'|'.join((*_UNITS, *_TEENS, *_TENS))})"
_AGE = re.compile(rf"\b{_NUMBER}[- ]years?[- ](?:old|of age)|\baged? (?:of )?{_NUMBER}|\b{_NUMBER} years of age")


def direct(instruction: str) -> Direction:
    """Voice settings that an instruction asks for in words.

    Args:
        instruction: English text of any length; may be empty.

    Returns:
        Direction with None for every trait of which the text says nothing.

    Example:
        >>> direct("A sixty-year-old British man murmuring at a brisk pace.").pace
        'fast'
    """
    text = instruction.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("\N{EN DASH}", "-")
    return Direction(
        sex=_heaviest(text, SEX_CUES),
        age_years=_age_years(text),
        accent=_heaviest(text, ACCENT_CUES),
        pitch=_heaviest(text, PITCH_CUES),
        pace=_heaviest(text, PACE_CUES),
        loudness=_heaviest(text, LOUDNESS_CUES),
    )


def _heaviest(text: str, cues: Iterable[_Cue[Level]]) -> Level | None:
    found = [
        (-cue.weight, match.start(), cue.level)
        for cue in cues
        for match in cue.pattern.finditer(text)
        if not _NEGATION.search(text, 0, match.start())
    ]
    return min(found)[2] if found else None


def _age_years(text: str) -> int | None:
    for match in _AGE.finditer(text):
        said = next(group for group in match.groups() if group)
        years = _number(said)
        if 1 <= years <= 120:
            return years
    return None


def _number(said: str) -> int:
    return int(said) if said.isdigit() else sum(_NUMBERS[part] for part in re.split(r"[- ]", said))
