"""What a person's decisions gave up, in the judgement of an agent, and their summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bglab.cube.match_equity import MatchScore
from bglab.cube.metfile import load_met
from bglab.errors import InputError
from bglab.lab.widgets.opinion import CubeOpinion, cube_opinion, points_at
from bglab.lab.widgets.standing import Point
from bglab.measure.corpus import close
from bglab.measure.error_rate import MILLI, TOLERANCE, double_loss, performance_rating, take_loss
from bglab.play.agent import Agent
from bglab.rules.reference import Turn


@dataclass(frozen=True)
class Grade:
    """One decision and what a judge says of it.

    chosen, best : in words. loss : points per unit of the cube given up, 0 or more. counts : whether the decision
    counts for an error rate: a turn that was not forced, a decision about the cube that was close or wrong.
    played, better : the turn chosen and the best one; None for the cube.
    """

    point: Point
    judge: str
    chosen: str
    best: str
    loss: float
    counts: bool
    played: Turn | None = None
    better: Turn | None = None

    @property
    def right(self) -> bool:
        """Whether nothing was given up."""
        return self.loss <= TOLERANCE

    def __str__(self) -> str:
        dice = self.point.situation.dice
        rolled = f"{dice[0]}-{dice[1]}: " if dice else ""
        if self.right:
            return f"{rolled}{self.chosen}, best"
        return f"{rolled}{self.chosen} gave up {MILLI * self.loss:.0f} millipoints, best {self.best}"


def grade_turn(judge: Agent, point: Point, turn: Turn) -> Grade:
    """What a turn gave up against the one that the judge likes best."""
    if judge.currency != "equity":
        raise InputError(f"{judge.name} counts in {judge.currency}, not in points: choose another judge.")
    situation = point.situation
    assert situation.dice is not None
    ranked = judge.rank(situation.position, situation.dice, points=points_at(situation))
    better: Turn = ranked["turn"].iloc[0]
    row = next(k for k, each in enumerate(ranked["turn"]) if each.after == turn.after)
    loss = max(float(ranked["loss"].iloc[row]), 0.0)
    counts = len(ranked) > 1
    return Grade(point, judge.name, turn.play, better.play, loss, counts, turn, better)


def grade_double(judge: Agent, point: Point, doubled: bool) -> Grade | None:
    """What doubling, or not doubling, gave up.

    None where the judge has no opinion in figures, and where nobody would think of doubling, and nobody did.
    """
    found = _equities(judge, point)
    if found is None:
        return None
    opinion, hold, taken = found
    loss = float(double_loss(hold, taken, np.array([doubled]))[0])
    words = ("no double", "double")
    if not (doubled or loss > TOLERANCE or close(hold, taken)[0]):
        return None
    return Grade(point, judge.name, words[doubled], str(opinion), loss, True)


def grade_answer(judge: Agent, point: Point, took: bool) -> Grade | None:
    """What taking, or passing, gave up; None where the judge has no opinion in figures."""
    found = _equities(judge, point)
    if found is None:
        return None
    _, _, taken = found
    loss = float(take_loss(taken, taken, np.array([took]))[0])
    words = ("pass", "take")
    return Grade(point, judge.name, words[took], words[took == (loss <= TOLERANCE)], loss, True)


def _equities(judge: Agent, point: Point) -> tuple[CubeOpinion, np.ndarray, np.ndarray] | None:
    """The judge's opinion, and what not doubling, and double and take are worth, winning the cube as it is being 1."""
    situation = replace(point.situation, offer="")
    opinion = cube_opinion(judge, situation, judge.evaluate(situation.position))
    if opinion is None or np.isnan(opinion.hold):
        return None
    figures = np.array([[opinion.hold], [opinion.taken]])
    if opinion.unit == "MWC":
        score = MatchScore(*situation.away, situation.cube_value, situation.crawford)
        figures = np.asarray(load_met().to_equity(figures, score))
    return opinion, figures[0], figures[1]


@dataclass(frozen=True)
class Summary:
    """The error rate of some grades. decisions: how many count. error: points given up in all."""

    decisions: int
    error: float
    right: int

    @property
    def per_move(self) -> float:
        """Milli-equity (mEq, millipoints) given up per decision that counts; 0 where there is none."""
        return MILLI * self.error / self.decisions if self.decisions else 0.0

    @property
    def rating(self) -> float:
        """XG's performance rating, 500 times the mean error; see `bglab.measure.error_rate`."""
        return performance_rating(self.error, self.decisions) if self.decisions else 0.0

    def __str__(self) -> str:
        if not self.decisions:
            return "no decision graded yet"
        many = f"{self.decisions} decision{'s' * (self.decisions != 1)}"
        return f"{many}, {self.right} of them best: {self.per_move:.1f} mEq each, PR {self.rating:.2f}"


def summary(grades: Sequence[Grade]) -> Summary:
    """The error rate of the decisions that count."""
    counting = [grade for grade in grades if grade.counts]
    return Summary(
        len(counting), sum((grade.loss for grade in counting), 0.0), sum(grade.right for grade in counting)
    )


def worst(grades: Sequence[Grade], most: int = 8) -> list[Grade]:
    """Those that gave up most, the worst first."""
    wrong = [grade for grade in grades if not grade.right]
    return sorted(wrong, key=lambda grade: (-grade.loss, grade.point.game, grade.point.number))[:most]
