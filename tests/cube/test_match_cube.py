"""The cube at a match score against plain recursion, published take points and GNU Backgammon's own values."""

from __future__ import annotations

from itertools import pairwise

import jax
import numpy as np
import pytest

from bglab.cube.janowski import piecewise_linear
from bglab.cube.match_cube import (
    Shares,
    cash_points,
    cubeful_mwc,
    match_actions,
    match_decision,
    shares,
    take_point,
)
from bglab.cube.match_equity import MatchScore
from bglab.cube.metfile import load_met
from bglab.errors import InputError
from tests.cube.test_match_equity import after, columns, scores

TABLE = load_met()

# Away-scores of the side on roll and the other, cube, Crawford game; owner of the cube; the five cumulative outcomes;
# and normalised cubeful equity with the right to double, by GNU Backgammon at 0 plies with its cube life in contact,
# 0.76 (the Python package gnubg 1.1.0a16).
GNU = [
    ((1, 1, 1, False), 0, (0.5077655, 0.1557732, 0.0050006, 0.132482, 0.0072457), 0.015531),
    ((1, 2, 1, True), 0, (0.4722871, 0.1293885, 0.0028545, 0.1274036, 0.0043214), -0.310233),
    ((1, 2, 1, False), 0, (0.3518903, 0.0695084, 0.0003617, 0.1283873, 0.0039924), -0.981912),
    ((1, 5, 1, True), 0, (0.5036893, 0.110739, 0.0023091, 0.1140456, 0.0019342), -0.00397),
    ((1, 6, 1, False), 0, (0.4722871, 0.1293885, 0.0028545, 0.1274036, 0.0043214), -0.799),
    ((1, 6, 2, False), -1, (0.3518903, 0.0695084, 0.0003617, 0.1283873, 0.0039924), -0.91818),
    ((2, 1, 2, False), 1, (0.5077655, 0.1557732, 0.0050006, 0.132482, 0.0072457), 0.015531),
    ((2, 4, 1, False), 0, (0.5448415, 0.1745311, 0.0040252, 0.1001998, 0.0029745), -0.039533),
    ((2, 6, 4, False), 1, (0.5442453, 0.175897, 0.0085524, 0.1341023, 0.0078717), -0.179714),
    ((2, 10, 2, False), -1, (0.4643918, 0.1306982, 0.0052328, 0.1674834, 0.0115432), -0.901571),
    ((3, 1, 2, False), -1, (0.4722871, 0.1293885, 0.0028545, 0.1274036, 0.0043214), 0.203351),
    ((3, 2, 1, False), 0, (0.4455437, 0.1136019, 0.0054439, 0.1520675, 0.0100372), -0.087183),
    ((3, 4, 1, False), 0, (0.4722871, 0.1293885, 0.0028545, 0.1274036, 0.0043214), -0.19736),
    ((3, 5, 4, False), -1, (0.5055072, 0.1175065, 0.0057788, 0.1594405, 0.0053245), -0.263921),
    ((4, 1, 4, False), 1, (0.3518903, 0.0695084, 0.0003617, 0.1283873, 0.0039924), -0.296219),
    ((5, 3, 4, False), 1, (0.5077655, 0.1557732, 0.0050006, 0.132482, 0.0072457), 0.352671),
    ((5, 9, 2, False), 1, (0.3579881, 0.0763575, 0.0009522, 0.1179061, 0.0032084), -0.306653),
    ((7, 6, 4, False), 0, (0.4643918, 0.1306982, 0.0052328, 0.1674834, 0.0115432), 0.10805),
    ((10, 2, 2, False), -1, (0.4643918, 0.1306982, 0.0052328, 0.1674834, 0.0115432), 0.099166),
    ((14, 1, 4, False), -1, (0.3518903, 0.0695084, 0.0003617, 0.1283873, 0.0039924), -0.046269),
]  # fmt: skip


def mean_end(score: MatchScore, rates: Shares, cube: int, sign: int) -> float:
    """MWC of the side on roll when it wins, or loses, with such a cube."""
    g, b = (rates.gammon, rates.backgammon) if sign > 0 else (rates.lost_gammon, rates.lost_backgammon)
    ends = [after(score, sign * k * cube) for k in (1, 2, 3)]
    return (1 - g - b) * ends[0] + g * ends[1] + b * ends[2]


def cash(score: MatchScore, rates: Shares) -> float:
    """Where the line of the doubled cube over p reaches the worth of a pass, by recursion through the redoubles."""
    cube = score.cube
    passed, won = after(score, cube), mean_end(score, rates, 2 * cube, 1)
    if 2 * cube >= score.theirs:
        left, height = 0.0, mean_end(score, rates, 2 * cube, -1)
    else:
        left = 1 - cash(MatchScore(score.theirs, score.mine, 2 * cube, score.crawford), rates.flip())
        height = after(score, -2 * cube)
    return left + (1 - left) * (passed - height) / (won - height)


def hold(score: MatchScore, row: np.ndarray, x: float, owner: int) -> float:
    """Cubeful MWC without doubling now, straight lines drawn point by point."""
    p, q = float(row[:3].sum()), float(row[3:].sum())
    rates = Shares(row[1] / p, row[2] / p, row[4] / q, row[5] / q)
    points = [(0.0, mean_end(score, rates, score.cube, -1)), (1.0, mean_end(score, rates, score.cube, 1))]
    if owner <= 0:
        points.insert(1, (1 - cash(score.flip(), rates.flip()), after(score, -score.cube)))
    if owner >= 0:
        points.insert(-1, (cash(score, rates), after(score, score.cube)))
    # The first point may coincide with the one at 0, and the last with the one at 1.
    live = next(
        low + (high - low) * (p - a) / (b - a)
        for (a, low), (b, high) in pairwise(points)
        if b > a and (a <= p <= b or (b, high) == points[-1])
    )
    ends = [after(score, k * score.cube) for k in (1, 2, 3, -1, -2, -3)]
    life = 0 if score.crawford else x
    return (1 - life) * float(row @ ends) + life * live


def rows(n: int, seed: int) -> np.ndarray:
    """Outcomes of every kind, gammons more and less likely."""
    rng = np.random.default_rng(seed)
    outcomes = rng.dirichlet([6, 2, 0.3, 6, 2, 0.3], n)
    skew = rng.random((n, 1)) ** 2
    outcomes[:, :3] *= skew
    return outcomes / outcomes.sum(1, keepdims=True)


def test_published_take_points():
    """Known answer C9: 3 away, 3 away, and the same for a doubler and taker of different scores."""
    score = MatchScore(3, 3)
    dead, live = take_point(TABLE, score, live=False), take_point(TABLE, score)
    assert dead == pytest.approx(0.30166, abs=5e-6)
    assert live == pytest.approx(0.22648, abs=5e-6)
    assert live == pytest.approx(dead * 0.75076)
    # Long matches are nearly money play: a quarter and a fifth.
    assert take_point(TABLE, MatchScore(25, 25), live=False) == pytest.approx(0.25, abs=0.005)
    assert take_point(TABLE, MatchScore(25, 25)) == pytest.approx(0.2, abs=0.005)
    # Doubled by a side that needs 2, one that needs 4 redoubles at once, and takes with what the pass leaves it.
    assert take_point(TABLE, MatchScore(4, 2)) == pytest.approx(TABLE.mwc(4, 1, True))
    assert take_point(TABLE, MatchScore(4, 2), live=False) == pytest.approx(TABLE.mwc(4, 1, True))
    # Double match point after the take: the chance to win the match is the chance to win the game.
    assert take_point(TABLE, MatchScore(2, 2)) == pytest.approx(TABLE.mwc(2, 1, True))
    # Post-Crawford, a side that needs 1 has a free pass against one that needs 4, and takes at 2 what loses less.
    assert take_point(TABLE, MatchScore(1, 4)) == pytest.approx(
        (TABLE.mwc(1, 3) - TABLE.mwc(1, 2)) / (1 - TABLE.mwc(1, 2))
    )


def test_dead_cubes():
    """Known answer C7: 5-0 in a match to 7 with a cube of 2 (2 away, 7 away), and 4-0 (3 away, 7 away)."""
    dead, live = MatchScore(2, 7, 2), MatchScore(3, 7, 2)
    assert dead.useless()
    assert not live.useless()
    assert cash_points(TABLE, dead)[0] == 1
    assert cash_points(TABLE, live)[0] < 1
    outcomes = np.concatenate([rows(200, seed=1), [[0.9, 0, 0, 0.1, 0, 0]]])
    mine = np.ones(201, np.int32)
    assert not match_decision(TABLE, dead, outcomes, 0.7, mine).double.any()
    # Owning a dead cube is worth what the outcomes pay.
    owned = cubeful_mwc(TABLE, dead, outcomes, 0.7, mine)
    assert np.abs(owned - TABLE.expected(dead, outcomes)).max() < 1e-12
    assert match_decision(TABLE, live, outcomes, 0.7, mine).double[-1]
    assert MatchScore(1, 5).useless()
    assert MatchScore(5, 1, 1, True).useless()
    assert not MatchScore(5, 1).useless()


def test_cash_points_against_recursion():
    some = [score for score in scores(400, seed=2) if not score.crawford]
    outcomes = rows(len(some), seed=3)
    _, rates = shares(outcomes)
    mine, theirs = cash_points(TABLE, columns(some), rates)
    for k, score in enumerate(some):
        own = Shares(*(each[k] for each in rates))
        assert mine[k] == pytest.approx(cash(score, own), abs=1e-12)
        assert theirs[k] == pytest.approx(cash(score.flip(), own.flip()), abs=1e-12)


def test_cubeful_chances_against_plain_lines():
    """2,000 scores and outcomes in NumPy, and the same compiled."""
    some = scores(2000, seed=4)
    outcomes = rows(len(some), seed=5)
    rng = np.random.default_rng(6)
    owner = rng.integers(-1, 2, len(some)).astype(np.int32)
    x = rng.random(len(some))
    exact = np.array([hold(*of) for of in zip(some, outcomes, x.tolist(), owner.tolist(), strict=True)])
    many = columns(some)
    found = match_actions(TABLE, many, outcomes, x, owner)
    assert np.abs(found.hold - exact).max() < 1e-12
    doubled = [MatchScore(s.mine, s.theirs, 2 * s.cube, s.crawford) for s in some]
    exact = np.array(
        [hold(s, row, life, -1) for s, row, life in zip(doubled, outcomes, x.tolist(), strict=True)]
    )
    assert np.abs(found.taken - exact).max() < 1e-12
    assert (found.passed == [after(score, score.cube) for score in some]).all()
    many = MatchScore(*(each.astype(np.int32) for each in many[:3]), many.crawford)
    compiled = jax.jit(match_actions)(TABLE, many, outcomes.astype(np.float32), x.astype(np.float32), owner)
    for mine, other in zip(compiled, found, strict=True):
        assert np.abs(mine - other).max() < 2e-5


def test_as_gnu_backgammon_has_it():
    for where, owner, (w, wg, wb, lg, lb), equity in GNU:
        score = MatchScore(*where)
        row = np.array([w - wg, wg - wb, wb, 1 - w - lg, lg - lb, lb])
        held, taken, passed = match_actions(TABLE, score, row, 0.76, owner)
        may = owner >= 0 and not score.useless()
        best = max(held, min(taken, passed)) if may else held
        assert TABLE.to_equity(best, score) == pytest.approx(equity, abs=5e-6)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda row, at: cubeful_mwc(TABLE, at, row, 0.7, 5), "belongs to .*, not to 5"),
        (lambda row, at: cubeful_mwc(TABLE, at, row, 0.7, None), "belongs to .*, not to None"),
        (lambda row, at: match_actions(TABLE, at, row, 0.7, np.array([0, 2])), "belongs to "),
        (lambda row, at: match_decision(TABLE, at, row, 1.5, 0), r"Cube life .* is not 1\.5"),
        (lambda row, at: cubeful_mwc(TABLE, at, row, np.nan, 0), "Cube life .* is not nan"),
        (lambda row, at: cubeful_mwc(TABLE, at, row[:5], 0.7, 0), "six chances"),
        (lambda row, at: cubeful_mwc(TABLE, at, 2 * row, 0.7, 0), "six chances"),
        (lambda row, at: cubeful_mwc(TABLE, at, np.full(6, np.nan), 0.7, 0), "six chances"),
        (lambda row, at: cubeful_mwc(TABLE, at, "a", 0.7, 0), "six chances"),
        (lambda row, at: take_point(TABLE, at, Shares(gammon=2)), "Shares of gammons"),
        (lambda row, at: take_point(TABLE, at, Shares(0.6, 0.6)), "Shares of gammons"),
        (lambda row, at: cash_points(TABLE, at, Shares("a")), "Shares of gammons"),
    ],
)
def test_what_contradicts_itself_is_refused(call, fault, unchecked):
    with pytest.raises(InputError, match=fault) as refused:
        call(np.array([0.7, 0, 0, 0.3, 0, 0]), MatchScore(3, 3))
    assert "\n" not in str(refused.value)


def test_long_matches_are_nearly_money_play():
    score, x, outcomes = MatchScore(25, 25), np.full(500, 0.7), rows(500, seed=7)
    p, rates = shares(outcomes)
    W, L = 1 + rates.gammon + 2 * rates.backgammon, 1 + rates.lost_gammon + 2 * rates.lost_backgammon
    for owner in np.repeat([[-1], [0], [1]], 500, 1):
        money = piecewise_linear(p, W, L, x, owner)
        match = TABLE.to_equity(cubeful_mwc(TABLE, score, outcomes, x, owner), score)
        assert np.abs(match - money).max() < 0.1


def test_the_two_sides_sum_to_one():
    some = columns(scores(500, seed=8))
    outcomes = rows(len(some.mine), seed=9)
    swapped = np.roll(outcomes, 3, 1)
    for owner in (-1, 0, 1):
        who = np.full(len(some.mine), owner)
        mine = cubeful_mwc(TABLE, some, outcomes, 0.7, who)
        assert np.abs(mine + cubeful_mwc(TABLE, some.flip(), swapped, 0.7, -who) - 1).max() < 1e-12
