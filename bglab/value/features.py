"""The features of the parameter AI (document 000, section 3), counted for thousands of positions with bit arithmetic.

Every feature is a whole number of its unit: 1/20 for PC, 1/15 for BO, 1/36 for EC1 and EC0, 1/9240 for BE, else 1.
Whole numbers make the difference of the two sides, and with it the score, exact. The definitions, and which of them
the document gives, are in docs/parameter-ai.md.

A side is four words as in `bglab.rules.planes`; `blocked` are the points the other side has made, and nothing here
needs the number of checkers a side started with, because it cancels in the difference.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Int32, UInt32

from bglab.rules.planes import (
    BAR,
    LOCATIONS,
    POINTS,
    ZERO,
    Side,
    Word,
    columns,
    contact,
    count,
    flip,
    made,
    occupied,
    on_board,
)
from bglab.value.mobility import stuck

EVALUATION = (
    *("PC", "BO", "EC1", "EC0", "F0", "F1", "F2", "F3", "F4", "F5", "BE"),
    *("HB", "G5", "G7", "G4", "AN", "GA", "DO", "IO", "DP", "IP", "DE"),
)
"""Names of the 22 evaluation weights, in the document's order."""

FROZEN = 9240
"""Least common denominator of the expected numbers of frozen turns: 25/11, 16/20, 9/27, 4/32, 1/35 and eighths."""
DIVISORS = np.array([{"PC": 20, "BO": 15, "EC1": 36, "EC0": 36, "BE": FROZEN}.get(n, 1) for n in EVALUATION])
"""What each feature is divided by (section 3.1), int[22]."""

PIPS = tuple(range(1, 26))
THEIR_PIPS = (*range(24, 0, -1), 25)
STRAYS = tuple(max(0, place - 6) for place in PIPS)
"""Pips of each location in one's own numbering, in the other side's, and pips left to the home board."""


def _at(point: int) -> np.uint32:
    return np.uint32(1 << (point - 1))


def within(side: Side, mask: Word | np.uint32) -> Side:
    """The side's checkers on the locations of a mask."""
    return (side[0] & mask, side[1] & mask, side[2] & mask, side[3] & mask)


def total(side: Side, values: Sequence[int]) -> Int32[Array, "n"]:
    """Sum over the side's checkers of a whole number from 0 to 31 for each of the 25 locations."""
    parts = []
    for j in range(5):
        mask = sum(1 << place for place, value in enumerate(values) if value >> j & 1)
        if mask:
            parts.append(on_board(within(side, np.uint32(mask))) << j)
    return sum(parts[1:], parts[0])


def escapes(blocked: Word) -> list[Word]:
    """For n = 0 to 5 the mask of the locations from which a checker has escape count n (section 3.4).

    The first block below a location is a wall if it is two points deep or more. A die escapes if it bears off, or
    lands on an open point and, where there is a wall, beyond it: some point of the wall was passed.
    """
    free = POINTS & ~blocked
    behind = blocked << 1 & LOCATIONS
    seed = (blocked & blocked << 1) << 1 & LOCATIONS
    gap = LOCATIONS & ~behind
    # Adding the lowest bit of a gap turns the whole gap over: all locations up to the next block see the same wall.
    walled = seed | ((gap ^ (gap + (seed << 1 & gap))) & gap)
    passed = ZERO & blocked
    ones = twos = fours = passed
    for die in range(1, 7):
        open_to = free << die & LOCATIONS & (~walled | passed) | np.uint32((1 << die) - 1)
        passed = passed | blocked << die
        carry, ones = ones & open_to, ones ^ open_to
        carry, twos = twos & carry, twos ^ carry
        fours = fours ^ carry
    bits = (ones, twos, fours)
    masks = []
    for n in range(6):
        first, second, third = (bit if n >> k & 1 else ~bit for k, bit in enumerate(bits))
        masks.append(first & second & third & LOCATIONS)
    return masks


def frozen(own: Side, opp: Side, blocked: Word) -> Int32[Array, "n"]:
    """Expected frozen turns summed over the side's checkers on the bar, in units of 1/9240 (section 3.5).

    With m of the six entry points closed a checker misses with q = (m/6)² and is frozen for q/(1 − q) turns; against
    a closed board for (the opponent's pips − 42)/8 turns, between 0 and 8.
    """
    closed = lax.population_count(blocked >> 18).astype(jnp.int32)
    turns = jnp.clip(total(opp, THEIR_PIPS) - 42, 0, 64) * (FROZEN // 8)
    for m in range(6):
        turns = jnp.where(closed == m, FROZEN * m * m // (36 - m * m), turns)
    return turns * count(own, 24)


def shots(own: Side, opp: Side) -> tuple[Word, Word]:
    """The opponent's blots that the side can hit with one die, and those only with more, as masks (section 3.7).

    A side with a checker on the bar hits with that one alone, and with one die if there are two on the bar.
    """
    stands = occupied(own)
    hitters = jnp.where((stands & BAR) != 0, BAR, stands)
    free = POINTS & ~made(opp)
    direct = _dice_on(hitters)
    further = _dice_on(direct & free)
    for die in range(1, 7):
        twice = (hitters >> die & free) >> die & free
        further = further | twice >> die | (twice >> die & free) >> die
    blots = opp[0] & ~made(opp) & POINTS
    further = jnp.where((made(own) & BAR) != 0, ZERO, further & ~direct)
    return blots & direct, blots & further


def _dice_on(mask: Word) -> Word:
    """All that one die reaches."""
    reached = mask >> 1
    for die in range(2, 7):
        reached = reached | mask >> die
    return reached


def _number(mask: Word) -> Int32[Array, "n"]:
    return lax.population_count(mask).astype(jnp.int32)


NEAR, FAR = np.uint32(0xFFF000), np.uint32(0xFFF)
"""The near half (its points 1 to 12) and the far half of the opponent's board, in one's own numbering."""
POINT_MASKS = {
    "HB": _at(1) | _at(2) | _at(3) | _at(6),
    "G5": _at(5),
    "G7": _at(7),
    "G4": _at(4),
    "AN": _at(19) | _at(21) | _at(22) | _at(23) | _at(24),
    "GA": _at(20),
}
"""The points that each weight of section 3.6 counts."""


def _by_name(positions: UInt32[Array, "n 8"]) -> dict[str, Int32[Array, "n"]]:
    """The features of the side on roll; threats count for the side that can hit, so a blot costs its owner."""
    own, opp = columns(positions)
    blocked = made(opp) & POINTS
    some, none = stuck(own, blocked)
    found = {"PC": total(own, PIPS), "BO": -on_board(own), "EC1": some, "EC0": none}
    found |= {f"F{n}": on_board(within(own, mask)) for n, mask in enumerate(escapes(blocked))}
    found["BE"] = -frozen(own, opp, blocked)
    active = jnp.where(contact(positions), made(own), ZERO)
    found |= {name: _number(active & mask) for name, mask in POINT_MASKS.items()}
    direct, indirect = shots(own, opp)
    found |= {"DO": _number(direct & NEAR), "IO": _number(indirect & NEAR)}
    found |= {"DP": _number(direct & FAR), "IP": _number(indirect & FAR)}
    return found | {"DE": jnp.zeros_like(some)}


def features(positions: UInt32[Array, "n 8"]) -> Int32[Array, "n 22"]:
    """The features of the side on roll in the order of `EVALUATION`, in units of 1/`DIVISORS`, up to constants.

    BO is minus the checkers not yet borne off, and DO, IO, DP and IP count the blots that the side can hit, not those
    it has: both leave the difference of the two sides as the document has it. DE, a bonus at the root, is 0.
    """
    found = _by_name(positions)
    return jnp.stack([found[name] for name in EVALUATION], -1)


def differences(positions: UInt32[Array, "n 8"]) -> Int32[Array, "n 22"]:
    """The features of the side on roll minus the other side's, in units of 1/`DIVISORS`; exactly anti-symmetric."""
    n = positions.shape[0]
    both = features(jnp.concatenate([positions, flip(positions)]))
    return both[:n] - both[n:]
