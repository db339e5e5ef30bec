"""The verb `validate`, for real: lite's own probes on clips of packaged voices."""

import argparse
import dataclasses
import json
import subprocess
from pathlib import Path

import numpy as np
import py_nanotts
import pytest
import soundfile

from evaluation.cards import decode, encode, identity_of
from evaluation.errors import ProtocolError
from evaluation.protocol import encode as encode_protocol
from evaluation.protocol import load_shipped
from evaluation.traits import trait
from leaderboard import cli, settings
from leaderboard.verbs import validate
from submissions.instrument_cards import read_cards
from submissions.store.folder import PublishedFolder
from tests.evaluation.probes.classifiers import tiny_models

LITE = load_shipped("lite")
TEXTS = ("The ferry leaves at noon and the harbour is quiet.", "Please put the blue kettle back on its shelf.")
MEN = ("en-us", "en-us+m7", "en-us+klatt")
PICO_HZ = 16_000


def run(home: Path, *arguments: str) -> int:
    """Run the verb as the front door does."""
    parser = argparse.ArgumentParser()
    validate.add(parser.add_subparsers(), cli._add)
    options = parser.parse_args(["validate", *arguments])
    return options.run(options, settings.from_env({"CASTBOARD_HOME": str(home), "CASTBOARD_PROCESSES": "1"}))


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A manifest of twelve spoken clips: two women's and three men's voices, one of them quiet in between."""
    folder = tmp_path_factory.mktemp("labelled")
    lines = []
    for number, text in enumerate(TEXTS):
        for voice in ("en-US", "en-GB", "en-US"):
            samples = np.frombuffer(py_nanotts.NanoTTS().speak(text, voice=voice), np.int16)
            name = f"pico-{len(lines)}.wav"
            soundfile.write(folder / name, samples // (1 + number), PICO_HZ)
            lines.append({"clip": name, "label": "female", "group": "pico", "script": text})
        for voice in MEN:
            name = f"espeak-{len(lines)}.wav"
            subprocess.run(["espeak-ng", "-v", voice, "-w", str(folder / name), text], check=True)
            lines.append({"clip": name, "label": "male", "group": "espeak", "script": text})
    (folder / "labelled.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "labelled.jsonl"


@pytest.mark.models
def test_the_real_gender_probe_on_real_voices(labelled, tmp_path, capsys):
    """Twelve clips are read, most of them right; the card is printed, written, published and found again."""
    out = tmp_path / "card.json"
    arguments = ["--manifest", str(labelled), "--trait", "gender", "--what", "Twelve [bold]clips[/bold]."]
    assert run(tmp_path / "home", *arguments, "--out", str(out), "--publish") == 0
    told = capsys.readouterr().out
    card = decode(out.read_bytes(), "card.json")
    assert (card.n_clips, card.n_unread) == (12, 0)
    assert card.accuracy.n_hits >= 10
    assert [group.group for group in card.groups] == ["espeak", "pico"]
    assert f"{card.accuracy.n_hits} of 12" in told
    assert "Twelve [bold]clips[/bold]." in told
    assert card.instrument == identity_of(LITE, "gender")
    published = tmp_path / "home" / "published" / "cards" / LITE.id / "gender.json"
    assert published.read_bytes() == encode(card)
    assert read_cards(PublishedFolder(tmp_path / "home" / "published"), LITE)["gender"] == card


@pytest.mark.models
def test_the_real_acoustic_pass_gives_a_card_of_pace(labelled, tmp_path, capsys):
    """The same clips, labelled by their pace: a card of three buckets, without a gender model."""
    lines = [{**json.loads(line), "label": "moderate"} for line in labelled.read_text().splitlines()]
    manifest = labelled.with_name("pace.jsonl")
    manifest.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(tmp_path / "home", "--manifest", str(manifest), "--trait", "pace") == 0
    told = capsys.readouterr().out
    assert "Card of the pace probe" in told
    assert "of 12" in told
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("name", ["emotion", "age"])
def test_models_of_a_hub_get_their_cards(tmp_path, capsys, name):
    """A classifier and a regressor from the models folder, named by a protocol file, on their own tones."""
    home, measured = tmp_path / "home", trait(name)
    canary = tiny_models.build_canary(home / "models", measured, n_clips=3)
    pin = tiny_models.build_transformers(home / "models", measured, canary=canary)
    protocol = dataclasses.replace(
        LITE,
        name="tiny",
        dimensions=(*LITE.dimensions, name),
        not_measured={key: why for key, why in LITE.not_measured.items() if key != name},
        instruments={**LITE.instruments, name: tiny_models.instrument_for(pin)},
    )
    (tmp_path / "tiny.json").write_bytes(encode_protocol(protocol))
    manifest = home / "models" / "canaries" / canary / "manifest.jsonl"
    out = tmp_path / "card.json"
    arguments = ("--manifest", str(manifest), "--protocol", str(tmp_path / "tiny.json"))  # the labels tell the trait
    assert run(home, *arguments, "--out", str(out)) == 0
    card = decode(out.read_bytes(), "card.json")
    assert (card.n_clips, card.manifest_sha256) == (3 * len(measured.values), canary)
    assert card.instrument.revision == pin.revision
    assert card.accuracy.rate is not None
    assert card.accuracy.rate > 0.5  # by chance it would be 0.2 or less
    assert (card.errors is None) == (name == "emotion")
    assert ("Mean absolute error" in capsys.readouterr().out) == (name == "age")


def test_a_trait_without_an_instrument_is_refused_before_anything_is_read(tmp_path):
    """Lite measures no emotion; the manifest need not even exist."""
    with pytest.raises(ProtocolError, match="no instrument measures 'emotion'"):
        run(tmp_path, "--manifest", str(tmp_path / "none.jsonl"), "--trait", "emotion")


def test_a_card_of_another_instrument_is_not_shown(tmp_path):
    """A published card whose instrument is another revision is left out; the shipped one stands."""
    files = PublishedFolder(tmp_path)
    mine = read_cards(files, LITE)["gender"]
    other = json.loads(encode(mine))
    other["instrument"]["sha256"] = "e" * 64
    other["date"] = "2027-01-01"
    files.write(f"cards/{LITE.id}/gender.json", json.dumps(other).encode())
    assert read_cards(files, LITE)["gender"] == mine
