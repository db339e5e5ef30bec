"""The verb `validate` of `app.py`: any probe of a protocol on labelled clips, and its card."""

import argparse
import datetime
import shlex
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluation.cards import InstrumentCard, basis_of, encode, identity_of
from evaluation.cards_count import Origin
from evaluation.codec import sha256_of_file
from evaluation.errors import CastboardError
from evaluation.probes.labelled import LabelledClip, read_manifest
from evaluation.protocol import Protocol
from evaluation.validation import check_clips, trait_of, validate
from leaderboard.card_table import render
from leaderboard.protocols import find
from leaderboard.settings import Settings, require_home
from leaderboard.stores import published_files, work_store
from leaderboard.terminal import say
from submissions.instrument_cards import write_card

_LONGEST_WHAT = 500
_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "validate", _run, "try a probe on labelled clips and print its card")
    verb.add_argument(
        "--manifest", type=Path, required=True, help='lines of JSON {"clip", "label"} and, where needed, more'
    )
    verb.add_argument("--trait", help="gender, age, pace, pitch, loudness, ... (default: the one the labels are of)")
    verb.add_argument("--protocol", metavar="NAME", help="whose probe (default: that of new submissions)")
    verb.add_argument("--what", default="", help="which clips these are, in a sentence; it is public")
    verb.add_argument("--out", type=Path, help="write the card here, as JSON")
    verb.add_argument("--publish", action="store_true", help="show the card on this home's board of the protocol")


def _run(options: argparse.Namespace, settings: Settings) -> int:
    protocol = find(settings, options.protocol or settings.protocol)
    if options.trait is not None:
        identity_of(protocol, options.trait)
    clips = read_manifest(options.manifest)
    trait = options.trait or trait_of(clips)
    identity_of(protocol, trait)
    check_clips(trait, clips)
    if len(options.what) > _LONGEST_WHAT:
        raise CastboardError(f"--what must be at most {_LONGEST_WHAT} signs, got {len(options.what)}")
    if options.publish:
        require_home(settings)
    origin = Origin(
        what=options.what or f"{len(clips)} labelled clips of {options.manifest.name}.",
        source=f"app.py validate --manifest {shlex.quote(options.manifest.name)} --trait {trait}",
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        manifest_sha256=sha256_of_file(options.manifest),
    )
    card = _measured(protocol, trait, clips, settings, origin)
    say(render(card))
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_bytes(encode(card))
        say(f"written to {options.out}")
    if options.publish:
        with work_store(settings).publishing():
            path = write_card(published_files(settings), protocol.id, card)
        say(f"published as {path} for protocol {protocol.name} {protocol.id}")
    return 0


def _measured(
    protocol: Protocol, trait: str, clips: Sequence[LabelledClip], settings: Settings, origin: Origin
) -> InstrumentCard:
    from evaluation.instruments import Instruments  # models are for this verb's work alone, not for its help

    instruments = Instruments.load(
        protocol,
        roles=basis_of(trait).roles,
        models=settings.models,
        allows_non_commercial=settings.allows_non_commercial,
    )
    with tempfile.TemporaryDirectory(prefix="castboard-validate-") as folder:
        return validate(
            protocol,
            trait,
            clips,
            instruments,
            folder=Path(folder),
            origin=origin,
            n_processes=settings.n_processes,
        )
