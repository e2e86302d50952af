"""Estimates against hand-computed numbers and against simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bglab import InputError
from bglab.statistics import Z95, Estimate, complement, mean, pooled_share, share


def test_mean_by_hand() -> None:
    estimate = mean(np.array([1.0, 2.0, 3.0, 6.0]))
    assert estimate.value == 3.0
    # Sample variance (4 + 1 + 0 + 9) / 3, divided by n = 4.
    assert estimate.error == pytest.approx(math.sqrt(14 / 3 / 4))
    assert (estimate.low, estimate.high) == pytest.approx(
        (3 - Z95 * estimate.error, 3 + Z95 * estimate.error)
    )
    assert estimate.z == pytest.approx(3 / estimate.error)
    assert estimate.n == 4


def test_text_never_lacks_sample_and_interval() -> None:
    text = str(mean(np.array([0.5, -0.5, 1.0, 0.0]), "points"))
    assert "points" in text
    assert "95 %" in text
    assert "n = 4" in text


def test_exact_zero_has_z_zero() -> None:
    assert mean(np.zeros(10)).z == 0
    assert mean(np.ones(10)).z == math.inf
    assert Estimate(-1.0, 0.0, 5).z == -math.inf


@pytest.mark.parametrize("values", [[], [1.0]])
def test_too_few(values: list[float]) -> None:
    with pytest.raises(InputError, match="at least 2"):
        mean(np.array(values))


def test_share_of_independent_trials_is_the_binomial_one() -> None:
    rng = np.random.default_rng(0)
    counts = rng.binomial(2, 0.3, 20_000)
    estimate = share(counts, 2)
    assert estimate.n == 40_000
    assert estimate.error == pytest.approx(math.sqrt(0.3 * 0.7 / 40_000), rel=0.03)


def test_share_knows_that_the_games_of_a_deal_hang_together() -> None:
    rng = np.random.default_rng(0)
    together = 2 * rng.binomial(1, 0.5, 10_000)
    assert share(together, 2).error == pytest.approx(math.sqrt(0.25 / 10_000), rel=0.01)
    apart = np.ones(10_000)  # exactly one of the two in every deal: no error at all
    assert share(apart, 2).error == 0


def test_share_of_nothing_still_has_an_interval() -> None:
    estimate = share(np.zeros(200), 2)
    assert estimate.value == 0
    assert estimate.low == 0
    # Wilson with 0 of 400: z² / (n + z²).
    assert estimate.high == pytest.approx(Z95**2 / (400 + Z95**2))
    everything = share(np.full(200, 2), 2)
    assert everything.high == pytest.approx(1)
    assert everything.low == pytest.approx(400 / (400 + Z95**2))


def test_coverage_is_95_percent() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(2000):
        estimate = mean(rng.choice([-2, -1, 1, 2], size=200, p=[0.1, 0.3, 0.4, 0.2]).astype(float))
        covered += estimate.low <= 0.3 <= estimate.high
    assert 0.935 <= covered / 2000 <= 0.965


def test_complement_is_the_other_side_s_share() -> None:
    ours, theirs = np.array([2, 1, 0, 2, 2]), np.array([0, 1, 2, 0, 0])
    one, other = complement(share(ours, 2)), share(theirs, 2)
    assert (one.value, one.error, one.n) == pytest.approx((other.value, other.error, other.n))
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_a_single_share_pools_to_itself() -> None:
    one = share(np.array([2, 1, 0, 2, 2]), 2)
    pooled = pooled_share([one])
    assert (pooled.value, pooled.error, pooled.n) == pytest.approx((one.value, one.error, one.n))
    assert (pooled.low, pooled.high) == pytest.approx((one.low, one.high))


def test_pooled_shares_weigh_by_trials_and_how_far_they_lie_apart_is_no_error() -> None:
    none, every = share(np.zeros(50, int), 2), share(np.full(150, 2), 2)
    pooled = pooled_share([none, every])
    assert pooled.value == pytest.approx(0.75)
    assert pooled.n == 400
    low = math.hypot(0, 0.75 * (1 - every.low))
    high = math.hypot(0.25 * none.high, 0)
    assert (pooled.low, pooled.high) == pytest.approx((0.75 - low, 0.75 + high))
    with pytest.raises(InputError, match="no share"):
        pooled_share([])


def test_pooled_intervals_cover() -> None:
    """Three samples of quite different chances: the interval holds their mean about 95 times in 100."""
    generator = np.random.default_rng(8)
    chances, inside = np.array([0.02, 0.5, 0.9]), 0
    for _ in range(1000):
        samples = [share(generator.binomial(2, chance, 60), 2) for chance in chances]
        pooled = pooled_share(samples)
        inside += pooled.low <= chances.mean() <= pooled.high
    assert 930 <= inside <= 980
