"""Home boards by number, both ways, and one die played there against the reference generator."""

from __future__ import annotations

from itertools import product
from math import comb

import jax.numpy as jnp
import numpy as np
import pytest

from bglab.errors import InputError
from bglab.rules import Position, legal_turns
from bglab.rules.planes import columns, pack
from bglab.rules.turns import ROLLS
from bglab.value.homes import counts_of, home_number, homes, moves, number_of, pips
from bglab.value.twosided import Turns
from tests import samples


def test_numbers_and_counts_are_inverse():
    """54,264 homes of up to 15 checkers, 924 of up to 6; fewer checkers come first."""
    assert homes(15) == 54_264
    assert homes(6) == 924
    counts = counts_of(np.arange(homes(15)))
    assert (number_of(counts) == np.arange(homes(15))).all()
    assert counts.min() == 0
    total = counts.sum(1)
    assert (np.diff(total) >= 0).all()
    assert total[-1] == 15
    assert [int((total == k).sum()) for k in range(16)] == [comb(k + 5, 5) for k in range(16)]
    assert len(np.unique(counts, axis=0)) == homes(15)
    assert (pips(4) == counts[: homes(4)] @ np.arange(1, 7)).all()


@pytest.mark.parametrize("checkers", [0, 16, 2.0, True, "6"])
@pytest.mark.usefixtures("unchecked")
def test_other_numbers_of_checkers_are_refused(checkers):
    with pytest.raises(InputError, match="1 to 15"):
        homes(checkers)


def test_traced_numbers_are_the_same():
    """Both sides' homes in positions of every kind: what stands elsewhere makes no difference."""
    positions = samples.realistic(1500, seed=8) + samples.adversarial(1500, seed=9)
    own, opp = columns(jnp.asarray(pack(positions)))
    for side, found in (("me", home_number(own)), ("opp", home_number(opp, opponent=True))):
        counts = np.array([getattr(position, side)[:6] for position in positions])
        assert np.asarray(found).tolist() == number_of(counts).tolist()
        assert len(set(np.asarray(found).tolist())) > 300


def test_complete_turns_are_those_of_the_reference():
    """Every roll of every home of up to 4 checkers; every move leads to a smaller number."""
    turns, counts = Turns(4), counts_of(np.arange(homes(4)))
    for home, (k, roll) in product(range(1, homes(4)), enumerate(ROLLS.tolist())):
        me = {point + 1: int(n) for point, n in enumerate(counts[home]) if n}
        listed = legal_turns(Position.of(me=me, opp={1: 1}), roll)
        expected = {int(number_of(np.array(turn.after.me[:6]))) for turn in listed}
        row = 21 * home + k
        assert turns.after[turns.first[row] : turns.first[row + 1]].tolist() == sorted(expected)
    step = moves(6)
    assert (step[:, 1:] < np.arange(1, homes(6))[None, :, None]).all()
    assert (step[:, 0] == 0).all()
