"""The two-sided bear-off table: exact equities of money play when both sides are bearing off.

Each side has up to n checkers, all in its home, and has borne off at least one, so that a game is won or lost single.
Every turn is played for the largest equity, which depends on the cube: without one, and for each owner of one. A side
that may double has the larger of holding the cube and min(double and take, 1), each per unit of the present cube. The
Jacoby rule would change nothing, since there are no gammons; no beavers are needed, since nobody doubles into one.

Positions are solved in the order of both pip counts together: a turn lowers its sum, and nothing else is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from jax import Array
from jaxtyping import Float32, Float64, Int32

from bglab.errors import InputError
from bglab.rules.turns import ROLLS
from bglab.value.homes import WEIGHTS, homes, moves, pips
from bglab.value.pytree import pytree
from bglab.value.tablefile import cached

DEFAULT, MOST = 6, 8
"""Checkers of each side: 924² positions by default, 3,003² at most."""
CUBELESS, CENTRED, OWNED, THEIRS = range(4)


Equities = Float64[np.ndarray, "s s"] | Float32[Array, "s s"]


@pytree("checkers")
@dataclass(frozen=True, eq=False)
class TwoSided:
    """Equities of the side on roll before it rolls, float64[homes, homes]: its home's number, then the opponent's.

    Homes have up to `checkers` checkers (`bglab.value.homes`). cubeless: in points. centred, owned, theirs: per unit of
    the cube, for a cube in the middle, of the side on roll, and of the other side, *without doubling now*. Doubled and
    taken is 2 · theirs; `best` has the equity with the right to double. The empty home has won (1), or lost (−1).
    In compiled code the arrays are float32.
    """

    checkers: int
    cubeless: Equities
    centred: Equities
    owned: Equities
    theirs: Equities

    def best(self, owner: int) -> Float64[np.ndarray, "s s"]:
        """Cubeful equities with the right to double: owner 1 the side on roll, 0 nobody, −1 the other side."""
        theirs = np.asarray(self.theirs, np.float64)
        if owner == -1:
            return theirs
        return np.maximum((self.centred, self.owned)[owner], np.minimum(2 * theirs, 1))


@cache
def two_sided(checkers: int = DEFAULT) -> TwoSided:
    """The table for up to so many checkers of each side, 1 to 8: made once, then kept in the cache folder.

    See `bglab.value.tablefile.cache_folder`. Raises `InputError` for another number of checkers.
    """
    if type(checkers) is not int or not 1 <= checkers <= MOST:
        raise InputError(f"A two-sided table is for 1 to {MOST} checkers of each side, not {checkers!r}.")
    return TwoSided(checkers, **cached("two-sided", checkers, lambda: built(checkers)))


class Turns:
    """Every complete turn of every home.

    after: int32[k], the homes reached, distinct for a home and a roll, in the order of homes and then rolls. first:
    int64[21 · homes + 1], where those of a home with a roll (as in `ROLLS`) begin.
    """

    def __init__(self, checkers: int) -> None:
        step, n = moves(checkers), homes(checkers)
        rolls = []
        for a, b in (ROLLS - 1).tolist():
            if a == b:
                reached = step[a, step[a, step[a, step[a]]]].reshape(n, -1)
            else:
                reached = np.concatenate(
                    [step[b, step[a]].reshape(n, -1), step[a, step[b]].reshape(n, -1)], 1
                )
            rolls.append([np.unique(row) for row in reached])
        lists = [rolls[roll][home] for home, roll in product(range(n), range(len(ROLLS)))]
        self.after: Int32[np.ndarray, "k"] = np.concatenate(lists)
        self.first = np.concatenate([[0], np.cumsum([len(each) for each in lists])])


def built(checkers: int) -> dict[str, np.ndarray]:
    """The arrays of the table, made now: float64[homes, homes] by name."""
    n, pip, turns = homes(checkers), pips(checkers), Turns(checkers)
    # Worked out with homes in the order of their pips, so that those of equal pips lie together.
    order = np.argsort(pip, kind="stable")
    place = np.argsort(order)
    starts = np.searchsorted(pip[order], np.arange(6 * checkers + 2))
    rolls = len(ROLLS)
    groups = []
    for k in range(6 * checkers + 1):
        some = order[starts[k] : starts[k + 1]]
        parts = [slice(turns.first[rolls * home], turns.first[rolls * (home + 1)]) for home in some]
        after = np.concatenate([turns.after[part] for part in parts]) if len(some) else turns.after[:0]
        lengths = np.concatenate(
            [np.diff(turns.first[rolls * home : rolls * (home + 1) + 1]) for home in some] or [[0]]
        )
        groups.append((place[after], np.cumsum(lengths) - lengths))
    # seen[a, :, j]: what the player who moved to home a has, the opponent with home j being on roll; own cube last.
    seen = np.full((n, 4, n), -1.0)
    seen[0] = 1
    hold = np.empty((n, 4, n))
    hold[:, :, 0], hold[0] = -1, 1
    for total in range(2, 12 * checkers + 1):
        for p in range(max(1, total - 6 * checkers), min(6 * checkers, total - 1) + 1):
            mine, theirs = slice(starts[p], starts[p + 1]), slice(starts[total - p], starts[total - p + 1])
            if mine.start == mine.stop or theirs.start == theirs.stop:
                continue
            after, first = groups[p]
            best = np.maximum.reduceat(seen[after, :, theirs], first, 0)
            found = np.einsum("r,hrcj->hcj", WEIGHTS, best.reshape(-1, rolls, *best.shape[1:]))
            hold[mine, :, theirs] = found
            doubled = np.minimum(2 * found[:, THEIRS], 1)
            worth = (
                found[:, CUBELESS],
                np.maximum(found[:, CENTRED], doubled),
                found[:, THEIRS],
                np.maximum(found[:, OWNED], doubled),
            )
            for cube, value in enumerate(worth):
                seen[theirs, cube, mine] = -value.T
    names = ("cubeless", "centred", "owned", "theirs")
    return {name: hold[place, k][:, place] for k, name in enumerate(names)}
