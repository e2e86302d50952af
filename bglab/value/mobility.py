"""How many of the 36 rolls leave a side stuck (document 000, section 3.3), without making a single turn.

The dice come first and the positions last in every array, so that the arithmetic runs along the batch. What can be
played is asked of bit masks alone; `bglab.rules.reference` is what this is tested against.

Two facts carry it. A move that is legal stays legal until it is made: landing places do not change during a turn, and
moving a checker only brings it nearer home. And the only move that makes others legal for other checkers is that of
the rearmost checker, where it stands alone: it may be the last on the bar, the last outside, or the highest at home.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Int32, UInt32

from bglab.rules.planes import (
    BAR,
    HOME,
    LOCATIONS,
    ONE,
    POINTS,
    ZERO,
    Side,
    Word,
    made,
    occupied,
    on_board,
    sources,
)


def stuck(own: Side, blocked: UInt32[Array, "n"]) -> tuple[Int32[Array, "n"], Int32[Array, "n"]]:
    """EC1 and EC0: of the 36 ordered rolls, those that can be played in part only, and those not at all.

    Args: `own`, the side's checkers; `blocked`, the points the other side has made. In part: at least one die but not
    both, or at least one but not four moves of a double. A roll that bears off the last checker is played in full.
    """
    die = jnp.arange(1, 7, dtype=jnp.uint32)[:, None]
    own = (own[0][None], own[1][None], own[2][None], own[3][None])
    landing = (POINTS & ~blocked)[None] << die & LOCATIONS
    playable = sources(occupied(own), landing, die)
    some = playable != 0
    either = some[:, None] | some[None]
    full = jnp.where(
        jnp.eye(6, dtype=bool)[:, :, None],
        _four(own, landing, die)[:, None],
        _both(own, landing, playable, die),
    )
    part = either & ~full
    return part.astype(jnp.int32).sum((0, 1)), (~either).astype(jnp.int32).sum((0, 1))


def _both(
    own: Side, landing: UInt32[Array, "6 n"], playable: UInt32[Array, "6 n"], die: UInt32[Array, "6 1"]
) -> Bool[Array, "6 6 n"]:
    """Whether two different dice can be played in full."""
    stands, stack = occupied(own), made(own)
    point = ONE << (die - ONE)
    first, second = playable[:, None], playable[None]
    # Two checkers, one for each die.
    lone = ((first & (first - ONE)) == 0) & ((first & stack[None]) == 0)
    two = (first != 0) & (second != 0) & ~((first == second) & lone)
    # One checker, both dice; not while another is on the bar.
    arrived = jnp.where((stack & BAR) != 0, ZERO, playable >> die)
    onward = landing | jnp.where(stands <= HOME, point, ZERO)
    goes_on = (arrived[:, None] & onward[None]) != 0
    # The rearmost checker moves, and what it held back can be played.
    rearmost = _highest(stands)
    alone = ((playable & rearmost) != 0) & ((rearmost & stack) == 0)
    left = (stands ^ rearmost) | rearmost >> die
    after = jnp.where(alone, left, ZERO)[:, None]
    bears_off = (after <= HOME) & (after != 0) & (((after & point[None]) != 0) | (after < point[None]))
    ends = alone & (left == 0)
    in_order = goes_on | ((after & landing[None]) != 0) | bears_off | ends[:, None]
    return two | in_order | jnp.swapaxes(in_order, 0, 1)


def _four(own: Side, landing: UInt32[Array, "6 n"], die: UInt32[Array, "6 1"]) -> Bool[Array, "6 n"]:
    """Whether a double can be played in full: four moves, or all that the game has left.

    Each checker steps down by the die until its next landing place is blocked or it is on the die's point or below,
    from where it bears off once all are home and none is held above.
    """
    stands = occupied(own)
    point = ONE << (die - ONE)
    walking = stands & landing
    steps = _number(own, walking)
    for k in (1, 2, 3):
        walking = walking & landing << np.uint32(k) * die
        steps = steps + _number(own, walking)
    # Whoever is held or on the die's point after more than three steps has four moves anyway.
    stop = LOCATIONS & ~(landing | (point | (point - ONE)))
    held, held_outside = (stands & _spread(where, die) for where in (stop, stop & ~HOME))
    exact = point
    for _ in range(3):
        exact = exact | exact << die & landing
    bearing_off = jnp.where(held_outside == 0, _number(own, stands & exact), 0)
    enters = ((stands & BAR) == 0) | ((landing & BAR) != 0)
    return enters & ((steps + bearing_off >= 4) | (held == 0))


def _number(own: Side, mask: UInt32[Array, "6 n"]) -> Int32[Array, "6 n"]:
    """The side's checkers on a mask for each die."""
    return on_board((own[0] & mask, own[1] & mask, own[2] & mask, own[3] & mask))


def _spread(mask: Word, die: Word) -> Word:
    """The locations up to three steps behind a mask, and the mask itself."""
    mask = mask | mask << die
    return mask | mask << (die + die)


def _highest(mask: Word) -> Word:
    below = mask | mask >> 1
    for shift in (2, 4, 8, 16):
        below = below | below >> shift
    return below ^ below >> 1
