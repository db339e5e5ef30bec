"""Numbers and foreign words to text that is safe to show. Pure: no page, file or clock.

`escape` is the only way by which a submitter's text reaches HTML, `csv_cell` the only way into CSV.
"""

import re
import unicodedata
from datetime import UTC, datetime
from urllib.parse import urlsplit

DASH = "–"
"""Shown where a value does not exist; never 0."""

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
# Direction overrides can make a name read as another name; C0/C1 controls have no shape at all.
_INVISIBLE = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\ufeff]")
# Gradio's HTML component knows two template languages, so $ ` { } must arrive as plain characters too.
_ENTITIES = {sign: f"&#{ord(sign)};" for sign in "'$`{}"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_TABLE = str.maketrans(_ENTITIES)
_MEANT = re.compile(r"""[^ !#%()*+,\-./0-9:;=?@A-Z\[\\\]^_a-z|~]""")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")

_UNITS = {
    "pace": ("words/s", 2),
    "pitch": ("st", 1),
    "loudness": ("dB", 1),
    "naturalness": ("MOS", 2),
    "age": ("years", 0),
}


def escape(text: object) -> str:
    """Return any text made inert inside HTML, as content or as a quoted attribute.

    Markup and template signs become entities; control characters become U+FFFD and direction overrides go.
    """
    plain = str(text)
    if _MEANT.search(plain) is None:
        return plain
    if plain.isascii() and plain.isprintable():  # no sign that must vanish: addresses, most of all
        return plain.translate(_TABLE)
    shown = _INVISIBLE.sub("", plain)
    return "".join("\ufffd" if _is_control(char) else _ENTITIES.get(char, char) for char in shown)


def csv_cell(value: object) -> str:
    """Return a cell that no spreadsheet runs as a formula; numbers stay numbers, None is empty.

    A text that begins with one of = + - @ tab or a line break gets an apostrophe before it.
    """
    if value is None:
        return ""
    text = str(value)
    is_risky = text.lstrip(" ").startswith(_FORMULA_STARTS)
    if is_risky and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def web_address(text: str) -> str | None:
    """Return `text` if it is an http or https address with a host, else None."""
    address = text.strip()
    if any(char.isspace() or _is_control(char) for char in address):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme.lower() in ("http", "https") and parts.hostname else None


def band(best: int, worst: int) -> str:
    """Return a rank band, for example "2" or "1–3"."""
    return str(best) if best == worst else f"{best}–{worst}"


def gain(change: float) -> str:
    """Return how much a mean would have to change, > 0, with three decimals, rounded up so that it is enough."""
    micro = round(change * 1_000_000)
    return f"{max(1, -(-micro // 1_000)) / 1_000:.3f}"


def score(value: float | None) -> str:
    """Return a value on [0, 1] with three decimals, or a dash."""
    return DASH if value is None else f"{value:.3f}"


def exact(value: float) -> str:
    """Return a published value with all of its six decimals."""
    return f"{value:.6f}"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval as "0.512 to 0.541", or a dash if there is none."""
    return DASH if low is None or high is None else f"{low:.3f} to {high:.3f}"


def percent(share: float | None) -> str:
    """Return a share on [0, 1] as a percentage; only a true 1 reads 100% and only a true 0 reads 0%."""
    if share is None:
        return DASH
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(max(share * 100, 0.1), 99.9):.1f}%"


def rate(share: float | None, low: float | None, high: float | None) -> str:
    """Return a share with its interval, "66.7% (46.7% to 82.0%)"; a dash if there is none."""
    spread = "" if low is None or high is None else f" ({percent(low)} to {percent(high)})"
    return percent(share) + spread


def money(micro_usd: int | None) -> str:
    """Return millionths of a US dollar as "$12.30", small sums with more decimals; "not known" for None."""
    if micro_usd is None:
        return "not known"
    dollars = micro_usd / 1_000_000
    return f"${dollars:,.2f}" if dollars >= 1 or micro_usd == 0 else f"${dollars:.4f}"


def quantity(dimension: str, value: float | None) -> str:
    """Return the number behind a measured value with its unit, or a dash.

    Args:
        dimension: trait name or "naturalness".
        value: in the dimension's unit: words/s, semitones, dB, years, MOS, or a probability.
    """
    if value is None:
        return DASH
    if dimension in _UNITS:
        unit, decimals = _UNITS[dimension]
        sign = "+" if dimension in ("pitch", "loudness") else ""
        return f"{value:{sign}.{decimals}f} {unit}".replace("-", "−")
    return f"p = {value:.2f}"


def when(stamp: str) -> str:
    """Return an ISO 8601 time as "2026-05-04 13:07 UTC"; text that is no time comes back as it is."""
    moment = _moment(stamp)
    return stamp if moment is None else moment.strftime("%Y-%m-%d %H:%M UTC")


def day(stamp: str) -> str:
    """Return the date of an ISO 8601 time, "2026-05-04"."""
    moment = _moment(stamp)
    return stamp if moment is None else moment.strftime("%Y-%m-%d")


def span(seconds: float | None) -> str:
    """Return a length of time in its two largest units: "45 s", "3 min 20 s", "2 h 5 min", "4 d 2 h"."""
    if seconds is None:
        return DASH
    whole = max(0, round(seconds))
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, left = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (left, "s")]
    first = next((at for at, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "0 s"


def size(n_bytes: int) -> str:
    """Return a size in bytes, KiB, MiB or GiB."""
    amount = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, plural where needed: "1 clip", "3 clips"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _moment(stamp: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) == "Cc" and char not in "\n\t"
