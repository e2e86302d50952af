"""Open Sage as an evaluator and as a player that chooses as the engine does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from jax import Array
from jaxtyping import Float, Float32, Int, Int32, UInt32

from bglab.errors import EngineError, InputError
from bglab.play.peers.boards import counts_of, outcomes_of, sage_boards, sage_flipped
from bglab.play.peers.engines import Engine, EngineSearch, installed, worker
from bglab.rules.parallel import threads
from bglab.search.expectimax import Best
from bglab.search.rows import Rows, as_bytes, best_rows, seen, starts_of, worth_on_host

PACKAGE = "bgsage"
STATIC = "1ply"
LEVELS = (STATIC, "2ply", "3ply", "4ply", "truncated1", "truncated2", "truncated3", "rollout")
BATCH = {STATIC: 4096, "2ply": 256, "3ply": 16}
"""Positions per request; 1 for the other levels."""


def ask(function: str, level: str, arrays: tuple[Any, ...], *arguments: Any) -> np.ndarray:
    """A function of the engine's side for many positions, in requests that are answered within seconds."""
    size, n = BATCH.get(level, 1), len(arrays[0])
    return np.concatenate(
        [
            worker(PACKAGE).ask(
                function, *(each[k : k + size] for each in arrays), level, *arguments, threads()
            )
            for k in range(0, n, size)
        ]
    )


@dataclass(frozen=True)
class Sage(Engine):
    """Open Sage's cubeless evaluation at one of its levels, by its own words: `1ply` is its static evaluation.

    jacoby, beavers: whether its cube decisions are made under these rules.
    """

    package = PACKAGE
    level: str = STATIC
    jacoby: bool = False
    beavers: bool = False
    version: str = field(default_factory=lambda: installed(PACKAGE))

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise InputError(f"Open Sage has no level {self.level!r}: choose one of {', '.join(LEVELS)}.")

    def __call__(
        self, positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"], cube: Any = None
    ) -> Float32[np.ndarray, "n 6"]:
        """Outcomes for the side on roll, of positions that came from nowhere: the engine is told of no move to them."""
        theirs = sage_flipped(sage_boards(counts_of(np.asarray(positions))))
        return self.moved(np.asarray(positions), theirs)

    def moved(self, positions: UInt32[np.ndarray, "n 8"], before: np.ndarray) -> Float32[np.ndarray, "n 6"]:
        """Outcomes for the side on roll, whose opponent has just moved from the board `before` as it saw it."""
        if not len(positions):
            return np.zeros((0, 6), np.float32)
        counts = counts_of(positions)
        after = sage_flipped(sage_boards(counts))
        win, gammon, backgammon, lose_gammon, lose_backgammon = ask("evaluate", self.level, (after, before)).T
        five = np.stack([1 - win, lose_gammon, lose_backgammon, gammon, backgammon], 1)
        return outcomes_of(five, counts)

    def hold_and_take(
        self, positions: UInt32[np.ndarray, "n 8"], owner: Int32[np.ndarray, "n"]
    ) -> tuple[Float32[np.ndarray, "n"], Float32[np.ndarray, "n"]]:
        """The engine's cubeful equities, per unit of the present cube, of not doubling now and of double and take."""
        arrays = (sage_boards(counts_of(positions)), owner.tolist())
        equities = ask("cube", self.level, arrays, self.jacoby, self.beavers).astype(np.float32)
        return equities[:, 0], equities[:, 1]


class SageRolled(NamedTuple):
    """Open Sage's own rollout of n positions, seen by the side on roll: cubeless equity and its standard error, in
    points, float64[n], and the seconds it took.
    """

    equity: Float[np.ndarray, "n"]
    error: Float[np.ndarray, "n"]
    seconds: float


def sage_rollout(
    positions: UInt32[np.ndarray, "n 8"], trials: int, truncate: int | None = None, seed: int = 0
) -> SageRolled:
    """Open Sage's rollout with cubeless choices at its 1ply, luck taken out; truncate after so many plies, or never."""
    boards = sage_flipped(sage_boards(counts_of(positions)))
    found, seconds = worker(PACKAGE).ask("roll_out", boards, trials, truncate or 0, seed, threads())
    return SageRolled(-found[:, 0], found[:, 1], seconds)


@dataclass(frozen=True, eq=False)
class SageSearch(EngineSearch):
    """Open Sage choosing turns: at 1ply the best of its evaluations after every turn, told what was moved from; at the
    other levels its own choice, with its filters, found among our turns by the board.
    """

    @property
    def sage(self) -> Sage:
        assert isinstance(self.evaluator, Sage)
        return self.evaluator

    def best(
        self,
        positions: UInt32[np.ndarray, "n 8"],
        dice: Int[np.ndarray, "n 2"],
        cube: Int32[np.ndarray, "n"] | None = None,
    ) -> Best:
        positions, dice = np.asarray(positions), np.asarray(dice)
        rows = self._turns(positions, dice)
        if self.sage.level == STATIC:
            values = worth_on_host(self._values(rows.theirs, rows.won, positions[rows.group]))
        else:
            values = self._chosen(rows.after, rows.won, rows.group, positions, dice)
        row = best_rows(values, rows.group)
        return Best(rows.after[row], values[row], rows.won[row])

    def values_of_turns(
        self, before: UInt32[np.ndarray, "8"], after: UInt32[np.ndarray, "n 8"]
    ) -> Float[np.ndarray, "n 6"]:
        """Outcomes for the player who moves of turns from one position, exact where the game is over."""
        _, first, back = np.unique(as_bytes(after), return_index=True, return_inverse=True)
        after = after[first]
        won, theirs = seen(after, self.checkers)
        return self._values(theirs, won, np.broadcast_to(before, after.shape))[back]

    def _node(self, positions: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        return self.sage(positions).astype(np.float64)

    def _static_rows(self, rows: Rows, before: np.ndarray, owner: np.ndarray | None) -> np.ndarray:
        return self._values(rows.theirs, rows.won, before)

    def _values(self, theirs: np.ndarray, won: np.ndarray, before: np.ndarray) -> np.ndarray:
        values, going = self._final[won], won == 0
        boards = sage_boards(counts_of(before[going]))
        values[going] = np.roll(self.sage.moved(theirs[going], boards), 3, 1)
        return values

    def _chosen(
        self, after: np.ndarray, won: np.ndarray, group: np.ndarray, positions: np.ndarray, dice: np.ndarray
    ) -> np.ndarray:
        """1 for the engine's turn of each position, 0 for the rest; where a turn wins or is forced it is not asked."""
        values = (won > 0).astype(np.float64)
        starts = starts_of(group)
        asked = (np.diff(starts, append=len(group)) > 1) & (np.maximum.reduceat(won, starts) == 0)
        if asked.any():
            mine = sage_boards(counts_of(positions[asked]))
            boards = ask("choose", self.sage.level, (mine, dice[asked]))
            number = np.cumsum(asked) - 1
            rows = np.flatnonzero(asked[group])
            here = sage_boards(counts_of(after[rows])) == boards[number[group[rows]]]
            values[rows] = here.all(1)
            if values[rows].sum() != asked.sum():
                raise EngineError(
                    "Open Sage chose a turn that is not legal: report the position to its author."
                )
        return values
