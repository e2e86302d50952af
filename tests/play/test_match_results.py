"""What a result of matches says of itself, and lengths that no match has."""

from __future__ import annotations

import numpy as np
import pytest

from bglab import InputError, MatchRules
from bglab.play.match import Matches, multiplier


def some_matches(won: list[list[bool]]) -> Matches:
    shape = np.array(won)
    games = np.full(shape.shape, 4)
    return Matches("a", "b", MatchRules(5), 0, shape, games, np.where(shape, 5, -3))


def test_summary() -> None:
    result = some_matches([[True, True], [True, False], [True, False], [False, False]] * 5)
    assert (result.matches, result.wins, result.margin) == (40, 20, 0)
    result = some_matches([[True, True], [True, True], [True, False], [False, False]] * 5)
    assert (result.matches, result.wins, result.margin) == (40, 25, 10)
    assert result.z == pytest.approx(10 / 40**0.5)
    assert result.share.value == pytest.approx(25 / 40)
    counts = np.array([2, 2, 1, 0] * 5) / 2
    assert result.share.error == pytest.approx(counts.std(ddof=1) / 20**0.5)
    assert result.sweeps == 0.75
    assert result.games_per_match == 4
    assert result.points_per_game.value == pytest.approx((25 * 5 - 15 * 3) / 160)
    text = str(result)
    for figure in ("25 of 40", "to 5", "+10", "z = 1.6", "62.50%", "75.00% swept", "4.00 games"):
        assert figure in text
    assert "<pre>" in result._repr_html_()


def test_multiplier_is_expected_over_observed_sweeps() -> None:
    even = some_matches([[True, False]] * 6 + [[True, True]] * 2 + [[False, False]] * 2)
    strong = some_matches([[True, True]] * 8 + [[True, False]] * 2)
    assert multiplier([even]) == pytest.approx(0.5 / 0.4)
    assert multiplier([strong]) == pytest.approx((0.9**2 + 0.1**2) / 0.8)
    assert multiplier([even, strong]) == pytest.approx((0.5 + 0.82) / (0.4 + 0.8))
    with pytest.raises(InputError, match="play some"):
        multiplier([])


@pytest.mark.parametrize("length", [0, -1, 2.0, True, 1001, "5"])
def test_lengths_that_are_none(length, unchecked) -> None:
    with pytest.raises(InputError, match="points"):
        MatchRules(length)
