"""Dice from keys, for many games at once: reproducible rolls, and opening rolls without doubles."""

from __future__ import annotations

import operator

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Int, Int32, Key, UInt32

from bglab.errors import InputError


def seeded(seed: int) -> Key[Array, ""]:
    """The key of a seed, a whole number from 0 to 2**32 − 1; JAX would silently take others for one of these."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 32:
        raise InputError(f"A seed is a whole number from 0 to 4294967295, not {seed!r}.")
    return jax.random.key(number)


def roll(key: Key[Array, ""] | UInt32[Array, "2"], opening: Bool[Array, "n"]) -> Int32[Array, "n 2"]:
    """One roll for each of n games, int32[n, 2]; where `opening` holds, one of the 30 rolls without doubles.

    Both players throw one die to open and throw again on a tie, so an opening roll is uniform over unequal pairs.
    """
    n = opening.shape[0]
    first, second = jax.random.randint(key, (2, n), 0, 6, jnp.int32)
    # 36 = 6 · 6 pairs and 30 = 6 · 5: the second die of an opening is one of the five others.
    step = jax.random.randint(jax.random.fold_in(key, 1), (n,), 1, 6, jnp.int32)
    second = jnp.where(opening, (first + step) % 6, second)
    return jnp.stack([first, second], -1) + 1


@jax.jit
def dealt(key: Key[Array, ""], *numbers: Int[Array, "n"]) -> Int32[Array, "n 2"]:
    """The roll that belongs to each row of numbers, int32[n, 2]: the same whoever plays and wherever in a batch it is.

    The last number is the ply, 0 being an opening roll; those before it say which deal, or which game of it.
    """

    def roll_one(*own: Array) -> Array:
        mine = key
        for number in own:
            mine = jax.random.fold_in(mine, number)
        return roll(mine, (own[-1] == 0)[None])[0]

    return jax.vmap(roll_one)(*numbers)
