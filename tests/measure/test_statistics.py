"""Estimates against hand-computed numbers and against simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bglab import InputError
from bglab.measure.statistics import Z95, Estimate, mean, share


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
