"""A contest without a page: the flow of a game, the cube, resignations, matches at random, and going on from a log."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bglab import InputError, Position, legal_turns
from bglab.lab.widgets.contest import SEED, Contest
from bglab.records import Match, read
from bglab.records.matwriter import to_mat
from bglab.records.record import CubeAction, Game, Play, Resignation
from bglab.records.sgfwriter import to_sgf

PLAYERS = ("You", "Other")


def new(length: int = 0, seed: int = 7, **rules: bool) -> Contest:
    return Contest.new(PLAYERS, length, seed, **rules)


def opened(length: int = 0, **rules: bool) -> Contest:
    """A game in which player 0 has played a 3-1 and player 1 is to roll."""
    contest = new(length, **rules)
    contest.roll((3, 1))
    contest.play("8/5 6/5")
    return contest


def state(contest: Contest) -> tuple[object, ...]:
    """All there is to know."""
    return contest.match, contest.state, contest.player, contest.dice, contest.resigned, contest.score


def test_the_flow_of_a_game() -> None:
    contest = new()
    assert contest.state == "opening"
    contest.roll((1, 4))
    assert (contest.state, contest.player, contest.dice) == ("play", 1, (4, 1))
    assert contest.situation.position == Position.start()
    turn = contest.play("24/23 13/9")
    assert contest.situation.position == turn.after.flip()
    assert (contest.state, contest.player, contest.dice) == ("roll", 0, None)
    assert contest.may_double
    assert contest.match.games[0].actions == (Play(1, (4, 1), ((24, 23), (13, 9))),)


def test_dice_come_from_seed_game_and_ply_alone() -> None:
    first, second, other = new(seed=5), new(5, seed=5), new(seed=6)
    for contest in (first, second, other):
        contest.roll()
    assert first.dice == second.dice
    assert first.dice[0] != first.dice[1]
    rolls = {}
    for contest, pick in ((first, 0), (second, -1)):
        rolls[pick] = [contest.dice]
        for _ in range(6):
            turns = legal_turns(contest.situation.position, contest.dice)
            contest.play(turns[pick])
            contest.roll()
            rolls[pick].append(contest.dice)
    assert rolls[0] == rolls[-1]
    assert len({new(seed=seed).dealt for seed in range(40)}) > 10


def test_double_take_and_pass() -> None:
    contest = opened()
    contest.double()
    assert (contest.state, contest.player, contest.roller) == ("answer", 0, 1)
    assert contest.situation.offer == "double"
    assert contest.situation.position.me[24 - 1] == 2
    contest.take()
    assert (contest.state, contest.player) == ("roll", 1)
    assert (contest.situation.cube_value, contest.situation.cube_owner) == (2, -1)
    assert not contest.may_double
    contest.roll((2, 1))
    contest.play("13/11 24/23")
    contest.double()
    contest.drop()
    assert (contest.state, contest.score) == ("game over", (2, 0))
    assert contest.match.games[0].actions[-1] == CubeAction(1, "drop")
    contest.next_game()
    assert (contest.state, contest.game, contest.score) == ("opening", 1, (2, 0))


def test_resignations() -> None:
    contest = opened()
    contest.roll((6, 5))
    contest.resign(2)
    assert (contest.state, contest.player, contest.roller, contest.dice) == ("answer", 0, 1, (6, 5))
    contest.drop()
    assert (contest.state, contest.player, contest.dice, contest.resigned) == ("play", 1, (6, 5), 0)
    contest.resign(1)
    contest.take()
    assert (contest.state, contest.score) == ("game over", (1, 0))
    assert contest.match.games[0].actions[-1] == Resignation(1, 1)


def test_rules_of_the_cube() -> None:
    crawford = Contest(Match(PLAYERS, 3, (won(0, 2),)), 1)
    crawford.next_game()
    crawford.roll((3, 1))
    crawford.play("8/5 6/5")
    assert crawford.situation.crawford
    assert not crawford.may_double
    after = Contest(Match(PLAYERS, 3, (won(0, 2), won(1, 1, (2, 0), crawford=True))), 1)
    after.next_game()
    after.roll((3, 1))
    after.play("8/5 6/5")
    assert not after.situation.crawford
    assert after.may_double
    assert not after.live  # the taker needs one point
    after.roll((3, 1))
    after.play("8/5 6/5")
    assert not after.may_double  # the leader wins the match as it is
    assert not opened(1).may_double
    assert not opened(cube=False).may_double
    assert opened(4).live
    assert not opened(2).live


def won(winner: int, points: int, score: tuple[int, int] = (0, 0), crawford: bool = False) -> Game:
    game = Contest.new(PLAYERS, 0, 1)
    game.roll((3, 1))
    game.play("8/5 6/5")
    if not winner:
        game.roll((6, 5))
        game.play("24/13")
    while game.player == winner:
        game.roll((2, 1))
        game.play(legal_turns(game.situation.position, (2, 1))[0])
    game.resign(points)
    game.take()
    return replace(game.games[0], score=score, crawford=crawford)


def test_gammons_and_jacoby() -> None:
    with pytest.raises(InputError, match="1 to 1 points"):
        opened(jacoby=True).resign(2)
    doubled = opened(jacoby=True)
    doubled.double()
    doubled.take()
    doubled.resign(3)
    doubled.take()
    assert doubled.score == (6, 0)


ACTIONS = {
    "opening": {"roll"},
    "roll": {"roll", "double", "resign"},
    "play": {"play", "resign"},
    "answer": {"take", "drop"},
    "game over": {"next_game"},
    "match over": set(),
}
CALLS = {
    "roll": (),
    "play": ("24/23",),
    "double": (),
    "take": (),
    "drop": (),
    "resign": (1,),
    "next_game": (),
}


def at_random(contest: Contest, rng: random.Random) -> None:
    """Do something that may be done, and see that everything else is refused and changes nothing."""
    before = state(contest)
    for name in CALLS.keys() - ACTIONS[contest.state]:
        with pytest.raises(InputError):
            getattr(contest, name)(*CALLS[name])
    assert state(contest) == before
    if contest.state == "opening":
        contest.roll(tuple(rng.sample(range(1, 7), 2)))
    elif contest.state == "roll" and contest.may_double and rng.random() < 0.15:
        contest.double()
    elif contest.state in ("roll", "play") and rng.random() < 0.01:
        contest.resign(rng.randint(1, 3))
    elif contest.state == "roll":
        contest.roll((rng.randint(1, 6), rng.randint(1, 6)))
    elif contest.state == "play":
        turns = legal_turns(contest.situation.position, contest.dice)
        turn = rng.choice(turns)
        contest.play(turn)
    elif contest.state == "answer":
        contest.take() if rng.random() < 0.7 else contest.drop()
    else:
        contest.next_game()


@pytest.mark.parametrize(("length", "number"), [(0, 0), (3, 1), (5, 2), (1, 3)])
def test_matches_at_random_are_legal_records_that_can_be_gone_on_with(length: int, number: int) -> None:
    rng = random.Random(number)
    contest, steps, read_again = new(length, seed=number), 0, 0
    while contest.state != "match over" and contest.game < 3 and steps < 500:
        at_random(contest, rng)
        steps += 1
        # A roll that cannot be played is written as played.
        dances = (
            contest.dice is not None and not legal_turns(contest.situation.position, contest.dice)[0].moves
        )
        if rng.random() < 0.1 and not contest.resigned and not dances:
            contest.match.check()
            for write in (to_mat, to_sgf):
                again = Contest(read(write(contest.match)), contest.seed)
                assert again.state == contest.state
                assert again.score == contest.score
                assert again.game == contest.game
                if not again.over:
                    assert (again.player, again.dice) == (contest.player, contest.dice)
                    assert again.situation == contest.situation
                    assert again.ply == contest.ply
                    assert again.may_double == contest.may_double
                read_again += 1
    assert read_again >= 2


def test_the_seed_is_a_tag_of_the_record() -> None:
    assert dict(read(to_mat(opened().match)).tags)[SEED] == "7"
    assert dict(Contest(opened().match, 8).match.tags)[SEED] == "8"


def test_what_is_wrong_is_refused_in_one_sentence_and_changes_nothing() -> None:
    contest = opened()
    contest.roll((6, 1))
    before = state(contest)
    with pytest.raises(InputError, match="not legal"):
        contest.play("24/10")
    with pytest.raises(InputError, match="not legal here"):
        contest.play(legal_turns(Position.start(), (6, 5))[0])
    with pytest.raises(InputError, match="0 to 4294967295"):
        new(seed=-1)
    with pytest.raises(InputError, match="no double"):
        new().roll((3, 3))
    with pytest.raises(InputError, match="1 to 6"):
        new().roll((0, 7))
    with pytest.raises(InputError, match="1 to 3 points"):
        contest.resign(4)
    assert state(contest) == before


def test_a_roll_of_unknown_play_cannot_be_gone_on_with() -> None:
    text = " 0 point match\n\n Game 1\n Ann : 0    Bob : 0\n  1) 31: ????\n"
    with pytest.raises(InputError, match="nobody knows"):
        Contest(read(text), 1)
