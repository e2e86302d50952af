"""Janowski's cubeful equities of money play (document 000, section 5.11), per unit of the present cube.

A position is reduced to p, the chance of winning, and W and L, the mean points of a win and of a loss. Between a cube
that is dead (never used again) and one that is perfectly live (turned at exactly the right moment) lies the cube-life
index x from 0 to 1. Arrays of one shape, under `jit` or not; the formulas take plain numbers and exact fractions too.

Two models go by Janowski's name. `owned`, `unavailable` and `centred` are his general formula, straight lines in p: the
centred one is worth more than a cashed point above p = 1 / (1 + x/4) even without gammons, where nobody should play
on. `piecewise_linear` is GNU Backgammon's: the live equity bends at the take point and the cash point, and x
interpolates between dead and live. They agree for an owned cube below the cash point and for an unavailable one above
the take point, and differ otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from bglab.value.outcome import namespace

CONTACT, RACE = 0.7, 0.6
"""Cube life while the sides can still hit or block each other, and in a race."""


class Reduced(NamedTuple):
    """A position for the cube: p, chance of winning; W and L, mean points of a win and of a loss, 1 to 3."""

    p: Any
    W: Any
    L: Any


def reduce(outcomes: Float[Array, "*n 6"]) -> Reduced:
    """p, W and L of outcomes, float32[n] each; W or L is 1 where that side cannot win at all."""
    wins, losses = outcomes[..., :3], outcomes[..., 3:]
    p, q = wins.sum(-1), losses.sum(-1)
    points = jnp.arange(1, 4, dtype=outcomes.dtype)
    won, lost = wins @ points, losses @ points
    one = jnp.ones_like(p)
    W, L = (
        jnp.where(chance > 0, mean / jnp.where(chance > 0, chance, one), one)
        for chance, mean in ((p, won), (q, lost))
    )
    return Reduced(p, W, L)


def take_point(W: Any, L: Any, x: Any) -> Any:
    """The least chance of winning with which a double may be taken; W and L are the taker's."""
    return (2 * L - 1) / (2 * (W + L) + x)


def owned(p: Any, W: Any, L: Any, x: Any) -> Any:
    """Equity of the side that owns the cube."""
    return p * (W + L + x / 2) - L


def unavailable(p: Any, W: Any, L: Any, x: Any) -> Any:
    """Equity of a side whose opponent owns the cube."""
    return owned(p, W, L, x) - x / 2


def centred(p: Any, W: Any, L: Any, x: Any) -> Any:
    """Equity with the cube in the middle."""
    return 4 / (4 - x) * (owned(p, W, L, x) - x / 4)


class Decision(NamedTuple):
    """What the side on roll and its opponent should do; `take` holds whether or not there is a double."""

    double: Any
    take: Any


def decide(hold: Any, taken: Any, passed: Any = 1.0) -> Decision:
    """Double and take from three equities of the side on roll: without doubling, doubled and taken, and passed.

    The opponent gives the smaller of the last two, and takes if they are equal. The side on roll doubles if that is
    more than it has without, and not if it is equal, since the cube keeps its use. Too good to double needs no rule:
    `hold` is then above `passed`.
    """
    xp = namespace(hold, taken, passed)
    return Decision(xp.minimum(taken, passed) > hold, taken <= passed)


def right_to_double(hold: Any, taken: Any, owner: Any) -> Any:
    """Equity before a possible double, from those without doubling and of double and take: the side on roll has the
    better of both where the cube is not the other side's (`owner` −1), a pass being worth 1.
    """
    xp = namespace(hold, taken, owner)
    return xp.where(owner >= 0, xp.maximum(hold, xp.minimum(taken, xp.float32(1))), hold)


def hold_and_take(p: Any, W: Any, L: Any, x: Any, mine: Any) -> tuple[Any, Any]:
    """Equities, by the general formula, of not doubling and of double and take; `mine` says that the side on roll owns
    the cube, else it is centred.
    """
    return jnp.where(mine, owned(p, W, L, x), centred(p, W, L, x)), 2 * unavailable(p, W, L, x)


def janowski_decision(p: Any, W: Any, L: Any, x: Any, mine: Any) -> Decision:
    """Double and take by the general formula, arguments as for `hold_and_take`."""
    return decide(*hold_and_take(p, W, L, x, mine))


def piecewise_linear(p: Any, W: Any, L: Any, x: Any, owner: Any) -> Any:
    """GNU Backgammon's cubeful equity; `owner` of the cube: 0 centred, 1 the side itself, -1 the other side.

    The live equity runs in straight lines from −L at p = 0 to W at p = 1 through −1 at the live take point and 1 at the
    live cash point, where the side's opponent, or the side, may turn the cube.
    """
    dead = p * (W + L) - L
    width = W + L + 0.5
    take, cash = (L - 0.5) / width, (L + 1) / width
    low, high = jnp.where(owner <= 0, take, 0), jnp.where(owner >= 0, cash, 1)
    floor, top = jnp.where(owner <= 0, -1, -L), jnp.where(owner >= 0, 1, W)
    return (1 - x) * dead + x * bent(p, low, high, -L, floor, top, W)


def bent(p: Any, low: Any, high: Any, lose: Any, floor: Any, top: Any, win: Any) -> Any:
    """Straight lines over p from `lose` at 0 through `floor` at `low` and `top` at `high` to `win` at 1, low < high."""
    xp = namespace(p, low, high, floor, top)
    below = lose + p / xp.where(low > 0, low, 1.0) * (floor - lose)
    between = floor + (p - low) / (high - low) * (top - floor)
    above = top + (p - high) / xp.where(high < 1, 1 - high, 1.0) * (win - top)
    return xp.where(p < low, below, xp.where(p <= high, between, above))
