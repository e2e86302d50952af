"""Gradient descent: gradients against finite differences, whole passes against NumPy, and the edges of a batch."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from bglab.rules.dice import seeded
from bglab.rules.planes import pack
from bglab.training.fit import make_fit
from bglab.value.network import ACTIVATIONS, Network, NetworkSpec, init
from tests import samples
from tests.value.test_network import NUMPY, lively

N = 200


@pytest.fixture(scope="module")
def batch() -> jax.Array:
    return jnp.asarray(pack(samples.realistic(N, seed=1)))


@pytest.fixture(scope="module")
def targets() -> jax.Array:
    return jnp.asarray(np.random.default_rng(0).dirichlet(np.full(6, 0.5), N).astype(np.float32))


@pytest.fixture
def quickly():
    """Compile without optimising: these networks are tiny and each is used once."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def doubles(network: Network) -> list[np.ndarray]:
    """Weights and biases in double precision, layer by layer."""
    return [np.array(array, np.float64) for layer in network.layers for array in layer]


def loss(parameters: list[np.ndarray], activation: str, x: np.ndarray, target: np.ndarray) -> float:
    """Cross-entropy of one position in double precision (document 000, sections 5.4 and 5.9)."""
    a = x
    for k in range(0, len(parameters), 2):
        z = a @ parameters[k] + parameters[k + 1]
        a = NUMPY[activation](z)
    return float(np.log(np.exp(z - z.max()).sum()) + z.max() - target @ z)


def gradient(parameters: list[np.ndarray], x: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
    """Backpropagation by hand through sigmoid layers: δ = p − t at the outputs, then the chain rule."""
    inputs = [x]
    for k in range(0, len(parameters), 2):
        z = inputs[-1] @ parameters[k] + parameters[k + 1]
        inputs.append(1 / (1 + np.exp(-z)))
    p = np.exp(z - z.max())
    delta = p / p.sum() - target
    grads: list[np.ndarray] = []
    for k in reversed(range(0, len(parameters), 2)):
        a = inputs[k // 2]
        grads = [np.outer(a, delta), delta, *grads]
        delta = parameters[k] @ delta * a * (1 - a)
    return grads


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_equal_finite_differences(activation, batch, targets):
    """What one update with a rate of 1 subtracts, against central differences: absolutely or relatively equal."""
    network = lively(NetworkSpec((6, 5), activation), seed=4)
    optimiser = optax.sgd(1.0)
    fitted, _, _ = make_fit(optimiser, 1)(
        network, optimiser.init(network), batch[7:8], targets[7:8], jnp.int32(1)
    )
    x, target = np.asarray(network.features(batch[7:8]), np.float64)[0], np.asarray(targets[7], np.float64)
    parameters = doubles(network)
    checked = 0
    for array, before, after in zip(parameters, doubles(network), doubles(fitted), strict=True):
        for index in np.ndindex(array.shape):
            if array.shape[0] == 196 and x[index[0]] == 0:
                assert after[index] == before[index]
                continue
            value, step = array[index], 1e-5
            array[index] = value + step
            above = loss(parameters, activation, x, target)
            array[index] = value - step
            below = loss(parameters, activation, x, target)
            array[index] = value
            numeric, found = (above - below) / (2 * step), before[index] - after[index]
            assert found == pytest.approx(numeric, abs=2e-6, rel=1e-3)
            checked += 1
    assert checked > 200


def test_one_position_at_a_time_in_order_is_plain_gradient_descent(batch, targets):
    """Document 000, section 5.9: w ← w − η ∂L/∂w once per position, by hand in double precision."""
    network = lively(NetworkSpec((6, 5)), seed=1)
    parameters, losses = doubles(network), []
    features = np.asarray(network.features(batch), np.float64)
    for x, target in zip(features, np.asarray(targets, np.float64), strict=True):
        losses.append(loss(parameters, "sigmoid", x, target))
        parameters = [w - 0.1 * g for w, g in zip(parameters, gradient(parameters, x, target), strict=True)]
    optimiser = optax.sgd(0.1)
    fitted, _, mean = make_fit(optimiser, 1)(network, optimiser.init(network), batch, targets, jnp.int32(N))
    assert float(mean) == pytest.approx(np.mean(losses), abs=1e-5)
    for wanted, found in zip(parameters, doubles(fitted), strict=True):
        assert np.abs(wanted - found).max() < 1e-5
    turned, _, _ = make_fit(optimiser, 1)(
        network, optimiser.init(network), batch[::-1], targets[::-1], jnp.int32(N)
    )
    assert max(np.abs(a - b).max() for a, b in zip(doubles(turned), doubles(fitted), strict=True)) > 1e-4


@pytest.mark.parametrize("n", [128, 150, 40])
def test_batches_and_a_smaller_last_one(n, batch, targets):
    """With 64 at a time the mean of each batch's gradients is taken, the last one's over what is left."""
    network = lively(NetworkSpec((6, 5)), seed=2)
    parameters, losses = doubles(network), []
    features, wanted_targets = (
        np.asarray(network.features(batch), np.float64),
        np.asarray(targets, np.float64),
    )
    for first in range(0, n, 64):
        rows = range(first, min(first + 64, n))
        losses += [loss(parameters, "sigmoid", features[k], wanted_targets[k]) for k in rows]
        grads = [gradient(parameters, features[k], wanted_targets[k]) for k in rows]
        means = [np.mean(each, axis=0) for each in zip(*grads, strict=True)]
        parameters = [w - 0.5 * g for w, g in zip(parameters, means, strict=True)]
    optimiser = optax.sgd(0.5)
    fitted, _, mean = make_fit(optimiser, 64)(network, optimiser.init(network), batch, targets, jnp.int32(n))
    assert float(mean) == pytest.approx(np.mean(losses), abs=1e-5)
    for wanted, found in zip(parameters, doubles(fitted), strict=True):
        assert np.abs(wanted - found).max() < 1e-5


@pytest.mark.parametrize("size", [1, 64])
def test_rows_past_the_last_change_nothing(size, batch, targets):
    """The same bits whatever stands in the rows that fill the trace up."""
    network = lively(NetworkSpec((6, 5)), seed=3)
    optimiser = optax.sgd(0.5)
    fit = make_fit(optimiser, size)
    n = 70
    junk = jnp.full((N - n, 8), 0xFFFFFFFF, jnp.uint32)
    others = (
        fit(network, optimiser.init(network), batch, targets, jnp.int32(n)),
        fit(
            network,
            optimiser.init(network),
            jnp.concatenate([batch[:n], junk]),
            jnp.concatenate([targets[:n], jnp.full((N - n, 6), jnp.nan)]),
            jnp.int32(n),
        ),
    )
    assert all(jax.tree.leaves(jax.tree.map(np.array_equal, *others)))


def test_no_rows_at_all(batch, targets):
    network = lively(NetworkSpec((6, 5)), seed=3)
    optimiser = optax.sgd(0.5)
    fitted, _, mean = make_fit(optimiser, 1)(network, optimiser.init(network), batch, targets, jnp.int32(0))
    assert float(mean) == 0
    assert all(jax.tree.leaves(jax.tree.map(np.array_equal, network, fitted)))


def overfit(target: np.ndarray, batch: jax.Array) -> tuple[float, np.ndarray]:
    """The loss after 20,000 updates on one position, and what the network then says of it."""
    network = init(NetworkSpec((8,)), seeded(0))
    optimiser = optax.sgd(0.1)
    fit = make_fit(optimiser, 1)
    rows, goals = (
        jnp.repeat(batch[50:51], 1000, axis=0),
        jnp.tile(jnp.asarray(target, jnp.float32), (1000, 1)),
    )
    losses = []
    for _ in range(20):
        network, _, mean = fit(network, optimiser.init(network), rows, goals, jnp.int32(1000))
        losses.append(float(mean))
    assert losses == sorted(losses, reverse=True)
    return losses[-1], np.asarray(network(batch[50:51]))[0]


def test_overfitting_one_result(batch):
    """A sign error in the update would show here: the cross-entropy falls to nearly zero."""
    target = np.eye(6)[4]
    final, outcomes = overfit(target, batch)
    assert final < 0.002
    assert np.abs(outcomes - target).max() < 0.002


def test_overfitting_one_soft_target(batch):
    """The cross-entropy falls to the entropy of the target, which is the least it can be."""
    target = np.array([0.4, 0.15, 0.05, 0.25, 0.1, 0.05])
    final, outcomes = overfit(target, batch)
    assert final == pytest.approx(-(target * np.log(target)).sum(), abs=1e-4)
    assert np.abs(outcomes - target).max() < 1e-3


def test_the_state_of_the_optimiser_is_carried_on(batch, targets):
    """Two halves in two calls are one pass in one call, with momentum."""
    network = lively(NetworkSpec((6, 5)), seed=5)
    optimiser = partial(optax.sgd, 0.1, momentum=0.9)()
    fit = make_fit(optimiser, 1)
    whole, state, _ = fit(network, optimiser.init(network), batch, targets, jnp.int32(N))
    half, between, _ = fit(network, optimiser.init(network), batch, targets, jnp.int32(N // 2))
    again = jnp.roll(batch, -N // 2, axis=0), jnp.roll(targets, -N // 2, axis=0)
    half, between, _ = fit(half, between, *again, jnp.int32(N // 2))
    pairs = jax.tree.map(np.array_equal, (whole, state), (half, between))
    assert all(jax.tree.leaves(pairs))
