"""Numbering the ways to stand in the home board, and what one die does there: the ground of both bear-off tables.

A home is how many checkers a side has on its points 1 to 6. With up to n checkers there are C(n + 6, 6) homes (54,264
for 15, 924 for 6), numbered by the combinatorial number system: with S_k the checkers on the k highest points,
number = Σ C(S_k + k − 1, k) for k = 1 to 6, as in GNU Backgammon. The empty home is 0; homes with fewer checkers come
first, so a table for fewer is the beginning of a table for more; and every move of a checker leads to a smaller number.

Nothing is in the way in a bear-off and every die can be played while a checker is left (from the highest point where
the die's own point is bare and no higher one is held), so complete turns are all sequences of such moves.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int, Int32

from bglab.errors import InputError
from bglab.rules.planes import Side, count
from bglab.rules.turns import ROLL_WEIGHTS

POINTS = 6
MOST = 15
WEIGHTS = np.rint(ROLL_WEIGHTS * 36).astype(np.float64) / 36
"""Probability of each roll of `bglab.rules.turns.ROLLS`, float64[21]."""

_TERMS = np.array([[comb(s + k, k + 1) for s in range(MOST + 1)] for k in range(POINTS)], np.int32)
"""C(S + k − 1, k) at [k − 1, S]."""


def homes(checkers: int) -> int:
    """How many homes there are with up to so many checkers, C(checkers + 6, 6); `InputError` outside 1 to 15."""
    if type(checkers) is not int or not 1 <= checkers <= MOST:
        raise InputError(f"A bear-off table is for 1 to {MOST} checkers, not {checkers!r}.")
    return comb(checkers + POINTS, POINTS)


def number_of(counts: Int[np.ndarray, "*n 6"]) -> Int32[np.ndarray, "*n"]:
    """The number of each home, from its checkers on points 1 to 6; at most 15 in all."""
    held = np.cumsum(counts[..., ::-1], -1)
    return np.asarray(_TERMS[np.arange(POINTS), held].sum(-1, dtype=np.int32))


def counts_of(numbers: Int[np.ndarray, "*n"]) -> Int32[np.ndarray, "*n 6"]:
    """Checkers on points 1 to 6 of each home, from its number (0 to 54,263): the inverse of `number_of`."""
    left = np.array(numbers, np.int64)
    held = np.empty((*left.shape, POINTS + 1), np.int32)
    held[..., 0] = 0
    for k in range(POINTS, 0, -1):
        terms = _TERMS[k - 1].astype(np.int64)
        held[..., k] = np.searchsorted(terms, left, side="right") - 1
        left -= terms[held[..., k]]
    return np.diff(held, axis=-1)[..., ::-1]


def home_number(side: Side, opponent: bool = False) -> Int32[Array, "*n"]:
    """The number of a side's home, int32[n], in traced code, whatever else the side has elsewhere.

    Args: a side of bit-planes (`bglab.rules.planes.columns`); opponent, whether it is the opponent's, whose point p is
    the mover's 25 − p. At most 15 checkers are in a home.
    """
    held: Any = 0
    number: Any = 0
    for k in range(POINTS):
        point = POINTS - k
        held = held + count(side, 24 - point if opponent else point - 1)
        number = number + jnp.asarray(_TERMS[k])[held]
    return number


@cache
def moves(checkers: int) -> Int32[np.ndarray, "6 s 6"]:
    """Where one checker can go: the home after playing die d + 1 from the point p + 1 at [d, home, p].

    A move that is not legal leads to the same home as the first legal one, so a maximum over p is one over the legal
    moves; the empty home leads to itself.
    """
    n = homes(checkers)
    counts = counts_of(np.arange(n))
    highest = np.where(counts > 0, np.arange(1, POINTS + 1), 0).max(1)
    found = np.full((6, n, POINTS), -1, np.int32)
    for die in range(1, 7):
        for point in range(1, POINTS + 1):
            exact = point == die
            legal = (counts[:, point - 1] > 0) & ((point >= die) | (highest == point))
            after = counts[legal]
            after[:, point - 1] -= 1
            if point > die and not exact:
                after[:, point - die - 1] += 1
            found[die - 1, legal, point - 1] = number_of(after)
    first = np.take_along_axis(found, (found >= 0).argmax(-1)[..., None], -1)
    filled = np.where(found >= 0, found, first)
    filled[:, 0] = 0
    filled.setflags(write=False)
    return filled


def pips(checkers: int) -> Int32[np.ndarray, "s"]:
    """The pip count of every home with up to so many checkers."""
    counts = counts_of(np.arange(homes(checkers)))
    return (counts * np.arange(1, POINTS + 1, dtype=np.int32)).sum(1, dtype=np.int32)
