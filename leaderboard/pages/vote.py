"""The page of blind listening tests: two clips without names, one question; and what came of an answer.

It works with a browser's own players and one form; a script adds keys, the shared player and the count of plays.
"""

from collections.abc import Sequence

from evaluation.records import Item
from leaderboard import shell, vote_words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages.play_button import play_button
from leaderboard.query import address
from leaderboard.views import Board
from leaderboard.voting import Given, Taken

HERE = "/vote"
EVIDENCE = "/votes"
_LABELS = ("1", "2", "X")


def build(given: Given, boards: Sequence[Board], *, kind: str, has_agreed: bool) -> Markup:
    """Return the page of one trial.

    Args:
        given: the trial.
        boards: all boards, for the choice of a protocol.
        kind: sort of test that was asked for; empty for either.
        has_agreed: whether this browser agreed before.
    """
    trial = given.trial
    body = join(
        _head(boards, trial.protocol, kind),
        _item(given.item, shows_instruction=trial.question == "instruction"),
        _form(given, kind=kind, has_agreed=has_agreed),
    )
    return shell.page("page-vote", body, here=HERE, protocol=trial.protocol)


def build_none(boards: Sequence[Board], protocol: str, kind: str) -> Markup:
    """Return the page of a board on which nothing can be compared."""
    body = join(_head(boards, protocol, kind), shell.notice(vote_words.NO_PAIR))
    return shell.page("page-vote", body, here=HERE, protocol=protocol)


def build_taken(taken: Taken, board: Board, *, kind: str) -> Markup:
    """Return the page that tells what came of an answer."""
    told = el("p", _outcome(taken, board), cls="cb-vote-outcome")
    stored = shell.notice(
        vote_words.KEPT if taken.is_kept else taken.why_not, look="good" if taken.is_kept else "plain"
    )
    names = [_system(board, name) for name in dict.fromkeys(taken.trial.submissions())]
    clips = el("p", "You heard item ", el("code", taken.trial.item), " of ", join(*names, by=" and "), ".")
    onward = el(
        "p",
        el("a", vote_words.NEXT, href=_again(board.protocol_id, kind), cls="cb-button", id="vote-next"),
        " ",
        el("a", vote_words.EVIDENCE_TITLE, href=address(EVIDENCE, protocol=board.protocol_id)),
        cls="cb-vote-onward",
    )
    head = shell.title(vote_words.TITLE)
    forget = _forget(board.protocol_id) if taken.is_kept else None
    body = join(head, told, clips, stored, onward, forget)
    return shell.page("page-vote-taken", body, here=HERE, protocol=board.protocol_id)


def build_told(sentence: str, protocol: str, *, look: str = "warn") -> Markup:
    """Return a page with one sentence and the way on."""
    onward = el("p", el("a", vote_words.NEXT, href=_again(protocol, ""), cls="cb-button"), cls="cb-vote-onward")
    body = join(shell.title(vote_words.TITLE), shell.notice(sentence, look=look), onward)
    return shell.page("page-vote-told", body, here=HERE, protocol=protocol)


def _head(boards: Sequence[Board], protocol: str, kind: str) -> Markup:
    sorts = [
        el("a", label, href=_again(protocol, name), aria_current="true" if name == kind else None)
        for name, label in {"": "Either", **vote_words.KINDS}.items()
    ]
    choice = el("span", el("span", "Test"), *sorts, cls="cb-protocol", role="group", aria_label="Test")
    evidence = el("a", vote_words.EVIDENCE_TITLE, href=address(EVIDENCE, protocol=protocol), cls="cb-button cb-quiet")
    aside = join(shell.protocol_choice(boards, HERE, protocol), choice, evidence)
    return shell.title(vote_words.TITLE, vote_words.LEAD, aside)


def _item(item: Item, *, shows_instruction: bool) -> Markup:
    pairs: list[tuple[str, Child]] = [("Script", item.script)]
    if shows_instruction:
        pairs.insert(0, ("Instruction", item.instruction))
    return shell.facts(pairs)


def _form(given: Given, *, kind: str, has_agreed: bool) -> Markup:
    trial = given.trial
    labels = [*_LABELS[: len(given.addresses)]]
    clips = join(el("div", *map(_clip, labels, given.addresses), cls="cb-vote-clips"), _player())
    legend = el("legend", vote_words.QUESTIONS[trial.question])
    choices = [one for one in vote_words.CHOICES if one != "none" or trial.kind == "preference"]
    answers = el("fieldset", legend, *map(_choice, choices), cls="cb-vote-answers")
    consent = el(
        "p",
        el(
            "label",
            el("input", type="checkbox", name="consent", value="yes", checked=has_agreed),
            el("span", vote_words.CONSENT),
        ),
        el("small", vote_words.CONSENT_NOTE),
        cls="cb-vote-consent",
    )
    hidden = [
        el("input", type="hidden", name=name, value=value)
        for name, value in (("ticket", given.ticket), ("kind", kind), ("n_plays", ""), ("listened_s", ""))
    ]
    note = el("p", vote_words.LEVELLED, " ", vote_words.KIND_NOTES[trial.kind], cls="cb-small")
    keys = el("p", vote_words.KEYS.format(labels=", ".join(labels)), cls="cb-small", hidden=True, id="vote-keys")
    send = el("button", vote_words.SEND, type="submit", cls="cb-button", id="vote-send")
    return el(
        "form", clips, note, keys, answers, consent, *hidden, send, method="post", action=HERE, id="vote-form",
        data_kind=trial.kind,
    )  # fmt: skip


def _clip(label: str, source: str) -> Markup:
    name = f"Clip {label}"
    player = el("audio", src=source, controls=True, preload="none", aria_label=name, data_clip=label)
    return el("div", el("h2", name), play_button(label, name.lower()), player, cls="cb-vote-clip")


def _player() -> Markup:
    """Return the bar of the one player, hidden until its script has taken over."""
    place = {"min": "0", "max": "1", "step": "0.01", "value": "0"}
    return el(
        "div",
        el("button", "▶ Play", type="button", id="vote-toggle", cls="cb-button", aria_keyshortcuts="Space"),
        el("input", type="range", id="vote-seek", aria_label="Position in the clip", **place),
        el("span", id="vote-time"),
        el("span", id="vote-error", role="alert", cls="cb-bad-text"),
        el("button", "Try again", type="button", id="vote-retry", cls="cb-button", hidden=True),
        id="vote-player",
        role="group",
        aria_label="Player",
        hidden=True,
    )


def _choice(value: str) -> Markup:
    box = el("input", type="radio", name="answer", value=value, required=True)
    return el("label", box, el("span", vote_words.CHOICES[value]))


def _outcome(taken: Taken, board: Board) -> Child:
    trial = taken.trial
    if trial.catch == "identical":
        return join(*_filled(vote_words.IDENTICAL, _system(board, trial.a)))
    if trial.catch == "vetoed":
        bad = trial.b if trial.expected == "a" else trial.a
        return join(*_filled(vote_words.VETOED, _system(board, bad)))
    if trial.kind == "abx":
        place = "1" if trial.expected == trial.first else "2"
        return (vote_words.RIGHT if taken.answer == trial.expected else vote_words.WRONG).format(place)
    if taken.answer == "none":
        return vote_words.CHOSE_NONE
    return join(*_filled(vote_words.CHOSE, _system(board, trial.a if taken.answer == "a" else trial.b)))


def _filled(text: str, part: Markup) -> tuple[str, Markup, str]:
    before, _, after = text.partition("{0}")
    return before, part, after


def _system(board: Board, submission: str) -> Markup:
    row = board.row(submission)
    name = row.name if row is not None else submission
    return el("a", name, href=address("/system", id=submission, protocol=board.protocol_id))


def _forget(protocol: str) -> Markup:
    hidden = el("input", type="hidden", name="forget", value="yes")
    kept = el("input", type="hidden", name="protocol", value=protocol)
    button = el("button", vote_words.FORGET, type="submit", cls="cb-button cb-quiet", id="vote-forget")
    return el("form", hidden, kept, button, method="post", action=HERE, cls="cb-vote-forget")


def _again(protocol: str, kind: str) -> str:
    return address(HERE, protocol=protocol, kind=kind)
