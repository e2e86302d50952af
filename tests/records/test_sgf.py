"""GNU Backgammon's SGF."""

from __future__ import annotations

import re

import pytest

from bglab.errors import InputError
from bglab.records import CubeAction, Game, Match, Play, Resignation, Setup
from bglab.records.sgf import read_sgf
from bglab.records.sgfwriter import to_sgf
from bglab.rules import Position

ROOT = (
    "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:{}][game:0][ws:{}][bs:{}]PW[Ann]PB[Bob]RU[{}]"
)

MONEY = (
    ROOT.format(0, 0, 0, "Jacoby")
    + """RE[W+4R]GS[M:0 0 2 1 0][C:0 0]
;W[31hefe]A[0][hefe E ver 3 0.55 0C 0 1 0.0 1][x\\]y E]C[a good\\] one]
;B[double]DA[E ver 3 2C]
;W[double]
;B[double]
;W[take]
;B[42qusu]
;PL[W]AE[a:y]AW[d][d][f][f][f][f][h][h][m][m][m][m][m][x][x]AB[t][t][s][s][s][s][r][r][q][l][l][l][l][a][a]
;CV[4]
;CP[w]
;B[31qtst])
"""
)


def game(nodes: str, length: int = 7, score: tuple[int, int] = (0, 0), rules: str = "Crawford") -> Game:
    return read_sgf(ROOT.format(length, *score, rules) + nodes + ")").games[0]


def test_known_play():
    """13/8 24/22 by Black, whose points run the other way."""
    assert game(";B[52lqac]").actions == (Play(1, (5, 2), ((24, 22), (13, 8))),)


@pytest.mark.parametrize(
    ("node", "action"),
    [
        (";W[31hefe]", Play(0, (3, 1), ((8, 5), (6, 5)))),
        (";B[31qtst]", Play(1, (3, 1), ((8, 5), (6, 5)))),
        (";W[62xp]", Play(0, (6, 2), ((24, 18), (18, 16)))),
        (";W[55]", Play(0, (5, 5), ())),
        (";W[double]", CubeAction(0, "double")),
        (";W[31hefe]C[well\\]]", Play(0, (3, 1), ((8, 5), (6, 5)), "well]")),
        (";W\n[31hefe]A[0][hefe E ver 3 0.5]LU[0.1]", Play(0, (3, 1), ((8, 5), (6, 5)))),
        (";White[31hefe]", Play(0, (3, 1), ((8, 5), (6, 5)))),
    ],
)
def test_actions(node, action):
    assert game(node).actions == (action,)


def test_bar_and_off():
    bar = game(";W[62xrmk];B[61lrqr];W[41yuxw]")  # 24/18 13/11, 13/7* 8/7, bar/21 24/23
    assert bar.actions[-1] == Play(0, (4, 1), ((25, 21), (24, 23)))
    bar = game(";B[62agln];W[61mghg];B[41ydab]")
    assert bar.actions[-1] == Play(1, (4, 1), ((25, 21), (24, 23)))
    off = game(";PL[W]AE[a:y]AW[f][d]AB[y][y];W[64fzdz]")
    assert off.actions[-1] == Play(0, (6, 4), ((6, 0), (4, 0)))
    assert (off.winner, off.points) == (0, 1)


def test_a_whole_money_game():
    match = read_sgf(MONEY)
    (game,) = match.games
    assert (match.length, match.jacoby, match.players) == (0, True, ("Ann", "Bob"))
    assert [getattr(action, "kind", "") for action in game.actions[1:5]] == [
        "double",
        "beaver",
        "raccoon",
        "take",
    ]
    assert game.actions[0].comment == "a good] one"
    setup = game.actions[6]
    assert isinstance(setup, Setup)
    assert (setup.player, setup.cube_value, setup.cube_owner) == (0, 4, 0)
    assert setup.position == Position.of(
        me={4: 2, 6: 4, 8: 2, 13: 5, 24: 2}, opp={5: 2, 6: 4, 7: 2, 8: 1, 13: 4, 24: 2}
    )
    assert game.actions[-1] == Resignation(1, 1)
    moments = list(match.replay())
    assert moments[7].situation.cube_value == 4
    assert moments[7].situation.cube_owner == -1
    assert read_sgf(to_sgf(match)) == match


def test_rules_and_result():
    crawford = game("RE[B+2]", length=3, score=(2, 1), rules="Crawford:CrawfordGame")
    assert (crawford.crawford, crawford.score, crawford.winner, crawford.points) == (True, (2, 1), 1, 2)
    assert read_sgf(ROOT.format(3, 0, 0, "Crawford:Nackgammon") + ")").variant == "nackgammon"
    assert read_sgf(ROOT.format(3, 0, 0, "Hypergammon3") + ")").variant == "hypergammon"
    assert game("RE[Void]").winner is None


def test_rolls_that_were_not_played():
    resigned = game("RE[W+1R];W[21mkfe];PL[B]DI[54]")
    assert resigned.actions[-2:] == (Play(1, (5, 4), ()), Resignation(1, 1))
    unknown = game(";W[21mkfe];PL[B]DI[54];W[31hefe]")
    assert unknown.actions[1:] == (Play(1, (5, 4), None), Play(0, (3, 1), ((8, 5), (6, 5))))
    rolled = game(";PL[W]DI[21];W[21mkfe]")
    assert rolled.actions == (Play(0, (2, 1), ((13, 11), (6, 5))),)


def test_only_the_main_line_counts():
    text = ROOT.format(7, 0, 0, "") + ";W[31hefe](;B[42qusu](;W[61mghg])(;W[61xrmg]))(;B[55]))"
    assert len(read_sgf(text).games[0].actions) == 3


def test_tags_and_remarks():
    text = (
        "(;GM[6]MI[length:5]PW[A\\\nnn]PB[B]DT[2026-11-30]EV[The\nOpen]WR[1650]GC[of the match]C[of the game]"
        ";C[later])"
    )
    match = read_sgf(text)
    assert match.players == ("Ann", "B")
    assert match.tags == (("EventDate", "2026.11.30"), ("Event", "The Open"), ("Player 1 Elo", "1650"))
    assert (match.comment, match.games[0].comment) == ("of the match", "of the game\nlater")


def test_text_around_the_game():
    assert read_sgf("From: someone\n\n" + MONEY + "\n\0").players == ("Ann", "Bob")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1, column 1: an SGF file has a game tree"),
        ("(;GM[1])", "line 1, column 6: this is not backgammon"),
        ("(;GM[6]\n;W[31hefe]", "line 2, column 11: the file ends within a game tree"),
        ("(;GM[6]\n;W[31hefe]))", "line 2, column 12: a game tree ends that never began"),
        ("(;GM[6]\n;W[31jefe])", "line 2, column 4: the play 10/5 6/5 with 3-1|is not one of"),
        ("(;GM[6]\n;W[31heff])", 'line 2, column 4: "31heff" moves away from home'),
        ("(;GM[6]\n;W[3hefe])", 'line 2, column 4: "3hefe" is no play'),
        ("(;GM[6]\n;W[take])", "line 2, column 4: there is no double to answer"),
        ("(;GM[6]\n;W[31hefe)", "line 2, column 3: this is not SGF"),
        ("(;GM[6]MI[length:x])", "MI.length:x. should end in a number"),
        ("(;GM[6]RU[Hypergammon2])", "the variation hypergammon2 is not read here"),
        ("(;GM[6];PL[x])", "PL.X. should be W or B"),
        ("(;GM[6];DI[77])", "DI.77. should be two digits"),
        ("(;GM[6];CV[3])", "CV.3. should be a power of two"),
        ("(;GM[6];CP[x])", "the cube's owner x"),
        ("(;GM[6];AW[z])", "should be a point"),
        ("(;GM[6];AW[a][a][a][a])", "has 19 checkers|18 checkers|only 15"),
        ("(;GM[6][x]]", "this is not SGF"),
        ("(;[x])", "a value without its property"),
        ("(;GM[6]))", "never began"),
        ("(;GM[6]) x (;GM[6])", "a game tree must begin with"),
    ],
)
def test_faults(text, fault):
    with pytest.raises(InputError, match=r"^the text, line \d+, column \d+: ") as caught:
        read_sgf(text)
    assert re.search(fault, str(caught.value)), str(caught.value)


NUMBERED = "(;GM[6]MI[length:7][game:{}][ws:{}][bs:0]PW[Ann]PB[Bob]RE[W+2R];W[31hefe])\n"
FOUR = "(;GM[6]MI[length:7][ws:{}][bs:{}]PW[{}]PB[Bob]{}RE[W+2R];W[31hefe])\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (ROOT.format(7, 0, 0, "") + "RE[W+999];W[31hefe])", "column .*: nobody wins 999 points here"),
        (ROOT.format(7, 0, 0, "") + "RE[W+9999999];W[31hefe])", "nobody wins 999999 points here"),
        (ROOT.format(7, 0, 0, "") + "RE[W+2];W[31hefe];B[double];W[drop])", "the result names one side"),
        (
            ROOT.format(7, 0, 0, "") + "RE[B+2];W[31hefe];B[double];W[drop])",
            "nobody wins 2 points .*, but 1:",
        ),
        (ROOT.format(7, 6, 6, "Crawford:CrawfordGame") + ";W[31hefe])", "one side alone needs one point"),
        (ROOT.format(7, 6, 1, "CrawfordGame") + ";W[31hefe];B[double])", "a double in the Crawford game"),
        (ROOT.format(7, 7, 1, "") + ";W[31hefe])", "at 7-1 the match to 7 is over"),
        (
            FOUR.format(0, 0, "Ann", "") + FOUR.format(0, 0, "Ann", ""),
            "line 2, column 11: the score 0-0 contradicts",
        ),
        (
            FOUR.format(0, 0, "Ann", "") + FOUR.format(2, 0, "Carol", ""),
            'line 2, column 11: "Carol" plays here',
        ),
        (
            FOUR.format(0, 0, "Ann", "") + "(;GM[6]MI[length:5])",
            "line 2, column 11: a game to 5 after one to 7",
        ),
        (NUMBERED.format(0, 0) + NUMBERED.format(1, 4), "line 2, column 11: the score 4-0 contradicts"),
        (ROOT.format(7, 0, 0, "Gammon" + "x" * 5000) + ")", "the variation gammonxx"),
        ("(;GM[6];CV[65536])", "a power of two up to 32768"),
    ],
)
def test_contradictions(text, fault):
    with pytest.raises(InputError, match=r"^the text, line \d+, column \d+: ") as caught:
        read_sgf(text)
    assert re.search(fault, str(caught.value)), str(caught.value)
    assert len(str(caught.value)) < 300


def test_automatic_doubles_count_in_the_result():
    record = game("CV[4]RE[W+8R];W[31hefe]", length=0)
    assert (record.points, record.actions[0]) == (8, Setup(0, Position.start(), 4))
    assert record.actions[-1] == Resignation(1, 2)


def test_several_games():
    games = read_sgf(FOUR.format(0, 0, "Ann", "") + FOUR.format(2, 0, "Ann", "") + "(;GM[6])").games
    assert [game.score for game in games] == [(0, 0), (2, 0), (4, 0)]
    games = read_sgf(NUMBERED.format(0, 0) + NUMBERED.format(2, 4)).games  # one was left out between
    assert [game.score for game in games] == [(0, 0), (4, 0)]


def test_a_play_off_the_board_is_not_written():
    with pytest.raises(InputError, match="no location 30"):
        to_sgf(Match(games=(Game(actions=(Play(0, (3, 1), ((30, 27),)),)),)))
