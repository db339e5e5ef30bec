"""Reads a published board as a stranger does: with `datasets`, from a folder or a repo, and by the card's own code."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
import soundfile as sf
import yaml


def quiet(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Any:
    """Return the library, made to keep its copies in a folder of the test's own and to print nothing."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(cache))
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", str(cache / "modules"))
    datasets.disable_progress_bars()
    return datasets


def front_matter(card: str) -> dict[str, Any]:
    """Return what a YAML library reads between the lines of dashes."""
    found = re.match(r"---\n(.*?\n)---\n", card, re.DOTALL)
    assert found
    held = yaml.safe_load(found[1])
    assert isinstance(held, dict)
    return held


def configurations(card: str) -> list[str]:
    """Return the names of all configurations, in order."""
    return [one["config_name"] for one in front_matter(card)["configs"]]


def code_of(card: str, repo: str) -> str:
    """Return the Python code of a card, speaking of a real repo or folder."""
    found = re.search(r"```python\n(.*?)```", card, re.DOTALL)
    assert found and '"org/name"' in found[1]
    return found[1].replace('"org/name"', repr(repo))


def samples_of(flac: dict[str, Any]) -> tuple[int, int]:
    """Return number of samples and rate of a clip, decoded."""
    samples, rate_hz = sf.read(io.BytesIO(flac["bytes"]))
    return len(samples), rate_hz
