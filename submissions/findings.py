"""Single findings to problems: alike findings become one sentence with a list. Pure; each code has its rule here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from submissions.problems import VALUE_SEPARATOR, Problem, ProblemKind, joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing found at one place."""

    code: str
    """Key of RULES."""
    where: str = ""
    """Item or member, fit to be shown; empty for the zip as a whole."""
    got: str = ""
    """What came, a phrase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How findings of one code are told."""

    what: str
    """Sentence without full stop; {n} is the number of findings, {s} a plural s, {is_} and {has} the verb."""
    allowed: str
    """What would be accepted; {name} of a limit is filled in."""
    kind: ProblemKind = "problem"
    """Whether it blocks."""


def _warning(what: str, allowed: str) -> Rule:
    return Rule(what=what, allowed=allowed, kind="warning")


_ARCHIVE_RULES = {
    "not_a_zip": Rule(what="This file is not a zip, or only a part of one", allowed="a complete zip file"),
    "zip_damaged": Rule(what="The table of contents of the zip is damaged", allowed="a complete zip file"),
    "zip_split": Rule(what="The zip is one of several volumes", allowed="one zip in one file"),
    "zip_too_big": Rule(what="The zip is too big", allowed="{zip_bytes}"),
    "too_many_entries": Rule(what="The zip has too many entries", allowed="{max_entries} at most"),
    "empty_zip": Rule(what="The zip is empty", allowed="one clip for each item"),
    "too_many_members": Rule(what="The zip has too many files", allowed="{max_members} at most"),
    "total_size": Rule(what="The files of the zip are too big together", allowed="{total_bytes} unpacked"),
    "unsafe_name": Rule(
        what="{n} name{s} {is_} not safe",
        allowed="relative names without .., drive letters, or control characters",
    ),
    "backslash_name": Rule(what="{n} name{s} {has} backslashes", allowed="names with / between folder and file"),
    "name_encoding": Rule(what="{n} name{s} {is_} not valid UTF-8", allowed="plain names such as {example}"),
    "not_a_file": Rule(
        what="{n} entr{ies} {is_} a link or a device", allowed="ordinary files: zip the files themselves"
    ),
    "encrypted": Rule(what="{n} file{s} {is_} encrypted", allowed="a zip without a password"),
    "zip_method": Rule(what="{n} file{s} {is_} packed by a method that is not read", allowed="deflated or stored"),
    "overlap": Rule(
        what="{n} file{s} share bytes with others inside the zip", allowed="each file with bytes of its own"
    ),
    "zip_lies": Rule(
        what="The zip's table of contents says something else than {n} of its file{s}",
        allowed="a zip that agrees with itself; pack it again",
    ),
    "ratio": Rule(what="{n} file{s} unpack{_s} to far more than {_its} packed size", allowed="{max_ratio} to 1"),
    "member_size": Rule(what="{n} file{s} {is_} too big", allowed="{member_bytes} unpacked"),
    "same_name": Rule(
        what="{n} name{s} {is_} equal to another but for case or Unicode form", allowed="names that differ"
    ),
    "bad_crc": Rule(what="{n} file{s} {is_} damaged inside the zip", allowed="files whose checksum matches"),
    "bytes_before": _warning("Bytes that are no part of the zip stand before it", "a plain zip"),
    "bytes_after": _warning("Bytes that are no part of the zip follow it", "a plain zip"),
}
_LISTING_RULES = {
    "missing_items": Rule(what="{n} item{s} {has} no clip", allowed="one clip for each item, or its id in {declined}"),
    "no_clips": Rule(what="The zip has no clip at all", allowed="files named like {example}"),
    "duplicate_item": Rule(what="{n} item{s} {has} more than one file", allowed="one file for each item"),
    "unknown_name": Rule(
        what="{n} file{s} {is_} not named after an item", allowed="names such as {example}; {json_names}"
    ),
    "wrong_extension": Rule(
        what="{n} clip{s} {has} an ending that is not read", allowed=".wav, .flac, .mp3, .ogg, .opus"
    ),
    "nested_zip": Rule(what="{n} file{s} {is_} an archive inside the zip", allowed="the clips themselves in one zip"),
    "several_folders": Rule(
        what="{n} file{s} lie{_s} outside the clips' folder", allowed="all clips in one folder, or all at the root"
    ),
    "declined_unreadable": Rule(
        what="declined.json cannot be read", allowed="a JSON list of item ids, or an object of id and reason"
    ),
    "declined_unknown": Rule(what="declined.json names {n} id{s} that the corpus lacks", allowed="ids of the corpus"),
    "declined_twice": Rule(what="declined.json names {n} id{s} more than once", allowed="each id once"),
    "declined_with_clip": Rule(what="{n} declined item{s} {has} a clip", allowed="a clip or a refusal, not both"),
    "system_unreadable": Rule(what="system.json cannot be read", allowed="a JSON object of card fields"),
}
_CLIP_RULES = {
    "not_audio": Rule(what="{n} clip{s} {is_} not audio", allowed="{formats}"),
    "format_not_allowed": Rule(what="{n} clip{s} {has} a format that is not read", allowed="{formats}"),
    "damaged": Rule(what="{n} clip{s} {is_} damaged", allowed="audio that decodes from start to end"),
    "empty": Rule(what="{n} clip{s} {has} a header and no sound", allowed="{clip_s}"),
    "too_short": Rule(what="{n} clip{s} {is_} too short", allowed="{clip_s}"),
    "too_long": Rule(what="{n} clip{s} {is_} too long", allowed="{clip_s}"),
    "rate_not_allowed": Rule(
        what="{n} clip{s} {has} a sampling rate that is not taken",
        allowed="{clip_hz}; above 65,535 Hz in steps of 10 Hz",
    ),
    "too_many_channels": Rule(what="{n} clip{s} {has} too many channels", allowed="1 or 2"),
    "nonfinite": Rule(what="{n} clip{s} hold{_s} NaN or infinite samples", allowed="finite samples"),
    "too_big": Rule(what="{n} clip{s} need{_s} too much memory to decode", allowed="ordinary audio files"),
    "decoder_died": Rule(
        what="{n} clip{s} made the decoder crash", allowed="audio that decodes; encode the clip again"
    ),
    "too_slow": Rule(what="{n} clip{s} took too long to decode", allowed="{timeout_s} s a clip"),
    "all_too_big": Rule(what="The clips are too big together", allowed="{canonical_bytes} as FLAC"),
    "gave_up": Rule(
        what="Too many clips crashed the decoder or took too long, so the rest was not decoded",
        allowed="fewer than {max_decoder_failures}",
    ),
    "other_format": _warning("{n} clip{s} {has} another format than {_its} name says", "read by content"),
    "stereo": _warning("{n} clip{s} {is_} stereo", "1 channel; two are averaged"),
    "dead_channel": _warning("{n} stereo clip{s} {has} a silent side", "1 channel; averaging halves the level"),
    "low_rate": _warning("{n} clip{s} {has} a low sampling rate", "16,000 Hz or more is better for speech"),
    "silent": _warning("{n} clip{s} {is_} digital silence", "speech; silence scores 0"),
    "constant": _warning("{n} clip{s} {is_} one constant value, without sound", "speech; it will score 0"),
    "dc_offset": _warning("{n} clip{s} {has} a constant offset", "a mean near 0"),
    "over_full_scale": _warning(
        "{n} clip{s} go{_es} beyond full scale", "samples within -1 and 1; what lies beyond is held there"
    ),
    "clipping": _warning("{n} clip{s} {is_} clipped", "samples below full scale"),
    "streamed_header": _warning(
        "{n} WAV header{s} give{_s} no length", "a header with the length; the clip is read to its end"
    ),
    "cut_short": _warning("{n} clip{s} end{_s} before {_its} header says", "complete files; what is there is read"),
    "surplus_bytes": _warning(
        "{n} WAV file{s} {has} bytes after the audio that {_its} header declares", "they are not read"
    ),
    "same_audio": _warning(
        "{n} clip{s} sound{_s} exactly like the clip of another script", "a reading of its own for each script"
    ),
}
RULES: Mapping[str, Rule] = {**_ARCHIVE_RULES, **_LISTING_RULES, **_CLIP_RULES}
"""How each code is told."""


def to_problems(findings: Iterable[Finding], words: Mapping[str, str]) -> tuple[Problem, ...]:
    """Return one Problem a code, in the order of RULES, with every place and value listed in the order found.

    Args:
        findings: any number; each code must be a key of RULES.
        words: limits in words, by the names that the rules use.
    """
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    return tuple(_problem(RULES[code], code, by_code[code], words) for code in RULES if code in by_code)


def _problem(rule: Rule, code: str, findings: list[Finding], words: Mapping[str, str]) -> Problem:
    is_one = len(findings) == 1
    number = {
        "n": f"{len(findings):,}",
        "s": "" if is_one else "s",
        "ies": "y" if is_one else "ies",
        "is_": "is" if is_one else "are",
        "has": "has" if is_one else "have",
        "_s": "s" if is_one else "",
        "_es": "es" if is_one else "",
        "_its": "its" if is_one else "their",
    }
    return Problem(
        kind=rule.kind,
        code=code,
        what=rule.what.format(**number),
        where=joined(finding.where for finding in findings if finding.where),
        allowed=rule.allowed.format(**words),
        got=_got(findings),
    )


def _got(findings: list[Finding]) -> str:
    values = {finding.got for finding in findings}
    if len(values) == 1:
        return findings[0].got
    return VALUE_SEPARATOR.join(f"{f.where}: {f.got}" if f.where else f.got for f in findings if f.got)
