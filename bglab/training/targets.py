"""What each position of a trace is trained towards.

A target is a function `(trace, evaluator) -> float32[n, 6]`, outcomes from the side on roll at each position. The
training loop calls it with the games of a round and the network those games were played with; any function of
this shape can be put into a `Recipe`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Float, Float32, Int32, UInt32

from bglab.errors import InputError
from bglab.rules.capacity import Ladder
from bglab.rules.parallel import threads
from bglab.search.greedy import over_rolls
from bglab.search.rows import in_chunks
from bglab.value.evaluator import Evaluator
from bglab.value.outcome import certain, swap

CHUNK = 128
"""Positions whose 21 rolls are searched at a time on a CPU."""


class Trace(NamedTuple):
    """Complete games one after another; the side on roll alternates within each.

    positions: uint32[n, 8]. last: bool[n], the last position of a game. won: int32[n], points that the side on roll
    wins with its turn there (1, 2, 3), 0 elsewhere. checkers: how many each side started with, which decides what is a
    gammon. Rows that pad the trace are games of one position.
    """

    positions: UInt32[Array, "n 8"]
    last: Bool[Array, "n"]
    won: Int32[Array, "n"]
    checkers: int = 15


Target: TypeAlias = Callable[[Trace, Evaluator], Array]


def lambda_return_of(
    values: Float[Array, "n 6"],
    last: Bool[Array, "n"],
    outcomes: Float[Array, "n 6"],
    lam: Float[Array, ""] | float,
) -> Float[Array, "n 6"]:
    """The λ-returns of games one after another (document 000, section 5.8).

    G_t = swap((1 − λ) v_tp1 + λ G_tp1) within a game, and the actual outcome at its last position.

    Args: values, the evaluator's outcomes v_t from the side on roll at t; last, the ends of the games; outcomes, the
    actual outcome from the side on roll, read where `last` holds; lam, λ between 0 (TD(0)) and 1 (Monte Carlo).
    """

    def step(
        later: tuple[Array, Array], now: tuple[Array, Array, Array]
    ) -> tuple[tuple[Array, Array], Array]:
        v_tp1, g_tp1 = later
        v_t, ends, outcome = now
        g_t = jnp.where(ends, outcome, swap((1 - lam) * v_tp1 + lam * g_tp1))
        return (v_t, g_t), g_t

    nothing = jnp.zeros_like(values[0])
    _, returns = lax.scan(step, (nothing, nothing), (values, last, outcomes), reverse=True, unroll=8)
    return returns


@jax.jit
def _lambda_return(trace: Trace, evaluator: Evaluator, lam: Array) -> Float32[Array, "n 6"]:
    return lambda_return_of(evaluator(trace.positions), trace.last, certain(trace.won), jnp.float32(lam))


def lambda_return(trace: Trace, evaluator: Evaluator, lam: float = 0.7) -> Float32[Array, "n 6"]:
    """λ-returns, with the evaluator's own estimates in between (document 000, section 5.8)."""
    if not 0 <= lam <= 1:
        raise InputError(f"λ lies between 0 (TD(0)) and 1 (Monte Carlo), not {lam}: choose one in between.")
    return _lambda_return(trace, evaluator, lam)


def sampled_bellman(trace: Trace, evaluator: Evaluator) -> Float32[Array, "n 6"]:
    """The value after the roll that was thrown and the turn that was played, a one-step backup (document 003,
    section 3.2). For self-play at 0-ply this is the λ-return with λ = 0.
    """
    return lambda_return(trace, evaluator, 0.0)


def exact_bellman(trace: Trace, evaluator: Evaluator) -> Float32[Array, "n 6"]:
    """The value averaged over all 21 rolls, each played for the largest equity (document 003, section 3.2).

    The game that was played only chooses the positions; neither its dice nor its result enters.
    """
    return bellman_backup(evaluator, trace.positions, checkers=trace.checkers)


def bellman_backup(
    evaluator: Evaluator, positions: UInt32[Array, "n 8"], chunk: int = CHUNK, checkers: int = 15
) -> Float32[Array, "n 6"]:
    """Exact Bellman backups of any number of positions, `chunk` at a time in each thread, with the room it takes."""
    n = positions.shape[0]
    if n == 0:
        return jnp.zeros((0, 6), jnp.float32)
    size = min(chunk, n)
    ladders = [Ladder(size, all_rolls=True, rung=1) for _ in range(threads())]

    def backup(rows: Array, worker: int) -> Array:
        return over_rolls(evaluator, rows, ladders[worker], checkers)

    return jnp.asarray(in_chunks(backup, (np.asarray(positions),), size), jnp.float32)
