"""Agents: a name and an evaluator, playing positions one at a time for people and by the thousand for duels."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
from jax import Array
from jaxtyping import Bool, Float, Float64, Int, Int32, UInt32

from bglab.cube.action import cube_action
from bglab.cube.match_cube import require_owner
from bglab.cube.match_equity import MatchEquity, MatchScore
from bglab.errors import InputError
from bglab.rules.capacity import UNTRAINED, Ladder, batch_size
from bglab.rules.planes import pack, unpack
from bglab.rules.position import Position
from bglab.rules.ragged import on_cpu
from bglab.rules.reference import Turn, legal_turns
from bglab.rules.turns import Capacity, rolled_turns
from bglab.search.expectimax import Expectimax
from bglab.search.greedy import Choice, after_values, best_of
from bglab.search.rows import filled, worth_on_host
from bglab.value.evaluator import Evaluator, nudge, on_host, prepare
from bglab.value.outcome import OUTCOMES, POINTS

# Apart, so that another evaluator does not compile the generator anew.
_turns = jax.jit(rolled_turns, static_argnames=("capacity",))
_best = jax.jit(best_of, static_argnames=("checkers",))
_after = jax.jit(after_values, static_argnames=("checkers",))
_nudge = jax.jit(nudge)
_cube = jax.jit(cube_action)

FEW = 512
"""Positions that are few to the generator."""


@jax.jit
def _before(evaluator: Evaluator, positions: Array) -> Array:
    return evaluator(positions)


class Agent:
    """A player: it takes the turn that its evaluator thinks worth most.

    Without looking ahead (0-ply), unless the evaluator itself does, as `bglab.search.expectimax` makes it do. About the
    cube it decides by money theory at every score, or with a match equity `table` by that (see `cube_action`).
    """

    def __init__(self, name: str, evaluator: Evaluator, table: MatchEquity | None = None) -> None:
        if not callable(evaluator):
            raise InputError(
                f"An agent's evaluator is called with positions, as a network is, not {evaluator!r}."
            )
        if not all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(evaluator) if isinstance(leaf, Array)):
            raise InputError(
                f"The evaluator of {name!r} has weights that are not finite: train or load it again."
            )
        self.name = name
        self.evaluator = evaluator
        self.table = table
        self._ladders: dict[int, Ladder] = {}
        self._searches: dict[int, Expectimax] = {}

    def __repr__(self) -> str:
        return f"Agent({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        """What a copy, here or in another process, begins with: not what was prepared and learnt about sizes here."""
        kept = {name: value for name, value in vars(self).items() if name != "_prepared"}
        return kept | {"_ladders": {}, "_searches": {}}

    @cached_property
    def _prepared(self) -> Evaluator:
        return jax.jit(prepare)(self.evaluator)

    @property
    def currency(self) -> str:
        """What the evaluator's numbers are: equity (points), or score for a parameter AI."""
        return str(getattr(self.static, "currency", "equity"))

    @property
    def static(self) -> Evaluator:
        """What a search looks ahead with; else the evaluator itself."""
        return self.evaluator.evaluator if isinstance(self.evaluator, Expectimax) else self.evaluator

    def _search(self, checkers: int) -> Expectimax:
        """What looks for the best turn where the evaluator is called outside `jit`."""
        if checkers not in self._searches:
            search = self.evaluator
            if not isinstance(search, Expectimax):
                search = Expectimax(self.evaluator, 0)
            self._searches[checkers] = dataclasses.replace(search, checkers=checkers)
        return self._searches[checkers]

    def evaluate(self, position: Position, points: Float[np.ndarray, "6"] = POINTS) -> pd.Series:
        """The six outcomes of a position for the side on roll before its roll, and their equity.

        points: what each outcome is worth; in a match that of `bglab.cube.match_equity.MatchEquity.points`. Where
        the evaluator gives no outcomes, its worth alone.
        """
        if position.result is not None:
            raise InputError("This game is over: evaluate a position in which both sides have checkers.")
        batch = pack([position])
        if on_host(self.evaluator):
            values = self._search(position.checkers)(batch)[0]
        else:
            values = np.asarray(_before(self._prepared, jnp.asarray(batch)))[0]
        if values.ndim == 0:
            return pd.Series([float(values)], index=[self.currency], name=self.name, dtype=float)
        return pd.Series(
            [*values, float(values @ points)], index=[*OUTCOMES, "equity"], name=self.name, dtype=float
        )

    def by_roll(
        self, position: Position, points: Float[np.ndarray, "6"] = POINTS
    ) -> tuple[UInt32[np.ndarray, "21 8"], Float64[np.ndarray, "21"]]:
        """Where the evaluator, without looking ahead, goes with each of the 21 rolls (in the order of
        `bglab.rules.turns.ROLLS`), seen by the player who moved, and what that is worth to it, in `currency`.
        points: as in `evaluate`; the turns are chosen as for money.
        """
        if position.result is not None:
            raise InputError("This game is over: ask about a position in which both sides have checkers.")
        afters, values = self._search(position.checkers).by_roll(pack([position]))
        return afters[0], worth_on_host(values[0], points)

    def rank(
        self,
        position: Position,
        dice: Sequence[int],
        turns: Sequence[Turn] | None = None,
        points: Float[np.ndarray, "6"] = POINTS,
    ) -> pd.DataFrame:
        """Every legal turn, or those given, best first.

        Columns: play, equity (points, cubeless; or the evaluator's own currency), loss (given up against the best), the
        six outcomes for the player who moves if the evaluator gives them, and turn. A search's filters do not apply:
        every turn is looked into. points: as in `evaluate`; the replies that a search expects are those of money play.
        Raises `InputError` for dice outside 1 to 6 or a finished game.
        """
        turns = legal_turns(position, dice) if turns is None else turns
        after = pack([turn.after for turn in turns])
        values = self.values_after(after, position.checkers, pack([position])[0])
        worths = worth_on_host(values, points)
        if hasattr(self.static, "nudge"):
            before = np.repeat(pack([position]), len(turns), 0)
            moved = _nudge(self.static, _padded(before), _padded(after))
            worths = worths + np.asarray(moved)[: len(turns)]
        table = pd.DataFrame({"play": [turn.play for turn in turns]})
        table[self.currency], table["loss"] = worths, worths.max() - worths
        if values.ndim == 2:
            for k, name in enumerate(OUTCOMES):
                table[name] = values[:, k]
        table["turn"] = turns
        return table.sort_values(self.currency, ascending=False, kind="stable", ignore_index=True)

    def values_after(
        self,
        after: UInt32[np.ndarray, "n 8"],
        checkers: int = 15,
        before: UInt32[np.ndarray, "8"] | None = None,
    ) -> Float64[np.ndarray, "n *six"]:
        """What afterstates, seen by the player who moved, are worth to it: outcomes, or a worth in `currency`.

        `before` is the position they were all reached from: some engines look at it, and value them otherwise without.
        """
        if on_host(self.evaluator):
            search = self._search(checkers)
            if before is not None and hasattr(search, "values_of_turns"):
                return np.asarray(search.values_of_turns(before, after), np.float64)
            return np.asarray(search.values_after(after), np.float64)
        values = _after(self._prepared, _padded(after), checkers=checkers)
        return np.asarray(values, np.float64)[: len(after)]

    def choose(self, position: Position, dice: Sequence[int]) -> Turn:
        """The turn the agent plays."""
        if not on_host(self.evaluator):
            return self.rank(position, dice)["turn"].iloc[0]
        turns = legal_turns(position, dice)
        after, _ = self.choose_many(pack([position]), np.array([dice], np.int32), position.checkers)
        chosen = unpack(np.asarray(after), position.checkers)[0]
        return next(turn for turn in turns if turn.after == chosen)

    def choose_many(
        self, positions: UInt32[np.ndarray, "n 8"], dice: Int[np.ndarray, "n 2"], checkers: int = 15
    ) -> tuple[UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"], Int[Array, "n"] | Int[np.ndarray, "n"]]:
        """The positions after the agent's turn, seen by the agent, and the points it won (0 while the game goes on)."""
        if on_host(self.evaluator):
            best = self._search(checkers).best(positions, dice)
            return best.after, best.won
        n = positions.shape[0]
        # Few batch sizes, so that few are compiled; empty boards fill up and cost next to nothing.
        size = batch_size(n)
        before = np.concatenate([positions, np.zeros((size - n, 8), np.uint32)])
        rolls = np.concatenate([dice, np.ones((size - n, 2), dice.dtype)]).astype(np.int32)
        # Few positions get room for anybody's play, which costs less than to compile again for more.
        ladder = self._ladders.setdefault(size, Ladder(size, rung=UNTRAINED if size <= FEW else 1))

        def call(capacity: Capacity) -> tuple[Array, Array, Array]:
            turns = _turns(before, rolls, capacity=capacity)
            choice: Choice = _best(self._prepared, before, turns, checkers=checkers)
            return choice.after, choice.won, choice.needed

        after, won = ladder.run(call)
        return (after, won) if n == size else (np.asarray(after)[:n], np.asarray(won)[:n])

    def cube_many(
        self,
        positions: UInt32[np.ndarray, "n 8"],
        owner: Int32[np.ndarray, "n"],
        live: Bool[np.ndarray, "n"],
        score: MatchScore | None = None,
    ) -> tuple[Bool[np.ndarray, "n"], Bool[np.ndarray, "n"]]:
        """Whether the agent doubles where it is on roll, and whether it takes where the side on roll doubles.

        Args: positions with the possible doubler on roll; owner, 0 for a centred cube and 1 for one that the side on
        roll owns; live, whether the other side could redouble to some purpose after a take; score, int32[n] and
        bool[n], seen from the side on roll, which is looked at if the agent has a match equity table. See
        `bglab.cube.action.cube_action`. Rows are asked about block by block, so an answer does not depend on how
        many there are.
        """
        require_owner(owner)
        if self.table is None:
            score = None
        if on_host(self.evaluator):
            double, take = cube_action(self.evaluator, positions, owner, live, score, self.table)
            return np.asarray(double), np.asarray(take)
        n, block = len(positions), 128 if on_cpu() else 4096
        rows = np.arange(-(-n // block) * block) % max(n, 1)
        answers = []
        for part in rows.reshape(-1, block):
            here = None if score is None else MatchScore._make(each[part] for each in score)
            answers.append(_cube(self._prepared, positions[part], owner[part], live[part], here, self.table))
        double, take = (
            np.concatenate([np.zeros(0, bool), *(np.asarray(answer[k]) for answer in answers)])[:n]
            for k in (0, 1)
        )
        return double, take


def ask_cube(
    agent: Agent,
    positions: UInt32[np.ndarray, "n 8"],
    owner: Int32[np.ndarray, "n"],
    live: Bool[np.ndarray, "n"],
    score: MatchScore | None,
) -> tuple[Bool[np.ndarray, "n"], Bool[np.ndarray, "n"]]:
    """`Agent.cube_many`, with the score only where it is looked at: a rule of one's own need not know of it."""
    if agent.table is None or score is None:
        return agent.cube_many(positions, owner, live)
    return agent.cube_many(positions, owner, live, score)


def twin(agent: Agent) -> Agent:
    """The same player once more, for another thread: threads must not share what an agent learns about sizes."""
    return copy.copy(agent)


def _padded(rows: UInt32[np.ndarray, "n 8"]) -> UInt32[Array, "m 8"]:
    """Rows filled up to one of few sizes, so that few are compiled."""
    return jnp.asarray(filled(rows, batch_size(len(rows))))
