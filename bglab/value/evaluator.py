"""What every brain is: a function from positions to what they are worth.

An evaluator maps positions uint32[n, 8] to what they are worth to the side on roll, before the roll: the outcomes
float32[n, 6], or a single worth float32[n] in a currency of its own, such as the score of the parameter AI or a
cubeful equity. Networks, searches, tables and outside engines all take this one shape, so they are interchangeable.
That one method is enough; an evaluator may also have

- `prepared()`: the same evaluator, having done once what would otherwise be done in every call;
- `final(won)`: its worth of winning int32[n] points now (default: the points; 0 stands for a game that goes on);
- `nudge(before, after)`: float32[n] added when a turn is chosen, and only then (default: nothing);
- `cube_action(positions, owner, live)`: (whether the side on roll doubles, whether the other side takes), bool[n] each;
  see `bglab.cube.action`;
- `currency`: the name of its worth (default: equity, in points); `cubeful = True` if that is a cubeful equity, for
  which `cube` is the owner of the cube, int32[n], 1 the side on roll, 0 nobody, −1 the other side;
- `on_host = True`: it cannot be traced, and is called with NumPy arrays of any length outside `jit`.

An evaluator without `on_host` is a pytree, so that it can be an argument of compiled functions: a frozen dataclass
with `@bglab.pytree()` above it.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Float32, Int32, UInt32

from bglab.value.outcome import equity


@runtime_checkable
class Evaluator(Protocol):
    """`evaluator(positions, cube) -> outcomes or worth`; `cube` is None for cubeless play."""

    def __call__(self, positions: Array, cube: Any = None) -> Array: ...


def prepare(evaluator: Evaluator) -> Evaluator:
    """The same evaluator made ready for many calls, where it knows how (`prepared`)."""
    return evaluator.prepared() if hasattr(evaluator, "prepared") else evaluator


def on_host(evaluator: Evaluator) -> bool:
    """Whether the evaluator is called outside `jit`."""
    return bool(getattr(evaluator, "on_host", False))


def worth(values: Float[Array, "n *six"]) -> Float[Array, "n"]:
    """What an evaluator's answers say in its own currency: the equity of outcomes, or the worth itself."""
    return equity(values) if values.ndim == 2 else values


def final(evaluator: Evaluator, won: Int32[Array, "n"]) -> Float32[Array, "n"]:
    """What winning so many points now is worth to the winner, in the evaluator's currency."""
    return evaluator.final(won) if hasattr(evaluator, "final") else won.astype(jnp.float32)


def nudge(
    evaluator: Evaluator, before: UInt32[Array, "n 8"], after: UInt32[Array, "n 8"]
) -> Float32[Array, "n"]:
    """What is added to the worth of a turn at the root of a search; both positions seen by the player who moves."""
    if hasattr(evaluator, "nudge"):
        return evaluator.nudge(before, after)
    return jnp.zeros(before.shape[0], jnp.float32)
