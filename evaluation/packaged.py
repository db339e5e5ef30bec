"""Roles of instruments: those that ordinary packages fill, with proof that one is what a protocol names, and others."""

import importlib.metadata

from evaluation import recipes, weights
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.protocol import Instrument, Protocol
from evaluation.traits import TRAITS, Kind, Trait

ACOUSTIC_ROLES = ("vad", "f0", "level")
HEARING_ROLES = ("transcriber", "transcriber_again", "second_transcriber")
ROLES = (*ACOUSTIC_ROLES, "gender", *HEARING_ROLES, "naturalness")
"""What an instrument of a package may be used for."""
READ_BY_MODELS = (Kind.CATEGORICAL, Kind.NUMERIC)
"""Kinds of traits that a classifier or a regressor can read."""


def check_packaged(protocol: Protocol, role: str) -> None:
    """Return if the packaged instrument in `role` is installed at its pinned version with its pinned weights.

    Raises:
        MissingDependency: a package is absent or of another version; carries the install line.
        WeightsMismatch: a weight file is another one.
        ProtocolError: the protocol describes something else than what this version does.
    """
    if role not in ROLES:
        raise ProtocolError(f"protocol {protocol.name}: no instrument reads {role!r}; roles are {', '.join(ROLES)}")
    instrument = protocol.instruments[role]
    _check_recipe(protocol, role, instrument)
    check_installed(instrument)


def trait_of(role: str) -> Trait:
    """Return the trait that a large model in `role` reads.

    Raises:
        ProtocolError: if no model can read such a thing.
    """
    found = next((one for one in TRAITS if one.name == role), None)
    if found is None or found.kind not in READ_BY_MODELS:
        allowed = ", ".join(one.name for one in TRAITS if one.kind in READ_BY_MODELS)
        raise ProtocolError(f"a model of no package cannot read {role!r:.40}; it may read {allowed}")
    return found


def check_installed(instrument: Instrument) -> None:
    """Return if an instrument's distributions are installed at their pinned versions with their pinned weights.

    Raises:
        MissingDependency: a package is absent or of another version; carries the install line.
        WeightsMismatch: a weight file is another one.
    """
    wanted = {instrument.package: instrument.version, **instrument.needs}
    install = "pip install " + " ".join(f"{package}=={version}" for package, version in wanted.items())
    for package, version in wanted.items():
        try:
            found = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            raise MissingDependency(f"{package}, which {instrument.name} needs,", install) from None
        # A local label names a build ("2.13.0+cpu"), not another version.
        if found.partition("+")[0] != version:
            raise MissingDependency(f"{package} {version} ({found} is), which {instrument.name} needs,", install)
    for file, sha256 in instrument.weights.items():
        weights.locate(instrument.package, file, sha256, install)


def _check_recipe(protocol: Protocol, role: str, instrument: Instrument) -> None:
    free = recipes.FREE_SETTINGS.get(role, ())
    named = {name: value for name, value in instrument.settings.items() if name not in free}
    if named != recipes.settings(role):
        raise ProtocolError(_otherwise(protocol, f"the settings of {role}", recipes.settings(role), named))
    missing = [name for name in free if name not in instrument.settings]
    if missing:
        raise ProtocolError(f"protocol {protocol.name}: the settings of {role} lack {', '.join(missing)}")
    if dict(instrument.weights) != recipes.weights(role):
        raise ProtocolError(
            _otherwise(protocol, f"the weights of {role}", recipes.weights(role), dict(instrument.weights))
        )


def _otherwise(protocol: Protocol, what: str, does: object, names: object) -> str:
    return (
        f"protocol {protocol.name}: {what} would not be what it names: this version does {does}, "
        f"the protocol names {names}. Use the version that it was written for, or write a protocol for this one."
    )
