"""GNU Backgammon as an evaluator and as a player that chooses as the engine does."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float32, Int, Int32, UInt32

from bglab.cube.janowski import piecewise_linear, reduce
from bglab.play.peers.boards import counts_of, gnubg_boards, moved, outcomes_of, planes_of
from bglab.play.peers.engines import Engine, EngineSearch, installed, worker
from bglab.search.expectimax import Best
from bglab.search.filters import Filter, Filters
from bglab.search.rows import STATIC, Rows, for_rows, in_chunks, starts_of

PACKAGE = "gnubg"
BATCH = {0: 4096, 1: 256}
"""Positions per request, by plies; 16 for more."""
DEEP = 2
_KEPT = {
    0: (),
    1: ((12, 0.24),),
    2: ((12, 0.24), (6, 0.12)),
    3: ((16, 0.32), (8, 0.16), (4, 0.06)),
    4: ((16, 0.32), (12, 0.16), (6, 0.08), (4, 0.06)),
}
OWN_FILTERS = {
    plies: Filters(tuple((k, Filter(*each)) for k, each in enumerate(kept))) for plies, kept in _KEPT.items()
}
"""What the package's search keeps by itself, by plies (`getevalhintfilter`); not the "normal" filters of old."""
TWO_SIDED = (4, 5)
RACE = 8


def ask(function: str, plies: int, arrays: tuple[Any, ...], *arguments: Any) -> np.ndarray:
    """A function of the engine's side for many boards, in requests that are answered within seconds."""
    size = BATCH.get(plies, 16)
    return np.concatenate(
        [
            worker(PACKAGE).ask(function, *(each[k : k + size] for each in arrays), *arguments)
            for k in range(0, len(arrays[0]), size)
        ]
    )


@cache
def efficiencies() -> tuple[float, ...]:
    """The engine's cube efficiencies at 0 and 1 ply: crashed, contact, one-sided bear-off; factor, constant, least and
    most of a race.
    """
    return tuple(worker(PACKAGE).ask("efficiencies"))


@dataclass(frozen=True)
class Gnubg(Engine):
    """GNU Backgammon's cubeless evaluation at so many plies, as the engine counts them: 0 is its static evaluation.

    jacoby: whether its cube decisions are made under the Jacoby rule. prune: whether its search picks replies with the
    small pruning networks, as the engine does by default.
    """

    package = PACKAGE
    plies: int = 0
    jacoby: bool = False
    prune: bool = True
    version: str = field(default_factory=lambda: installed(PACKAGE))

    def __call__(
        self, positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"], cube: Any = None
    ) -> Float32[np.ndarray, "n 6"]:
        return self.at(self.plies, np.asarray(positions))

    def at(self, plies: int, positions: UInt32[np.ndarray, "n 8"]) -> Float32[np.ndarray, "n 6"]:
        """Outcomes for the side on roll at so many plies; games that are over are not for the engine."""
        if not len(positions):
            return np.zeros((0, 6), np.float32)
        counts = counts_of(positions)
        return outcomes_of(ask("evaluate", plies, (gnubg_boards(counts),), plies, self.prune), counts)

    def hold_and_take(
        self, positions: UInt32[np.ndarray, "n 8"], owner: Int32[np.ndarray, "n"]
    ) -> tuple[Float32[np.ndarray, "n"], Float32[np.ndarray, "n"]]:
        """Cubeful equities, per unit of the present cube, of not doubling now and of double and take.

        At 0 plies the engine's formula with its efficiencies and outcomes, unless its two-sided bear-off table knows
        better; from 1 ply on, and under the Jacoby rule, the average of its cubeful scores over the rolls.
        """
        boards = gnubg_boards(counts_of(positions))
        kinds = np.array(worker(PACKAGE).ask("classify", boards))
        searched = (
            np.isin(kinds, TWO_SIDED) if self.plies == 0 and not self.jacoby else np.ones(len(kinds), bool)
        )
        hold, taken = np.zeros(len(kinds), np.float32), np.zeros(len(kinds), np.float32)
        if (~searched).any():
            hold[~searched], taken[~searched] = self._by_formula(
                positions[~searched], owner[~searched], kinds[~searched]
            )
        if searched.any():
            arrays = (boards[searched], owner[searched].tolist())
            equities = ask("cube", DEEP, arrays, self.plies, self.jacoby, self.prune)
            hold[searched], taken[searched] = equities.T
        return hold, taken

    def _by_formula(
        self, positions: np.ndarray, owner: np.ndarray, kinds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        crashed, contact, bear_off, factor, constant, least, most = efficiencies()
        pips = counts_of(positions)[:, 0] @ np.arange(1, 26)
        x = np.where(kinds > RACE, np.where(kinds > RACE + 1, contact, crashed), bear_off)
        x = np.where(kinds == RACE, np.clip(factor * pips + constant, least, most), x).astype(np.float32)
        hold, taken = in_chunks(lambda *of, worker: _cubeful(*of), (self(positions), x, owner), STATIC)
        return hold, taken


@jax.jit
def _cubeful(outcomes: Array, x: Array, owner: Array) -> tuple[Array, Array]:
    """Equities by the engine's formula of holding the cube and of double and take."""
    p, W, L = reduce(outcomes)
    theirs = jnp.full(owner.shape, -1, owner.dtype)
    return piecewise_linear(p, W, L, x, owner), 2 * piecewise_linear(p, W, L, x, theirs)


@dataclass(frozen=True, eq=False)
class GnubgSearch(EngineSearch):
    """GNU Backgammon choosing turns as it does itself: every turn is evaluated at 0 plies, then those that its move
    filters leave at the full number of plies.

    With its own filters the engine is asked for its choice. The package's answer says nothing after a checker borne
    off, so there, and with other filters, our turns are given to its evaluation.
    """

    def best(
        self,
        positions: UInt32[np.ndarray, "n 8"],
        dice: Int[np.ndarray, "n 2"],
        cube: Int32[np.ndarray, "n"] | None = None,
    ) -> Best:
        """The best turns; worth is not a number where the engine chose, since it does not say."""
        positions, dice = np.asarray(positions), np.asarray(dice)
        if self.filters != OWN_FILTERS[self.plies] or not len(positions):
            return super().best(positions, dice)
        gnubg, counts = self._gnubg, counts_of(positions)
        moves = ask("choose", self.plies, (gnubg_boards(counts), dice), self.plies, gnubg.prune)
        cut = moves[:, 0] < 0
        moves[cut] = 0
        after, won = planes_of(moved(counts, moves)), np.zeros(len(moves), np.int32)
        worth = np.full(len(moves), np.nan)
        if cut.any():
            after[cut], worth[cut], won[cut] = super().best(positions[cut], dice[cut])
        return Best(after, worth, won)

    @property
    def _gnubg(self) -> Gnubg:
        assert isinstance(self.evaluator, Gnubg)
        return self.evaluator

    def _node(self, positions: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        return self._gnubg.at(plies, positions).astype(np.float64)

    def _worth_where_best(self, rows: Rows, kept: np.ndarray, owner: np.ndarray | None) -> np.ndarray:
        # What the engine answers to replies is no bound on what it says of a turn.
        return self._row_worth(rows, kept, self.plies, owner)

    def _row_worth(self, rows: Rows, kept: np.ndarray, plies: int, owner: np.ndarray | None) -> np.ndarray:
        """As in any search, but a turn that is left alone is not looked into, as in the engine."""
        group = rows.group[kept]
        alone = for_rows(np.diff(starts_of(group), append=len(group)) == 1, group)
        values = np.zeros(len(kept))
        for some, depth in ((alone, 0), (~alone, plies)):
            if some.any():
                values[some] = super()._row_worth(rows, kept[some], depth, owner)
        return values
