"""A duel and the published files: who can meet, which items are put to the judge, and the committed comparison.

The replies are written before the duel that hashes them, so a writer killed anywhere leaves no duel or the whole one.
A committed duel never changes; making it again from the same replies is no change.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, SchemaError
from evaluation.judge.judging_skips import why_not_sent
from evaluation.judge.panel import verdicts_of
from evaluation.judge.replies import JudgeReply
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.records import Item, ItemId, Unread
from evaluation.scoring import passes_gate
from submissions import layout, parquet
from submissions.duels import OVERALL, Duel, Verdicts, decode_duel, encode_duel, recipe_hash, tally, without_anchor
from submissions.evidence import Evidence, read_evidence
from submissions.replies import arranged, decode_replies, replies_table, usage_of
from submissions.store.base import PublishedFiles

DECLINED = "declined"
"""Why an item is left out that one of the two refused."""


class DuelRefused(CastboardError):
    """Two systems cannot be judged against each other as asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Two rows of one board and the judge that is to hear them."""

    protocol: Protocol
    """Beside whose board the duel stands."""
    recipe: JudgeRecipe
    """What the judge is asked; its anchor is nobody."""
    a: str
    """Submission whose id sorts first."""
    b: str
    """The other one."""
    items: tuple[Item, ...]
    """All items of the corpus, in its order."""
    evidence: Mapping[str, Evidence]
    """Clips and readings of both, by submission."""
    skipped: Mapping[ItemId, Unread]
    """Items that are not put to the judge, each with the first reason: of A's clip, else of B's."""
    hashes: Mapping[str, str]
    """sha256 (hex) of both per-sample tables, by path."""

    @property
    def sent(self) -> tuple[Item, ...]:
        """Items that are put to the judge."""
        return tuple(item for item in self.items if item.id not in self.skipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A committed duel and what the judge said in it."""

    duel: Duel
    """The duel."""
    verdicts: Verdicts
    """By item that was put to the judge, and dimension; "clip" is A, "anchor" is B."""


def contest(files: PublishedFiles, protocol: Protocol, recipe: JudgeRecipe, one: str, other: str) -> Contest:
    """Return what would be judged; nothing is asked.

    Args:
        files: the published layout.
        protocol: beside whose board the duel stands.
        recipe: the judge.
        one: a submission with a row on that board.
        other: another.

    Raises:
        DuelRefused: naming everything that stands in the way.
        SchemaError: if a published table is damaged.
    """
    faults = obstacles(files, protocol.id, one, other)
    if faults:
        raise DuelRefused("; ".join(faults))
    a, b = sorted((one, other))
    paths = {name: layout.samples_path(protocol.id, name) for name in (a, b)}
    tables = {name: files.read(path) for name, path in paths.items()}
    evidence = {name: read_evidence(parquet.decode_table(tables[name], path), path) for name, path in paths.items()}
    if evidence[a].items != evidence[b].items:
        raise SchemaError(f"{paths[a]} and {paths[b]} are not of the same items")
    return Contest(
        protocol=protocol,
        recipe=without_anchor(recipe),
        a=a,
        b=b,
        items=evidence[a].items,
        evidence=evidence,
        skipped=_skipped(protocol, evidence[a], evidence[b]),
        hashes={paths[name]: sha256_of(data) for name, data in tables.items()},
    )


def obstacles(files: PublishedFiles, protocol_id: str, one: str, other: str) -> tuple[str, ...]:
    """Return every reason why two submissions cannot meet on a board; none if they can."""
    faults = []
    for name in dict.fromkeys((one, other)):
        if not layout.is_name(name) or layout.result_path(protocol_id, name) not in files.paths("results/"):
            faults.append(f"{name!r:.80} has no row on the board of {protocol_id}")
        elif layout.clips_path(name) not in files.paths("clips/"):
            faults.append(f"the clips of {name} are not published here, so nobody can hear them")
    try:
        layout.duel_path(protocol_id, one, other)
    except ValueError as error:
        faults.append("a system cannot meet itself" if one == other else str(error))
    return tuple(faults)


def made_of(match: Contest, replies: Sequence[JudgeReply]) -> tuple[Published, bytes]:
    """Return the duel that follows from the judge's replies, and the table of these; pure.

    Raises:
        ValueError: if a reply comes twice or is of an item that was not put to the judge.
        ProtocolError: if the recipe is impossible.
    """
    ordered = arranged(replace(match.protocol, judge=match.recipe), match.sent, replies)
    table = parquet.encode_table(replies_table(ordered))
    verdicts = verdicts_of(match.recipe, [item.id for item in match.sent], ordered)
    constants, dimensions = match.protocol.constants, match.recipe.dimensions
    path = layout.duel_replies_path(match.protocol.id, match.a, match.b)
    duel = Duel(
        protocol=match.protocol.id,
        a=match.a,
        b=match.b,
        recipe=match.recipe,
        recipe_sha256=recipe_hash(match.recipe),
        files={**match.hashes, path: sha256_of(table)},
        left_out=dict(sorted(Counter(why.reason for why in match.skipped.values()).items())),
        overall=tally(verdicts, dimensions, constants),
        dimensions={name: tally(verdicts, (name,), constants) for name in dimensions if name != OVERALL},
        usage=usage_of(ordered),
    )
    return Published(duel=duel, verdicts=verdicts), table


def commit(files: PublishedFiles, match: Contest, replies: Sequence[JudgeReply]) -> Duel:
    """Publish the duel that follows from the judge's replies; hold the store's lock of publishers meanwhile.

    Raises:
        DuelRefused: if one of the two has gone meanwhile, or another duel of the pair is committed.
    """
    made, table = made_of(match, replies)
    faults = obstacles(files, match.protocol.id, match.a, match.b)
    if faults:
        raise DuelRefused("; ".join(faults))
    path = layout.duel_path(match.protocol.id, match.a, match.b)
    data = encode_duel(made.duel)
    if path in files.paths("duels/"):
        if files.read(path) != data:
            raise DuelRefused(f"{path} is committed and says something else; a published duel never changes")
        return made.duel
    files.write(layout.duel_replies_path(match.protocol.id, match.a, match.b), table)
    files.write(path, data)
    return made.duel


def committed_duel(files: PublishedFiles, protocol_id: str, one: str, other: str) -> Duel | None:
    """Return the committed duel of a pair, or None if there is none.

    Raises:
        SchemaError: if its file is damaged.
    """
    try:
        path = layout.duel_path(protocol_id, one, other)
        return decode_duel(files.read(path), path)
    except (FileNotFoundError, ValueError):
        return None


def read_duel(files: PublishedFiles, protocol_id: str, one: str, other: str) -> Published | None:
    """Return the committed duel of a pair with its verdicts, which are made from the replies; None if there is none.

    Raises:
        SchemaError: if one of its files is damaged.
    """
    duel = committed_duel(files, protocol_id, one, other)
    if duel is None:
        return None
    path = layout.duel_replies_path(protocol_id, one, other)
    try:
        _, replies = decode_replies(files.read(path), path)
    except FileNotFoundError:  # taken back at this very moment
        return None
    heard = list(dict.fromkeys(reply.item_id for reply in replies))
    return Published(duel=duel, verdicts=verdicts_of(duel.recipe, heard, replies))


def _skipped(protocol: Protocol, a: Evidence, b: Evidence) -> dict[ItemId, Unread]:
    found: dict[ItemId, Unread] = {}
    for item in a.items:
        if item.id in a.declined or item.id in b.declined:
            found[item.id] = Unread(reason=DECLINED, fault="clip", detail="One of the two refused the item.")
            continue
        for evidence in (a, b):
            reading = evidence.readings[item.id]
            why = why_not_sent(item, reading, has_passed_gate=passes_gate(protocol, item, reading))
            if why is not None:
                found.setdefault(item.id, why)
    return found
