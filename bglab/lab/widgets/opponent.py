"""What an agent does when it is its turn in a contest: one decision at a time, asked without changing anything."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bglab.cube.match_equity import MatchScore
from bglab.errors import InputError
from bglab.lab.widgets.contest import Contest
from bglab.lab.widgets.standing import Standing
from bglab.play.agent import Agent, ask_cube
from bglab.rules.planes import pack
from bglab.rules.position import Position

Act = Callable[[Contest], object]
"""Does what was decided."""


def decide(agent: Agent, contest: Standing) -> Act | None:
    """What the agent does now, to be called with the contest; None where it needs the dice first."""
    if contest.state == "roll":
        return (lambda now: now.double()) if doubles(agent, contest) else None
    if contest.state == "answer":
        yes = accepts(agent, contest) if contest.resigned else takes(agent, contest)
        return (lambda now: now.take()) if yes else (lambda now: now.drop())
    if contest.state != "play" or contest.dice is None:
        return None
    turn = agent.choose(contest.situation.position, contest.dice)
    return lambda now: now.play(turn)


def doubles(agent: Agent, contest: Standing) -> bool:
    """Whether it doubles; an agent that says nothing about the cube never does."""
    if not contest.may_double:
        return False
    try:
        return _cube(agent, contest)[0]
    except InputError:
        return False


def takes(agent: Agent, contest: Standing) -> bool:
    """Whether it takes; an agent that says nothing about the cube always does."""
    try:
        return _cube(agent, contest)[1]
    except InputError:
        return True


def _cube(agent: Agent, contest: Standing) -> tuple[bool, bool]:
    situation, score = contest.situation, contest.match_score
    owner = np.array([situation.cube_owner], np.int32)
    if score is not None:
        mine, theirs, value = (np.array([each], np.int32) for each in score[:3])
        score = MatchScore(mine, theirs, value, np.zeros(1, bool))
    double, take = ask_cube(agent, pack([situation.position]), owner, np.array([contest.live]), score)
    return bool(double[0]), bool(take[0])


def accepts(agent: Agent, contest: Standing) -> bool:
    """Whether it accepts a resignation: if it is for as many points as playing on is worth, or as can be won at all.

    The position is valued before a roll, whoever's dice lie on the table, and without the cube.
    """
    position = contest.seen_by(contest.resigner).position
    if contest.resigned >= most_points(position):
        return True
    outcomes = agent.evaluate(position)
    return "equity" in outcomes and len(outcomes) > 1 and -float(outcomes["equity"]) <= contest.resigned


def most_points(position: Position) -> int:
    """The most, in units of the cube, that the side on roll can lose."""
    off, _ = position.off
    return 1 if off else 3
