"""Which corpus a site evaluates."""

from evaluation.corpus import Corpus, load, locate_benchmark_v1
from evaluation.protocol import Protocol
from leaderboard.settings import Settings, SettingsError


def corpus_of(settings: Settings, protocol: Protocol) -> Corpus:
    """Return the corpus that `protocol` pins: the file that the settings name, or the packaged one.

    Spoken forms that the protocol pins with it stand beside `<name>.jsonl` as `<name>.forms.json`.

    Raises:
        CorpusMismatch: if that file, or the forms beside it, are not the pinned ones.
        MissingDependency: if the packaged one is not installed.
        SettingsError: if the file that the settings name cannot be read.
    """
    if settings.corpus is None:
        return load(locate_benchmark_v1(), protocol.corpus)
    try:
        return load(settings.corpus, protocol.corpus)
    except OSError as error:
        raise SettingsError(
            f"CASTBOARD_CORPUS must name a file that can be read, got {settings.corpus!s:.200}: {error.strerror}"
        ) from error
