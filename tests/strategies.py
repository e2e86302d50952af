"""Hypothesis strategies for positions and rolls, shared by the tests of every layer.

`positions()` mixes the kinds below; `positions("bar", "bear-off")` keeps to some. All of them are still in
play: each side has a checker left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import jaxtyping
from hypothesis import strategies as st

from bglab.rules import Position, legal_turns

BAR = 25
HOME = range(1, 7)
EVERYWHERE = range(1, 26)

# Where each side's checkers may stand, for the kinds that scatter them: (mine, theirs) in each side's own numbering.
SCATTERED = {
    "bear-off": (HOME, HOME),
    "bear-off against contact": (HOME, (*range(19, 25), BAR)),
    "bar": ((BAR, BAR, *range(1, 25)), (*HOME, *HOME, *range(7, 25))),
    "both on the bar": ((BAR, *HOME), (BAR, *HOME)),
    "race": (range(1, 13), range(1, 13)),
    "blots": (range(1, 25), range(1, 25)),
    "anything": (EVERYWHERE, EVERYWHERE),
}
KINDS = ("game", *SCATTERED)


def dice() -> st.SearchStrategy[tuple[int, int]]:
    """Rolls of two dice in either order."""
    return st.tuples(st.integers(1, 6), st.integers(1, 6))


@contextmanager
def unchecked() -> Iterator[None]:
    """Type checks off: they draw from `random`, which Hypothesis forbids inside a strategy."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", before)


@st.composite
def positions(draw: st.DrawFn, *kinds: str, checkers: int = 15) -> Position:
    """Positions of the kinds named (of all kinds by default), with both sides still in play."""
    kind = draw(st.sampled_from(kinds or KINDS))
    if kind == "game":
        return draw(played(checkers))
    mine, theirs = SCATTERED[kind]
    me = draw(st.lists(st.sampled_from(mine), min_size=1, max_size=checkers))
    free = [place for place in theirs if place == BAR or 25 - place not in me]
    opp = draw(st.lists(st.sampled_from(free or [BAR]), min_size=1, max_size=checkers))
    with unchecked():
        return Position.of(me=Counter(me), opp=Counter(opp), checkers=checkers)


@st.composite
def played(draw: st.DrawFn, checkers: int = 15) -> Position:
    """Positions reached from the start by a few legal turns."""
    rolls = draw(st.lists(st.tuples(dice(), st.integers(0, 999)), max_size=12))
    with unchecked():
        position = Position.start("standard" if checkers == 15 else "hypergammon")
        for roll, pick in rolls:
            turns = legal_turns(position, roll)
            after = turns[pick % len(turns)].after
            if after.result is not None:
                break
            position = after.flip()
    return position
