"""A batch of positions as bit-planes: packing, flipping and moving a checker, thousands at a time.

A position is eight 32-bit words, `uint32[8]`. Words 0 to 3 hold the mover's checkers: bit p of word k is bit k of
the number of checkers at location p. Words 4 to 7 hold the opponent's in the same way. Bit p for p = 0 to 23 is
point p + 1 in the mover's numbering, for both sides; bit 24 is that side's own bar. Checkers borne off are what
is missing from the side's full set. The mover moves towards bit 0.

Inside the generator a batch is held by columns: a `Side` is the four words of one side, each `uint32[...]`, so
every step is plain bit arithmetic over the batch with neither branches nor scatters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Int, Shaped, UInt32

from bglab.errors import InputError
from bglab.rules.position import Position

BAR = np.uint32(1 << 24)
POINTS = np.uint32((1 << 24) - 1)
LOCATIONS = np.uint32((1 << 25) - 1)
HOME = np.uint32(0b111111)
ZERO = np.uint32(0)
ONE = np.uint32(1)

Word: TypeAlias = Shaped[Array, "..."]
Side: TypeAlias = tuple[Word, Word, Word, Word]


def pack(positions: Sequence[Position]) -> UInt32[np.ndarray, "n 8"]:
    """Positions as bit-planes, `uint32[n, 8]`. The number of checkers each side started with is not stored."""
    counts = np.zeros((len(positions), 2, 25), np.uint32)
    for row, position in enumerate(positions):
        counts[row, 0] = position.me
        counts[row, 1, :24] = position.opp[23::-1]
        counts[row, 1, 24] = position.opp[24]
    locations = np.arange(25, dtype=np.uint32)
    planes = [((counts >> np.uint32(k) & ONE) << locations).sum(-1, dtype=np.uint32) for k in range(4)]
    return np.stack(planes, -1).reshape(len(positions), 8)


def unpack(planes: UInt32[np.ndarray, "n 8"] | UInt32[Array, "n 8"], checkers: int = 15) -> list[Position]:
    """The positions behind bit-planes `uint32[n, 8]`; raises `InputError` for a row that is no position."""
    words = np.asarray(planes)
    if words.ndim != 2 or words.shape[1] != 8 or words.dtype != np.uint32:
        raise InputError(
            f"A batch of positions is uint32[n, 8], not {words.dtype}{list(words.shape)}: make it with "
            "bglab.rules.planes.pack."
        )
    strange = np.flatnonzero((words & ~LOCATIONS).any(1))
    if strange.size:
        raise InputError(
            f"Row {strange[0]} has bits above the bar, bit 24, where no checker can stand: make it with "
            "bglab.rules.planes.pack."
        )
    locations = np.arange(25, dtype=np.uint32)
    bits = words.reshape(-1, 2, 4, 1) >> locations & ONE
    counts = (bits << np.arange(4, dtype=np.uint32)[:, None]).sum(2).astype(int)
    counts[:, 1, :24] = counts[:, 1, 23::-1]
    return [Position(me=tuple(me.tolist()), opp=tuple(opp.tolist()), checkers=checkers) for me, opp in counts]


def columns(positions: UInt32[Array, "*n 8"]) -> tuple[Side, Side]:
    """The mover's and the opponent's side of a batch, each four `uint32[n]`."""
    words = [positions[..., k] for k in range(8)]
    return (words[0], words[1], words[2], words[3]), (words[4], words[5], words[6], words[7])


def rows(own: Side, opp: Side) -> UInt32[Array, "*n 8"]:
    """The batch `uint32[n, 8]` made of two sides; the inverse of `columns`."""
    return jnp.stack([*own, *opp], -1)


def occupied(side: Side) -> Word:
    """Bit mask of the locations where the side has at least one checker."""
    return side[0] | made(side)


def made(side: Side) -> Word:
    """Bit mask of the locations where the side has two checkers or more."""
    return side[1] | side[2] | side[3]


def count(side: Side, location: int | Word) -> Int[Array, "..."]:
    """Number of the side's checkers at a location (0 to 23 points, 24 the bar), `int32`."""
    where = np.uint32(location) if isinstance(location, int) else location
    total = side[0] >> where & ONE
    for k in range(1, 4):
        total = total | (side[k] >> where & ONE) << k
    return total.astype(jnp.int32)


def on_board(side: Side) -> Int[Array, "..."]:
    """Number of the side's checkers on points and bar together, `int32`."""
    return sum(
        (lax.population_count(side[k]).astype(jnp.int32) << k for k in range(1, 4)),
        lax.population_count(side[0]).astype(jnp.int32),
    )


def mirror(word: Word) -> Word:
    """Reverse the order of the 24 points and leave the bar: the same word in the other side's numbering."""
    bar = word & BAR
    x = word & POINTS
    for shift, mask in ((1, 0x555555), (2, 0x333333), (4, 0x0F0F0F)):
        x = (x >> shift & np.uint32(mask)) | (x & np.uint32(mask)) << shift
    return (x & np.uint32(0xFF)) << 16 | x & np.uint32(0xFF00) | x >> 16 & np.uint32(0xFF) | bar


def flip(positions: UInt32[Array, "*n 8"]) -> UInt32[Array, "*n 8"]:
    """The same positions with the other side on roll."""
    return mirror(jnp.concatenate([positions[..., 4:], positions[..., :4]], -1))


def _remove(side: Side, bit: Word) -> Side:
    """Take one checker from the location of a one-hot mask (a zero mask does nothing): a borrow that ripples up."""
    out = []
    for plane in side:
        out.append(plane ^ bit)
        bit = bit & ~plane
    return (out[0], out[1], out[2], out[3])


def _add(side: Side, bit: Word) -> Side:
    """Put one checker at the location of a one-hot mask (a zero mask does nothing): a carry that ripples up."""
    out = []
    for plane in side:
        out.append(plane ^ bit)
        bit = bit & plane
    return (out[0], out[1], out[2], out[3])


def move_checker(own: Side, opp: Side, source: Word, target: Word) -> tuple[Side, Side]:
    """Move one checker and send a hit blot to its bar.

    `source` and `target` are one-hot masks; a zero target bears off, a zero source and target change nothing.
    The move must be legal: at most a lone opposing checker stands on the target.
    """
    own = _add(_remove(own, source), target)
    hit = target & opp[0]
    opp = (opp[0] ^ hit, opp[1], opp[2], opp[3])
    return own, _add(opp, jnp.where(hit != 0, BAR, ZERO))


def sources(own: Word, landing: Word, die: Word) -> Word:
    """Bit mask of the locations from which one die can be played now.

    Args: `own`, where the mover stands; `landing`, the sources whose target is not blocked, (free << die) within
    the 25 locations; `die`, 1 to 6. Whoever is on the bar must enter first; with everybody home a checker
    may be borne off from the die's point, or from the highest point if that is lower.
    """
    point = ONE << (die - ONE)
    below = own | own >> 1
    below = below | below >> 2
    below = below | below >> 4
    highest = below ^ below >> 1
    bear_off = own & point | jnp.where(own < point, highest, ZERO)
    inside = own & landing
    inside = jnp.where((own & BAR) != 0, inside & BAR, inside)
    return inside | jnp.where(own <= HOME, bear_off, ZERO)


def points_won(positions: UInt32[Array, "*n 8"], checkers: int = 15) -> Int[Array, "*n"]:
    """Points the mover has just won, `int32`: 0 while the mover still has a checker, else 1, 2 or 3.

    A gammon if the opponent has borne off none of its `checkers`; a backgammon if one of them is moreover on the
    bar or in the mover's home (the bar counts as the winner's home).
    """
    own, opp = columns(positions)
    gammon = on_board(opp) == checkers
    backgammon = gammon & ((occupied(opp) & (HOME | BAR)) != 0)
    points = 1 + gammon.astype(jnp.int32) + backgammon.astype(jnp.int32)
    return jnp.where(occupied(own) == 0, points, 0)


def contact(positions: UInt32[Array, "*n 8"]) -> Bool[Array, "*n"]:
    """Whether the two sides can still hit or block each other: some checker has an opposing one in front of it.

    A checker on the bar has all of the other side's before it. No contact where one side has nobody left.
    """
    own, opp = columns(positions)
    mine, theirs = occupied(own), occupied(opp)
    points = theirs & POINTS
    # The opponent's rearmost checker on a point is the lowest bit of theirs; no point is shared, so comparing the
    # words compares the highest bit of mine with it.
    rearmost = points & (ZERO - points)
    ahead = (points != 0) & (mine > rearmost)
    return (mine != 0) & (((theirs & BAR) != 0) | ahead)
