"""The instruments on trial: how often they err by themselves, and what nobody has measured yet."""

from evaluation.bootstrap import wilson_interval
from evaluation.protocol import Protocol
from leaderboard import display, shell
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import confusion
from leaderboard.trials import ClassTrial, PitchTrial, Trials, concerns

ALPHA = 0.05
"""Share left outside the intervals."""


def section(trials: Trials, protocol: Protocol) -> Markup:
    """Return the section of the Method page; trials of instruments that the protocol does not use are left out."""
    lead = "A number is worth no more than the instrument behind it. This is what is known of ours, and what is not."
    unknown: list[tuple[str, Child]] = [(one.what, one.why) for one in trials.unknown if concerns(one, protocol)]
    return el(
        "section",
        el("h2", "The instruments on trial"),
        el("p", lead),
        _gender(trials.gender) if concerns(trials.gender, protocol) else None,
        _pitch(trials.pitch) if concerns(trials.pitch, protocol) else None,
        el("h3", "What is not known"),
        shell.facts(unknown),
        id="trials",
    )


def rate(n_right: int, n_clips: int) -> str:
    """Return a share with its Wilson interval: "845 of 866, 97.6% (96.3% to 98.4%)"."""
    interval = wilson_interval(n_right, n_clips, alpha=ALPHA)
    share = display.percent(n_right / n_clips) if n_clips else display.DASH
    spread = f" ({display.percent(interval.low)} to {display.percent(interval.high)})" if interval else ""
    return f"{n_right:,} of {n_clips:,}, {share}{spread}"


def _gender(trial: ClassTrial) -> Markup:
    counts = confusion.table(
        trial.confusion,
        tuple(trial.confusion),
        down="Label",
        caption="Labelled clips by label and measured value",
        label="Confusion of the gender probe on labelled clips",
    )
    engine_head = el("tr", *(shell.column(text) for text in ("Engine", "Measured as labelled")))
    engines = [
        el("tr", el("th", one.engine, scope="row"), el("td", rate(one.n_right, one.n_clips))) for one in trial.engines
    ]
    by_engine = el("table", el("thead", engine_head), el("tbody", *engines), cls="cb-table", id="trial-engines")
    return join(
        el("h3", trial.instrument.capitalize()),
        el("p", trial.what),
        el("p", el("b", f"Right on {rate(trial.n_right, trial.n_clips)}."), " The interval is Wilson's, 95 %."),
        el(
            "div",
            el("div", counts, id="trial-gender"),
            shell.scroll_box(by_engine, "The gender probe by engine"),
            cls="cb-columns",
        ),
        _again(trial.source),
    )


def _pitch(trial: PitchTrial) -> Markup:
    octaves = f"{trial.n_octave_errors}" if trial.n_octave_errors else "none"
    pairs: list[tuple[str, Child]] = [
        ("Clips", f"{trial.n_clips}"),
        ("Correlation", f"{trial.correlation:.4f}"),
        ("Median difference", f"{trial.median_difference_semitones:.2f} semitones"),
        ("Worst difference", f"{trial.worst_difference_semitones:.2f} semitones"),
        ("An octave apart", octaves),
    ]
    lead = join("Its median pitch against that of ", el("code", trial.rival), " on the same clips:")
    return join(el("h3", trial.instrument.capitalize()), el("p", lead), shell.facts(pairs), _again(trial.source))


def _again(source: str) -> Markup:
    return el("p", "Measured with ", el("code", source), ".", cls="cb-small")
