"""Expectimax: from an evaluator to one that looks plies ahead (document 000, section 2.4).

A position at n plies is worth the average over the 21 rolls of the best turn, each turn valued at n − 1 plies from the
other side; at 0 plies it is worth what the evaluator says, and a finished game exactly what it pays. Nothing is
pruned unless filters are given. Plies are counted as GNU Backgammon counts them.

With an evaluator of cubeful equity (`cubeful = True`: it answers worth float32[n] for the owner of the cube, int32[n],
1 the side on roll, 0 nobody, −1 the other side) each side may double before it rolls at every ply: a node is
worth the larger of holding the cube and min(double and take, 1), as in GNU Backgammon's and Open Sage's searches.

All positions of a level are valued together, equal ones once, in chunks that run side by side in threads. The chunks
change nothing but the order of work: a position's value does not depend on its company.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float32, Int, Int32, UInt32

from bglab.errors import InputError
from bglab.rules.capacity import Ladder
from bglab.rules.parallel import side_by_side, threads
from bglab.rules.planes import flip, points_won
from bglab.rules.turns import ROLL_WEIGHTS, Capacity, Turns, all_turns, rolled_turns
from bglab.search.greedy import over_rolls
from bglab.value.evaluator import Evaluator, final, nudge, on_host, prepare
from bglab.value.outcome import POINTS, certain

MOST_PLIES = 4
CHUNK = 64
"""Positions averaged over their rolls, or laid out with all their turns, at a time. It is always the same number, so
that the same compiled program, to the last bit, values a position alone and among thousands."""
STATIC = 256
"""Positions given to the evaluator itself at a time."""


class Filter(NamedTuple):
    """Keep at most `keep` turns, none of them worse than the best by more than `window` (points)."""

    keep: int
    window: float


@dataclass(frozen=True)
class Filters:
    """Which turns are looked into.

    root: (plies, filter) pairs, in increasing order: the turns to choose from are valued at so many plies and
    filtered before those left are valued deeper. inside: the filter, at 0-ply, for replies within the tree.
    """

    root: tuple[tuple[int, Filter], ...] = ()
    inside: Filter | None = None

    def __post_init__(self) -> None:
        filters = [f for _, f in self.root] + ([self.inside] if self.inside else [])
        if any(f.keep < 1 or not f.window >= 0 for f in filters):
            raise InputError("A filter keeps at least 1 turn within a window of 0 or more: correct it.")
        depths = [plies for plies, _ in self.root]
        if depths != sorted(set(depths)) or any(plies < 0 for plies in depths):
            raise InputError("Filters at the root have increasing plies from 0 on: put them in order.")


def _gnubg(keep: int, window: float, later: int, narrow: float) -> Filters:
    """GNU Backgammon's scheme: 0-ply first, again at 2-ply for deeper searches; replies are picked at 0-ply."""
    return Filters(((0, Filter(keep, window)), (2, Filter(later, narrow))), Filter(1, 0.0))


FILTERS = {
    "full": Filters(),
    "gnubg tiny": _gnubg(5, 0.08, 2, 0.02),
    "gnubg narrow": _gnubg(8, 0.12, 2, 0.03),
    "gnubg normal": _gnubg(8, 0.16, 2, 0.04),
    "gnubg large": _gnubg(16, 0.32, 4, 0.08),
    "gnubg huge": _gnubg(20, 0.44, 6, 0.11),
    "sage": Filters(((0, Filter(5, 0.08)),), Filter(1, 0.0)),
}
"""By name: everything; GNU Backgammon's move filters (its manual and `eval.c`), Open Sage's default (its
MULTI-PLY page). Both engines pick the replies inside a search by their static evaluation."""


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


class _Rows(NamedTuple):
    """Turns on the host, in order of their group (a position, or a position and roll)."""

    after: np.ndarray
    theirs: np.ndarray
    """The same positions with the other side on roll."""
    group: np.ndarray
    won: np.ndarray


@partial(
    jax.tree_util.register_dataclass,
    data_fields=("evaluator",),
    meta_fields=("plies", "filters", "checkers"),
)
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
                kept = kept[_keep(values, rows.group[kept], chosen)]
        values = self._row_worth(rows, kept, self.plies, owner)
        if hasattr(self.evaluator, "nudge"):
            before, after = positions[rows.group[kept]], rows.after[kept]
            values = values + _chunked(lambda *of, worker: _nudge(self._ready, *of), (before, after), STATIC)
        row = kept[_best(values, rows.group[kept])]
        worths = np.maximum.reduceat(values, _starts(rows.group[kept]))
        return Best(rows.after[row], worths, rows.won[row])

    def values_after(
        self, after: UInt32[np.ndarray, "n 8"], cube: Int32[np.ndarray, "n"] | None = None
    ) -> np.ndarray:
        """Outcomes or worth of afterstates to the player who moved, exact where the game is over; float64[n, *six]."""
        won, theirs = (np.asarray(each) for each in _seen(jnp.asarray(after), self.checkers))
        return self._after(theirs, won, self.plies, self._owner(cube, len(after)))

    @cached_property
    def _ready(self) -> Evaluator:
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
        return _chunked(lambda *of, worker: _static(self._ready, *of), (positions, owner), STATIC)

    def _over_rolls(self, positions: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        """Average over the rolls, the cube staying where it is."""
        if plies == 1 and self.filters.inside is None and not on_host(self.evaluator):

            def average(part: Array, cube: Array | None, worker: int) -> Array:
                ladder = self._ladder("all", part.shape[0], worker)
                return ladder.run(lambda room: _average(self._ready, part, room, self.checkers, cube))[0]

            return _chunked(average, (positions, owner), CHUNK)
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
            kept = _keep(values, rows.group, self.filters.inside)
        mine = None if per_row is None else per_row[kept]
        values = self._after(rows.theirs[kept], rows.won[kept], plies - 1, mine)
        best = _best(worth_on_host(values), rows.group[kept])
        values = values[best].reshape(len(positions), 21, *values.shape[1:])
        return np.einsum("nr...,r->n...", values, ROLL_WEIGHTS.astype(np.float64))

    def _after(self, theirs: np.ndarray, won: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        """Worth to the player who moved of positions that the other side sees as `theirs`, equal ones valued once."""
        values = self._final[won]
        going = np.flatnonzero(won == 0)
        if not len(going):
            return values
        keys = theirs[going]
        if owner is not None:
            keys = np.column_stack([keys, owner[going].astype(np.uint32)])
        _, first, back = np.unique(_as_bytes(keys), return_index=True, return_inverse=True)
        chosen = going[first]
        found = self._node(theirs[chosen], plies, None if owner is None else -owner[chosen])[back]
        values[going] = np.roll(found, 3, axis=1) if found.ndim == 2 else -found
        return values

    @cached_property
    def _final(self) -> np.ndarray:
        """What winning 0, 1, 2 and 3 points is worth."""
        won = jnp.arange(4, dtype=jnp.int32)
        nobody = np.zeros((1, 8), np.uint32)
        if self._static(nobody, self._owner(None, 1)).ndim == 2:
            return np.array(certain(won), np.float64)
        return np.array(final(self.evaluator, won), np.float64)

    def _row_worth(self, rows: _Rows, kept: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        mine = None if owner is None else owner[rows.group[kept]]
        return worth_on_host(self._after(rows.theirs[kept], rows.won[kept], plies, mine))

    def _turns(self, positions: np.ndarray, dice: np.ndarray) -> _Rows:
        """The turns of positions with their rolls, few sizes of batch being compiled."""
        n = len(positions)
        size = max(16, 1 << (n - 1).bit_length())
        padded = jnp.asarray(np.concatenate([positions, np.zeros((size - n, 8), np.uint32)]))
        rolls = jnp.asarray(np.concatenate([dice, np.ones((size - n, 2), np.int32)]), jnp.int32)
        ladder = self._ladder("turns", size)
        return _laid_out(ladder.run(lambda room: _rolled(padded, rolls, room, self.checkers)), n)

    def _all_turns(self, positions: np.ndarray) -> _Rows:
        n = len(positions)
        padded = jnp.asarray(np.concatenate([positions, np.zeros((CHUNK - n, 8), np.uint32)]))
        ladder = self._ladder("expand", CHUNK)
        return _laid_out(ladder.run(lambda room: _all(padded, room, self.checkers)), 21 * n)


@jax.jit
def _static(evaluator: Evaluator, positions: Array, cube: Array | None) -> Array:
    return evaluator(positions, cube)


@jax.jit
def _nudge(evaluator: Evaluator, before: Array, after: Array) -> Array:
    return nudge(evaluator, before, after)


@partial(jax.jit, static_argnames=("capacity", "checkers"))
def _average(
    evaluator: Evaluator, positions: Array, capacity: Capacity, checkers: int, cube: Array | None
) -> tuple[Array, Array]:
    return over_rolls(evaluator, positions, capacity, checkers, cube)


@partial(jax.jit, static_argnames=("checkers",))
def _seen(after: Array, checkers: int) -> tuple[Array, Array]:
    return points_won(after, checkers), flip(after)


class _Part(NamedTuple):
    """Packed turns with what they won and as the other side sees them; group, the index of position and roll."""

    after: Array
    theirs: Array
    won: Array
    group: Array
    total: Array


def _described(turns: Turns, groups: tuple[Array, Array], checkers: int) -> tuple[_Part, _Part]:
    parts = (turns.non_doubles, turns.doubles)
    return tuple(  # type: ignore[return-value]
        _Part(part.after, flip(part.after), points_won(part.after, checkers), group, part.total)
        for part, group in zip(parts, groups, strict=True)
    )


@partial(jax.jit, static_argnames=("capacity", "checkers"))
def _rolled(positions: Array, dice: Array, capacity: Capacity, checkers: int) -> tuple[_Part, _Part, Array]:
    turns = rolled_turns(positions, dice, capacity)
    groups = (turns.non_doubles.source, turns.doubles.source)
    return *_described(turns, groups, checkers), turns.needed


@partial(jax.jit, static_argnames=("capacity", "checkers"))
def _all(positions: Array, capacity: Capacity, checkers: int) -> tuple[_Part, _Part, Array]:
    turns = all_turns(positions, capacity)
    one, two = turns.non_doubles.source, turns.doubles.source
    groups = (one // 15 * 21 + one % 15, two // 6 * 21 + 15 + two % 6)
    return *_described(turns, groups, checkers), turns.needed


def worth_on_host(values: np.ndarray) -> np.ndarray:
    """`worth` of NumPy arrays, in float64."""
    return values @ POINTS.astype(np.float64) if values.ndim == 2 else values


def _as_bytes(rows: np.ndarray) -> np.ndarray:
    """Rows as single items that sort and compare."""
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)


def _starts(group: np.ndarray) -> np.ndarray:
    """Index of the first row of each group; rows are in order of their group and every group has one."""
    return np.flatnonzero(np.diff(group, prepend=-1))


def _best(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """For each group its first row of largest value."""
    starts = _starts(group)
    counts = np.diff(starts, append=len(group))
    top = np.repeat(np.maximum.reduceat(values, starts), counts)
    candidates = np.where(values >= top, np.arange(len(values)), len(values))
    return np.minimum.reduceat(candidates, starts)


def _keep(values: np.ndarray, group: np.ndarray, chosen: Filter) -> np.ndarray:
    """Indices of the rows that a filter keeps in each group, in their order."""
    order = np.lexsort((np.arange(len(values)), -values, group))
    starts = _starts(group)
    rank = np.arange(len(values)) - np.repeat(starts, np.diff(starts, append=len(group)))
    top = np.repeat(np.maximum.reduceat(values, starts), np.diff(starts, append=len(group)))
    inside = (rank < chosen.keep) & (values[order] >= top - chosen.window)
    return np.sort(order[inside])


def _laid_out(parts: tuple[_Part, ...], groups: int) -> _Rows:
    """The turns of the first groups, in order of group and then the generator's order."""
    rows = [
        tuple(np.asarray(each)[: int(part.total)] for each in (part.after, part.theirs, part.group, part.won))
        for part in parts
    ]
    after, theirs, group, won = (np.concatenate(each) for each in zip(*rows, strict=True))
    order = np.argsort(group, kind="stable")
    order = order[: np.searchsorted(group[order], groups)]
    return _Rows(after[order], theirs[order], group[order], won[order])


def _chunked(call: Callable[..., Array], arrays: Sequence[np.ndarray | None], size: int) -> np.ndarray:
    """`call(*chunks, worker=…)` over all rows in chunks of one size, side by side in threads; float64.

    The last chunk is filled up with empty boards, which cost next to nothing.
    """
    n = len(next(each for each in arrays if each is not None))
    count = -(-n // size)
    padded = [
        None
        if each is None
        else np.concatenate([each, np.zeros((count * size - n, *each.shape[1:]), each.dtype)])
        for each in arrays
    ]
    workers = min(threads(), count)

    def work(worker: int) -> list[np.ndarray]:
        done = []
        for k in range(worker, count, workers):
            chunks = [
                None if each is None else jnp.asarray(each[k * size : (k + 1) * size]) for each in padded
            ]
            done.append(np.asarray(call(*chunks, worker=worker), np.float64))
        return done

    parts = side_by_side([partial(work, worker) for worker in range(workers)])
    return np.concatenate([parts[k % workers][k // workers] for k in range(count)])[:n]
