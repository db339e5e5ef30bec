"""The status page: whether all is well, when the board is brought up to date, who works on it."""

from leaderboard import display, shell, words
from leaderboard.as_of import moment
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages.queue import age
from leaderboard.status_view import Status, WorkerLine
from submissions.store.base import StoreHealth

HERE = "/status"


def build(status: Status | None) -> Markup:
    """Return the page; None: nothing is known yet."""
    head = shell.title("Status", words.STATUS_LEAD)
    if status is None:
        return shell.page("page-status", join(head, shell.notice(words.STATUS_UNKNOWN)), here=HERE)
    body = join(
        head,
        _verdict(status),
        el("h2", "When is the board updated?"),
        el("p", _updated(status), id="status-updated", cls="cb-prose"),
        el("h2", "Details"),
        shell.facts(_facts(status)),
        el("h2", "Workers"),
        _workers(status),
        el(
            "p",
            words.STATUS_MORE,
            " ",
            el("a", "/healthz", href="/healthz"),
            ". ",
            _log_link(),
            cls="cb-small",
            id="status-more",
        ),
    )
    return shell.page("page-status", body, here=HERE)


def _verdict(status: Status) -> Markup:
    if not status.problems:
        return el("div", shell.notice(words.STATUS_GOOD, look="good"), id="status-verdict", data_status="ok")
    lines = (el("li", words.STATUS_PROBLEMS[problem]) for problem in status.problems)
    told = shell.notice(el("ul", *lines, cls="cb-plain"), look="warn", heading="Not all is well")
    return el("div", told, id="status-verdict", data_status="degraded")


def _updated(status: Status) -> Markup:
    last = (
        join("The last row came ", age(status.last_published_at), ". ")
        if status.last_published_at
        else "No row has come yet. "
    )
    if status.expected_s is not None:
        coming = f"The next one is expected in about {display.span(status.expected_s)}."
    elif status.n_running or status.n_waiting:
        coming = "The next one comes when what waits now has been evaluated; how long that takes is not known."
    else:
        coming = "Nothing runs or waits, so the board stays as it is until somebody submits."
    return join(words.STATUS_WHEN, " ", last, coming)


def _facts(status: Status) -> list[tuple[str, Child]]:
    oldest = f", the oldest for {display.span(status.oldest_waiting_s)}" if status.oldest_waiting_s is not None else ""
    running = f"{status.n_running} running, " if status.n_running else ""
    commit = join(" ", el("code", status.commit)) if status.commit else None
    names = [join(name, " ", el("code", protocol_id)) for protocol_id, name in status.protocols]
    judge: Child = words.STATUS_JUDGE[status.judge]
    if status.judge_away_since:
        judge = join(judge, " since ", display.when(status.judge_away_since), ".")
    facts: list[tuple[str, Child]] = [
        ("Version", join(status.version, commit)),
        ("Protocol", join(*names, by=", ")),
        ("Queue", el("a", f"{running}{status.n_waiting} waiting{oldest}", href="/queue")),
        ("Judge", judge),
        ("Board", _store(status.board)),
        ("Submissions", _store(status.work)),
    ]
    if status.disk_free_bytes is not None:
        facts.append(("Disk", f"{display.size(status.disk_free_bytes)} free"))
    return facts


def _store(health: StoreHealth) -> str:
    if health.kind == "folder":
        return "kept on this machine"
    state = "the Hub answers" if health.is_reachable else f"the Hub cannot be reached; as of {moment(health.as_of)}"
    spool = f"; {display.count(health.n_unpushed, 'submission')} kept here until it does" if health.n_unpushed else ""
    return state + spool


def _workers(status: Status) -> Markup:
    if not status.workers:
        return el("p", "No worker has reported yet.", cls="cb-note", id="status-workers")
    return el("ul", *(_worker(one) for one in status.workers), id="status-workers", cls="cb-workers")


def _worker(one: WorkerLine) -> Markup:
    look = "good" if one.is_alive else "bad"
    alive = el("span", "alive" if one.is_alive else "silent", cls=f"cb-state cb-{look}")
    stage = words.WORKER_STAGES.get(one.stage, one.stage) if one.is_here else "at work on another machine"
    beat = el("span", "last heartbeat ", age(one.at), cls="cb-beat")
    return el("li", el("b", one.name), " ", alive, " ", el("span", stage, cls="cb-soft"), beat)


def _log_link() -> Markup:
    return join("What operators hid or stopped, and why, stands in ", el("a", "their log", href="/log"), ".")
