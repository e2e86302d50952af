"""What single games say about matches: exact sums over the score, without a cube."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int, Num

from bglab.errors import InputError
from bglab.statistics import Estimate
from bglab.value.outcome import POINTS


def match_share(outcomes: Num[np.ndarray, "6"], length: int = 11) -> tuple[float, float]:
    """Chance of winning a cubeless match to `length` points, and its mean number of games.

    `outcomes` are the probabilities of the six results of a game, the same in every game and independent from game to
    game. Exact, by recursion over the points both sides still need.
    """
    outcomes = np.asarray(outcomes, np.float64)
    if outcomes.shape != (6,) or (outcomes < 0).any() or abs(outcomes.sum() - 1) > 1e-6:
        raise InputError(
            f"The six outcomes of a game are probabilities that sum to 1, not {outcomes.tolist()}."
        )
    if type(length) is not int or length < 1:
        raise InputError(f"A match is to a whole number of at least 1 points, not {length!r}.")
    share = np.zeros((length + 1, length + 1))
    games = np.zeros((length + 1, length + 1))
    share[0, 1:] = 1
    for mine in range(1, length + 1):
        for theirs in range(1, length + 1):
            for chance, points in zip(outcomes, POINTS.astype(int), strict=True):
                after = (max(mine - max(points, 0), 0), max(theirs - max(-points, 0), 0))
                share[mine, theirs] += chance * share[after]
                games[mine, theirs] += chance * games[after]
            games[mine, theirs] += 1
    return float(share[length, length]), float(games[length, length])


def implied_match_share(points: Int[np.ndarray, "deals 2"], length: int = 11, draws: int = 1000) -> Estimate:
    """The share of cubeless matches that the games of a duel imply; the interval is a bootstrap over deals.

    Args: points of the first agent in both games of each deal; draws, bootstrap samples (from a fixed seed).
    """
    counts = np.stack([(points == value).sum(1) for value in POINTS.astype(int)], -1)
    rng = np.random.default_rng(0)
    weights = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=draws)
    samples = [match_share(drawn / drawn.sum(), length)[0] for drawn in weights @ counts]
    low, high = np.quantile(samples, [0.025, 0.975])
    value, _ = match_share(counts.sum(0) / counts.sum(), length)
    return Estimate(
        value, float(np.std(samples, ddof=1)), len(points), "of matches", (float(low), float(high))
    )
