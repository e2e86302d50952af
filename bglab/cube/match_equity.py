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
from jaxtyping import Float32, Float64

from bglab.errors import InputError
from bglab.value.outcome import POINTS, namespace
from bglab.value.pytree import pytree

ROUNDING = 0.0101
"""What two chances in a table may lack of 1: old tables are rounded to two decimals."""


class MatchScore(NamedTuple):
    """Where a match stands during a game, seen from the side on roll: numbers, or int32[n] and bool[n].

    mine, theirs: points still needed, at least 1. cube: its present value. crawford: whether this is the Crawford
    game; where a side needs 1 point and it is not, the game is a post-Crawford game.
    """

    mine: Any
    theirs: Any
    cube: Any = 1
    crawford: Any = False

    def flip(self) -> MatchScore:
        """The same from the other side."""
        return MatchScore(self.theirs, self.mine, self.cube, self.crawford)

    def doubled(self) -> MatchScore:
        return self._replace(cube=2 * self.cube)

    def useless(self) -> Any:
        """Whether turning the cube cannot help the side on roll: the Crawford game, or a cube that wins as it is."""
        return _array(self.crawford) | _array(self.cube >= self.mine)


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

        `crawford` says whether, where a side needs 1 point, the game about to begin is the Crawford game.
        """
        self._check(mine, theirs)
        return self._look_up(mine, theirs, ~_array(crawford))

    def after(self, score: MatchScore, points: Any) -> Any:
        """MWC of the side on roll when it has won so many points, the cube included; negative ones are lost."""
        self._check(score.mine, score.theirs)
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
        found = self.after(MatchScore(mine, theirs, 1, crawford), cube * factors)
        return found.reshape(*shape[:-1], cubes, 6)

    def expected(self, score: MatchScore, outcomes: Any) -> Any:
        """MWC of outcomes[..., 6] if the cube is never turned again."""
        ends = self.ends(score)
        return sum(outcomes[..., k] * ends[..., 0, k] for k in range(6))

    def to_equity(self, mwc: Any, score: MatchScore) -> Any:
        """Normalised equity: MWC on the scale where winning the present cube is 1 and losing it −1.

        GNU Backgammon's definition; gammons may lie beyond ±1, and in a long match it is nearly money equity.
        """
        win, lose = self.after(score, score.cube), self.after(score, -score.cube)
        return (2 * mwc - (win + lose)) / (win - lose)

    def to_mwc(self, equity: Any, score: MatchScore) -> Any:
        """The MWC of a normalised equity: the inverse of `to_equity`."""
        win, lose = self.after(score, score.cube), self.after(score, -score.cube)
        return (equity * (win - lose) + (win + lose)) / 2

    def points(self, score: MatchScore) -> Any:
        """What each of the six outcomes is worth with the present cube, as normalised equity: in the place of `POINTS`.

        The shape is that of the score with [6] behind.
        """
        beside = MatchScore(*(_array(each)[..., None] for each in score))
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
            if not isinstance(each, jax.core.Tracer) and np.size(each) and np.max(each) > self.length:
                raise InputError(
                    f"{self.name or 'This match equity table'} goes to {self.length} points and not to "
                    f"{int(np.max(each))}-away: give a longer table."
                )


def _array(value: Any) -> Any:
    return value if isinstance(value, Array) else np.asarray(value)
