"""An evaluator of outcomes for games in which a gammon is worth no more than a single game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float32, Int32, UInt32

from bglab.value.evaluator import Evaluator, on_host, prepare
from bglab.value.pytree import pytree


@pytree()
@dataclass(frozen=True)
class WinsOnly:
    """Worth is 2p − 1, p the chance of winning that `body`, an evaluator of outcomes, gives: the equity at the last
    point of a match.
    """

    body: Evaluator
    currency = "2p - 1"

    @property
    def on_host(self) -> bool:
        return on_host(self.body)

    def __call__(
        self, positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"], cube: Any = None
    ) -> Float32[Array, "n"] | Float32[np.ndarray, "n"]:
        return 2 * self.body(positions)[:, :3].sum(axis=1) - 1

    def final(self, won: Int32[Array, "n"]) -> Float32[Array, "n"]:
        return jnp.sign(won).astype(jnp.float32)

    def prepared(self) -> WinsOnly:
        return WinsOnly(prepare(self.body))
