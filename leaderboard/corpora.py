"""Which corpus a site evaluates."""

from evaluation.corpus import Corpus, load, locate_benchmark_v1
from evaluation.protocol import Protocol
from leaderboard.settings import Settings


def corpus_of(settings: Settings, protocol: Protocol) -> Corpus:
    """Return the corpus that `protocol` pins: the file that the settings name, or the packaged one.

    Raises:
        CorpusMismatch: if that file is not the pinned one.
        MissingDependency: if the packaged one is not installed.
    """
    return load(settings.corpus or locate_benchmark_v1(), protocol.corpus)
