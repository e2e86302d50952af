"""Wins alone: what the chance of winning says, on the device and on the host."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, Position
from bglab.rules.planes import pack
from bglab.search.expectimax import expectimax
from bglab.value.evaluator import on_host, prepare
from bglab.value.wins import WinsOnly
from tests import samples


class OnHost:
    """A network's outcomes as an engine outside would give them."""

    on_host = True

    def __init__(self, network) -> None:
        self.network = network

    def __call__(self, positions, cube=None):
        return np.asarray(self.network(jnp.asarray(positions)))


def test_worth_is_that_of_single_games():
    network = samples.lively(1)
    positions = jnp.asarray(pack(samples.realistic(40, seed=3)))
    outcomes = np.asarray(network(positions))
    for evaluator in (WinsOnly(network), WinsOnly(OnHost(network)), jax.jit(prepare)(WinsOnly(network))):
        worth = np.asarray(evaluator(positions))
        assert worth == pytest.approx(outcomes[:, :3].sum(1) - outcomes[:, 3:].sum(1), abs=1e-5)
    assert WinsOnly(network).final(jnp.arange(4, dtype=jnp.int32)).tolist() == [0, 1, 1, 1]
    assert on_host(WinsOnly(OnHost(network)))
    assert not on_host(WinsOnly(network))


def test_an_agent_takes_the_turn_that_wins_most_often():
    network = samples.lively(1)
    positions = samples.realistic(30, seed=4)
    dice = np.array(samples.rolls(30, seed=5), np.int32)
    chosen = [
        Agent("wins", evaluator).choose_many(pack(positions), dice)
        for evaluator in (WinsOnly(network), WinsOnly(OnHost(network)), expectimax(WinsOnly(network), 0))
    ]
    for after, won in chosen[1:]:
        assert np.array_equal(after, chosen[0][0])
        assert np.array_equal(won, chosen[0][1])
    # A gammon in hand is worth no more than a win.
    table = Agent("wins", WinsOnly(network)).rank(Position.of(me={1: 1}, opp={6: 15}), (2, 1))
    assert table["2p - 1"].tolist() == [1]
