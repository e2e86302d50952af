"""The two-sided table against exact fractions, published answers and GNU Backgammon's database."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from bglab.errors import InputError
from bglab.rules import Position, legal_turns
from bglab.rules.turns import ROLLS
from bglab.value.homes import counts_of, homes, number_of
from bglab.value.twosided import built, two_sided
from tests.value.gnu import data_file

WEIGHTS = [Fraction(2 if a != b else 1, 36) for a, b in ROLLS.tolist()]


def home(**points: int) -> int:
    return int(number_of(np.array([points.get(f"p{k}", 0) for k in range(1, 7)])))


@cache
def turns(number: int) -> list[set[int]]:
    """Homes that each roll can reach, by the reference generator."""
    counts = counts_of(np.array([number]))[0]
    me = {point + 1: int(n) for point, n in enumerate(counts) if n}
    position = Position.of(me=me, opp={1: 1})
    return [
        {int(number_of(np.array(turn.after.me[:6]))) for turn in legal_turns(position, roll)}
        for roll in ROLLS.tolist()
    ]


@cache
def hold(mine: int, theirs: int, cube: str) -> Fraction:
    """Equity of the side on roll if it does not double; cube is "cubeless", "centred", "owned" or "theirs"."""
    if not theirs:
        return Fraction(-1)
    other = {"owned": "theirs", "theirs": "owned"}.get(cube, cube)
    best = [
        max(Fraction(1) if not after else -worth(theirs, after, other) for after in reached)
        for reached in turns(mine)
    ]
    return sum((weight * value for weight, value in zip(WEIGHTS, best, strict=True)), Fraction(0))


@cache
def worth(mine: int, theirs: int, cube: str) -> Fraction:
    held = hold(mine, theirs, cube)
    if cube in ("cubeless", "theirs"):
        return held
    return max(held, min(2 * hold(mine, theirs, "theirs"), Fraction(1)))


@pytest.mark.parametrize("cube", ["cubeless", "centred", "owned", "theirs"])
def test_exact_fractions(cube):
    """Every position of up to 2 checkers of each side, with every owner of the cube."""
    found = built(2)[cube]
    exact = [[float(hold(i, j, cube)) for j in range(28)] for i in range(1, 28)]
    assert np.abs(found[1:] - exact).max() < 1e-14
    assert (found[0] == 1).all()


def test_more_checkers_in_exact_fractions():
    """Positions of 3 checkers against 2 here and there; a smaller table is the corner of a larger one."""
    table = two_sided()
    rng = np.random.default_rng(5)
    for mine, theirs in zip(rng.integers(28, 60, 12).tolist(), rng.integers(1, 28, 12).tolist(), strict=True):
        for cube in ("cubeless", "centred", "owned", "theirs"):
            assert getattr(table, cube)[mine, theirs] == pytest.approx(
                float(hold(mine, theirs, cube)), abs=1e-13
            )
    for name, small in built(2).items():
        assert np.abs(getattr(table, name)[:28, :28] - small).max() < 1e-14


@pytest.mark.parametrize(("n", "chance"), [(4, Fraction(31, 36)), (6, Fraction(1021, 1296))])
def test_aces_against_aces(n, chance):
    """Known answer B2."""
    number = home(p1=n)
    assert two_sided().cubeless[number, number] == pytest.approx(2 * float(chance) - 1, abs=1e-13)


def test_redoubles_that_are_wrong():
    """Known answer C3: nearly half the time cubeless ahead, and yet the cube is worth more than the doubled stakes."""
    table, mine = two_sided(), home(p5=1, p2=1)
    for theirs, held, taken in (
        (home(p6=1), Fraction(7, 24), Fraction(1, 9)),
        (home(p2=2), Fraction(103, 324), Fraction(35, 162)),
        (home(p3=1, p2=1), Fraction(223, 648), Fraction(26, 81)),
    ):
        assert table.owned[mine, theirs] == pytest.approx(float(held), abs=1e-13)
        assert 2 * table.theirs[mine, theirs] == pytest.approx(float(taken), abs=1e-13)
        assert table.best(1)[mine, theirs] == table.owned[mine, theirs]
    theirs = home(p3=1, p1=1)
    assert 2 * table.theirs[mine, theirs] > table.owned[mine, theirs]


def test_double_and_beaver_are_never_both_right():
    """Known answer C5, over every position: where the taker would turn the cube again at once, nobody doubles."""
    table = two_sided()
    beaver = table.theirs < -1e-12
    for hold in (table.centred, table.owned):
        double = np.minimum(2 * table.theirs, 1) > hold + 1e-12
        assert double[1:, 1:].mean() > 0.05
        assert not (double & beaver).any()


def test_a_cube_of_ones_own_is_worth_something():
    """Theirs ≤ cubeless or centred ≤ owned; the right to double is worth nothing to the other side."""
    table = two_sided()
    assert (table.theirs <= np.minimum(table.cubeless, table.centred) + 1e-12).all()
    assert (table.owned >= np.maximum(table.cubeless, table.centred) - 1e-12).all()
    for owner in (-1, 0, 1):
        best = table.best(owner)
        assert (best <= 1 + 1e-12).all()
        assert (best >= (table.theirs, table.centred, table.owned)[owner + 1]).all()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("checkers", [0, 9, 6.0, True, None])
def test_other_checkers_are_refused(checkers):
    with pytest.raises(InputError, match="1 to 8"):
        two_sided.__wrapped__(checkers)


def test_as_gnu_backgammon_has_it():
    """Its equities are rounded to 1/32,767.5 at every step down; it keeps those without doubling too."""
    raw = data_file("gnubg_ts0.bd").read_bytes()
    assert raw[:17] == b"gnubg-TS-06-06-1x"
    theirs = np.frombuffer(raw[40:], "<u2").reshape(924, 924, 4) / 32767.5 - 1
    table = two_sided()
    for k, name in enumerate(("cubeless", "owned", "centred", "theirs")):
        apart = np.abs(theirs[1:, 1:, k] - getattr(table, name)[1:, 1:])
        assert apart.max() < 1.3e-4
        assert apart.mean() < 5e-5
    assert homes(6) == 924
