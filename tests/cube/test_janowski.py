"""Janowski's formula against known answers, and against the same lines drawn with exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bglab.cube.janowski import (
    centred,
    decide,
    janowski_decision,
    owned,
    piecewise_linear,
    reduce,
    take_point,
    unavailable,
)

chances = st.fractions(0, 1, max_denominator=1000)
means = st.fractions(1, 3, max_denominator=100)
lives = st.fractions(0, 1, max_denominator=100)
TENTHS = [Fraction(k, 10) for k in range(11)]


def through(p: Fraction, points: list[tuple[Fraction, Fraction]]) -> Fraction:
    """The height at p of straight lines through points."""
    for (a, low), (b, high) in pairwise(points):
        if a <= p <= b:
            return low + (high - low) * (p - a) / (b - a)
    raise AssertionError


@pytest.mark.parametrize(
    ("W", "L", "x", "expected"),
    [
        (1, 1, 0, 0.25),
        (1, 1, 1, 0.20),
        (1, 1, 2 / 3, 0.21429),
        (1, 1, 0.68, 0.21368),
        (1.2923, 1.1143, 0, 0.25525),
        (1.2923, 1.1143, 1, 0.21134),
        (1.2923, 1.1143, 2 / 3, 0.22420),
    ],
)
def test_take_points(W: float, L: float, x: float, expected: float) -> None:
    assert take_point(W, L, x) == pytest.approx(expected, abs=1e-5)  # W and L are rounded too


def test_known_equities() -> None:
    """Known answer C12, and the same position with gammons."""
    x = 2 / 3
    plain, gammons = (0.6, 1, 1, x), (0.65, 1.2923, 1.1143, x)
    assert centred(*plain) == pytest.approx(0.2800)
    assert owned(*plain) == pytest.approx(0.4000)
    assert unavailable(*plain) == pytest.approx(0.06667, abs=5e-6)
    assert float(piecewise_linear(*plain, 0)) == pytest.approx(0.28889, abs=5e-6)
    assert centred(*gammons) == pytest.approx(0.6000, abs=5e-5)
    assert owned(*gammons) == pytest.approx(0.6667, abs=5e-5)
    assert unavailable(*gammons) == pytest.approx(0.3333, abs=5e-5)
    assert float(piecewise_linear(*gammons, 0)) == pytest.approx(0.6167, abs=5e-5)


def test_too_good_to_double() -> None:
    """Known answer C1."""
    assert [bool(v) for v in decide(1.145, 1.796)] == [False, False]
    assert [bool(v) for v in decide(0.9, 1.2)] == [True, False]
    assert [bool(v) for v in decide(0.5, 0.7)] == [True, True]
    assert [bool(v) for v in decide(0.7, 0.5)] == [False, True]


def test_ties_take_and_do_not_double() -> None:
    assert [bool(v) for v in decide(0.5, 1.0)] == [True, True]
    assert [bool(v) for v in decide(1.0, 1.0)] == [False, True]
    # A dead cube at even chances: turning it changes nothing.
    assert not janowski_decision(0.5, 1, 1, 0, True).double


def test_live_double_point_is_the_cash_point() -> None:
    """Perfectly live and without gammons, a centred cube is turned at 80 %, where the other side may just take."""
    for p, double, take in ((0.79, False, True), (0.80, True, True), (0.81, True, False)):
        hold, taken = piecewise_linear(p, 1, 1, 1, 0), 2 * piecewise_linear(p, 1, 1, 1, -1)
        best = min(float(taken), 1.0)
        assert (best >= float(hold) - 1e-6) == double
        assert (float(taken) <= 1 + 1e-6) == take


@given(lives)
def test_centred_cube_at_even_chances_is_worth_nothing(x: Fraction) -> None:
    """Known answer C11."""
    assert centred(Fraction(1, 2), 1, 1, x) == 0


@given(chances, means, means, lives)
def test_general_formula_in_exact_fractions(p: Fraction, W: Fraction, L: Fraction, x: Fraction) -> None:
    p, W, L, x = (Fraction(v) for v in (p, W, L, x))
    half = Fraction(1, 2)
    own = -L + p * (W + L + half * x)
    assert owned(p, W, L, x) == own
    assert unavailable(p, W, L, x) == own - half * x
    # The centred cube is the mean of both, stretched by 4 / (4 − x).
    assert centred(p, W, L, x) == Fraction(4) / (4 - x) * (own - x / 4)
    # Taking at the take point loses what passing loses.
    assert 2 * owned(take_point(W, L, x), W, L, x) == -1
    # My chance p with W and L is the other side's 1 − p with L and W, and the game sums to zero.
    assert unavailable(p, W, L, x) == -owned(1 - p, L, W, x)
    assert centred(p, W, L, x) == -centred(1 - p, L, W, x)


@given(st.sampled_from(TENTHS), means, means, st.sampled_from(TENTHS), st.sampled_from([-1, 0, 1]))
def test_piecewise_linear_in_exact_fractions(
    p: Fraction, W: Fraction, L: Fraction, x: Fraction, owner: int
) -> None:
    width = W + L + Fraction(1, 2)
    take, cash = ((L - Fraction(1, 2)) / width, Fraction(-1)), ((L + 1) / width, Fraction(1))
    inner = {0: [take, cash], 1: [cash], -1: [take]}[owner]
    live = through(p, [(Fraction(0), -L), *inner, (Fraction(1), W)])
    exact = (1 - x) * (p * (W + L) - L) + x * live
    value = piecewise_linear(*(jnp.float32(float(v)) for v in (p, W, L, x)), jnp.int32(owner))
    assert float(value) == pytest.approx(float(exact), abs=2e-6)


@given(chances, lives)
def test_double_and_beaver_are_never_both_right(p: Fraction, x: Fraction) -> None:
    """Known answer C5: where the taker is the favourite after the take, there is no double."""
    taken = 2 * unavailable(float(p), 1.0, 1.0, float(x))
    decision = janowski_decision(float(p), 1.0, 1.0, float(x), False)
    if taken < 0:
        assert not decision.double


def test_reduction() -> None:
    outcomes = np.array(
        [[0.3, 0.2, 0.1, 0.2, 0.1, 0.1], [0, 0, 0, 0.5, 0.5, 0], [0, 0, 1, 0, 0, 0]], np.float32
    )
    p, W, L = reduce(jnp.asarray(outcomes))
    np.testing.assert_allclose(p, [0.6, 0, 1], rtol=1e-6)
    np.testing.assert_allclose(W, [(0.3 + 0.4 + 0.3) / 0.6, 1, 3], rtol=1e-6)
    np.testing.assert_allclose(L, [(0.2 + 0.2 + 0.3) / 0.4, 1.5, 1], rtol=1e-6)
    # Without a cube the three numbers give the cubeless equity back.
    np.testing.assert_allclose(owned(p, W, L, 0), outcomes @ [1, 2, 3, -1, -2, -3], rtol=1e-5)
