"""Evolution against contests whose strengths are known: every branch of a generation, and its numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bglab.errors import InputError
from bglab.training.evolution import GAUNTLET, EvolutionRecipe, begin, step
from bglab.value.parameter import normalised

START = (1000, *(np.arange(1, 22) * 17 * (-1) ** np.arange(21)).tolist(), 200, 400)
RECIPE = EvolutionRecipe(START, matches=20, generations=5)


class Scripted:
    """A contest that answers as told and remembers what it was asked: by stage, or by a function of the brains."""

    def __init__(self, *shares: float) -> None:
        self.shares = list(shares)
        self.asked: list[tuple[tuple[int, ...], tuple[int, ...], int, int]] = []

    def __call__(self, candidate, opponent, matches, seed):
        self.asked.append((tuple(candidate.tolist()), tuple(opponent.tolist()), matches, seed))
        share = self.shares.pop(0) if self.shares else 0.5
        return round(share * matches)


def likeness(weights, target) -> float:
    """Cosine of the angle between two brains, which scaling does not change."""
    a, b = np.array(weights, float), np.array(target, float)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def towards(target):
    """A contest without luck, decided by how alike each brain is to a hidden one."""

    def contest(candidate, opponent, matches, seed):
        gain = likeness(candidate, target) - likeness(opponent, target)
        return round(matches / (1 + np.exp(-20 * gain)))

    return contest


def test_most_generations_end_with_the_scout():
    for share in (0.0, 0.5):
        contest = Scripted(share)
        state = step(begin(RECIPE, 7), RECIPE, contest)
        assert [row[2] for row in contest.asked] == [20]
        assert contest.asked[0][1] == START
        assert (state.generation, state.parent, state.record, state.champions) == (1, START, 0, ())
        row = state.history[-1]
        assert (row.outcome, row.scout, row.steps, row.gauntlet, row.matches) == (
            "discarded",
            round(20 * share),
            0,
            0,
            20,
        )


class Staged:
    """Scouts won by the share, line searches lost, gauntlets as told."""

    def __init__(self, recipe: EvolutionRecipe, scout: float, *gauntlets: int) -> None:
        self.matches, self.scout, self.gauntlets = recipe.matches, scout, list(gauntlets)
        self.lengths: list[int] = []
        self.baselines: list[tuple[int, ...]] = []
        self.scouted = None

    def __call__(self, candidate, opponent, matches, seed):
        if matches > self.matches:
            self.lengths.append(matches)
            self.baselines.append(tuple(opponent.tolist()))
            self.scouted = None
            return self.gauntlets.pop(0)
        if self.scouted is None:
            self.scouted = candidate
            return round(self.scout * matches)
        return 0


def test_a_champion_beats_the_record_and_only_a_champion_is_the_next_parent():
    contest = Staged(RECIPE, 0.6, 100, 101, 101, 130, 120)
    states = [begin(RECIPE, 1)]
    for _ in range(5):
        states.append(step(states[-1], RECIPE, contest))
    outcomes = [row.outcome for row in states[-1].history]
    assert outcomes == ["rejected", "champion", "rejected", "champion", "rejected"]
    assert [row.record for row in states[-1].history] == [0, 2, 2, 60, 60]
    assert [(c.generation, c.margin, c.matches, c.swept) for c in states[-1].champions] == [
        (2, 2, 200, False),
        (4, 60, 200, False),
    ]
    for before, after, outcome in zip(states, states[1:], outcomes, strict=False):
        if outcome == "champion":
            assert after.parent == after.champions[-1].weights != before.parent
        else:
            assert after.parent == before.parent
    assert contest.baselines == [START] * 5
    assert contest.lengths == [GAUNTLET * 20] * 5


def test_a_sweep_makes_the_champion_the_baseline_and_doubles_the_gauntlet():
    contest = Staged(RECIPE, 1.0, 150, 200, 201, 400)
    states = [begin(RECIPE, 1)]
    for _ in range(4):
        states.append(step(states[-1], RECIPE, contest))
    assert [row.outcome for row in states[-1].history] == ["champion", "sweep", "champion", "sweep"]
    assert [row.record for row in states[-1].history] == [100, 0, 2, 0]
    assert contest.lengths == [200, 200, 400, 400]
    assert [state.gauntlet for state in states] == [200, 200, 400, 400, 800]
    assert contest.baselines == [START, START, states[2].parent, states[2].parent]
    assert states[2].baseline == states[2].parent == states[2].champions[1].weights
    assert states[2].champions[1].swept
    assert states[4].baseline == states[4].parent


def test_another_baseline_than_the_start():
    other = tuple(-w for w in START)
    recipe = dataclasses.replace(RECIPE, baseline=other)
    contest = Staged(recipe, 0.6, 150)
    step(begin(recipe, 1), recipe, contest)
    assert contest.baselines == [other]


def test_every_contest_has_a_seed_of_its_own():
    contest = Scripted(*([0.6, 0.6, 0.6, *([0.4] * 30)] * 6))
    state = begin(RECIPE, 3)
    for _ in range(4):
        state = step(state, RECIPE, contest)
    seeds = [row[3] for row in contest.asked]
    assert len(set(seeds)) == len(seeds) > 20
    assert all(0 <= seed < 1 << 32 for seed in seeds)
    again = Scripted(*([0.6, 0.6, 0.6, *([0.4] * 30)] * 6))
    other = step(begin(RECIPE, 4), RECIPE, again)
    assert not {row[3] for row in again.asked} & set(seeds)
    assert other.history[0].matches == sum(row[2] for row in again.asked)


def test_evolution_finds_a_hidden_brain():
    target = (150, *(np.array(START[1:]) * np.tile([3, 0.4], 12)[:23]).tolist())
    recipe = dataclasses.replace(RECIPE, matches=200)
    contest = towards(target)
    state = begin(recipe, 5)
    first = likeness(state.parent, target)
    for _ in range(150):
        state = step(state, recipe, contest)
    assert first < 0.7
    assert likeness(state.parent, target) > 0.95
    alike = [likeness(champion.weights, target) for champion in state.champions]
    assert alike == sorted(alike)
    assert len(alike) > 5


def test_a_run_starts_from_the_normalised_start():
    halved = tuple(w // 2 for w in START)
    assert begin(dataclasses.replace(RECIPE, start=halved), 0).parent == tuple(
        normalised(np.array(halved)).tolist()
    )
    with_zeros = dataclasses.replace(RECIPE, start=(1000, *([0] * 23)))
    assert begin(with_zeros, 0).parent == (1000, *([1] * 23))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"start": (1, 2)}, "start"),
        ({"start": (*START[:-1], 0.5)}, "start"),
        ({"start": (0,) * 22 + (1, 1)}, "evaluation weights of zero"),
        ({"start": None}, "start"),
        ({"baseline": "arwen"}, "baseline"),
        ({"R": 0}, "percentage"),
        ({"R": 101}, "percentage"),
        ({"R": float("nan")}, "percentage"),
        ({"matches": 7}, "even"),
        ({"matches": 0}, "at least 1"),
        ({"length": 0}, "length"),
        ({"generations": 2.5}, "generations"),
        ({"name": ""}, "name"),
        ({"mutation": 3}, "Unknown recipe field 'mutation'"),
    ],
)
def test_recipes_that_cannot_run_are_refused(fields, words, unchecked):
    with pytest.raises(InputError, match=words) as caught:
        EvolutionRecipe.from_dict({"start": START} | fields)
    assert "\n" not in str(caught.value)


def test_a_recipe_there_and_back():
    recipe = dataclasses.replace(RECIPE, R=12.5, baseline=tuple(reversed(START)), name="mine")
    assert EvolutionRecipe.from_dict(recipe.describe()) == recipe
    with pytest.raises(InputError, match="start"):
        EvolutionRecipe.from_dict({})


@pytest.mark.parametrize("won", [-1, 21])
def test_a_contest_that_cannot_be_is_refused(won):
    with pytest.raises(InputError, match=f"{won} of 20"):
        step(begin(RECIPE, 0), RECIPE, lambda *_: won)
