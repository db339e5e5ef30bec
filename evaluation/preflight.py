"""Before a run: is everything that a protocol names here, pinned, and what it says? All objections at once."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from evaluation.corpus_forms import check_forms
from evaluation.errors import CastboardError, ProtocolError
from evaluation.freeze_check import unpinned
from evaluation.gate.normalisers import normaliser
from evaluation.judge_preflight import judge_checks
from evaluation.packaged import ACOUSTIC_ROLES, HEARING_ROLES, check_installed, check_packaged, trait_of
from evaluation.probes.classifiers.load import check_probe
from evaluation.protocol import Instrument, Protocol
from evaluation.records import Item
from evaluation.traits import TRAITS, Kind


def preflight(
    protocol: Protocol,
    *,
    items: Sequence[Item] | None = None,
    models: Path | None = None,
    allows_non_commercial: bool = False,
) -> None:
    """Return if a run under `protocol` may start.

    Args:
        protocol: the recipe.
        items: its corpus's items, of which a judge must be able to hear every one; None: they are not looked at.
        models: folder that holds the models which no package carries; None: there is none.
        allows_non_commercial: whether models whose licence forbids commercial use may be used.

    Raises:
        MissingDependency: if all that stands in the way is one absent package; carries the install line.
        WeightsMismatch: if all that stands in the way is one weight file that is another one.
        ProtocolError: for anything else; lists everything that stands in the way.
    """
    found = []
    for check in _checks(protocol, items, models, allows_non_commercial):
        try:
            check()
        except CastboardError as error:
            found.append(error)
    if len(found) == 1:
        raise found[0]
    if found:
        listed = "\n".join(f"- {error}" for error in found)
        raise ProtocolError(f"{len(found)} things stand in the way of protocol {protocol.name}:\n{listed}")


def _checks(
    protocol: Protocol, items: Sequence[Item] | None, models: Path | None, allows_non_commercial: bool
) -> Iterator[Callable[[], object]]:
    yield partial(normaliser, protocol.normaliser)
    yield from (partial(_refuse, protocol, why) for why in unpinned(protocol))
    if items is not None:
        yield partial(check_forms, protocol.corpus.forms_sha256, protocol.normaliser, items)
    yield partial(_check_hearing, protocol)
    for role, instrument in protocol.instruments.items():
        if instrument.model is None:
            yield partial(check_packaged, protocol, role)
        else:
            yield partial(check_installed, instrument)
            yield partial(_check_large, role, instrument, models, allows_non_commercial)
    yield partial(_check_sources, protocol)
    if protocol.judge is not None:
        yield from judge_checks(protocol.judge, items)


def _refuse(protocol: Protocol, why: str) -> None:
    raise ProtocolError(f"protocol {protocol.name} is not pinned: {why}")


def _check_hearing(protocol: Protocol) -> None:
    if "transcriber" not in protocol.instruments and any(role in protocol.instruments for role in HEARING_ROLES):
        raise ProtocolError(
            f"protocol {protocol.name}: clips can be heard again only if a transcriber heard them first"
        )


def _check_sources(protocol: Protocol) -> None:
    """Refuse a dimension that nothing of the protocol reads: its rows could never be published."""
    judged = protocol.judge.dimensions if protocol.judge is not None else ()
    acoustic = [one.name for one in TRAITS if one.kind is Kind.ORDINAL]
    by_pass = acoustic if any(role in protocol.instruments for role in ACOUSTIC_ROLES) else []
    read = {*protocol.instruments, *by_pass, *judged}
    unread = [dimension for dimension in protocol.dimensions if dimension not in read]
    if unread:
        raise ProtocolError(f"protocol {protocol.name}: no instrument and no judge reads {', '.join(unread)}")


def _check_large(role: str, instrument: Instrument, models: Path | None, allows_non_commercial: bool) -> None:
    if models is None:
        raise ProtocolError(f"the model that reads {role} comes from no package; say where the folder of models is")
    check_probe(trait_of(role), instrument, models, allows_non_commercial=allows_non_commercial)
