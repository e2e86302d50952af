"""How a position is shown to a network: named encodings, each citing its source.

Every encoding is seen from the side on roll and is a sum over places: four units per point and side, then bars
and trays. Both blocks of points use the numbering of the side on roll. That structure lets the first layer of a
network be summed from a table of rows instead of multiplied (`place_rows`, `place_features`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float32, Int32, UInt32

from bglab.errors import InputError
from bglab.rules.planes import Side, columns, count, on_board
from bglab.rules.ragged import fence

FULL_SET = 15
SIGNED = 2 * FULL_SET + 1
PAIRS = (FULL_SET + 1) ** 2
PLACE_ROWS = 24 * SIGNED + 2 * PAIRS
"""Rows of the table of places: 24 points × (−15 … 15 checkers), the pair of bars, the pair of trays."""
PAIRED_ROWS = 12 * SIGNED**2 + 2 * PAIRS
"""Rows of the table with neighbouring points joined: fewer look-ups make the same sum in two thirds of the time."""


@dataclass(frozen=True)
class Encoding:
    """Where the inputs of a network lie, and how bar and borne-off counts are scaled.

    Each pair of columns belongs to the side on roll and to the opponent. `points` is the first of 96 columns, four
    per point: at least 1, 2, 3 checkers, and (n − 3)/2 for n > 3. Checkers borne off are those missing from 15.
    """

    name: str
    source: str
    points: tuple[int, int]
    bar: tuple[int, int]
    off: tuple[int, int]
    bar_scale: Callable[[Any], Any]
    off_scale: Callable[[Any], Any]
    width: int = 196


TESAURO = Encoding(
    name="tesauro",
    source="document 000, section 5.2: counts of bar and tray as square roots",
    points=(0, 96),
    bar=(192, 193),
    off=(194, 195),
    bar_scale=lambda n: n**0.5,
    off_scale=lambda n: n**0.5,
)
PURETD = Encoding(
    name="puretd",
    source="PureTD (A. Strehl, 2026): bar / 2, borne off / 15, each side's bar and tray after its points",
    points=(0, 98),
    bar=(96, 194),
    off=(97, 195),
    bar_scale=lambda n: n / 2,
    off_scale=lambda n: n / 15,
)
ENCODINGS = {encoding.name: encoding for encoding in (TESAURO, PURETD)}


def find_encoding(name: str) -> Encoding:
    """The encoding of that name; `InputError` lists the names there are."""
    if name not in list(ENCODINGS):
        raise InputError(f"There is no encoding {name!r}: choose one of {', '.join(ENCODINGS)}.")
    return ENCODINGS[name]


def encode(positions: UInt32[Array, "*n 8"], encoding: Encoding) -> Float32[Array, "*n width"]:
    """The inputs of a network, float32[n, 196], from the side on roll."""
    own, opp = columns(positions)
    parts: dict[int, Array] = {}
    for k, side in enumerate((own, opp)):
        parts[encoding.points[k]] = _point_units(_point_counts(side)).reshape(*positions.shape[:-1], 96)
        bar = count(side, 24).astype(jnp.float32)[..., None]
        off = (FULL_SET - on_board(side)).astype(jnp.float32)[..., None]
        parts[encoding.bar[k]] = encoding.bar_scale(bar)
        parts[encoding.off[k]] = encoding.off_scale(off)
    return jnp.concatenate([parts[column] for column in sorted(parts)], -1)


def _point_counts(side: Side) -> Float32[Array, "*n 24"]:
    """Checkers of a side on points 1 to 24 in the numbering of the side on roll."""
    points = jnp.arange(24, dtype=jnp.uint32).reshape(*[1] * side[0].ndim, 24)
    first, second, third, fourth = (plane[..., None] for plane in side)
    return count((first, second, third, fourth), points).astype(jnp.float32)


def _point_units(n: Float32[Array, "*n 24"]) -> Float32[Array, "*n 24 4"]:
    """The four truncated-unary units of a number of checkers."""
    units = [(n >= 1).astype(jnp.float32), (n >= 2).astype(jnp.float32), (n >= 3).astype(jnp.float32)]
    return jnp.stack([*units, jnp.maximum(n - 3, 0) / 2], -1)


@cache
def place_features(encoding: Encoding) -> Float32[np.ndarray, "rows width"]:
    """What each row of the table of places adds to the inputs, float32[PLACE_ROWS, 196]."""
    features = np.zeros((PLACE_ROWS, encoding.width), np.float32)
    for signed in range(-FULL_SET, FULL_SET + 1):
        n = abs(signed)
        units = [n >= 1, n >= 2, n >= 3, max(n - 3, 0) / 2]
        for point in range(24):
            first = encoding.points[0 if signed > 0 else 1] + 4 * point
            features[point * SIGNED + FULL_SET + signed, first : first + 4] = units
    for first, (mine, theirs), scale in (
        (24 * SIGNED, encoding.bar, encoding.bar_scale),
        (24 * SIGNED + PAIRS, encoding.off, encoding.off_scale),
    ):
        for n in range(FULL_SET + 1):
            for m in range(FULL_SET + 1):
                features[first + n * (FULL_SET + 1) + m, [mine, theirs]] = scale(float(n)), scale(float(m))
    features.setflags(write=False)
    return features


def paired(table: Float32[Array, "rows units"]) -> Float32[Array, "paired units"]:
    """The table with points 1 and 2, 3 and 4, … joined, float32[PAIRED_ROWS, units], of one with PLACE_ROWS rows."""
    points, rest = table[: 24 * SIGNED].reshape(24, SIGNED, -1), table[24 * SIGNED :]
    shape = (12, SIGNED, SIGNED, table.shape[1])
    sums = jnp.broadcast_to(points[0::2, :, None], shape) + jnp.broadcast_to(points[1::2, None, :], shape)
    return jnp.concatenate([sums.reshape(-1, table.shape[1]), rest])


def place_rows(positions: UInt32[Array, "n 8"]) -> tuple[Int32[Array, "n"], ...]:
    """The 14 rows of the table of paired places that a position is the sum of, as 14 arrays int32[n]."""
    own, opp = columns(positions)
    places = jnp.arange(24, dtype=jnp.uint32)[:, None]
    mine, theirs = (count((a[None], b[None], c[None], d[None]), places) for a, b, c, d in (own, opp))
    signed = mine - theirs + FULL_SET
    pairs = (signed[0::2] * SIGNED + signed[1::2]) + jnp.arange(12, dtype=jnp.int32)[:, None] * SIGNED**2
    bars = 12 * SIGNED**2 + count(own, 24) * (FULL_SET + 1) + count(opp, 24)
    off = (FULL_SET - on_board(own)) * (FULL_SET + 1) + FULL_SET - on_board(opp)
    trays = 12 * SIGNED**2 + PAIRS + off
    (index,) = fence(jnp.sum(trays) >= 0, jnp.concatenate([pairs, bars[None], trays[None]]))
    return tuple(index[k] for k in range(14))
