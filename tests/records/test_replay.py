"""A record played through again: what the players saw, and whether it was legal."""

from __future__ import annotations

import pytest

from bglab.errors import InputError
from bglab.records import CubeAction, Game, Match, Play, Resignation, Setup, read
from bglab.rules import Position, Situation, parse
from tests.records.matches import random_match

START = Position.start()
OPENING = Play(0, (3, 1), ((8, 5), (6, 5)))
AFTER_31 = Position.from_id("sGfwATDgc/ABMA")
"""After 31: 8/5 6/5, the other side on roll."""


def match(*actions, length: int = 7, score: tuple[int, int] = (2, 1), **more) -> Match:
    return Match(("Ann", "Bob"), length, (Game(score, False, actions),), **more)


def test_situations():
    record = match(OPENING, CubeAction(1, "double"), CubeAction(0, "take"), Play(1, (4, 2), ((8, 4), (6, 4))))
    opening, double, take, play = record.replay()
    assert opening.situation == Situation(START, dice=(3, 1), score=(2, 1), length=7, bottom=False)
    assert opening.turn is not None
    assert opening.turn.play == "8/5 6/5"
    assert opening.turn.after.flip() == AFTER_31
    before = Situation(AFTER_31, score=(1, 2), length=7, bottom=True)
    assert (double.player, double.situation, double.turn) == (1, before, None)
    assert take.player == 0
    assert take.situation == Situation(AFTER_31, score=(1, 2), length=7, offer="double")
    assert take.situation.decides == -1
    assert play.situation == Situation(AFTER_31, (4, 2), 2, -1, score=(1, 2), length=7)
    assert [(moment.game, moment.number) for moment in (opening, double, take, play)] == [
        (0, n) for n in range(4)
    ]


def test_situations_are_those_of_gnu_backgammon():
    """The Match IDs that the program showed during this game."""
    record = match(
        OPENING,
        CubeAction(1, "double"),
        CubeAction(0, "take"),
        Play(1, (4, 2), ((8, 4), (6, 4))),
        length=0,
        score=(0, 0),
        jacoby=True,
    )
    shown = [
        "4HPwATDgc/ABMA:MIEFAAAAAAAA",
        "sGfwATDgc/ABMA:cAkAAAAAAAAA",
        "sGfwATDgc/ABMA:cBEAAAAAAAAA",
        "sGfwATDgc/ABMA:QQkKAAAAAAAA",
    ]
    assert [moment.situation for moment in record.replay()][1:] == [parse(text) for text in shown][1:]
    assert next(record.replay()).situation.gnu_id == shown[0]


def test_a_beaver():
    record = match(
        OPENING,
        CubeAction(1, "double"),
        CubeAction(0, "beaver"),
        CubeAction(1, "raccoon"),
        CubeAction(0, "take"),
        Play(1, (4, 2), ((8, 4), (6, 4))),
        length=0,
        beavers=True,
    )
    seen = [
        (m.situation.offer, m.situation.cube_value, m.situation.cube_owner, m.situation.decides)
        for m in record.replay()
    ]
    assert seen == [
        ("", 1, 0, 1),
        ("", 1, 0, 1),
        ("double", 1, 0, -1),
        ("beaver", 2, 0, 1),
        ("raccoon", 4, 0, -1),
        ("", 8, -1, 1),
    ]


def test_a_take_that_was_not_written():
    record = match(OPENING, CubeAction(1, "double"), Play(1, (4, 2), ((8, 4), (6, 4))))
    assert list(record.replay())[-1].situation.cube_value == 2


def test_a_resignation_is_seen_from_the_side_on_roll():
    (_, resigned) = match(OPENING, Resignation(0, 1)).replay()
    assert (resigned.player, resigned.situation.position) == (0, AFTER_31)


def test_setups():
    record = match(Setup(1, AFTER_31, 4, 0), Play(1, (4, 2), ((8, 4), (6, 4))))
    setup, play = record.replay()
    assert setup.situation.position == play.situation.position == AFTER_31
    assert (play.situation.cube_value, play.situation.cube_owner) == (4, -1)


def test_an_unknown_play_ends_the_replay_of_its_game():
    game = Game((0, 0), False, (OPENING, Play(1, (6, 2), None), Play(0, (5, 2), ((13, 8), (24, 22)))))
    moments = list(Match(games=(game, game)).replay())
    assert [(moment.game, moment.number) for moment in moments] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert moments[1].turn is None


@pytest.mark.parametrize(
    ("actions", "fault"),
    [
        ([Play(0, (3, 1), ((9, 6), (6, 5)))], "Game 1, action 1: no checker stands on 9: correct the record"),
        ([OPENING, CubeAction(1, "take")], "Game 1, action 2: there is no double to answer with a take"),
        ([OPENING, CubeAction(1, "double"), CubeAction(1, "take")], "the take is the other player's to say"),
        (
            [OPENING, CubeAction(1, "double"), CubeAction(0, "raccoon")],
            "a double is not answered with a raccoon",
        ),
        ([OPENING, CubeAction(1, "double"), CubeAction(0, "double")], "there is a double to answer already"),
        ([Setup(0, START, 2, 1), CubeAction(0, "double")], "the cube belongs to the other player"),
        ([Play(0, (6, 5), ((24, 18), (18, 0)))], "borne off before all are in the home board"),
        ([Play(0, (5, 1), ((6, 1), (6, 5)))], "the point 1 is closed"),
    ],
)
def test_what_cannot_happen(actions, fault):
    with pytest.raises(InputError) as caught:
        list(match(*actions).replay())
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("play", "legal"),
    [
        (Play(0, (3, 1), ((8, 5), (6, 5))), True),
        (Play(0, (3, 1), ((8, 5),)), False),
        (Play(0, (3, 1), ()), False),
        (Play(0, (3, 1), ((8, 4), (8, 7))), False),
    ],
)
def test_check(play, legal):
    record = match(play, Play(1, (6, 2), ((24, 18), (13, 11))))
    if legal:
        record.check()
    else:
        with pytest.raises(
            InputError, match=r'Game 1, action 1: ".*" is not legal with 3-1: play .* or another\.'
        ):
            record.check()


def test_a_roll_before_a_resignation_need_not_be_played():
    match(OPENING, Play(1, (6, 2), ()), Resignation(1, 1)).check()
    match(OPENING, Play(1, (6, 2), ())).check()
    with pytest.raises(InputError, match="is not legal"):
        match(OPENING, Play(1, (6, 2), ()), Play(0, (6, 2), ())).check()


def test_half_a_play_is_read_but_not_legal():
    record = read(
        " 5 point match\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5                     62: 24/18 13/11\n"
    )
    with pytest.raises(InputError, match=r'Game 1, action 1: "8/5" is not legal with 3-1'):
        record.check()


def test_the_score_after_the_last_game():
    record = random_match(8)
    last = record.games[-1]
    assert record.score[1 - (last.winner or 0)] == last.score[1 - (last.winner or 0)]
    assert sum(record.score) == sum(last.score) + last.points
    assert Match().score == (0, 0)


def test_a_match_has_a_length():
    with pytest.raises(InputError, match="1 point or more"):
        Match(length=-1)
