"""The verb `protocol` of `app.py`: which protocols there are, what one is, and a new one from a draft."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from evaluation.errors import ProtocolError
from evaluation.freeze_draft import DRAFTS, Draft, read
from evaluation.traits import trait
from leaderboard import protocols
from leaderboard.anchors import anchor_of
from leaderboard.catalogue import catalogue, untried
from leaderboard.recipe_text import recipe_lines
from leaderboard.settings import Settings
from leaderboard.stores import published_files
from leaderboard.terminal import say

_Add = Callable[..., argparse.ArgumentParser]


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", add_verb: _Add) -> None:
    """Add the verb to the parser."""
    verb = add_verb(verbs, "protocol", run_list, "list protocols, show one, or freeze a draft into one")
    parts = verb.add_subparsers(title="parts", metavar="list|show|freeze", required=True)
    listed = parts.add_parser("list", help="every protocol that this machine knows, with its rows")
    listed.set_defaults(run=run_list)
    show = parts.add_parser("show", help="what a protocol measures, with what, and what it does not")
    show.add_argument("protocol", help="its name, id, first digits of the id, or file")
    show.set_defaults(run=run_show)
    freeze = parts.add_parser("freeze", help="resolve every name of a draft and write the protocol")
    freeze.add_argument("draft", help="a .toml file, or the name of a shipped draft")
    freeze.add_argument("--anchor", metavar="SUBMISSION", help="published submission that the judge compares with")
    freeze.add_argument(
        "--canary",
        action="append",
        default=[],
        metavar="TRAIT=MANIFEST",
        help="labelled clips that the model of a trait must hear right; once for each model",
    )
    freeze.set_defaults(run=run_freeze)


def run_list(_: argparse.Namespace, settings: Settings) -> int:
    """List what is known: id, name, rows, source, dimensions; and the drafts."""
    for one in protocols.known(settings):
        dimensions = f"{len(one.protocol.dimensions)} dimensions"
        rows = f"{one.n_rows} {'row' if one.n_rows == 1 else 'rows'}"
        say(f"{one.protocol.id}  {one.protocol.name:<16}  {rows:>9}  {one.source:<11}  {dimensions}")
    for path in sorted(DRAFTS.glob("*.toml")):
        say(f"{'draft':<12}  {path.stem}")
    return 0


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one protocol in plain lines."""
    for line in recipe_lines(protocols.find(settings, options.protocol), untried(catalogue(settings))):
        say(line)
    return 0


def run_freeze(options: argparse.Namespace, settings: Settings) -> int:
    """Freeze a draft, keep the protocol in the home, and show it."""
    from evaluation.freeze import Workshop, freeze  # reads packages; the other parts need none of it

    draft = _draft(options.draft)
    base = protocols.find(settings, draft.base)
    corpus = draft.corpus or base.corpus
    name = options.anchor or (draft.judge.anchor if draft.judge else "")
    files = published_files(settings)
    shop = Workshop(
        base=base,
        candidates=catalogue(settings),
        models=settings.models,
        allows_non_commercial=settings.allows_non_commercial,
        anchor=partial(anchor_of, files, name, corpus) if name else None,
        canaries=_canaries(options.canary, draft),
    )
    protocol = freeze(draft, shop)
    _keep_canaries(draft, shop.canaries, settings)
    path = protocols.keep(settings, protocol)
    for line in recipe_lines(protocol, untried(shop.candidates)):
        say(line)
    say(f"\nFrozen as {protocol.id} in {path}")
    say(f"Use it for new submissions with CASTBOARD_PROTOCOL={protocol.id}, for stored ones with")
    say(f"app.py reevaluate --protocol {protocol.id}")
    return 0


def _draft(name: str) -> Draft:
    if name.endswith(".toml"):
        return read(Path(name))
    path = DRAFTS / f"{name}.toml"
    names = sorted(file.stem for file in DRAFTS.glob("*.toml"))
    if name not in names:
        raise ProtocolError(f"no draft is called {name!r:.80}; there are {', '.join(names)}, or name a .toml file")
    return read(path)


def _keep_canaries(draft: Draft, named: Mapping[str, Path], settings: Settings) -> None:
    """Copy the canaries that were frozen to where a run on this machine looks for them."""
    from evaluation.freeze import canary_path
    from evaluation.probes.classifiers.canary_files import install, read_canary

    for name, model in draft.models.items():
        manifest = canary_path(name, model, named)
        if manifest is not None:
            say(f"canary of {name} kept in {install(read_canary(trait(name), manifest), settings.models)}")


def _canaries(given: Sequence[str], draft: Draft) -> Mapping[str, Path]:
    found = {}
    for text in given:
        trait, is_pair, path = text.partition("=")
        if not is_pair or not path or trait not in draft.models:
            traits = ", ".join(draft.models) or "none"
            raise ProtocolError(
                f"--canary must be TRAIT=MANIFEST with a trait of the draft's models ({traits}): {text!r}"
            )
        found[trait] = Path(path)
    return found
