"""A match played by hand, one ply after another, in plain arithmetic: the oracle of the lockstep."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from bglab import Agent, MatchRules, Position
from bglab.cube.match_cube import match_decision
from bglab.cube.match_equity import MatchScore
from bglab.rules.dice import dealt, seeded


class Scripted(Agent):
    """Plays as a network does, but doubles always or never, and takes always or never."""

    def __init__(self, name: str, evaluator, double: bool, take: bool) -> None:
        super().__init__(name, evaluator)
        self.double, self.take = double, take

    def cube_many(self, positions, owner, live):
        return np.full(len(positions), self.double), np.full(len(positions), self.take)

    def cube(self, position: Position, owner: int, live: bool) -> tuple[bool, bool]:
        return self.double, self.take


def by_hand(agent: Agent, position: Position, owner: int, live: bool, score: MatchScore) -> tuple[bool, bool]:
    """Janowski's general formula on the agent's outcomes, the doubler on roll, in plain arithmetic; at a match score
    the formula of `match_cube` for one position.
    """
    if isinstance(agent, Scripted):
        return agent.cube(position, owner, live)
    if agent.table is not None:
        outcomes = np.array(agent.evaluate(position).iloc[:6], float)
        x = 0.7 if position.contact else 0.6
        return tuple(bool(each) for each in match_decision(agent.table, score, outcomes, x, np.int64(owner)))
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
                away = MatchScore(rules.length - score[mover], rules.length - score[other], cube)
                state = (position, int(owner == mover), live, away)
                if by_hand(agents[mover], *state)[0]:
                    if not by_hand(agents[other], *state)[1]:
                        points = cube
                        break
                    cube, owner = 2 * cube, other
            dice = dealt(seeded(seed), *(jnp.array([n], jnp.int32) for n in (pair, game, ply)))
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
