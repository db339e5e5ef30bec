"""The method page's part on the word gate: how it decides, and its own record on real voices."""

from evaluation.ceiling_gate import gate_errors
from evaluation.gate import trial as record
from evaluation.gate.normalisers import LITE_1
from evaluation.gate.trial import Rate, Trial
from evaluation.protocol import Protocol
from leaderboard import shell, words
from leaderboard.markup import Markup, el, join

_LAST_TEXT = 2  # column of the last heading that stands over text, from 0
_HEARD_BY = {"lite": "the transcriber", "base": "Whisper base"}


def build(protocol: Protocol) -> Markup:
    """Return the section for a protocol; the trial's figures only if it heard with the same transcribers."""
    trial = record.shipped()
    is_tried = trial.corpus == protocol.corpus.name and gate_errors(protocol, trial) is not None
    return el(
        "section",
        el("h2", "The word gate"),
        el("p", _rule(protocol)),
        el("p", _again(protocol)) if "transcriber_again" in protocol.instruments else None,
        _trial(trial) if is_tried else None,
        id="gate",
    )


def _rule(protocol: Protocol) -> str:
    if protocol.normaliser == LITE_1:
        forms = "Script and transcript are brought to the same spoken form (numbers, abbreviations), and "
    else:
        forms = (
            "It is held against every way in which a careful reader may say the script (“$4.50” as “four dollars "
            "fifty”, “four point five dollars”, “four dollars and fifty cents”), and of the nearest one "
        )
    return (
        f"A transcriber writes down each clip. {forms}the word-error rate is counted. Up to "
        f"{protocol.constants.wer_limit:.0%} the clip passes; beyond, its composite is 0, however fine the voice. The "
        "raw transcript is published, so the veto can be argued with."
    )


def _again(protocol: Protocol) -> str:
    second = protocol.instruments.get("second_transcriber")
    others = f" and by {second.name}" if second else ""
    return (
        "Transcribers fail too: they loop, write more than anybody can say, or nothing. Such a clip is heard again "
        f"under another setting{others}. The hearing with the fewest errors counts; if they differ, all are shown."
    )


def _trial(trial: Trial) -> Markup:
    n_vetoes, n = record.vetoes(trial)
    voices = ", ".join(dict.fromkeys(cell.engine for cell in trial.cells))
    lines = [
        f"On {n} clips of real voices ({voices}), the whole hard tier and a few of the others, the gate vetoes "
        f"{n_vetoes}."
    ]
    false, own = record.rate_of(trial, "gate", "transcriber"), record.rate_of(trial, "gate")
    if false is not None and own is not None:
        lines.append(
            f"{len(trial.verdicts)} of these vetoes, drawn at random, were checked by hand, script against transcript. "
            f"By that, {_shown(false)} of all clips are vetoed although the voice would have passed: the transcriber "
            f"misheard it, or, in {_shown(own)} of all clips, the gate refused a right reading. The "
            "intervals tell how far the hand check can be wrong, not how other voices would do."
        )
    command = join("The figures come from ", el("code", "python app.py gate-trial"), "; anybody can run it.")
    return join(
        el("h3", "The gate on trial"),
        el("p", " ".join(lines), id="gate-false-vetoes"),
        shell.scroll_box(_table(trial), "Clips that pass, by voice, tier and way to compare"),
        el("p", command),
    )


def _table(trial: Trial) -> Markup:
    heads = ("Voice", "Tier", "Heard by", "Clips", "Lower case, bare letters", "Whisper’s normaliser", "This gate")
    voices = list(dict.fromkeys(cell.engine for cell in trial.cells))
    cells = sorted(trial.cells, key=lambda cell: (voices.index(cell.engine), cell.tier, cell.transcriber != "lite"))
    rows = [
        el(
            "tr",
            el("th", cell.engine, scope="row"),
            el("td", words.TIERS[cell.tier]),
            el("td", _HEARD_BY.get(cell.transcriber, cell.transcriber)),
            el("td", str(cell.n), cls="cb-num"),
            *(el("td", f"{passed / cell.n:.1%}", cls="cb-num") for passed in cell.passed),
        )
        for cell in cells
    ]
    head = el("tr", *(shell.column(text, "cb-num" if at > _LAST_TEXT else None) for at, text in enumerate(heads)))
    return el("table", el("thead", head), el("tbody", *rows), cls="cb-table", id="gate-trial")


def _shown(rate: Rate) -> str:
    return f"{rate.share:.1%} (95 %: {rate.interval.low:.1%} to {rate.interval.high:.1%})"
