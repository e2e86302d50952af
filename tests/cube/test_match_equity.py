"""The match equity table: published rows, what follows a game, and conversions, against plain arithmetic."""

from __future__ import annotations

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab.cube.match_equity import MatchEquity, MatchScore
from bglab.cube.metfile import load_met
from bglab.errors import InputError

TABLE = load_met()


def chance(mine: int, theirs: int, post: bool) -> float:
    """MWC before a game, one number at a time."""
    if mine <= 0:
        return 1.0
    if theirs <= 0:
        return 0.0
    if post and theirs == 1:
        return float(TABLE.post[mine - 1])
    if post and mine == 1:
        return 1 - float(TABLE.post[theirs - 1])
    return float(TABLE.pre[mine - 1, theirs - 1])


def after(score: MatchScore, points: int) -> float:
    """The game after the Crawford game, or after any game with a side at 1 away, is a post-Crawford game."""
    post = score.crawford or 1 in score[:2]
    return chance(score.mine - max(points, 0), score.theirs - max(-points, 0), post)


def scores(n: int, seed: int, longest: int = 25) -> list[MatchScore]:
    rng = np.random.default_rng(seed)
    found = []
    for mine, theirs, cube in rng.integers([1, 1, 0], [longest + 1, longest + 1, 5], (n, 3)).tolist():
        one = (mine == 1) != (theirs == 1)
        found.append(MatchScore(mine, theirs, 2**cube, one and bool(rng.integers(2))))
    return found + [
        MatchScore(a, b, c, d)
        for a, b, c, d in product((1, 2), (1, 2, 3), (1, 2), (False, True))
        if not d or (a == 1) != (b == 1)
    ]


def columns(scores: list[MatchScore]) -> MatchScore:
    return MatchScore(*(np.array(each) for each in zip(*scores, strict=True)))


def test_published_rows():
    rows = """.50000 .67736 .75076 .81436 .84179; .32264 .50000 .59947 .66870 .74359; .24924 .40053 .50000 .57150
    .64795; .18564 .33130 .42850 .50000 .57732; .15821 .25641 .35205 .42268 .50000"""
    known = np.array([[float(each) for each in row.split()] for row in rows.split(";")])
    assert (TABLE.pre[:5, :5] == known).all()
    assert TABLE.post[1:6].tolist() == [0.48803, 0.32264, 0.31002, 0.19012, 0.18072]
    assert TABLE.length == 25
    assert "Kazaross" in TABLE.origin


def test_chances_sum_to_one_and_fall_with_the_points_needed():
    grid = np.arange(1, 26)
    mine, theirs = (each.ravel() for each in np.meshgrid(grid, grid))
    for crawford in (False, True):
        assert np.abs(TABLE.mwc(mine, theirs, crawford) + TABLE.mwc(theirs, mine, crawford) - 1).max() < 1e-12
    assert (np.diff(TABLE.pre, axis=0) < 0).all()
    assert (np.diff(TABLE.pre, axis=1) > 0).all()
    assert (np.diff(TABLE.post) < 0).all()
    # The trailing side is better off once it may double again.
    assert (TABLE.post[1:24] > TABLE.pre[1:24, 0]).all()


def test_crawford_and_after():
    """Known answer C10."""
    assert TABLE.mwc(2, 1, True) == 0.32264
    assert TABLE.mwc(2, 1, False) == 0.48803
    assert TABLE.mwc(1, 2, True) == 0.67736
    assert TABLE.mwc(1, 2) == pytest.approx(1 - 0.48803)
    # The game in which a side comes to 1 away is followed by the Crawford game, that one by a post-Crawford game.
    assert TABLE.after(MatchScore(2, 2), 1) == 0.67736
    assert TABLE.after(MatchScore(1, 3, 1, True), -1) == pytest.approx(1 - 0.48803)
    assert TABLE.after(MatchScore(3, 1), 1) == 0.48803
    assert TABLE.after(MatchScore(5, 1, 2, True), 4) == 0.5
    for crawford in (False, True):
        assert TABLE.mwc(1, 1, crawford) == 0.5
        assert TABLE.mwc(0, 4, crawford) == TABLE.mwc(-3, 4, crawford) == 1
        assert TABLE.mwc(4, 0, crawford) == 0


def test_after_against_plain_arithmetic():
    """2,000 scores, every number of points, as arrays of NumPy and under `jit`."""
    some = scores(2000, seed=1)
    many = columns(some)
    compiled = jax.jit(lambda table, score, points: table.after(score, points))
    for k in (-3, -2, -1, 1, 2, 3):
        exact = np.array([after(score, k * score.cube) for score in some])
        assert (TABLE.after(many, k * many.cube) == exact).all()
        assert np.abs(compiled(TABLE, many, (k * many.cube).astype(np.int32)) - exact).max() < 1e-6


def test_expected_mwc_of_outcomes():
    rng = np.random.default_rng(2)
    some = scores(300, seed=3)
    outcomes = rng.dirichlet(np.ones(6), len(some))
    found = TABLE.expected(columns(some), outcomes)
    for value, score, row in zip(found, some, outcomes, strict=True):
        ends = [after(score, k * score.cube) for k in (1, 2, 3, -1, -2, -3)]
        assert value == pytest.approx(float(row @ ends), abs=1e-12)


def test_normalised_equity():
    """Winning and losing the cube are 1 and −1, even chances between them 0, and the way back is exact."""
    rng = np.random.default_rng(4)
    some = columns(scores(500, seed=5))
    assert np.abs(TABLE.to_equity(TABLE.after(some, some.cube), some) - 1).max() < 1e-9
    assert np.abs(TABLE.to_equity(TABLE.after(some, -some.cube), some) + 1).max() < 1e-9
    mwc = rng.random(len(some.mine))
    assert np.abs(TABLE.to_mwc(TABLE.to_equity(mwc, some), some) - mwc).max() < 1e-9
    # 3 away, 3 away: winning a point is .59947, losing one .40053.
    score = MatchScore(3, 3)
    assert TABLE.to_equity(0.5, score) == pytest.approx(0)
    assert TABLE.to_equity(0.55, score) == pytest.approx((0.55 - 0.5) / (0.59947 - 0.5))
    assert TABLE.to_equity(0.75076, score) == pytest.approx((0.75076 - 0.5) / (0.59947 - 0.5))


def test_points_of_the_outcomes_at_a_score():
    """The mean of the points is the normalised equity of the mean MWC; a win is 1, a loss −1."""
    rng = np.random.default_rng(6)
    some = columns(scores(300, seed=7))
    points = TABLE.points(some)
    assert points.shape == (len(some.mine), 6)
    assert np.abs(points[:, [0, 3]] - [1, -1]).max() < 1e-9
    outcomes = rng.dirichlet(np.ones(6), len(some.mine))
    expected = TABLE.to_equity(TABLE.expected(some, outcomes), some)
    assert np.abs((outcomes * points).sum(1) - expected).max() < 1e-9
    # At double match point every win is the match; at 2-away 1-away post-Crawford only my gammon adds to a win.
    assert TABLE.points(MatchScore(1, 1)) == pytest.approx([1, 1, 1, -1, -1, -1])
    gammon = (1 - 0.5) / (0.5 - 0) * 2 + 1
    assert TABLE.points(MatchScore(2, 1)) == pytest.approx([1, gammon, gammon, -1, -1, -1])


def test_gammon_values():
    # 2 away, 4 away: a gammon wins the match at once, which is worth 1 − .81436 more than a single game.
    win, lose = 0.81436, 0.5
    score = MatchScore(2, 4)
    assert TABLE.gammon_value(score) == pytest.approx((1 - win) / (win - 0.59947))
    assert TABLE.gammon_value(score, backgammon=True) == 0
    assert TABLE.gammon_value(MatchScore(4, 2)) == pytest.approx((lose - 0.40053) / (0.40053 - 0.18564))
    # A side that needs 1 point has no use for gammons; far from the end it is nearly money play.
    assert TABLE.gammon_value(MatchScore(1, 7, 1, True)) == 0
    assert TABLE.gammon_value(MatchScore(25, 25)) == pytest.approx(0.5, abs=0.02)


def test_scores_beyond_the_table_are_refused():
    with pytest.raises(InputError, match="25 points"):
        TABLE.mwc(26, 3)
    with pytest.raises(InputError, match="25 points"):
        TABLE.after(MatchScore(np.array([3, 30]), np.array([2, 2])), 1)


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ((0, 3), "both sides still need .*, not 0: give"),
        ((3, -1), "both sides still need .*, not -1: give"),
        ((1.5, 2), r"both sides still need .*, not 1\.5: give"),
        (("a", 2), "both sides still need .*, not 'a': give"),
        ((2, None), "both sides still need .*, not None: give"),
        ((True, 2), "both sides still need .*, not True: give"),
        (([3], 2), r"both sides still need .*, not \[3\]: give"),
        ((np.nan, 2), "both sides still need .*, not nan: give"),
        ((2**70, 2), "both sides still need "),
        ((np.array([3, 0]), np.array([3, 3])), "both sides still need "),
        ((jnp.array([3, 0]), jnp.array([3, 3])), "both sides still need "),
        ((3, 3, 0), "power of two from 1 to 65536, not 0"),
        ((3, 3, -2), "power of two from 1 to 65536, not -2"),
        ((3, 3, 3), "power of two from 1 to 65536, not 3"),
        ((3, 3, 2.0), r"power of two from 1 to 65536, not 2\.0"),
        ((3, 3, None), "power of two from 1 to 65536, not None"),
        ((3, 3, 2**62), "power of two"),
        ((3, 1, 1, 1), "crawford is True or False, not 1"),
        ((3, 1, 1, None), "crawford is True or False, not None"),
        ((3, 3, 1, True), "not at 3-away, 3-away: leave crawford away"),
        ((1, 1, 1, True), "not at 1-away, 1-away: leave crawford away"),
        ((np.array([1, 2]), np.array([3, 3]), 1, np.array([True, True])), "not at 2-away, 3-away"),
        ((np.array([1, 2]), np.array([3, 3, 3])), "differ in shape"),
        ((np.zeros(500, int), 3), r"not array\(\[0, .*…: give"),
    ],
)
def test_what_is_no_score_is_refused(parts, fault, unchecked):
    with pytest.raises(InputError, match=fault) as refused:
        MatchScore(*parts)
    assert "\n" not in str(refused.value)


def test_scores_go_through_jax_unlooked_at():
    """Traced ones, placeholders, and scores that follow from others."""
    score = MatchScore(np.int32([3, 2]), np.int32([1, 1]), np.int32([1, 1]), np.array([True, False]))
    assert jax.tree.structure(score) == jax.tree.structure(MatchScore(2, 3))
    assert jax.tree.map(lambda each: None, score) == (None,) * 4
    compiled = jax.jit(lambda score: MatchScore(*score).flip().doubled())
    assert [each.tolist() for each in compiled(score)] == [[1, 1], [3, 2], [2, 2], [True, False]]
    shapes = jax.eval_shape(compiled, score)
    assert isinstance(shapes, MatchScore)
    assert shapes.mine.shape == (2,)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: TABLE.mwc(1.5, 2), r"whole number of points, not 1\.5"),
        (lambda: TABLE.mwc("a", 2), "whole number of points, not 'a'"),
        (lambda: TABLE.mwc(2, None), "whole number of points, not None"),
        (lambda: TABLE.mwc(0, 0), "Only one side can have won"),
        (lambda: TABLE.mwc(np.array([2, 0]), np.array([2, -1])), "Only one side can have won"),
        (lambda: TABLE.mwc(2, 1, "no"), "crawford is True or False, not 'no'"),
        (lambda: TABLE.after(MatchScore(3, 3), 1.5), r"whole number of points, not 1\.5"),
        (lambda: TABLE.after(MatchScore(3, 3), "a"), "whole number of points, not 'a'"),
        (lambda: TABLE.to_equity(np.nan, MatchScore(3, 3)), "between 0 and 1, not at nan"),
        (lambda: TABLE.to_equity(2, MatchScore(3, 3)), "between 0 and 1, not at 2"),
        (lambda: TABLE.to_equity(np.array([0.5, -0.1]), MatchScore(3, 3)), "between 0 and 1"),
        (lambda: TABLE.to_equity("a", MatchScore(3, 3)), "between 0 and 1, not at 'a'"),
        (lambda: TABLE.to_mwc(np.inf, MatchScore(3, 3)), "between 0 and 1"),
        (lambda: TABLE.to_mwc(100, MatchScore(3, 3)), "between 0 and 1"),
        (lambda: TABLE.to_mwc("a", MatchScore(3, 3)), "is a number, not 'a'"),
        (lambda: MatchEquity([[0.5]], [0.5]), "not of two arrays"),
        (lambda: MatchEquity(5, None), "not of two arrays"),
        (lambda: MatchEquity(np.full((2, 3), 0.5), np.full(2, 0.5)), "not of two arrays"),
        (lambda: MatchEquity(np.full((2, 2), 0.5), np.full(3, 0.5)), "not of two arrays"),
        (lambda: MatchEquity(np.array([["a"]]), np.array(["a"])), "not of two arrays"),
    ],
)
def test_what_is_no_chance_or_no_points_is_refused(call, fault, unchecked):
    with pytest.raises(InputError, match=fault) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_rounding_beyond_certainty_is_let_pass():
    score = MatchScore(1, 1)
    assert TABLE.to_equity(1 + 1e-6, score) == pytest.approx(1, abs=1e-5)
    assert TABLE.to_mwc(-1 - 1e-6, score) == pytest.approx(0, abs=1e-5)


def test_what_is_no_table_is_refused():
    pre, post = np.array(TABLE.pre), np.array(TABLE.post)

    def changed(array: np.ndarray, at: tuple[int, ...], value: float) -> np.ndarray:
        copy = array.copy()
        copy[at] = value
        return copy

    for before, later, fault in (
        (changed(pre, (2, 3), np.nan), post, "between 0 and 1"),
        (changed(pre, (2, 3), 1.5), post, "between 0 and 1"),
        (changed(pre, (2, 3), 0.7), post, "3-away, 4-away"),
        (changed(changed(pre, (2, 3), 0.7), (3, 2), 0.3), post, "do not fall"),
        (pre, changed(post, (5,), 0.4), "do not fall"),
        (pre, changed(post, (0,), 0.4), "do not sum"),
    ):
        with pytest.raises(InputError, match=fault):
            MatchEquity(before, later, "This")
    assert MatchEquity(jnp.asarray(pre), jnp.asarray(post)).length == 25
