"""Spoken forms that two other normalisers propose for the corpus; run by hand, in an environment of its own.

    python -m pip install -r requirements-forms.txt
    python -m evaluation.gate.propose proposals.json
    python app.py freeze-forms proposals.json

For a corpus of your own both lines end in `--corpus FILE`; the forms are then frozen beside that file.
The last line needs the usual environment again. Neither package is needed, or imported, at run time. NeMo's
non-deterministic grammars are left out: compiling them takes gigabytes of memory and many minutes, and they
offer readings that nobody means.
"""

import argparse
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from evaluation.corpus import load, load_benchmark_v1, pin_of
from evaluation.records import Item

Normalise = Callable[[str], str]
"""A script to one sentence in spoken form."""


def propose(items: Iterable[Item], normalisers: Mapping[str, Normalise]) -> dict[str, dict[str, list[str]]]:
    """Return whole sentences in spoken form: item id to normaliser to what it proposes."""
    return {
        item.id: {name: [normalise(item.script)] for name, normalise in normalisers.items()}
        for item in sorted(items, key=lambda item: -item.tier)
    }


def load_nemo() -> Normalise:
    """Return NeMo's deterministic English normaliser; its grammar takes more than a minute to build."""
    from nemo_text_processing.text_normalization.normalize import Normalizer

    normaliser = Normalizer(input_case="cased", lang="en")

    def normalise(script: str) -> str:
        return str(normaliser.normalize(script, punct_post_process=True))

    return normalise


def load_wetext() -> Normalise:
    """Return WeTextProcessing's English normaliser."""
    from tn.english.normalizer import Normalizer

    normaliser = Normalizer()

    def normalise(script: str) -> str:
        return str(normaliser.normalize(script))

    return normalise


def main(out: Path, corpus: Path | None) -> None:
    """Write the proposals for a whole corpus, the shipped one if `corpus` is None, to `out`."""
    logging.disable(logging.CRITICAL)  # both packages report every sentence
    items = (load(corpus, pin_of(corpus, corpus.stem)) if corpus else load_benchmark_v1()).items
    found = propose(items, {"nemo": load_nemo(), "wetext": load_wetext()})
    out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the spoken forms that other normalisers propose.")
    parser.add_argument("out", type=Path, help="JSON file to write")
    parser.add_argument("--corpus", type=Path, help="corpus file (default: the shipped one)")
    options = parser.parse_args()
    main(options.out, options.corpus)
