"""An evaluator that knows the bear-off: exact tables where they reach, and another evaluator elsewhere.

Exact means for cubeless play: the two-sided table plays every turn for the largest equity. The one-sided table, where
it is used, has each side play for its own fewest expected rolls (to bear off all; to bear off the first checker where
a gammon is asked about), whatever the other side does, which is nearly as good.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Float32, Int32, UInt32

from bglab.errors import InputError
from bglab.rules.planes import BAR, HOME, columns, occupied, on_board
from bglab.value.evaluator import Evaluator, on_host, prepare
from bglab.value.homes import home_number
from bglab.value.onesided import OneSided
from bglab.value.pytree import pytree
from bglab.value.twosided import TwoSided

T = TypeVar("T")
Planes = UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"]

_NOT_HOME = np.uint32(HOME) << np.uint32(18)
_NOT_HOME = ~_NOT_HOME & (np.uint32(BAR) | (np.uint32(BAR) - np.uint32(1)))
"""Where an opponent's checker is outside its own home, the mover's points 19 to 24."""


class Homes(NamedTuple):
    """The bear-off part of positions: whether both sides are wholly at home, their homes' numbers and checkers.

    mine and theirs are 0 where `inside` is false; held and left, int32[n], count the checkers on the board.
    """

    inside: Bool[Array, "n"]
    mine: Int32[Array, "n"]
    theirs: Int32[Array, "n"]
    held: Int32[Array, "n"]
    left: Int32[Array, "n"]


def homes_of(positions: Planes) -> Homes:
    """Where both sides are bearing off, and the rows and columns of those positions in the tables."""
    own, opp = columns(jnp.asarray(positions))
    held, left = on_board(own), on_board(opp)
    inside = (occupied(own) <= HOME) & ((occupied(opp) & _NOT_HOME) == 0) & (held > 0) & (left > 0)
    zero = jnp.int32(0)
    return Homes(
        inside,
        jnp.where(inside, home_number(own), zero),
        jnp.where(inside, home_number(opp, opponent=True), zero),
        held,
        left,
    )


def covered(table: TwoSided, homes: Homes, checkers: int) -> Bool[Array, "n"]:
    """Where the two-sided table knows the position: few enough checkers, and one borne off by each side."""
    most = min(table.checkers, checkers - 1)
    return homes.inside & (homes.held <= most) & (homes.left <= most)


def look_up(values: Float[Array, "s s"], homes: Homes, known: Bool[Array, "n"]) -> Float32[Array, "n"]:
    """Entries of a two-sided table; 0 where not `known`."""
    zero = jnp.int32(0)
    found = values[jnp.where(known, homes.mine, zero), jnp.where(known, homes.theirs, zero)]
    return jnp.where(known, found, jnp.float32(0))


def on_device(table: T) -> T:
    """A table with arrays float32 of JAX, converted once and not in every call."""
    return jax.tree.map(lambda array: jnp.asarray(array, jnp.float32), table)


@pytree("checkers")
@dataclass(frozen=True, eq=False)
class BearoffOverride:
    """Outcomes by table where both sides bear off, else by `evaluator`, which must give outcomes.

    Args: table, `two_sided(n)`, exact where each side has at most n checkers left and has borne off one; race,
    `one_sided()`, used for other positions with both sides at home, gammons included; None for neither. checkers, of
    each side at the start, those of the race's table. Bearing off is a race between homes, so there are no backgammons.
    Search with it, as in `expectimax(BearoffOverride(network, two_sided()), 1)`, to have exact leaves.
    """

    evaluator: Evaluator
    table: TwoSided | None = None
    race: OneSided | None = None
    checkers: int = 15

    def __post_init__(self) -> None:
        if self.race is not None and self.race.checkers != self.checkers:
            raise InputError(
                f"This one-sided table is for {self.race.checkers} checkers and the game has {self.checkers}: use "
                f"one_sided({self.checkers})."
            )
        for name in ("table", "race"):
            object.__setattr__(self, name, on_device(getattr(self, name)))

    @property
    def on_host(self) -> bool:
        return on_host(self.evaluator)

    def prepared(self) -> BearoffOverride:
        return dataclasses.replace(self, evaluator=prepare(self.evaluator))

    def __call__(self, positions: Planes, cube: Any = None) -> Float32[Array, "n 6"]:
        values = jnp.asarray(self.evaluator(positions, cube))
        if values.ndim != 2:
            raise InputError(
                f"{type(self.evaluator).__name__} gives no outcomes, and the tables do: wrap a network, or wrap an "
                "evaluator of cubeful equity with bglab.cube.exact.BearoffCubeful."
            )
        homes = homes_of(positions)
        if self.race is not None:
            inside = homes.inside & (homes.held <= self.checkers) & (homes.left <= self.checkers)
            values = jnp.where(inside[:, None], race_outcomes(self.race, homes), values)
        if self.table is not None:
            known = covered(self.table, homes, self.checkers)
            win = (1 + look_up(jnp.asarray(self.table.cubeless), homes, known)) / 2
            none = jnp.zeros_like(win)
            exact = jnp.stack([win, none, none, 1 - win, none, none], -1)
            values = jnp.where(known[:, None], exact, values)
        return values


def race_outcomes(race: OneSided, homes: Homes) -> Float32[Array, "n 6"]:
    """Outcomes of two sides that roll independently: the side on roll wins if it needs no more rolls than the other.

    A gammon is won by finishing in k rolls before the other, which has had k − 1, has a checker off, and lost if the
    other finishes in k when one has none off after k. A side that has borne a checker off loses no gammon, exactly.
    """
    rolls, first = (jnp.asarray(each, jnp.float32) for each in (race.rolls, race.first))
    before = rolls.shape[0] - first.shape[0]

    def of(number: Array, held: Array) -> tuple[Array, Array, Array]:
        """Chance of needing k rolls, of at least k, and of at least k for the first checker."""
        whole = (held == race.checkers)[:, None]
        one = jnp.where(whole, first[jnp.maximum(number - before, 0)], jnp.float32(0))
        exactly = rolls[number]
        return exactly, _at_least(exactly), _at_least(one)

    mine, _, my_first = of(homes.mine, homes.held)
    theirs, theirs_from, their_first = of(homes.theirs, homes.left)
    win = jnp.minimum((mine * theirs_from).sum(-1), jnp.float32(1))
    gammon = jnp.minimum((mine * their_first).sum(-1), win)
    lose_gammon = jnp.minimum((theirs[:, :-1] * my_first[:, 1:]).sum(-1), 1 - win)
    none = jnp.zeros_like(win)
    return jnp.stack([win - gammon, gammon, none, 1 - win - lose_gammon, lose_gammon, none], -1)


def _at_least(chances: Float32[Array, "n 32"]) -> Float32[Array, "n 32"]:
    return jnp.cumsum(chances[:, ::-1], -1)[:, ::-1]
