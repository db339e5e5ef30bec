"""The submit page's words: rules, the report of a check, the receipt. The form itself is in `leaderboard.forms`."""

from collections.abc import Sequence

from evaluation.audio_facts import Limits
from evaluation.corpus import Corpus
from evaluation.protocol import Protocol
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import submit_plan
from leaderboard.query import address
from leaderboard.turnaround import Turnaround
from submissions.archive import ArchiveLimits
from submissions.intake import CheckResult
from submissions.problems import Problem
from submissions.reception import Receipt
from submissions.state import State

HERE = "/submit"
_N_OPEN = 200
"""Places of one problem that are listed; more are in the command line's report."""


def build(
    corpus: Corpus,
    limits: Limits,
    archive_limits: ArchiveLimits,
    protocol: Protocol,
    expected: Turnaround | None = None,
) -> Markup:
    """Return what stands above the form: prompts, rules, and what becomes of a zip under `protocol`."""
    body = join(
        shell.title("Submit a system", words.SUBMIT_LEAD),
        el("div", _prompts(corpus), _rules(corpus, limits, archive_limits), cls="cb-columns"),
        submit_plan.section(protocol, expected),
        el("h2", "The card and the zip", id="submit-form-title"),
        el(
            "p",
            "What you write here is public, but for the contact. Blank fields are taken from system.json in the zip.",
            cls="cb-small",
        ),
    )
    return shell.page("page-submit", body, here=HERE)


def _prompts(corpus: Corpus) -> Markup:
    links = el(
        "p",
        el(
            "a",
            "Prompts, JSONL",
            href="/download/prompts.jsonl",
            id="prompts-jsonl",
            cls="cb-button cb-strong",
            download=True,
        ),
        el("a", "Prompts, CSV", href="/download/prompts.csv", id="prompts-csv", cls="cb-button", download=True),
    )
    text = (
        f"{display.count(len(corpus.items), 'prompt')}: an id, an instruction that describes the voice, a script to "
        "read. Nothing else may reach your system; how you pass the instruction is yours to choose and to tell."
    )
    first = corpus.items[0] if corpus.items else None
    example = (
        el(
            "figure",
            el("blockquote", first.instruction),
            el("figcaption", f"{first.id}: “{first.script}”"),
            cls="cb-example",
        )
        if first
        else None
    )
    return el(
        "section", el("h2", "1. Take the prompts"), el("p", text), links, example, id="submit-prompts", cls="cb-panel"
    )


def _rules(corpus: Corpus, limits: Limits, archive: ArchiveLimits) -> Markup:
    example = corpus.items[0].id if corpus.items else "item"
    lines: list[Child] = [
        join(
            "One zip, one file an item, named by its id: ",
            el("code", f"{example}.wav"),
            "; wav, flac, mp3, ogg or opus, all in one folder or at the root.",
        ),
        f"Up to {display.size(archive.zip_bytes)} a zip and {display.size(archive.member_bytes)} a file.",
        f"Clips of {limits.min_s:g} to {limits.max_s:g} s, {limits.min_hz / 1000:g} to {limits.max_hz / 1000:g} kHz, "
        "one or two channels (two are averaged).",
        join(
            "Every item needs a clip, or its id in ",
            el("code", "declined.json"),
            ": a declined item scores 0 and shows as coverage.",
        ),
        join("An optional ", el("code", "system.json"), " fills the form."),
        "The clips are published, so that everybody can hear what the numbers say. Send only what may be published.",
        "A check costs nothing, and what fails by our fault costs nothing.",
    ]
    offline = el("p", "The same check offline: ", el("code", "python app.py check my-system.zip"), cls="cb-small")
    return el(
        "section",
        el("h2", "2. Synthesise and zip"),
        el("ul", *(el("li", line) for line in lines)),
        offline,
        id="submit-rules",
        cls="cb-panel",
    )


def waiting() -> Markup:
    """Return what stands where the answer will be."""
    return el("div", el("p", "The report of the check appears here.", cls="cb-small"), id="submit-answer")


def report(result: CheckResult, card_problems: Sequence[Problem] = ()) -> Markup:
    """Return the whole report of a check; `card_problems` are those of the form."""
    in_form = tuple(problem for problem in card_problems if problem.kind == "problem")
    problems = (*result.problems, *in_form)
    warnings = (*result.warnings, *(problem for problem in card_problems if problem.kind == "warning"))
    if result.is_unreadable:
        heading, look = "This file cannot be opened as a submission", "bad"
    elif problems:
        heading, look = f"{display.count(len(problems), 'problem')} to mend", "bad"
    else:
        heading, look = "Clean: ready to be submitted", "good"
    counts = _counts(result)
    parts = [_problems("Problems", problems, "bad"), _problems("Remarks; nothing here blocks", warnings, "warn")]
    sha = (
        el("p", "sha256 of the zip ", el("code", result.zip_sha256, cls="cb-hash"), cls="cb-small")
        if result.zip_sha256
        else None
    )
    head = el("h3", heading, cls=f"cb-{look}-text")
    return el(
        "section",
        head,
        el("p", counts),
        *parts,
        sha,
        id="submit-answer",
        cls=f"cb-panel cb-answer cb-{look}-edge",
        data_result=look,
        role="status",
    )


def _counts(result: CheckResult) -> str:
    if result.is_unreadable:
        return "Nothing inside it could be looked at."
    seconds = sum(clip.duration_s for clip in result.clips)
    declined = f" {display.count(len(result.declined), 'item')} declined." if result.declined else ""
    readable = f"{len(result.clips):,} of {result.n_items:,} items have a clip that can be read"
    return f"{readable}, {display.span(seconds)} of audio.{declined}"


def refused(problems: Sequence[Problem], heading: str = "") -> Markup:
    """Return the report of a submission that was not taken."""
    head = heading or f"Not taken: {display.count(len(problems), 'problem')} to mend"
    title = el("h3", head, cls="cb-bad-text")
    return el(
        "section",
        title,
        _problems("Problems", problems, "bad"),
        id="submit-answer",
        cls="cb-panel cb-answer cb-bad-edge",
        data_result="bad",
        role="alert",
    )


def remark(text: str) -> Markup:
    """Return one sentence in place of an answer."""
    return el("div", shell.notice(text, look="warn"), id="submit-answer", role="alert")


def receipt(given: Receipt) -> Markup:
    """Return the receipt."""
    place = (
        "not waiting"
        if given.place_in_queue is None
        else f"{given.place_in_queue}" + (" (next)" if given.place_in_queue == 1 else "")
    )
    pairs: list[tuple[str, Child]] = [
        ("Id", el("code", given.submission, id="receipt-id")),
        ("sha256 of the zip", el("code", given.zip_sha256, cls="cb-hash", id="receipt-sha256")),
        ("State", words.STATES[given.state.value].label),
        ("Place in the queue", el("span", place, id="receipt-place")),
    ]
    again = (
        el("p", "The very same zip with the same card was here before; this is its receipt.")
        if given.is_repeat
        else None
    )
    follow = el(
        "a",
        "Follow it in the queue",
        href=address("/queue", id=given.submission),
        cls="cb-button cb-strong",
        id="receipt-queue",
    )
    row = (
        el("a", "Open its row", href=address("/system", id=given.submission), cls="cb-button")
        if given.state is State.PUBLISHED
        else None
    )
    waits = (
        None
        if given.is_pushed
        else el("p", el("b", words.UNPUSHED), " ", words.UNPUSHED_NOTE, id="receipt-unpushed", cls="cb-held")
    )
    head = el("h3", "Taken. This is your receipt", cls="cb-good-text")
    return el(
        "section",
        head,
        again,
        waits,
        shell.facts(pairs),
        el("p", follow, row),
        id="submit-answer",
        cls="cb-panel cb-answer cb-good-edge",
        data_result="receipt",
        role="status",
    )


def _problems(heading: str, problems: Sequence[Problem], look: str) -> Markup | None:
    if not problems:
        return None
    return el(
        "div",
        el("h4", heading),
        el("ol", *(problem_line(problem) for problem in problems), cls=f"cb-problems cb-{look}"),
    )


def problem_line(problem: Problem) -> Markup:
    """Return one problem: what, where, allowed, got."""
    pairs: list[tuple[str, Child]] = [
        (label, value)
        for label, value in (
            ("Where", _places(problem.where)),
            ("Allowed", problem.allowed),
            ("Got", _places(problem.got)),
        )
        if value
    ]
    return el("li", el("b", f"{problem.what}."), shell.facts(pairs), data_code=problem.code)


def _places(text: str) -> Child:
    places = text.split(", ")
    if len(places) <= 8:
        return text
    listed = ", ".join(places[:_N_OPEN]) + (f" and {len(places) - _N_OPEN:,} more" if len(places) > _N_OPEN else "")
    return el("details", el("summary", f"{', '.join(places[:4])} and {len(places) - 4:,} more"), el("p", listed))
