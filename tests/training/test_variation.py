"""Mutation and line search: bounds, signs, frozen numbers, and every turn a walk can take."""

from __future__ import annotations

import numpy as np
import pytest

from bglab.training.variation import frozen_weights, line_search, mutated, ready
from bglab.value.parameter import LARGEST_THRESHOLD, NAMES, normalised

START = (1000, *(np.arange(1, 22) * 17 * (-1) ** np.arange(21)).tolist(), 200, 400)


@pytest.mark.parametrize("R", [1, 10, 50, 100])
def test_a_mutation_moves_each_number_by_at_most_its_share_and_keeps_signs(R):
    random = np.random.default_rng(R)
    old = np.array(START)
    scale = np.ones(24, bool)
    moved = np.zeros(24, bool)
    for _ in range(500):
        new = np.array(mutated(tuple(old.tolist()), R, random))
        assert (new != old).any()
        assert (np.sign(new) == np.sign(old)).all()
        assert np.abs(new[:22]).max() == 1000
        # The largest of 22 after mutation sets the scale: undo it within what rounding allows.
        low, high = 1000 / (1000 * (1 + R / 100)), 1000 / max(np.abs(old[:22]).max() * (1 - R / 100), 357 / 2)
        scale &= (np.abs(new) >= np.floor(np.abs(old) * (1 - R / 100) * low) - 2) & (
            np.abs(new) <= np.ceil(np.abs(old) * (1 + R / 100) * high) + 2
        )
        moved |= new != old
    assert scale.all()
    assert moved[4:].all()


def test_a_mutation_is_uniform_and_proportional():
    # The largest weight stays the largest here, and a second one as large pins the scale to within R %.
    old = tuple([1000] * 11 + [-500] * 11 + [300, 600])
    ratios = []
    for k in range(2000):
        new = np.array(mutated(old, 10, np.random.default_rng(k)))
        ratios.append(new[11:22] / np.abs(new[22]) * 300 / -500)
    ratios = np.array(ratios)
    assert abs(np.median(ratios) - 1) < 0.01
    assert 0.9 / 1.1 - 0.01 < ratios.min() < 0.84
    assert 1.19 < ratios.max() < 1.1 / 0.9 + 0.01


def test_where_nothing_can_move_one_number_is_nudged_by_1():
    old = (1000, *([1] * 21), 1, -1)
    assert set(frozen_weights(old, 5)) == set(NAMES) - {"PC"}
    seen = set()
    for k in range(200):
        new = np.array(mutated(old, 0.01, np.random.default_rng(k)))
        (place,) = np.flatnonzero(new != np.array(old))
        assert abs(new[place] - old[place]) == 1
        seen.add(int(place))
    assert seen == set(range(1, 24))


@pytest.mark.parametrize(("R", "least"), [(50, 2), (10, 6), (25, 3), (100, 1)])
def test_frozen_is_what_mutation_never_moves(R, least):
    weights = (1000, *range(-10, 11), 0, 5)
    expected = {name for name, w in zip(NAMES, weights, strict=True) if abs(w) < least}
    assert set(frozen_weights(weights, R)) == expected
    # A brain of two numbers of 1000 moves by its own rounding as well, so the rule is tried on the bare formula.
    u = np.random.default_rng(0).uniform(-1, 1, (4000, 24))
    moves = (np.rint(np.array(weights) * (R / 100) * u) != 0).any(0)
    assert {name for name, moving in zip(NAMES, moves, strict=True) if not moving} == expected


def test_a_line_search_doubles_while_it_wins_and_halves_to_nothing():
    parent = (1000, *([100] * 21), 10, 10)
    mutant = (1000, 108, *([100] * 20), 10, 10)
    asked = []

    def wins(candidate, best):
        asked.append((candidate[1], best[1]))
        return abs(candidate[1] - 171) < abs(best[1] - 171)

    assert line_search(parent, mutant, wins)[1] == 171
    assert asked == [
        *((116, 108), (132, 116), (164, 132)),  # on by 8, 16 and 32; back is always the parent
        *((228, 164), (196, 164)),  # 64 and 32 overshoot; back are points already beaten
        *((180, 164), (148, 164)),  # 16
        (172, 164),  # 8 wins, and the step shrinks all the same
        *((176, 172), (168, 172), (174, 172), (170, 172), (173, 172), (171, 172)),  # 4, 2 and 1
    ]


def test_a_line_search_steps_back_between_parent_and_mutant():
    parent = (1000, *([100] * 21), 10, 10)
    mutant = (1000, 180, *([100] * 20), 10, 10)
    found = line_search(parent, mutant, lambda new, old: abs(new[1] - 123) < abs(old[1] - 123))
    assert found == (1000, 123, *([100] * 20), 10, 10)


def test_a_line_search_can_cross_zero_and_leaves_no_zero():
    parent = (1000, *([100] * 21), 10, -10)
    mutant = (1000, 60, *([100] * 20), 10, -10)
    found = line_search(parent, mutant, lambda new, old: abs(new[1] + 777) < abs(old[1] + 777))
    assert found[1] == -777
    at_zero = line_search(parent, mutant, lambda new, old: abs(new[1]) < abs(old[1]))
    assert abs(at_zero[1]) == 1


def test_a_line_search_ends_whatever_the_contests_say():
    for k in range(100):
        random = np.random.default_rng(k)
        old = tuple(normalised(random.integers(-1000, 1001, 24) + 1).tolist())
        new = mutated(old, 50, random)
        chance = random.choice([0.0, 0.5, 0.9, 1.0])
        met = [old, new]

        def wins(candidate, best, met=met, random=random, chance=chance):
            met.append(candidate)
            return bool(random.random() < chance)

        assert line_search(old, new, wins) in met[1:]
        assert len(met) == len(set(met)) < 100


def test_thresholds_stay_within_what_a_brain_may_hold():
    values = np.array([1] * 22 + [-5000, 5000])
    assert normalised(values)[-1] == 5 * LARGEST_THRESHOLD
    assert ready(values) == (*([1000] * 22), -LARGEST_THRESHOLD, LARGEST_THRESHOLD)
    start = (1000, *([7] * 21), LARGEST_THRESHOLD, -LARGEST_THRESHOLD)
    for k in range(50):
        assert max(map(abs, mutated(start, 50, np.random.default_rng(k)))) <= LARGEST_THRESHOLD
