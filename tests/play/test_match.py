"""Matches: the lockstep against one match played by hand, the rules of the cube, mirrors and ties."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, MatchRules, Position, load, play_matches
from bglab.play import lockstep
from bglab.play.lockstep import Matchplay
from bglab.play.match import Matches
from bglab.rules.dice import seeded

LANES = 64  # one size, so that the turn generator is compiled once


class Scripted(Agent):
    """Plays as a network does, but doubles always or never, and takes always or never."""

    def __init__(self, name: str, evaluator, double: bool, take: bool) -> None:
        super().__init__(name, evaluator)
        self.double, self.take = double, take

    def cube_many(self, positions, owner, live):
        return np.full(len(positions), self.double), np.full(len(positions), self.take)

    def cube(self, position: Position, owner: int, live: bool) -> tuple[bool, bool]:
        return self.double, self.take


def by_hand(agent: Agent, position: Position, owner: int, live: bool) -> tuple[bool, bool]:
    """Janowski's general formula on the agent's outcomes, the doubler on roll, in plain arithmetic."""
    if isinstance(agent, Scripted):
        return agent.cube(position, owner, live)
    w, wg, wb, l, lg, lb = (Fraction(float(v)) for v in agent.evaluate(position).iloc[:6])
    p, q = w + wg + wb, l + lg + lb
    W, L = (w + 2 * wg + 3 * wb) / p, (l + 2 * lg + 3 * lb) / q
    x = (Fraction(7, 10) if position.contact else Fraction(6, 10)) if live else Fraction(0)
    own = p * (W + L + x / 2) - L
    hold = own if owner else 4 / (4 - x) * (own - x / 4)
    taken = 2 * (own - x / 2)
    return min(taken, 1) > hold, taken <= 1


class Game(NamedTuple):
    winner: int
    points: int


def match_by_hand(agents: tuple[Agent, Agent], rules: MatchRules, seed: int, number: int) -> Iterator[Game]:
    """The games of match `number`, one after another; agents are numbered 0 and 1."""
    pair, half = divmod(number, 2)
    seats = (0, 1) if half == 0 else (1, 0)  # which agent sits in each seat
    score = [0, 0]
    cap = 1
    while cap < rules.length and rules.cube:
        cap *= 2
    game, crawford, had_crawford = 0, False, False
    while max(score) < rules.length:
        position, cube, owner, ply = Position.start(), 1, None, 0
        while True:
            mover = seats[(game + ply) % 2]
            other = 1 - mover
            if (
                ply > 0
                and not crawford
                and owner != other
                and 2 * cube <= cap
                and score[mover] + cube < rules.length
            ):
                live = 4 * cube <= cap and score[other] + 2 * cube < rules.length
                state = (position, int(owner == mover), live)
                if by_hand(agents[mover], *state)[0]:
                    if not by_hand(agents[other], *state)[1]:
                        points = cube
                        break
                    cube, owner = 2 * cube, other
            dice = lockstep._dice(seeded(seed), *(jnp.array([n], jnp.int32) for n in (pair, game, ply)))
            after = agents[mover].choose(position, np.asarray(dice)[0].tolist()).after
            if after.result is not None:
                points = after.result * cube
                break
            position, ply = after.flip(), ply + 1
        score[mover] += points
        yield Game(mover, points)
        game += 1
        crawford = rules.crawford and not had_crawford and max(score) == rules.length - 1
        had_crawford = had_crawford or crawford


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
    for number in range(6):
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
