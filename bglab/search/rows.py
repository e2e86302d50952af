"""Turns laid out on the host, where a search sorts, filters and counts them; work in chunks of one size.

Compiled programs find the turns; what varies in length from call to call is left to NumPy, since every new length
would be compiled anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from bglab.rules.parallel import side_by_side, threads
from bglab.rules.planes import flip, points_won
from bglab.rules.turns import Capacity, Turns, all_turns, rolled_turns
from bglab.search.filters import Filter
from bglab.value.outcome import POINTS

STATIC = 256
"""Positions given to an evaluator, or looked at, at a time."""


class Rows(NamedTuple):
    """Turns on the host, in order of their group (a position, or a position and roll)."""

    after: np.ndarray
    theirs: np.ndarray
    """The same positions with the other side on roll."""
    group: np.ndarray
    won: np.ndarray


class Part(NamedTuple):
    """Packed turns with what they won and as the other side sees them; group, the index of position and roll."""

    after: Array
    theirs: Array
    won: Array
    group: Array
    total: Array


def described(turns: Turns, groups: tuple[Array, Array], checkers: int) -> tuple[Part, Part]:
    parts = (turns.non_doubles, turns.doubles)
    return tuple(  # type: ignore[return-value]
        Part(part.after, flip(part.after), points_won(part.after, checkers), group, part.total)
        for part, group in zip(parts, groups, strict=True)
    )


@partial(jax.jit, static_argnames=("capacity", "checkers"))
def rolled_rows(positions: Array, dice: Array, capacity: Capacity, checkers: int) -> tuple[Part, Part, Array]:
    turns = rolled_turns(positions, dice, capacity)
    groups = (turns.non_doubles.source, turns.doubles.source)
    return *described(turns, groups, checkers), turns.needed


@partial(jax.jit, static_argnames=("capacity", "checkers"))
def all_rows(positions: Array, capacity: Capacity, checkers: int) -> tuple[Part, Part, Array]:
    turns = all_turns(positions, capacity)
    one, two = turns.non_doubles.source, turns.doubles.source
    groups = (one // 15 * 21 + one % 15, two // 6 * 21 + 15 + two % 6)
    return *described(turns, groups, checkers), turns.needed


def worth_on_host(values: np.ndarray, points: np.ndarray = POINTS) -> np.ndarray:
    """`worth` of NumPy arrays, in float64; points: what each of the six outcomes is worth."""
    # Not a product of matrices, whose last places depend on how many rows there are.
    return (values * points.astype(np.float64)).sum(axis=1) if values.ndim == 2 else values


def as_bytes(rows: np.ndarray) -> np.ndarray:
    """Rows as single items that sort and compare."""
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)


def starts_of(group: np.ndarray) -> np.ndarray:
    """Index of the first row of each group; rows are in order of their group and every group has one."""
    return np.flatnonzero(np.diff(group, prepend=-1))


def for_rows(each: np.ndarray, group: np.ndarray) -> np.ndarray:
    """What there is one of for each group, for each row."""
    return np.repeat(each, np.diff(starts_of(group), append=len(group)))


def tops(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """For each row the largest value of its group."""
    return for_rows(np.maximum.reduceat(values, starts_of(group)), group)


def ranks(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """For each row how many of its group come before it: larger values, and as large ones in earlier rows."""
    rank = np.empty(len(values), int)
    rank[np.lexsort((-values, group))] = np.arange(len(values)) - for_rows(starts_of(group), group)
    return rank


def other_side(values: np.ndarray) -> np.ndarray:
    """Outcomes, or worth, as the other side sees them."""
    return np.roll(values, 3, axis=1) if values.ndim == 2 else -values


def best_rows(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """For each group its first row of largest value."""
    candidates = np.where(values >= tops(values, group), np.arange(len(values)), len(values))
    return np.minimum.reduceat(candidates, starts_of(group))


def kept_rows(values: np.ndarray, group: np.ndarray, chosen: Filter) -> np.ndarray:
    """Indices of the rows that a filter keeps in each group, in their order."""
    inside = values >= tops(values, group) - chosen.window
    return np.flatnonzero((ranks(values, group) < chosen.keep) & inside)


def laid_out(parts: tuple[Part, ...], groups: int) -> Rows:
    """The turns of the first groups, in order of group and then the generator's order."""
    rows = [
        tuple(np.asarray(each)[: int(part.total)] for each in (part.after, part.theirs, part.group, part.won))
        for part in parts
    ]
    after, theirs, group, won = (np.concatenate(each) for each in zip(*rows, strict=True))
    order = np.argsort(group, kind="stable")
    order = order[: np.searchsorted(group[order], groups)]
    return Rows(after[order], theirs[order], group[order], won[order])


def in_chunks(call: Callable[..., Any], arrays: Sequence[np.ndarray | None], size: int) -> Any:
    """`call(*chunks, worker=…)`, an array or a tuple of arrays, over all rows in chunks of one size, side by side in
    threads; what is float comes as float64.

    The last chunk is filled up with empty boards, which cost next to nothing.
    """
    n = len(next(each for each in arrays if each is not None))
    count = max(1, -(-n // size))
    padded = [
        None
        if each is None
        else np.concatenate([each, np.zeros((count * size - n, *each.shape[1:]), each.dtype)])
        for each in arrays
    ]
    workers = min(threads(), count)

    def on_host(value: Any) -> np.ndarray:
        array = np.asarray(value)
        return array.astype(np.float64) if np.issubdtype(array.dtype, np.floating) else array

    def work(worker: int) -> list[Any]:
        done = []
        for k in range(worker, count, workers):
            chunks = [
                None if each is None else jnp.asarray(each[k * size : (k + 1) * size]) for each in padded
            ]
            done.append(jax.tree.map(on_host, call(*chunks, worker=worker)))
        return done

    parts = side_by_side([partial(work, worker) for worker in range(workers)])
    chunks = [parts[k % workers][k // workers] for k in range(count)]
    return jax.tree.map(lambda *pieces: np.concatenate(pieces)[:n], *chunks)


def filled(rows: np.ndarray, size: int) -> np.ndarray:
    """Rows up to a size, the last one repeated."""
    return np.concatenate([rows, np.repeat(rows[-1:], size - len(rows), 0)])


@partial(jax.jit, static_argnames=("checkers",))
def _seen(after: Array, checkers: int) -> tuple[Array, Array]:
    return points_won(after, checkers), flip(after)


def seen(after: np.ndarray, checkers: int) -> tuple[np.ndarray, np.ndarray]:
    """Points that positions after a turn have won for who moved, and the positions with the other side on roll."""
    return in_chunks(lambda part, worker: _seen(part, checkers), (after,), STATIC)
