"""Who stands on a crowded board: invented systems with skills, weaknesses, versions, makers, licences and sizes."""

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from evaluation.codec import sha256_of
from evaluation.records import Item
from evaluation.traits import NATURALNESS, TRAITS
from submissions.result import CardValue, Provenance
from tests.leaderboard.cast import EVIL

ANCHOR = "s00000000002"
"""The system that a judge compares with; it speaks every item."""
N_LEVELS = 14
"""Levels of skill: systems of one level tie, levels far apart win."""
BEGAN = datetime(2024, 11, 4, 9, 0, tzinfo=UTC)
N_DAYS = 720
"""Days over which submissions came in."""
_FIRST = (
    "Amber Alder Barque Basalt Bracken Cairn Cedar Cinder Clarion Cobalt Coracle Corvid Delta Drift Ember Fathom Fern "
    "Fjord Flint Foxglove Garnet Gull Harbour Hazel Heron Indigo Juniper Kestrel Lantern Larch Linden Lyric Marrow "
    "Meadow Merle Nimbus Oriel Osprey Petrel Plover Quarry Quill Rowan Saffron Sable Tansy Tern Umber Vesper Willow"
)
_LAST = ("Voice", "Speech", "TTS", "Cast", "Say", "Reader", "Tongue", "Chorus", "Talk", "Narrator")
_SECOND = ("", "Lite", "Pro", "Flow", "Mini", "XL", "Diffuse", "Turbo")
_MAKERS = (
    "Nørrebro Speech",
    "Ohm Lab",
    "Tidewater Audio",
    "Atelier Vox",
    "声音研究所",
    "Kite & Co",
    "University of Lindmoor",
    "Open Voices Collective",
    "",
)
_LICENCES = ("Apache-2.0", "MIT", "CC-BY-4.0", "CC-BY-NC-4.0", "proprietary", "OpenRAIL-M", "GPL-3.0", "unknown")
_OPEN_BY_LICENCE = {"proprietary": False, "unknown": None}
_PARAMETERS = ("82M", "1.2B", "350 M", "3B", "0.5 B", "7B", "unknown", "", "25 million", "110M", "1,500M", "12B (MoE)")
_STYLES = (
    "As a text prompt.",
    "As a natural-language prompt before the script.",
    "Mapped to eight tags by a small language model.",
    "Through a reference clip that an LLM picks for the instruction.",
    "As sliders: pace, pitch and energy from a parser.",
    "SSML written by a language model.\nThe script stays as it is.",
    "It ignores the instruction.",
    "",
)
_HOSTILE = {7: EVIL, 61: "=HYPERLINK(1)" + EVIL, 203: "\u202eReversed" + "x" * 50, 333: "{{7*7}} Long " + "W" * 40}


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One system of the crowd."""

    id: str
    """Submission id."""
    number: int
    """Its place in the crowd, from 0."""
    card: dict[str, CardValue]
    """Its public card."""
    provenance: Provenance
    """Where it came from."""
    level: float
    """Skill, 0 (bad) .. 1 (superb)."""
    gifts: dict[str, float]
    """What is added to the skill in one dimension."""
    blind: dict[str, str] = field(default_factory=dict)
    """Values by trait that it never manages."""
    slips: float = 0.1
    """How often it says other words, 0..1."""
    mos: float = 3.5
    """Predicted score of its usual clip, 1..5."""
    declined: frozenset[int] = frozenset()
    """Places of the items that it refuses."""

    def obeys(self, trait: str, item: Item) -> float:
        """Return how likely it does what an item asks in one trait, 0..1."""
        if self.blind.get(trait) == item.requested.get(trait):
            return 0.08
        skill = self.level + self.gifts.get(trait, 0.0) - 0.07 * item.tier
        return min(0.99, max(0.12, 0.3 + 0.7 * skill))


def crowd(n_systems: int, n_items: int, seed: int) -> tuple[Voice, ...]:
    """Return the systems of a crowd, the first submission first; the same arguments give the same crowd.

    Args:
        n_systems: how many.
        n_items: items of the corpus, some of which are refused.
        seed: draws everything.
    """
    made: list[Voice] = []
    line: dict[str, CardValue] = {}
    for number in range(n_systems):
        rng = np.random.default_rng([seed, number])
        is_next = bool(made) and number != 2 and rng.random() < 0.22  # the system before it comes in a newer version
        line = _newer(line, rng) if is_next else _card(number, rng)
        before = made[-1] if is_next else None
        made.append(_voice(number, n_systems, n_items, line, before, rng))
    return tuple(made)


def _voice(
    number: int,
    n_systems: int,
    n_items: int,
    card: dict[str, CardValue],
    before: Voice | None,
    rng: np.random.Generator,
) -> Voice:
    name = f"s{number + 1:011d}"
    level = math.floor(rng.beta(2.2, 1.8) * N_LEVELS) / (N_LEVELS - 1)
    if before is not None:
        level = min(1.0, before.level + rng.choice((-1, 0, 0, 1, 1, 2)) / (N_LEVELS - 1))
    gifts = {dimension: float(rng.normal(0, 0.05)) for dimension in (*(one.name for one in TRAITS), NATURALNESS)}
    weak = TRAITS[int(rng.integers(len(TRAITS)))]
    n_declined = int(rng.choice((1, 4, n_items // 12))) if rng.random() < 0.08 and name != ANCHOR else 0
    came = BEGAN + timedelta(days=N_DAYS * number / n_systems, minutes=int(rng.integers(1, 700)))
    return Voice(
        id=name,
        number=number,
        card=card,
        provenance=Provenance(
            zip_sha256=sha256_of(name.encode()),
            zip_size_bytes=int(rng.integers(20_000_000, 900_000_000)),
            received_at=came.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            code_version="0.1.0",
            warnings=("3 clips are clipped.",) if rng.random() < 0.1 else (),
            supersedes=before.id if before is not None else None,
        ),
        level=level,
        gifts=gifts,
        blind={weak.name: str(rng.choice(weak.values))} if rng.random() < 0.4 else {},
        slips=float(np.clip(rng.normal(0.28 - 0.26 * level, 0.03), 0.005, 0.6)),
        mos=float(np.clip(rng.normal(2.3 + 2.2 * level, 0.25), 1.2, 4.8)),
        declined=frozenset(map(int, rng.choice(n_items, min(n_declined, n_items // 2), replace=False))),
    )


def _card(number: int, rng: np.random.Generator) -> dict[str, CardValue]:
    names = _FIRST.split()
    name = " ".join(part for part in (names[number % len(names)], str(rng.choice(_SECOND)), _LAST[number % 10]) if part)
    licence = str(rng.choice(_LICENCES))
    evil = _HOSTILE.get(number, "")
    return {
        "system": (evil or name)[:64],
        "version": str(rng.choice(("1.0", "0.9-rc2", "2025-06", "3"))),
        "organisation": (evil or _MAKERS[number % len(_MAKERS)] or str(rng.choice(("", "One person"))))[:80],
        "licence": licence,
        "open_weights": _OPEN_BY_LICENCE.get(licence, bool(rng.random() < 0.9)),
        "parameters": str(rng.choice(_PARAMETERS)),
        "link": "javascript:alert(1)" if evil else f"https://example.org/{number}" if rng.random() < 0.8 else "",
        "how_instructions": str(rng.choice(_STYLES)),
        "notes": evil or ("Trained on read speech alone." if rng.random() < 0.3 else ""),
    }


def _newer(card: dict[str, CardValue], rng: np.random.Generator) -> dict[str, CardValue]:
    at = str(card["version"])
    return {**card, "version": f"{at[:24]}.{int(rng.integers(1, 99))}"}
