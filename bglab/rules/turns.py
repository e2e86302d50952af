"""All complete turns of thousands of positions at once: the batched JAX generator.

Each distinct resulting position is produced exactly once, with no hashing and no sorting. `bglab.rules.reference`
is the readable statement of the same rules and the oracle this module is tested against.

Non-doubles with dice A > B: a slot (i, j) means A played from location i and B from location j. The slots that
some order of the dice allows are the bits of one mask per location i, and the pairs of slots that lead to the
same position are removed in closed form. Doubles: four stages that each move one checker, from sources in
non-increasing order, which makes every result unique; a position that cannot move further passes along.

Resulting positions ("afterstates") are packed into buffers of fixed capacity. Nothing is ever dropped silently:
`Turns.needed` says how many rows each stage wanted, and whoever calls must rerun with more where it is too much
(`fits`, `Capacity.scaled`).
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Int, Int32, UInt32

from bglab.rules.planes import (
    BAR,
    HOME,
    LOCATIONS,
    ONE,
    POINTS,
    ZERO,
    Side,
    Word,
    columns,
    made,
    move_checker,
    occupied,
    rows,
    sources,
)
from bglab.rules.ragged import expand, fence, nth_bit, take

NON_DOUBLES = np.array([(a, b) for a in range(1, 7) for b in range(1, a)], np.int32)
"""The 15 rolls of two different dice, larger first, in the order used by `all_turns`."""
ROLLS = np.concatenate([NON_DOUBLES, np.array([(d, d) for d in range(1, 7)], np.int32)])
"""All 21 rolls: the 15 non-doubles, then the doubles 11 to 66."""
ROLL_WEIGHTS = np.array([2] * 15 + [1] * 6, np.float32) / np.float32(36)
"""Probability of each roll of `ROLLS`."""

LANES = 26
UNUSED = 25
EVERYWHERE = np.uint32(0xFFFFFFFF)


class Capacity(NamedTuple):
    """Rows set aside: for the turns of non-doubles, and for the four stages of doubles."""

    non_doubles: int
    doubles: tuple[int, int, int, int]

    def scaled(self, factor: float) -> Capacity:
        """The same capacities times a factor, for the next try after an overflow."""
        first, second, third, last = (round(d * factor) for d in self.doubles)
        return Capacity(round(self.non_doubles * factor), (first, second, third, last))

    @property
    def rows(self) -> int:
        """Rows of the two result buffers together."""
        return self.non_doubles + self.doubles[3]


class Packed(NamedTuple):
    """Afterstates packed from row 0 on.

    after: uint32[capacity, 8], as seen by the player who moved. source: int32[capacity], index of the position
    (and roll) each came from, in increasing order. total: int32, rows in use, more than the capacity if
    it overflowed; rows past the total hold no position.
    """

    after: UInt32[Array, "capacity 8"]
    source: Int32[Array, "capacity"]
    total: Int32[Array, ""]

    @property
    def valid(self) -> Bool[Array, "capacity"]:
        """Which rows hold an afterstate."""
        return jnp.arange(self.source.shape[0], dtype=jnp.int32) < self.total


class Turns(NamedTuple):
    """The complete turns of a batch: those of non-doubles and of doubles apart, and the rows each stage needed."""

    non_doubles: Packed
    doubles: Packed
    needed: Int32[Array, "5"]


def fits(needed: Int32[Array, "... 5"], capacity: Capacity) -> Bool[Array, ""]:
    """Whether every stage had room, for one call or the stacked `needed` of many.

    After an overflow in an early stage the later counts are too small, so all of them must be looked at.
    """
    room = jnp.array((capacity.non_doubles, *capacity.doubles), jnp.int32)
    return jnp.all(needed <= jnp.broadcast_to(room, needed.shape))


def rolled_turns(positions: UInt32[Array, "n 8"], dice: Int[Array, "n 2"], capacity: Capacity) -> Turns:
    """Every distinct complete turn of each position with its own roll.

    Args: positions uint32[n, 8]; dice int[n, 2], 1 to 6 (not checked here). `source` is the row of the position. A
    position that cannot move contributes itself once.
    """
    larger = jnp.max(dice, -1).astype(jnp.uint32)
    smaller = jnp.min(dice, -1).astype(jnp.uint32)
    own, opp = columns(positions)
    non_doubles = _non_doubles(own, opp, larger, smaller, capacity.non_doubles)
    doubles, needed = _doubles(own, opp, larger, larger == smaller, capacity.doubles)
    return Turns(non_doubles, doubles, jnp.concatenate([non_doubles.total[None], needed]))


def all_turns(positions: UInt32[Array, "n 8"], capacity: Capacity) -> Turns:
    """Every distinct complete turn of each position for all 21 rolls.

    `source` is 15 · row + index in `NON_DOUBLES` for non-doubles, and 6 · row + (die − 1) for doubles.
    """
    n = positions.shape[0]
    own, opp = columns(jnp.repeat(positions, 15, axis=0))
    larger, smaller = (jnp.tile(jnp.asarray(NON_DOUBLES[:, k].astype(np.uint32)), n) for k in (0, 1))
    non_doubles = _non_doubles(own, opp, larger, smaller, capacity.non_doubles)
    own, opp = columns(jnp.repeat(positions, 6, axis=0))
    die = jnp.tile(jnp.arange(1, 7, dtype=jnp.uint32), n)
    doubles, needed = _doubles(own, opp, die, die > 0, capacity.doubles)
    return Turns(non_doubles, doubles, jnp.concatenate([non_doubles.total[None], needed]))


def _lone(mask: Word) -> Word:
    """Whether a mask has at most one bit."""
    return (mask & (mask - ONE)) == 0


def _slots(own: Side, opp: Side, larger: Word, smaller: Word) -> UInt32[Array, "n lanes"]:
    """For each location i the mask of locations j such that (A from i, B from j) is a turn of its own.

    `uint32[n, 26]`; lane 25 means that A is not played, bit 25 that B is not. All zero for doubles.
    """
    lane = jnp.arange(LANES, dtype=jnp.uint32)[None, :]
    here = jnp.where(lane < UNUSED, ONE << lane, ZERO)
    a, b = larger[:, None], smaller[:, None]
    stack = made(own)[:, None]
    stands = occupied(own)[:, None]
    free = POINTS & ~made(opp)[:, None]
    blots = opp[0][:, None] & free
    landing_a, landing_b = free << a & LOCATIONS, free << b & LOCATIONS
    with_a, with_b = sources(stands, landing_a, a), sources(stands, landing_b, b)

    # A first: move from i, then ask where B can be played.
    moved = stands & ~(here & ~stack) | here >> a
    a_first = jnp.where((with_a & here) != 0, sources(moved, landing_b, b), ZERO)

    # B first, for the same i: B's sources j that leave A playable from i, without making each move.
    leaves_i = (
        jnp.where((stack & here) != 0, EVERYWHERE, jnp.where((stands & here) != 0, ~here, ZERO)) | here << b
    )
    entered = ((stack & BAR) == 0) | (lane == 24)
    moves_on = ((landing_a & here) != 0) & entered
    outside = stands & ~HOME
    brings_home = jnp.where(
        outside == 0,
        EVERYWHERE,
        jnp.where(_lone(outside) & ((outside & stack) == 0), outside & HOME << b, ZERO),
    )
    up_to_i = (here << 1) - ONE
    above = stands & ~up_to_i
    clears_above = jnp.where(
        (lane == a - ONE) | (above == 0),
        EVERYWHERE,
        jnp.where(_lone(above) & ((above & stack) == 0), above & up_to_i << b, ZERO),
    )
    bears_off = jnp.where(lane < a, brings_home & clears_above, ZERO)
    b_first = jnp.where(
        here != 0, with_b & leaves_i & (jnp.where(moves_on, EVERYWHERE, ZERO) | bears_off), ZERO
    )
    slots = a_first | b_first

    # One checker moved by both dice reads (i, i−A) and (i−B, i): the same position unless one way hits in passing.
    passes = jnp.where(((slots & here >> a) != 0) & ((blots & here >> a) == 0), here, ZERO)
    chains = jnp.sum(passes, axis=1, keepdims=True, dtype=jnp.uint32)
    slots = slots & ~jnp.where((blots & here) == 0, here << b & chains, ZERO)
    # Both dice bear off: the two checkers are interchangeable, keep j ≤ i.
    slots = slots & ~jnp.where(lane < a, ((ONE << b) - ONE) & ~up_to_i, ZERO)

    both = jnp.any(slots != 0, axis=1, keepdims=True)
    none = ONE << UNUSED
    only_b = jnp.where(lane == UNUSED, jnp.where(with_b != 0, with_b, none), ZERO)
    one = jnp.where(with_a != 0, jnp.where((with_a & here) != 0, none, ZERO), only_b)
    return jnp.where(a == b, ZERO, jnp.where(both, slots, one))


def _non_doubles(own: Side, opp: Side, larger: Word, smaller: Word, capacity: int) -> Packed:
    """The turns of every row whose dice differ."""
    slots = _slots(own, opp, larger, smaller).reshape(-1)
    dice = larger | smaller << 8
    filled = expand(lax.population_count(slots).astype(jnp.int32), capacity)
    source = filled.item // LANES
    i = (filled.item - source * LANES).astype(jnp.uint32)
    j = nth_bit(take(slots, filled.item), filled.rank)
    from_a = jnp.where(filled.valid, ONE << i & LOCATIONS, ZERO)
    from_b = jnp.where(filled.valid, ONE << j & LOCATIONS, ZERO)
    roll = take(dice, source)
    to_a, to_b = from_a >> (roll & np.uint32(255)), from_b >> (roll >> 8)
    before, from_a, from_b, to_a, to_b, source = fence(
        filled.total >= 0, take(rows(own, opp), source), from_a, from_b, to_a, to_b, source
    )
    own, opp = move_checker(*columns(before), from_a, to_a)
    own, opp = move_checker(own, opp, from_b, to_b)
    return Packed(rows(own, opp), source, filled.total)


def _doubles(
    own: Side, opp: Side, die: Word, use: Bool[Array, "n"], capacities: tuple[int, int, int, int]
) -> tuple[Packed, Int32[Array, "4"]]:
    """The turns of every row marked in `use` when its die is played four times, and the rows each stage needed."""
    n = die.shape[0]
    source = jnp.arange(n, dtype=jnp.int32)
    # Landing places and die stay those of the start: the opponent's made points do not change during a turn.
    fixed = (POINTS & ~made(opp)) << die & LOCATIONS | die << 25
    current, allowed, valid = fixed, jnp.full(n, LOCATIONS), use
    total = jnp.int32(0)
    needed = []
    for stage, capacity in enumerate(capacities):
        legal = sources(occupied(own), current & LOCATIONS, current >> 25) & allowed
        (legal,) = fence(jnp.sum(die) > 0, jnp.where(valid, legal, ZERO))
        moves = lax.population_count(legal).astype(jnp.int32)
        # A branch that ended early survives only where no sibling can still move: as many checkers as possible.
        movable = moves if stage == 0 else take(_per_source(moves, source, n), source)
        filled = expand(jnp.where(valid, jnp.where(movable > 0, moves, 1), 0), capacity)
        mask = take(legal, filled.item)
        origin = jnp.where((mask != 0) & filled.valid, ONE << nth_bit(mask, filled.rank), ZERO)
        source = take(source, filled.item)
        current = take(fixed, source)
        before, origin, target, source, current = fence(
            filled.total >= 0,
            take(rows(own, opp), filled.item),
            origin,
            origin >> (current >> 25),
            source,
            current,
        )
        own, opp = move_checker(*columns(before), origin, target)
        *sides, allowed = fence(filled.total >= 0, *own, *opp, (origin << 1) - ONE)
        own, opp = (sides[0], sides[1], sides[2], sides[3]), (sides[4], sides[5], sides[6], sides[7])
        allowed = jnp.where(origin != 0, allowed, ZERO)
        valid, total = filled.valid, filled.total
        needed.append(total)
    return Packed(rows(own, opp), source, total), jnp.stack(needed)


def _per_source(values: Int32[Array, "k"], source: Int32[Array, "k"], n: int) -> Int32[Array, "n"]:
    """Sum of the values of each source; sources are in increasing order."""
    return jnp.zeros(n, jnp.int32).at[source].add(values, mode="drop", indices_are_sorted=True)
