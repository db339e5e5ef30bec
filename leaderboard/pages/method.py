"""The method page: what is measured and how, every constant, every instrument, and how to check it all."""

from collections.abc import Sequence

from evaluation.cards import measurable
from evaluation.protocol import Constants, Protocol
from evaluation.traits import NATURALNESS, Kind, named, trait
from leaderboard import dimensions, shell, words
from leaderboard.evidence import Evidence
from leaderboard.markup import Child, Markup, el, join
from leaderboard.mirror import ROUTE
from leaderboard.pages import (
    health_strip,
    method_cards,
    method_ceiling,
    method_gate,
    method_instruments,
    method_judge,
    method_people,
    method_seasons,
    method_trials,
    method_usage,
)
from leaderboard.query import address
from leaderboard.views import Board

HERE = "/method"

SITE_ADDRESS = "https://this-site"
"""Stands for the site's own address until the browser, which knows it, has put that in its place."""

_KINDS = {
    Kind.ORDINAL: "exact bucket 1, the bucket next to it {adjacent:g}, else 0",
    Kind.CATEGORICAL: "1 if measured as requested, else 0",
    Kind.NUMERIC: "1 within {tolerance:g} {unit}, then falling to 0 over as many again",
    Kind.JUDGED: "a judge's score 0..3, divided by 3",
}
_HOW = {
    "gender": "A probe reads the clip; its likelier class is the measured gender.",
    "age": "A model estimates the age in years that the voice is heard as.",
    "emotion": "A classifier reads the clip; the likeliest of the values that items ask for is the measured one.",
    "accent": "A classifier reads the clip; the likeliest of the values that items ask for is the measured one.",
    "pace": "Spoken words of the script per second between the first and the last voiced sound. "
    "Below {slow:g} is slow, from {fast:g} fast.",
    "pitch": "Median pitch in semitones from a reference for the requested gender and age; "
    "within ±{pitch:g} st is medium.",
    "loudness": "Active speech level in dB against the median of the same system's clips that ask for normal; "
    "within ±{loudness:g} dB is normal.",
    NATURALNESS: "A model predicts a mean opinion score of 1..5; (MOS − 1) / 4. "
    "It stands for what listeners might say; nobody listened.",
}


def build(board: Board, boards: Sequence[Board], evidence: Evidence) -> Markup:
    """Return the whole page for a board's protocol, with what is known of its instruments and its judge."""
    protocol = board.protocol
    aside = (shell.protocol_choice(boards, HERE, board.protocol_id),)
    body = join(
        shell.title("Method", words.METHOD_LEAD, *aside),
        _contents(protocol, has_seasons=len(boards) > 1, has_trust=evidence.trust is not None),
        _one_clip(protocol),
        _dimensions(protocol),
        _left_out(protocol),
        method_gate.build(protocol),
        _ranks(protocol.constants),
        health_strip.section(evidence.trust) if evidence.trust else None,
        method_instruments.section(protocol, evidence),
        method_judge.section(protocol),
        method_cards.section(protocol, evidence.cards, evidence.trials),
        method_trials.section(evidence.trials, protocol),
        method_ceiling.section(protocol, evidence.ceiling),
        method_people.section(protocol, evidence.people),
        method_usage.section(board, evidence.prices),
        method_seasons.section(board, boards),
        _constants(protocol),
        _verify(),
        _limits(protocol),
    )
    kept = board.protocol_id if len(boards) > 1 else ""
    return shell.page("page-method", el("div", body, cls="cb-prose"), here=HERE, protocol=kept)


def _contents(protocol: Protocol, *, has_seasons: bool, has_trust: bool) -> Markup:
    judged = {"judge": "The judge", "people": "Judge and people", "usage": "Cost"} if protocol.judge else {}
    places = {
        "clip": "One clip's way",
        "dimensions": "What is measured",
        "not-measured": "What is not",
        "gate": "The word gate",
        "ranks": "Ranks",
        **({"trust": "Trust"} if has_trust else {}),
        "instruments": "Instruments",
        **({"judge": judged.pop("judge")} if judged else {}),
        **({"cards": "Cards"} if measurable(protocol) else {}),
        "trials": "On trial",
        "ceiling": "Flawless ceiling",
        **judged,
        **({"seasons": "Seasons"} if has_seasons else {}),
        "constants": "Constants",
        "verify": "Verify",
        "limits": "Limits",
    }
    return el(
        "nav",
        *(el("a", label, href=f"#{name}") for name, label in places.items()),
        cls="cb-contents",
        aria_label="On this page",
    )


def _one_clip(protocol: Protocol) -> Markup:
    corpus = protocol.corpus
    text = join(
        f"Every system reads the same {corpus.n_items} scripts of ",
        el("code", corpus.name),
        ", each in the voice that an instruction in plain words asks for. A clip is decoded once into a canonical form "
        "(mono FLAC at its own rate); that file is measured and published, so anybody measures the same samples.",
    )
    formula = el(
        "p",
        "composite = gate × geometric mean of all dimensions, none counted below ",
        f"{protocol.constants.desirability_floor:g}",
        cls="cb-formula",
    )
    more = "A system's score S is the plain mean of its composites over all items. A declined item counts 0."
    return el("section", el("h2", "One clip's way"), el("p", text), formula, el("p", more), id="clip")


def _dimensions(protocol: Protocol) -> Markup:
    rows = [_dimension(name, protocol) for name in protocol.dimensions]
    head = el("tr", *(shell.column(text) for text in ("Dimension", "How it is measured", "Desirability from 0 to 1")))
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-text", id="method-dimensions")
    return el("section", el("h2", "What is measured"), shell.scroll_box(table, "Dimensions"), id="dimensions")


def _dimension(name: str, protocol: Protocol) -> Markup:
    constants = protocol.constants
    values = {
        "slow": constants.pace_slow_below,
        "fast": constants.pace_fast_from,
        "pitch": constants.pitch_dead_zone_semitones,
        "loudness": constants.loudness_dead_zone_db,
    }
    measured_by = dimensions.how(protocol, name)
    if measured_by == "predicted":
        how, marked = _HOW[NATURALNESS], el("b", words.PREDICTOR_NOTE)
    elif measured_by == "judged":
        how, marked = _judged_how(name), join(_KINDS[Kind.JUDGED])
    else:
        one = trait(name)
        how = _HOW.get(name) or f"{one.question} {dimensions.measurer(protocol, name)} reads it off the clip."
        marked = join(
            _KINDS[one.kind].format(adjacent=constants.adjacent_credit, tolerance=one.tolerance, unit=one.unit)
        )
    label = el("th", words.header(name).label, scope="row")
    return el("tr", label, el("td", how.format(**values)), el("td", marked))


def _judged_how(name: str) -> str:
    question = next((one.question for one in named([name])), "Could a person have read it so?")
    return f"{question} A model that listens hears the clip beside the anchor's, in both orders, with a written rubric."


def _left_out(protocol: Protocol) -> Markup:
    if not protocol.not_measured:
        return el("section", el("h2", "What is not measured"), el("p", "Nothing is left out."), id="not-measured")
    pairs: list[tuple[str, Child]] = [(words.header(name).label, why) for name, why in protocol.not_measured.items()]
    lead = "A dimension that cannot be measured well is left out and said so, never filled with a guess or a zero."
    return el("section", el("h2", "What is not measured"), el("p", lead), shell.facts(pairs), id="not-measured")


def _ranks(constants: Constants) -> Markup:
    lines = (
        "Of each pair, the system with the higher mean challenges the other on the items both were given.",
        f"The items are resampled {constants.n_resamples:,} times (seed {constants.seed}); the "
        f"{constants.alpha * 100:g}th percentile of the mean paired difference is the lower bound, LCB.",
        f"The margin is the larger of {constants.margin_floor:g} and {constants.margin_slope:.0%} of the room between "
        "the lower score and 1; near 1 the floor alone is left.",
        "LCB above the margin is a win; everything else is a tie.",
        "A system's best rank is one more than the number of systems that beat it; its worst is the number of "
        "systems less those that it beats.",
    )
    exact = "All of it is done in whole millionths, so that it comes out the same to the last digit on every machine."
    return el(
        "section",
        el("h2", "Ranks are bands"),
        el("ol", *(el("li", line) for line in lines)),
        el("p", exact),
        id="ranks",
    )


def _limits(protocol: Protocol) -> Markup:
    own = [
        text
        for (role, name), text in words.LIMITS_OF_INSTRUMENTS.items()
        if role in protocol.instruments and protocol.instruments[role].name == name
    ]
    has_models = any(one.model for one in protocol.instruments.values())
    lines = (
        *words.LIMITS_OF_NUMBERS,
        *own,
        *((words.LIMITS_OF_MODELS,) if has_models else ()),
        *(words.LIMITS_OF_JUDGES if protocol.judge else ()),
    )
    return el(
        "section",
        el("h2", "Limits of the numbers"),
        el("ul", *(el("li", line) for line in lines)),
        el("p", words.VOTES_OFFER, " ", el("a", words.VOTES_LINK, href=address("/votes", protocol=protocol.id)), "."),
        id="limits",
    )


def _constants(protocol: Protocol) -> Markup:
    c = protocol.constants
    pairs: list[tuple[str, Child]] = [
        ("Protocol", join(protocol.name, " ", el("code", protocol.id))),
        ("Corpus", el("code", protocol.corpus.name)),
        ("sha256 of its file", el("code", protocol.corpus.file_sha256, cls="cb-hash")),
        ("Spoken form", el("code", protocol.normaliser)),
        ("Desirability floor", f"{c.desirability_floor:g}"),
        ("Desirability of an adjacent bucket", f"{c.adjacent_credit:g}"),
        ("Word-error limit", f"{c.wer_limit:g}"),
        ("Pace", f"slow below {c.pace_slow_below:g}, fast from {c.pace_fast_from:g} words/s"),
        ("Pitch dead zone", f"±{c.pitch_dead_zone_semitones:g} semitones"),
        ("Loudness dead zone", f"±{c.loudness_dead_zone_db:g} dB"),
        ("Resamples", f"{c.n_resamples:,}, seed {c.seed}"),
        ("Lower bound", f"{c.alpha * 100:g}th percentile"),
        ("Margin", f"max({c.margin_floor:g}, {c.margin_slope:g} × (1 − lower score))"),
    ]
    file = el(
        "a",
        "Protocol file, JSON",
        href=f"/download/protocol/{protocol.id}.json",
        cls="cb-button",
        id="protocol-file",
        download=True,
    )
    note = "Change one of these and it is another protocol with another id, and another board."
    return el("section", el("h2", "Constants"), el("p", note), shell.facts(pairs), el("p", file), id="constants")


def _verify() -> Markup:
    code = f"python app.py fetch {SITE_ADDRESS} copy\npython app.py verify copy\npython app.py verify copy --deep 20"
    lead = join(
        "Everything on the board follows from published files, and every one of them can be taken away: ",
        el("a", "/published/index.json", href=f"{ROUTE}/index.json", id="published-index"),
        " lists them with size and sha256, each under its address ",
        el("code", f"{ROUTE}/…"),
        ". The first command makes a copy of them all. The second works out every number again from that copy alone "
        "and says “identical”, or names the first difference.",
    )
    one = "The third also measures twenty clips afresh from the published audio."
    hand = join(
        "By hand: take a system's per-item CSV from its page, average ",
        el("code", "composite"),
        " over all items, and compare with S. Each clip's ",
        el("code", "clip_sha256"),
        " is the hash of the very file the player plays.",
    )
    check = join(
        "Before you submit, the same check as on the Submit page runs offline: ",
        el("code", "python app.py check my-system.zip"),
    )
    return el(
        "section",
        el("h2", "How to verify"),
        el("p", lead),
        el("pre", el("code", code, data_site_address=SITE_ADDRESS)),
        el("p", one),
        el("p", hand),
        el("p", check),
        id="verify",
    )
