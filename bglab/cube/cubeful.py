"""An evaluator of cubeful equity in money play, made from one of cubeless outcomes: the leaves of a cubeful search."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float32, Int32, UInt32

from bglab.cube.janowski import CONTACT, RACE, piecewise_linear, reduce, right_to_double
from bglab.rules.planes import contact
from bglab.value.evaluator import Evaluator, prepare
from bglab.value.pytree import pytree


@pytree()
@dataclass(frozen=True)
class Cubeful:
    """Equity per unit of the cube by GNU Backgammon's piecewise-linear form of Janowski's model, cube life as document
    000 has it. Janowski's general formula would not do at leaves: beyond the cash point it exceeds what can be won.

    Called with positions and the owner of the cube, int32[n]: 1 the side on roll, 0 nobody, −1 the other side. A side
    that may double is credited with the better of holding the cube and min(double and take, 1).
    """

    evaluator: Evaluator
    cubeful = True

    def __call__(
        self, positions: UInt32[Array, "n 8"], cube: Int32[Array, "n"] | None = None
    ) -> Float32[Array, "n"]:
        owner = jnp.zeros(positions.shape[0], jnp.int32) if cube is None else cube
        hold, taken = self.hold_and_take(positions, owner)
        return right_to_double(hold, taken, owner)

    def hold_and_take(
        self, positions: UInt32[Array, "n 8"], owner: Int32[Array, "n"]
    ) -> tuple[Float32[Array, "n"], Float32[Array, "n"]]:
        """Equities, per unit of the present cube, of not doubling now and of double and take."""
        p, W, L = reduce(jnp.asarray(self.evaluator(positions)))
        x = jnp.where(contact(jnp.asarray(positions)), jnp.float32(CONTACT), jnp.float32(RACE))
        theirs = jnp.full_like(owner, -1)
        return piecewise_linear(p, W, L, x, owner), 2 * piecewise_linear(p, W, L, x, theirs)

    def prepared(self) -> Cubeful:
        return Cubeful(prepare(self.evaluator))
