"""The verb `protocol`: what is known, what one says, and a frozen one that boards and workers find."""

import argparse
import dataclasses
import json
from collections import Counter
from pathlib import Path

import pytest

from evaluation.codec import to_json
from evaluation.errors import ProtocolError
from evaluation.freeze import FreezeError
from evaluation.freeze_check import unpinned
from evaluation.probes.classifiers.canary_files import clips_of
from evaluation.probes.classifiers.catalogue import SCHEMA_VERSION, load_catalogue
from evaluation.traits import trait
from leaderboard import protocols, settings
from leaderboard.published import Published
from leaderboard.settings import Settings
from leaderboard.verbs import protocol as verb
from submissions.store.folder import PublishedFolder
from tests.leaderboard.cast import SIX, make_site

FILES = ("a.bin", "config.json")
DRAFT = """
name = "eight"
base = "{base}"
dimensions = ["gender", "pace", "pitch", "loudness", "emotion", "tone", "naturalness"]
instruments = ["vad", "f0", "level", "gender", "transcriber"]

[not_measured]
age = "Not in a test."
accent = "Not in a test."

[models.emotion]
candidate = "own-moods"
revision = "local"

[judge]
backend = "gemini"
model = "gemini-3.5-flash"
dimensions = ["tone", "naturalness"]
is_combined = true
votes = 1
temperature = 0.0
max_output_tokens = 2048
n_asks = 3
"""


def run(found: Settings, *arguments: str) -> int:
    """Run the verb."""
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers()
    verb.add(verbs, _verb)
    options = parser.parse_args(["protocol", *arguments])
    return int(options.run(options, found))


def _verb(verbs, name: str, called: object, _: str) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name)
    parser.set_defaults(run=called)
    return parser


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """Give a home with a published anchor, a model of the operator's own, its canary, and a draft."""
    found = settings.from_env({"CASTBOARD_HOME": str(tmp_path / "home")})
    site = make_site(found.home, SIX[:1])
    protocols.keep(found, dataclasses.replace(site.protocols[0], name="small"))
    moods = next(one for one in load_catalogue() if one.trait == "emotion")
    own = dataclasses.replace(moods, name="own-moods", repo="me/moods", files=FILES, weights=(), is_default=False)
    (found.models / "catalogue").mkdir(parents=True)
    fields = {"schema_version": SCHEMA_VERSION, **to_json(own)}
    (found.models / "catalogue" / "own-moods.json").write_text(json.dumps(fields))
    (found.models / "me--moods").mkdir()
    (found.models / "me--moods" / "a.bin").write_bytes(b"weights")
    by_id = {str(at): label for at, label in enumerate(trait("emotion").values)}
    (found.models / "me--moods" / "config.json").write_text(json.dumps({"id2label": by_id}))
    labels = 2 * trait("emotion").values
    for number in range(len(labels)):
        (tmp_path / f"{number}.wav").write_bytes(b"sound %d" % number)
    lines = [{"clip": f"{number}.wav", "label": label} for number, label in enumerate(labels)]
    (tmp_path / "canary.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "eight.toml").write_text(DRAFT.format(base="small"))
    return found


def freeze(home: Settings, tmp_path: Path, *more: str) -> int:
    """Freeze the draft with its canary."""
    return run(home, "freeze", str(tmp_path / "eight.toml"), f"--canary=emotion={tmp_path}/canary.jsonl", *more)


def test_draft_becomes_a_protocol_of_this_machine(
    home: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is printed with all that it pins, written once under its id, found by it, and leaves nothing open."""
    assert freeze(home, tmp_path, "--anchor", SIX[0].id) == 0
    told = capsys.readouterr().out
    frozen = protocols.find(home, "eight")
    assert unpinned(frozen) == ()
    for line in (f"Frozen as {frozen.id} in", "me/moods at local, 2 files", "gemini-3.5-flash through gemini"):
        assert line in told
    assert "untried  " in told
    assert freeze(home, tmp_path, "--anchor", SIX[0].id) == 0
    assert len(list(protocols.folder(home).glob("*.json"))) == 2
    board = Published(PublishedFolder(home.home / "published"), [protocols.find(home, frozen.id)])
    assert board.board("").protocol == frozen


def test_canary_is_kept_where_a_run_looks_for_it(home: Settings, tmp_path: Path) -> None:
    """The clips, and a manifest that names their sha256 though the operator's did not; again changes nothing."""
    assert freeze(home, tmp_path, "--anchor", SIX[0].id) == 0
    emotion = protocols.find(home, "eight").instruments["emotion"]
    assert emotion.model is not None
    clips = clips_of(trait("emotion"), emotion.model, home.models)
    assert [(clip.path.name, clip.path.read_bytes()) for clip in clips[:1]] == [("0.wav", b"sound 0")]
    assert Counter(clip.label for clip in clips) == dict.fromkeys(trait("emotion").values, 2)
    before = {path: path.stat().st_mtime_ns for path in home.models.rglob("*")}
    assert freeze(home, tmp_path, "--anchor", SIX[0].id) == 0
    assert {path: path.stat().st_mtime_ns for path in home.models.rglob("*")} == before
    kept = next((home.models / "canaries").glob("*/manifest.jsonl"))
    whole = kept.read_bytes()
    kept.write_bytes(whole[:40])  # as if the disk had been full
    assert freeze(home, tmp_path, "--anchor", SIX[0].id) == 0
    assert kept.read_bytes() == whole


def test_nothing_is_written_while_anything_is_open(home: Settings, tmp_path: Path) -> None:
    """Anchor, canary and model are told together."""
    (home.models / "me--moods" / "a.bin").unlink()
    with pytest.raises(FreezeError) as refused:
        run(home, "freeze", str(tmp_path / "eight.toml"), "--anchor", "nobody")
    for problem in ("me/moods lacks a.bin", "the anchor 'nobody' is not published here"):
        assert problem in str(refused.value)
    assert len(list(protocols.folder(home).glob("*.json"))) == 1
    assert not (home.models / "canaries").exists()


def test_list_tells_rows_and_drafts(home: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a protocol: id, name, rows, where it comes from."""
    run(home, "list")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:5] for line in lines[:3]] == [
        ["lite", "0", "rows", "shipped"],
        ["small", "0", "rows", "frozen"],
        ["lite", "1", "row", "published"],
    ]
    assert lines[3].split() == ["draft", "full"]


def test_show_tells_what_is_measured_by_what_and_what_is_not(
    home: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every dimension stands there with its instrument or the reason; every instrument with its version."""
    lite = protocols.find(home, "lite")
    run(home, "show", "lite")
    told = capsys.readouterr().out
    for name, why in lite.not_measured.items():
        assert f"{name:<11}  not measured: {why}" in told
    for instrument in lite.instruments.values():
        assert f"{instrument.name}, {instrument.licence}" in told
        assert f"{instrument.package} {instrument.version}" in told
    assert "seed                       3151662" in told
    assert "Not pinned" not in told


def test_show_says_when_a_protocol_is_open(home: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recipe of somebody else's that can move is shown as one under which no run starts."""
    freeze(home, tmp_path, "--anchor", SIX[0].id)
    frozen = protocols.find(home, "eight")
    emotion = frozen.instruments["emotion"]
    assert emotion.model is not None
    moving = dataclasses.replace(emotion, model=dataclasses.replace(emotion.model, revision="main"))
    opened = dataclasses.replace(frozen, instruments={**frozen.instruments, "emotion": moving})
    run(home, "show", str(protocols.keep(home, opened)))
    assert "Not pinned: no run starts under this protocol" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("freeze", "nine"), "no draft is called 'nine'; there are full"),
        (("freeze", "full", "--canary", "emotion"), "--canary must be TRAIT=MANIFEST"),
        (("freeze", "full", "--canary", "pace=x"), "gender, emotion, accent"),
        (("show", "nine"), "no protocol is called 'nine'"),
        (("show", "full"), "'full' is a draft, no protocol yet; app.py protocol freeze full makes one"),
    ],
)
def test_what_is_not_there_is_told(home: Settings, arguments: tuple[str, ...], message: str) -> None:
    """The message lists what there is."""
    with pytest.raises(ProtocolError, match=message):
        run(home, *arguments)


def test_own_model_cannot_take_a_shipped_name(home: Settings) -> None:
    """A name in a draft means one thing."""
    (home.models / "catalogue" / "own-moods.json").unlink()
    moods = next(one for one in load_catalogue() if one.trait == "emotion")
    fields = {"schema_version": SCHEMA_VERSION, **to_json(moods)}
    (home.models / "catalogue" / f"{moods.name}.json").write_text(json.dumps(fields))
    with pytest.raises(ProtocolError, match="ships already"):
        verb.catalogue(home)
