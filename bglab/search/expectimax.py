"""Expectimax: from an evaluator to one that looks plies ahead (document 000, section 2.4).

A position at n plies is worth the average over the 21 rolls of the best turn, each turn valued at n − 1 plies from the
other side; at 0 plies it is worth what the evaluator says, and a finished game exactly what it pays. Nothing is
pruned unless filters are given, but for turns that are proved not to be the best where only the best is asked for.
Plies are counted as GNU Backgammon counts them.

With an evaluator of cubeful equity (`cubeful = True`: it answers worth float32[n] for the owner of the cube, int32[n],
1 the side on roll, 0 nobody, −1 the other side) each side may double before it rolls at every ply: a node is
worth the larger of holding the cube and min(double and take, 1), as in GNU Backgammon's and Open Sage's searches.

All positions of a level are valued together, equal ones once, in chunks that run side by side in threads. The chunks
change nothing but the order of work: a position's value does not depend on its company.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float32, Int, Int32, UInt32

from bglab.errors import InputError
from bglab.rules.capacity import Ladder
from bglab.search.bounds import mean_over_rolls, worth_by_sisters, worth_of_best
from bglab.search.filters import FILTERS, Filters
from bglab.search.greedy import each_roll
from bglab.search.rows import (
    STATIC,
    Rows,
    all_rows,
    as_bytes,
    best_rows,
    in_chunks,
    kept_rows,
    laid_out,
    other_side,
    rolled_rows,
    seen,
    starts_of,
    worth_on_host,
)
from bglab.value.evaluator import Evaluator, final, nudge, on_host, prepare
from bglab.value.outcome import certain
from bglab.value.pytree import pytree

MOST_PLIES = 4
CHUNK = 64
"""Positions averaged over their rolls, or laid out with all their turns, at a time. It is always the same number, so
that the same compiled program, to the last bit, values a position alone and among thousands."""


def expectimax(
    evaluator: Evaluator, plies: int, filters: Filters | str = "full", checkers: int = 15
) -> Evaluator:
    """The evaluator looking `plies` ahead; itself at 0. Raises `InputError` for other plies than 0 to 4.

    Args: filters, which turns are looked into (`FILTERS` by name); checkers, of each side at the start.
    """
    if type(plies) is not int or not 0 <= plies <= MOST_PLIES:
        raise InputError(f"A search looks 0 to {MOST_PLIES} plies ahead, not {plies!r}.")
    if isinstance(filters, str):
        if filters not in FILTERS:
            raise InputError(f"There are no filters {filters!r}: choose one of {', '.join(FILTERS)}.")
        filters = FILTERS[filters]
    if isinstance(evaluator, Expectimax):
        raise InputError("This evaluator searches already: give its plies in one number.")
    return Expectimax(evaluator, plies, filters, checkers) if plies else evaluator


class Best(NamedTuple):
    """The chosen turn of each position.

    after: uint32[n, 8], seen by the player who moved. worth: float64[n], that player's. won: int32[n] points won by it.
    """

    after: UInt32[np.ndarray, "n 8"]
    worth: np.ndarray
    won: Int32[np.ndarray, "n"]


@pytree("plies", "filters", "checkers")
@dataclass(frozen=True, eq=False)
class Expectimax:
    """An evaluator that looks `plies` ahead; made by `expectimax`."""

    evaluator: Evaluator
    plies: int
    filters: Filters = field(default_factory=Filters)
    checkers: int = 15
    on_host = True

    def __getstate__(self) -> dict[str, Any]:
        """What a copy begins with: not what was prepared and learnt about sizes here."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def cubeful(self) -> bool:
        return bool(getattr(self.evaluator, "cubeful", False))

    def __call__(
        self, positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"], cube: Any = None
    ) -> Float32[np.ndarray, "n *six"]:
        """Outcomes or worth for the side on roll; with a cubeful evaluator `cube` is the cube's owner, int32[n]."""
        positions = np.asarray(positions)
        owner = self._owner(cube, len(positions))
        return self._node(positions, self.plies, owner).astype(np.float32)

    def hold_and_take(
        self,
        positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"],
        owner: Int32[Array, "n"] | Int32[np.ndarray, "n"],
    ) -> tuple[Float32[np.ndarray, "n"], Float32[np.ndarray, "n"]]:
        """Cubeful equities, per unit of the present cube, of not doubling now and of double and take."""
        if not self.cubeful:
            raise InputError("These equities need a cubeful evaluator: wrap it with bglab.cube.Cubeful.")
        positions = np.asarray(positions)
        hold = self._over_rolls(positions, self.plies, np.asarray(owner))
        taken = 2 * self._over_rolls(positions, self.plies, np.full(len(positions), -1, np.int32))
        return hold.astype(np.float32), taken.astype(np.float32)

    def best(
        self,
        positions: UInt32[np.ndarray, "n 8"],
        dice: Int[np.ndarray, "n 2"],
        cube: Int32[np.ndarray, "n"] | None = None,
    ) -> Best:
        """The best turn of each position with its roll; the root filters and root adjustments apply."""
        owner = self._owner(cube, len(positions))
        rows = self._turns(positions, dice)
        kept = np.arange(len(rows.group))
        for plies, chosen in self.filters.root:
            if plies < self.plies:
                values = self._row_worth(rows, kept, plies, owner)
                kept = kept[kept_rows(values, rows.group[kept], chosen)]
        values = self._worth_where_best(rows, kept, owner)
        if hasattr(self.evaluator, "nudge"):
            before, after = positions[rows.group[kept]], rows.after[kept]
            values = values + in_chunks(lambda *of, worker: _nudge(self.ready, *of), (before, after), STATIC)
        row = kept[best_rows(values, rows.group[kept])]
        worths = np.maximum.reduceat(values, starts_of(rows.group[kept]))
        return Best(rows.after[row], worths, rows.won[row])

    def values_after(
        self, after: UInt32[np.ndarray, "n 8"], cube: Int32[np.ndarray, "n"] | None = None
    ) -> np.ndarray:
        """Outcomes or worth of afterstates to the player who moved, exact where the game is over; float64[n, *six]."""
        won, theirs = seen(np.asarray(after), self.checkers)
        return self._after(theirs, won, self.plies, self._owner(cube, len(after)))

    @cached_property
    def ready(self) -> Evaluator:
        """The evaluator, prepared."""
        return self.evaluator if on_host(self.evaluator) else jax.jit(prepare)(self.evaluator)

    @cached_property
    def _ladders(self) -> dict[tuple[str, int, int], Ladder]:
        return {}

    def _owner(self, cube: Any, n: int) -> np.ndarray | None:
        if not self.cubeful:
            return None
        return np.zeros(n, np.int32) if cube is None else np.asarray(cube, np.int32)

    def _ladder(self, kind: str, size: int, worker: int = 0) -> Ladder:
        return self._ladders.setdefault((kind, size, worker), Ladder(size, all_rolls=kind != "turns", rung=1))

    def _node(self, positions: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        """Worth to the side on roll before its roll, and before it may double."""
        if plies == 0:
            return self._static(positions, owner)
        hold = self._over_rolls(positions, plies, owner)
        if owner is None:
            return hold
        taken = np.full(len(hold), np.inf)
        may = owner >= 0
        if may.any():
            minus = np.full(int(may.sum()), -1, np.int32)
            taken[may] = 2 * self._over_rolls(positions[may], plies, minus)
        return np.where(may, np.maximum(hold, np.minimum(taken, 1.0)), hold)

    def _static(self, positions: np.ndarray, owner: np.ndarray | None) -> np.ndarray:
        """The evaluator itself, in batches of few sizes."""
        if on_host(self.evaluator):
            return np.asarray(self.evaluator(positions, owner), np.float64)
        return in_chunks(lambda *of, worker: _static(self.ready, *of), (positions, owner), STATIC)

    def _over_rolls(self, positions: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        """Average over the rolls, the cube staying where it is."""
        if plies == 1 and not on_host(self.evaluator):
            # The best reply at 0-ply passes every filter.
            return self._by_roll(positions, owner, average=True)
        pieces = []
        for k in range(0, len(positions), CHUNK):
            mine = None if owner is None else owner[k : k + CHUNK]
            pieces.append(self._expanded(positions[k : k + CHUNK], plies, mine))
        return np.concatenate(pieces)

    def _expanded(self, positions: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        """`_over_rolls` with every turn laid out on the host."""
        rows = self._all_turns(positions)
        per_row = None if owner is None else owner[rows.group // 21]
        kept = np.arange(len(rows.group))
        if self.filters.inside is not None:
            values = worth_on_host(self._after(rows.theirs, rows.won, 0, per_row))
            kept = kept_rows(values, rows.group, self.filters.inside)
        mine = None if per_row is None else per_row[kept]
        values = self._after(rows.theirs[kept], rows.won[kept], plies - 1, mine)
        best = best_rows(worth_on_host(values), rows.group[kept])
        return mean_over_rolls(values[best].reshape(len(positions), 21, *values.shape[1:]))

    def _after(self, theirs: np.ndarray, won: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        """Worth to the player who moved of positions that the other side sees as `theirs`, equal ones valued once."""
        values = self._final[won]
        going = np.flatnonzero(won == 0)
        if not len(going):
            return values
        keys = theirs[going]
        if owner is not None:
            keys = np.column_stack([keys, owner[going].astype(np.uint32)])
        _, first, back = np.unique(as_bytes(keys), return_index=True, return_inverse=True)
        chosen = going[first]
        found = self._node(theirs[chosen], plies, None if owner is None else -owner[chosen])[back]
        values[going] = other_side(found)
        return values

    def static(
        self, positions: UInt32[np.ndarray, "n 8"], cube: Int32[np.ndarray, "n"] | None = None
    ) -> np.ndarray:
        """What the evaluator itself says, without looking ahead, float64[n, *six]."""
        return self._static(positions, self._owner(cube, len(positions)))

    def static_hold_and_take(
        self, positions: UInt32[np.ndarray, "n 8"], owner: Int32[np.ndarray, "n"]
    ) -> tuple[np.ndarray, np.ndarray]:
        """`hold_and_take` of the evaluator itself, without looking ahead."""
        if on_host(self.evaluator):
            return self.evaluator.hold_and_take(positions, owner)  # type: ignore[attr-defined]
        return in_chunks(lambda *of, worker: _hold_and_take(self.ready, *of), (positions, owner), STATIC)

    def by_roll(
        self, positions: UInt32[np.ndarray, "n 8"], cube: Int32[np.ndarray, "n"] | None = None
    ) -> tuple[UInt32[np.ndarray, "n 21 8"], np.ndarray]:
        """Where the evaluator itself, without looking ahead, goes with each of the 21 rolls, seen by the player who
        moved, and what that is worth to it, float64[n, 21, *six].
        """
        owner = self._owner(cube, len(positions))
        if not on_host(self.evaluator):
            return self._by_roll(positions, owner)
        afters, found = [], []
        for k in range(0, len(positions), CHUNK):
            here = positions[k : k + CHUNK]
            rows = self._all_turns(here)
            per_row = None if owner is None else owner[k + rows.group // 21]
            values = self._static_rows(rows, here[rows.group // 21], per_row)
            best = best_rows(worth_on_host(values), rows.group)
            afters.append(rows.after[best].reshape(-1, 21, 8))
            found.append(values[best].reshape(-1, 21, *values.shape[1:]))
        return np.concatenate(afters), np.concatenate(found)

    def _by_roll_once(
        self, positions: np.ndarray, like: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """`_by_roll`, equal positions asked about once."""
        # What is like the reply to any turn that leads here bounds what being here is worth.
        _, first, back = np.unique(as_bytes(positions), return_index=True, return_inverse=True)
        found = self._by_roll(positions[first], None, None if like is None else like[first])
        return found[0][back], found[1][back]

    def _by_roll(
        self,
        positions: np.ndarray,
        owner: np.ndarray | None,
        like: np.ndarray | None = None,
        average: bool = False,
    ) -> Any:
        """`best_by_roll` of an evaluator that runs on the device, or the average of its values alone."""

        def each(part: Array, cube: Array | None, like: Array | None, worker: int) -> Any:
            ladder = self._ladder("all", part.shape[0], worker)
            found = each_roll(self.ready, part, ladder, self.checkers, cube=cube, like=like)
            return mean_over_rolls(np.asarray(found[1], np.float64)) if average else found

        return in_chunks(each, (positions, owner, like), CHUNK)

    def _static_rows(self, rows: Rows, before: np.ndarray, owner: np.ndarray | None) -> np.ndarray:
        """What the evaluator itself says of turns, which were reached from the positions `before`."""
        return self._after(rows.theirs, rows.won, 0, owner)

    @cached_property
    def _final(self) -> np.ndarray:
        """What winning 0, 1, 2 and 3 points is worth."""
        won = jnp.arange(4, dtype=jnp.int32)
        nobody = np.zeros((1, 8), np.uint32)
        if self._static(nobody, self._owner(None, 1)).ndim == 2:
            return np.array(certain(won), np.float64)
        return np.array(final(self.evaluator, won), np.float64)

    def _row_worth(self, rows: Rows, kept: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        mine = None if owner is None else owner[rows.group[kept]]
        return worth_on_host(self._after(rows.theirs[kept], rows.won[kept], plies, mine))

    def _worth_where_best(self, rows: Rows, kept: np.ndarray, owner: np.ndarray | None) -> np.ndarray:
        """Worth of the turns that may be the best of their group, as `_row_worth` finds it, and −∞ of the others."""
        deep = self.plies > 1
        bounded = self.filters.inside is None if deep else self.plies == 1 and not on_host(self.evaluator)
        # A nudge could still make another turn the best.
        if not bounded or owner is not None or hasattr(self.evaluator, "nudge"):
            return self._row_worth(rows, kept, self.plies, owner)
        turns = Rows(*(each[kept] for each in rows))
        if not deep:
            return worth_by_sisters(
                turns,
                self._final,
                lambda theirs: worth_on_host(self._static(theirs, None)),
                self._by_roll_once,
            )
        return worth_of_best(
            turns,
            self._final,
            self._replies,
            lambda some, won, deep: self._after(some, won, self.plies - 1 if deep else 0, None),
        )

    def _replies(self, positions: np.ndarray) -> Rows:
        """All turns of any number of positions with every roll."""
        parts = []
        for k in range(0, len(positions), CHUNK):
            part = self._all_turns(positions[k : k + CHUNK])
            parts.append(part._replace(group=part.group + 21 * k))
        return Rows(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def _turns(self, positions: np.ndarray, dice: np.ndarray) -> Rows:
        """The turns of positions with their rolls, few sizes of batch being compiled."""
        n = len(positions)
        size = max(16, 1 << (n - 1).bit_length())
        padded = jnp.asarray(np.concatenate([positions, np.zeros((size - n, 8), np.uint32)]))
        rolls = jnp.asarray(np.concatenate([dice, np.ones((size - n, 2), np.int32)]), jnp.int32)
        ladder = self._ladder("turns", size)
        return laid_out(ladder.run(lambda room: rolled_rows(padded, rolls, room, self.checkers)), n)

    def _all_turns(self, positions: np.ndarray) -> Rows:
        n = len(positions)
        padded = jnp.asarray(np.concatenate([positions, np.zeros((CHUNK - n, 8), np.uint32)]))
        ladder = self._ladder("expand", CHUNK)
        return laid_out(ladder.run(lambda room: all_rows(padded, room, self.checkers)), 21 * n)


@jax.jit
def _static(evaluator: Evaluator, positions: Array, cube: Array | None) -> Array:
    return evaluator(positions, cube)


@jax.jit
def _nudge(evaluator: Evaluator, before: Array, after: Array) -> Array:
    return nudge(evaluator, before, after)


@jax.jit
def _hold_and_take(evaluator: Any, positions: Array, owner: Array) -> tuple[Array, Array]:
    return evaluator.hold_and_take(positions, owner)
