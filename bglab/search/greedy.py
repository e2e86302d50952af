"""Choosing a turn without looking ahead (0-ply), and the value of a position over its 21 rolls, in batches.

Only rows that hold an afterstate are evaluated: the network runs block by block up to the last row in use, so
its cost follows the real number of turns and not the capacity.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float32, Int, Int32, UInt32

from bglab.rules.planes import flip, points_won
from bglab.rules.ragged import on_cpu, take
from bglab.rules.turns import ROLL_WEIGHTS, Capacity, Packed, all_turns, rolled_turns
from bglab.value.evaluator import Evaluator, final, nudge, worth
from bglab.value.outcome import certain, swap


def block_rows() -> int:
    """Rows evaluated at a time: on a CPU few enough for the inner cache, on an accelerator enough to fill it."""
    return 512 if on_cpu() else 16384


class Choice(NamedTuple):
    """The best turn of each position.

    after: uint32[n, 8], seen by the player who moved. worth: float32[n], that player's, in the evaluator's currency
    (equity in points where it gives outcomes). won: int32[n], points won by this turn, 0 while the game goes on.
    needed: int32[5], rows the generator wanted (`turns.fits`).
    """

    after: UInt32[Array, "n 8"]
    worth: Float32[Array, "n"]
    won: Int32[Array, "n"]
    needed: Int32[Array, "5"]


def after_values(
    evaluator: Evaluator,
    after: UInt32[Array, "k 8"],
    checkers: int = 15,
    cube: Int32[Array, "k"] | None = None,
) -> Float32[Array, "k *six"]:
    """What afterstates are worth to the player who moved, as outcomes or in the evaluator's own currency: exact
    where the game is over, else the evaluator's. `cube` is the owner of the cube as the player who moved sees it.
    """
    won = points_won(after, checkers)
    values = evaluator(flip(after), None if cube is None else -cube)
    if values.ndim == 2:
        return jnp.where((won > 0)[:, None], certain(won), swap(values))
    return jnp.where(won > 0, final(evaluator, won), -values)


def packed_worth(
    evaluator: Evaluator, turns: Packed, checkers: int = 15, cube: Int32[Array, "n"] | None = None
) -> Float32[Array, "k"]:
    """Worth of every row in use to the player who moved, exact where the game is over; the other rows are zero.

    `cube` holds the owner of the cube for each source of the rows.
    """
    capacity = turns.after.shape[0]
    block = min(block_rows(), capacity)
    owner = None if cube is None else take(cube, turns.source)

    def evaluate(k: Array, values: Array) -> Array:
        after = lax.dynamic_slice_in_dim(turns.after, k * block, block)
        mine = None if owner is None else lax.dynamic_slice_in_dim(owner, k * block, block)
        value = worth_of(evaluator, after, checkers, mine)
        return lax.dynamic_update_slice_in_dim(values, value, k * block, 0)

    blocks = (jnp.minimum(turns.total, capacity) + block - 1) // block
    return lax.fori_loop(0, blocks, evaluate, jnp.zeros(capacity, jnp.float32))


def worth_of(
    evaluator: Evaluator,
    after: UInt32[Array, "k 8"],
    checkers: int = 15,
    cube: Int32[Array, "k"] | None = None,
) -> Float32[Array, "k"]:
    """`after_values` as a single number each."""
    won = points_won(after, checkers)
    theirs = worth(evaluator(flip(after), None if cube is None else -cube))
    return jnp.where(won > 0, final(evaluator, won), -theirs)


def _best_row(
    values: Float32[Array, "k"], source: Int32[Array, "k"], valid: Bool[Array, "k"], n: int
) -> Int32[Array, "n"]:
    """For each of n sources the first row with its largest value (0 for a source without rows)."""
    source = jnp.where(valid, source, n)
    best = jax.ops.segment_max(values, source, num_segments=n + 1)
    row = jnp.arange(values.shape[0], dtype=jnp.int32)
    wins = (values >= take(best, source)) & valid
    last = values.shape[0] - 1
    first = jax.ops.segment_min(jnp.where(wins, row, last), source, num_segments=n + 1)
    return jnp.minimum(first[:n], last)


def best_turns(
    evaluator: Evaluator,
    positions: UInt32[Array, "n 8"],
    dice: Int[Array, "n 2"],
    capacity: Capacity,
    checkers: int = 15,
) -> Choice:
    """The turn of largest worth for each position with its roll; the first in generator order among equals.

    Where `needed` does not fit the capacity the choice is wrong and must be made again with more room.
    """
    turns = rolled_turns(positions, dice, capacity)
    parts = (turns.non_doubles, turns.doubles)
    values = jnp.concatenate([packed_worth(evaluator, part, checkers) for part in parts])
    after = jnp.concatenate([part.after for part in parts])
    source = jnp.concatenate([part.source for part in parts])
    valid = jnp.concatenate([part.valid for part in parts])
    if hasattr(evaluator, "nudge"):
        values = values + nudge(evaluator, take(positions, source), after)
    row = _best_row(values, source, valid, positions.shape[0])
    chosen = take(after, row)
    return Choice(chosen, take(values, row), points_won(chosen, checkers), turns.needed)


def over_rolls(
    evaluator: Evaluator,
    positions: UInt32[Array, "n 8"],
    capacity: Capacity,
    checkers: int = 15,
    cube: Int32[Array, "n"] | None = None,
) -> tuple[Float32[Array, "n *six"], Int32[Array, "5"]]:
    """What each position is worth averaged over the 21 rolls, each played for the largest worth: the exact
    Bellman backup (document 003, section 3.2), which is a 1-ply evaluation. Returns it with the rows needed.

    Outcomes where the evaluator gives outcomes, else a worth in its own currency.
    """
    n = positions.shape[0]
    turns = all_turns(positions, capacity)
    best = []
    for part, rolls in ((turns.non_doubles, 15), (turns.doubles, 6)):
        owner = None if cube is None else jnp.repeat(cube, rolls)
        row = _best_row(packed_worth(evaluator, part, checkers, owner), part.source, part.valid, n * rolls)
        best.append(take(part.after, row).reshape(n, rolls, 8))
    after = jnp.concatenate(best, 1).reshape(n * 21, 8)
    owner = None if cube is None else jnp.repeat(cube, 21)
    values = after_values(evaluator, after, checkers, owner)
    weights = jnp.asarray(ROLL_WEIGHTS)
    values = values.reshape(n, 21, *values.shape[1:])
    return jnp.einsum("nr...,r->n...", values, weights, precision="highest"), turns.needed
