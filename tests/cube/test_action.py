"""Cube actions in batches against the formula on one position at a time."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, InputError, Position
from bglab.cube.action import cube_action
from bglab.cube.cubeful import Cubeful
from bglab.cube.match_cube import match_actions
from bglab.cube.match_equity import MatchScore
from bglab.cube.metfile import load_met
from bglab.rules.planes import pack
from bglab.value.pytree import pytree
from tests import samples


@pytree()
@dataclass(frozen=True)
class Fixed:
    """Says the same of every position."""

    outcomes: jax.Array

    def __call__(self, positions, cube=None):
        return jnp.broadcast_to(self.outcomes, (positions.shape[0], 6))


@pytree()
@dataclass(frozen=True)
class Opinionated:
    """Has a rule of its own: doubles on a live cube, and would take if the cube is in the middle."""

    def __call__(self, positions, cube=None):
        return jnp.zeros(positions.shape[0], jnp.float32)

    def cube_action(self, positions, owner, live):
        return live, owner == 0


@pytree()
@dataclass(frozen=True)
class Silent:
    def __call__(self, positions, cube=None):
        return jnp.zeros(positions.shape[0], jnp.float32)


def plain(outcomes, position: Position, owner: int, live: bool) -> tuple[float, float]:
    """What a double gains with the best answer, and what passing costs the other side, in plain arithmetic."""
    w, wg, wb, l, lg, lb = (float(v) for v in outcomes)
    p, q = w + wg + wb, l + lg + lb
    W, L = (w + 2 * wg + 3 * wb) / p if p else 1, (l + 2 * lg + 3 * lb) / q if q else 1
    x = (0.7 if position.contact else 0.6) if live else 0
    hold = p * (W + L + 0.5 * x) - L if owner else 4 / (4 - x) * (p * (W + L + 0.5 * x) - L - 0.25 * x)
    taken = 2 * (p * (W + L + 0.5 * x) - L - 0.5 * x)
    return min(taken, 1) - hold, 1 - taken


def test_batches_follow_the_formula() -> None:
    """2,000 positions with a network's outcomes; only where the equities all but tie may rounding decide."""
    network = samples.lively(3)
    positions = samples.realistic(1000, seed=4) + samples.adversarial(1000, seed=5)
    positions = [position for position in positions if position.result is None]
    rng = np.random.default_rng(0)
    owner = rng.integers(0, 2, len(positions)).astype(np.int32)
    live = rng.random(len(positions)) < 0.7
    planes = jnp.asarray(pack(positions))
    outcomes = np.asarray(jax.jit(lambda n, p: n(p))(network, planes))
    double, take = jax.jit(cube_action)(network, planes, jnp.asarray(owner), jnp.asarray(live))
    gains, saves = np.array(
        [plain(*row) for row in zip(outcomes, positions, owner.tolist(), live.tolist(), strict=True)]
    ).T
    sure, clear = np.abs(gains) > 1e-5, np.abs(saves) > 1e-5
    assert sure.mean() > 0.99
    assert clear.mean() > 0.99
    np.testing.assert_array_equal(np.asarray(double)[sure], gains[sure] > 0)
    np.testing.assert_array_equal(np.asarray(take)[clear], saves[clear] > 0)
    assert 0.02 < np.asarray(double).mean() < 0.98
    assert 0.02 < np.asarray(take).mean() < 0.98


def test_life_of_the_cube_in_contact_in_a_race_and_dead() -> None:
    """Chances between the take points of two lives are taken with the livelier cube alone."""
    contact, race = Position.start(), Position.of(me={1: 5}, opp={1: 5})
    planes = jnp.asarray(pack([contact, race, contact, race]))
    live = jnp.array([True, True, False, False])
    owner = jnp.zeros(4, jnp.int32)
    for chance, expected in (
        (0.5 / 2.35 - 0.001, [False, False, False, False]),
        (0.5 / 2.35 + 0.001, [True, False, False, False]),
        (0.5 / 2.30 + 0.001, [True, True, False, False]),
        (0.25 + 0.001, [True, True, True, True]),
    ):
        fixed = Fixed(jnp.array([1 - chance, 0, 0, chance, 0, 0], jnp.float32))
        _, take = cube_action(fixed, planes, owner, live)
        assert np.asarray(take).tolist() == expected


def test_opponents_cube_is_never_doubled() -> None:
    fixed = Fixed(jnp.array([0.78, 0, 0, 0.22, 0, 0], jnp.float32))
    planes = jnp.asarray(pack([Position.start()] * 3))
    double, _ = cube_action(fixed, planes, jnp.array([0, 1, -1], jnp.int32), jnp.ones(3, bool))
    assert np.asarray(double).tolist() == [True, True, False]


def test_rule_of_its_own_and_none_at_all() -> None:
    planes = pack([Position.start()] * 3)
    owner, live = np.array([0, 1, 0], np.int32), np.array([True, False, False])
    double, take = Agent("own", Opinionated()).cube_many(planes, owner, live)
    assert double.tolist() == live.tolist()
    assert take.tolist() == [True, False, True]
    with pytest.raises(InputError, match="cube_action"):
        Agent("silent", Silent()).cube_many(planes, owner, live)


def test_answers_do_not_depend_on_how_many_are_asked() -> None:
    agent = Agent("lively", samples.lively(3))
    positions = pack(samples.realistic(300, seed=6))
    owner, live = np.arange(300, dtype=np.int32) % 2, np.arange(300) % 3 > 0
    double, take = agent.cube_many(positions, owner, live)
    assert double.shape == take.shape == (300,)
    for part in (slice(0, 1), slice(250, 300), slice(0, 128), slice(0, 0)):
        some = agent.cube_many(positions[part], owner[part], live[part])
        np.testing.assert_array_equal(some[0], double[part])
        np.testing.assert_array_equal(some[1], take[part])


def test_decisions_at_a_match_score() -> None:
    """The same as asking the formula, compiled or not; the money rules stay where no score is given."""
    network = samples.lively(3)
    positions = [each for each in samples.realistic(512, seed=4) if each.result is None][:500]
    planes, rng = jnp.asarray(pack(positions)), np.random.default_rng(1)
    owner = rng.integers(-1, 2, 500).astype(np.int32)
    mine, theirs = rng.integers(1, 10, (2, 500)).astype(np.int32)
    crawford = ((mine == 1) != (theirs == 1)) & (rng.random(500) < 0.5)
    score = MatchScore(mine, theirs, np.full(500, 2, np.int32), crawford)
    outcomes = np.asarray(jax.jit(lambda n, p: n(p))(network, planes), np.float64)
    x = np.where([each.contact for each in positions], 0.7, 0.6)
    hold, taken, passed = match_actions(load_met(), score, outcomes, x, owner)
    double, take = jax.jit(cube_action)(network, planes, owner, np.ones(500, bool), score, load_met())
    gain, cost = np.minimum(taken, passed) - hold, passed - taken
    may = (owner >= 0) & (score.cube < mine) & ~score.crawford
    sure, clear = np.abs(gain) > 1e-5, np.abs(cost) > 1e-5
    np.testing.assert_array_equal(np.asarray(double)[sure], (may & (gain > 0))[sure])
    np.testing.assert_array_equal(np.asarray(take)[clear], (cost >= 0)[clear])
    assert sure[may].mean() > 0.9
    assert 0.02 < np.asarray(double).mean() < 0.9
    default, _ = jax.jit(cube_action)(network, planes, owner, np.ones(500, bool), score)
    np.testing.assert_array_equal(default, double)
    money, _ = jax.jit(cube_action)(network, planes, owner, np.ones(500, bool))
    assert (np.asarray(money) != np.asarray(double)).any()


@pytest.mark.parametrize("table", [None, load_met()])
def test_an_owner_that_is_none_is_refused(table) -> None:
    planes = pack([Position.start()] * 2)
    owner, live = np.array([0, 5], np.int32), np.ones(2, bool)
    with pytest.raises(InputError, match="not to array"):
        cube_action(samples.lively(3), planes, owner, live)
    with pytest.raises(InputError, match="not to array"):
        Agent("lively", samples.lively(3), table).cube_many(planes, owner, live)


def test_money_equities_say_nothing_at_a_score() -> None:
    one = jnp.asarray(pack([Position.start()]))
    with pytest.raises(InputError, match="money play"):
        cube_action(
            Cubeful(samples.lively(3)), one, jnp.zeros(1, jnp.int32), jnp.ones(1, bool), MatchScore(3, 4)
        )
