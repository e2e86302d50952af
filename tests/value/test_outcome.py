"""Outcomes: equity, the other side's view, finished games, and the two forms of probabilities."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from bglab.value.outcome import OUTCOMES, certain, equity, from_cumulative, swap, to_cumulative

EXCLUSIVE = jnp.array([0.47, 0.17, 0.01, 0.31, 0.04, 0.0])
CUMULATIVE = jnp.array([0.65, 0.18, 0.01, 0.04, 0.0])


def some(n: int = 200) -> jnp.ndarray:
    """Random outcomes, float32[n, 6]."""
    return jnp.asarray(np.random.default_rng(0).dirichlet(np.ones(6), n).astype(np.float32))


def test_exclusive_and_cumulative():
    """T1: the same position both ways, equity .45."""
    assert np.allclose(to_cumulative(EXCLUSIVE), CUMULATIVE, atol=1e-6)
    assert np.allclose(from_cumulative(CUMULATIVE), EXCLUSIVE, atol=1e-6)
    assert float(equity(EXCLUSIVE)) == pytest.approx(0.45, abs=1e-6)
    win, gammon, backgammon, lose_gammon, lose_backgammon = CUMULATIVE
    assert float(win - (1 - win) + gammon + backgammon - lose_gammon - lose_backgammon) == pytest.approx(0.45)


def test_conversion_both_ways():
    outcomes = some()
    assert np.allclose(from_cumulative(to_cumulative(outcomes)), outcomes, atol=1e-6)
    assert np.allclose(from_cumulative(to_cumulative(outcomes)).sum(-1), 1, atol=1e-6)


def test_swap_is_the_other_sides_view():
    assert swap(jnp.arange(6.0)).tolist() == [3, 4, 5, 0, 1, 2]
    outcomes = some()
    assert np.array_equal(swap(swap(outcomes)), outcomes)
    assert np.allclose(equity(swap(outcomes)), -equity(outcomes), atol=1e-6)


@pytest.mark.parametrize("points", [1, 2, 3, -1, -2, -3])
def test_a_finished_game_is_certain(points):
    outcomes = certain(jnp.int32(points))
    assert outcomes.tolist() == [float(k == (points - 1 if points > 0 else 2 - points)) for k in range(6)]
    assert float(equity(outcomes)) == points
    assert np.array_equal(swap(outcomes), certain(jnp.int32(-points)))
    assert OUTCOMES[int(outcomes.argmax())].startswith("win" if points > 0 else "lose")


def test_a_game_that_goes_on_has_no_outcome():
    assert certain(jnp.array([0, 2, 0], jnp.int32)).tolist() == [[0] * 6, [0, 1, 0, 0, 0, 0], [0] * 6]
