"""Matches: the lockstep against one match played by hand, the rules of the cube, mirrors and ties."""

from __future__ import annotations

import random
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, InputError, MatchRules, load, play_matches
from bglab.cube.metfile import load_met
from bglab.play import lockstep
from bglab.play.lockstep import AFTER, BEFORE, CENTRED, NOW, Matchplay, Table
from bglab.play.match import Matches, multiplier
from bglab.rules.dice import dealt, seeded
from tests.play.by_hand import Game, Scripted, match_by_hand

LANES = 64  # one size, so that the turn generator is compiled once


@pytest.fixture(scope="module")
def agents() -> tuple[Agent, Agent]:
    return load("N80-L2-sigmoid-800k-lam07"), load("N80-L2-sigmoid-800k-lam00")


def recorded(monkeypatch, *arguments, **options) -> tuple[Matches, dict[int, list[Game]]]:
    """Play matches, and keep every game."""
    games: dict[int, list[Game]] = {}
    settle = Matchplay.settle

    def keep(self, ended):
        for match, points in zip(ended.match.tolist(), ended.points.tolist(), strict=True):
            games.setdefault(match, []).append(Game(ended.winner, points))
        return settle(self, ended)

    monkeypatch.setattr(Matchplay, "settle", keep)
    return play_matches(*arguments, lanes=LANES, progress=False, **options), games


def test_matches_are_those_played_by_hand(agents, monkeypatch) -> None:
    rules = MatchRules(5)
    result, games = recorded(monkeypatch, *agents, 64, rules, 3)
    for number in range(3):
        expected = list(match_by_hand(agents, rules, 3, number))
        assert games[number] == expected
        score = [sum(game.points for game in expected if game.winner == agent) for agent in (0, 1)]
        where = divmod(number, 2)
        assert result.games[where] == len(expected)
        assert result.points[where] == score[0] - score[1]
        assert result.won[where] == (score[0] >= 5)


@pytest.mark.parametrize(("length", "crawford"), [(1, True), (2, True), (3, False), (7, True)])
def test_eager_doublers_are_those_played_by_hand(agents, monkeypatch, length: int, crawford: bool) -> None:
    """One doubles and takes whatever happens, the other doubles whatever happens and never takes."""
    eager = Scripted("eager", agents[0].evaluator, True, True)
    timid = Scripted("timid", agents[1].evaluator, True, False)
    rules = MatchRules(length, crawford=crawford)
    _, games = recorded(monkeypatch, eager, timid, 64, rules, 5)
    for number in range(4):
        assert games[number] == list(match_by_hand((eager, timid), rules, 5, number))
    assert all(
        sum(game.points for game in played if game.winner == played[-1].winner) >= length
        for played in games.values()
    )


class Chance(NamedTuple):
    """A lane before the mover's roll, as the rules of doubling see it."""

    length: int
    mine: int
    theirs: int
    cube: int
    owner: int
    ply: int
    crawford: int


def may_double(lane: Chance, mover: int) -> bool:
    """The rules, read one after another."""
    if lane.ply == 0 or lane.crawford == NOW:
        return False
    if lane.owner not in (CENTRED, mover):
        return False
    if lane.mine + lane.cube >= lane.length:
        return False
    return lane.cube < lane.length  # the cap: no power of two is turned that already reaches the length


def still_live(lane: Chance) -> bool:
    """Whether the taker can redouble: the doubled cube is below the cap and does not win for him anyway."""
    return 2 * lane.cube < lane.length and lane.theirs + 2 * lane.cube < lane.length


class Asked(Agent):
    """Doubles and takes by chance and notes what it was asked."""

    def __init__(self, name: str, evaluator, seed: int) -> None:
        super().__init__(name, evaluator)
        self.rng = np.random.default_rng(seed)
        self.asked: list[tuple] = []

    def cube_many(self, positions, owner, live, score=None):
        answers = self.rng.random((2, len(positions))) < 0.5
        self.asked.append((positions, owner, live, *answers))
        return tuple(answers)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 11])
@pytest.mark.parametrize("mover", [0, 1])
def test_who_may_double_in_thousands_of_states(agents, length: int, mover: int) -> None:
    """The cap, the dead cube, the owner, the Crawford game and the first ply, and what a taker is told."""
    rng = random.Random(length)
    doubler, taker = Asked("doubler", agents[0].evaluator, 1), Asked("taker", agents[1].evaluator, 2)
    pair = (doubler, taker) if mover == 0 else (taker, doubler)
    n = 1000
    play = Matchplay(pair, seeded(0), n, length, True, True, True)
    table = Table(n)
    lanes = []
    for k in range(n):
        lane = Chance(
            length,
            *(rng.randrange(length) for _ in range(2)),
            2 ** rng.randrange((length - 1).bit_length() + 1),
            rng.choice([CENTRED, 0, 1]),
            rng.choice([0, 1, 2, 50]),
            rng.choice([BEFORE, BEFORE, NOW, AFTER]),
        )
        lanes.append(lane)
        play.score[k, mover], play.score[k, 1 - mover] = lane.mine, lane.theirs
        play.crawford[k] = lane.crawford
        table.match[k], table.cube[k], table.owner[k], table.ply[k] = k, lane.cube, lane.owner, lane.ply
        table.positions[k] = k  # marks of identity, not positions
    passed = play._turn_cube(table, mover)
    allowed = [k for k in range(n) if may_double(lanes[k], mover)]
    if not allowed:
        assert length == 1
        assert not doubler.asked
        return
    ((positions, owner, live, double, _),) = doubler.asked
    assert positions[:, 0].tolist() == allowed
    assert owner.tolist() == [int(lanes[k].owner == mover) for k in allowed]
    assert live.tolist() == [still_live(lanes[k]) for k in allowed]
    ((positions, owner, live, _, take),) = taker.asked
    doubled = np.array(allowed)[double]
    assert positions[:, 0].tolist() == doubled.tolist()
    assert owner.tolist() == [int(lanes[k].owner == mover) for k in doubled]
    assert live.tolist() == [still_live(lanes[k]) for k in doubled]
    assert passed.tolist() == doubled[~take].tolist()
    taken = set(doubled[take].tolist())
    for k, lane in enumerate(lanes):
        assert table.cube[k] == lane.cube * (2 if k in taken else 1)
        assert table.owner[k] == (1 - mover if k in taken else lane.owner)


def test_dead_cube_in_a_seven_point_match(agents) -> None:
    """Known answer C7: the owner of a 2-cube at 5-0 cannot gain by turning it; at 4-0 he may."""
    assert not may_double(Chance(7, 5, 0, 2, 0, 9, BEFORE), 0)
    assert may_double(Chance(7, 4, 0, 2, 0, 9, BEFORE), 0)
    play = Matchplay((Scripted("a", agents[0].evaluator, True, True),) * 2, seeded(0), 2, 7, True, True, True)
    table = Table(2)
    table.match[:], table.cube[:], table.owner[:], table.ply[:] = [0, 1], 2, 0, 9
    play.score[:, 0] = 5, 4
    assert len(play._turn_cube(table, 0)) == 0
    assert table.cube.tolist() == [2, 4]
    assert table.owner.tolist() == [0, 1]


def test_crawford_game_is_the_first_at_match_point_and_only_that(agents) -> None:
    """Scores and Crawford games through random results, against the rule told in words."""
    rng = random.Random(1)
    for crawford in (True, False):
        play = Matchplay(agents, seeded(0), 50, 7, True, crawford, True)
        going = {k: [0, 0] for k in range(50)}
        seen: dict[int, int] = {}
        while going:
            some = rng.sample(sorted(going), rng.randint(1, len(going)))
            winner, points = rng.randrange(2), [rng.choice([1, 1, 2, 3, 4]) for _ in some]
            before = play.crawford.copy()
            after = play.settle(lockstep.Ended(np.array(some), winner, np.array(points)))
            assert after.tolist() == [
                k for k, won in zip(some, points, strict=True) if going[k][winner] + won < 7
            ]
            for k, won in zip(some, points, strict=True):
                going[k][winner] += won
                assert play.score[k].tolist() == going[k]
                if before[k] == NOW:
                    seen[k] = seen.get(k, 0) + 1
                at_point = max(going[k]) == 6 and k not in seen and before[k] != NOW
                assert (play.crawford[k] == NOW) == (crawford and at_point)
                if max(going[k]) >= 7:
                    del going[k]
        assert (len(seen) > 10) == crawford
        assert all(times == 1 for times in seen.values())


def test_alike_agents_win_one_match_of_each_pair(agents) -> None:
    twin = Agent("twin", agents[0].evaluator)
    for second in (twin, agents[0]):
        result = play_matches(agents[0], second, 64, MatchRules(5), lanes=LANES, progress=False)
        assert (result.won.sum(1) == 1).all()
        assert (result.points.sum(1) == 0).all()
        assert (result.games[:, 0] == result.games[:, 1]).all()
        assert result.margin == result.z == result.sweeps == 0
        assert result.share.value == 0.5
        assert multiplier([result]) == np.inf


def test_result_depends_on_the_seed_and_not_on_the_lanes(agents) -> None:
    few = play_matches(*agents, 64, MatchRules(3), 3, lanes=LANES, progress=False)
    many = play_matches(*agents, 100, MatchRules(3), 3, lanes=LANES, progress=False)
    other = play_matches(*agents, 64, MatchRules(3), 4, lanes=LANES, progress=False)
    for name in ("won", "games", "points"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name)[:32])
    assert (few.points != other.points).any()
    assert many.matches == 100
    # Fewer lanes need another program, so a match to 1 will do.
    narrow = play_matches(*agents, 32, MatchRules(1), 3, lanes=LANES // 2, progress=False)
    wide = play_matches(*agents, 64, MatchRules(1), 3, lanes=LANES, progress=False)
    np.testing.assert_array_equal(narrow.points, wide.points[:16])


def test_match_equities_decide_where_an_agent_has_them(agents, monkeypatch) -> None:
    """One side by match equities, the other by money theory; the same network plays otherwise with and without."""
    by_table = Agent("by table", agents[0].evaluator, load_met())
    rules = MatchRules(3)
    result, games = recorded(monkeypatch, by_table, agents[1], 64, rules, 3)
    for number in range(6):
        assert games[number] == list(match_by_hand((by_table, agents[1]), rules, 3, number))
    assert (result.points != play_matches(*agents, 64, rules, 3, lanes=LANES, progress=False).points).any()
    assert load("N80-L2-sigmoid-800k-lam07:match").table is load_met()


def test_a_match_longer_than_the_table() -> None:
    with pytest.raises(InputError, match="go to 25 points, not to 26"):
        play_matches(load("N80-L2-sigmoid-800k-lam07:match"), load("first"), 2, MatchRules(26))


def test_exchanging_the_agents_exchanges_the_result(agents) -> None:
    forth = play_matches(*agents, 64, MatchRules(3), 3, lanes=LANES, progress=False)
    back = play_matches(*agents[::-1], 64, MatchRules(3), 3, lanes=LANES, progress=False)
    np.testing.assert_array_equal(forth.won, ~back.won[:, ::-1])
    np.testing.assert_array_equal(forth.points, -back.points[:, ::-1])
    np.testing.assert_array_equal(forth.games, back.games[:, ::-1])


def test_without_duplicate_every_match_has_its_own_dice(agents) -> None:
    twin = Agent("twin", agents[0].evaluator)
    result = play_matches(agents[0], twin, 64, MatchRules(1), lanes=LANES, progress=False, duplicate=False)
    assert 0.2 < result.sweeps < 0.8
    assert "its own dice" in str(result)


def test_cube_off(agents, monkeypatch) -> None:
    """Without the cube games count 1, 2 or 3 points and nobody is asked about it."""

    def refuse(*arguments):
        raise AssertionError

    monkeypatch.setattr(Agent, "cube_many", refuse)
    result, games = recorded(monkeypatch, *agents, 64, MatchRules(3, cube=False))
    assert {game.points for played in games.values() for game in played} <= {1, 2, 3}
    assert result.games.max() <= 5


def test_cube_before_the_second_roll_and_its_passes(agents, monkeypatch) -> None:
    """Who passes at the first double loses each game at its first chance, one point at a time."""
    eager = Scripted("eager", agents[0].evaluator, True, True)
    meek = Scripted("meek", agents[0].evaluator, False, False)
    result, games = recorded(monkeypatch, eager, meek, 64, MatchRules(3, crawford=False))
    assert result.wins > 40
    for played in games.values():
        won = 0
        for game in played:
            # At match point the eager side's cube is dead, and the game is played out.
            assert game == Game(0, 1) or won == 2
            won += game.points if game.winner == 0 else 0


def test_a_game_without_end_is_left_out_and_counted(agents, monkeypatch) -> None:
    monkeypatch.setattr(lockstep, "LONGEST", 60)
    result = play_matches(*agents, 64, MatchRules(1), lanes=LANES, progress=False)
    assert result.too_long > 0
    assert len(result.won) + result.too_long == 32
    assert (result.points != 0).all()
    assert f"{result.too_long} pairs left out" in str(result)


def test_refusals(agents, unchecked) -> None:
    with pytest.raises(InputError, match="cube is True or False"):
        MatchRules(5, cube=2)
    for matches in (0, 1, 3, -2, 4.0):
        with pytest.raises(InputError, match="even"):
            play_matches(*agents, matches)
    with pytest.raises(InputError, match="between agents"):
        play_matches(agents[0], agents[1].evaluator, 2)
    with pytest.raises(InputError, match="MatchRules"):
        play_matches(*agents, 2, 11)
    with pytest.raises(InputError, match="lanes"):
        play_matches(*agents, 2, lanes=1)
    with pytest.raises(InputError, match="seed"):
        play_matches(*agents, 2, seed=-1)


def test_lanes_fit_the_matches() -> None:
    sizes = [lockstep.lanes_for(n, 1024) for n in (2, 64, 128, 130, 400, 1000, 4096, 100_000)]
    assert sizes == [32, 32, 32, 64, 128, 256, 512, 512]
    assert [lockstep.lanes_for(100_000, most) for most in (700, 3, 2)] == [256, 1, 1]


def test_dice_are_shared_fair_and_open_without_doubles() -> None:
    n = 4000
    key, deals, games = seeded(5), jnp.arange(n), jnp.full(n, 3)
    opening = np.asarray(dealt(key, deals, games, jnp.zeros(n, jnp.int32)))
    assert (opening[:, 0] != opening[:, 1]).all()
    assert len({tuple(pair) for pair in opening.tolist()}) == 30
    later = np.asarray(dealt(key, deals, games, jnp.full(n, 9)))
    assert (later[:, 0] == later[:, 1]).mean() == pytest.approx(1 / 6, abs=0.02)
    another = np.asarray(dealt(key, deals, games + 1, jnp.full(n, 9)))
    assert (later == another).all(1).mean() == pytest.approx(1 / 36, abs=0.01)
    alone = dealt(key, jnp.array([3210, 7]), jnp.array([3, 3]), jnp.array([9, 9]))
    np.testing.assert_array_equal(alone, later[[3210, 7]])
