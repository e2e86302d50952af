"""The one-sided bear-off table: how many rolls a side needs, alone on the board, exactly.

Every turn is played for the smallest expected number of rolls to bear off all checkers. Turns whose expectations agree
to 2⁻⁴⁰ are tied, and the home of the lowest number is taken (fewest checkers left, then fewest on the highest points):
such turns may differ in their distributions, so a table by another program may too, by as much as the tie allows.

A second distribution, for gammons, says how many rolls a side with all its checkers needs to bear off the first,
played for the smallest expected number of those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from jax import Array
from jaxtyping import Float32, Float64

from bglab.rules.turns import ROLLS
from bglab.value.homes import MOST, WEIGHTS, homes, moves, pips
from bglab.value.pytree import pytree
from bglab.value.tablefile import cached

SLOTS = 32
"""Distributions have room for 0 to 31 rolls; no home of 15 checkers needs more (90 pips, at least 3 a roll)."""
SCALE = 2.0**40


@pytree("checkers")
@dataclass(frozen=True, eq=False)
class OneSided:
    """Distributions of numbers of rolls, for every home with up to `checkers` checkers (`bglab.value.homes`).

    rolls: float64[homes, 32], the chance of needing exactly k rolls to bear off all at [home, k]. first:
    float64[m, 32], the same for the first checker, for the m homes that hold all `checkers`, the last m ones; any other
    needs 0. In compiled code the arrays are float32.
    """

    checkers: int
    rolls: Float64[np.ndarray, "s 32"] | Float32[Array, "s 32"]
    first: Float64[np.ndarray, "m 32"] | Float32[Array, "m 32"]

    @property
    def expected(self) -> Float64[np.ndarray, "s"]:
        """Expected number of rolls to bear off every home."""
        return np.asarray(self.rolls, np.float64) @ np.arange(SLOTS, dtype=np.float64)

    @property
    def expected_first(self) -> Float64[np.ndarray, "m"]:
        """Expected number of rolls until the first checker is off, for the homes that hold all checkers."""
        return np.asarray(self.first, np.float64) @ np.arange(SLOTS, dtype=np.float64)


@cache
def one_sided(checkers: int = MOST) -> OneSided:
    """The table for sides of 1 to 15 checkers: made in seconds, then kept in the cache folder.

    See `bglab.value.tablefile.cache_folder`. Raises `InputError` for another number of checkers.
    """
    homes(checkers)
    kept = cached("one-sided", checkers, lambda: _built(checkers))
    return OneSided(checkers, kept["rolls"], kept["first"])


def _built(checkers: int) -> dict[str, np.ndarray]:
    before = homes(checkers - 1) if checkers > 1 else 1
    rolls = _distributions(checkers, 1)
    return {"rolls": rolls, "first": _distributions(checkers, before)[before:]}


def _distributions(checkers: int, goal: int) -> Float64[np.ndarray, "s 32"]:
    """Rolls needed to reach any home numbered below `goal`, played for the smallest expectation."""
    n, step, pip = homes(checkers), moves(checkers), pips(checkers)
    # One integer holds the expectation and, below it, the home: the least of them is the choice, ties included.
    key = np.arange(n)
    # The best key within reach by playing die d + 1 once, twice and three times.
    one, two, three = (np.tile(key, (6, 1)) for _ in range(3))
    chance = np.zeros((n, SLOTS))
    chance[:goal, 0] = 1
    expected = np.zeros(n)
    todo = np.arange(goal, n)
    order = todo[np.argsort(pip[todo], kind="stable")]

    def least(table: np.ndarray, die: int, rows: np.ndarray) -> np.ndarray:
        return table[step[die, rows]].min(-1)

    for rows in np.split(order, np.flatnonzero(np.diff(pip[order])) + 1):
        for die in range(6):
            one[die, rows] = least(key, die, rows)
            two[die, rows] = least(one[die], die, rows)
            three[die, rows] = least(two[die], die, rows)
        for (a, b), weight in zip((ROLLS - 1).tolist(), WEIGHTS, strict=True):
            best = least(three[a] if a == b else one[b], a, rows)
            if a != b:
                best = np.minimum(best, least(one[a], b, rows))
            chance[rows, 1:] += weight * chance[best & 0xFFFF, :-1]
        expected[rows] = chance[rows] @ np.arange(SLOTS)
        key[rows] = (np.rint(expected[rows] * SCALE).astype(np.int64) << 16) | rows
    return chance
