"""Rollouts against the same games played one at a time in Python, against exact values, and against themselves."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import InputError, Position, legal_turns, load
from bglab.cube.cubeful import Cubeful
from bglab.rules.planes import pack, unpack
from bglab.search.expectimax import Expectimax
from bglab.search.rollout import rollout
from bglab.search.trials import FACES, ROLL_OF, WEIGHTS, dice_of, first_rolls, spread
from bglab.value.outcome import POINTS
from bglab.value.parameter import load_brain
from tests import samples

PLACES = [
    Position.of(me={3: 1, 1: 2, 8: 1}, opp={4: 1, 20: 1}, checkers=4),
    Position.of(me={6: 1, 2: 1}, opp={3: 2, 1: 1}, checkers=3),
    Position.of(me={24: 1, 2: 1}, opp={24: 1, 7: 1}, checkers=3),
]


@pytest.fixture(scope="module")
def network():
    return samples.lively(1)


@pytest.fixture(scope="module")
def ask(network):
    call = jax.jit(lambda evaluator, rows, cube: evaluator(rows, cube))

    @cache
    def one(position: Position, owner: int | None = None) -> np.ndarray:
        evaluator = network if owner is None else Cubeful(network)
        rows = jnp.asarray(pack([position] * 64))
        cube = None if owner is None else jnp.full(64, owner, jnp.int32)
        return np.asarray(call(evaluator, rows, cube), np.float64)[0]

    return one


def turned(outcomes: np.ndarray) -> np.ndarray:
    return outcomes[[3, 4, 5, 0, 1, 2]]


def after_best(ask, position: Position, roll: tuple[int, int]) -> tuple[Position, np.ndarray]:
    """The turn of largest equity, and its outcomes for the player who moves."""
    best = None
    for turn in legal_turns(position, roll):
        values = np.eye(6)[turn.after.result - 1] if turn.after.result else turned(ask(turn.after.flip()))
        if best is None or values @ POINTS > best[1] @ POINTS:
            best = (turn.after, values)
    return best


def naive_trial(ask, position: Position, faces: np.ndarray, truncate: int | None, reduce: bool) -> np.ndarray:
    total, mine = np.zeros(6), True
    for ply in range(len(faces)):
        own = (lambda values: values) if mine else turned
        if ply == truncate:
            return total + own(ask(position))
        if reduce:
            mean = sum((1 + (a != b)) / 36 * after_best(ask, position, (a, b))[1] for a, b in samples.ROLLS)
        after, values = after_best(ask, position, divmod_roll(faces[ply]))
        if reduce:
            total = total + own(mean - values)
        if after.result:
            return total + own(np.eye(6)[after.result - 1])
        position, mine = after.flip(), not mine
    raise AssertionError


def divmod_roll(face: int) -> tuple[int, int]:
    return int(face) // 6 + 1, int(face) % 6 + 1


@pytest.mark.parametrize(("truncate", "reduce"), [(None, True), (None, False), (3, True)])
def test_the_same_games_as_one_at_a_time(network, ask, truncate, reduce):
    trials = 40
    rolling = rollout(network, trials, truncate=truncate, reduce=reduce, seed=5, checkers=3)
    found = rolling.estimate(pack(PLACES[1:]))
    rolls = dice_of(5, 0, trials)
    for k, position in enumerate(PLACES[1:]):
        wanted = np.array([naive_trial(ask, position, faces, truncate, reduce) for faces in rolls])
        np.testing.assert_allclose(found.values[k], wanted.mean(0), atol=2e-5)
        np.testing.assert_allclose(found.errors[k], wanted.std(0, ddof=1) / np.sqrt(trials), atol=2e-5)
        equities = wanted @ POINTS
        assert found.equity[k] == pytest.approx(equities.mean(), abs=5e-5)
        assert found.equity_error[k] == pytest.approx(equities.std(ddof=1) / np.sqrt(trials), abs=5e-5)
    assert found.trials.tolist() == [trials, trials]
    assert found.cut.tolist() == [0, 0]
    assert list(found.table().columns[:3]) == ["equity", "error", "trials"]


def cube_best(ask, position, roll, owner) -> tuple[Position, float]:
    best = None
    for turn in legal_turns(position, roll):
        value = float(turn.after.result) if turn.after.result else -float(ask(turn.after.flip(), -owner))
        if best is None or value > best[1]:
            best = (turn.after, value)
    return best


def naive_cubeful(network, ask, position, faces, owner) -> float:
    """One trial with the cube, its luck taken out, per unit of the cube at the start."""
    total, sign, cube = 0.0, 1, 1
    for ply, face in enumerate(faces):
        if ply and owner >= 0:
            hold, taken = (
                float(each[0])
                for each in Cubeful(network).hold_and_take(
                    jnp.asarray(pack([position])), jnp.array([owner], jnp.int32)
                )
            )
            if min(taken, 1) > hold:
                if taken > 1:
                    return total + sign * cube
                cube, owner = 2 * cube, -1
        mean = sum((1 + (a != b)) / 36 * cube_best(ask, position, (a, b), owner)[1] for a, b in samples.ROLLS)
        after, value = cube_best(ask, position, divmod_roll(face), owner)
        total += sign * cube * (mean - value)
        if after.result:
            return total + sign * cube * after.result
        position, sign, owner = after.flip(), -sign, -owner
    raise AssertionError


@pytest.mark.parametrize("owner", [1, 0, -1])
def test_cubeful_games_as_one_at_a_time(network, ask, owner):
    rolling = rollout(Cubeful(network), 12, seed=2, checkers=3)
    positions = PLACES[1:]
    found = rolling.estimate(pack(positions), np.full(2, owner, np.int32))
    for k, position in enumerate(positions):
        wanted = [naive_cubeful(network, ask, position, faces, owner) for faces in dice_of(2, 0, 12)]
        assert found.values[k] == found.equity[k] == pytest.approx(np.mean(wanted), abs=1e-4)
    hold, taken = rolling.hold_and_take(pack(positions), np.full(2, owner, np.int32))
    np.testing.assert_allclose(hold, found.equity, atol=1e-6)
    if owner == -1:
        np.testing.assert_allclose(taken, 2 * found.equity, atol=1e-6)
        assert rolling.cubeful


def test_stratified_exactly(network):
    """Known answer R3: a last checker on the 6 point against one on the ace point wins 27 games of 36."""
    position = pack([Position.of(me={6: 1}, opp={1: 1})])
    found = rollout(network, 36_000, reduce=False).estimate(position)
    assert found.values[0].tolist() == [0.75, 0, 0, 0.25, 0, 0]
    assert found.errors[0].max() == 0
    assert rollout(network, 35_999, reduce=False).estimate(position).values[0][0] != 0.75


def test_dice_are_spread_evenly():
    rolls = dice_of(3, 0, 36 * 72)
    assert rolls.shape == (36 * 72, 1024)
    for first in range(0, 36 * 72, FACES):
        for ply in (0, 1):
            assert sorted(rolls[first : first + FACES, ply]) == list(range(36))
    for first in (0, 1296):
        pairs = {tuple(pair) for pair in rolls[first : first + 1296, :2].tolist()}
        assert len(pairs) == 1296
    assert np.array_equal(dice_of(3, 1000, 1100), rolls[1000:1100])
    assert np.bincount(rolls[:, 2:].ravel(), minlength=36).std() < 400
    roll = ROLL_OF[rolls[:, 0] // 6, rolls[:, 0] % 6]
    assert np.array_equal(first_rolls(3, len(rolls)), roll)
    assert not np.array_equal(dice_of(4, 0, 50), rolls[:50])


def test_the_error_knows_that_the_first_roll_is_spread_evenly():
    rng = np.random.default_rng(0)
    offset = rng.normal(size=21) * 3
    means, said = [], []
    for seed in range(200):
        rolls = first_rolls(seed, 72)
        values = offset[rolls] + rng.normal(size=72)
        means.append(values.mean())
        said.append(spread(values, rolls))
    assert np.mean(said) == pytest.approx(np.std(means), rel=0.15)
    assert spread(offset[rolls], rolls) == 0
    assert spread(values[:71], rolls[:71]) == pytest.approx(values[:71].std(ddof=1) / np.sqrt(71))


def test_luck_is_worth_nothing_on_average(network):
    """Known answer R2, whatever is then played: the control variate is about the evaluator's own turns."""
    positions = pack(samples.realistic(60, seed=3))
    for evaluator, cube in ((network, None), (Cubeful(network), np.zeros(60, np.int32))):
        _, worth = Expectimax(evaluator, 0).by_roll(positions, cube)
        mean = np.einsum("nr...,r->n...", worth, WEIGHTS)
        luck = worth - mean[:, None]
        assert abs(np.einsum("nr...,r->n...", luck, WEIGHTS)).max() < 1e-9
    assert WEIGHTS.sum() == pytest.approx(1, abs=1e-15)


@dataclass(frozen=True)
class Exact:
    """A race of two checkers a side, solved on the host."""

    on_host = True

    def __call__(self, positions, cube=None):
        values = np.zeros((len(positions), 6), np.float32)
        for k, position in enumerate(unpack(np.asarray(positions), 3)) if positions.any() else ():
            values[k] = exact(position)
        return values


@cache
def exact(position: Position) -> np.ndarray:
    total = np.zeros(6)
    for a, b in samples.ROLLS:
        found = [
            np.eye(6)[t.after.result - 1] if t.after.result else turned(exact(t.after.flip()))
            for t in legal_turns(position, (a, b))
        ]
        total += (1 + (a != b)) / 36 * max(found, key=lambda values: float(values @ POINTS))
    return total


def test_with_exact_values_nothing_is_left_to_luck():
    position = Position.of(me={5: 1, 4: 1}, opp={3: 1, 2: 1}, checkers=3)
    found = rollout(Exact(), 36, checkers=3).estimate(pack([position]))
    np.testing.assert_allclose(found.values[0], exact(position), atol=1e-6)
    assert found.errors[0].max() < 1e-6


def test_no_bias(network):
    positions = pack([PLACES[1], PLACES[2]])
    plain = rollout(network, 36 * 60, reduce=False, seed=1, checkers=3).estimate(positions)
    reduced = rollout(network, 36 * 20, seed=2, checkers=3).estimate(positions)
    apart = reduced.equity - plain.equity
    assert (abs(apart) < 4 * np.hypot(plain.equity_error, reduced.equity_error)).all()


def test_the_same_however_it_is_divided(network):
    positions = pack([*PLACES[1:], *PLACES[1:]])
    rolling = pickle.loads(pickle.dumps(rollout(network, 72, seed=7, checkers=3)))
    alone = [rolling.estimate(positions[k : k + 1]) for k in range(2)]
    with ThreadPoolExecutor(2) as pool:
        together = rolling.estimate(positions, executor=pool)
    for k in range(4):
        assert together.values[k].tolist() == alone[k % 2].values[0].tolist()
        assert together.errors[k].tolist() == alone[k % 2].errors[0].tolist()
    assert rolling(positions).tolist() == together.values.astype(np.float32).tolist()
    assert rolling.estimate(positions[:0]).values.shape == (0, 6)


def test_stops_at_a_standard_error(network):
    positions = pack([Position.of(me={6: 1}, opp={1: 1}), PLACES[2]])
    rolling = rollout(network, 36 * 40, error=0.02, reduce=False, checkers=3)
    found = rolling.estimate(positions)
    assert found.trials[0] == 324
    assert found.trials[1] > 324
    assert found.equity_error[1] <= 0.02 or found.trials[1] == 36 * 40


def test_looking_ahead_plays_other_turns_and_takes_out_the_same_luck(network):
    positions = pack([PLACES[1]])
    at_0, at_1 = (
        rollout(network, 36, plies=plies, seed=3, checkers=3).estimate(positions) for plies in (0, 1)
    )
    assert abs(at_0.equity - at_1.equity) < 5 * np.hypot(at_0.equity_error, at_1.equity_error) + 0.05


def test_a_brain_without_equities_only_plays():
    brain = load_brain("origin")
    found = rollout(brain, 72, checkers=3).estimate(pack([PLACES[1]]))
    assert found.values[0].sum() == pytest.approx(1)
    assert set((found.values[0] * 72).round(9) % 1) == {0.0}
    with pytest.raises(InputError, match="without truncate"):
        rollout(brain, 36, truncate=2, checkers=3).estimate(pack([PLACES[1]]))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"trials": 1}, "trials is a whole number of at least 2"),
        ({"trials": 36.0}, "trials is a whole number"),
        ({"truncate": 0}, "truncate is a whole number of at least 1"),
        ({"error": 0}, "standard error above 0"),
        ({"error": np.nan}, "standard error above 0"),
        ({"seed": -1}, "A seed is"),
        ({"reduce": "no"}, "True or False"),
        ({"plies": 9}, "0 to 4 plies"),
    ],
)
def test_refused(network, options, words):
    with pytest.raises(InputError, match=words):
        rollout(network, **options)
    with pytest.raises(InputError, match="rollout already"):
        rollout(rollout(network, 36), 36)


def test_what_is_no_evaluator_and_what_is_no_position(network, unchecked):
    for wrong in (load(), "gnubg:0ply", None):
        with pytest.raises(InputError, match="is of an evaluator"):
            rollout(wrong)
    for wrong in (Position.start(), [Position.start()], np.zeros((2, 3), np.uint32), np.zeros((2, 8))):
        with pytest.raises(InputError, match="bit planes"):
            rollout(network, 36).estimate(wrong)
