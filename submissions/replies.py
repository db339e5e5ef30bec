"""A judge's raw replies as a published table, and what follows from them: verdicts and usage. Pure.

Columns of `replies/<protocol>/<submission>.parquet`, one row a reply, by item, dimensions, order, vote and ask: those
of `evaluation.judge.replies.JudgeReply`, the dimensions joined by commas.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

import pyarrow as pa

from evaluation.errors import SchemaError
from evaluation.judge.judging_skips import why_not_sent
from evaluation.judge.panel import verdicts_of
from evaluation.judge.replies import JudgeReply, Order
from evaluation.protocol import Protocol
from evaluation.records import ClipReadings, Item, ItemId, Unread
from evaluation.scoring import passes_gate
from submissions import parquet

_TEXT, _COUNT = pa.string(), pa.int64()
_COMMA = ","

REPLIES_SCHEMA = pa.schema(
    [
        *(pa.field(name, _TEXT, nullable=False) for name in ("item_id", "dimensions", "order")),
        *(pa.field(name, _COUNT, nullable=False) for name in ("vote", "ask")),
        *(pa.field(name, _TEXT, nullable=False) for name in ("text", "model", "finish")),
        *(pa.field(name, _COUNT, nullable=False) for name in ("input_tokens", "audio_tokens", "output_tokens")),
        pa.field("cost_micro_usd", _COUNT),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeUsage:
    """What the judging of one submission took, by the provider's own count.

    It is of the published replies. Replies of runs that came to no verdict were set aside, and stand with their cost in
    the operator's books alone.
    """

    n_calls: int
    """Replies, each of which was paid once."""
    n_malformed: int
    """Replies that could not be used, so that another was asked for."""
    input_tokens: int
    """All tokens that went in."""
    audio_tokens: int
    """Those of them that were audio."""
    output_tokens: int
    """Tokens that came out."""
    cost_micro_usd: int | None
    """What it cost at the prices of its day, millionths of a US dollar; None if a price was not known."""
    models: tuple[str, ...]
    """Models that answered, by their own word, sorted."""


def arranged(protocol: Protocol, items: Sequence[Item], replies: Sequence[JudgeReply]) -> tuple[JudgeReply, ...]:
    """Return replies in the order of their table, with texts that any file can hold.

    Args:
        protocol: the order of its judge's dimensions.
        items: the order of the items.
        replies: raw replies in any order, each of one of the items.

    Raises:
        ValueError: for a reply of another item, one that comes twice, or any without a judge.
    """
    if not replies:
        return ()
    if protocol.judge is None:
        raise ValueError(f"protocol {protocol.name} has no judge, but {len(replies)} replies of one came")
    places = {item.id: place for place, item in enumerate(items)}
    strangers = sorted({reply.item_id for reply in replies} - set(places))
    if strangers:
        raise ValueError(f"a judge's replies are of items that the corpus lacks: {', '.join(strangers[:10])}")
    order = protocol.judge.dimensions

    def key(reply: JudgeReply) -> tuple[object, ...]:
        asked = tuple(order.index(name) if name in order else len(order) for name in reply.dimensions)
        return places[reply.item_id], asked, reply.dimensions, get_args(Order).index(reply.order), reply.vote, reply.ask

    keys = [key(reply) for reply in replies]
    if len(set(keys)) != len(keys):
        raise ValueError("a judge's reply comes twice: item, dimensions, order, vote and ask must tell replies apart")
    return tuple(_storable(reply) for reply in sorted(replies, key=key))


def replies_table(replies: Sequence[JudgeReply]) -> pa.Table:
    """Return the table of some arranged replies."""
    rows = [{**asdict(reply), "dimensions": _COMMA.join(reply.dimensions)} for reply in replies]
    return pa.Table.from_pylist(rows, schema=REPLIES_SCHEMA)


def decode_replies(data: bytes, where: str) -> tuple[pa.Table, tuple[JudgeReply, ...]]:
    """Return the table in parquet bytes and its replies, in its order.

    Raises:
        SchemaError: naming `where`, if it is damaged, of an unknown version, or holds what no publisher writes.
    """
    table = parquet.decode_table(data, where)
    for field in REPLIES_SCHEMA:
        if table.column_names.count(field.name) != 1 or table.schema.field(field.name).type != field.type:
            raise SchemaError(f"{where}: column {field.name} must be there once and of type {field.type}")
    rows = table.select(REPLIES_SCHEMA.names).to_pylist()
    return table, tuple(_reply(row, f"{where}, row {index}") for index, row in enumerate(rows))


def judged_anew(
    protocol: Protocol,
    items: Sequence[Item],
    readings: Mapping[ItemId, ClipReadings],
    replies: Sequence[JudgeReply],
) -> dict[ItemId, ClipReadings]:
    """Return the same readings with the verdicts that follow from the replies; without a judge, with none.

    Args:
        protocol: its judge's recipe, and the gate that a clip must pass to be heard.
        items: all items.
        readings: of every clip; their own verdicts are not looked at.
        replies: the judge's raw replies.
    """
    recipe = protocol.judge
    if recipe is None:
        return {item: replace(reading, verdicts={}) for item, reading in readings.items()}
    unsent: dict[ItemId, Unread] = {}
    for item in items:
        if item.id in readings:
            reading = readings[item.id]
            reason = why_not_sent(item, reading, has_passed_gate=passes_gate(protocol, item, reading))
            if reason is not None:
                unsent[item.id] = reason
    sent = [item.id for item in items if item.id in readings and item.id not in unsent]
    verdicts = verdicts_of(recipe, sent, replies)
    return {
        item: replace(
            reading,
            verdicts=dict.fromkeys(recipe.dimensions, unsent[item]) if item in unsent else dict(verdicts[item]),
        )
        for item, reading in readings.items()
    }


def usage_of(replies: Collection[JudgeReply]) -> JudgeUsage:
    """Return what some replies used."""
    costs = [reply.cost_micro_usd for reply in replies]
    known = [cost for cost in costs if cost is not None]
    return JudgeUsage(
        n_calls=len(replies),
        # Nobody asks again but after a malformed reply, and a row whose last ask failed too is not published.
        n_malformed=sum(reply.ask > 0 for reply in replies),
        input_tokens=sum(reply.input_tokens for reply in replies),
        audio_tokens=sum(reply.audio_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cost_micro_usd=sum(known) if len(known) == len(costs) else None,
        models=tuple(sorted({reply.model for reply in replies})),
    )


def _storable(reply: JudgeReply) -> JudgeReply:
    texts = {name: getattr(reply, name) for name in ("text", "model", "finish")}
    # Half a surrogate pair is a legal escape in JSON and no text that UTF-8 can hold.
    return replace(reply, **{name: text.encode("utf-8", "replace").decode("utf-8") for name, text in texts.items()})


def _reply(row: Mapping[str, Any], place: str) -> JudgeReply:
    absent = [name for name, value in row.items() if value is None and name != "cost_micro_usd"]
    if absent:
        raise SchemaError(f"{place}: these columns must hold a value: {absent}")
    counts = ("vote", "ask", "input_tokens", "audio_tokens", "output_tokens", "cost_micro_usd")
    negative = [name for name in counts if (row[name] or 0) < 0]
    if negative or row["order"] not in get_args(Order):
        raise SchemaError(f"{place}: order must be one of {get_args(Order)} and no count negative, got {row!r:.200}")
    return JudgeReply(**{**row, "dimensions": tuple(row["dimensions"].split(_COMMA))})
