"""The queue page: what happens to each submission, whose turn it is, and why each one ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.protocol import Protocol
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import people, queue_work
from leaderboard.pages.submit import problem_line
from leaderboard.query import address
from submissions.demo.status import DemoStatus, SystemStatus
from submissions.queue import waiting
from submissions.renaming import names_of
from submissions.state import Reason, State, SubmissionState
from submissions.worker_status import WorkerStatus

HERE = "/queue"
N_ENDED = 50
"""Ended submissions that are listed; one that an address names is always listed."""
_OPERATORS = ("stopped", "operator")
"""Codes whose message is an operator's own words."""
_ENDED = frozenset({State.PUBLISHED, State.REJECTED, State.FAILED, State.WITHDRAWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Everything that goes on."""

    states: tuple[SubmissionState, ...]
    """Every submission, first received first."""
    workers: tuple[WorkerStatus, ...]
    """The last word of every worker."""
    demo: DemoStatus | None = None
    """How far the demo systems are; None if none are made."""
    protocols: Mapping[str, Protocol] = field(default_factory=dict)
    """Protocols that are known here, by id."""
    default: str = ""
    """Id of the one that new submissions are evaluated under."""
    own: frozenset[str] = frozenset()
    """Submissions of the person who looks."""
    unpushed: frozenset[str] = frozenset()
    """Submissions that are kept on this machine alone while the hub is away."""


def build(work: Work, picked: str) -> Markup:
    """Return the whole page; `picked` is the submission that the address names, or empty."""
    places: dict[str, int] = {state.submission: place for place, state in enumerate(waiting(work.states), start=1)}
    running = [state for state in work.states if state.state is State.RUNNING]
    in_line = sorted(
        (state for state in work.states if state.state in (State.RECEIVED, State.QUEUED)),
        key=lambda state: places.get(state.submission, len(work.states) + 1),  # a hidden one has no place
    )
    ended = sorted(
        (state for state in work.states if state.state in _ENDED), key=lambda state: state.since, reverse=True
    )
    listed = [state for at, state in enumerate(ended) if at < N_ENDED or state.submission == picked]
    unknown = picked and all(state.submission != picked for state in work.states)
    body = join(
        shell.title("Queue", words.QUEUE_LEAD),
        shell.notice(join("No submission has the id ", el("code", picked), "."), look="warn") if unknown else None,
        _workers(work.workers),
        _demo(work.demo) if work.demo is not None and not work.demo.is_finished else None,
        _now([*running, *in_line], places, work, picked),
        _past(listed, len(ended), work, picked),
    )
    return shell.page("page-queue", body, here=HERE)


def age(stamp: str) -> Markup:
    """Return a time that the page keeps showing as "3 min ago"."""
    return el("time", display.when(stamp), datetime=stamp, data_age=True, title=display.when(stamp))


def _workers(workers: Sequence[WorkerStatus]) -> Markup:
    if not workers:
        return el(
            "div",
            shell.notice("No worker has reported yet. Submissions wait until one does; nothing is lost."),
            id="queue-workers",
        )
    lines = [
        el(
            "li",
            el("b", status.worker),
            " ",
            el("span", words.WORKER_STAGES[status.stage], cls="cb-soft"),
            el("span", "last heartbeat ", age(status.updated_at), cls="cb-beat"),
            el("span", queue_work.judge_away(status) or status.message, cls="cb-soft") if status.message else None,
        )
        for status in workers
    ]
    return el("ul", *lines, id="queue-workers", cls="cb-workers", aria_label="Workers")


def _demo(status: DemoStatus) -> Markup:
    lines = [_demo_line(system) for system in status.systems]
    lead = el("p", words.DEMO_LEAD, cls="cb-small")
    return el("section", el("h2", "Demo systems"), lead, el("ul", *lines, cls="cb-workers"), id="queue-demo")


def _demo_line(system: SystemStatus) -> Markup:
    is_counted = system.stage in ("speaking", "checking") and system.total > 0
    share = system.done / system.total if is_counted else 0.0
    meter = el("progress", value=f"{share:.3f}", max=1, aria_label=f"{share:.0%} of the clips") if is_counted else None
    told = f"{system.done} of {system.total} clips" if is_counted else system.message
    sent = el("a", "in the queue", href=address(HERE, id=system.submission)) if system.submission else None
    stage = el("span", words.DEMO_STAGES.get(system.stage, system.stage), cls="cb-soft")
    return el(
        "li", el("b", system.name), stage, meter, el("small", told) if told else None, sent, data_stage=system.stage
    )


def _now(states: Sequence[SubmissionState], places: Mapping[str, int], work: Work, picked: str) -> Markup:
    if not states:
        empty = el("p", "Nothing is waiting. ", el("a", "Submit a system", href="/submit"), ".")
        return el("section", el("h2", "Now"), empty, id="queue-now")
    lines = [_active(state, places, work, picked) for state in states]
    head = _heads("Submission", "State", "Progress", "Received")
    table = el("table", el("thead", head), el("tbody", *lines), cls="cb-table cb-queue", id="queue-table")
    return el("section", el("h2", "Now"), shell.scroll_box(table, "Running and waiting submissions"), id="queue-now")


def _heads(*labels: str) -> Markup:
    return el("tr", *(shell.column(label) for label in labels))


def _active(state: SubmissionState, places: Mapping[str, int], work: Work, picked: str) -> Markup:
    place = places.get(state.submission)
    status = next((status for status in work.workers if status.submission == state.submission), None)
    protocol = queue_work.protocol_of(state, work.protocols, work.default)
    note: list[Child] = [f"place {place}" if place else None]
    if state.submission in work.unpushed:
        note.append(el("span", f"{' · ' if place else ''}{words.UNPUSHED}", cls="cb-held", title=words.UNPUSHED_NOTE))
    if state.hidden is not None:
        note.append(el("span", _hidden(state), cls="cb-held"))
    elif state.is_held:
        note.append(join(" · " if place else "", queue_work.held(state)))
    elif state.reason is not None and state.state is not State.RUNNING:
        again = _told(state.reason)
        note.append(join("tried again: ", again, _whose(state)))
    return el(
        "tr",
        _who(state, work),
        el("td", _state_mark(state), el("small", *note), cls="cb-state-cell"),
        el("td", queue_work.progress(state, status, protocol)),
        el("td", age(state.received_at)),
        id=f"queue-{state.submission}",
        cls="cb-picked" if state.submission == picked else None,
        data_state=state.state.value,
    )


def _who(state: SubmissionState, work: Work) -> Markup:
    if state.hidden is not None and state.submission not in work.own:
        return el("th", "Hidden submission", el("small", el("code", state.submission)), scope="row", cls="cb-system")
    system, organisation = names_of(state)
    name = f"{system} {state.received.card.version}"
    mark = people.yours(state.submission) if state.submission in work.own else None
    below = el("small", f"{organisation} · ", el("code", state.submission), mark)
    return el("th", name, below, scope="row", cls="cb-system")


def _told(reason: Reason) -> str:
    known = words.REASON_CODES.get(reason.code, reason.code)
    return f"{known}: {reason.message}" if reason.code in _OPERATORS else reason.message or known


def _hidden(state: SubmissionState) -> str:
    return f"hidden by the operator. Reason: {state.hidden.reason}" if state.hidden else ""


def _state_mark(state: SubmissionState) -> Markup:
    told = words.STATES["hidden" if state.hidden is not None else state.state.value]
    return el("span", told.label, cls=f"cb-state cb-{told.look}", data_tip=told.meaning, tabindex=0)


def _past(states: Sequence[SubmissionState], n_ended: int, work: Work, picked: str) -> Markup | None:
    if not states:
        return None
    head = _heads("Submission", "End", "Why", "When")
    table = el(
        "table",
        el("thead", head),
        el("tbody", *(_ended(state, work, picked) for state in states)),
        cls="cb-table cb-queue",
        id="queue-ended",
    )
    more = el("p", f"The last {N_ENDED} of {n_ended:,}.", cls="cb-small") if n_ended > len(states) else None
    return el("section", el("h2", "Ended"), shell.scroll_box(table, "Ended submissions"), more, id="queue-past")


def _ended(state: SubmissionState, work: Work, picked: str) -> Markup:
    return el(
        "tr",
        _who(state, work),
        el("td", _state_mark(state)),
        el("td", _why(state), cls="cb-why"),
        el("td", age(state.since)),
        id=f"queue-{state.submission}",
        cls="cb-picked" if state.submission == picked else None,
        data_state=state.state.value,
    )


def _why(state: SubmissionState) -> Markup:
    if state.hidden is not None:
        return el("span", _hidden(state))
    if state.state is State.PUBLISHED:
        return _row(state, "Open its row")
    reason = state.reason
    if reason is None:
        return el("span", display.DASH)
    text = _told(reason)
    trace = join(" Reference ", el("code", reason.trace_id), ".") if reason.trace_id else None
    listed = (
        el("ol", *(problem_line(problem) for problem in reason.problems), cls="cb-problems cb-bad")
        if reason.problems
        else None
    )
    details = (
        el(
            "details",
            el("summary", display.count(len(reason.problems), "problem")),
            listed,
            id=f"why-{state.submission}",
        )
        if listed
        else None
    )
    season = f" It was to get a row under protocol {state.wanted}." if state.wanted else None
    kept = join(" ", _row(state, "Its row of before stays"), ".") if state.protocols else None
    stop = ". " if not text.endswith(".") else " "
    return el("div", text, stop, el("code", reason.code), _whose(state), season, kept, trace, details)


def _row(state: SubmissionState, label: str) -> Markup:
    return el("a", label, href=address("/system", id=state.submission, protocol=state.protocol or ""))


def _whose(state: SubmissionState) -> Markup | None:
    told = words.FAULTS.get(state.reason.fault) if state.reason else None
    return el("span", f" {told}", cls="cb-whose") if told else None
