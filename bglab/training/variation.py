"""How evolution varies a brain of the parameter AI: mutation, and the search along the line from parent to mutant.

Both are those of document 000, sections 4.2 and 4.3. What the text leaves open is settled so. A mutation keeps every
sign, also where it would crush a number to zero. Where it changes nothing after normalisation, numbers drawn at
random are nudged by 1 until something has changed.

In a line search a point is better if it comes out ahead in a contest against the best so far. A step back is tried when
the step on has not won, and no point is played twice: while the step grows, a step back ends at the parent, which is
beaten. The step doubles as long as the step on wins; from the first overshoot on it is halved whether or not it
wins: if winning doubled it again, the luck of equal brains could keep a walk going for hundreds of contests. The
walk keeps to the straight line in whole numbers, across zero too, and normalises a point only to play it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bglab.value.parameter import LARGEST_THRESHOLD, NAMES, WEIGHTS, normalised

Weights = tuple[int, ...]


def as_weights(values: np.ndarray) -> Weights:
    """Numbers as Python's, which can be compared, hashed and written as JSON."""
    return tuple(int(value) for value in values)


def ready(values: np.ndarray) -> Weights:
    """The brain that plays for a point: normalised, its cube thresholds within what a brain may hold."""
    scaled = normalised(values)
    scaled[len(WEIGHTS) :] = scaled[len(WEIGHTS) :].clip(-LARGEST_THRESHOLD, LARGEST_THRESHOLD)
    return as_weights(scaled)


def frozen_weights(weights: Weights, R: int | float) -> tuple[str, ...]:
    """Names of the numbers that mutation cannot move, since R % of them is at most one half (section 4.3)."""
    return tuple(name for name, weight in zip(NAMES, weights, strict=True) if abs(weight) * R <= 50)


def mutated(parent: Weights, R: int | float, random: np.random.Generator) -> Weights:
    """The parent with each number moved by round(w · R/100 · u), u uniform on (−1, 1), normalised; never the parent."""
    old = np.array(parent)
    new = old + np.rint(old * (R / 100) * random.uniform(-1, 1, len(old))).astype(np.int64)
    new = np.where(new == 0, np.sign(old), new)
    while ready(new) == ready(old):
        nudged = new.copy()
        nudged[random.integers(len(old))] += random.choice((-1, 1))
        new = np.where(nudged == 0, new, nudged)
    return ready(new)


def line_search(parent: Weights, mutant: Weights, wins: Callable[[Weights, Weights], bool]) -> Weights:
    """Walk from the mutant along mutant − parent; returns the best point met, normalised.

    `wins(candidate, best)` plays a contest and says whether the candidate came out ahead.
    """
    at, best = np.array(mutant), mutant
    stride, growing = at - np.array(parent), True
    met = {parent, mutant}
    while stride.any():
        for way in (stride, -stride):
            if not (at + way)[: len(WEIGHTS)].any():
                continue
            candidate = ready(at + way)
            if candidate in met:
                continue
            met.add(candidate)
            if wins(candidate, best):
                at, best = at + way, candidate
                break
        else:
            growing = False
        stride = 2 * stride if growing else np.sign(stride) * (np.abs(stride) // 2)
    return best
