"""The engines there are: where their packages are, and the worker that runs each in this process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar

import numpy as np
from jax import Array
from jaxtyping import Bool, Int32, UInt32

from bglab.cube.janowski import decide
from bglab.errors import InputError
from bglab.play.peers.boards import FINAL, FULL_SET
from bglab.play.peers.worker import Worker
from bglab.search.expectimax import Expectimax
from bglab.value.outcome import POINTS

ENGINES = {"gnubg": "GNU Backgammon", "bgsage": "Open Sage"}
"""The engines by the name of their package."""


def installed(package: str) -> str:
    """The version of an engine's package; `InputError` says how to install it."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise InputError(
            f"{ENGINES[package]} is not installed: pip install 'bglab[peers]' brings it."
        ) from None


class Engine:
    """What the evaluators of all engines share; each gives outcomes when called, and `hold_and_take`.

    package: the engine's, as in `ENGINES`.
    """

    package: ClassVar[str]
    on_host = True

    def cube_action(
        self,
        positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"],
        owner: Int32[Array, "n"] | Int32[np.ndarray, "n"],
        live: Bool[Array, "n"] | Bool[np.ndarray, "n"],
    ) -> tuple[Bool[np.ndarray, "n"], Bool[np.ndarray, "n"]]:
        """Double and take of money play; where a taken cube would be dead, by cubeless equity."""
        positions, owner, live = np.asarray(positions), np.asarray(owner), np.asarray(live)
        if not len(positions):
            return np.zeros(0, bool), np.zeros(0, bool)
        hold, taken = self.hold_and_take(positions, owner)  # type: ignore[attr-defined]
        if not live.all():
            dead = self(positions) @ POINTS  # type: ignore[operator]
            hold, taken = np.where(live, hold, dead), np.where(live, taken, 2 * dead)
        double, take = decide(hold, taken)
        return double & (owner >= 0), take


@dataclass(frozen=True, eq=False)
class EngineSearch(Expectimax):
    """Our search over an engine's evaluation, which is asked about every position by itself.

    Raises `InputError` for another number of checkers than 15: to the engine the others would be borne off.
    """

    def __post_init__(self) -> None:
        if self.checkers != FULL_SET:
            assert isinstance(self.evaluator, Engine)
            raise InputError(
                f"{ENGINES[self.evaluator.package]} plays with {FULL_SET} checkers a side, not {self.checkers}: start "
                "elsewhere."
            )

    @property
    def _final(self) -> np.ndarray:
        return FINAL


@cache
def worker(package: str) -> Worker:
    """The engine's process; it starts when it is first asked something."""
    installed(package)
    return Worker(ENGINES[package], Path(__file__).with_name(f"{package}_side.py"))
