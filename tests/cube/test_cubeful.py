"""Cubeful equities for a search: the piecewise-linear form with the right to double, and decisions from them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from bglab.cube.action import cube_action
from bglab.cube.cubeful import Cubeful
from bglab.cube.janowski import piecewise_linear, reduce
from bglab.rules.planes import contact, pack
from bglab.search.expectimax import expectimax
from tests import samples


def test_a_side_that_may_double_has_the_better_of_two():
    network, positions = samples.lively(1), jnp.asarray(pack(samples.realistic(64, seed=3)))
    p, W, L = reduce(network(positions))
    x = np.where(contact(positions), np.float32(0.7), np.float32(0.6))
    for owner in (-1, 0, 1):
        owners = jnp.full(64, owner, jnp.int32)
        found = Cubeful(network)(positions, owners)
        hold = piecewise_linear(p, W, L, jnp.asarray(x), owners)
        taken = 2 * piecewise_linear(p, W, L, jnp.asarray(x), jnp.full(64, -1, jnp.int32))
        wanted = np.maximum(hold, np.minimum(taken, 1)) if owner >= 0 else hold
        assert np.abs(found - wanted).max() < 1e-6
        double, take = cube_action(Cubeful(network), positions, owners, jnp.ones(64, bool))
        assert double.tolist() == ((np.minimum(taken, 1) > hold) & (owner >= 0)).tolist()
        assert take.tolist() == (taken <= 1).tolist()
    assert (
        np.abs(Cubeful(network)(positions) - Cubeful(network)(positions, jnp.zeros(64, jnp.int32))).max() == 0
    )


def test_a_search_decides_by_its_own_equities():
    """Looking ahead, cube decisions compare what the search finds; a gammonless cube is never worth more than 1."""
    network = samples.lively(1)
    search = expectimax(Cubeful(network), 1)
    positions = pack(samples.realistic(8, seed=4))
    owner = np.zeros(8, np.int32)
    hold, taken = search.hold_and_take(positions, owner)
    double, take = cube_action(search, positions, owner, np.ones(8, bool))
    assert double.tolist() == (np.minimum(taken, 1) > hold).tolist()
    assert take.tolist() == (taken <= 1).tolist()
    values = search(positions, owner)
    assert values.tolist() == pytest.approx(np.maximum(hold, np.minimum(taken, 1)).tolist(), abs=1e-6)
