"""The .mat format as programs and people really write it."""

from __future__ import annotations

import re

import pytest

from bglab.errors import InputError
from bglab.records import CubeAction, Game, Match, Play, Resignation, Setup
from bglab.records.mat import read_mat
from bglab.records.matwriter import to_mat
from bglab.rules import Position

GNUBG = """\
; [EventDate "2026.11.30"]

 3 point match

 Game 1
 gnubg : 0                      root : 0
  1)                             21: 13/11 24/23
  2) 52: 13/8 24/22              63: 8/5 11/5
  3)  Doubles => 2                Drops
      Wins 1 point

 Game 2
 gnubg : 1                      root : 0
  1) 63: 24/18 18/15             65: 24/18 18/13
  2)                              Doubles => 2
  3)  Drops                       Wins 1 point

 Game 3
 gnubg : 1                      root : 1
  1) 31: 8/5 6/5                 62:
      Wins 2 points and the match
"""

XG = """\
; [Site "XG Mobile"]
; [Match ID "1234567"]
; [Player 1 "Ana María"]
; [Player 2 "XG Roller"]
; [Player 1 Elo "9,00/0"]
; [EventTime "09.30"]
; [Variation "Backgammon"]
; [Unrated "Off"]
; [Crawford "On"]
; [CubeLimit "1024"]

2 point match

 Game 1
 Ana María : 0                        XG Roller : 0
  1) 31: 8/5 6/5                        64: 24/14
  2) 11: ????                           Doubles => 2
  3) Takes                              52: 13/8 6/4
                                        Wins 2 points and the match
"""


def one_game(lines: str, length: int = 7) -> Game:
    match = read_mat(f" {length} point match\n\n Game 1\n Ann : 0                        Bob : 0\n{lines}")
    return match.games[0]


def test_gnu_backgammon():
    match = read_mat(GNUBG)
    assert match.players == ("gnubg", "root")
    assert match.length == 3
    assert match.tags == (("EventDate", "2026.11.30"),)
    first, second, third = match.games
    assert first == Game(
        (0, 0),
        False,
        (
            Play(1, (2, 1), ((24, 23), (13, 11))),
            Play(0, (5, 2), ((24, 22), (13, 8))),
            Play(1, (6, 3), ((11, 5), (8, 5))),
            CubeAction(0, "double"),
            CubeAction(1, "drop"),
        ),
        winner=0,
        points=1,
    )
    assert second.actions[-2:] == (CubeAction(1, "double"), CubeAction(0, "drop"))
    assert (second.winner, second.points) == (1, 1)
    assert third.actions[-2:] == (Play(1, (6, 2), ()), Resignation(1, 2))
    assert (third.winner, third.points, match.score) == (0, 2, (3, 1))
    assert sorted(to_mat(match).split()) == sorted(GNUBG.split())  # the order within a play is free
    match.check()


def test_extreme_gammon():
    match = read_mat(XG)
    assert match.players == ("Ana María", "XG Roller")
    assert match.tags == (
        ("Site", "XG Mobile"),
        ("Match ID", "1234567"),
        ("Player 1", "Ana María"),
        ("Player 2", "XG Roller"),
        ("Player 1 Elo", "9,00/0"),
        ("EventTime", "09.30"),
        ("Unrated", "Off"),
        ("CubeLimit", "1024"),
    )
    game = match.games[0]
    assert game.actions[1] == Play(1, (6, 4), ((24, 18), (18, 14)))
    assert game.actions[2] == Play(0, (1, 1), None)
    assert game.actions[3:5] == (CubeAction(1, "double"), CubeAction(0, "take"))
    assert (game.winner, game.points) == (1, 2)
    assert read_mat(to_mat(match)) == match


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("  1) 31: 8/5 6/5", ((8, 5), (6, 5))),
        ("1) 31: 6/5 8/5", ((8, 5), (6, 5))),
        ("  1)31:8/5 6/5", ((8, 5), (6, 5))),
        ("\t1)\t31:\t8/5\t6/5", ((8, 5), (6, 5))),
        ("  1) 31: 8-5 6-5", ((8, 5), (6, 5))),
        ("  1) 31: 8/5, 6/5", ((8, 5), (6, 5))),
        ("  1) 13: 8/5 6/5", ((8, 5), (6, 5))),
        ("  1) 31: 8/5 6/5 Pass", ((8, 5), (6, 5))),
        ("  1) 31: 8/5 6/5 ; eq:-0,306", ((8, 5), (6, 5))),
        ("  1) 62: 24/16", ((24, 18), (18, 16))),
        ("  1) 62: 24/18/16", ((24, 18), (18, 16))),
        ("  1) 33: 13/7(2)", ((13, 10), (13, 10), (10, 7), (10, 7))),
        ("  1) 33: 13/10(4)", ((13, 10),) * 4),
        ("  1) 66: 24/18(2) 13/7(2)", ((24, 18), (24, 18), (13, 7), (13, 7))),
        ("  1) 55: ", ()),
        ("  1) 55: Cannot Move", ()),
        ("  1) 55: (no play)", ()),
        ("  1) 55: dances", ()),
        ("  1) 55: ????", None),
        ("  1) 55: ?", None),
    ],
)
def test_plays(line, moves):
    (play,) = one_game(line).actions
    assert play.player == 0
    assert play.moves == moves
    (play,) = one_game(line.replace(")", ")" + " " * 28)).actions
    assert (play.player, play.moves) == (1, moves)


HIT = "  1) 62: 24/18 13/11             {}\n"


@pytest.mark.parametrize(
    "play", ["61: 13/7* 8/7", "61: 13/7 8/7", "61: 13/7* 8/7*", "61: 8/7* 13/7", "61: 13/7 8/7*"]
)
def test_hits_with_and_without_mark(play):
    game = one_game(HIT.format(play) + "  2) 31: bar/22 6/5")
    assert game.actions[-2].moves == ((13, 7), (8, 7))
    assert game.actions[-1].moves == ((25, 22), (6, 5))


@pytest.mark.parametrize(
    "play", ["bar/21 24/23", "25/21 24/23", "Bar/21 24/23", "BAR/21 24/23", "24/23 25/21"]
)
def test_entering(play):
    game = one_game(HIT.format("61: 13/7* 8/7") + f"  2) 41: {play}")
    assert game.actions[-1].moves == ((25, 21), (24, 23))


@pytest.mark.parametrize("play", ["6/off 4/off", "6/0 4/0", "6/Off 4/OFF", "4/0 6/0"])
def test_bearing_off(play):
    hyper = '; [Variation "HyperGammon (3)"]\n 1 point match\n Game 1\n a : 0   b : 0\n'
    lines = ("66: 24/6 23/17", "66: 22/4 17/11", "52: 11/4", f"64: {play}")
    rows = "".join(f"  {row}) {line}\n" for row, line in enumerate(lines, 1))
    game = read_mat(hyper + rows).games[0]
    assert game.actions[-1].moves == ((6, 0), (4, 0))


def test_a_hit_on_the_way_is_the_one_that_is_written():
    assert one_game(HIT.format("62: 13/5")).actions[-1].moves == ((13, 11), (11, 5))
    assert one_game(HIT.format("62: 13/7*/5")).actions[-1].moves == ((13, 7), (7, 5))
    assert one_game(HIT.format("62: 13/5*")).actions[-1].moves == (
        (13, 11),
        (11, 5),
    )  # a mark that no way makes


@pytest.mark.parametrize(
    "lines",
    [
        "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Takes                      42: 8/4 6/4",
        "  1) 31: 8/5 6/5                 Doubles => 2\n  2) Takes                       42: 8/4 6/4",
        "  1) 31: 8/5 6/5                 doubles\n  2) Accepts                     42: 8/4 6/4",
        "  1) 31: 8/5 6/5                 Doubles to 2\n  2) Takes                       42: 8/4 6/4",
        "  1) 31: 8/5 6/5                  Doubles => 2\n  2)                             42: 8/4 6/4",
    ],
)
def test_cube_actions(lines):
    game = one_game(lines)
    said = ("double", "take") if "akes" in lines or "ccepts" in lines else ("double",)
    assert tuple(action.kind for action in game.actions[1:-1]) == said
    assert game.actions[-1] == Play(1, (4, 2), ((8, 4), (6, 4)))


def test_beavers_and_raccoons():
    lines = (
        "  1) 31: 8/5 6/5                  Doubles => 2\n"
        "  2)  Beavers => 4                Beavers => 8\n"
        "  3)                             42: 8/4 6/4 \n      Wins 8 points\n"
    )
    game = one_game(lines, length=0)
    assert [action.kind for action in game.actions[1:4]] == ["double", "beaver", "raccoon"]
    assert game.actions[-1] == Resignation(1, 1)


@pytest.mark.parametrize(
    ("line", "winner"),
    [
        ("      Wins 1 point", 0),
        ("                                  Wins 1 point", 1),
        ("  2)  Wins 1 point", 0),
        ("  2)                              Wins 1 point", 1),
        ("      Wins 1 point and the match", 0),
        ("      wins 1 points", 0),
    ],
)
def test_resignations(line, winner):
    game = one_game("  1) 31: 8/5 6/5                 42: 8/4 6/4\n" + line)
    assert (game.winner, game.points) == (winner, 1)
    assert game.actions[-1] == Resignation(1 - winner, 1)


def test_losses_beside_wins():
    """Backgammon Galaxy writes both."""
    game = one_game("  1)                              Losses 2 points\n      Wins 2 points\n")
    assert game.actions == (Resignation(1, 2),)
    game = one_game(
        "  1) 31: 8/5 6/5                 42: 8/4 6/4\n  2)  Losses 1 point              Wins 1 point\n"
    )
    assert (game.winner, game.points) == (1, 1)


def test_a_game_that_was_broken_off():
    game = one_game("  1) 31: 8/5 6/5                 42: 8/4 6/4\n Wins 0 point\n")
    assert (game.winner, game.points, len(game.actions)) == (None, 0, 2)


def test_columns_apart_by_tabs():
    game = one_game("1)\t\t21: 24/23 13/11\n2) 62: 24/18 13/11\t\t54: 13/8 13/9\n3)\tDoubles => 2\t\tTakes")
    assert [action.player for action in game.actions] == [1, 0, 1, 0, 1]


def test_games_without_the_players():
    rows = "  1)                             53: 8/3 6/3\n  2)  Doubles => 2                Drops\n"
    match = read_mat(f"4 point match\n\n Game 1\n{rows}\n Game 2\n{rows}")
    assert match.players == ("Player 1", "Player 2")
    assert [game.score for game in match.games] == [(0, 0), (1, 0)]


def test_the_board_knows_better_than_the_column_who_has_won():
    game = one_game("  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Drops\n      Wins 1 point")
    assert (game.winner, game.points) == (1, 1)


def test_result_without_a_line_for_it():
    game = one_game("  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Drops\n")
    assert (game.winner, game.points) == (1, 1)


@pytest.mark.parametrize("title", ["0 point match", "Money session", "Unlimited match", "money game"])
def test_money(title):
    match = read_mat(f'; [Jacoby "On"]\n; [Beaver "True"]\n {title}\n Game 1\n a : 12   b : 7\n')
    assert (match.length, match.jacoby, match.beavers, match.games[0].score) == (0, True, True, (12, 7))


@pytest.mark.parametrize(
    ("line", "players", "score"),
    [
        (" Ann : 0                        Bob : 3", ("Ann", "Bob"), (0, 3)),
        ("Ann:0 Bob:3", ("Ann", "Bob"), (0, 3)),
        (" Ann Lee : 0  Bob : 3", ("Ann Lee", "Bob"), (0, 3)),
        (" Ann (1650.31) : 0    Bob: 2 : 3", ("Ann (1650.31)", "Bob: 2"), (0, 3)),
        (" a:1 : 0    b : 3", ("a:1", "b"), (0, 3)),
        (" : 0    : 3", ("Player 1", "Player 2"), (0, 3)),
        (" Jörg : 0\tŽofie : 3", ("Jörg", "Žofie"), (0, 3)),
    ],
)
def test_names(line, players, score):
    match = read_mat(f" 7 point match\n Game 1\n{line}\n")
    assert match.players == players
    assert match.games[0].score == score


@pytest.mark.parametrize(
    "title",
    ["7 point match", " 7 Point Match", "7 points match", "\n\n 7-point match\n\n", "7 point match (rated)"],
)
def test_titles(title):
    assert read_mat(f"{title}\nGame 1:\n a : 0   b : 0\n").length == 7


def test_crawford():
    def game(number: int, score: str, more: str = "") -> str:
        return f" Game {number}\n a : {score[0]}   b : {score[1]}\n{more}"

    double = "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Drops\n"
    games = [game(1, "00"), game(2, "60"), game(3, "61"), game(4, "66")]
    assert [g.crawford for g in read_mat(" 7 point match\n" + "".join(games)).games] == [
        False,
        True,
        False,
        False,
    ]
    off = '; [Crawford "Off"]\n 7 point match\n' + "".join(games)
    assert not any(g.crawford for g in read_mat(off).games)
    # a file that begins later: with a double in it this cannot be the Crawford game
    assert not read_mat(" 7 point match\n" + game(1, "60", double)).games[0].crawford


def test_remarks():
    match = read_mat('; one\n; [Event "x"]\n;two\n 3 point match\n; of the game\n Game 1\n a : 0   b : 0\n')
    assert (match.comment, match.tags, match.games[0].comment) == (
        "one\ntwo",
        (("Event", "x"),),
        "of the game",
    )


def test_a_second_play_of_one_side():
    """Some programs leave a dance out altogether."""
    game = one_game("  1) 31: 8/5 6/5\n  2) 42: 8/4 6/4\n")
    assert [action.player for action in game.actions] == [0, 0]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1, column 1: the file ends without a line such as"),
        ("hello\n", 'line 1, column 1: "hello" is neither a heading nor a play'),
        (" Game 1\n", "line 1, column 1: no line such as"),
        (" 5 point match\n 5 point match\n", "line 2, column 1: a second match begins"),
        (" 99999 point match\n", "a match has at most 32767 points"),
        (" 5 point match\n Game 1\n Ann 0  Bob 0\n", "line 3, column 1: both players with their scores"),
        (" 5 point match\n Game 1\n", "the players' line is missing"),
        (" 5 point match\n  1) 31: 8/5 6/5\n", "a play comes before the first game"),
        ('; [Variation "Plakoto"]\n', 'line 1, column 1: the variation "Plakoto"'),
    ],
)
def test_faults_of_the_frame(text, fault):
    with pytest.raises(InputError) as caught:
        read_mat(text, "a.mat")
    assert str(caught.value).startswith("a.mat, line ")
    assert fault in str(caught.value)


FIRST = "  1) 31: 8/5 6/5                 "


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("  1) 31: 8/4 6/5", 'line 5, column 6: The play "8/4 6/5" is not one of 3-1'),
        (
            "  1) 31: 9/6 6/5",
            'column 6: the play "9/6 6/5" with 3-1 is impossible, as no checker stands on 9',
        ),
        ("  1) 51: 13/8 6/1 7/6", 'The play "13/8 6/1 7/6" is not one of 5-1'),
        ("  1) 51: 6/1 6/5", "the point 1 is closed"),
        ("  1) 62: 24/18 6/off", "no checker may be borne off|is not one of"),
        ("  1) 31: 8/x 6/5", '"8/x" in the play'),
        ("  1) 31: 8/5 6/5 5/4 4/3 3/2", "is not one of"),
        (FIRST + "71: 8/5", '"8/5 6/5                 71" in the play|71'),
        (FIRST + " Takes", "column 35: there is no double to answer with a take"),
        (FIRST + " Doubles => 2\n  2)  Takes now", 'after "Takes" has no meaning'),
        (
            FIRST + " Doubles => 2\n  2)  Doubles => 4\n  3)  Takes",
            "column 7: the take is the other player's to say",
        ),
        (FIRST + " Doubles => 2\n  2)  Drops\n  3) 31: 8/5 6/5", "line 7, column 6: .*the game is over"),
        ("  1) nothing", 'column 5: "nothing" is no play'),
        ("  1) x 31: 8/5 6/5", 'column 5: "x" is no play'),
        ("  1) 31: 8/5 6/5   42: 8/4 6/4   31: 8/5 6/5", "a third action on one line"),
        ("      Wins 1 point\n      Wins 1 point", "line 6, column 7: the game has been won already"),
        ("  1) 31: 8/5 6/5" + " " * 3000, "column 2001: the line is too long"),
    ],
)
def test_faults_of_plays(lines, fault):
    with pytest.raises(InputError, match=r"^the text, line \d+, column \d+: ") as caught:
        one_game(lines)
    assert re.search(fault, str(caught.value)), str(caught.value)


def test_what_mat_cannot_say_is_refused():
    setup = Game(actions=(Setup(0, Position.start()),))
    with pytest.raises(InputError, match=r"Game 1 cannot be written as \.mat: a position was put up by hand"):
        to_mat(Match(games=(setup,)))
    nonsense = Game(actions=(Play(0, (3, 1), ((9, 6),)),))
    with pytest.raises(InputError, match="no checker stands on 9"):
        to_mat(Match(games=(nonsense,)))
