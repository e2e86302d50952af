"""Which turns may be the best, and what they are worth, without valuing all replies to the others.

Whatever the other side can reply is at least as good for it as the replies looked at so far, so a few replies to every
roll bound what a turn is worth from above. Turns whose bound falls short of one that has been looked into to the end
are not the best, and most of their replies need not be valued.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bglab.rules.turns import ROLL_WEIGHTS
from bglab.search.rows import Rows, best_rows, other_side, ranks, starts_of, tops, worth_on_host

MOST_TURNS = 256
"""Turns whose replies are held at a time."""
FIRST_REPLIES, MORE_REPLIES = 1, 5
"""Replies to every roll that bound what a turn is worth: of every turn, then of those that may still be the best."""
SISTERS = 2
"""Turns of a group that are looked into to the end before the bounds that their replies give decide about the rest."""
ROUNDING = 1e-9
"""How far a bound may fall below what it bounds in the last places."""
BETWEEN_PROGRAMS = 1e-5
"""The same, where two compiled programs, in single precision, have valued the two."""

Replies = Callable[[np.ndarray], Rows]
Value = Callable[[np.ndarray, np.ndarray, bool], np.ndarray]
ByRoll = Callable[..., tuple[np.ndarray, np.ndarray]]


def worth_of_best(turns: Rows, final: np.ndarray, replies: Replies, value: Value) -> np.ndarray:
    """Worth of the turns that may be the best of their group, float64[n], and −∞ of the others.

    final: what winning 0 to 3 points is worth. replies: all turns of positions with every roll, group 21 · row + roll.
    value(theirs, won, deep): worth or outcomes, to the player who moved, of positions that the other side sees as
    `theirs`: without looking ahead, or as deep as it takes.
    """
    starts = np.append(starts_of(turns.group), len(turns.group))
    pieces, begin = [], 0
    while begin < len(starts) - 1:
        end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + MOST_TURNS, "right")) - 1)
        some = Rows(*(each[starts[begin] : starts[end]] for each in turns))
        pieces.append(_of_block(some, final, replies, value))
        begin = end
    return np.concatenate(pieces)


def _of_block(turns: Rows, final: np.ndarray, all_replies: Replies, value: Value) -> np.ndarray:
    over = turns.won > 0
    exact = np.where(over, worth_on_host(final)[turns.won], -np.inf)
    going = np.flatnonzero(~over)
    if not len(going):
        return exact
    replies = all_replies(turns.theirs[going])
    turn = replies.group // 21
    static = worth_on_host(value(replies.theirs, replies.won, False))
    starts = starts_of(replies.group)
    rank = ranks(static, replies.group)
    found = final[replies.won]
    known = replies.won > 0
    worth = np.where(known, worth_on_host(found), -np.inf)

    def look(chosen: np.ndarray) -> None:
        new = np.flatnonzero(chosen & ~known)
        if len(new):
            found[new] = value(replies.theirs[new], replies.won[new], True)
            worth[new], known[new] = worth_on_host(found[new]), True

    def bounds() -> np.ndarray:
        return -mean_over_rolls(np.maximum.reduceat(worth, starts).reshape(-1, 21))

    look(rank < FIRST_REPLIES)
    most = exact.copy()
    most[going] = bounds()
    looked = np.zeros(len(most), bool)
    looked[best_rows(most, turns.group)] = True
    look(looked[going][turn])
    for count in (MORE_REPLIES, len(rank)):
        most[going] = bounds()
        floor = tops(np.where(looked | over, most, -np.inf), turns.group)
        may = ~looked & (most >= floor - ROUNDING)
        look(may[going][turn] & (rank < count))
    done = (looked | may)[going]
    rows = np.flatnonzero(done[turn])
    best = rows[best_rows(worth[rows], replies.group[rows])]
    values = mean_over_rolls(found[best].reshape(-1, 21, *found.shape[1:]))
    exact[going[done]] = worth_on_host(other_side(values))
    return exact


def worth_by_sisters(
    turns: Rows, final: np.ndarray, static: Callable[[np.ndarray], np.ndarray], by_roll: ByRoll
) -> np.ndarray:
    """`worth_of_best` at 1 ply, where to value a reply is all there is to looking at it.

    The replies that are best against one turn are good against its sisters, the other turns of its group: they bound
    what these are worth. static(theirs): worth to the side on roll without looking ahead. by_roll(theirs, like=…):
    where it goes with every roll and what that is worth to it; with `like`, if it leaves its checkers as nearly as it
    can as they are there.
    """
    over = turns.won > 0
    exact = np.where(over, worth_on_host(final)[turns.won], -np.inf)
    most = np.where(over, exact, np.inf)
    guess = np.where(over, exact, 0.0)
    guess[~over] = -static(turns.theirs[~over])
    known = over.copy()

    def may_be_best() -> np.ndarray:
        return ~known & (most >= tops(np.where(known, exact, -np.inf), turns.group) - BETWEEN_PROGRAMS)

    def mean(found: np.ndarray) -> np.ndarray:
        return worth_on_host(other_side(mean_over_rolls(found)))

    for _ in range(SISTERS):
        may = may_be_best()
        chosen = best_rows(np.where(may, guess, -np.inf), turns.group)
        chosen = chosen[may[chosen]]
        if not len(chosen):
            return exact
        afters, found = by_roll(turns.theirs[chosen])
        exact[chosen], known[chosen] = mean(found), True
        model = np.full(turns.group[-1] + 1, -1)
        model[turns.group[chosen]] = np.arange(len(chosen))
        rest = np.flatnonzero(may & ~known)
        if len(rest):
            _, found = by_roll(turns.theirs[rest], like=afters[model[turns.group[rest]]])
            most[rest] = np.minimum(most[rest], mean(found))
    rest = np.flatnonzero(may_be_best())
    if len(rest):
        exact[rest] = mean(by_roll(turns.theirs[rest])[1])
    return exact


def mean_over_rolls(values: np.ndarray) -> np.ndarray:
    """Of what every roll leads to: float64[n, *six] of float64[n, 21, *six]."""
    return np.einsum("nr...,r->n...", values, ROLL_WEIGHTS.astype(np.float64))
