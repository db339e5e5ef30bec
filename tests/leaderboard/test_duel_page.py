"""A pair's duel on its page: held, ordered, under way; and the operator's button."""

import dataclasses
from datetime import timedelta
from pathlib import Path

import gradio
import pytest

from evaluation.corpus import Corpus
from leaderboard import duel_form, ui
from leaderboard.context import Context, make_context
from leaderboard.duel_text import agreement, agreement_sentence, duel_lines
from leaderboard.duel_view import duelling
from leaderboard.operator_door import CLOSED, N_TRIES, WRONG, OperatorDoor
from leaderboard.pages.duel import contrary_items
from leaderboard.reading.matrix import matrix_page
from leaderboard.secret import Secret
from leaderboard.standings import between
from submissions import layout
from submissions.duel_contest import Published, read_duel
from submissions.store.folder import FolderStore
from tests.evaluation.judge.loopback import Loopback
from tests.leaderboard.cast import NOW
from tests.submissions import published_example as example
from tests.submissions.duel_example import THIRD, A, B, Ring, longer_wins, ring
from tests.submissions.judged_evaluation import prefers_first

KEY = "correct-horse-battery"


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Ring:
    """A judged board on which A and B have met, and a judge preferred what came first when A met the third."""
    stage = ring(tmp_path_factory.mktemp("held"))
    with Loopback(longer_wins) as server:
        stage.hold(server)
        server.judge = prefers_first
        stage.hold(server, A, THIRD)
    return stage


def site(stage: Ring, *, has_operator: bool = True) -> Context:
    """Return the context of a ring's site."""
    return make_context(
        home=stage.home,
        files=stage.files,
        store=FolderStore(stage.home),
        corpus=Corpus(pin=stage.protocol.corpus, items=example.items()),
        protocols=(stage.protocol,),
        clock=lambda: NOW,
        operator=OperatorDoor(Secret(KEY)) if has_operator else None,
    )


def asked(one: str = A, other: str = B) -> dict[str, str]:
    """Return the address of a pair."""
    return {"a": one, "b": other}


def shown(context: Context, one: str = A, other: str = B) -> str:
    """Return the panel of a pair."""
    board = context.published.board("")
    known = duelling(context, board, one, other)
    assert known is not None
    return duel_form.section(context, board, known, one, other)


def committed(stage: Ring, one: str = A, other: str = B) -> Published:
    """Return the duel of a pair."""
    found = read_duel(stage.files, stage.protocol.id, one, other)
    assert found is not None
    return found


def test_the_panel_tells_the_whole_duel(held: Ring) -> None:
    """Both dimensions and all together, judge, cost, rule, and links to the raw replies that can be fetched."""
    html = shown(site(held))
    for text in ("Tone", "Naturalness", "All judged", "tiny-judge", "Orders disagree", "How a duel is counted"):
        assert text in html
    assert f"/published/{layout.duel_replies_path(held.protocol.id, A, B)}" in html
    assert "at a price that is not known" in html and "one of the two declined the item" in html
    assert "&lt;b&gt;first-system" in html and "<b>first-system" not in html


def test_wins_are_those_of_the_system_picked_first(held: Ring) -> None:
    """The other way round, wins and losses change places."""
    overall = committed(held).duel.overall
    assert overall.n_wins != overall.n_losses
    there, back = (_cells(shown(site(held), *pair)) for pair in ((A, B), (B, A)))
    assert there[2:4] == [str(overall.n_wins), str(overall.n_losses)] == back[2:4][::-1]


def _cells(html: str) -> list[str]:
    """Return the numbers of the table's last row."""
    row = html.split('id="duel-table"')[1].split("</table>", maxsplit=1)[0].rsplit("<tr>", 1)[1]
    return [cell.split(">", 1)[1].split("</td>")[0] for cell in row.split("<td")[2:]]


def test_agreement_is_said_plainly(held: Ring) -> None:
    """Every mixture of decision and duel has its sentence, and what a disagreement means stands there."""
    board = site(held).published.board("")
    decision = between(board.decisions, A, B)
    assert decision is not None
    duel, names = committed(held).duel, {row.submission: row.name for row in board.rows}
    first, second = decision.challenger, decision.incumbent
    for is_win, ahead, kind, words in (
        (True, first, "agree", "agree: both see"),
        (False, None, "agree", "agree: neither separates"),
        (True, None, "differ", "does not confirm"),
        (False, second, "differ", "sees more"),
        (True, second, "oppose", "disagree: S decides"),
    ):
        side = "neither" if ahead is None else "a" if ahead == duel.a else "b"
        one = dataclasses.replace(duel, overall=dataclasses.replace(duel.overall, ahead=side))
        other = dataclasses.replace(decision, is_win=is_win)
        assert agreement(one, other) == kind
        text = agreement_sentence(one, other, names)
        assert words in text and ("the gate" in text) == (kind != "agree")


def test_the_sentence_stands_beside_the_decision(held: Ring) -> None:
    """With a link to the panel; a pair that has not met has none."""
    html = matrix_page(site(held), asked())
    assert 'id="duel-note"' in html and 'href="#duel"' in html
    assert 'id="duel-note"' not in matrix_page(site(held), asked(B, THIRD))


def test_contradictions_are_those_of_judge_and_composite(held: Ring) -> None:
    """Each is an item on which the signs differ, whichever way round the pair is picked."""
    samples = site(held).published.samples(site(held).published.board(""), (A, B))
    there = contrary_items(committed(held), A, samples, B)
    back = contrary_items(committed(held), B, samples, A)
    assert all(one.gap * one.lead < 0 for one in there)
    assert [(one.item_id, -one.gap, -one.lead) for one in there] == [(one.item_id, one.gap, one.lead) for one in back]


def test_a_terminal_gets_the_same(held: Ring) -> None:
    """Counts, disagreements, judge and what was left out, in plain lines."""
    text = "\n".join(duel_lines(committed(held, A, THIRD).duel, {A: "One", THIRD: "Three"}))
    n_items = committed(held, A, THIRD).duel.overall.n_items
    assert f"{2 * n_items} ties ({2 * n_items} of them because the orders disagree)" in text
    assert "neither is ahead" in text and "tiny-judge" in text and f"A: One ({A})" in text


def test_a_damaged_duel_breaks_no_page(tmp_path: Path) -> None:
    """The panel says so, and nothing can be ordered."""
    stage = ring(tmp_path)
    stage.files.write(layout.duel_path(stage.protocol.id, A, B), b"{}")
    assert "cannot be read" in shown(site(stage))
    assert "page-matrix" in matrix_page(site(stage), asked())
    assert not duel_form.told_order(site(stage), asked(), KEY)[1]


def test_strangers_have_no_duel(held: Ring) -> None:
    """Nor has anybody with itself."""
    board = site(held).published.board("")
    for pair in ((A, A), (A, "nobody"), ("../x", B), ("", "")):
        assert duelling(site(held), board, *pair) is None
        assert "no pair that could be judged" in duel_form.told_estimate(site(held), asked(*pair), KEY)[0]


def test_the_operator_sees_the_cost_before_and_orders(held: Ring) -> None:
    """Estimate, order, state on the page; a second press orders nothing more."""
    context = site(held)
    told, may_order = duel_form.told_estimate(context, asked(B, THIRD), KEY)
    assert may_order and "would be asked" in told and "a price that is not known" in told
    assert context.duel_orders.read(held.protocol.id, B, THIRD) is None
    told, is_ordered = duel_form.told_order(context, asked(B, THIRD), KEY)
    assert is_ordered and "It is ordered" in told
    order = context.duel_orders.read(held.protocol.id, B, THIRD)
    assert order is not None and order.stage == "ordered"
    assert 'data-stage="ordered"' in shown(context, THIRD, B)
    assert not duel_form.told_order(context, asked(B, THIRD), KEY)[1]
    running = dataclasses.replace(order, stage="running", items_done=1, n_items=4)
    for state, words in (
        (running, "1 of 4 items are judged"),
        (dataclasses.replace(running, stage="waiting", message="waiting: judge unavailable since noon"), "since noon"),
        (dataclasses.replace(running, stage="failed", message="<i>no key</i>"), "&lt;i&gt;no key"),
    ):
        context.duel_orders.write(state)
        assert words in shown(context, B, THIRD)
    assert duel_form.told_order(context, asked(B, THIRD), KEY)[1]


def test_a_wrong_key_learns_nothing(held: Ring) -> None:
    """The same words for a pair, a stranger and nobody; after some tries no key is looked at."""
    context = site(held)
    answers = {
        duel_form.told_estimate(context, pair, "guess")[0]
        for pair in (asked(B, THIRD), asked(), asked("nobody", A), asked("", ""))
    }
    assert len(answers) == 1 and WRONG.replace("'", "&#39;") in answers.pop()
    for _ in range(N_TRIES):
        duel_form.told_order(context, asked(B, THIRD), "guess")
    told, is_ordered = duel_form.told_order(context, asked(B, THIRD), KEY)
    assert CLOSED in told and not is_ordered


def test_without_an_operator_there_is_no_button(held: Ring) -> None:
    """No form with a key, and no way to order."""
    context = site(held, has_operator=False)
    assert not duel_form.told_order(context, asked(B, THIRD), KEY)[1]
    labels = [
        {
            str(getattr(block, "value", ""))
            for block in ui.build(one).blocks.values()
            if isinstance(block, gradio.Button)
        }
        for one in (context, site(held))
    ]
    assert "Order the duel" not in labels[0] and "Order the duel" in labels[1]


def test_a_held_duel_cannot_be_ordered(held: Ring) -> None:
    """Even by the operator."""
    told, is_ordered = duel_form.told_order(site(held), asked(), KEY)
    assert not is_ordered and "held or under way already" in told
    due = site(held).duel_orders.due(NOW + timedelta(days=9))
    assert all({one.a, one.b} != {A, B} for one in due)
