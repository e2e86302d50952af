"""The board in a browser: what mouse and keyboard play, and what Python hears of it."""

from __future__ import annotations

import pytest

from bglab import Position, Situation, find_turn
from tests.browser import BAR, OFF, THEIR_BAR, THEIR_OFF, agree, shown

START = Position.start()


def test_click_with_either_die_and_finish(show):
    bench = show(START, (3, 1))
    heard = []
    bench.board.on_move(heard.append)
    bench.click(8)
    assert shown(bench)[0] == {24: 2, 13: 5, 8: 2, 6: 5, 5: 1}
    assert bench.status == "8/5: 1 to play."
    bench.click(6)
    assert shown(bench)[0] == {24: 2, 13: 5, 8: 2, 6: 4, 5: 2}
    assert bench.status == "8/5 6/5. Click the dice or press Enter to finish."
    assert bench.settle() == []  # trying is the page's own affair
    bench.dice()
    bench.dice()  # an impatient second click
    assert len(bench.settle()) == 1
    assert heard == [find_turn(START, (3, 1), "8/5 6/5")]
    agree(bench)
    assert bench.status == "Played 8/5 6/5."


def test_right_click_plays_the_other_die(show):
    bench = show(START, (3, 1))
    bench.click(6, button="right")
    assert shown(bench)[0] == {24: 2, 13: 5, 8: 3, 6: 4, 5: 1}
    bench.click(24, button="right")  # the only die left
    assert shown(bench)[0] == {24: 1, 21: 1, 13: 5, 8: 3, 6: 4, 5: 1}


def test_the_die_that_can_be_played_is_taken(show):
    bench = show(START, (1, 3))
    bench.click(13)  # 13/12 is closed
    assert bench.status == "13/10: 1 to play."


def test_dice_change_places_before_a_move(show):
    bench = show(START, (3, 1))
    bench.dice()
    bench.click(6)
    assert shown(bench)[0] == {24: 2, 13: 5, 8: 3, 6: 4, 5: 1}
    bench.dice()
    assert bench.status == "There is still 1 to play."
    assert bench.settle() == []


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        (1, "None of your checkers is there."),
        (7, "None of your checkers is there."),
        (OFF, "None of your checkers is there."),
    ],
)
def test_clicks_that_mean_nothing(show, zone, words):
    bench = show(START, (3, 1))
    bench.click(zone)
    assert bench.status == words
    agree(bench)


def test_illegal_moves_are_not_made(show):
    bench = show(START, (5, 5))
    bench.click(24)
    assert bench.status == "That is not legal with 5 to play."
    for target in (18, 19, 20, 7, THEIR_BAR, THEIR_OFF, OFF, (5.0, 5.0)):
        bench.drag(24, target)
        agree(bench)
    bench = show(Position.of(me={"bar": 1, 6: 2}, opp={1: 2}), (3, 1))
    bench.click(6)
    assert bench.status == "Enter from the bar first."
    bench.click(BAR)
    assert bench.status == "bar/22: 1 to play."


def test_a_turn_that_is_complete_takes_no_more(show):
    bench = show(START, (3, 1))
    for zone in (8, 6, 6):
        bench.click(zone)
    assert bench.status == "Every die is played: click the dice to finish, or undo."


def test_drag(show):
    bench = show(START, (3, 1))
    bench.drag(13, 9)  # across both dice
    assert shown(bench)[0] == {24: 2, 13: 4, 9: 1, 8: 3, 6: 5}
    assert bench.status.startswith("13/10 10/9. ")
    bench.drag(9, 13)  # and back
    agree(bench)
    bench.drag(8, 5)
    bench.drag(6, 5)
    bench.drag(5, 8)  # one of two, not the last
    assert shown(bench)[0] == {24: 2, 13: 5, 8: 3, 6: 4, 5: 1}
    bench.drag(8, 5)
    bench.dice()
    bench.settle()
    assert bench.board.turn.play == "8/5 6/5"


def test_where_a_dragged_checker_can_go_is_marked(show):
    bench = show(START, (3, 1))

    def marked() -> set[int]:
        return set(
            bench.page.locator("[data-zone]").evaluate_all(
                "nodes => nodes.filter(node => !node.querySelector('[data-ui][r]').hasAttribute('display'))"
                ".map(node => Number(node.dataset.zone))"
            )
        )

    assert marked() == set()
    bench.page.mouse.move(*bench.spot(24))
    assert marked() == {23, 21, 20}
    bench.page.mouse.move(*bench.spot(1))
    assert marked() == set()
    bench.page.mouse.move(*bench.spot(13))
    bench.page.mouse.down()
    bench.page.mouse.move(*bench.spot(3), steps=3)
    assert marked() == {10, 9}
    assert bench.page.get_by_text("On roll · 167 pips").count() == 1  # the checker in the hand counts
    bench.page.mouse.up()
    agree(bench)


def test_undo(show):
    bench = show(START, (2, 2))
    for zone in (13, 13, 6, 6):
        bench.click(zone)
    assert shown(bench)[0] == {24: 2, 13: 3, 11: 2, 8: 3, 6: 3, 4: 2}
    bench.press("Take back one checker")
    assert shown(bench)[0] == {24: 2, 13: 3, 11: 2, 8: 3, 6: 4, 4: 1}
    bench.page.keyboard.press("Escape")
    assert shown(bench)[0] == {24: 2, 13: 3, 11: 2, 8: 3, 6: 5}
    bench.press("Take back the whole turn")
    agree(bench)
    assert bench.page.get_by_role("button", name="Take back one checker").is_disabled()
    bench.click(13)
    bench.page.keyboard.press("Shift+Escape")
    agree(bench)
    assert bench.settle() == []


def test_hits_and_bearing_off(show):
    position = Position.of(me={6: 1, 3: 1, "off": 13}, opp={25 - 2: 1, 1: 1, "off": 13})
    bench = show(position, (4, 3))
    bench.click(6)
    assert bench.counts() == ({OFF: 13, 3: 1, 2: 1}, {THEIR_OFF: 13, THEIR_BAR: 1, 24: 1})
    assert bench.status == "6/2*: 1 to play."
    bench.drag(3, OFF)
    assert bench.status.startswith("6/2* 3/off. ")
    bench.dice()
    bench.settle()
    assert bench.board.turn.play == "6/2* 3/off"


def test_a_roll_without_a_play(show):
    shut = Position.of(me={"bar": 1, 6: 2}, opp=dict.fromkeys(range(1, 7), 2))
    bench = show(shut, (6, 5))
    assert bench.status == "6-5 cannot be played. Click the dice or press Enter to finish."
    bench.click(BAR)
    bench.dice()
    assert len(bench.settle()) == 1
    assert bench.board.turn.play == "(no play)"


def test_a_warning_stays_where_the_roll_cannot_be_played(show):
    closed = {"bar": 3, **dict.fromkeys(range(1, 7), 2)}
    bench = show(Position.of(me=closed, opp=closed), (6, 5))
    assert bench.status.startswith(
        "6-5 cannot be played. Click the dice or press Enter to finish. No game can"
    )


def test_a_page_that_python_does_not_hear_says_so(show):
    """A kernel that began anew knows nothing of the board; on the page the turn can still be undone."""
    bench = show(START, (3, 1))
    bench.page.evaluate("bench.deaf = true")
    bench.click(8)
    bench.click(6)
    for _ in range(2):
        bench.dice()
        assert bench.status == "Python does not hear this: run the cell again."
    bench.page.keyboard.press("Escape")
    assert bench.status == "8/5: 1 to play."
    bench.page.evaluate("bench.deaf = false")
    bench.click(6)
    bench.dice()
    assert len(bench.settle()) == 1
    agree(bench)


def test_a_turn_that_python_refuses_is_taken_back(show):
    """W7: Python's situation has changed before the page's turn arrives."""
    bench = show(START, (3, 1))
    bench.click(8)
    bench.click(6)
    bench.page.keyboard.press("Enter")
    bench.board.dice = (6, 5)
    bench.settle()
    agree(bench)
    assert bench.status.startswith("The board has changed meanwhile")
    bench.click(24)
    assert bench.status == "24/18: 1 to play."


def test_keyboard(show):
    bench = show(START, (3, 1))
    keys = bench.page.keyboard
    focused = "document.activeElement.dataset.zone ?? document.activeElement.getAttribute('class')"
    keys.press("Tab")
    assert bench.page.evaluate(focused) == "13"
    for key, zone in [
        ("ArrowLeft", 13),
        ("ArrowDown", 12),
        *(("ArrowRight", zone) for zone in (11, 10, 9, 8, 7, THEIR_BAR, 6)),
        ("ArrowUp", 19),
        ("ArrowLeft", BAR),
        ("ArrowRight", 19),
        ("ArrowDown", 6),
    ]:
        keys.press(key)
        assert bench.page.evaluate(focused) == str(zone)
    keys.press("o")  # the other die
    assert bench.status == "6/5: 1 to play."
    keys.press("Escape")
    keys.press("O")
    assert bench.status == "6/5: 1 to play."
    for _ in range(3):
        keys.press("ArrowLeft")
    keys.press(" ")
    assert bench.status.startswith("6/5 8/5. ")
    keys.press("Escape")
    keys.press("Enter")
    assert bench.status.startswith("6/5 8/5. ")
    ring = bench.page.locator('[data-zone="8"] .bglab-hit').evaluate(
        "node => getComputedStyle(node).strokeWidth"
    )
    assert ring == "3px"
    keys.press("Enter")
    assert len(bench.settle()) == 1
    assert bench.board.turn.play == "8/5 6/5"
    bench.board.situation = Situation(START, (6, 2))
    bench.push()
    keys.press("d")
    keys.press("Tab")
    assert "bglab-dice" in bench.page.evaluate(focused)
    keys.press(" ")  # and swapped back
    bench.click(24)
    assert bench.status == "24/18: 1 to play."
