"""Matches from games: closed forms and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bglab import InputError
from bglab.measure.matches import implied_match_share, match_share


def test_one_point_match_is_a_game() -> None:
    share, games = match_share(np.array([0.3, 0.2, 0.05, 0.25, 0.15, 0.05]), 1)
    assert share == pytest.approx(0.55)
    assert games == 1


@pytest.mark.parametrize("p", [0.5, 0.6])
def test_single_games_only_is_a_race_to_n(p: float) -> None:
    n = 11
    share, _ = match_share(np.array([p, 0, 0, 1 - p, 0, 0]), n)
    exact = sum(math.comb(n - 1 + k, k) * p**n * (1 - p) ** k for k in range(n))
    assert share == pytest.approx(exact, abs=1e-12)


def test_against_simulation() -> None:
    outcomes = np.array([0.30, 0.10, 0.02, 0.38, 0.17, 0.03])
    share, games = match_share(outcomes, 7)
    rng = np.random.default_rng(0)
    won, played, matches = 0, 0, 20_000
    for draws in rng.choice([1, 2, 3, -1, -2, -3], size=(matches, 20), p=outcomes):
        mine = theirs = 0
        for points in draws:
            mine, theirs, played = mine + max(points, 0), theirs + max(-points, 0), played + 1
            if max(mine, theirs) >= 7:
                break
        won += mine >= 7
    assert won / matches == pytest.approx(share, abs=4 * math.sqrt(0.25 / matches))
    assert played / matches == pytest.approx(games, rel=0.01)


def test_implied_share_brackets_the_exact_one() -> None:
    rng = np.random.default_rng(2)
    points = rng.choice([1, 2, -1, -2], size=(4000, 2), p=[0.3, 0.1, 0.4, 0.2])
    estimate = implied_match_share(points)
    exact, _ = match_share(np.array([0.3, 0.1, 0, 0.4, 0.2, 0]))
    assert estimate.low < exact < estimate.high
    assert estimate.n == 4000


@pytest.mark.parametrize("outcomes", [[0.5] * 6, [1, 0, 0, 0, 0], [-0.1, 1.1, 0, 0, 0, 0]])
def test_no_distribution(unchecked, outcomes: list[float]) -> None:
    with pytest.raises(InputError, match="sum to 1"):
        match_share(np.array(outcomes))


def test_no_length() -> None:
    with pytest.raises(InputError, match="at least 1"):
        match_share(np.array([0.5, 0, 0, 0.5, 0, 0]), 0)
