"""A person against an agent without a page: turns by messages and by Python, the cube, dice by hand, grades, logs."""

from __future__ import annotations

import html
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bglab import Agent, InputError, Play, Position, Situation, legal_turns
from bglab.lab.widgets.grading import grade_answer, grade_double, worst
from bglab.lab.widgets.play_words import dice_in
from bglab.lab.widgets.standing import Point
from bglab.records import read
from bglab.records.matwriter import to_mat
from tests.gnubg import gnubg, needs_gnubg
from tests.lab.widgets.mouse import path_of
from tests.lab.widgets.racer import Racer


class Broken:
    on_host = True

    def __call__(self, positions: Any, cube: Any = None) -> Any:
        raise InputError("This brain has a headache: let it rest.")


def agent(**options: float) -> Agent:
    return Agent("racer", Racer(**options))


def played(**options: Any) -> Play:
    options = {"opponent": agent(), "seed": 3, "animate": False} | options
    return Play(**options)


@pytest.fixture
def play() -> Play:
    return played()


def settled(play: Play) -> Play:
    assert play.wait(120.0)
    return play


def first_turn(play: Play, pick: int = 0) -> Any:
    return legal_turns(play.contest.situation.position, play.contest.dice)[pick]


def until(play: Play, *states: str, pick: Callable[[Any], int] = lambda turns: 0) -> None:
    """Play on until one of these states is the person's."""
    for _ in range(400):
        settled(play)
        contest = play.contest
        if contest.state in states and (contest.player == 0 or contest.over):
            return
        if contest.state in ("opening", "roll"):
            play.roll()
        elif contest.state == "play":
            turns = legal_turns(contest.situation.position, contest.dice)
            play.move(turns[pick(turns)])
        elif contest.state == "answer":
            play.take()
        elif contest.state == "game over":
            play.next_game()
    raise AssertionError(f"never came to {states}")


def test_a_turn_by_mouse_is_answered_and_graded(play: Play) -> None:
    until(play, "play")
    board, turn = play.board, first_turn(play, -1)
    assert board.mode == "play"
    assert (board.flip, board.swap) == (False, False)
    events: list[Any] = []
    board.on_move(events.append)
    path = path_of(board, turn)
    board._handle_custom_msg(
        {"kind": "turn", "number": board._number, "path": path, "client": "a", "sequence": 1}, []
    )
    settled(play)
    assert len(events) == 1
    assert (play.contest.state, play.contest.player) == ("roll", 0)
    assert board.position == play.contest.situation.position
    assert (board.mode, board.flip, board.swap) == ("watch", False, False)
    assert "racer played" in play.controls.status.value
    grade = play.grades[0]
    assert grade.chosen == turn.play
    assert grade.loss > 0
    assert grade.best in play.panel.last.value
    assert play.summary.per_move == pytest.approx(1000 * grade.loss)
    assert play.summary.rating == pytest.approx(500 * grade.loss)
    assert not play.controls.roll.disabled
    assert not play.controls.double.disabled
    assert play.controls.take.disabled


def test_nothing_can_be_moved_when_it_is_not_the_persons_turn(play: Play) -> None:
    assert play.board._page["tree"] is None
    until(play, "roll")
    assert play.board._page["tree"] is None
    before = to_mat(play.match)
    play.board.mode = "edit"
    assert play.board.mode == "watch"
    for wrong in (play.take, play.drop, play.next_game, lambda: play.move("8/5 6/5"), lambda: play.resign(4)):
        with pytest.raises(InputError):
            wrong()
    for button in (play.controls.take, play.controls.next):
        button.click()  # the second half of a double click, say
    assert play.controls.message.value == ""
    assert to_mat(play.match) == before


def test_the_same_seed_and_plays_give_the_same_game() -> None:
    logs = []
    for _ in range(2):
        play = played(seed=11)
        until(play, "game over", pick=lambda turns: len(turns) // 2)
        logs.append(to_mat(play.match))
    assert logs[0] == logs[1]
    assert "Seed" in logs[0]
    assert "Wins" in logs[0]


def test_grades_all_come_in_order_and_are_summed(play: Play) -> None:
    rng = random.Random(2)
    until(play, "game over", pick=lambda turns: rng.randrange(len(turns)))
    grades = play.grades
    places = [(grade.point.game, grade.point.number) for grade in grades]
    assert places == sorted(places)
    mine = [moment for moment in play.match.replay() if moment.player == 0 and moment.turn is not None]
    assert [grade.played for grade in grades if grade.played] == [moment.turn for moment in mine]
    counting = [grade for grade in grades if grade.counts]
    assert play.summary.decisions == len(counting)
    assert play.summary.error == pytest.approx(sum(grade.loss for grade in counting))
    assert all(grade.loss >= 0 for grade in grades)
    listed = worst(grades)
    assert [grade.loss for grade in listed] == sorted((grade.loss for grade in grades), reverse=True)[
        : len(listed)
    ]
    assert [grade for _, grade in play.panel.worst.options] == listed


def test_a_past_decision_is_shown_and_the_game_goes_on(play: Play) -> None:
    until(play, "play")
    play.move(first_turn(play, -1))
    until(play, "roll")
    grade = play.grades[0]
    play.panel.look.click()
    assert play.board.position == grade.point.situation.position
    assert play.board._arrows["text"] == grade.best
    assert play.controls.roll.disabled
    play.panel.which.value = "played"
    assert play.board._arrows["text"] == grade.chosen
    play.panel.back.click()
    assert play.board.position == play.contest.situation.position
    assert not play.controls.roll.disabled
    play.panel.worst.value = worst(play.grades)[0]
    assert play.board._arrows["text"] == grade.chosen
    play.panel.review(None)
    assert play.panel.worst.value is None


def test_the_cube_from_both_sides_is_graded() -> None:
    play = played(seed=1)
    until(play, "roll")
    while not play.contest.may_double:
        play.roll()
        until(play, "roll")
    play.double()
    settled(play)
    double = [grade for grade in play.grades if grade.chosen == "double"]
    assert len(double) == 1
    assert double[0].counts
    assert "takes" in play.controls.status.value or play.contest.over
    answered = played(seed=1, opponent=Agent("bold", Racer(bold=1.0)))
    until(answered, "answer", pick=lambda turns: -1)
    assert "doubles to 2: take or pass" in answered.controls.status.value
    assert not answered.controls.take.disabled
    assert answered.controls.roll.disabled
    assert answered.board.flip
    answered.take()
    settled(answered)
    assert answered.grades[-1].chosen in ("take", "pass") or any(
        grade.chosen == "take" for grade in answered.grades
    )
    assert answered.contest.situation.cube_value == 2


def test_at_a_match_score_a_decision_about_the_cube_is_counted_in_normalised_points() -> None:
    position = Position.of(me={6: 2, 5: 2, 4: 2}, opp={6: 5, 5: 2, 3: 2})
    money = Point(0, 4, 0, Situation(position))
    for score, length in (((0, 0), 25), ((3, 1), 5)):
        point = Point(0, 4, 0, Situation(position, score=score, length=length))
        grades = [grade for doubled in (True, False) if (grade := grade_double(agent(), point, doubled))]
        assert min(grade.loss for grade in grades) == 0
        assert max(grade.loss for grade in grades) > 0.01
        assert "MWC" not in str(grades[0])
        if length == 25:  # nearly money
            both = (grade_double(agent(), money, doubled) for doubled in (True, False))
            wrong = max(grade.loss for grade in both if grade)
            assert max(grade.loss for grade in grades) == pytest.approx(wrong, abs=0.1)
        answers = [
            grade_answer(agent(), Point(0, 4, 0, replace(point.situation, offer="double")), bool(t))
            for t in (0, 1)
        ]
        assert min(grade.loss for grade in answers) == 0
        assert max(grade.loss for grade in answers) > 0


def test_resignations_that_are_too_small_are_refused(play: Play) -> None:
    until(play, "roll")
    play.resign(3)
    settled(play)
    assert play.contest.state == "game over"
    assert play.contest.score == (0, 3)
    assert "accepts" in play.controls.status.value
    hopeless = played(opponent=Agent("sure", Hopeful()))
    until(hopeless, "roll")
    hopeless.resign(1)
    settled(hopeless)
    assert "refuses" in hopeless.controls.status.value
    assert (hopeless.contest.state, hopeless.contest.player) == ("roll", 0)


def test_a_click_on_resign_asks_first(play: Play) -> None:
    until(play, "roll")
    resign = play.controls.resign
    resign.click()
    assert play.contest.state == "roll"
    assert resign.description == "Really lose a single game?"
    play.controls.points.value = 3
    assert resign.description == "Resign"
    resign.click()
    play.controls.roll.click()
    settled(play)
    assert resign.description == "Resign"
    until(play, "roll")
    resign.click()
    resign.click()
    settled(play)
    assert play.contest.state == "game over"
    assert play.contest.score == (0, 3)


def test_the_log_is_text_with_its_end_in_sight(play: Play) -> None:
    until(play, "roll")
    assert read(play.log) == play.match
    shown = play.controls.log.value
    assert "column-reverse" in play.controls.style.value
    assert html.escape(play.log) in shown


class Hopeful(Racer):
    """Sure of a gammon, whoever is on roll."""

    def __call__(self, positions: Any, cube: Any = None) -> Any:
        return np.tile(np.array([0, 0, 0, 0, 1, 0], np.float32), (len(positions), 1))


def test_dice_by_hand_for_both_sides() -> None:
    play = played(by_hand=True, opponent=agent(bold=90.0))
    assert play.controls.roll.disabled
    play.controls.dice.value = "33"
    assert "no double" in play.controls.message.value
    play.controls.dice.value = "16"
    settled(play)
    assert play.match.games[0].actions[0].dice == (6, 1)
    assert play.contest.player == 0
    play.controls.dice.value = "2 1"
    play.move(first_turn(play))
    settled(play)
    assert play.sitting.wants_dice
    assert "Type the roll of racer" in play.controls.status.value
    with pytest.raises(InputError, match="wait"):
        play.double()
    play.controls.dice.value = "5-5"
    settled(play)
    assert [action.dice for action in play.match.games[0].actions] == [(6, 1), (2, 1), (5, 5)]
    play.controls.dice.value = "4,3"
    play.move(first_turn(play))
    settled(play)
    play.controls.by_hand.value = False
    settled(play)
    assert play.contest.player == 0
    play.controls.dice.value = "99"
    assert "from 1 to 6" in play.controls.message.value


def test_a_log_is_gone_on_with_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    play = played(length=3, judge=agent())
    until(play, "play")
    play.move(first_turn(play))
    until(play, "play")
    for name in ("log.mat", "log.sgf"):
        path = play.save(tmp_path / name)
        again = Play.resume(path, opponent=agent(), seed=play.contest.seed, animate=False)
        assert again.contest.situation == play.contest.situation
        assert again.contest.state == "play"
        assert again.log.split("Game 1")[1] == play.log.split("Game 1")[1]
    text = Play.resume(play.log, opponent=agent(), animate=False)
    assert text.contest.seed == play.contest.seed
    turn = first_turn(play)
    for each in (play, text):
        each.move(turn)
        until(each, "play")
    assert to_mat(play.match) == to_mat(text.match)
    play.controls.path.value = str(tmp_path / "log.mat")
    play.controls.load.click()
    assert play.grades == []
    assert play.contest.situation == again.contest.situation
    play.controls.path.value = str(tmp_path / "none.mat")
    play.controls.load.click()
    assert "cannot be read" in play.controls.message.value
    with pytest.raises(InputError, match="pass opponent"):
        Play.resume(to_mat(play.match))


def test_a_match_to_its_end_and_a_new_one() -> None:
    play = played(length=1, seed=5)
    until(play, "match over")
    assert "and the match" in play.controls.status.value
    assert play.controls.new.layout.display is None
    assert play.controls.next.layout.display == "none"
    play.controls.new.click()
    settled(play)
    assert play.contest.state in ("opening", "roll", "play")
    assert play.contest.score == (0, 0)


def test_an_agent_that_fails_says_so() -> None:
    play = played(opponent=Agent("broken", Broken()), judge=agent(), seed=3)
    for _ in range(3):
        if play.contest.state == "opening":
            play.roll()
        if play.contest.state == "play" and play.contest.player == 0:
            play.move(first_turn(play))
        settled(play)
    assert "headache" in play.controls.message.value
    assert play.controls.again.layout.display is None
    judged = played(judge=Agent("broken", Broken()))
    until(judged, "play")
    judged.move(first_turn(judged))
    settled(judged)
    assert "could not grade" in judged.panel.error.value
    assert judged.controls.again.layout.display == "none"
    assert judged.contest.player == 0


def test_saved_without_scripts(play: Play) -> None:
    until(play, "play")
    forms = play.static()
    assert "<script" not in forms["text/html"]
    assert "<img" in forms["text/html"]
    assert "money session" in forms["text/plain"]
    assert read(play.log) == play.match


def test_bad_input(unchecked: None) -> None:
    with pytest.raises(InputError, match="0 to 4294967295"):
        Play(agent(), seed="x", animate=False)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not in points"):
        Play(agent(), judge=Agent("score", Scorer()))
    with pytest.raises(InputError, match="1 point or more"):
        Play(agent(), length=-1)
    for text in ("", "7 1", "111", "a"):
        with pytest.raises(InputError, match="Two dice"):
            dice_in(text)


class Scorer(Racer):
    currency = "score"


@needs_gnubg
def test_gnu_backgammon_reads_the_log(tmp_path: Path) -> None:
    play = played(opponent=Agent("a-network-with-a-long-name:2ply", Racer()), length=25, seed=8)
    until(play, "game over", pick=lambda turns: len(turns) // 2)
    play.next_game()
    until(play, "roll")
    play.save(tmp_path / "log.mat")
    gnubg(["import mat log.mat", "export match mat back.mat"], tmp_path)
    back, mine = read(tmp_path / "back.mat"), play.match
    assert back.length == 25
    assert back.players == ("You", "a-network-with-a-long-name 2ply")
    assert [(game.score, game.winner, game.points) for game in back.games] == [
        (game.score, game.winner, game.points) for game in mine.games
    ]
    boards = [
        [moment.turn.after for moment in match.replay() if moment.turn is not None] for match in (back, mine)
    ]
    assert boards[0] == boards[1]
