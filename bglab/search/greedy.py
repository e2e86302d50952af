"""Choosing a turn without looking ahead (0-ply), and the value of a position over its 21 rolls, in batches.

Only rows that hold an afterstate are evaluated: the network runs block by block up to the last row in use, so
its cost follows the real number of turns and not the capacity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float32, Int, Int32, UInt32

from bglab.rules.capacity import Ladder
from bglab.rules.planes import flip, points_won
from bglab.rules.ragged import on_cpu, take
from bglab.rules.turns import ROLL_WEIGHTS, Capacity, Packed, Turns, all_turns, rolled_turns
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
    evaluator: Evaluator,
    parts: tuple[Packed, ...],
    checkers: int = 15,
    owner: Int32[Array, "k"] | None = None,
) -> Float32[Array, "k"]:
    """Worth of the rows of all parts, one after another, to the player who moved: exact where the game is over.

    Rows that are not in use hold anything. `owner` is the owner of the cube for each row.
    """
    after = jnp.concatenate([part.after for part in parts])
    block = min(block_rows(), after.shape[0])
    # One loop over the blocks of all parts, so that the evaluator is compiled once.
    starts, first, begins = jnp.int32(0), 0, []
    for part in parts:
        begins.append((starts, first))
        capacity = part.after.shape[0]
        starts, first = starts + (jnp.minimum(part.total, capacity) + block - 1) // block, first + capacity

    def evaluate(k: Array, values: Array) -> Array:
        begin = k * block
        for before, row in begins[1:]:
            begin = jnp.where(k < before, begin, row + (k - before) * block)
        rows = lax.dynamic_slice_in_dim(after, begin, block)
        mine = None if owner is None else lax.dynamic_slice_in_dim(owner, begin, block)
        return lax.dynamic_update_slice_in_dim(values, worth_of(evaluator, rows, checkers, mine), begin, 0)

    return lax.fori_loop(0, starts, evaluate, jnp.zeros(after.shape[0], jnp.float32))


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
    return best_of(evaluator, positions, rolled_turns(positions, dice, capacity), checkers)


def best_of(
    evaluator: Evaluator, positions: UInt32[Array, "n 8"], turns: Turns, checkers: int = 15
) -> Choice:
    """`best_turns` of turns that are generated already; compiled apart from the generator, it compiles in half the time
    for another evaluator.
    """
    parts = (turns.non_doubles, turns.doubles)
    values = packed_worth(evaluator, parts, checkers)
    after = jnp.concatenate([part.after for part in parts])
    source = jnp.concatenate([part.source for part in parts])
    valid = jnp.concatenate([part.valid for part in parts])
    if hasattr(evaluator, "nudge"):
        values = values + nudge(evaluator, take(positions, source), after)
    row = _best_row(values, source, valid, positions.shape[0])
    chosen = take(after, row)
    return Choice(chosen, take(values, row), points_won(chosen, checkers), turns.needed)


def best_by_roll(
    evaluator: Evaluator,
    turns: Turns,
    n: int,
    checkers: int = 15,
    cube: Int32[Array, "n"] | None = None,
    like: UInt32[Array, "n 21 8"] | None = None,
) -> tuple[UInt32[Array, "n 21 8"], Float32[Array, "n 21 *six"]]:
    """Where each of n positions goes with each of the 21 rolls, in the order of `ROLLS`, and what that is worth to the
    player who moved: outcomes where the evaluator gives outcomes, else a worth in its own currency.

    `turns` are all turns of the positions (`all_turns`). With `like` not the turn of largest worth is played, but the
    one that leaves the mover's own checkers most as they are in `like`; only that is evaluated.
    """
    parts = (turns.non_doubles, turns.doubles)
    owner = None
    if cube is not None:
        owner = jnp.concatenate(
            [take(cube, part.source // rolls) for part, rolls in zip(parts, (15, 6), strict=True)]
        )
    if like is None:
        values = packed_worth(evaluator, parts, checkers, owner)
    else:
        values = jnp.concatenate(
            [
                _likeness(part, like[:, rolls])
                for part, rolls in zip(parts, (slice(15), slice(15, 21)), strict=True)
            ]
        )
    best, first = [], 0
    for part, rolls in zip(parts, (15, 6), strict=True):
        mine = values[first : first + part.after.shape[0]]
        first += part.after.shape[0]
        row = _best_row(mine, part.source, part.valid, n * rolls)
        best.append(take(part.after, row).reshape(n, rolls, 8))
    after = jnp.concatenate(best, 1)
    owner = None if cube is None else jnp.repeat(cube, 21)
    values = after_values(evaluator, after.reshape(n * 21, 8), checkers, owner)
    return after, values.reshape(n, 21, *values.shape[1:])


def _likeness(part: Packed, like: UInt32[Array, "n rolls 8"]) -> Float32[Array, "k"]:
    """How much the mover's own checkers after each turn are as in `like`: 0 if they are the same, else less."""
    wanted = take(like[..., :4].reshape(-1, 4), part.source)
    return -lax.population_count(part.after[:, :4] ^ wanted).sum(1).astype(jnp.float32)


def mean_of_best(
    evaluator: Evaluator, turns: Turns, n: int, checkers: int = 15, cube: Int32[Array, "n"] | None = None
) -> Float32[Array, "n *six"]:
    """What each of n positions is worth averaged over the 21 rolls, each played for the largest worth: the exact
    Bellman backup (document 003, section 3.2), which is a 1-ply evaluation.
    """
    _, values = best_by_roll(evaluator, turns, n, checkers, cube)
    return jnp.einsum("nr...,r->n...", values, jnp.asarray(ROLL_WEIGHTS), precision="highest")


# Compiled apart, so that another evaluator does not compile the generator anew.
_every_turn = jax.jit(all_turns, static_argnames=("capacity",))
_mean_of_best = jax.jit(mean_of_best, static_argnames=("n", "checkers"))
_best_by_roll = jax.jit(best_by_roll, static_argnames=("n", "checkers"))


def over_rolls(
    evaluator: Evaluator,
    positions: UInt32[Array, "n 8"],
    ladder: Ladder,
    checkers: int = 15,
    function: Callable[..., Any] = _mean_of_best,
    **options: Any,
) -> Any:
    """`mean_of_best` of positions, or another function of all their turns, with as much room as it takes; `ladder` is
    of n positions and all rolls, and options go to the function.
    """

    def call(capacity: Capacity) -> tuple[Any, Array]:
        turns = _every_turn(positions, capacity=capacity)
        return function(evaluator, turns, n=positions.shape[0], checkers=checkers, **options), turns.needed

    return ladder.run(call)[0]


def each_roll(
    evaluator: Evaluator, positions: UInt32[Array, "n 8"], ladder: Ladder, checkers: int = 15, **options: Any
) -> tuple[UInt32[Array, "n 21 8"], Float32[Array, "n 21 *six"]]:
    """`best_by_roll` of positions, as `over_rolls`."""
    return over_rolls(evaluator, positions, ladder, checkers, _best_by_roll, **options)
