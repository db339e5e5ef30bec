"""Adding a trait is one line in the registry."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kind", ["categorical", "ordinal", "numeric", "judged"])
def test_a_ninth_trait_needs_its_line_in_the_registry_alone(kind: str) -> None:
    """Scored, published, verified, on the board and every page, nothing else changed; old corpora load."""
    command = [sys.executable, "-W", "error", "-m", "tests.submissions.ninth_trait", kind]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
