"""The cube at a match score: cash points, take points, cubeful match-winning chances and decisions.

GNU Backgammon's model, in match-winning chances (MWC). A position is its outcomes: the chance p of winning and the
shares of gammons among wins and losses. With a perfectly live cube MWC runs in straight lines over p through the points
where the one side or the other doubles and gets a pass; with a dead one it is what the outcomes pay. Cube life x
interpolates.

The cash points come from the last cube upwards. Against a taker who may never turn the cube again to some purpose (the
doubled cube wins his match), the double is right where playing on with a dead cube is worth what the pass is.
Else the taker's own cash point with the doubled cube bends the line. A cube with which the doubler wins the match is
redoubled at once, since that costs nothing more; the formula contains it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bglab.cube.janowski import Decision, bent, decide
from bglab.cube.match_equity import MatchEquity, MatchScore, are, chances, known, shown
from bglab.errors import InputError
from bglab.value.outcome import namespace


def require_owner(owner: Any) -> None:
    """Refuse an owner of the cube that is none; traced ones are not looked at."""
    if not are("iu", owner) or (known(owner) and not np.isin(np.asarray(owner), (-1, 0, 1)).all()):
        raise InputError(
            f"The cube belongs to the side on roll (1), nobody (0) or the other side (-1), not to {shown(owner)}."
        )


class Shares(NamedTuple):
    """Shares of single gammons and of backgammons among the wins of a side, and among its losses; 0 by default."""

    gammon: Any = 0.0
    backgammon: Any = 0.0
    lost_gammon: Any = 0.0
    lost_backgammon: Any = 0.0

    def flip(self) -> Shares:
        return Shares(self.lost_gammon, self.lost_backgammon, self.gammon, self.backgammon)


NONE = Shares()


def shares(outcomes: Any) -> tuple[Any, Shares]:
    """p, the chance of winning, and the shares of gammons, of outcomes[..., 6]; a side that cannot win has none."""
    xp = namespace(outcomes)
    win, lose = outcomes[..., :3].sum(-1), outcomes[..., 3:].sum(-1)
    found = []
    for total, first in ((win, 1), (lose, 4)):
        safe = xp.where(total > 0, total, xp.ones_like(total))
        found += [outcomes[..., first] / safe, outcomes[..., first + 1] / safe]
    return win, Shares(*found)


def _means(ends: Any, rates: Shares) -> tuple[Any, Any]:
    """MWC of a win and of a loss, gammons at their shares, from what the six outcomes lead to."""
    g, b, lost_g, lost_b = rates
    win = (1 - g - b) * ends[..., 0] + g * ends[..., 1] + b * ends[..., 2]
    return win, (1 - lost_g - lost_b) * ends[..., 3] + lost_g * ends[..., 4] + lost_b * ends[..., 5]


def cash_points(
    table: MatchEquity, score: MatchScore, rates: Shares = NONE, live: bool = True
) -> tuple[Any, Any]:
    """Chances of winning from which a double to twice the present cube is passed: the side on roll's and the other's.

    Each is of that side's own winning chance, whoever owns the cube, and 1 where doubling cannot help it. Not `live`:
    the taker never redoubles, except where it costs nothing. Raises `InputError` for shares beyond 0 and 1.
    """
    fair = all(chances(each) for each in rates)
    if not fair or not (chances(rates[0] + rates[1]) and chances(rates[2] + rates[3])):
        raise InputError(
            "Shares of gammons and backgammons lie between 0 and 1, their sum too: correct them."
        )
    return _cash_points(table, score, rates, live)


def _cash_points(table: MatchEquity, score: MatchScore, rates: Shares, live: bool) -> tuple[Any, Any]:
    xp = namespace(table.pre, score, rates)
    levels = table.length.bit_length()
    ends = table.ends(score, levels + 1)
    mine: Any = 1.0
    theirs: Any = 1.0
    for level in reversed(range(levels)):
        at = score._replace(cube=score.cube * 2**level)
        now, twice = ends[..., level, :], ends[..., level + 1, :]
        won, lost = _means(twice, rates)
        mine, theirs = (
            _cash(xp, at, now[..., 0], won, lost, twice[..., 3], theirs, live),
            _cash(xp, at.flip(), 1 - now[..., 3], 1 - lost, 1 - won, 1 - twice[..., 0], mine, live),
        )
    return mine, theirs


def _cash(
    xp: Any, score: MatchScore, passed: Any, won: Any, lost: Any, redoubled: Any, next_cash: Any, live: bool
) -> Any:
    """The cash point of the side on roll, from its MWC if the other side passes, and if it takes and the side wins,
    loses, or passes a redouble, and from the other side's cash point at twice the cube.
    """
    dead = (passed - lost) / (won - lost)
    alive = 1 - next_cash * (won - passed) / (won - redoubled)
    usable = 2 * score.cube < score.theirs
    if not live:
        usable = usable & (2 * score.cube >= score.mine)
    return xp.where(usable, alive, dead)[()]


def take_point(table: MatchEquity, score: MatchScore, rates: Shares = NONE, live: bool = True) -> Any:
    """The least chance of winning with which the side described may take when the other one doubles `score.cube`.

    `score` and `rates` are the taker's. Not `live`: the dead-cube take point.
    """
    return 1 - cash_points(table, score, rates, live)[1]


def cubeful_mwc(table: MatchEquity, score: MatchScore, outcomes: Any, x: Any, owner: Any) -> Any:
    """MWC of the side on roll, which does not double now, of outcomes[..., 6] and cube life x.

    owner: 1 the side on roll, 0 nobody, −1 the other side. In the Crawford game the cube is dead. (GNU Backgammon
    treats the cube as dead at 2-away, 2-away too, where both sides double at once; here x decides.) Raises `InputError`
    for an owner that is none of these, cube life beyond 0 and 1, or outcomes that are no six chances.
    """
    require_owner(owner)
    if not chances(x):
        raise InputError(
            f"Cube life goes from 0, a dead cube, to 1, a live one, and is not {shown(x)}: correct it."
        )
    if np.shape(outcomes)[-1:] != (6,) or not chances(outcomes):
        raise InputError("A position's outcomes are six chances between 0 and 1: give these.")
    xp = namespace(table.pre, score, outcomes, x, owner)
    p, rates = shares(outcomes)
    mine, theirs = _cash_points(table, score, rates, True)
    ends = table.ends(score)[..., 0, :]
    win, lose = _means(ends, rates)
    low, high = xp.where(owner <= 0, 1 - theirs, 0.0), xp.where(owner >= 0, mine, 1.0)
    floor = xp.where(owner <= 0, ends[..., 3], lose)
    top = xp.where(owner >= 0, ends[..., 0], win)
    live = bent(p, low, high, lose, floor, top, win)
    life = xp.where(xp.asarray(score.crawford), 0.0, x)
    dead = sum(outcomes[..., k] * ends[..., k] for k in range(6))
    return (1 - life) * dead + life * live


class Actions(NamedTuple):
    """MWC of the side on roll: without doubling now, doubled and taken, doubled and passed."""

    hold: Any
    taken: Any
    passed: Any


def match_actions(table: MatchEquity, score: MatchScore, outcomes: Any, x: Any, owner: Any) -> Actions:
    """What the cube actions are worth at a match score; arguments as for `cubeful_mwc`."""
    xp = namespace(table.pre, score, outcomes, x, owner)
    theirs = xp.full_like(owner, -1)
    return Actions(
        cubeful_mwc(table, score, outcomes, x, owner),
        cubeful_mwc(table, score.doubled(), outcomes, x, theirs),
        table.after(score, score.cube),
    )


def match_decision(table: MatchEquity, score: MatchScore, outcomes: Any, x: Any, owner: Any) -> Decision:
    """Double and take at a match score; nobody doubles a cube that is the other side's, useless, or in a Crawford game.

    `take` holds whether or not there is a double.
    """
    double, take = decide(*match_actions(table, score, outcomes, x, owner))
    return Decision(double & (owner >= 0) & ~score.useless(), take)
