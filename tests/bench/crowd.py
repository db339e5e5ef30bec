"""A crowded board at the size that must hold: 500 systems x 496 items, through the true pipeline's files.

Run: python -m tests.bench.crowd FOLDER [--systems 500] [--items 496] [--season 160] [--nine 24] [--voices 8]

FOLDER becomes a site's home; the last lines printed say how to serve it. Readings are invented and clips are short;
all that is made of them is made by the publisher's own parts: samples, summaries, results, decisions, boards. Killed
and run again it goes on where it was; a row that is published already is left as it is.
"""

import argparse
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from evaluation import protocol as recipe
from evaluation.corpus import Corpus, load, load_benchmark_v1, locate_benchmark_v1, pin_of
from evaluation.protocol import Protocol, load_shipped
from evaluation.records import Clip
from evaluation.traits import NATURALNESS
from submissions import layout, parquet
from submissions.board import rebuild_board
from submissions.evidence import Evidence
from submissions.instrument_cards import write_card
from submissions.publish import _clip_groups, commit
from submissions.replies import judged_anew
from submissions.result import SystemFile
from submissions.store.folder import PublishedFolder
from tests.bench.crowd_cast import ANCHOR, Voice, crowd
from tests.bench.crowd_sound import Sounds, of_protocol
from tests.leaderboard import cast, nine

N_SPOKEN = 60
"""Items that a system with a voice of its own really speaks."""
_OWN = "crowd"
"""Folder of the home that holds what the crowd was made with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How big a crowd is."""

    n_systems: int = 500
    """Systems on the board of `lite`."""
    n_items: int = 496
    """Items of the corpus, the first ones of benchmark_v1."""
    n_season: int = 160
    """Systems, the first ones, that stand on the board of an earlier season too; 0 for none."""
    n_nine: int = 24
    """Systems, spread evenly, that stand on a board of all nine dimensions too, 0 for none."""
    n_voices: int = 8
    """Systems, spread evenly, that really speak their first items."""
    seed: int = 6
    """Draws everything."""

    @classmethod
    def of(cls, home: Path) -> "Size":
        """Return the size of the crowd that stands below `home`; raises FileNotFoundError if none does."""
        return cls(**json.loads((home / _OWN / "size.json").read_text()))

    def spread(self, number: int, n_picked: int) -> bool:
        """Return whether the system at this place is one of some that are spread evenly; the anchor is one."""
        step = max(1, self.n_systems // max(1, n_picked))
        return n_picked > 0 and number % step == 1 % step and number // step < n_picked


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where a crowd is published."""

    home: Path
    """The site's home."""
    size: Size
    """How big it is."""
    corpus: Corpus
    """Its test set."""
    protocols: tuple[Protocol, ...]
    """`lite`, then the earlier season, then all nine dimensions, if they are wanted."""

    @property
    def files(self) -> PublishedFolder:
        """The published layout."""
        return PublishedFolder(self.home / "published")

    def settings(self) -> dict[str, str]:
        """Return the environment that serves the crowd."""
        found = {"CASTBOARD_HOME": str(self.home), "CASTBOARD_DEMO": "0", "HF_HUB_OFFLINE": "1"}
        if self.corpus.pin != load_shipped("lite").corpus:
            own = self.home / _OWN
            found |= {"CASTBOARD_CORPUS": str(own / "corpus.jsonl"), "CASTBOARD_PROTOCOL": str(own / "lite.json")}
        return found


def build(home: Path, size: Size, *, n_processes: int = 2, say: bool = False) -> Stage:
    """Publish a crowd below `home`, or what is still missing of it, and return where it stands.

    Raises:
        ValueError: if a crowd of another size stands there.
    """
    stage = _stage(home, size)
    voices = [voice for voice in crowd(size.n_systems, size.n_items, size.seed) if _is_owed(stage, voice)]
    if n_processes > 1 and len(voices) > n_processes:
        with multiprocessing.get_context("spawn").Pool(n_processes, _enter, (stage,)) as pool:
            _count(pool.imap_unordered(_play, voices), len(voices), say)
    elif voices:
        _enter(stage)
        _count(map(_play, voices), len(voices), say)
    for protocol in stage.protocols:
        if not voices and stage.files.paths(layout.leaderboard_path(protocol.id)):
            continue
        if protocol.judge is not None:
            for card in nine.make_cards(protocol):
                write_card(stage.files, protocol.id, card)
            nine._ask_people(stage.files, protocol)
        rebuild_board(stage.files, protocol.id)
    shutil.rmtree(home / _OWN / "work", ignore_errors=True)
    return stage


def _count(done: Iterator[None], n_all: int, say: bool) -> None:
    began_s = time.monotonic()
    for n_done, _ in enumerate(done, 1):
        if say and (n_done % 25 == 0 or n_done == n_all):
            print(f"{n_done} of {n_all} systems, {time.monotonic() - began_s:.0f} s", flush=True)


def _stage(home: Path, size: Size) -> Stage:
    own = home / _OWN
    own.mkdir(parents=True, exist_ok=True)
    known = own / "size.json"
    wanted = json.dumps(asdict(size), sort_keys=True)
    if known.exists() and known.read_text() != wanted:
        raise ValueError(f"{home} holds a crowd of {known.read_text()}; take another folder for {wanted}")
    corpus = _corpus(own, size)
    lite = replace(load_shipped("lite"), corpus=corpus.pin)
    made = [("lite", lite)]
    if size.n_season:
        kept = {role: one for role, one in lite.instruments.items() if role != NATURALNESS}
        dimensions = tuple(name for name in lite.dimensions if name != NATURALNESS)
        made.append(("season", replace(lite, name="lite-0", dimensions=dimensions, instruments=kept)))
    if size.n_nine:
        made.append(("nine", _nine(own, corpus, lite, size)))
    for name, protocol in made:
        (own / f"{name}.json").write_bytes(recipe.encode(protocol))
    known.write_text(wanted)
    return Stage(home=home, size=size, corpus=corpus, protocols=tuple(protocol for _, protocol in made))


def _corpus(own: Path, size: Size) -> Corpus:
    whole = load_benchmark_v1()
    if size.n_items >= len(whole.items):
        return whole
    path = own / "corpus.jsonl"
    path.write_text("".join(locate_benchmark_v1().read_text().splitlines(keepends=True)[: size.n_items]))
    return load(path, pin_of(path, "benchmark_v1_cut"))


def _nine(own: Path, corpus: Corpus, lite: Protocol, size: Size) -> Protocol:
    """Return the recipe of nine dimensions: the one that is kept, since speech may not come out the same twice."""
    path = own / "nine.json"
    if path.exists():
        return recipe.load(str(path))
    (voice,) = (one for one in crowd(size.n_systems, size.n_items, size.seed) if one.id == ANCHOR)
    with tempfile.TemporaryDirectory(dir=own) as shared, tempfile.TemporaryDirectory(dir=own) as folder:
        clips = Sounds(corpus.items, lite, Path(shared)).clips(voice, Path(folder), _n_spoken(size, voice))
    made = nine.make_protocol(corpus, {clip.item_id: clip.sha256 for clip in clips})
    assert made.judge is not None
    named = replace(made.judge.anchor, name=f"{voice.card['system']} {voice.card['version']}")
    return replace(made, judge=replace(made.judge, anchor=named))


def _n_spoken(size: Size, voice: Voice) -> int:
    return N_SPOKEN if size.spread(voice.number, size.n_voices) else 0


def _owed(stage: Stage, voice: Voice) -> list[Protocol]:
    lite, *others = stage.protocols
    wanted = [lite]
    for protocol in others:
        if protocol.judge is None and voice.number < stage.size.n_season:
            wanted.append(protocol)
        if protocol.judge is not None and stage.size.spread(voice.number, stage.size.n_nine):
            wanted.append(protocol)
    root = stage.home / "published"
    return [one for one in wanted if not (root / layout.result_path(one.id, voice.id)).exists()]


def _is_owed(stage: Stage, voice: Voice) -> bool:
    return bool(_owed(stage, voice))


_here: dict[str, tuple[Stage, Sounds]] = {}
"""What a process publishes with."""


def _enter(stage: Stage) -> None:
    work = stage.home / _OWN / "work"
    work.mkdir(exist_ok=True)
    _here["stage"] = stage, Sounds(stage.corpus.items, stage.protocols[0], Path(tempfile.mkdtemp(dir=work)))


def _play(voice: Voice) -> None:
    """Publish one system under every protocol that it is still owed."""
    stage, sounds = _here["stage"]
    with tempfile.TemporaryDirectory(dir=sounds.folder.parent) as name:
        folder = Path(name)
        clips = sounds.clips(voice, folder, _n_spoken(stage.size, voice))
        readings = sounds.read(voice, clips, stage.size.seed)
        declined = frozenset(stage.corpus.items[at].id for at in voice.declined)
        audio = Path(name) / "clips.parquet"
        evidence_of = partial(Evidence, items=stage.corpus.items, clips=_by_item(clips), declined=declined)
        parquet.write_groups(audio, layout.CLIPS_SCHEMA, _clip_groups(evidence_of(readings=readings), folder))
        for protocol in _owed(stage, voice):
            wanted, replies = of_protocol(readings, protocol), ()
            if protocol.judge is not None:
                part = cast.Part(id=voice.id, system="", obeys=voice.level)
                rng = random.Random(voice.id)
                replies = nine._replies(protocol, stage.corpus.items, wanted, part, rng, "")
                wanted = judged_anew(protocol, stage.corpus.items, wanted, replies)
            commit(
                files=stage.files,
                protocol=protocol,
                system=SystemFile(submission=voice.id, card=voice.card, provenance=voice.provenance),
                evidence=evidence_of(readings=wanted),
                audio=audio,
                replies=replies,
            )


def _by_item(clips: list[Clip]) -> Mapping[str, Clip]:
    return {clip.item_id: clip for clip in clips}


def main() -> int:
    """Build the crowd that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    for name, default in (("systems", 500), ("items", 496), ("season", 160), ("nine", 24), ("voices", 8), ("seed", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    size = Size(
        n_systems=asked.systems,
        n_items=asked.items,
        n_season=asked.season,
        n_nine=asked.nine,
        n_voices=asked.voices,
        seed=asked.seed,
    )
    began_s = time.monotonic()
    stage = build(asked.folder.resolve(), size, n_processes=asked.processes, say=True)
    print(f"built in {time.monotonic() - began_s:.0f} s; boards: {', '.join(one.id for one in stage.protocols)}")
    print(
        "serve it:", " ".join(f"{name}={value}" for name, value in stage.settings().items()), sys.executable, "app.py"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
