"""The spread of strengths, on made-up tournaments whose truth is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bglab import InputError
from bglab.measure.spread import spread_of
from bglab.measure.standings import Tournament
from bglab.play.match import Matches, MatchRules

RULES = MatchRules(1)


def drawn(strengths: np.ndarray, matches: int, random: np.random.Generator) -> Tournament:
    """A round robin of independent matches between agents of these strengths."""
    results = []
    for i, j in combinations(range(len(strengths)), 2):
        won = random.random((matches // 2, 2)) < 0.5 + strengths[i] - strengths[j]
        ones = np.ones((matches // 2, 2), np.int64)
        results.append(Matches(f"{i}", f"{j}", RULES, 0, won, ones, np.where(won, 1, -1)))
    names = tuple(str(k) for k in range(len(strengths)))
    return Tournament(names, RULES, 0, tuple(results), (0.0,) * len(results))


def test_the_true_spread_is_inside_its_interval_as_often_as_it_says():
    random = np.random.default_rng(1)
    covered, found = 0, []
    for _ in range(200):
        estimate = spread_of(drawn(random.normal(0, 0.02, 6), 400, random))
        covered += estimate.low <= 0.02 * 2**0.5 <= estimate.high
        found.append(estimate.value**2)
    assert 180 <= covered <= 200
    # Its square is hardly biased: it is cut off at zero now and then.
    assert np.mean(found) == pytest.approx(2 * 0.02**2, rel=0.15)


def test_equal_agents_have_none_to_speak_of():
    random = np.random.default_rng(2)
    values = [spread_of(drawn(np.zeros(8), 1000, random)) for _ in range(50)]
    assert sum(estimate.low == 0 for estimate in values) >= 45
    assert np.median([estimate.value for estimate in values]) < 0.006


def test_two_agents_have_no_spread():
    with pytest.raises(InputError, match="at least 3"):
        spread_of(drawn(np.zeros(2), 10, np.random.default_rng(0)))
