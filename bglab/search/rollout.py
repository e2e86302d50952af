"""Rollouts: a position played out many times, with dice that are spread evenly and with the luck taken out.

Every trial plays the same turns that a search would, so a rollout is once more a map from an evaluator to an evaluator.
Trial t has the same dice in every position, so plays rolled out against each other differ by less than their errors
say. What was lucky is known: a roll's worth less the mean over the 21 rolls, each played as the evaluator plays it
without looking ahead. Its expectation is 0 whatever turn is then played, so it is subtracted and the estimate stays
unbiased.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Float32, Int, Int32, UInt32
from tqdm.auto import tqdm

from bglab.cube.janowski import right_to_double
from bglab.errors import InputError
from bglab.rules.dice import seeded
from bglab.rules.parallel import on_executor
from bglab.search.expectimax import Expectimax, expectimax
from bglab.search.filters import Filters
from bglab.search.trials import FACES, Settings, first_rolls, play_out, spread
from bglab.value.evaluator import Evaluator
from bglab.value.outcome import OUTCOMES, POINTS

BLOCK = FACES * FACES
ROUND = 9 * FACES
"""Trials between two looks at the error, where a rollout stops at one."""
LANES = 2 * BLOCK
"""Trials of all positions that are played side by side."""


class Rolled(NamedTuple):
    """What a rollout found for n positions, seen by the side on roll before its roll.

    values, errors: float64[n, 6], the outcomes, or float64[n], the cubeful equity per unit of the cube, and their
    standard errors. equity, equity_error: float64[n]. trials: int[n]. cut: int[n], trials that were valued after
    `LONGEST` plies.
    """

    values: Float[np.ndarray, "n *six"]
    errors: Float[np.ndarray, "n *six"]
    equity: Float[np.ndarray, "n"]
    equity_error: Float[np.ndarray, "n"]
    trials: Int[np.ndarray, "n"]
    cut: Int[np.ndarray, "n"]

    def table(self) -> pd.DataFrame:
        """One row per position: equity (points), error, trials, and the six outcomes where there are."""
        table = pd.DataFrame({"equity": self.equity, "error": self.equity_error, "trials": self.trials})
        if self.values.ndim == 2:
            for k, name in enumerate(OUTCOMES):
                table[name] = self.values[:, k]
        return table


def rollout(
    evaluator: Evaluator,
    trials: int = BLOCK,
    *,
    plies: int = 0,
    filters: Filters | str = "full",
    truncate: int | None = None,
    error: float | None = None,
    reduce: bool = True,
    seed: int = 0,
    checkers: int = 15,
) -> Rollout:
    """The evaluator rolled out; it answers as an evaluator does, and `estimate` tells the errors too.

    Args: trials of a position, at most; plies that are looked ahead to choose a turn, and filters, as for `expectimax`
    (one that searches already, as an engine from outside does, looks ahead as it is made to);
    truncate, valuing after so many plies instead of playing on; error, the standard error of the equity, in points, at
    which a position is done; reduce, taking the luck out; seed of the dice; checkers of each side at the start.

    The first two rolls of every 36 trials are all 36 pairs of dice once each, and those of every 1,296 all pairs of
    them. Where the evaluator is cubeful, both sides use the cube as its equities say (money play, no Jacoby rule, no
    beavers), and `hold_and_take` rolls out both no double and double, take. One that gives neither outcomes nor
    a cubeful equity, as the parameter AI, only plays: its games are counted, luck included.
    """
    for name, number, least in (("trials", trials, 2), ("truncate", truncate, 1)):
        if number is not None and (type(number) is not int or number < least):
            raise InputError(f"{name} is a whole number of at least {least}, not {number!r}.")
    if error is not None and not (isinstance(error, int | float) and 0 < error < np.inf):
        raise InputError(f"A rollout stops at a standard error above 0 points, not {error!r}.")
    if type(reduce) is not bool:
        raise InputError(f"reduce says whether luck is taken out: give True or False, not {reduce!r}.")
    seeded(seed)
    if not callable(evaluator):
        raise InputError(
            f"A rollout is of an evaluator, not of {evaluator!r}: give an agent's, such as bglab.load().evaluator."
        )
    if isinstance(evaluator, Rollout):
        raise InputError("This evaluator is a rollout already: give it more trials instead.")
    if isinstance(evaluator, Expectimax) and plies == 0:
        search = dataclasses.replace(evaluator, checkers=checkers)
    else:
        searching = expectimax(evaluator, plies, filters, checkers)
        search = (
            searching if isinstance(searching, Expectimax) else Expectimax(evaluator, 0, checkers=checkers)
        )
    return Rollout(Settings(search, truncate, reduce, int(seed)), trials, error)


@dataclass(frozen=True, eq=False)
class Rollout:
    """An evaluator that plays positions out; made by `rollout`."""

    settings: Settings
    trials: int
    error: float | None
    on_host = True

    @property
    def cubeful(self) -> bool:
        return self.settings.search.cubeful

    def __call__(
        self, positions: UInt32[np.ndarray, "n 8"], cube: Any = None
    ) -> Float32[np.ndarray, "n *six"]:
        """Outcomes for the side on roll, or cubeful equity, `cube` being its owner, int32[n], before a double."""
        if not self.cubeful:
            return self.estimate(positions).values.astype(np.float32)
        owner = np.zeros(len(positions), np.int32) if cube is None else np.asarray(cube, np.int32)
        hold, taken = self.hold_and_take(positions, owner)
        return right_to_double(hold, taken, owner)

    def hold_and_take(
        self, positions: UInt32[np.ndarray, "n 8"], owner: Int32[np.ndarray, "n"]
    ) -> tuple[Float32[np.ndarray, "n"], Float32[np.ndarray, "n"]]:
        """Cubeful equities, per unit of the present cube, of not doubling now and of double and take."""
        hold = self.estimate(positions, owner).equity
        taken = 2 * self.estimate(positions, np.full(len(positions), -1, np.int32)).equity
        return hold.astype(np.float32), taken.astype(np.float32)

    def estimate(
        self,
        positions: UInt32[np.ndarray, "n 8"],
        cube: Int32[np.ndarray, "n"] | None = None,
        *,
        executor: Executor | None = None,
        progress: bool = False,
    ) -> Rolled:
        """Roll positions out, the same whatever the executor (an executor of processes or a cluster, or None).

        `cube` is the owner of the cube where the evaluator is cubeful: 1 the side on roll, 0 nobody, −1 the other side.
        The side on roll does not double before its first roll; every later double is looked for.
        """
        positions = _bit_planes(positions)
        n = len(positions)
        owner = np.zeros(n, np.int32) if cube is None else np.asarray(cube, np.int32)
        seed = self.settings.seed
        found: list[list[np.ndarray]] = [[] for _ in range(n)]
        cut = np.zeros(n, np.int64)
        going, done = np.arange(n), 0
        with tqdm(total=n * self.trials, disable=not progress, unit=" trials") as bar:
            while len(going) and done < self.trials:
                until = self.trials if self.error is None else min(done + ROUND, self.trials)
                for rows, values, early in self._played(going, done, until, positions, owner, executor, bar):
                    for row, mine, count in zip(rows, values, early, strict=True):
                        found[row].append(mine)
                        cut[row] += count
                done = until
                if self.error is not None:
                    errors = np.array([_equity_error(np.concatenate(found[row]), seed) for row in going])
                    going = going[errors > self.error]
        return _summary([np.concatenate(each) for each in found], cut, () if self.cubeful else (6,), seed)

    def _played(
        self,
        going: np.ndarray,
        first: int,
        last: int,
        positions: np.ndarray,
        owner: np.ndarray,
        executor: Executor | None,
        bar: tqdm,
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Trials first … last − 1 of the positions that go on, in parts in a fixed order."""
        tasks = list(_tasks(going, first, last))
        calls = [(self.settings, positions[rows], owner[rows], *trials) for rows, *trials in tasks]
        parts: dict[int, tuple[np.ndarray, np.ndarray]] = {}

        def keep(k: int, part: tuple[np.ndarray, np.ndarray]) -> None:
            parts[k] = part
            bar.update(part[0].shape[0] * part[0].shape[1])

        on_executor(executor, play_out, calls, keep)
        return [(rows, *parts[k]) for k, (rows, _, _) in enumerate(tasks)]


def _bit_planes(positions: Any) -> UInt32[np.ndarray, "n 8"]:
    """The positions as an array, if that is what they are."""
    if getattr(positions, "dtype", None) != np.uint32 or positions.shape[1:] != (8,):
        raise InputError(
            "Positions are rolled out as an array of bit planes, uint32[n, 8]: make it of a list of positions with "
            "bglab.rules.planes.pack."
        )
    return np.asarray(positions)


def _summary(found: list[np.ndarray], cut: np.ndarray, shape: tuple[int, ...], seed: int) -> Rolled:
    values = np.array([each.mean(0) for each in found]).reshape(len(found), *shape)
    errors = np.array([spread(each, first_rolls(seed, len(each))) for each in found]).reshape(values.shape)
    equity = values @ POINTS.astype(np.float64) if values.ndim == 2 else values
    equity_error = np.array([_equity_error(each, seed) for each in found])
    trials = np.array([len(each) for each in found], np.int64)
    return Rolled(values, errors, equity, equity_error, trials, cut)


def _tasks(going: np.ndarray, first: int, last: int) -> Iterator[tuple[np.ndarray, int, int]]:
    """Positions and trials that are played side by side."""
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        some = max(1, LANES // (end - begin))
        for k in range(0, len(going), some):
            yield going[k : k + some], begin, end


def _equity_error(values: np.ndarray, seed: int) -> float:
    equities = values @ POINTS.astype(np.float64) if values.ndim == 2 else values
    return float(spread(equities, first_rolls(seed, len(values))))
