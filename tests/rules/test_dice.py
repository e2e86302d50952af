"""Dice: fair, reproducible, and without doubles where a game opens."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab.errors import InputError
from bglab.rules.dice import roll, seeded

N = 72_000


def counts(dice: jax.Array) -> np.ndarray:
    """How often each pair was thrown, int[6, 6]."""
    first, second = np.asarray(dice).T
    return np.bincount(6 * (first - 1) + second - 1, minlength=36).reshape(6, 6)


def chi_squared(found: np.ndarray) -> float:
    expected = found.sum() / found.size
    return float(((found - expected) ** 2 / expected).sum())


def test_all_36_pairs_are_equally_likely():
    dice = roll(seeded(1), jnp.zeros(N, bool))
    assert dice.shape == (N, 2)
    assert dice.dtype == jnp.int32
    assert chi_squared(counts(dice).ravel()) < 66.6  # one in a thousand for 35 degrees of freedom


def test_openings_are_the_30_unequal_pairs_equally_likely():
    found = counts(roll(seeded(2), jnp.ones(N, bool)))
    assert np.trace(found) == 0
    assert chi_squared(found[~np.eye(6, dtype=bool)]) < 58.3  # one in a thousand for 29 degrees of freedom


def test_only_openings_are_without_doubles():
    opening = jnp.arange(1000) % 2 == 0
    first, second = np.asarray(roll(seeded(3), opening)).T
    doubles = first == second
    assert not doubles[::2].any()
    assert doubles[1::2].any()
    assert np.array_equal(
        np.asarray(roll(seeded(3), opening))[1::2], np.asarray(roll(seeded(3), jnp.zeros(1000, bool)))[1::2]
    )


def test_the_same_key_throws_the_same_dice():
    opening = jnp.zeros(100, bool)
    assert np.array_equal(roll(seeded(4), opening), roll(seeded(4), opening))
    assert not np.array_equal(roll(seeded(4), opening), roll(seeded(5), opening))


def test_seeds():
    assert np.array_equal(jax.random.key_data(seeded(7)), jax.random.key_data(jax.random.key(7)))
    assert np.array_equal(jax.random.key_data(seeded(2**32 - 1)), [0, 2**32 - 1])


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("seed", [-1, 2**32, 2**40, 1.5, "1", None])
def test_other_seeds_are_refused(seed):
    with pytest.raises(InputError, match=r"^A seed is a whole number from 0 to 4294967295, not .*\.$"):
        seeded(seed)
