"""The method page's part on instruments: each with its model, commit, licence, labels, lengths and known accuracy."""

from collections.abc import Mapping

from evaluation.cards import InstrumentCard, basis_of, measurable
from evaluation.models import LOCAL
from evaluation.pins import ModelPin
from evaluation.protocol import Instrument, Protocol
from leaderboard import display, shell
from leaderboard.evidence import Evidence
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages.method_cards import right_of

HUB = "https://huggingface.co/"
_SHORT = 10
_LEAD = (
    "Versions, commits and files are pinned by the protocol and checked before a run begins. A model that gets "
    "labelled clips of its own canary wrong, whose weights do not fit, or that always says the same is refused."
)
_KINDS = {
    "transformers_classifier": "audio classifier of transformers",
    "age_gender": "regressor with two heads over wav2vec2, for age and gender",
    "speechbrain_classifier": "encoder and classifier of SpeechBrain",
    "embedding_head": "linear head over a speaker embedding",
}


def section(protocol: Protocol, evidence: Evidence) -> Markup:
    """Return the section."""
    if not protocol.instruments:
        return el("section", el("h2", "Instruments"), el("p", "This protocol names none yet."), id="instruments")
    blocks = [_instrument(role, one, evidence) for role, one in protocol.instruments.items()]
    models = [one.model for one in protocol.instruments.values() if one.model]
    bound = [model for model in models if model.is_non_commercial]
    note = (
        shell.notice(
            f"{', '.join(dict.fromkeys(model.repo for model in bound))}: the licence forbids commercial use. Whoever "
            "runs this board has opted in; figures made with it are theirs to use accordingly.",
            look="warn",
            heading="Non-commercial",
        )
        if bound
        else None
    )
    return el(
        "section",
        el("h2", "Instruments"),
        el("p", _LEAD if models else "Versions and weight files are pinned by the protocol and checked before a run."),
        note,
        shell.scroll_box(_table(protocol, evidence.cards), "Instruments"),
        *blocks,
        id="instruments",
    )


def _table(protocol: Protocol, cards: Mapping[str, InstrumentCard]) -> Markup:
    heads = ("Role", "Instrument", "Version", "Licence", "Its card")
    rows = [
        el(
            "tr",
            el("th", role.replace("_", " "), scope="row"),
            el("td", one.name),
            el("td", el("code", _version(one))),
            el("td", one.licence, " ", _mark(one.model)),
            el("td", _card_links(role, protocol, cards)),
        )
        for role, one in protocol.instruments.items()
    ]
    head = el("tr", *(shell.column(text) for text in heads))
    return el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-roles", id="method-instruments")


def _version(one: Instrument) -> str:
    if one.model is None:
        return f"{one.package} {one.version}"
    return one.model.revision if one.model.revision == LOCAL else one.model.revision[:_SHORT]


def _mark(model: ModelPin | None) -> Markup | None:
    return el("span", "non-commercial", cls="cb-chip") if model is not None and model.is_non_commercial else None


def _card_links(role: str, protocol: Protocol, cards: Mapping[str, InstrumentCard]) -> Child:
    names = [name for name in measurable(protocol) if role in basis_of(name).roles]
    if not names:
        return el("span", display.DASH, cls="cb-soft")
    known = [name for name in names if name in cards]
    links = [
        el("a", f"{'' if name == role else f'{name}: '}{right_of(cards[name])}", href=f"#card-{name}") for name in known
    ]
    return join(*links, by="; ") if links else el("span", "none yet", cls="cb-soft")


def _instrument(role: str, one: Instrument, evidence: Evidence) -> Markup:
    pairs: list[tuple[str, Child]] = [
        ("Reads", one.reads),
        ("Runs in" if one.model else "Package", el("code", f"{one.package}=={one.version}")),
        ("Licence", join(one.licence, " ", _mark(one.model))),
        *(
            (f"sha256 of {path.rsplit('/', 1)[-1]}", el("code", digest, cls="cb-hash"))
            for path, digest in one.weights.items()
        ),
        *(_model(one.name, one.model, evidence) if one.model else ()),
        *(("Needs", el("code", f"{name}=={version}")) for name, version in one.needs.items()),
        *((key, el("code", value)) for key, value in one.settings.items()),
    ]
    return el(
        "details",
        el("summary", el("b", one.name), el("span", f" {role} · {one.licence}", cls="cb-soft"), " ", _mark(one.model)),
        shell.facts(pairs),
        cls="cb-instrument",
        id=f"instrument-{role}",
    )


def _model(name: str, model: ModelPin, evidence: Evidence) -> list[tuple[str, Child]]:
    is_on_hub = model.revision != LOCAL
    repo: Child = el("code", model.repo)
    if is_on_hub:
        repo = shell.outside_link(f"{HUB}{model.repo}/tree/{model.revision}", model.repo) or repo
    lengths = (
        f"{model.shortest_s:g} to {model.longest_s:g} s at {model.rate_hz:,} Hz. A shorter clip is not read, which is "
        "said on the clip; of a longer one the middle is heard."
    )
    untried = evidence.untried.get((name, model.repo))
    return [
        ("Model", repo),
        ("Commit", el("code", model.revision, cls="cb-hash") if is_on_hub else "on no hub: files of this machine"),
        ("Kind", _KINDS[model.kind]),
        ("Hears", lengths),
        ("Labels", _labels(model)),
        ("Known accuracy", join(model.known_accuracy, " (", shell.linked(model.accuracy_source), ")")),
        ("Never tried", untried or "Not known: the catalogue of this site does not describe this model."),
        ("Canary", el("code", model.canary_sha256, cls="cb-hash") if model.canary_sha256 else "none"),
        *(
            (f"sha256 of {path.rsplit('/', 1)[-1]}", el("code", digest, cls="cb-hash"))
            for path, digest in model.files.items()
        ),
    ]


def _labels(model: ModelPin) -> Child:
    if not model.labels:
        return f"none: it tells a number, which times {model.scale:g} is the measured value"
    lines = [el("li", el("code", label), f" counts as {value}") for label, value in model.labels.items()]
    more = "Matched exactly. What the model says of any other label is left out before the likeliest value is taken."
    return join(el("ul", *lines, cls="cb-labels"), more)
