"""The six exclusive outcomes of a game, equity, and the conversions at the borders.

An outcome vector holds, from the side on roll, the probabilities of winning a single game, a gammon, a backgammon,
then of losing a single game, a gammon, a backgammon. They sum to 1. The five cumulative probabilities that
engines exchange (win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon) exist only
at borders.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int

OUTCOMES = ("win", "win gammon", "win backgammon", "lose", "lose gammon", "lose backgammon")
POINTS = np.array([1, 2, 3, -1, -2, -3], np.float32)
"""Points per unit of the cube that each outcome is worth to the side on roll."""


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


def from_cumulative(cumulative: Float[Array, "*n 5"]) -> Float[Array, "*n 6"]:
    """The six exclusive outcomes behind the five cumulative probabilities of `to_cumulative`."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = (cumulative[..., k] for k in range(5))
    return jnp.stack(
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
