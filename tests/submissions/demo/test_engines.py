"""Every fast engine speaks, whatever the script holds, and says how to install it when it is absent."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.errors import MissingDependency
from submissions.card import parse_card
from submissions.demo.direction import direct
from submissions.demo.engines.kokoro import choose_voice
from submissions.demo.records import DemoSystem, Prompt
from submissions.demo.synthesise import card_fields
from submissions.demo.systems import DEMO_SYSTEMS

FAST = [demo for demo in DEMO_SYSTEMS if not demo.is_slow]
HOSTILE = (
    "-f /etc/passwd",
    '") (quit) (print "',
    "back\\slash and \x00 nul\nand a line",
    "<speak>[[tags]]</speak> <volume level='0'> are text",
    "caf\u00e9 \u2014 \u201cquoted\u201d \U0001f600",
)
PROMPTS = tuple(
    Prompt(id=f"p{number}", instruction="A woman speaks.", script=f"{script} then hello")
    for number, script in enumerate(HOSTILE)
)


@pytest.mark.parametrize("demo", FAST, ids=lambda demo: demo.key)
def test_speaks_hostile_scripts(demo: DemoSystem, tmp_path: Path) -> None:
    """One audible clip a prompt, each of sane length, though scripts look like options, commands and markup."""
    spoken = {speech.prompt_id: speech for speech in demo.load(tmp_path).speak(PROMPTS)}
    assert sorted(spoken) == [prompt.id for prompt in PROMPTS]
    for speech in spoken.values():
        assert speech.samples.dtype == np.float32
        assert 0.01 < np.abs(speech.samples).max() <= 1.0
        assert 0.4 < speech.samples.size / speech.rate_hz < 20


@pytest.mark.parametrize("key", ["espeak-directed", "espeak-plain", "flite-slt", "festival-slt"])
def test_missing_program_names_the_install_line(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine whose program is not on the path is a missing dependency, not a crash."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (demo,) = (demo for demo in DEMO_SYSTEMS if demo.key == key)
    with pytest.raises(MissingDependency, match="apt-get install"):
        demo.load(tmp_path)


@pytest.mark.parametrize("demo", DEMO_SYSTEMS, ids=lambda demo: demo.key)
def test_card_is_accepted_by_the_intake(demo: DemoSystem) -> None:
    """The card in system.json comes back from the form's own check unchanged and without a remark."""
    card, problems = parse_card(card_fields(demo.card))
    assert card == demo.card
    assert problems == ()


def test_kokoro_is_cast_by_sex_and_accent() -> None:
    """Sex is kept, British-like accents get a British voice, and different prompts get different voices."""
    woman = direct("I need a British woman.")
    assert choose_voice(woman, "a").startswith("bf_")
    assert choose_voice(direct("A Canadian man."), "a").startswith("am_")
    assert choose_voice(direct("An Indian boy."), "a").startswith("bm_")
    assert {choose_voice(woman, f"vb-{n:05}") for n in range(60)} == {"bf_alice", "bf_emma", "bf_isabella", "bf_lily"}
