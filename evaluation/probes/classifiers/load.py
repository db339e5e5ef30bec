"""From an instrument of a protocol to a probe that has proved itself, and the check that can be made without loading.

Only one model should be in memory at a time: load a probe, read all clips, drop it, load the next.
"""

from pathlib import Path

from evaluation.errors import ProtocolError
from evaluation.models import folder_of
from evaluation.pins import ModelPin
from evaluation.probes.classifiers import age_gender, embedding_head, speechbrain_encoder, transformers_audio
from evaluation.probes.classifiers.base import LoadedModel, Probe
from evaluation.probes.classifiers.canary import refuse_if_broken
from evaluation.probes.classifiers.canary_files import clips_of
from evaluation.probes.classifiers.labels import check_label_map
from evaluation.probes.classifiers.options import Options, options_of, pin_of
from evaluation.probes.classifiers.reading import ModelProbe
from evaluation.protocol import Instrument
from evaluation.traits import Trait

_LOADERS = {
    "transformers_classifier": transformers_audio.load,
    "age_gender": age_gender.load,
    "speechbrain_classifier": speechbrain_encoder.load,
    "embedding_head": embedding_head.load,
}


def check_probe(trait: Trait, instrument: Instrument, models: Path, *, allows_non_commercial: bool = False) -> None:
    """Return if a probe can be loaded, as far as can be seen without loading it.

    Licence, settings, files with their sha256, label map and canary files are checked; missing files are fetched.

    Args:
        trait: what it is to read.
        instrument: names the model.
        models: folder of all models and canaries.
        allows_non_commercial: whether the operator accepts a licence that forbids commercial use.

    Raises:
        ProtocolError, MissingDependency, WeightsMismatch, ManifestError, BrokenInstrument: each says what to do.
    """
    _checked(trait, instrument, models, allows_non_commercial=allows_non_commercial)
    clips_of(trait, pin_of(instrument), models)


def load_probe(trait: Trait, instrument: Instrument, models: Path, *, allows_non_commercial: bool = False) -> Probe:
    """Return a probe whose files, layers, labels and canary are right.

    Args:
        trait: what it is to read.
        instrument: names the model.
        models: folder of all models and canaries.
        allows_non_commercial: whether the operator accepts a licence that forbids commercial use.

    Raises:
        ProtocolError, MissingDependency, WeightsMismatch, ManifestError, BrokenInstrument: each says what to do.
        DecodeError: a canary clip is no audio.
    """
    pin, options, folder, labels = _checked(trait, instrument, models, allows_non_commercial=allows_non_commercial)
    clips = clips_of(trait, pin, models)
    probe = ModelProbe(trait=trait, pin=pin, options=options, model=_loaded(pin, options, folder, labels))
    refuse_if_broken(trait, pin, probe, clips)
    return probe


def _checked(
    trait: Trait, instrument: Instrument, models: Path, *, allows_non_commercial: bool
) -> tuple[ModelPin, Options, Path, tuple[str, ...]]:
    pin = pin_of(instrument)
    if pin.is_non_commercial and not allows_non_commercial:
        raise ProtocolError(
            f"the model {pin.repo}, which reads {trait.name}, has the licence {instrument.licence}, which forbids "
            "commercial use. Allow non-commercial models if that fits what you do, or name another model."
        )
    options = options_of(instrument)
    folder = folder_of(pin, models)
    return pin, options, folder, check_label_map(trait, instrument, folder)


def _loaded(pin: ModelPin, options: Options, folder: Path, labels: tuple[str, ...]) -> LoadedModel:
    return _LOADERS[pin.kind](pin, options, folder, labels)
