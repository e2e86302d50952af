"""The explorer without a page: what Python sets and the page sends, opinions in the background, history, comparison."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bglab import Agent, Explorer, InputError, Position, parse
from bglab.lab.widgets.brains import Brains, brains, full_name
from bglab.lab.widgets.explore import turned
from bglab.lab.widgets.panel import BrainPanel, disagreements
from bglab.play.names import DEFAULT
from bglab.rules.situation import Situation

OPENING = Situation(Position.start(), (3, 1))


class Counter:
    """A brain that likes to stand on few points, or on many: cheap, and two of them disagree."""

    on_host = True

    def __init__(self, sign: float) -> None:
        self.sign = sign

    def __call__(self, positions: Any, cube: Any = None) -> Any:
        words = np.asarray(positions)[:, 4:]
        points = np.bitwise_count(np.bitwise_or.reduce(words, 1))
        return (self.sign * points / 32).astype(np.float32)


class Broken:
    on_host = True

    def __call__(self, positions: Any, cube: Any = None) -> Any:
        raise InputError("This brain has a headache: let it rest.")


@pytest.fixture
def explorer() -> Explorer:
    return Explorer(OPENING, [Agent("forward", Counter(1.0)), Agent("backward", Counter(-1.0))]).wait()


def page_sends(panel: BrainPanel, message: dict[str, Any]) -> None:
    panel.view._handle_custom_msg(message, [])


def test_every_brain_has_its_opinion(explorer: Explorer) -> None:
    for panel in explorer.panels:
        shown = panel.view.shown
        assert shown["ready"]
        assert len(shown["turns"]) == 16
        assert len(shown["rolls"]) == 21
        assert shown["dice"] == [3, 1]
        assert panel.cancel.disabled
    assert (
        explorer.panels[0].view.shown["turns"][0]["worth"]
        > explorer.panels[0].view.shown["turns"][-1]["worth"]
    )


def test_disagreements_are_marked(explorer: Explorer) -> None:
    first = explorer.panels[0]
    best = [panel.view.shown["turns"][0]["play"] for panel in explorer.panels]
    assert best[0] != best[1]
    assert disagreements(explorer.panels) == [{best[1]: ["backward"]}, {best[0]: ["forward"]}]
    marked = {turn["play"]: turn["marks"] for turn in first.view.shown["turns"] if turn["marks"]}
    assert marked == {best[1]: ["backward"]}


def test_pointing_at_a_turn_draws_its_arrows_and_a_click_keeps_them(explorer: Explorer) -> None:
    panel = explorer.panels[0]
    turns = panel.opinion.turns["turn"]
    page_sends(panel, {"show": 2})
    assert explorer.board._arrows["text"] == turns[2].play
    page_sends(panel, {"show": None})
    assert explorer.board._arrows["text"] == ""
    page_sends(panel, {"choose": 1})
    page_sends(panel, {"show": 3})
    page_sends(panel, {"show": None})
    assert explorer.board._arrows["text"] == turns[1].play
    for nonsense in (
        {"show": 99},
        {"choose": "x"},
        {"roll": [7, 1]},
        {"roll": "66"},
        "words",
        {"show": True},
    ):
        page_sends(panel, nonsense)  # type: ignore[arg-type]
    assert explorer.board._arrows["text"] == turns[1].play
    assert explorer.board.dice == (3, 1)


def test_a_roll_of_the_map_is_thrown(explorer: Explorer) -> None:
    page_sends(explorer.panels[1], {"roll": [6, 4]})
    explorer.wait()
    assert explorer.board.dice == (6, 4)
    assert explorer.panels[0].view.shown["dice"] == [6, 4]


def test_history(explorer: Explorer) -> None:
    explorer.roll((5, 2))
    explorer.unroll()
    assert explorer.here == 2
    assert not explorer.back.disabled
    assert explorer.forward.disabled
    explorer.go(0)
    assert explorer.board.situation == OPENING
    assert explorer.back.disabled
    assert not explorer.forward.disabled
    explorer.roll((6, 6))
    assert explorer.here == 1
    assert len(explorer.history) == 2
    explorer.go(7)
    assert explorer.here == 1
    explorer.wait()


def test_after_a_turn_the_other_side_is_on_roll_and_the_picture_stays(explorer: Explorer) -> None:
    board = explorer.board
    turn = explorer.panels[0].opinion.turns["turn"][0]
    path = next(iter(paths(board, turn)))
    board._handle_custom_msg(
        {"kind": "turn", "number": board._number, "path": path, "client": "a", "sequence": 1}, []
    )
    explorer.wait()
    assert board.position == turn.after.flip()
    assert board.dice is None
    assert (board.flip, board.swap) == (True, True)
    assert explorer.here == 1
    assert explorer.panels[0].view.shown["turns"] is None
    explorer.go(0)
    assert (board.flip, board.swap) == (False, False)
    assert board.situation == OPENING
    explorer.wait()


def paths(board: Any, turn: Any) -> Iterator[list[list[int]]]:
    """Moves (point, die) that play a turn of two different dice, one after another."""
    from itertools import permutations

    for order in permutations(board.dice):
        for first in range(25, 0, -1):
            for second in range(25, 0, -1):
                path = [[first, order[0]], [second, order[1]]]
                try:
                    if board._continuations.finish([tuple(move) for move in path]).after == turn.after:
                        yield path
                except InputError:
                    continue


def test_pasted_identifiers(explorer: Explorer) -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"
    explorer.paste.value = xgid
    explorer.wait()
    assert explorer.board.situation == parse(xgid)
    explorer.paste.value = "XGID=nonsense"
    assert "XGID" in explorer.message.value
    assert explorer.board.situation == parse(xgid)
    explorer.paste.value = xgid
    assert explorer.message.value == ""


def test_an_identifier_is_pasted_again_after_moving_on(explorer: Explorer) -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"
    explorer.paste.value = xgid
    assert explorer.paste.value == xgid
    explorer.roll((6, 4))
    assert explorer.paste.value == ""
    explorer.paste.value = xgid
    assert explorer.board.situation == parse(xgid)
    explorer.wait()


@pytest.mark.parametrize("flip", [False, True])
def test_a_situation_gone_to_has_the_usual_colours_and_the_users_flip(explorer: Explorer, flip: bool) -> None:
    explorer.board.flip = flip
    explorer.pass_on()
    assert (explorer.board.flip, explorer.board.swap) == (not flip, True)
    explorer.roll((2, 1))
    assert (explorer.board.flip, explorer.board.swap) == (not flip, True)
    explorer.paste.value = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"
    assert (explorer.board.flip, explorer.board.swap) == (flip, False)
    explorer.wait()


def test_a_failing_brain_says_so_and_the_rest_stays_usable() -> None:
    explorer = Explorer(OPENING, [Agent("broken", Broken()), Agent("forward", Counter(1.0))]).wait()
    assert "headache" in explorer.panels[0].view.shown["error"]
    assert explorer.panels[1].view.shown["ready"]
    explorer.panels[0].brain.value = "no such brain"
    explorer.wait()
    assert "no agent 'no such brain'" in explorer.panels[0].view.shown["error"]
    assert not explorer.panels[0].view.shown["ready"]
    explorer.panels[0].brain.value = "forward"
    explorer.wait()
    assert explorer.panels[0].view.shown["error"] == ""
    assert explorer.panels[0].view.shown["turns"]
    explorer.panels[0].brain.value = "broken"
    explorer.wait()
    assert not explorer.panels[0].view.shown["ready"]  # what there was is the other brain's


def test_figures_of_another_situation_are_pale_and_go(explorer: Explorer) -> None:
    panel = explorer.panels[0]
    with panel._latest._working:  # nothing can be worked out
        explorer.roll((6, 4))
        assert panel.view.stale
        assert panel.view.shown["dice"] == [3, 1]
        panel.stop()
        assert (panel.view.stale, panel.view.shown) == (False, {"ready": False})
        panel.again()
        assert panel.view.stale
    explorer.wait()
    assert not panel.view.stale
    assert panel.view.shown["dice"] == [6, 4]


def test_cancelling_keeps_what_is_known(explorer: Explorer) -> None:
    panel = explorer.panels[0]
    before = panel.view.shown
    panel.stop()
    assert panel.view.shown == before
    panel.again()
    explorer.wait()
    assert panel.view.shown["ready"]


def test_more_and_fewer_brains(explorer: Explorer) -> None:
    explorer.compare(Agent("third", Counter(0.5)))
    explorer.compare("first")
    explorer.wait()
    assert len(explorer.panels) == 4
    explorer.compare("first")
    assert len(explorer.panels) == 4
    assert "room for 4" in explorer.message.value
    for panel in list(explorer.panels):
        explorer.close_panel(panel)
    assert len(explorer.panels) == 1


def test_saved_without_scripts(explorer: Explorer) -> None:
    forms = explorer.static()
    assert "<img" in forms["text/html"]
    assert "<script" not in forms["text/html"]
    assert explorer.panels[0].opinion.turns["play"][0] in forms["text/plain"]


def test_a_finished_game() -> None:
    over = Situation(Position.of(me={}, opp={6: 2}))
    explorer = Explorer(over, [Agent("forward", Counter(1.0))]).wait()
    assert "over" in explorer.message.value
    explorer.show(OPENING)
    explorer.wait()
    assert explorer.panels[0].view.shown["ready"]
    explorer.show(over)
    explorer.wait()
    assert (explorer.panels[0].view.stale, explorer.panels[0].view.shown) == (False, {"ready": False})


def test_names() -> None:
    assert brains()[0] == DEFAULT
    assert full_name("gnubg", 2) == "gnubg:2ply"
    assert full_name("sage", 0) == "sage:1ply"
    assert full_name(DEFAULT, 0) == DEFAULT
    assert full_name(DEFAULT, 1) == f"{DEFAULT}:1ply"
    assert full_name("gnubg:0ply", 2) == "gnubg:0ply"
    agent, shallow = Brains().load("first", 0)
    assert agent.name == "first"
    assert shallow is None


def test_bad_input(unchecked: None) -> None:
    with pytest.raises(InputError, match="1 to 4 brains"):
        Explorer(brains=[])
    with pytest.raises(InputError, match="0 to 3 plies"):
        Explorer(plies=9)
    with pytest.raises(InputError, match="identifier"):
        Explorer(3)  # type: ignore[arg-type]


def test_turned_twice_is_the_same() -> None:
    situation = parse("XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:3:2:0:7:10")
    assert turned(turned(situation)) == situation
    assert turned(situation).score == situation.score[::-1]
