"""What every brain is: a function from positions to what they are worth.

An evaluator maps positions uint32[n, 8] and the cube to outcomes float32[n, 6] of the side on roll, before the roll.
Networks, searches, tables and outside engines all take this one shape, so they are interchangeable. An evaluator
that runs under `jit` is a pytree; `prepare` lets it do once what would otherwise be done in every call.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from jax import Array


@runtime_checkable
class Evaluator(Protocol):
    """`evaluator(positions, cube) -> outcomes`; `cube` is None for cubeless play."""

    def __call__(self, positions: Array, cube: Any = None) -> Array: ...


def prepare(evaluator: Evaluator) -> Evaluator:
    """The same evaluator made ready for many calls, where it knows how (`prepared`)."""
    return evaluator.prepared() if hasattr(evaluator, "prepared") else evaluator
