"""The demo systems, fast ones first, each with its card and the way to its engine."""

from submissions.card import Card
from submissions.demo.engines import espeak, espeak_directed, festival, flite, hibari, kokoro, pico, piper
from submissions.demo.records import DemoSystem

_IGNORED = "The instruction is ignored."
_ESPEAK = "https://github.com/espeak-ng/espeak-ng"


def _card(
    system: str, *, licence: str, link: str, notes: str, how_instructions: str = _IGNORED, parameters: str = ""
) -> Card:
    """Return the card of a system that this demo runs and somebody else made."""
    return Card(
        system=system,
        version="1",
        organisation="Castboard demo",
        contact="demo@castboard.invalid",
        licence=licence,
        open_weights=True,
        parameters=parameters,
        link=link,
        how_instructions=how_instructions,
        notes=notes,
    )


DEMO_SYSTEMS: tuple[DemoSystem, ...] = (
    DemoSystem(
        key="espeak-directed",
        card=_card(
            "espeak-ng, directed by rules",
            licence="GPL-3.0-or-later",
            link=_ESPEAK,
            how_instructions=(
                "A small rule-based parser reads sex, age, accent, pitch, pace and loudness from the instruction's "
                "text and sets espeak-ng's voice, pitch, rate and amplitude; each script is rehearsed once to time it."
            ),
            notes=(
                "The baseline that follows instructions, made to hit what this board measures: it knows the pitch "
                "references and counts words as the pace probe does. Emotion and tone are out of its reach; Canadian "
                "is read in its American voice, Australian and Indian in its British one, for want of their own."
            ),
        ),
        suffix="flac",
        is_slow=False,
        load=espeak_directed.load,
    ),
    DemoSystem(
        key="espeak-plain",
        card=_card(
            "espeak-ng, plain",
            licence="GPL-3.0-or-later",
            link=_ESPEAK,
            notes="The twin of the directed baseline: the same engine at its default settings, voice en-us.",
        ),
        suffix="flac",
        is_slow=False,
        load=espeak.load_plain,
    ),
    DemoSystem(
        key="pico",
        card=_card(
            "SVOX Pico en-US",
            licence="Apache-2.0",
            link="",
            notes="A statistical voice of an American woman, made by SVOX. Clips are 16 kHz MP3.",
        ),
        suffix="mp3",
        is_slow=False,
        load=pico.load,
    ),
    DemoSystem(
        key="hibari",
        card=_card(
            "hibari heart",
            licence="Apache-2.0",
            link="",
            notes="A small neural voice of an American woman, quicker than real time on one core.",
        ),
        suffix="flac",
        is_slow=False,
        load=hibari.load,
    ),
    DemoSystem(
        key="flite-slt",
        card=_card(
            "Flite slt",
            licence="BSD-4-Clause",
            link="https://github.com/festvox/flite",
            notes="A statistical voice of an American woman, made at Carnegie Mellon University. Clips are 16 kHz WAV.",
        ),
        suffix="wav",
        is_slow=False,
        load=flite.load,
    ),
    DemoSystem(
        key="festival-slt",
        card=_card(
            "Festival slt HTS",
            licence="X11",
            link="https://www.cstr.ed.ac.uk/projects/festival/",
            notes=(
                "A hidden-Markov-model voice of an American woman, for the Festival system of the University of "
                "Edinburgh. Clips are 32 kHz Ogg Vorbis."
            ),
        ),
        suffix="ogg",
        is_slow=False,
        load=festival.load,
    ),
    DemoSystem(
        key="piper-joe",
        card=_card(
            "Piper joe",
            licence="GPL-3.0-or-later AND CC0-1.0",
            link="https://github.com/OHF-Voice/piper1-gpl",
            notes="A neural voice of an American man, for the Piper engine.",
        ),
        suffix="flac",
        is_slow=True,
        load=piper.load,
    ),
    DemoSystem(
        key="kokoro",
        card=_card(
            "Kokoro-82M, cast by instruction",
            licence="Apache-2.0",
            link="https://huggingface.co/hexgrad/Kokoro-82M",
            parameters="82 M",
            how_instructions="One of its 28 English voices is chosen by the sex and accent that the text asks for.",
            notes=(
                "The int8 ONNX export of a model by hexgrad. Canadian gets an American voice, Australian and Indian a "
                "British one. The gender probe's head was fitted to voices of this model."
            ),
        ),
        suffix="flac",
        is_slow=True,
        load=kokoro.load,
    ),
)
