"""How much the agents of a tournament differ in strength beyond the luck of their matches."""

from __future__ import annotations

import math

import numpy as np

from bglab.errors import InputError
from bglab.measure.standings import Tournament
from bglab.statistics import Estimate


def spread_of(result: Tournament) -> Estimate:
    """The standard deviation of one agent's share against another, for two agents drawn as these were.

    Agent k has a strength s_k of variance σ², in shares; i wins 1/2 + s_i − s_j of its matches against j, plus luck of
    variance v. The mean margin of each of the n agents over the round robin, counting itself as 0, then has the
    sample variance σ² + v/n, whatever the pairs; what is left after v/n, doubled for the two agents, is the square of
    the result. It is 0 where the luck explains everything. The 95 % interval is that of a variance of n normal numbers
    (χ² with n − 1 degrees of freedom); n counts agents. Raises `InputError` for fewer than 3 agents.
    """
    from scipy.stats import chi2  # type: ignore[import-untyped]

    names = result.agents
    count = len(names)
    if count < 3:
        raise InputError(f"A spread needs at least 3 agents, not {count}: let more of them play.")
    margins = np.zeros((count, count))
    for pairing in result.results:
        i, j = names.index(pairing.first), names.index(pairing.second)
        margins[i, j] = pairing.share.value - 0.5
        margins[j, i] = -margins[i, j]
    luck = float(np.mean([pairing.share.error**2 for pairing in result.results])) / count
    squares = float((margins.mean(1) ** 2).sum())

    def between_two(variance: float) -> float:
        return math.sqrt(2 * max(variance - luck, 0.0))

    low, high = (between_two(squares / chi2.ppf(tail, count - 1)) for tail in (0.975, 0.025))
    return Estimate(between_two(squares / (count - 1)), (high - low) / 4, count, "share", (low, high))
