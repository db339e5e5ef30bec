"""The operator's page: what there is to look at, with buttons that fill the form below it."""

from collections.abc import Sequence

from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.operator_view import OperatorView, Suspicion
from leaderboard.pages.queue import age
from leaderboard.query import address
from submissions.bans import BanEntry
from submissions.state import SubmissionState
from submissions.store.base import StoreHealth

HERE = "/operator"


def build(view: OperatorView) -> Markup:
    """Return everything that there is to look at."""
    parts = (
        _list("To look at", "operator-flags", [_suspicion(one) for one in view.suspicions], words.NO_FLAGS),
        _list("Asked for other names", "operator-wishes", [_wish(one) for one in view.wishes]),
        _list("Failed", "operator-failed", [_failed(one) for one in view.failed], "No submission has failed."),
        _list("Held", "operator-held", [_held(one) for one in view.held]),
        _list("Running and waiting", "operator-under-way", [_under_way(one) for one in view.under_way]),
        _list("Hidden", "operator-hidden", [_hidden(one) for one in view.hidden]),
        _list("Banned", "operator-bans", [_banned(one) for one in view.bans]),
        el("section", el("h2", "Machines"), _machines(view), id="operator-machines"),
    )
    return join(*parts)


def refused(text: str) -> Markup:
    """Return what stands in the place of the page for anybody else."""
    return shell.notice(text, look="warn")


def _list(title: str, name: str, rows: Sequence[Markup], empty: str = "") -> Markup | None:
    if not rows:
        return el("section", el("h2", title), el("p", empty, cls="cb-note"), id=name) if empty else None
    count = el("small", f" {len(rows):,}")
    return el("section", el("h2", title, count), el("ul", *rows, cls="cb-desk"), id=name)


def _row(state: SubmissionState, told: Child, acts: Sequence[str], *more: Markup) -> Markup:
    card = state.received.card
    known = [el("b", f"{card.system} {card.version}"), el("span", card.organisation, cls="cb-soft")]
    known.append(el("a", el("code", state.submission), href=address("/queue", id=state.submission)))
    sender = state.received.person
    by = el("small", f"sent by {sender.name}") if sender else None
    buttons = [_button(act, state.submission) for act in acts]
    if sender is not None:
        buttons.append(_button("ban", sender.account, label="Ban its sender"))
    return el(
        "li",
        el("div", join(*known, by=" "), " ", by, cls="cb-desk-who"),
        el("div", told, cls="cb-desk-why"),
        el("div", *more, *buttons, cls="cb-desk-acts"),
        data_submission=state.submission,
    )


def _button(act: str, target: str, *, label: str = "", system: str = "", organisation: str = "") -> Markup:
    return el(
        "button",
        f"{label or words.ACTS[act].label} …",
        type="button",
        cls="cb-button cb-quiet",
        data_operate=act,
        data_target=target,
        data_system=system or None,
        data_organisation=organisation or None,
    )


def _suspicion(one: Suspicion) -> Markup:
    other = one.other
    beside: Child = None
    more: list[Markup] = []
    if other is not None:
        card = other.received.card
        pair = el("a", el("code", other.submission), href=address("/queue", id=other.submission))
        beside = join(" Against ", el("b", f"{card.system} {card.version}"), " ", card.organisation, " ", pair, ".")
        if one.can_be_heard:
            where = address("/listen", systems=f"{one.state.submission},{other.submission}")
            more.append(el("a", "Listen to both", href=where, cls="cb-button cb-strong"))
        more.append(_button("hide", other.submission, label="Hide the other"))
    unheard = el("small", " They cannot be heard side by side: not both are on a board.") if not more[:1] else None
    told = join(el("code", one.flag.kind), " ", one.flag.message, beside, unheard if other else None)
    return _row(one.state, told, ("hide", "seen"), *more)


def _wish(state: SubmissionState) -> Markup:
    wish = state.rename_asked
    if wish is None:
        return join()
    told = join("Asks to be called ", el("b", wish.system), " of ", el("b", wish.organisation), f". {wish.reason}")
    grant = _button("rename", state.submission, system=wish.system, organisation=wish.organisation)
    return _row(state, told, (), grant)


def _failed(state: SubmissionState) -> Markup:
    reason = state.reason
    why = (reason.message or reason.code) if reason else ""
    trace = join(" Trace ", el("code", reason.trace_id), ".") if reason and reason.trace_id else None
    return _row(
        state, join(why, " ", el("code", reason.code if reason else ""), trace, " ", age(state.since)), ("requeue",)
    )


def _held(state: SubmissionState) -> Markup:
    reason = state.reason
    told = words.HOLDS.get(reason.code, reason.code) if reason else ""
    since = age(state.held_since or state.since)
    return _row(state, join(f"Waits: {told}. {reason.message if reason else ''} Since ", since), ("resume", "fail"))


def _under_way(state: SubmissionState) -> Markup:
    told = join(words.STATES[state.state.value].label, ", received ", age(state.received_at))
    return _row(state, told, ("fail", "hide"))


def _hidden(state: SubmissionState) -> Markup:
    return _row(state, state.hidden.reason if state.hidden else "", ("unhide",))


def _banned(entry: BanEntry) -> Markup:
    return el(
        "li",
        el("div", el("b", entry.name or "account"), " ", el("code", entry.account), cls="cb-desk-who"),
        el("div", entry.reason, " ", age(entry.at), cls="cb-desk-why"),
        el("div", _button("unban", entry.account), cls="cb-desk-acts"),
    )


def _machines(view: OperatorView) -> Markup:
    lines = [
        el(
            "li",
            el("b", one.worker),
            " ",
            el("span", words.WORKER_STAGES[one.stage], cls="cb-soft"),
            el("span", "last heartbeat ", age(one.updated_at), cls="cb-beat"),
            el("span", one.message, cls="cb-soft") if one.message else None,
        )
        for one in view.workers
    ]
    stores = [el("li", _store(label, health)) for label, health in (("Work", view.work), ("Board", view.board))]
    return el("ul", *lines, *stores, cls="cb-workers")


def _store(label: str, health: StoreHealth) -> Markup:
    where = "in a folder" if health.kind == "folder" else "on the Hub"
    state = "reached" if health.is_reachable else "cannot be reached"
    message = health.message if health.message and not health.is_reachable else None
    spool = f"{display.count(health.n_unpushed, 'submission')} not pushed yet" if health.n_unpushed else None
    told = [part for part in (message, spool) if part]
    return join(el("b", label), f" {where}: {state}. ", el("span", "; ".join(told), cls="cb-soft") if told else None)
