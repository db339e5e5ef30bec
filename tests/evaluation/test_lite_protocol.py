"""The lite protocol says what the code does: a changed setting without a changed protocol fails here."""

import dataclasses
import json
from pathlib import Path

import pytest

from evaluation import protocol, recipes
from evaluation.errors import ProtocolError
from evaluation.gate import spoken
from evaluation.preflight import preflight

LITE = protocol.load_shipped("lite")


@pytest.mark.parametrize("role", sorted(LITE.instruments))
def test_settings_and_weights_are_those_of_the_code(role: str) -> None:
    """Every setting that changes a reading is named, and no other; so is every weight file."""
    named = LITE.instruments[role]
    free = recipes.FREE_SETTINGS.get(role, ())
    assert {name: value for name, value in named.settings.items() if name not in free} == recipes.settings(role)
    assert set(free) <= set(named.settings)
    assert dict(named.weights) == recipes.weights(role)


def test_normaliser_is_the_code_s() -> None:
    """The spoken forms are those of this version."""
    assert LITE.normaliser == spoken.NORMALISER


@pytest.mark.parametrize(
    ("role", "changes", "message"),
    [
        ("f0", {"settings": {**LITE.instruments["f0"].settings, "floor_hz": "80"}}, "the settings of f0.*'80'"),
        ("gender", {"weights": {"other.onnx": "00"}}, "the weights of gender"),
        ("naturalness", {"settings": {"threads": "1"}}, "the settings of naturalness lack hop_s"),
    ],
)
def test_protocol_that_describes_something_else_is_refused(role: str, changes: dict[str, object], message: str) -> None:
    """A recipe is never published beside readings that were made in another way."""
    changed = dataclasses.replace(LITE.instruments[role], **changes)
    other = dataclasses.replace(LITE, instruments={**LITE.instruments, role: changed})
    with pytest.raises(ProtocolError, match=message):
        preflight(other)


def test_other_normaliser_is_refused() -> None:
    """A protocol of another version of the spoken forms does not run."""
    with pytest.raises(ProtocolError, match=r"no normaliser is called .other-9"):
        preflight(dataclasses.replace(LITE, normaliser="other-9"))


def test_versions_are_those_that_are_required() -> None:
    """Every distribution that the protocol names is pinned at the same version in what a Space installs."""
    lines = (Path(protocol.SHIPPED).parent.parent / "requirements.txt").read_text().splitlines()
    pins = dict(line.split("#")[0].strip().split("==") for line in lines if "==" in line)
    pins = {name.replace("_", "-"): version for name, version in pins.items()}
    named = {instrument.package: instrument.version for instrument in LITE.instruments.values()}
    for instrument in LITE.instruments.values():
        named |= instrument.needs
    assert {name: pins.get(name.replace("_", "-")) for name in named} == named


def test_file_is_readable_by_people() -> None:
    """The shipped file is indented, and in its canonical form the very same protocol."""
    text = (protocol.SHIPPED / "lite.json").read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert protocol.decode(protocol.encode(LITE), "lite") == LITE
