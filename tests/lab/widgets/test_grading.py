"""What a judge says of turns, summaries, and the queue in which grades are made."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from bglab import Position, Situation, load
from bglab.lab.widgets.grading import grade_turn, summary
from bglab.lab.widgets.in_order import InOrder
from bglab.lab.widgets.standing import Point
from bglab.value.outcome import POINTS


def test_turns_are_graded_at_the_score() -> None:
    """At double match point a gammon is worth no more than a win."""
    judge = load()
    money = Situation(Position.start(), dice=(3, 1))
    decider = replace(money, score=(6, 6), length=7)
    for situation, points in ((money, POINTS), (decider, np.sign(POINTS))):
        ranked = judge.rank(situation.position, (3, 1), points=points)
        for row in (0, len(ranked) - 1):
            grade = grade_turn(judge, Point(0, 0, 0, situation), ranked["turn"].iloc[row])
            assert grade.best == ranked["play"].iloc[0]
            assert grade.loss == pytest.approx(ranked["loss"].iloc[row], abs=1e-6)


def test_an_empty_summary_says_so() -> None:
    assert "no decision" in str(summary([]))


def test_work_in_order_is_all_done_and_a_failure_stops_nothing() -> None:
    gate, shown, failed = threading.Event(), [], []
    work: InOrder[int] = InOrder(shown.append, failed.append)

    def slow() -> int:
        assert gate.wait(10)
        return 0

    def wrong() -> int:
        raise ValueError("no")

    for each in (slow, lambda: 1, wrong, lambda: 2):
        work.put(each)
    assert work.left == 4
    gate.set()
    assert work.wait(10.0)
    assert shown == [0, 1, 2]
    assert len(failed) == 1
    work.put(lambda: 3)
    assert work.wait(10.0)
    assert shown == [0, 1, 2, 3]
