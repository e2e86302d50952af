"""The board in a browser: the editor."""

from __future__ import annotations

from bglab import Position, Situation
from tests.browser import BAR, OFF, THEIR_BAR, THEIR_OFF, agree, shown

START = Position.start()


def test_edit_by_clicks(show):
    bench = show(START, mode="edit")
    bench.press("Take all checkers off")
    assert bench.status == "Put a checker on the board."
    assert bench.settle() == []
    for zone, button in [
        (6, "left"),
        (6, "left"),
        (20, "right"),
        (BAR, "left"),
        (THEIR_BAR, "right"),
        (BAR, "right"),
    ]:
        bench.click(zone, button=button)
        assert len(bench.settle()) == 1
        agree(bench)
    assert bench.board.position == Position.of(me={6: 2, "bar": 1}, opp={5: 1, "bar": 2})
    bench.click(20)
    assert bench.status == "Both sides cannot stand on one point."
    bench.click(6, modifiers=["Shift"])
    bench.settle()
    assert bench.board.position.me[5] == 1
    bench.click(9, modifiers=["Shift"])
    assert bench.status == "There is no checker to take away here."
    assert bench.settle() == []
    bench.press("Set up the starting position")
    bench.settle()
    assert bench.board.position == START
    bench.click(6)
    assert bench.status == "All 15 checkers of this side are on the board already."
    assert bench.settle() == []


def test_edit_by_dragging(show):
    bench = show(START, mode="edit")
    for start, end in [(6, 4), (19, 22), (13, (3.0, 3.0)), (12, THEIR_OFF), (OFF, 7), (24, BAR), (8, OFF)]:
        bench.drag(start, end)
        assert len(bench.settle()) == 1, (start, end)
        agree(bench)
    assert bench.board.position == Position.of(
        me={24: 1, 13: 4, 8: 2, 7: 1, 6: 4, 4: 1, "bar": 1}, opp={24: 2, 13: 4, 8: 3, 6: 4, 3: 1}
    )
    bench.drag(6, 12)
    assert bench.status == "Both sides cannot stand on one point."
    bench.drag(2, 3)
    assert bench.settle() == []
    agree(bench)


def test_quick_edits_do_not_jump_back(show):
    """Answers to earlier edits arrive while later ones are under way."""
    bench = show(Position.of(me={6: 1}, opp={6: 1}), mode="edit")
    for _ in range(4):
        bench.click(6)
    first, *rest = bench.page.evaluate("bench.take()")["sent"]
    bench.board._receive(bench.board, first, [])
    bench.push()
    assert shown(bench)[0] == {6: 5}
    for message in rest:
        bench.board._receive(bench.board, message, [])
    bench.push()
    assert shown(bench)[0] == {6: 5}
    agree(bench)


def test_edit_dice_cube_and_score(show):
    bench = show(START, mode="edit")
    choose = lambda name, value: bench.page.get_by_label(name, exact=True).select_option(value)  # noqa: E731
    choose("First die", "5")
    bench.settle()
    assert bench.board.dice == (5, 1)
    choose("Second die", "2")
    choose("Cube value", "4")
    choose("Cube owner", "-1")
    fill = lambda name, value: bench.page.get_by_label(name, exact=True).fill(value)  # noqa: E731
    fill("Match length, 0 for money", "7")
    bench.page.keyboard.press("Tab")
    fill("Points of the side on roll", "3")
    bench.page.keyboard.press("Tab")
    bench.settle()
    assert bench.board.situation == Situation(START, (5, 2), 4, -1, (3, 0), 7)
    fill("Points of the opponent", "9")
    bench.page.keyboard.press("Tab")
    bench.settle()
    assert "is over" in bench.status
    assert bench.board.situation.score == (3, 0)
    assert bench.page.get_by_label("Points of the opponent").input_value() == "0"
    choose("Second die", "")
    bench.settle()
    assert bench.board.dice is None


def test_the_other_side_gets_the_roll_and_nothing_moves(show):
    position = Position.of(me={6: 3, 8: 2, "bar": 1}, opp={4: 2, 20: 1})
    bench = show(
        Situation(position, cube_value=2, cube_owner=1, score=(3, 1), length=5), mode="edit", theme="light"
    )
    discs = "nodes => nodes.filter(n => !n.hasAttribute('display')).map(n => [n.getAttribute('cx'), n.getAttribute('cy'), n.getAttribute('fill')].join()).sort()"  # noqa: E501
    before = bench.page.locator(".bglab-zone circle:not([data-ui])").evaluate_all(discs)
    bench.press("Give the roll")
    bench.settle()
    assert bench.board.situation == Situation(
        position.flip(), cube_value=2, cube_owner=-1, score=(1, 3), length=5, bottom=False
    )
    assert (bench.board.flip, bench.board.swap) == (True, True)
    assert bench.page.locator(".bglab-zone circle:not([data-ui])").evaluate_all(discs) == before
    agree(bench)


def test_the_crawford_game_is_set_where_it_can_be(show):
    bench = show(Situation(Position.start(), score=(3, 1), length=5), mode="edit")
    box = bench.page.get_by_label("Crawford")
    assert box.is_disabled()
    bench.page.get_by_label("Points of the side on roll").fill("4")
    bench.page.keyboard.press("Enter")
    bench.settle()
    assert not bench.board.situation.crawford
    box.check()
    bench.settle()
    assert bench.board.situation == Situation(Position.start(), score=(4, 1), length=5, crawford=True)
    bench.press("Give the roll")
    bench.settle()
    assert bench.board.situation.crawford
    bench.page.get_by_label("Match length").fill("7")
    bench.page.keyboard.press("Enter")
    bench.settle()
    assert not bench.board.situation.crawford
    assert box.is_disabled()


def test_edit_by_keys_and_back_to_play(show):
    bench = show(START, (3, 1))
    bench.click(8)
    bench.press("Change the position")
    bench.settle()
    assert bench.board.mode == "edit"
    agree(bench)  # the try is gone
    bench.page.locator('[data-zone="13"]').focus()
    bench.page.keyboard.press("Delete")
    bench.page.keyboard.press("ArrowRight")
    bench.page.keyboard.press(" ")
    bench.settle()
    assert bench.board.position.me[12:14] == (4, 1)
    bench.press("Play on")
    bench.settle()
    bench.click(14)
    assert bench.status == "14/11: 1 to play."


def test_a_warning_is_shown(show):
    both = {"bar": 2, **dict.fromkeys(range(1, 7), 2)}
    bench = show(Position.of(me=both, opp=both), mode="edit")
    assert bench.status.startswith("No game can lead here")
    bench.drag(BAR, OFF)
    bench.drag(BAR, OFF)
    bench.settle()
    assert bench.status.startswith("Click places")
