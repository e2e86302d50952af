"""Targets: numbers worked out by hand, the two ends of λ on real games, and the average over all rolls."""

from __future__ import annotations

from itertools import islice

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab.errors import InputError
from bglab.rules import Position, legal_turns
from bglab.rules.planes import pack
from bglab.training.loop import padded
from bglab.training.selfplay import Games
from bglab.training.targets import (
    Trace,
    bellman_backup,
    exact_bellman,
    lambda_return,
    lambda_return_of,
    sampled_bellman,
)
from bglab.value.network import Network
from tests import samples

V = jnp.array(
    [
        [0.30, 0.20, 0.00, 0.40, 0.10, 0.00],
        [0.50, 0.10, 0.00, 0.25, 0.10, 0.05],
        [0.10, 0.00, 0.00, 0.60, 0.20, 0.10],
        [0.20, 0.20, 0.20, 0.20, 0.10, 0.10],
    ]
)
"""What an evaluator says of a game of three positions and of one of a single position."""
LAST = jnp.array([False, False, True, True])
OUTCOMES = jnp.zeros((4, 6)).at[2, 1].set(1).at[3, 0].set(1)
"""The mover of the third position wins a gammon there, that of the fourth a single game."""

BY_HAND = {
    # λ = 0: each position is worth what the next one is to the other side.
    0.0: [
        [0.25, 0.10, 0.05, 0.50, 0.10, 0.00],
        [0.60, 0.20, 0.10, 0.10, 0.00, 0.00],
        [0, 1, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
    ],
    # λ = 1: the result, seen from each side in turn.
    1.0: [
        [0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0],
        [0, 1, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
    ],
    # λ = 1/2. G_1 = swap((V_2 + G_2) / 2) = swap(.05 .50 .00 .30 .10 .05); G_0 = swap((V_1 + G_1) / 2).
    0.5: [
        [0.15, 0.30, 0.025, 0.40, 0.10, 0.025],
        [0.30, 0.10, 0.05, 0.05, 0.50, 0.00],
        [0, 1, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
    ],
}


@pytest.mark.parametrize("lam", BY_HAND)
def test_numbers_worked_out_by_hand(lam):
    found = lambda_return_of(V, LAST, OUTCOMES, lam)
    assert np.allclose(found, BY_HAND[lam], atol=1e-6)


@pytest.fixture(scope="module")
def network() -> Network:
    return samples.lively(2)


def real_games(count: int) -> tuple[Trace, int]:
    """A trace of games of the sensible player, padded, and the rows in use."""
    plies = []
    for ply in samples.play(samples.sensible_turn, 7):
        plies.append(ply)
        count -= ply.after.result is not None
        if not count:
            break
    won = np.array([ply.after.result or 0 for ply in plies], np.int32)
    games = Games(pack([ply.position for ply in plies]), won > 0, won, int((won > 0).sum()), 0)
    trace, n = padded(games)
    return trace, int(n)


@pytest.fixture(scope="module")
def games() -> tuple[Trace, int]:
    return real_games(12)


def naive(trace: Trace, values: np.ndarray, lam: float, n: int) -> np.ndarray:
    """Document 000, section 5.8, walking each game backwards."""
    returns = np.zeros((n, 6))
    for t in reversed(range(n)):
        if trace.last[t]:
            returns[t, int(trace.won[t]) - 1] = 1
        else:
            mixed = (1 - lam) * values[t + 1] + lam * returns[t + 1]
            returns[t] = mixed[[3, 4, 5, 0, 1, 2]]
    return returns


@pytest.mark.parametrize("lam", [0.0, 0.3, 0.7, 1.0])
def test_lambda_returns_of_real_games(games, network, lam):
    trace, n = games
    found = np.asarray(lambda_return(trace, network, lam))
    values = np.asarray(network(trace.positions))
    assert found.shape == (len(trace.last), 6)
    assert found.dtype == np.float32
    assert np.abs(found[:n] - naive(trace, values, lam, n)).max() < 1e-5
    assert np.abs(found.sum(1) - 1).max() < 1e-5
    assert found.min() >= 0


def test_lambda_1_is_monte_carlo(games, network):
    """The result of the game alone, by turns of the winner and of the loser, whatever the network says."""
    trace, n = games
    found = np.asarray(lambda_return(trace, network, 1.0))[:n]
    assert np.array_equal(found, np.asarray(lambda_return(trace, samples.lively(9), 1.0))[:n])
    assert np.array_equal(np.unique(found), [0, 1])
    ends = np.flatnonzero(np.asarray(trace.last)[:n])
    firsts = [0, *(ends[:-1] + 1)]
    for first, end in zip(firsts, ends, strict=True):
        points = int(trace.won[end])
        for t in range(first, end + 1):
            winner = (end - t) % 2 == 0
            assert found[t, points - 1 if winner else points + 2] == 1


def test_lambda_0_is_the_sampled_bellman_backup(games, network):
    """The network's value of the position that followed, or the result at the end."""
    trace, n = games
    found = np.asarray(sampled_bellman(trace, network))[:n]
    assert np.array_equal(found, np.asarray(lambda_return(trace, network, 0.0))[:n])
    following = np.roll(np.asarray(network(trace.positions)), -1, axis=0)[:n, [3, 4, 5, 0, 1, 2]]
    goes_on = ~np.asarray(trace.last)[:n]
    assert np.abs(found[goes_on] - following[goes_on]).max() < 1e-6


@pytest.mark.parametrize("lam", [-0.1, 1.1, 70, float("nan")])
def test_other_lambdas_are_refused(games, network, lam):
    with pytest.raises(InputError, match=r"^λ lies between 0 \(TD\(0\)\) and 1 \(Monte Carlo\), not .*\.$"):
        lambda_return(games[0], network, float(lam))


def naive_backups(network: Network, positions: list[Position]) -> np.ndarray:
    """The 21 rolls of each position one by one, each played for the largest equity."""
    turns = [
        [turn.after for turn in legal_turns(position, roll)]
        for position in positions
        for roll in samples.ROLLS
    ]
    afters = [after for each in turns for after in each]
    outcomes = np.array(network(jnp.asarray(pack([after.flip() for after in afters]))))[:, [3, 4, 5, 0, 1, 2]]
    for row, after in zip(outcomes, afters, strict=True):
        if after.result is not None:
            row[:] = np.eye(6)[after.result - 1]
    of_rolls = np.split(outcomes, np.cumsum([len(each) for each in turns])[:-1])
    best = [each[(each @ np.array([1, 2, 3, -1, -2, -3])).argmax()] for each in of_rolls]
    weights = np.array([(1 + (a != b)) / 36 for a, b in samples.ROLLS])
    return np.einsum("nrk,r->nk", np.array(best).reshape(-1, 21, 6), weights)


@pytest.fixture(scope="module")
def hypergammon() -> list[Position]:
    """The last positions before the end of games with three checkers."""
    plies = islice(samples.play(samples.any_turn, 3, "hypergammon"), 600)
    return [ply.position for ply in plies if any(turn.after.result for turn in ply.turns)][:16]


def test_exact_bellman_counts_the_checkers_of_the_variant(hypergammon, network):
    """With three checkers a gammon is a loser with all three left; the result of the game does not enter."""
    batch = jnp.asarray(pack(hypergammon))
    trace = Trace(batch, jnp.ones(16, bool), jnp.ones(16, jnp.int32), checkers=3)
    found = np.asarray(exact_bellman(trace, network))
    assert np.abs(found - naive_backups(network, hypergammon)).max() < 1e-5
    assert np.abs(found.sum(1) - 1).max() < 1e-5
    gammons = [position for position in hypergammon if position.off[1] == 0]
    assert gammons
    assert float(found[:, 1:3].max()) > 0.5
    assert np.array_equal(exact_bellman(trace._replace(won=jnp.zeros(16, jnp.int32)), network), found)


def test_any_number_of_positions_in_chunks(hypergammon, network):
    batch = jnp.asarray(pack(hypergammon))
    whole = bellman_backup(network, batch, 16, checkers=3)
    twice = bellman_backup(network, jnp.concatenate([batch, batch[:5]]), 16, checkers=3)
    assert np.array_equal(twice, np.concatenate([whole, whole[:5]]))
    assert bellman_backup(network, batch[:0]).shape == (0, 6)


def test_padding(games):
    trace, n = games
    assert len(trace.last) in (1024, 4096)
    assert n < len(trace.last)
    assert trace.last[n:].all()
    assert trace.checkers == 15
    assert (
        padded(Games(pack([Position.start()]), np.array([True]), np.array([1], np.int32), 1, 0), 3)[
            0
        ].checkers
        == 3
    )


def test_targets_do_not_depend_on_the_padding(games, network):
    trace, n = games
    short = jax.tree.map(lambda rows: rows[:n] if np.ndim(rows) else rows, trace)
    assert np.allclose(
        lambda_return(short, network), np.asarray(lambda_return(trace, network))[:n], atol=1e-6
    )
