"""Ragged batches of fixed capacity: give every item its own number of rows, packed together, under `jit`."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Int, UInt32

from bglab.errors import InputError

BLOCK = 64
EXACT = 1 << 24
"""Sums below this are exact in float32."""


def take(table: Array, index: Int[Array, "..."]) -> Array:
    """`table[index]` along the first axis for indices that are known to be in range."""
    return table.at[index].get(mode="promise_in_bounds")


def on_cpu() -> bool:
    """Whether computations are traced for the CPU, where XLA needs help that an accelerator does not."""
    return jax.default_backend() == "cpu"


def fence(true: Bool[Array, ""], *arrays: Array) -> tuple[Array, ...]:
    """Have the arrays computed once: XLA's CPU fusion would recompute a producer for each of its consumers.

    `true` must hold at run time and be unknown to the compiler; the branch not taken is never executed.
    """
    if not on_cpu():
        return arrays
    return lax.cond(true, lambda *kept: kept, lambda *lost: tuple(jnp.zeros_like(a) for a in lost), *arrays)


def cumsum(counts: Int[Array, "n"]) -> Int[Array, "n"]:
    """Running sum of `int32[n]`, exact while the total stays below 2**24.

    XLA's own scan costs three times as much on a CPU as this product with a triangle of ones, block by block.
    """
    if not on_cpu():
        return jnp.cumsum(counts, dtype=jnp.int32)

    def running(x: Array) -> Array:
        n = x.shape[0]
        if n <= BLOCK:
            return jnp.dot(x, jnp.asarray(np.triu(np.ones((n, n), np.float32))), precision="highest")
        blocks = jnp.pad(x, (0, -n % BLOCK)).reshape(-1, BLOCK)
        inside = jnp.dot(
            blocks, jnp.asarray(np.triu(np.ones((BLOCK, BLOCK), np.float32))), precision="highest"
        )
        before = running(inside[:, -1]) - inside[:, -1]
        return (inside + before[:, None]).reshape(-1)[:n]

    return running(counts.astype(jnp.float32)).astype(jnp.int32)


class Expansion(NamedTuple):
    """Rows handed out to items, `count[i]` to item i, in order.

    item: int32[capacity], whose row it is. rank: int32[capacity], 0 for an item's first row, then 1, 2, ...
    valid: bool[capacity], False past the last row. total: int32, rows needed, which may exceed the capacity.
    """

    item: Int[Array, "capacity"]
    rank: Int[Array, "capacity"]
    valid: Bool[Array, "capacity"]
    total: Int[Array, ""]


def expand(counts: Int[Array, "n"], capacity: int) -> Expansion:
    """Give item i `counts[i]` consecutive rows out of `capacity`; rows past the capacity are lost, `total` tells.

    Raises `InputError` for a capacity of 2**24 or more on a CPU, where rows could no longer be counted exactly; below
    it a larger total is never mistaken for one that fits.
    """
    if on_cpu() and capacity >= EXACT:
        raise InputError(
            f"{capacity} rows are more than a CPU counts exactly, 2**24: give fewer positions at a time."
        )
    ends = cumsum(counts)
    finished = jnp.zeros(capacity, jnp.int32).at[ends].add(1, mode="drop")
    item = jnp.minimum(cumsum(finished), counts.shape[0] - 1)
    row = jnp.arange(capacity, dtype=jnp.int32)
    rank = row - take(ends - counts, item)
    item, rank = fence(ends[-1] >= 0, item, rank)
    return Expansion(item, rank, row < ends[-1], ends[-1])


def nth_bit(mask: UInt32[Array, "..."], rank: Int[Array, "..."]) -> UInt32[Array, "..."]:
    """Position of the set bit number `rank` (0 the lowest) of each mask, by halving on the population count."""
    left = rank.astype(jnp.uint32)
    position = jnp.zeros_like(mask)
    for width in (16, 8, 4, 2, 1):
        low = mask & np.uint32((1 << width) - 1)
        inside = lax.population_count(low)
        above = left >= inside
        left = jnp.where(above, left - inside, left)
        mask = jnp.where(above, mask >> width, low)
        position = jnp.where(above, position + np.uint32(width), position)
    return position
