"""How much room to give the generator, and what to do when it was not enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import jax
import numpy as np

from bglab.rules.turns import Capacity

Result = TypeVar("Result")

# Rows per position: sensible play needs about 8.6 turns for a non-double and 23 for a double, all 21 rolls about 270.
PER_ROLL = (12.0, (0.6, 1.7, 4.0, 8.0))
PER_POSITION = (15 * 11.0, (6 * 3.2, 6 * 8.0, 6 * 17.0, 6 * 32.0))
SPARE = 256
STEP = 1.5
ROUNDING = 0.05
TOP = 14
"""Rungs: 1.5**14 is 292 times the usual need, and over 30,000 rows even for a single position; the most turns ever
seen for one roll of one position are 1,456."""


UNTRAINED = 3
"""The rung on which play that has not learned anything fits; trained play fits on rung 0 or 1."""
PATIENCE = 80.0
"""Seconds of calls that must have fitted two rungs lower before the ladder comes down: another rung is 8 s of
compiling, and two rungs too many cost a tenth of a call."""


def batch_size(n: int) -> int:
    """Rows in a batch of at least n: few sizes, so that few are compiled."""
    return max(32, 1 << (n - 1).bit_length())


class Ladder:
    """Remembers how many rows recent calls needed and gives the next call a little more.

    `all_rolls` sizes it for `all_turns`, else for `rolled_turns`; `rung` is where it begins. A call that runs out of
    room is made again on a higher rung with the same arguments; nothing is dropped, and the result does not depend on
    the rung. Since every rung is compiled anew, it comes down only after `PATIENCE` seconds of calls without a break
    that would have fitted two lower.
    """

    def __init__(self, positions: int, all_rolls: bool = False, rung: int = 0) -> None:
        non_doubles, doubles = PER_POSITION if all_rolls else PER_ROLL
        self._usual = np.array([non_doubles, *doubles]) * positions + SPARE
        self.rung = rung
        # Seconds of calls with too much room, and the rung that was enough for all of them.
        self._roomy, self._enough = 0.0, 0

    def capacity(self, rung: int) -> Capacity:
        """Rows on a rung."""
        non_doubles, *doubles = (int(-(-rows // 64)) * 64 for rows in self._usual * STEP**rung)
        return Capacity(non_doubles, (doubles[0], doubles[1], doubles[2], doubles[3]))

    def run(self, call: Callable[[Capacity], tuple[*tuple[Result, ...], np.ndarray]]) -> tuple[Result, ...]:
        """The results of `call(capacity)`, whose last one says how many rows each stage needed, made with room.

        Raises `RuntimeError` at the top of the ladder.
        """
        rung = self.rung
        while True:
            room, began = self.capacity(rung), perf_counter()
            *results, needed = call(room)
            rows = np.asarray(jax.device_get(needed))
            share = float((rows / np.array([room.non_doubles, *room.doubles])).max())
            if share <= 1:
                self.rung = self._next(rung, share, perf_counter() - began)
                return tuple(results)
            if rung == TOP:
                raise RuntimeError(
                    f"The turn generator needs {rows.tolist()} rows, more than the {room} at the top "
                    "of the ladder: call it with fewer positions at a time."
                )
            # At once to where there is room, since every rung between would be compiled for nothing; rooms are rounded,
            # so a rung's share is not a whole power of the step.
            rung = min(rung + max(1, math.ceil(math.log(share) / math.log(STEP) - ROUNDING)), TOP)

    def _next(self, rung: int, share: float, seconds: float) -> int:
        """The rung after a call that took `share` of its room."""
        # Keep a tenth of slack, so that chance does not send every other call up and down the ladder.
        fitting = max(rung + math.ceil(math.log(max(share * 1.1, 1e-9)) / math.log(STEP)), 0)
        if fitting > rung - 2:
            self._roomy, self._enough = 0.0, 0
            return rung
        self._roomy, self._enough = self._roomy + seconds, max(self._enough, fitting)
        if self._roomy < PATIENCE:
            return rung
        lower = self._enough
        self._roomy, self._enough = 0.0, 0
        return lower
