"""What a brain thinks of a situation, found in steps, so that it can be shown as it comes and be called off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import pandas as pd

from bglab.cube.janowski import CONTACT, RACE, decide, hold_and_take, reduce
from bglab.cube.match_cube import match_actions
from bglab.cube.match_equity import MatchScore
from bglab.cube.metfile import load_met
from bglab.play.agent import Agent
from bglab.rules.planes import pack
from bglab.rules.position import Position
from bglab.rules.situation import Situation
from bglab.rules.turns import ROLL_WEIGHTS, ROLLS
from bglab.search.rows import worth_on_host
from bglab.value.outcome import OUTCOMES, POINTS

MOST = 16
"""Turns that are looked into more deeply, the best ones at first sight."""


class CubeOpinion(NamedTuple):
    """What the side on roll and the other should do about the cube before the roll.

    hold, taken, passed: what not doubling, double and take, double and pass are worth to the side on roll, in `unit`,
    "points" per unit of the cube or "MWC"; not numbers where the brain has a rule but no equities.
    """

    double: bool
    take: bool
    hold: float
    taken: float
    passed: float
    unit: str

    def __str__(self) -> str:
        if not self.double:
            too_good = self.hold > self.passed and self.taken > self.passed
            return "too good to double, pass" if too_good else "no double, " + self._answer
        return "double, " + self._answer

    @property
    def _answer(self) -> str:
        return "take" if self.take else "pass"


class Opinion(NamedTuple):
    """What a brain thinks, as far as it is known yet.

    outcomes: as `Agent.evaluate`, of the position before the roll. cube: None where nobody may double now. turns: as
    `Agent.rank`, with a column `by`, the name of who valued a turn; None without dice. rolls: the 21 rolls with the
    columns high, low, weight and the worth of the best turn, in the brain's currency. at: in a match, what the
    equities are those of, in words. no_double: as `why_no_double`.
    """

    agent: str
    currency: str
    outcomes: pd.Series | None = None
    cube: CubeOpinion | None = None
    turns: pd.DataFrame | None = None
    rolls: pd.DataFrame | None = None
    at: str = ""
    no_double: str = ""


class Step(NamedTuple):
    """An opinion after `done` of `total` steps."""

    done: int
    total: int
    opinion: Opinion


def opinions(
    agent: Agent, situation: Situation, shallow: Agent | None = None, most: int = MOST
) -> Iterator[Step]:
    """An agent's opinion of a situation, growing.

    With `shallow`, the same brain looking less far ahead, its opinion comes first; then the agent values the position,
    the `most` turns that look best, one after another, and where the shallow one goes with each of the 21 rolls. A game
    that is over has no steps.
    """
    position, dice = situation.position, situation.dice
    if position.result is not None:
        return
    first = agent if shallow is None else shallow
    points = points_at(situation)
    found = Opinion(agent.name, agent.currency)
    deep = 0 if shallow is None else 1
    turns = first.rank(position, dice, points=points) if dice is not None else None
    looked_into = 0 if turns is None or not deep else min(most, len(turns))
    total = 2 + deep * (1 + looked_into + len(ROLLS))

    if turns is not None:
        found = found._replace(turns=turns.assign(by=first.name))
    outcomes = first.evaluate(position, points)
    at = ""
    if situation.length and len(outcomes) > 1:
        at = "of money play" if points is POINTS else "at this score"
    found = found._replace(
        at=at,
        no_double=why_no_double(situation) if dice is None else "",
        outcomes=outcomes,
        cube=cube_opinion(first, situation, outcomes),
    )
    yield Step(1, total, found)
    after, worth = first.by_roll(position, points)
    found = found._replace(rolls=_rolls(worth))
    yield Step(2, total, found)
    if not deep:
        return

    outcomes = agent.evaluate(position, points)
    found = found._replace(outcomes=outcomes, cube=cube_opinion(agent, situation, outcomes))
    yield Step(3, total, found)
    for k in range(looked_into):
        assert found.turns is not None
        assert turns is not None
        assert dice is not None
        valued = agent.rank(position, dice, [turns["turn"].iloc[k]], points).assign(by=agent.name)
        found = found._replace(turns=_with(found.turns, valued, agent))
        yield Step(4 + k, total, found)
    before = pack([position])[0]
    for k in range(len(ROLLS)):
        worth[k] = worth_on_host(agent.values_after(after[k : k + 1], position.checkers, before), points)[0]
        if k == len(ROLLS) - 1:
            found = found._replace(rolls=_rolls(worth))
        yield Step(4 + looked_into + k, total, found)


def _with(turns: pd.DataFrame, valued: pd.DataFrame, agent: Agent) -> pd.DataFrame:
    """The table with a turn valued by the agent: those that it valued first, best first, and then the others."""
    play = valued["play"].iloc[0]
    rest = turns[turns["play"] != play]
    deep = pd.concat([rest[rest["by"] == agent.name], valued])
    deep = deep.sort_values(agent.currency, ascending=False, kind="stable")
    deep = deep.assign(loss=deep[agent.currency].max() - deep[agent.currency])
    others = rest[rest["by"] != agent.name]
    others = others.assign(loss=np.nan)
    return pd.concat([deep, others], ignore_index=True)


def _rolls(worth: np.ndarray) -> pd.DataFrame:
    high, low = ROLLS[:, 0], ROLLS[:, 1]
    return pd.DataFrame({"high": high, "low": low, "weight": ROLL_WEIGHTS, "worth": worth})


def cube_opinion(agent: Agent, situation: Situation, outcomes: pd.Series) -> CubeOpinion | None:
    """What to do about the cube; None where the side on roll may not double, or the brain has no opinion.

    In money play an outside engine's own cubeful equities where it has them, else Janowski's general formula on the
    outcomes; in a match GNU Backgammon's model with the Kazaross-XG2 match equities (see `bglab.cube.action`).
    """
    if situation.dice is not None or situation.offer in ("beaver", "raccoon") or why_no_double(situation):
        return None
    owner = situation.cube_owner
    known = np.array(outcomes[: len(OUTCOMES)], np.float64) if len(outcomes) > 1 else None
    if situation.length:
        return None if known is None else _at_the_score(situation, known)
    hold, taken = _money(agent, situation.position, owner, known)
    if np.isnan(hold):
        planes, mine, live = pack([situation.position]), np.array([owner], np.int32), np.ones(1, bool)
        if not hasattr(agent.static, "cube_action"):
            return None
        double, take = (bool(each[0]) for each in agent.cube_many(planes, mine, live))
    else:
        double, take = (bool(each) for each in decide(hold, taken))
    return CubeOpinion(double, take, hold, taken, 1.0, "points")


def why_no_double(situation: Situation) -> str:
    """Why the side on roll may not double, or no table says whether it should; nothing where that is not so."""
    table, (mine, theirs) = load_met(), situation.away
    if situation.crawford:
        return "the Crawford game"
    if situation.cube_owner < 0:
        return "the other side owns it"
    if situation.length and min(mine, theirs) < 1:
        return "the match is over"
    if situation.length and situation.cube_value >= mine:
        return "it wins the match as it is"
    if 2 * situation.cube_value > situation.max_cube:
        return "it is as high as it goes"
    if situation.length and max(mine, theirs) > table.length:
        return f"{table.name} goes to {table.length} points"
    return ""


def points_at(situation: Situation) -> np.ndarray:
    """What the six outcomes are worth there: points, or in a match that the table knows normalised equities."""
    table = load_met()
    mine, theirs = situation.away
    if not situation.length or max(mine, theirs) > table.length or min(mine, theirs) < 1:
        return POINTS
    return table.points(MatchScore(mine, theirs, situation.cube_value, situation.crawford and mine != theirs))


def _life(position: Position) -> float:
    return CONTACT if position.contact else RACE


def _money(agent: Agent, position: Position, owner: int, known: np.ndarray | None) -> tuple[float, float]:
    """Equities of not doubling and of double and take; not a number where there are none."""
    if hasattr(agent.static, "hold_and_take"):
        found = agent.static.hold_and_take(pack([position]), np.array([owner], np.int32))
        return float(np.asarray(found[0])[0]), float(np.asarray(found[1])[0])
    if known is None:
        return np.nan, np.nan
    p, W, L = (float(each) for each in reduce(jnp.asarray(known, jnp.float32)))
    hold, taken = hold_and_take(p, W, L, _life(position), bool(owner))
    return float(hold), float(taken)


def _at_the_score(situation: Situation, known: np.ndarray) -> CubeOpinion:
    table, (mine, theirs) = load_met(), situation.away
    score = MatchScore(mine, theirs, situation.cube_value)
    owner = np.int64(situation.cube_owner)
    hold, taken, passed = (
        float(each) for each in match_actions(table, score, known, _life(situation.position), owner)
    )
    double, take = (bool(each) for each in decide(hold, taken, passed))
    return CubeOpinion(double, take, hold, taken, passed, "MWC")
