"""A loaded model as a probe: clips of any length in, readings in the registry's words out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.pins import ModelPin
from evaluation.probes.classifiers.base import BrokenInstrument, LoadedModel, Samples
from evaluation.probes.classifiers.labels import scores_of
from evaluation.probes.classifiers.lengths import batches, fitted
from evaluation.probes.classifiers.options import Options
from evaluation.records import Estimate, ProbeReading, Unread
from evaluation.traits import Kind, Trait


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProbe:
    """Reads one trait with one model; drop it to free the model's memory.

    A clip's reading does not depend on the batch size or on the other clips: padding is masked where the model can
    mask it, else only clips of equal length meet, and readings keep only decimals that the arithmetic guarantees
    (`LoadedModel.decimals`; in single precision the last one may still differ by one).
    """

    trait: Trait
    """What it reads."""
    pin: ModelPin
    """The model."""
    options: Options
    """The rest of its recipe."""
    model: LoadedModel
    """The model in memory."""

    def read_many(self, clips_16k: Sequence[Samples]) -> tuple[ProbeReading, ...]:
        """Return one reading a clip, in order.

        Args:
            clips_16k: mono clips, each of shape (n,), float32 in [-1, 1] at 16 kHz, any level.

        Raises:
            BrokenInstrument: the model gives something else than finite numbers.
        """
        heard = [self._fitted(clip) for clip in clips_16k]
        readings: dict[int, ProbeReading] = {i: clip for i, clip in enumerate(heard) if isinstance(clip, Unread)}
        sounds = {i: clip for i, clip in enumerate(heard) if not isinstance(clip, Unread)}
        order = list(sounds)
        together = batches(
            [sounds[i].size for i in order],
            largest=min(self.pin.batch_size, self.model.largest_batch),
            is_masked=self.model.is_masked,
        )
        for batch in together:
            numbers = [order[k] for k in batch]
            outputs = self._asked([sounds[i] for i in numbers])
            readings.update({i: self._reading(row) for i, row in zip(numbers, outputs, strict=True)})
        return tuple(readings[i] for i in range(len(clips_16k)))

    def _fitted(self, clip: Samples) -> Samples | Unread:
        return fitted(
            clip,
            shortest_s=self.pin.shortest_s,
            repeated_to_s=self.options.repeated_to_s,
            longest_s=self.pin.longest_s,
        )

    def _asked(self, clips: Sequence[Samples]) -> NDArray[np.float64]:
        outputs = self.model.outputs(clips)
        wanted = (len(clips), len(self.model.labels) or 1)
        if outputs.shape != wanted or not np.isfinite(outputs * self.pin.scale).all():
            raise BrokenInstrument(
                f"the model {self.pin.repo}",
                [f"it gave outputs of shape {outputs.shape} for {wanted}, or outputs that are no numbers"],
                "Its files do not belong together, or its weights are damaged: name another revision.",
            )
        return outputs

    def _reading(self, outputs: NDArray[np.float64]) -> ProbeReading:
        if self.trait.kind is Kind.NUMERIC:
            return Estimate(value=round(float(outputs[0]) * self.pin.scale, self.model.decimals))
        return scores_of(self.trait, self.pin, self.model.labels, outputs, self.model.decimals)
