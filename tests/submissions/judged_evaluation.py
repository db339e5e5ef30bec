"""A judged protocol over the small corpus: its anchor, its judge's recipe, and judges that a test can steer."""

import dataclasses
import json
from collections.abc import Mapping

from evaluation.judge import preparation, rubrics
from evaluation.pins import Anchor, JudgeRecipe
from evaluation.protocol import Protocol
from submissions import layout
from submissions.records import SubmissionId
from submissions.store.base import PublishedFiles
from tests.evaluation.judge.loopback import Judge, ReplyPlan, RequestSeen

JUDGED = ("tone", "naturalness")
MODEL = "tiny-judge"
CALLS_EACH = 2
"""Calls of one clip: one in each order."""


def recipe(anchor: SubmissionId, clips: Mapping[str, str], **changes: object) -> JudgeRecipe:
    """Return the recipe of a judge that hears every clip against the anchor's, both dimensions in one call."""
    made = JudgeRecipe(
        backend="openai",
        model=MODEL,
        dimensions=JUDGED,
        is_combined=True,
        votes=1,
        prompt=rubrics.VERSION,
        texts=rubrics.hashes(),
        preparation=preparation.settings(),
        temperature=0.0,
        max_output_tokens=400,
        n_asks=2,
        anchor=Anchor(name="Anchor", submission=anchor, clips=clips),
    )
    return dataclasses.replace(made, **changes)


def judged(protocol: Protocol, judge: JudgeRecipe) -> Protocol:
    """Return `protocol` with the judge's dimensions added."""
    added = tuple(one for one in judge.dimensions if one not in protocol.dimensions)
    left = {name: why for name, why in protocol.not_measured.items() if name not in added}
    dimensions = (*protocol.dimensions, *added)
    return dataclasses.replace(protocol, name="judged", dimensions=dimensions, not_measured=left, judge=judge)


def published_clips(files: PublishedFiles, submission: SubmissionId) -> dict[str, str]:
    """Return the sha256 of every published clip of a submission, by item."""
    path = layout.clips_path(submission)
    return {row["item_id"]: row["sha256"] for row in layout.clip_rows(files.read(path), path)}


def reply(score_a: float = 2.0, score_b: float = 1.0, winner: str = "a") -> str:
    """Return a well-formed reply that says the same of both dimensions."""
    one = {
        "reasoning_a": "clear",
        "reasoning_b": "dull",
        "comparison": "the first is clearer",
        "score_a": score_a,
        "score_b": score_b,
        "winner": winner,
        "confidence": 0.9,
    }
    return json.dumps(dict.fromkeys(JUDGED, one))


def prefers_first(_: RequestSeen) -> ReplyPlan:
    """Judge whatever comes first to be better."""
    return ReplyPlan(text=reply())


def down(_: RequestSeen) -> ReplyPlan:
    """Answer nobody."""
    return ReplyPlan(status=503, message="resting")


def after(n_good: int, then: Judge, first: Judge = prefers_first) -> Judge:
    """Return a judge that answers `n_good` calls as `first` does, and then as `then`."""
    left = [n_good]

    def judge(seen: RequestSeen) -> ReplyPlan:
        left[0] -= 1
        return first(seen) if left[0] >= 0 else then(seen)

    return judge
