"""Which member of a zip is which item's clip, and everything that is wrong with the list. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.records import ItemId
from submissions.archive import Member
from submissions.findings import Finding
from submissions.problems import shown

EXTENSIONS = ("wav", "flac", "mp3", "ogg", "opus")
"""Endings of a clip's name, in any case."""
DECLINED_NAME = "declined.json"
SYSTEM_NAME = "system.json"
_ARCHIVE_ENDINGS = ("zip", "7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The members of a zip by what they are."""

    clips: Mapping[ItemId, Member]
    """The clip of each item that has one; the first one if there are more."""
    declined_file: Member | None
    """declined.json, if there is one."""
    system_file: Member | None
    """system.json, if there is one."""
    findings: tuple[Finding, ...]
    """What is wrong with names, doubles and folders; missing items are for `missing`."""


def list_members(members: Iterable[Member], item_ids: Iterable[ItemId]) -> Listing:
    """Return what each member is.

    Args:
        members: files of the zip that are not ignored.
        item_ids: ids of the corpus.
    """
    known = set(item_ids)
    by_item: dict[ItemId, list[Member]] = {}
    by_name: dict[str, list[Member]] = {DECLINED_NAME: [], SYSTEM_NAME: []}
    findings = []
    for member in members:
        stem, _, ending = member.base.rpartition(".")
        item_id = ItemId(stem)
        if member.base in by_name:
            by_name[member.base].append(member)
        elif item_id in known and ending.lower() in EXTENSIONS:
            by_item.setdefault(item_id, []).append(member)
        else:
            findings.append(_stray(member, stem, ending.lower(), known))
    folder = _clip_folder(by_item)
    findings += _doubles(by_item)
    clips = [member for members in by_item.values() for member in members]
    findings += [Finding(code="several_folders", where=m.name) for m in clips if m.folder != folder]
    for name, found in by_name.items():
        findings += [Finding(code="unknown_name", where=m.name, got=f"a second {name}") for m in found[1:]]
    return Listing(
        clips={item_id: found[0] for item_id, found in by_item.items()},
        declined_file=next(iter(by_name[DECLINED_NAME]), None),
        system_file=next(iter(by_name[SYSTEM_NAME]), None),
        findings=tuple(findings),
    )


def read_declined(value: object, item_ids: Iterable[ItemId]) -> tuple[tuple[ItemId, ...], tuple[Finding, ...]]:
    """Return the declined items in the order of `item_ids`, and what is wrong with the list.

    Args:
        value: what declined.json holds: a list of ids, or an object of id and reason.
        item_ids: ids of the corpus, in its order.
    """
    order = tuple(item_ids)
    if isinstance(value, dict):
        if not all(isinstance(reason, str) for reason in value.values()):
            return (), (Finding(code="declined_unreadable", where=DECLINED_NAME, got="a reason that is not text"),)
    elif not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        return (), (Finding(code="declined_unreadable", where=DECLINED_NAME, got="something else"),)
    counts = Counter(ItemId(entry) for entry in value)
    findings = [Finding(code="declined_unknown", where=shown(i)) for i in counts if i not in set(order)]
    findings += [Finding(code="declined_twice", where=shown(i), got=f"{n} times") for i, n in counts.items() if n > 1]
    return tuple(item_id for item_id in order if item_id in counts), tuple(findings)


def missing(
    item_ids: Iterable[ItemId], clips: Mapping[ItemId, Member], declined: Iterable[ItemId]
) -> tuple[Finding, ...]:
    """Return what is wrong with the items as a whole: without a clip, or both declined and with one."""
    refused = set(declined)
    findings = []
    for item_id in item_ids:
        if item_id in clips and item_id in refused:
            findings.append(Finding(code="declined_with_clip", where=item_id))
        elif item_id not in clips and item_id not in refused:
            findings.append(Finding(code="missing_items", where=item_id))
    if not clips:
        findings.append(Finding(code="no_clips"))
    return tuple(findings)


def _stray(member: Member, stem: str, ending: str, known: set[ItemId]) -> Finding:
    if stem in known:
        return Finding(code="wrong_extension", where=member.name, got=f".{shown(ending, 12)}")
    if ending in _ARCHIVE_ENDINGS:
        return Finding(code="nested_zip", where=member.name)
    if stem.casefold() in known:
        return Finding(code="unknown_name", where=member.name, got="an id in another case")
    return Finding(code="unknown_name", where=member.name)


def _clip_folder(by_item: Mapping[ItemId, list[Member]]) -> str:
    counts = Counter(member.folder for found in by_item.values() for member in found)
    return min(counts, key=lambda folder: (-counts[folder], folder), default="")


def _doubles(by_item: Mapping[ItemId, list[Member]]) -> list[Finding]:
    return [
        Finding(code="duplicate_item", where=item_id, got=" and ".join(member.name for member in found))
        for item_id, found in sorted(by_item.items())
        if len(found) > 1
    ]
