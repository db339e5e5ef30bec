"""What a protocol pins of a model that no package carries, and of a judge. Plain records; no model is loaded here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ModelKind = Literal["transformers_classifier", "age_gender", "speechbrain_classifier", "embedding_head"]
"""How a model is built and called: a transformers audio classifier; the two-headed age-gender regressor; a
SpeechBrain encoder-classifier; our own linear head over a packaged speaker embedding."""
Backend = Literal["gemini", "openai", "embedded"]
"""How a judge is reached: Google's API, any endpoint that speaks OpenAI's chat protocol, or a model in this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPin:
    """One model of a hub, or of a folder of models, with everything that its probe needs to know."""

    kind: ModelKind
    """How it is built and called."""
    repo: str
    """Its id on the hub, "owner/name"; its folder below the models folder has the same name with "--" for "/"."""
    revision: str
    """Commit, 40 hex digits; "local" for a model that is on no hub."""
    files: Mapping[str, str]
    """sha256 (hex) of every file that is read, by path; no other file of the model is opened."""
    labels: Mapping[str, str]
    """Requestable value of each label of the model, matched exactly; labels without one are left out of the arg max.
    Empty for a regressor."""
    scale: float
    """What a regressor's output is multiplied by to give the trait's unit; 1 for a classifier."""
    rate_hz: int
    """Sampling rate that it hears, Hz."""
    shortest_s: float
    """Clips shorter than this are not read, s."""
    longest_s: float
    """Longer clips are cut to their middle of this length, s."""
    batch_size: int
    """Most clips of one batch."""
    known_accuracy: str
    """What is known of its accuracy, in a sentence; "unknown" if nothing is."""
    accuracy_source: str
    """Where that is said."""
    is_non_commercial: bool
    """Whether its licence forbids commercial use: the operator must then opt in."""
    canary_sha256: str
    """sha256 (hex) of the manifest of labelled clips that it must get right enough before it may be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The one system against whose clips the judge hears every other."""

    name: str
    """What it is called."""
    submission: str
    """Its published submission, from which its clips are taken."""
    clips: Mapping[str, str]
    """sha256 (hex) of its canonical clip of every item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRecipe:
    """Everything that decides what a judge is asked and what its replies come to."""

    backend: Backend
    """How it is reached."""
    model: str
    """Exact model id, as the provider names it."""
    dimensions: tuple[str, ...]
    """Dimensions that it judges, in order."""
    is_combined: bool
    """True: one call judges all dimensions; False: one call each."""
    votes: int
    """Replies asked for in each order, >= 1, odd."""
    prompt: str
    """Version of the wording around the rubrics."""
    texts: Mapping[str, str]
    """sha256 (hex) of the prompt's and of every rubric's file, by path below the assets."""
    preparation: Mapping[str, str]
    """What is done to both clips before they are sent."""
    temperature: float
    """Sampling temperature."""
    max_output_tokens: int
    """Most tokens of a reply."""
    n_asks: int
    """Times that one reply is asked for before the clip counts as not judged, 1..3."""
    anchor: Anchor
    """What every clip is compared with."""
