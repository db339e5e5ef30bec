"""The queue page's cells on work: how far a run is, what its judge took so far, what a held submission waits for."""

from collections.abc import Mapping

from evaluation.passes import SHARED
from evaluation.protocol import Protocol
from leaderboard import display, words
from leaderboard.markup import Markup, el, join
from leaderboard.pages.method_usage import money
from submissions.state import State, SubmissionState
from submissions.worker_status import JudgeWork, WorkerStatus

_WAITS = "waiting:"


def progress(state: SubmissionState, status: WorkerStatus | None, protocol: Protocol | None) -> Markup | None:
    """Return how far a run is; None for what does not run.

    Args:
        state: the submission.
        status: the last word of its worker, if there is one.
        protocol: what it is evaluated under, if that is known here; names the models.
    """
    if state.state is not State.RUNNING:
        return None
    if status is None:
        return el("span", "waiting for the worker's word", cls="cb-soft")
    share = status.clips_done / status.n_clips if status.n_clips else None
    clips = f"{status.clips_done} of {status.n_clips} clips" if status.n_clips else None
    shards = f"{status.shards_done} of {status.n_shards} shards" if status.n_shards else None
    pace = f"{status.seconds_per_clip:.2f} s a clip" if status.seconds_per_clip is not None else None
    eta = f"about {display.span(status.eta_s)} to go" if status.eta_s is not None else None
    told = [part for part in (clips, shards, pace, eta) if part]
    meter = (
        el("progress", value=f"{share:.3f}", max=1, aria_label=f"{share:.0%} of the clips")
        if share is not None
        else el("progress", aria_label="working")
    )
    return el(
        "div",
        el("b", words.WORKER_STAGES[status.stage]),
        _pass(status, protocol),
        meter,
        el("small", " · ".join(told)),
        *(_judge(status.judge) if status.judge else ()),
        cls="cb-progress",
    )


def held(state: SubmissionState) -> Markup:
    """Return what a submission waits for, since when, until when; nobody's fault and no try lost."""
    code, message = (state.reason.code, state.reason.message) if state.reason else ("", "")
    since = f"{_WAITS} {words.HOLDS.get(code, code)} since {display.when(state.held_since or state.since)}"
    is_whole = message.startswith(_WAITS) and code != "judge_unavailable"
    told = message if is_whole else since
    more = f" {message[:1].upper()}{message[1:]}" if message and not message.startswith(_WAITS) else ""
    told = told if told.endswith(".") else f"{told}."
    next_at = display.when(state.not_before) if state.not_before and not is_whole else ""
    again = f" It goes on by itself, at {next_at} at the earliest." if next_at else ""
    stop = "" if not more or more.endswith(".") else "."
    note = " ".join(part for part in (words.HOLDS_MEAN.get(code), words.HELD_NOTE) if part)
    return join(el("span", f"{told}{more}{stop}{again}", cls="cb-held"), el("small", note, cls="cb-held-note"))


def judge_away(status: WorkerStatus) -> str:
    """Return since when a worker's judge does not answer, in one line; empty while it does."""
    since = status.judge.unavailable_since if status.judge else None
    return f"{_WAITS} judge unavailable since {display.when(since)}" if since else ""


def protocol_of(state: SubmissionState, protocols: Mapping[str, Protocol], default: str) -> Protocol | None:
    """Return what a submission is evaluated under; None if it is not known here."""
    return protocols.get(state.wanted or default)


def _pass(status: WorkerStatus, protocol: Protocol | None) -> Markup | None:
    if status.stage not in ("reading", "reading_anchor") or status.n_passes < 2:
        return None
    number = min(status.passes_done + 1, status.n_passes)
    instrument = protocol.instruments.get(status.pass_name) if protocol else None
    what = words.LIGHT_ONES if status.pass_name == SHARED else status.pass_name
    name = f", {instrument.name}" if instrument else ""
    return el("small", f"pass {number} of {status.n_passes}: {what}{name}", cls="cb-pass")


def _judge(work: JudgeWork) -> tuple[Markup | None, ...]:
    done = work.tally
    spent = f"{money(done.micro_usd)} spent" if done.micro_usd or not done.n_unpriced else "price not known"
    if work.expected.micro_usd is not None:
        spent += f", at most {money(work.expected.micro_usd)} expected"
    told = (
        f"{done.n_calls + done.n_cached:,} of {work.expected.calls:,} calls",
        f"{done.n_cached:,} of them kept from before",
        f"{display.count(done.n_retries, 'retry').replace('retrys', 'retries')}",
        spent,
    )
    away = (
        el(
            "small",
            f"{_WAITS} judge unavailable since {display.when(work.unavailable_since)}. "
            f"{words.HOLDS_MEAN['judge_unavailable']} {words.HELD_NOTE}",
            cls="cb-held",
        )
        if work.unavailable_since
        else None
    )
    return el("small", " · ".join(told), cls="cb-judge-tally"), away
