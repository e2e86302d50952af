"""The six exclusive outcomes of a game, equity, and the conversions at the borders.

An outcome vector holds, from the side on roll, the probabilities of winning a single game, a gammon, a backgammon,
then of losing a single game, a gammon, a backgammon. They sum to 1. The five cumulative probabilities that
engines exchange (win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon) exist only
at borders.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int

OUTCOMES = ("win", "win gammon", "win backgammon", "lose", "lose gammon", "lose backgammon")
POINTS = np.array([1, 2, 3, -1, -2, -3], np.float32)
"""Points per unit of the cube that each outcome is worth to the side on roll."""


def namespace(*values: Any) -> ModuleType:
    """jax.numpy where JAX's arrays take part, in tuples too, else NumPy."""
    flat = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
    return jnp if any(isinstance(each, Array) for each in flat) else np


def equity(outcomes: Float[Array, "*n 6"]) -> Float[Array, "*n"]:
    """Cubeless equity in points, p1 + 2 p2 + 3 p3 − p4 − 2 p5 − 3 p6 (document 000, section 5.4)."""
    return outcomes @ jnp.asarray(POINTS)


def swap(outcomes: Float[Array, "*n 6"]) -> Float[Array, "*n 6"]:
    """The same outcomes seen from the other side of the table."""
    return jnp.roll(outcomes, 3, axis=-1)


def certain(points: Int[Array, "*n"]) -> Float[Array, "*n 6"]:
    """One-hot outcomes of a finished game worth `points` (±1, ±2, ±3) to the side asked about; 0 gives all zero."""
    index = jnp.where(points > 0, points - 1, 2 - points)
    return jax.nn.one_hot(jnp.where(points == 0, -1, index), 6, dtype=jnp.float32)


def to_cumulative(outcomes: Float[Array, "*n 6"]) -> Float[Array, "*n 5"]:
    """Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon."""
    win, gammon, backgammon, _, lose_gammon, lose_backgammon = (outcomes[..., k] for k in range(6))
    return jnp.stack(
        [
            win + gammon + backgammon,
            gammon + backgammon,
            backgammon,
            lose_gammon + lose_backgammon,
            lose_backgammon,
        ],
        -1,
    )


def nested(chances: Float[Array, "*n 5"] | Float[np.ndarray, "*n 5"]) -> Any:
    """Five cumulative probabilities made to contain one another: WBG ≤ WG ≤ W and LBG ≤ LG ≤ 1 − W."""
    xp = namespace(chances)
    win = chances[..., 0]
    gammon = xp.minimum(chances[..., 1], win)
    lose_gammon = xp.minimum(chances[..., 3], 1 - win)
    backgammons = xp.minimum(chances[..., 2], gammon), xp.minimum(chances[..., 4], lose_gammon)
    return xp.stack([win, gammon, backgammons[0], lose_gammon, backgammons[1]], -1)


def from_cumulative(cumulative: Float[Array, "*n 5"] | Float[np.ndarray, "*n 5"]) -> Any:
    """The six exclusive outcomes behind the five cumulative probabilities of `to_cumulative`, float[*n, 6], of JAX or
    NumPy as they are.
    """
    win, gammon, backgammon, lose_gammon, lose_backgammon = (cumulative[..., k] for k in range(5))
    return namespace(cumulative).stack(
        [
            win - gammon,
            gammon - backgammon,
            backgammon,
            1 - win - lose_gammon,
            lose_gammon - lose_backgammon,
            lose_backgammon,
        ],
        -1,
    )
