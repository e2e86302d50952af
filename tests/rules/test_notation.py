"""The text of plays: written, read, and resolved to a legal turn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bglab.errors import InputError
from bglab.rules import Position, find_turn, format_play, legal_turns, parse_play
from bglab.rules.notation import Step
from tests.strategies import dice, positions

START = Position.start()
HITS = Position.of(me={24: 2, 13: 5, 8: 3, 6: 5}, opp={24: 2, 13: 5, 8: 2, 6: 4, 20: 1, 7: 1})  # my 5 and 18


@pytest.mark.parametrize(
    ("position", "moves", "play"),
    [
        (START, [(8, 5), (6, 5)], "8/5 6/5"),
        (START, [(6, 5), (8, 5)], "8/5 6/5"),
        (START, [(24, 18), (18, 13)], "24/13"),
        (START, [(18, 13), (24, 18)], "24/13"),
        (START, [(6, 5), (6, 5), (8, 7), (8, 7)], "8/7(2) 6/5(2)"),
        (START, [(13, 10), (13, 10), (10, 7), (10, 7)], "13/7(2)"),
        (START, [(13, 11), (13, 11), (13, 11), (11, 9)], "13/9 13/11(2)"),
        (START, [], "(no play)"),
        (HITS, [(24, 18), (18, 13)], "24/18*/13"),
        (HITS, [(24, 18), (24, 23)], "24/23 24/18*"),
        (HITS, [(8, 5), (6, 5)], "8/5* 6/5"),
        (HITS, [(24, 18), (24, 18)], "24/18*(2)"),
        (HITS, [(24, 21), (24, 21), (21, 18), (21, 18)], "24/18*(2)"),
        (HITS, [(8, 5), (5, 2), (8, 5), (5, 2)], "8/5*/2 8/2"),
        (Position.of(me={"bar": 2, 6: 1}, opp={1: 1, 5: 1}), [(25, 20), (25, 24)], "bar/24* bar/20*"),
        (Position.of(me={"bar": 1, 6: 1}, opp={3: 1}), [(25, 20), (20, 16)], "bar/16"),
        (Position.of(me={6: 1, 4: 2}, opp={3: 1}), [(6, 0), (4, 0)], "6/off 4/off"),
        (Position.of(me={6: 1, 4: 2}, opp={20: 1}), [(6, 5), (5, 0)], "6/5*/off"),
    ],
)
def test_format(position, moves, play):
    assert format_play(position, moves) == play


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("8/5 6/5", [Step((8, 5)), Step((6, 5))]),
        ("bar/21", [Step((25, 21))]),
        ("25/21", [Step((25, 21))]),
        ("Bar/21", [Step((25, 21))]),
        ("6/off", [Step((6, 0))]),
        ("6/0", [Step((6, 0))]),
        ("6/Off", [Step((6, 0))]),
        ("24/18*/13", [Step((24, 18, 13), frozenset({18}))]),
        ("6/5*(2)", [Step((6, 5), frozenset({5}))] * 2),
        ("6/5(2)*", [Step((6, 5), frozenset({5}))] * 2),
        ("13-8, 24-22", [Step((13, 8)), Step((24, 22))]),
        ("  8/5   6/5 ", [Step((8, 5)), Step((6, 5))]),
        ("8/5 6/5.", [Step((8, 5)), Step((6, 5))]),
        ("8/5 Pass", [Step((8, 5))]),
        ("8/5 (pass)", [Step((8, 5))]),
        ("", []),
        ("(no play)", []),
        ("Pass", []),
        ("Cannot Move", []),
        ("dances", []),
        ("--", []),
    ],
)
def test_parse(text, steps):
    assert parse_play(text) == tuple(steps)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("8", '"8" in the play "8" is not a checker move'),
        ("8/", "is not a checker move"),
        ("8/5 nonsense", '"nonsense" in the play'),
        ("8/5/", "is not a checker move"),
        ("off/5", "is not a checker move"),
        ("100/5", "is not a checker move"),
        ("8/bar", "moves away from home"),
        ("8/5(2", "is not a checker move"),
        ("8/5(5)", "5 times: a count is 1 to 4"),
        ("8/5(0)", "0 times: a count is 1 to 4"),
        ("26/20", "leaves the board"),
        ("5/8", "moves away from home"),
        ("8/8", "moves away from home"),
        ("8/5/6", "moves away from home"),
        ("pass 8/5", '"pass" in the play'),
    ],
)
def test_malformed_plays_are_refused(text, fault):
    with pytest.raises(InputError) as caught:
        parse_play(text)
    assert fault in str(caught.value)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("text", [None, 85, ["8/5"]])
def test_plays_are_text(text):
    with pytest.raises(InputError, match="A play is text"):
        parse_play(text)


@pytest.mark.parametrize(
    ("position", "roll", "text", "play"),
    [
        (START, (3, 1), "6/5 8/5", "8/5 6/5"),
        (START, (6, 5), "24/18/13", "24/13"),
        (START, (6, 5), "24/13", "24/13"),
        (START, (3, 3), "13/10(2) 10/7(2)", "13/7(2)"),
        (START, (3, 3), "13/7 13/7", "13/7(2)"),
        (START, (1, 1), "8/7 8/7 6/5(2)", "8/7(2) 6/5(2)"),
        (HITS, (6, 5), "24/18*/13", "24/18*/13"),
        (HITS, (6, 5), "24/18/13", "24/18*/13"),
        (HITS, (6, 5), "24/13", "24/18*/13"),
        (HITS, (3, 1), "8/5 6/5", "8/5* 6/5"),
        (HITS, (3, 1), "8/5* 6/5*", "8/5* 6/5"),
        (Position.of(me={"bar": 1, 6: 2}, opp={6: 2}), (4, 1), "25/21/20", "bar/20"),
        (Position.of(me={"bar": 1, 6: 2}, opp={6: 2}), (4, 1), "6/5 bar/21 Pass", "bar/21 6/5"),
        (Position.of(me={6: 2, 5: 1}, opp={1: 2}), (6, 5), "6/0 5/0", "6/off 5/off"),
        (Position.of(me={3: 2, 1: 1}, opp={1: 2}), (6, 5), "3/off(2)", "3/off(2)"),
        (Position.of(me={"bar": 1, 6: 2}, opp={6: 2, 5: 2}), (6, 5), "cannot move", "(no play)"),
        (Position.of(me={6: 1}, opp={1: 2}), (6, 5), "6/off", "6/off"),
        (Position.of(me={6: 1}, opp={1: 2}), (6, 5), "6/1/off", "6/off"),
    ],
)
def test_find(position, roll, text, play):
    turn = find_turn(position, roll, text)
    assert turn.play == play
    assert turn in legal_turns(position, roll)
    assert find_turn(position, roll[::-1], text) == turn


def test_one_hop_with_both_dice():
    position = Position.from_xgid("-b----E-C--AeD---bAdb---A-:0:0:1:52:0:0:0:0:10")
    assert find_turn(position, (5, 2), "18/11").after.flip().id == "4HPMAyCwZ/ABMA"


def test_joined_hops_mean_the_turn_that_hits_least():
    position = Position.of(me={24: 1, 6: 2}, opp={5: 1, 12: 2})  # a blot on my 20
    assert {turn.play for turn in legal_turns(position, (4, 3)) if turn.moves[0][0] == 24} >= {
        "24/17",
        "24/20*/17",
    }
    assert find_turn(position, (4, 3), "24/17").play == "24/17"
    assert find_turn(position, (4, 3), "24/20/17").play == "24/20*/17"
    assert find_turn(position, (4, 3), "24/20*/17").play == "24/20*/17"


def test_an_ambiguous_play_is_refused():
    position = Position.of(me={24: 1, 6: 2}, opp={4: 1, 5: 1})  # blots on my 21 and 20
    with pytest.raises(InputError, match=r'can mean "24/2.\*/17" or "24/2.\*/17": write the hops'):
        find_turn(position, (4, 3), "24/17")


@pytest.mark.parametrize(
    ("position", "roll", "text", "fault"),
    [
        (START, (3, 1), "8/4 6/5", "not legal with 3-1: there are 16 legal turns, such as"),
        (START, (3, 1), "8/5", "not legal with 3-1"),
        (START, (3, 1), "8/5 6/5 6/5", "not legal"),
        (START, (3, 1), "7/4 6/5", "not legal"),
        (START, (3, 1), "", "not legal"),
        (START, (6, 5), "24/18 24/19", "not legal"),
        (START, (3, 1), "8/5* 6/5", "marks a hit on 5, where no lone checker stands"),
        (Position.of(me={24: 1}, opp={12: 2}), (6, 5), "24/19", "there is one legal turn, 24/18"),
        (
            Position.of(me={"bar": 1, 6: 2}, opp={6: 2, 5: 2}),
            (6, 5),
            "6/1",
            "there is one legal turn, (no play)",
        ),
        (
            Position.of(me={5: 1, 2: 1}, opp={1: 1}),
            (4, 2),
            "5/3 2/off",
            "not legal with 4-2: there are 2 legal turns, 5/off, 5/1 2/off",
        ),
        (START, (3, 1), "8/5 x", '"x" in the play'),
        (START, (3, 9), "8/5", "Dice are two whole numbers"),
    ],
)
def test_plays_that_are_not_legal_are_refused(position, roll, text, fault):
    with pytest.raises(InputError) as caught:
        find_turn(position, roll, text)
    assert fault in str(caught.value)


@settings(max_examples=150)
@given(positions(), dice(), st.data())
def test_every_play_reads_back(position, roll, data):
    turn = data.draw(st.sampled_from(legal_turns(position, roll)))
    assert format_play(position, turn.moves) == turn.play
    assert find_turn(position, roll, turn.play) == turn
    hops = " ".join(f"{source}/{target}" for source, target in turn.moves)
    assert find_turn(position, roll, hops) == turn
