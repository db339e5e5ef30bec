"""A protocol in plain lines for the terminal: what is measured, by what, how surely, and what is not."""

from collections.abc import Iterator, Mapping
from dataclasses import fields

from evaluation.freeze_check import unpinned
from evaluation.pins import JudgeRecipe, ModelPin
from evaluation.protocol import Constants, Instrument, Protocol
from evaluation.traits import TRAITS, Kind

_SHORT = 12
_ACOUSTIC = frozenset(trait.name for trait in TRAITS if trait.kind is Kind.ORDINAL)


def recipe_lines(protocol: Protocol, untried: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the lines of a protocol.

    Args:
        protocol: the protocol.
        untried: what nobody has tried yet with a model's real weights, by the name of its instrument and the
            model's repository.
    """
    corpus = protocol.corpus
    yield f"{protocol.name} {protocol.id}  (track {protocol.track})"
    yield f"corpus       {corpus.name}, {corpus.n_items} items, sha256 {corpus.file_sha256[:_SHORT]}"
    if corpus.forms_sha256 is not None:
        yield f"its forms    sha256 {corpus.forms_sha256[:_SHORT]}"
    yield f"normaliser   {protocol.normaliser}"
    yield ""
    yield "Dimensions"
    width = max(map(len, (*protocol.dimensions, *protocol.not_measured)), default=0)
    for name in protocol.dimensions:
        yield f"  {name:<{width}}  {_measured_by(protocol, name)}"
    for name, why in protocol.not_measured.items():
        yield f"  {name:<{width}}  not measured: {why}"
    yield ""
    yield "Instruments"
    for role, instrument in protocol.instruments.items():
        yield from _instrument(role, instrument, untried)
    if protocol.judge is not None:
        yield ""
        yield from _judge(protocol.judge)
    yield ""
    yield from _constants(protocol.constants)
    open_ends = unpinned(protocol)
    if open_ends:
        yield ""
        yield "Not pinned: no run starts under this protocol"
        yield from (f"  {why}" for why in open_ends)


def _measured_by(protocol: Protocol, name: str) -> str:
    judge, instrument = protocol.judge, protocol.instruments.get(name)
    if judge is not None and name in judge.dimensions:
        return f"the judge {judge.model}"
    if instrument is not None:
        return instrument.name
    return "the acoustic pass" if name in _ACOUSTIC else "nothing that this version knows"


def _instrument(role: str, instrument: Instrument, untried: Mapping[tuple[str, str], str]) -> Iterator[str]:
    yield f"  {role}: {instrument.name}, {instrument.licence}"
    yield f"    reads    {instrument.reads}"
    yield f"    runs in  {instrument.package} {instrument.version}{_listed(instrument.needs)}"
    for name, sha256 in instrument.weights.items():
        yield f"    weights  {name}, sha256 {sha256[:_SHORT]}"
    if instrument.model is not None:
        yield from _model(instrument.name, instrument.model, untried)
    if instrument.settings:
        yield f"    settings {', '.join(f'{name}={value}' for name, value in instrument.settings.items())}"


def _model(name: str, model: ModelPin, untried: Mapping[tuple[str, str], str]) -> Iterator[str]:
    yield f"    model    {model.repo} at {model.revision}, {len(model.files)} files"
    for file, sha256 in model.files.items():
        yield f"    file     {file}, sha256 {sha256[:_SHORT]}"
    if model.is_non_commercial:
        yield "    licence  forbids commercial use: runs only with CASTBOARD_NON_COMMERCIAL=1"
    lengths = f"{model.shortest_s:g} to {model.longest_s:g} s at {model.rate_hz} Hz"
    yield f"    hears    {lengths}; up to {model.batch_size} clips at once"
    if model.labels:
        yield f"    labels   {', '.join(f'{label} -> {value}' for label, value in model.labels.items())}"
    yield f"    accuracy {model.known_accuracy} ({model.accuracy_source})"
    yield f"    canary   sha256 {model.canary_sha256[:_SHORT] or 'none'}"
    if (name, model.repo) in untried:
        yield f"    untried  {untried[name, model.repo]}"


def _judge(judge: JudgeRecipe) -> Iterator[str]:
    how = "all in one call" if judge.is_combined else "one call each"
    yield f"Judge: {judge.model} through {judge.backend}"
    yield f"  judges      {', '.join(judge.dimensions)}; {how}"
    votes = f"{judge.votes} vote{'' if judge.votes == 1 else 's'} in each"
    yield f"  asks        both orders, {votes}, up to {judge.n_asks} asks for each reply"
    yield f"  sampling    temperature {judge.temperature:g}, at most {judge.max_output_tokens} tokens"
    yield f"  wording     {judge.prompt}"
    for path, sha256 in judge.texts.items():
        yield f"    {path}, sha256 {sha256[:_SHORT]}"
    for name, what in judge.preparation.items():
        yield f"  {name:<11} {what}"
    anchor = judge.anchor
    yield f"  anchor      {anchor.name or 'none'}, submission {anchor.submission or 'none'}, {len(anchor.clips)} clips"


def _constants(constants: Constants) -> Iterator[str]:
    yield "Constants"
    for field in fields(Constants):
        yield f"  {field.name:<26} {getattr(constants, field.name)}"


def _listed(needs: Mapping[str, str]) -> str:
    return "".join(f", {package} {version}" for package, version in needs.items())
