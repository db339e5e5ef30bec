"""What the instruments of this version really do, in a protocol's terms.

A protocol that names other settings than these would describe a measurement that nobody made, so
`evaluation.preflight` refuses it.
"""

from collections.abc import Mapping

from evaluation.codec import canonical, sha256_of, to_json
from evaluation.gate import doubt, second_model, transcribe
from evaluation.judge import mos
from evaluation.probes import acoustic, gender, pitch, vad

FREE_SETTINGS: Mapping[str, tuple[str, ...]] = {"naturalness": ("hop_s",)}
"""Settings that a protocol may choose, by role; all others are what they are."""


def settings(role: str) -> dict[str, str]:
    """Return every fixed setting of the instrument in `role` that changes its readings; one thread is meant for all.

    Raises:
        KeyError: for a role that this version does not know.
    """
    return {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in _SETTINGS[role].items()}


def weights(role: str) -> dict[str, str]:
    """Return the sha256 (hex) of each weight file that the instrument in `role` loads, by path in its package.

    Raises:
        KeyError: for a role that this version does not know.
    """
    return dict(_WEIGHTS[role])


_SETTINGS: Mapping[str, Mapping[str, object]] = {
    "vad": {
        "rate_hz": vad.RATE_HZ,
        "enter_at": vad.ENTER,
        "leave_at": vad.LEAVE,
        "working_dbfs": acoustic.WORKING_DBFS,
        "silence_dbfs": acoustic.SILENCE_DBFS,
        "shortest_s": acoustic.SHORTEST_S,
        "edge_margin_db": acoustic.EDGE_MARGIN_DB,
        "edge_reach_s": acoustic.EDGE_REACH_S,
        "pause_margin_db": acoustic.PAUSE_MARGIN_DB,
        "shortest_pause_s": acoustic.SHORTEST_PAUSE_S,
        "threads": 1,
    },
    "f0": {
        "floor_hz": acoustic.F0_FLOOR_HZ,
        "ceiling_hz": acoustic.F0_CEILING_HZ,
        "voiced_confidence": acoustic.VOICED_CONFIDENCE,
        "least_voiced_share": acoustic.LEAST_VOICED_SHARE,
        "speech_sampled_s": acoustic.F0_BUDGET_S,
        "pieces": acoustic.F0_PIECES,
        "joint_reach_s": acoustic.F0_REACH_S,
        "least_missed_s": acoustic.LEAST_MISSED_S,
        "reference_table_sha256": sha256_of(canonical(to_json(pitch.USUAL))),
        "threads": 1,
    },
    "level": {
        "frame_ms": round(1000 * acoustic.STEP_S),
        "margin_db": acoustic.ACTIVE_MARGIN_DB,
        "reference": "0 dBFS is a full-scale square wave",
    },
    "gender": {
        "head_sha256": gender.HEAD_SHA256,
        "patches": gender.N_PATCHES,
        "working_dbfs": gender.WORKING_DBFS,
        "silence_dbfs": gender.SILENCE_DBFS,
        "shortest_s": gender.SHORTEST_S,
        "threads": 1,
    },
    "transcriber": {"setting": transcribe.GREEDY.setting, "threads": 1},
    "transcriber_again": {
        "setting": transcribe.AGAIN.setting,
        "loop_repeats": doubt.LOOP_REPEATS,
        "loop_repeats_of_phrase": doubt.LOOP_REPEATS_OF_PHRASE,
        "longest_phrase": doubt.LONGEST_PHRASE,
        "loop_inside_word": doubt.LOOP_INSIDE_WORD,
        "letters_per_s": doubt.LETTERS_PER_S,
        "threads": 1,
    },
    "second_transcriber": dict(second_model.SECOND.settings),
    "naturalness": {"threads": 1},
}

_WEIGHTS: Mapping[str, Mapping[str, str]] = {
    "vad": {vad.WEIGHTS_FILE: vad.WEIGHTS_SHA256},
    "f0": {acoustic.F0_WEIGHTS_FILE: acoustic.F0_WEIGHTS_SHA256},
    "level": {},
    "gender": {gender.WEIGHTS_FILE: gender.WEIGHTS_SHA256},
    "transcriber": transcribe.WEIGHTS_SHA256,
    "transcriber_again": transcribe.WEIGHTS_SHA256,
    "second_transcriber": second_model.SECOND.weights,
    "naturalness": {mos.WEIGHTS_FILE: mos.WEIGHTS_SHA256},
}
