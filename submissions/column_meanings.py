"""What every column of the published tables means, in one line each: the one place that says it.

The dataset card prints it, and a test holds it against the schemas, so a column without a meaning is never published
unnoticed, and neither is a meaning without a column.
"""

import re
from collections.abc import Mapping
from typing import Literal

from evaluation.traits import TRAITS, Kind

Table = Literal["leaderboard", "decisions", "per_sample", "clips", "contours", "replies"]
TABLES: Mapping[Table, str] = {
    "leaderboard": "one row a system, best score first",
    "decisions": "one row a pair of systems",
    "per_sample": "one row an item of a system: what was asked, measured and scored",
    "clips": "one row a clip: the audio that was measured",
    "contours": "one row a clip: what is needed to draw it without decoding it",
    "replies": "one row a reply of the judge, as it was written",
}
"""What a row of each table is."""

_CARD = "as its maker wrote it"
LEADERBOARD: Mapping[str, str] = {
    "rank_best": "best rank that the decisions leave open",
    "rank_worst": "worst rank that the decisions leave open; systems whose bands overlap may be tied",
    "submission": "id of the submission, as in the names of its files",
    "system": f"name of the system, {_CARD}",
    "version": f"its version, {_CARD}",
    "organisation": f"who makes it, {_CARD}",
    "licence": f"licence of the system, {_CARD}",
    "open_weights": "whether its weights can be downloaded; null if that was not said",
    "parameters": f"number of its parameters in words, {_CARD}",
    "link": f"web address, {_CARD}",
    "received_at": "when the zip arrived, ISO 8601, UTC",
    "score": "score S: mean composite over all items, 0..1; it alone decides the ranks",
    "n_items": "items of the corpus, all of which count",
    "n_declined": "items that the system refused; each scores 0",
    "coverage": "share of items with a clip, 0..1",
    "gate_pass_rate": "share of clips that say the script, 0..1",
    "judge_n_calls": "replies of the judge to its clips",
    "judge_n_malformed": "replies that could not be used, so that another was asked for",
    "judge_input_tokens": "all tokens that went into the judge",
    "judge_audio_tokens": "those of them that were audio",
    "judge_output_tokens": "tokens that the judge wrote",
    "judge_cost_micro_usd": "what that cost, millionths of a US dollar; null if a price was not known",
    "judge_models": "models that answered, by their own word",
    "results_sha256": "sha256 of the result file that the row was made of",
    "supersedes": "submission of the same system and owner that this one is a new version of; null for the first",
}
DECISIONS: Mapping[str, str] = {
    "challenger": "submission with the higher mean",
    "incumbent": "submission that it must beat",
    "n_items": "items that both were scored on",
    "challenger_score": "score S of the challenger, 0..1",
    "incumbent_score": "score S of the incumbent, 0..1",
    "lcb": "lower confidence bound of the mean paired difference",
    "margin": "what the bound must exceed for a win",
    "is_win": "true: the challenger wins; false: a tie",
}
PER_SAMPLE: Mapping[str, str] = {
    "item_id": "id of the item",
    "tier": "difficulty: 0 easy, 1 normal, 2 hard",
    "split": "part of the corpus that the item belongs to",
    "category": "what the script is hard for",
    "instruction": "the voice prompt",
    "script": "the text to read",
    "spoken_forms": "accepted spoken forms, JSON: for each the first character, the one behind the last, the words",
    "is_declined": "the system refused the item: no clip, composite 0",
    "clip_sha256": "sha256 of the canonical clip; null if declined",
    "duration_s": "length of the clip, s",
    "rate_hz": "sampling rate of the clip, Hz",
    "bit_depth": "bits a sample of the clip, 16 or 24",
    "source_format": "format of the uploaded file",
    "source_channels": "channels of the uploaded file; two were averaged",
    "acoustics_duration_s": "length of the clip as the acoustic pass heard it, s",
    "speech_start_s": "first voiced sound, s from the start",
    "speech_end_s": "end of the last voiced sound, s from the start",
    "pause_s": "silence between the two, s",
    "level_dbfs": "active speech level, dB re full scale",
    "peak_dbfs": "largest absolute sample, dB re full scale",
    "f0_hz": "median pitch of voiced frames, Hz; null if there are none",
    "voiced_share": "share of frames of the speech that are voiced, 0..1",
    "transcript": "what the transcriber heard, raw",
    "transcript_setting": "model and setting of that hearing",
    "transcript_doubt": "why the clip was heard again; null if it was not",
    "transcript_again": "what the same model heard under another setting",
    "transcript_again_setting": "model and setting of that hearing",
    "transcript_second": "what another model heard",
    "transcript_second_setting": "model and setting of that hearing",
    "mos": "predicted mean opinion score, 1..5",
    "transcript_counted": "hearing that counts: first, again or second",
    "is_disputed": "whether two hearings give different word errors",
    "normaliser": "version of the normaliser of spoken forms",
    "spoken_path": "accepted reading of the script nearest to what was heard",
    "n_units": "numbers, dates, addresses and the like in the script",
    "n_units_right": "those of them that were read right",
    "n_words": "words of the script in spoken form",
    "wer": "word-error rate: errors over words",
    "substitutions": "words replaced",
    "deletions": "words left out",
    "insertions": "words added",
    "passed_gate": "whether the word-error rate is within the protocol's limit; if not, the composite is 0",
    "composite_micro": "composite of the clip in millionths, exact",
    "composite": "the same, 0..1",
}
CLIPS: Mapping[str, str] = {
    "item_id": "id of the item that the clip reads",
    "sha256": "sha256 of the FLAC bytes; `clip_sha256` of the per-sample table",
    "flac": "the audio: canonical FLAC, mono, native rate",
    "duration_s": "length, s",
    "rate_hz": "sampling rate, Hz",
    "bit_depth": "bits a sample, 16 or 24",
}
CONTOURS: Mapping[str, str] = {
    "item_id": "id of the item that the clip reads",
    "clip_sha256": "sha256 of the clip that it was read from; `sha256` of the table of clips",
    "duration_s": "length, s",
    "bin_s": "length of a bin, s; the last one ends with the clip",
    "low": "smallest sample of each bin, -127..127 of full scale",
    "high": "largest sample of each bin, -127..127 of full scale",
    "level_dbfs": "mean power of each bin, dB re full scale, in steps of 0.5; null below -96",
    "f0_hz": "median pitch of each bin, Hz, in steps of 0.1; null where nothing is voiced",
}
REPLIES: Mapping[str, str] = {
    "item_id": "id of the item",
    "dimensions": "dimensions that the call asked about, joined by commas",
    "order": "which clip was heard first: clip_first or anchor_first",
    "vote": "which of the votes in this order, from 0",
    "ask": "how often it had been asked for before, from 0",
    "text": "exactly what the model wrote",
    "model": "model that answered, by its own word",
    "finish": "why it stopped",
    "input_tokens": "all tokens that went in",
    "audio_tokens": "those of them that were audio",
    "output_tokens": "tokens that came out",
    "cost_micro_usd": "cost of the call, millionths of a US dollar; null if the price is not known",
}
EXACT: Mapping[Table, Mapping[str, str]] = {
    "leaderboard": LEADERBOARD,
    "decisions": DECISIONS,
    "per_sample": PER_SAMPLE,
    "clips": CLIPS,
    "contours": CONTOURS,
    "replies": REPLIES,
}
"""Columns that have one name."""

_PATTERNS: Mapping[Table, tuple[tuple[str, str], ...]] = {
    "leaderboard": (
        (r"(\w+)_low", "lower end of the 95 % interval of `{0}`; null if there is none"),
        (r"(\w+)_high", "upper end of the 95 % interval of `{0}`; null if there is none"),
        (r"mean_(\w+)", "mean desirability of {0}, 0..1"),
    ),
    "per_sample": (
        (r"(\w+)_unread_fault", "whose fault it was that `{0}` could not be read: clip or instrument"),
        (r"(\w+)_unread_detail", "the same reason in a sentence"),
        (r"(\w+)_unread", "why `{0}` could not be read; null if it could"),
        (r"requested_(\w+)", "value of {0} that the item asks for"),
        (r"measured_(\w+)", "value of {0} that was measured; null if it could not be, or is none of the listed ones"),
        (r"quantity_(\w+)", "number behind the measured {0}, in its own unit"),
        (r"desirability_(\w+)", "how well {0} is met, 0..1"),
        (r"reason_(\w+)", "why {0} counts as 0 without a measurement; else null"),
        (r"judge_(\w+)_anchor_score", "the judge's mean score of the anchor's clip for {0}, 0..3"),
        (r"judge_(\w+)_score", "the judge's mean score of the clip for {0}, 0..3"),
        (r"judge_(\w+)_winner", "which clip the judge prefers for {0}: clip, anchor or tie"),
        (r"judge_(\w+)_is_consistent", "whether both orders of hearing name the same winner"),
        (r"judge_(\w+)_n_replies", "replies that the verdict is made of"),
    ),
}
"""Columns whose names are made of others, or of a dimension's; the first pattern that fits counts."""


def meaning(table: Table, column: str) -> str:
    """Return what a column of a published table means, in a line that begins in lower case.

    Raises:
        KeyError: for a column that no publisher writes.
    """
    told = EXACT[table].get(column) or (_of_probe(column) if table == "per_sample" else None)
    if told is not None:
        return told
    for pattern, text in _PATTERNS.get(table, ()):
        found = re.fullmatch(pattern, column)
        if found:
            return text.format(found[1])
    raise KeyError(f"no meaning is known of the column {column!r:.80} of {table}")


def _of_probe(column: str) -> str | None:
    """Return the meaning of what an instrument reads of a trait, or None."""
    for one in TRAITS:
        if one.kind is Kind.NUMERIC and column == f"{one.name}_estimate":
            return f"{one.name} as the instrument estimates it, {one.unit}"
        value = column.removeprefix(f"{one.name}_")
        if value != column and value in one.values:
            return f"probability that the {one.name} is {value}, 0..1"
    return None
