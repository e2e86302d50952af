"""Match equity tables: the chance of winning a match at every score, and what the cube's points are worth there.

MWC, match-winning chance, is the side on roll's. Scores are away-scores: the points a side still needs. Numbers, or
arrays of one shape, NumPy's (float64) or JAX's (float32, under `jit` too); a table must be as long as the scores asked
about, which is checked outside `jit`.

In a match to n the first game after a side comes within 1 point of winning is the Crawford game, in which nobody
doubles; later ones are post-Crawford games, where the trailing side's chances are better by its right to double.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import Array
from jax.tree_util import register_pytree_node
from jaxtyping import Float32, Float64

from bglab.errors import InputError
from bglab.value.outcome import POINTS, namespace
from bglab.value.pytree import pytree

ROUNDING = 0.0101
"""What two chances in a table may lack of 1: old tables are rounded to two decimals."""


HIGHEST_CUBE = 2**16
SLACK = 1e-4
"""How far beyond 0 and 1 a chance may lie by rounding."""


class _Score(NamedTuple):
    mine: Any
    theirs: Any
    cube: Any = 1
    crawford: Any = False


class MatchScore(_Score):
    """Where a match stands during a game, seen from the side on roll: numbers, or int32[n] and bool[n].

    mine, theirs: points still needed, at least 1. cube: its present value, a power of two. crawford: whether this is
    the Crawford game, which is played where one side needs 1 point and the other more; where a side needs 1 point and
    it is not, the game is a post-Crawford game. Raises `InputError` for anything else, unless the values are traced.
    """

    __slots__ = ()

    def __new__(cls, mine: Any, theirs: Any, cube: Any = 1, crawford: Any = False) -> MatchScore:
        made = super().__new__(cls, mine, theirs, cube, crawford)
        if known(*made):
            made._check()
        return made

    def _check(self) -> None:
        for away in (self.mine, self.theirs):
            if not are("iu", away) or not (np.asarray(away) >= 1).all():
                raise InputError(
                    f"At a match score both sides still need a whole number of points from 1 on, not {shown(away)}: "
                    "give away-scores of a match that goes on."
                )
        cube = np.asarray(self.cube) if are("iu", self.cube) else np.zeros(1, int)
        if not ((cube >= 1) & (cube <= HIGHEST_CUBE) & (cube & (cube - 1) == 0)).all():
            raise InputError(f"The cube is a power of two from 1 to {HIGHEST_CUBE}, not {shown(self.cube)}.")
        if not are("b", self.crawford):
            raise InputError(f"crawford is True or False, not {shown(self.crawford)}.")
        try:
            mine, theirs, _, crawford = np.broadcast_arrays(*self)
        except ValueError:
            raise InputError(
                "The parts of a match score differ in shape: give arrays of one shape."
            ) from None
        wrong = crawford & ((mine == 1) == (theirs == 1))
        if wrong.any():
            where = f"{mine[wrong].flat[0]}-away, {theirs[wrong].flat[0]}-away"
            raise InputError(
                f"The Crawford game is played where one side needs 1 point and the other more, not at {where}: leave "
                "crawford away."
            )

    # Neither `_make` nor `_replace` checks: both are for what follows from a score.

    def flip(self) -> MatchScore:
        """The same from the other side."""
        return self._replace(mine=self.theirs, theirs=self.mine)

    def doubled(self) -> MatchScore:
        return self._replace(cube=2 * self.cube)

    def useless(self) -> Any:
        """Whether turning the cube cannot help the side on roll: the Crawford game, or a cube that wins as it is."""
        return _array(self.crawford) | _array(self.cube >= self.mine)


# JAX rebuilds scores with placeholders, which are not to be checked.
register_pytree_node(MatchScore, lambda score: (tuple(score), None), lambda _, parts: MatchScore._make(parts))


@pytree("name", "origin")
@dataclass(frozen=True, eq=False)
class MatchEquity:
    """A match equity table for two equally strong sides.

    pre: float64[n, n], at [i − 1, j − 1] the MWC of a side that needs i points against one that needs j, before a game
    that is not a post-Crawford game. post: float64[n], at [i − 1] the MWC of a side that needs i points against one
    that needs 1, before a post-Crawford game. Raises `InputError` for numbers that are no such table: chances between 0
    and 1, a side's falling with the points it needs, the two sides' summing to 1.
    """

    pre: Float64[np.ndarray, "n n"] | Float32[Array, "n n"]
    post: Float64[np.ndarray, "n"] | Float32[Array, "n"]
    name: str = ""
    origin: str = ""

    def __post_init__(self) -> None:
        pre, post, what = np.asarray(self.pre), np.asarray(self.post), self.name or "This match equity table"
        square = pre.ndim == 2 and pre.size > 0 and pre.shape == (*post.shape, *post.shape)
        arrays = all(isinstance(each, np.ndarray | Array) for each in (self.pre, self.post))
        if not (square and arrays and pre.dtype.kind == post.dtype.kind == "f"):
            raise InputError(
                f"{what} is not of two arrays of chances, n rows of n and n numbers: give these."
            )
        if not (np.isfinite(pre).all() and (pre > 0).all() and (pre < 1).all() and (post > 0).all()):
            raise InputError(f"{what} has entries that are no chances between 0 and 1: correct them.")
        apart = np.abs(pre + pre.T - 1)
        if apart.max() > ROUNDING or abs(post[0] - 0.5) > ROUNDING:
            i, j = (int(k) + 1 for k in np.unravel_index(apart.argmax(), apart.shape))
            raise InputError(
                f"{what} gives the two sides at {i}-away, {j}-away chances that do not sum to 1: give a table for "
                "equally strong sides."
            )
        falls = (np.diff(pre, axis=0) <= 0).all() and (np.diff(post) <= 0).all()
        if not falls or (pre[:-1, 1:] <= pre[1:, :-1]).any():
            raise InputError(
                f"{what} has a side whose chances do not fall with the points it needs: correct its rows."
            )

    @property
    def length(self) -> int:
        """The longest match the table knows, in points."""
        return int(self.post.shape[0])

    def mwc(self, mine: Any, theirs: Any, crawford: Any = False) -> Any:
        """MWC before a game of a side that needs `mine` points; one that needs none, or fewer, has won.

        `crawford` says whether, where a side needs 1 point, the game about to begin is the Crawford game. Raises
        `InputError` for points that are not whole, more than the table knows, or needed by neither side.
        """
        self._check(mine, theirs)
        if known(mine, theirs) and np.any((np.asarray(mine) <= 0) & (np.asarray(theirs) <= 0)):
            raise InputError("Only one side can have won a match: give one of them a point that it needs.")
        if not are("b", crawford):
            raise InputError(f"crawford is True or False, not {shown(crawford)}.")
        return self._look_up(mine, theirs, ~_array(crawford))

    def after(self, score: MatchScore, points: Any) -> Any:
        """MWC of the side on roll when it has won so many points, the cube included; negative ones are lost."""
        self._check(score.mine, score.theirs)
        if not are("iu", points):
            raise InputError(f"A game is won or lost by a whole number of points, not {shown(points)}.")
        xp = namespace(self.pre, score, points)
        post = _array(score.crawford) | _array(score.mine == 1) | _array(score.theirs == 1)
        mine = score.mine - xp.maximum(points, 0)
        return self._look_up(mine, score.theirs + xp.minimum(points, 0), post)

    def ends(self, score: MatchScore, cubes: int = 1) -> Any:
        """MWC of the side on roll after each of the six outcomes, with the present cube and twice, 4 times … it.

        The shape is that of the score with [cubes, 6] behind.
        """
        xp = namespace(self.pre, score)
        mine, theirs, cube, crawford = xp.broadcast_arrays(*(xp.asarray(each) for each in score))
        shape = (*mine.shape, 6 * cubes)
        factors = np.outer(2 ** np.arange(cubes), POINTS).astype(np.int32).reshape(*[1] * mine.ndim, -1)
        mine, theirs, cube, crawford = (
            xp.broadcast_to(each[..., None], shape) for each in (mine, theirs, cube, crawford)
        )
        found = self.after(MatchScore._make((mine, theirs, 1, crawford)), cube * factors)
        return found.reshape(*shape[:-1], cubes, 6)

    def expected(self, score: MatchScore, outcomes: Any) -> Any:
        """MWC of outcomes[..., 6] if the cube is never turned again."""
        ends = self.ends(score)
        return sum(outcomes[..., k] * ends[..., 0, k] for k in range(6))

    def to_equity(self, mwc: Any, score: MatchScore) -> Any:
        """Normalised equity: MWC on the scale where winning the present cube is 1 and losing it −1.

        GNU Backgammon's definition; gammons may lie beyond ±1, and in a long match it is nearly money equity. Raises
        `InputError` for an MWC beyond 0 and 1.
        """
        _require_chances(mwc)
        win, lose = self.after(score, score.cube), self.after(score, -score.cube)
        return (2 * mwc - (win + lose)) / (win - lose)

    def to_mwc(self, equity: Any, score: MatchScore) -> Any:
        """The MWC of a normalised equity: the inverse of `to_equity`. Raises `InputError` for one that leads beyond 0
        and 1.
        """
        win, lose = self.after(score, score.cube), self.after(score, -score.cube)
        if not are("iuf", equity):
            raise InputError(f"A normalised equity is a number, not {shown(equity)}.")
        mwc = (equity * (win - lose) + (win + lose)) / 2
        _require_chances(mwc)
        return mwc

    def points(self, score: MatchScore) -> Any:
        """What each of the six outcomes is worth with the present cube, as normalised equity: in the place of `POINTS`.

        The shape is that of the score with [6] behind.
        """
        beside = MatchScore._make(_array(each)[..., None] for each in score)
        return self.to_equity(self.ends(score)[..., 0, :], beside)

    def gammon_value(self, score: MatchScore, backgammon: bool = False) -> Any:
        """What turning a win into a gammon adds, per MWC between winning and losing the cube: 1/2 in money play.

        With `backgammon`, a gammon into a backgammon. The other side's is that of `score.flip()`. GNU Backgammon's
        gammon price is twice this.
        """
        win, lose = self.after(score, score.cube), self.after(score, -score.cube)
        better = [self.after(score, k * score.cube) for k in (1, 2, 3)]
        return (better[1 + backgammon] - better[int(backgammon)]) / (win - lose)

    def _look_up(self, mine: Any, theirs: Any, post: Any) -> Any:
        xp = namespace(self.pre, mine, theirs, post)
        before, after = xp.asarray(self.pre), xp.asarray(self.post)
        i, j = (xp.minimum(xp.maximum(each - 1, 0), self.length - 1) for each in (mine, theirs))
        trailing = xp.where(j == 0, after[i], 1 - after[j])
        found = xp.where(post & ((i == 0) | (j == 0)), trailing, before[i, j])
        return xp.where(mine <= 0, 1.0, xp.where(theirs <= 0, 0.0, found))[()]

    def _check(self, *away: Any) -> None:
        for each in away:
            if not are("iu", each):
                raise InputError(f"A side needs a whole number of points, not {shown(each)}.")
            if known(each) and np.size(each) and np.max(each) > self.length:
                raise InputError(
                    f"{self.name or 'This match equity table'} goes to {self.length} points and not to "
                    f"{int(np.max(each))}-away: give a longer table."
                )


def _array(value: Any) -> Any:
    return value if isinstance(value, Array) else np.asarray(value)


def known(*values: Any) -> bool:
    """Whether these are values and not what `jit` traces."""
    return not any(isinstance(each, jax.core.Tracer) for each in values)


def are(kinds: str, value: Any) -> bool:
    """Whether this is a number or an array of one of NumPy's kinds, as far as that is known."""
    if not known(value):
        return True
    return (
        isinstance(value, int | float | np.generic | np.ndarray | Array) and _array(value).dtype.kind in kinds
    )


def shown(value: Any) -> str:
    """A value within a sentence: the beginning of a long array."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:60]}…"


def chances(value: Any) -> bool:
    """Whether these are numbers between 0 and 1, but for rounding, as far as that is known."""
    return are("iuf", value) and (
        not known(value) or bool((abs(np.asarray(value) - 0.5) <= 0.5 + SLACK).all())
    )


def _require_chances(mwc: Any) -> None:
    if not chances(mwc):
        raise InputError(f"A match-winning chance lies between 0 and 1, not at {shown(mwc)}: correct it.")
