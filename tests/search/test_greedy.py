"""Choosing turns and averaging over rolls, against searches written in Python on the reference generator."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab.rules import Position, legal_turns
from bglab.rules.planes import pack, unpack
from bglab.rules.turns import Capacity, all_turns, fits
from bglab.search.greedy import after_values, best_turns, mean_of_best
from bglab.value.network import Network
from bglab.value.pytree import pytree
from tests import samples

N = 256
ROOM = Capacity(8192, (512, 2048, 8192, 16384))
ROOM_FOR_ALL = Capacity(32768, (2048, 8192, 24576, 49152))
SMALL = Capacity(64, (64, 64, 64, 64))
POINTS = np.array([1, 2, 3, -1, -2, -3])


@pytest.fixture(scope="module")
def network() -> Network:
    return samples.lively(1)


@pytest.fixture(scope="module")
def cases() -> list[samples.Case]:
    positions = samples.realistic(N - 64, seed=11) + samples.adversarial(64, seed=12)
    return list(zip(positions, samples.rolls(N, seed=13), strict=True))


@partial(jax.jit, static_argnames=("capacity", "checkers"))
def choose(evaluator, positions, dice, capacity, checkers=15):
    return best_turns(evaluator.prepared(), positions, dice, capacity, checkers)


@partial(
    jax.jit,
    static_argnames=("capacity", "checkers"),
    compiler_options={"xla_backend_optimization_level": 0},
)
def average(evaluator, positions, capacity, checkers=15):
    turns = all_turns(positions, capacity)
    return mean_of_best(evaluator.prepared(), turns, positions.shape[0], checkers), turns.needed


def arrays(cases) -> tuple[jax.Array, jax.Array]:
    positions, rolls = zip(*cases, strict=True)
    return jnp.asarray(pack(positions)), jnp.asarray(np.array(rolls, np.int32))


def outcomes_of(network: Network, afters: list[Position]) -> np.ndarray:
    """Outcomes for the player who moved, float[k, 6]: exact where the game is over, else the network's, swapped."""
    found = np.asarray(network(jnp.asarray(pack([after.flip() for after in afters]))))[
        :, [3, 4, 5, 0, 1, 2]
    ].copy()
    for row, after in zip(found, afters, strict=True):
        if after.result is not None:
            row[:] = np.eye(6)[after.result - 1]
    return found


def naive(network: Network, cases) -> list[tuple[list[Position], np.ndarray]]:
    """For each case the positions after its turns and their outcomes."""
    turns = [[turn.after for turn in legal_turns(*case)] for case in cases]
    outcomes = outcomes_of(network, [after for each in turns for after in each])
    ends = np.cumsum([len(each) for each in turns])
    return list(zip(turns, np.split(outcomes, ends[:-1]), strict=True))


def test_the_best_turn(network, cases):
    assert len(cases) >= 200
    choice = choose(network, *arrays(cases), ROOM)
    assert bool(fits(choice.needed, ROOM))
    clear = 0
    for (afters, outcomes), after, equity, won in zip(
        naive(network, cases), unpack(choice.after), choice.worth.tolist(), choice.won.tolist(), strict=True
    ):
        values = outcomes @ POINTS
        order = np.argsort(-values)
        assert equity == pytest.approx(values[order[0]], abs=1e-5)
        assert values[afters.index(after)] == pytest.approx(values[order[0]], abs=2e-5)
        assert won == (after.result or 0)
        if len(afters) > 1 and values[order[0]] - values[order[1]] > 1e-4:
            clear += 1
            assert after == afters[order[0]]
    assert clear > 100


def test_no_dependence_on_capacity_or_on_the_other_positions(network, cases):
    """A position alone with little room, or anywhere in a batch with plenty: the same bits."""
    positions, dice = arrays(cases)
    together = choose(network, positions, dice, ROOM)
    order = np.random.default_rng(0).permutation(N)
    shuffled = choose(network, positions[order], dice[order], ROOM)
    for mine, theirs in zip(together[:3], shuffled[:3], strict=True):
        assert np.array_equal(np.asarray(mine)[order], theirs)
    little = Capacity(256, (64, 256, 1024, 2048))
    for k in range(0, N, 8):
        alone = choose(network, positions[k : k + 1], dice[k : k + 1], little)
        assert bool(fits(alone.needed, little))
        assert np.array_equal(alone.after[0], together.after[k])
        assert float(alone.worth[0]) == float(together.worth[k])


def test_over_rolls(network, cases):
    """The average of 21 best turns, to 1e-5, and the same bits in any order."""
    positions = [position for position, _ in cases[::4]]
    assert len(positions) >= 60
    batch = jnp.asarray(pack(positions))
    found, needed = average(network, batch, ROOM_FOR_ALL)
    assert bool(fits(needed, ROOM_FOR_ALL))
    best = [
        outcomes[(outcomes @ POINTS).argmax()]
        for _, outcomes in naive(
            network, [(position, roll) for position in positions for roll in samples.ROLLS]
        )
    ]
    weights = np.array([(1 + (a != b)) / 36 for a, b in samples.ROLLS])
    wanted = np.einsum("nrk,r->nk", np.array(best).reshape(-1, 21, 6), weights)
    assert np.abs(np.asarray(found) - wanted).max() < 1e-5
    assert np.allclose(np.asarray(found).sum(1), 1, atol=1e-6)
    assert np.array_equal(average(network, batch[::-1], ROOM_FOR_ALL)[0], found[::-1])


@pytree()
@dataclass(frozen=True)
class Constant:
    """An evaluator that thinks the same of every position; outcomes float32[6] of the side on roll."""

    outcomes: jax.Array

    def __call__(self, positions, cube=None):
        return jnp.broadcast_to(self.outcomes, (positions.shape[0], 6))

    def prepared(self):
        return self


def worth(equity: float) -> Constant:
    """Thinks that a game which goes on is worth `equity`, between −1 and 3, to the player who has just moved."""
    share = (equity + 1) / 4
    return Constant(jnp.zeros(6).at[5].set(share).at[0].set(1 - share))


ENDS = [
    # the other side, points of a win now
    ({6: 1}, 1),
    ({6: 15}, 2),
    ({6: 14, "bar": 1}, 3),
    ({6: 14, 22: 1}, 3),
]


@pytest.mark.parametrize("equity", [-1, 0.5, 1.5, 2.5])
def test_a_won_game_is_worth_exactly_its_points(equity):
    """With 2-1 the mover may win now or keep a checker; with 6-5 it must win, whatever an evaluator thinks."""
    batch = jnp.asarray(pack([Position.of(me={2: 1, 1: 1}, opp=opp) for opp, _ in ENDS]))
    for roll, forced in (((2, 1), False), ((6, 5), True)):
        choice = choose(worth(equity), batch, jnp.tile(jnp.array([roll], jnp.int32), (4, 1)), SMALL)
        wins = [points if forced or points > equity else 0 for _, points in ENDS]
        assert choice.won.tolist() == wins
        assert choice.worth.tolist() == pytest.approx([points or equity for points in wins], abs=1e-6)
        assert all(
            value == points for value, points in zip(choice.worth.tolist(), wins, strict=True) if points
        )


def test_what_the_loser_has_left_decides():
    """The same turn is worth playing for a gammon or a backgammon, and not for a single game."""
    batch = jnp.asarray(pack([Position.of(me={2: 1, 1: 1}, opp=opp) for opp, _ in ENDS]))
    choice = choose(worth(1.9), batch, jnp.tile(jnp.array([(2, 1)], jnp.int32), (4, 1)), SMALL)
    assert choice.won.tolist() == [0, 2, 3, 3]


def test_hypergammon_counts_three_checkers():
    over = jnp.asarray(pack([Position.of(me={1: 1}, opp={6: 3}, checkers=3)] * 4))
    dice = jnp.tile(jnp.array([(2, 1)], jnp.int32), (4, 1))
    assert choose(worth(0.0), over, dice, SMALL, checkers=3).won.tolist() == [2] * 4
    assert choose(worth(0.0), over, dice, SMALL).won.tolist() == [1] * 4


def test_after_values(network):
    positions = [
        Position.of(me={}, opp={6: 15}),
        Position.of(me={}, opp={6: 1}),
        *samples.realistic(20, seed=3),
    ]
    found = after_values(network, jnp.asarray(pack(positions)))
    assert np.abs(np.asarray(found) - outcomes_of(network, positions)).max() < 1e-6
    assert found[:2].tolist() == [[0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
