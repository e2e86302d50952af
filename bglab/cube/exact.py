"""Exact cubeful equities of money play in the bear-off, and another cubeful evaluator elsewhere."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float32, Int32

from bglab.cube.janowski import right_to_double
from bglab.errors import InputError
from bglab.value.bearoff import Planes, covered, homes_of, look_up, on_device
from bglab.value.evaluator import Evaluator, on_host, prepare
from bglab.value.pytree import pytree
from bglab.value.twosided import TwoSided

Owners = Int32[Array, "n"] | Int32[np.ndarray, "n"]


@pytree("checkers")
@dataclass(frozen=True, eq=False)
class BearoffCubeful:
    """Equity per unit of the cube by the two-sided table where it reaches, else by `evaluator`, which must be cubeful.

    Called as `bglab.cube.cubeful.Cubeful` is, with positions and the owner of the cube, int32[n]: 1 the side on roll, 0
    nobody, −1 the other side. Of money play without a limit to the cube: at a match score neither the equities nor the
    decisions are exact. `checkers`, of each side at the start.
    """

    evaluator: Evaluator
    table: TwoSided
    checkers: int = 15
    cubeful = True

    def __post_init__(self) -> None:
        if not getattr(self.evaluator, "cubeful", False):
            raise InputError(
                f"{type(self.evaluator).__name__} gives no cubeful equity: wrap it with bglab.cube.cubeful.Cubeful "
                "first."
            )
        object.__setattr__(self, "table", on_device(self.table))

    @property
    def on_host(self) -> bool:
        return on_host(self.evaluator)

    def prepared(self) -> BearoffCubeful:
        return dataclasses.replace(self, evaluator=prepare(self.evaluator))

    def __call__(self, positions: Planes, cube: Owners | None = None) -> Float32[Array, "n"]:
        owner = np.zeros(positions.shape[0], np.int32) if cube is None else cube
        known, hold, taken = self._exact(positions, owner)
        best = right_to_double(hold, taken, jnp.asarray(owner))
        return jnp.where(known, best, self.evaluator(positions, owner))

    def hold_and_take(
        self, positions: Planes, owner: Owners
    ) -> tuple[Float32[Array, "n"], Float32[Array, "n"]]:
        """Equities, per unit of the present cube, of not doubling now and of double and take."""
        known, hold, taken = self._exact(positions, owner)
        other, other_taken = self.evaluator.hold_and_take(positions, owner)  # type: ignore[attr-defined]
        return jnp.where(known, hold, other), jnp.where(known, taken, other_taken)

    def _exact(self, positions: Planes, owner: Owners) -> tuple[Array, Array, Array]:
        homes, owner = homes_of(positions), jnp.asarray(owner)
        known = covered(self.table, homes, self.checkers)
        centred, owned, theirs = (
            look_up(jnp.asarray(each), homes, known)
            for each in (self.table.centred, self.table.owned, self.table.theirs)
        )
        return known, jnp.where(owner == 0, centred, jnp.where(owner > 0, owned, theirs)), 2 * theirs
