"""Opinions in steps: the same as asking the agent itself, deeper ones after shallow ones, and the cube."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bglab
from bglab import Position, load, parse
from bglab.cube.match_cube import match_actions
from bglab.cube.match_equity import MatchScore
from bglab.cube.metfile import load_met
from bglab.lab.widgets.opinion import CubeOpinion, Opinion, cube_opinion, opinions, points_at, why_no_double
from bglab.lab.widgets.opinion_view import as_html, as_text, cube_words
from bglab.play.agent import Agent
from bglab.rules.situation import Situation
from bglab.value.outcome import OUTCOMES, POINTS

START = Position.start()
RACE = Position.of(me={6: 3, 5: 3, 4: 3}, opp={6: 3, 5: 4, 4: 3})


@pytest.fixture(scope="module")
def agent() -> Agent:
    return load()


def test_without_looking_ahead(agent: Agent) -> None:
    steps = list(opinions(agent, Situation(START, (3, 1))))
    assert [(step.done, step.total) for step in steps] == [(1, 2), (2, 2)]
    found = steps[-1].opinion
    pd.testing.assert_frame_equal(found.turns.drop(columns="by"), agent.rank(START, (3, 1)))
    pd.testing.assert_series_equal(found.outcomes, agent.evaluate(START))
    assert found.cube is None
    assert set(found.turns["by"]) == {agent.name}


def test_the_best_of_every_roll(agent: Agent) -> None:
    *_, last = opinions(agent, Situation(START))
    rolls = last.opinion.rolls
    assert rolls["weight"].sum() == pytest.approx(1)
    assert last.opinion.turns is None
    for row in rolls.iloc[[0, 7, 20]].itertuples():
        best = agent.rank(START, (int(row.high), int(row.low)))["equity"].iloc[0]
        assert row.worth == pytest.approx(best, abs=1e-5)


def test_looking_ahead_comes_after(agent: Agent) -> None:
    ahead = load(f"{agent.name}:1ply")
    position = RACE
    steps = list(opinions(ahead, Situation(position, (6, 5)), agent, most=3))
    assert [step.done for step in steps] == list(range(1, steps[-1].total + 1))
    first, last = steps[0].opinion, steps[-1].opinion
    assert set(first.turns["by"]) == {agent.name}
    deep = last.turns[last.turns["by"] == ahead.name]
    assert len(deep) == min(3, len(last.turns))
    assert len(last.turns) == len(first.turns)
    ranked = ahead.rank(position, (6, 5)).set_index("play")["equity"]
    np.testing.assert_allclose(deep["equity"], ranked[deep["play"]], atol=1e-6)
    assert deep["equity"].is_monotonic_decreasing
    assert deep["loss"].iloc[0] == 0
    pd.testing.assert_series_equal(last.outcomes, ahead.evaluate(position))
    assert not np.allclose(last.rolls["worth"], steps[1].opinion.rolls["worth"], atol=1e-4)


def test_an_over_game_has_no_opinion(agent: Agent) -> None:
    over = Position.of(me={}, opp={6: 2})
    assert list(opinions(agent, Situation(over))) == []


def test_a_brain_without_outcomes() -> None:
    *_, last = opinions(load("parameter:origin"), Situation(START, (3, 1)))
    assert last.opinion.currency == "score"
    assert "win" not in last.opinion.turns
    *_, last = opinions(load("parameter:origin"), Situation(START))
    assert np.isnan(last.opinion.cube.hold)


def outcomes(chance: float) -> pd.Series:
    return pd.Series([chance, 0, 0, 1 - chance, 0, 0, 2 * chance - 1], index=[*OUTCOMES, "equity"])


@pytest.mark.parametrize(
    ("chance", "words"),
    [(0.5, "no double, take"), (0.72, "double, take"), (0.85, "double, pass")],
)
def test_the_cube_in_money_play(agent: Agent, chance: float, words: str) -> None:
    found = cube_opinion(agent, Situation(RACE), outcomes(chance))
    assert str(found) == words
    assert found.unit == "points"
    assert found.passed == 1


def test_who_may_not_double_has_no_opinion(agent: Agent) -> None:
    situation = Situation(RACE)
    for change in (
        {"dice": (3, 1)},
        {"cube_owner": -1, "cube_value": 2},
        {"cube_owner": 1, "cube_value": 8, "max_cube": 8},
    ):
        assert cube_opinion(agent, dataclasses.replace(situation, **change), outcomes(0.7)) is None
    crawford = Situation(RACE, score=(4, 2), length=5, crawford=True)
    assert cube_opinion(agent, crawford, outcomes(0.7)) is None
    won = Situation(RACE, cube_value=2, cube_owner=1, score=(3, 2), length=5)
    assert cube_opinion(agent, won, outcomes(0.7)) is None


def test_why_there_is_no_double_is_said(agent: Agent) -> None:
    match = Situation(RACE, score=(4, 2), length=5)
    for situation, words in (
        (Situation(RACE), ""),
        (dataclasses.replace(match, crawford=True), "the Crawford game"),
        (match, "it wins the match as it is"),
        (Situation(RACE, cube_value=2, cube_owner=-1), "the other side owns it"),
        (Situation(RACE, score=(1, 0), length=90), "goes to 25 points"),
    ):
        *_, last = opinions(agent, situation)
        assert words in last.opinion.no_double
        assert bool(words) == (last.opinion.cube is None) == bool(last.opinion.no_double)
        assert ("cube: none" in as_html(last.opinion)) == bool(words)
    assert last.opinion.at == "of money play"


def test_a_saved_table_counts_gammons_among_the_wins(agent: Agent) -> None:
    *_, last = opinions(agent, Situation(START, (3, 1)))
    first = last.opinion.turns.iloc[0]
    page = as_html(last.opinion)
    assert f"<td>{sum(first[name] for name in OUTCOMES[:3]):.3f}</td>" in page
    assert f"<td>{sum(first[name] for name in OUTCOMES[1:3]):.3f}</td>" in page
    assert f"<td>{sum(first[name] for name in OUTCOMES[4:]):.3f}</td>" in page


def test_the_cube_at_a_score(agent: Agent) -> None:
    situation = Situation(RACE, score=(3, 3), length=7)
    found = cube_opinion(agent, situation, outcomes(0.7))
    assert found.unit == "MWC"
    values = np.array(outcomes(0.7)[:6], float)
    expected = match_actions(load_met(), MatchScore(4, 4), values, 0.6, np.int64(0))
    np.testing.assert_allclose((found.hold, found.taken, found.passed), expected)


def test_points_where_a_score_says_more_than_it_can() -> None:
    """A match to one point marked as the Crawford game, and a position after the match."""
    last = Situation(START, score=(0, 0), length=1)
    np.testing.assert_array_equal(points_at(dataclasses.replace(last, crawford=True)), points_at(last))
    over = Situation(START, score=(3, 7), length=7, state="over")
    assert points_at(over) is POINTS
    assert why_no_double(over) == "the match is over"


def test_turns_at_a_score(agent: Agent) -> None:
    """At double match point a turn is worth what it wins and loses, gammon or not; the table says so."""
    situation = Situation(START, dice=(3, 1), score=(6, 6), length=7)
    *_, last = opinions(agent, situation)
    assert last.opinion.at == "at this score"
    turns = last.opinion.turns
    wins = turns[list(OUTCOMES[:3])].sum(axis=1) - turns[list(OUTCOMES[3:])].sum(axis=1)
    np.testing.assert_allclose(turns["equity"], wins, atol=1e-6)
    np.testing.assert_allclose(turns["loss"], wins.max() - wins, atol=1e-6)
    assert abs(float(last.opinion.outcomes["equity"])) <= 1
    assert np.abs(last.opinion.rolls["worth"]).max() <= 1 + 1e-6
    *_, money = opinions(agent, dataclasses.replace(situation, score=(0, 0), length=0))
    assert not money.opinion.at
    assert not np.allclose(money.opinion.turns["equity"], wins, atol=1e-3)


def test_too_good_is_said() -> None:
    assert str(CubeOpinion(False, False, 1.1, 1.6, 1.0, "points")) == "too good to double, pass"


def test_no_minus_sign_before_a_zero() -> None:
    assert "−0.000" not in cube_words(CubeOpinion(False, True, -1e-5, -1e-5, 1.0, "points"))[1]
    turns = pd.DataFrame({"play": ["8/5 6/5"], "equity": [-1e-5], "loss": [0.0]})
    opinion = Opinion("me", "equity", pd.Series({"equity": -1e-5}), turns=turns)
    assert "-0.0" not in as_html(opinion) + as_text(opinion)


def test_an_identifier_with_a_cube_to_answer(agent: Agent) -> None:
    situation = parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10")
    *_, last = opinions(agent, situation)
    assert last.opinion.cube is not None
    assert bglab.__version__
