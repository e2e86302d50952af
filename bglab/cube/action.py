"""Cube actions of any evaluator: its own rule where it has one, else Janowski's formula on its outcomes."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Int32, UInt32

from bglab.cube.janowski import CONTACT, RACE, janowski_decision, reduce
from bglab.errors import InputError
from bglab.rules.planes import contact
from bglab.value.evaluator import Evaluator


def cube_action(
    evaluator: Evaluator,
    positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"],
    owner: Int32[Array, "n"] | Int32[np.ndarray, "n"],
    live: Bool[Array, "n"] | Bool[np.ndarray, "n"],
) -> tuple[Bool[Array, "n"], Bool[Array, "n"]]:
    """Whether the side on roll doubles, and whether the other side would take, bool[n] each.

    Args: positions, the possible doubler on roll and about to throw, which is also how the take is priced; owner, 0 for
    a centred cube, 1 for one the side on roll owns (−1, the other side's, is never doubled); live, whether after a take
    the taker could still redouble to some purpose.

    An evaluator with a `cube_action` of its own decides itself. Another must give outcomes: Janowski's general formula
    of money play with cube life 0.7 in contact, 0.6 in a race and 0 where not `live` (document 000, section 5.11),
    which knows no match score. Raises `InputError` for an evaluator whose worth says nothing about the cube.
    """
    if hasattr(evaluator, "cube_action"):
        return evaluator.cube_action(positions, owner, live)
    values = jnp.asarray(evaluator(positions))
    if values.ndim != 2:
        raise InputError(
            f"{type(evaluator).__name__} answers with a worth that says nothing about the cube: give it a "
            "cube_action method, or play with the cube off."
        )
    positions, owner = jnp.asarray(positions), jnp.asarray(owner)
    life = jnp.where(contact(positions), jnp.float32(CONTACT), jnp.float32(RACE))
    x = jnp.where(jnp.asarray(live), life, jnp.float32(0))
    double, take = janowski_decision(*reduce(values), x, owner == 1)
    return double & (owner >= 0), take
