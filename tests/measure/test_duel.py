"""Duels: identical agents tie exactly, dice are shared, results do not depend on how games lie side by side."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, InputError, Position, duel, load
from bglab.measure import duel as module
from bglab.measure.duel import positions_met
from bglab.rules.dice import dealt
from bglab.rules.planes import unpack


@pytest.fixture(scope="module")
def agents() -> tuple[Agent, Agent]:
    return load("N80-L2-sigmoid-800k-lam07"), load("N80-L2-sigmoid-800k-lam00")


def test_identical_agents_score_exactly_zero(agents: tuple[Agent, Agent]) -> None:
    twin = Agent("twin", agents[0].evaluator)
    result = duel(agents[0], twin, games=256, lanes=64, progress=False)
    assert result.games == 256
    assert (result.points.sum(1) == 0).all()
    assert (result.points != 0).all()
    assert result.per_game.value == 0
    assert result.per_game.z == 0


def test_result_depends_on_the_seed_and_not_on_the_lanes(agents: tuple[Agent, Agent]) -> None:
    few = duel(*agents, games=128, lanes=64, seed=3, progress=False)
    many = duel(*agents, games=128, lanes=32, seed=3, progress=False)
    other = duel(*agents, games=128, lanes=64, seed=4, progress=False)
    np.testing.assert_array_equal(few.points, many.points)
    assert (few.points != other.points).any()


def test_exchanging_the_agents_exchanges_the_result(agents: tuple[Agent, Agent]) -> None:
    forth = duel(*agents, games=128, lanes=64, seed=3, progress=False)
    back = duel(*agents[::-1], games=128, lanes=64, seed=3, progress=False)
    np.testing.assert_array_equal(forth.points, -back.points[:, ::-1])


def test_points_add_up(agents: tuple[Agent, Agent]) -> None:
    result = duel(*agents, games=128, lanes=64, seed=3, progress=False)
    table = result.outcomes().set_index("outcome")["share"]
    assert table.sum() == pytest.approx(1)
    worth = np.array([1, 2, 3, -1, -2, -3])
    assert result.per_game.value == pytest.approx(table.to_numpy() @ worth)
    assert result.wins.value == pytest.approx(table.iloc[:3].sum())
    text = str(result)
    for figure in ("95 %", "128 games", "64 deals", "z = ", "n = 128"):
        assert figure in text
    assert "<pre>" in result._repr_html_()


def test_dice_are_shared_fair_and_open_without_doubles() -> None:
    key = jax.random.key(5)
    deals = jnp.arange(6000)
    opening = np.asarray(dealt(key, deals, jnp.zeros(6000, jnp.int32)))
    assert (opening[:, 0] != opening[:, 1]).all()
    assert opening.min() == 1
    assert opening.max() == 6
    pairs = np.bincount(opening[:, 0] * 7 + opening[:, 1], minlength=49)
    assert (pairs > 0).sum() == 30
    later = np.asarray(dealt(key, deals, jnp.full(6000, 9, jnp.int32)))
    assert (later[:, 0] == later[:, 1]).mean() == pytest.approx(1 / 6, abs=0.02)
    # The same roll for a deal and ply wherever it stands in the batch.
    alone = dealt(key, jnp.array([4321, 7]), jnp.array([9, 9]))
    np.testing.assert_array_equal(alone, later[[4321, 7]])


def test_hypergammon_wins_count(agents: tuple[Agent, Agent]) -> None:
    """Known answer S2: a win with 3 checkers is worth at least a point, never 0."""
    result = duel(*agents, games=64, lanes=64, start=Position.start("hypergammon"), progress=False)
    assert result.games == 64
    assert (np.abs(result.points) >= 1).all()


def test_a_game_without_end_is_left_out_and_counted(agents: tuple[Agent, Agent], monkeypatch) -> None:
    """Known answer S3: a game that hits the cap is flagged, never scored as a draw."""
    monkeypatch.setattr(module, "LONGEST", 60)
    result = duel(*agents, games=128, lanes=64, seed=3, progress=False)
    assert result.too_long > 0
    assert len(result.points) + result.too_long == 64
    assert (result.points != 0).all()
    assert f"{result.too_long} deals left out" in str(result)


@pytest.mark.parametrize("games", [0, 2, 101, -4])
def test_games_that_cannot_be_paired(agents: tuple[Agent, Agent], games: int) -> None:
    with pytest.raises(InputError, match="even number"):
        duel(*agents, games=games)


def test_positions_met_in_an_agents_own_games():
    """A pure function of agent, count and seed: legal positions of all stages, with rolls."""
    agent = load("first")
    positions, dice = positions_met(agent, 200, seed=4)
    assert positions.shape == (200, 8)
    assert set(dice.ravel().tolist()) == {1, 2, 3, 4, 5, 6}
    met = unpack(positions)
    assert all(position.result is None for position in met)
    assert len({position.id for position in met}) > 150
    assert 0 < sum(any(position.off) for position in met) < 200
    again, same = positions_met(agent, 200, seed=4)
    assert np.array_equal(positions, again)
    assert np.array_equal(dice, same)
    with pytest.raises(InputError, match="1 or more"):
        positions_met(agent, 0)
