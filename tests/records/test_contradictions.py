"""Records that contradict themselves: results, doublings, scores and players; and what only looks like it."""

from __future__ import annotations

import pytest

from bglab.errors import InputError
from bglab.records import Game, Match, Resignation
from bglab.records.mat import read_mat
from tests.records.test_mat import FIRST, one_game

REST = "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Takes                       42: 8/4 6/4\n"
"""Of a game in which the cube stands at 2."""

WINS = " " * 6 + "Wins {} point\n"


@pytest.mark.parametrize("points", [2, 4, 6])
def test_points_are_a_multiple_of_the_cube(points):
    game = one_game(REST + WINS.format(points))
    assert (game.winner, game.points) == (0, points)
    assert game.actions[-1] == Resignation(1, points // 2)


@pytest.mark.parametrize("points", ["99", "3", "1", "8", "9999999", "9" * 1500])
@pytest.mark.parametrize("length", [0, 7])
def test_points_that_no_cube_makes(points, length):
    with pytest.raises(InputError, match=r"line 7, column 7: nobody wins .* but 2 or 4 or 6: ") as caught:
        one_game(REST + WINS.format(points), length)
    assert len(str(caught.value)) < 200


def test_points_cut_short_by_the_match():
    game = one_game(REST + WINS.format(3), length=3)
    assert (game.points, game.actions[-1]) == (3, Resignation(1, 2))
    with pytest.raises(InputError, match="nobody wins 5 points"):
        one_game(REST + WINS.format(5), length=7)


def test_points_of_a_game_that_was_dropped_or_of_unknown_plays():
    drop = "  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Drops\n"
    with pytest.raises(
        InputError, match="nobody wins 2 points here with the cube at 1, but 1: correct the result"
    ):
        one_game(drop + " " * 34 + "Wins 2 points")
    unknown = "  1) 31: ????                    42: 8/4 6/4\n"
    assert one_game(unknown + WINS.format(3)).points == 3
    with pytest.raises(InputError, match="nobody wins 4 points"):
        one_game(unknown + WINS.format(4))


HYPER = '; [Variation "HyperGammon (3)"]\n {} point match\n Game 1\n a : 0   b : 0\n'
BORNE_OFF = "".join(
    f"  {row}) {line}\n"
    for row, line in enumerate(
        ("66: 24/6 23/17", "66: 22/4 17/11", "52: 11/4", "64: 6/off 4/off", "41: 4/off"), 1
    )
)
"""One player's checkers come home while the other's three wait: worth a backgammon."""


def test_points_of_a_game_that_was_played_out():
    known = {length: read_mat(HYPER.format(length) + BORNE_OFF).games[0].points for length in (0, 7)}
    assert known == {0: 3, 7: 3}
    for length, points in ((7, 3), (7, 2), (2, 2), (1, 1), (1, 3), (0, 1), (0, 3)):
        game = read_mat(HYPER.format(length) + BORNE_OFF + WINS.format(points)).games[0]
        assert (game.winner, game.points) == (0, points)
    for length, points in ((7, 1), (7, 4), (0, 4), (0, 6)):
        with pytest.raises(InputError, match=f"nobody wins {points} points"):
            read_mat(HYPER.format(length) + BORNE_OFF + WINS.format(points))


@pytest.mark.parametrize(
    ("word", "fault"),
    [
        ("Doubles => 4", "line 5, column 35: this turns the cube from 1 to 2, not to 4"),
        ("Doubles => 3", "line 5, column 35: this turns the cube from 1 to 2, not to 3"),
        ("Doubles to 4", "this turns the cube from 1 to 2, not to 4"),
        ("Redoubles => 1", "this turns the cube from 1 to 2, not to 1"),
        ("Doubles => " + "9" * 1500, "this turns the cube from 1 to 2, not to 9"),
        ("Doubles => 2\n  2)  Beavers => 2", "line 6, column 7: this turns the cube from 2 to 4, not to 2"),
        ("Doubles => 2\n  2)  Takes    31: 24/23 24/21\n 3)  Redoubles => 8", "from 2 to 4, not to 8"),
    ],
)
@pytest.mark.parametrize("length", [0, 7])
def test_the_cube_is_turned_by_one_step(word, fault, length):
    with pytest.raises(InputError, match=fault) as caught:
        one_game(FIRST + " " + word, length)
    assert len(str(caught.value)) < 250


def two_games(second: str, length: int = 7, first: str = WINS.format(2)) -> Match:
    return read_mat(
        f" {length} point match\n Game 1\n Ann (1650.3) : 0   Bob : 0\n{first}\n Game 2\n {second}\n  1) 31: 8/5 6/5"
    )


def test_a_second_game():
    assert [game.score for game in two_games("Ann (1652.1) : 2   BOB : 0").games] == [(0, 0), (2, 0)]
    third = "Ann : 2   Bob : 0\n Game 4\n Ann : 4   Bob : 1"  # one was left out between
    assert [game.score for game in two_games(third).games] == [(0, 0), (2, 0), (4, 1)]
    unfinished = two_games("Ann : 1   Bob : 1", first="  1) 31: 8/5 6/5\n")
    assert [game.score for game in unfinished.games] == [(0, 0), (1, 1)]
    assert two_games("Ann : 4   Bob : 0", 0).games[1].score == (4, 0)  # after an automatic double
    assert two_games(" : 2   : 0").players == ("Ann (1650.3)", "Bob")
    assert two_games("Ann : 0   Bob : 0", 0).games[1].score == (0, 0)  # some programs count no money games
    unnamed = read_mat("4 point match\n Game 1\n  1) 31: 8/5 6/5\n Game 2\n a : 0   b : 0\n")
    assert unnamed.players == ("a", "b")
    ended = read_mat(
        " 2 point match\n Game 1\n a : 0   b : 0\n" + WINS.format(2) + " Game 2\n a : 2   b : 0\n"
    )
    assert ended.games[1] == Game((2, 0))


def test_the_score_tells_who_has_won_where_the_column_misleads():
    match = two_games("Ann : 0   Bob : 2")
    assert (match.games[0].winner, match.games[0].actions) == (1, (Resignation(0, 2),))
    match = two_games("Ann : 0   Bob : 2", first="  1)  Resigns\n" + WINS.format(2))
    assert (match.games[0].winner, match.games[0].actions) == (1, (Resignation(0, 2),))


@pytest.mark.parametrize(
    ("second", "length", "fault"),
    [
        ("Ann : 0   Bob : 0", 7, "the score 0-0 contradicts the game before, after which it is 2-0"),
        ("Ann : 1   Bob : 0", 7, "the score 1-0 contradicts the game before"),
        ("Ann : 4   Bob : 0", 7, "the score 4-0 contradicts the game before"),
        ("Ann : 2   Bob : 1", 7, "the score 2-1 contradicts the game before"),
        ("Ann : 0   Bob : 1", 0, "the score 0-1 contradicts the game before"),
        ("Ann : 2   Carol : 0", 7, '"Carol" plays here, but "Bob" in the game before: keep'),
        ("Bob : 2   Ann : 0", 7, '"Bob" plays here on the other side, but "Ann'),
        (f"Ann : 2   {'C' * 1900} : 0", 7, '"CCC'),
        ("Ann : 2   Bob : 0", 2, "at 2-0 the match to 2 is over, but a game follows"),
    ],
)
def test_a_game_that_cannot_come_next(second, length, fault):
    with pytest.raises(InputError, match=r"^the text, line 7, column 1: ") as caught:
        two_games(second, length)
    assert fault in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_file_that_begins_at_double_match_point_has_no_crawford_game():
    match = read_mat(" 7 point match\n Game 1\n a : 6   b : 6\n  1) 31: 8/5 6/5\n")
    assert not match.games[0].crawford
    assert [moment.situation.score for moment in match.replay()] == [(6, 6)]


@pytest.mark.parametrize(
    "line",
    [
        "hello\x1b[2J" * 100,
        '; [Variation "' + "x" * 1500 + '"]',
        " 5 point match\n Game 1\n a : 0   b : 0\n  1) 31: " + "8/5 " * 400,
        " 5 point match\n Game 1\n a : 0   b : 0\n  1) 31: " + "y" * 1500,
        " 5 point match\n Game 1\n a : 0   b : 0\n  1) " + "y\x07" * 700,
        " 5 point match\n Game 1\n a : 0   b : 0\n  1) 31: 8/5 6/5         Doubles " + "y\x07" * 700,
    ],
)
def test_messages_quote_little_and_nothing_that_is_not_printed(line):
    with pytest.raises(InputError) as caught:
        read_mat(line + "\n")
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()
    assert ": " in str(caught.value).split(", column", 1)[1].partition(": ")[2]  # a remedy
