"""Gradient descent over a round: one update per minibatch, in the order of the games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array, lax
from jaxtyping import Float32, UInt32

from bglab.value.network import Network

Fit = Callable[[Network, Any, Array, Array, Array], tuple[Network, Any, Array]]


def make_fit(optimiser: optax.GradientTransformation, batch: int) -> Fit:
    """The compiled update `(network, state, positions, targets, n) -> (network, state, loss)`.

    positions uint32[m, 8] and targets float32[m, 6], of which the first n are trained once each, `batch` at a time and
    in order (document 000, section 5.9, with batch = 1); the last batch may be smaller. `loss` is the mean over the n
    positions of the loss before each update, in nats, from which the entropy of the target is not subtracted.
    """

    def fit(
        network: Network,
        state: Any,
        positions: UInt32[Array, "m 8"],
        targets: Float32[Array, "m 6"],
        n: Array,
    ) -> tuple[Network, Any, Float32[Array, ""]]:
        pad = -positions.shape[0] % batch
        features = jnp.pad(network.features(positions), ((0, pad), (0, 0)))
        targets = jnp.pad(targets, ((0, pad), (0, 0)))
        if batch > 1:
            # Rows past the last may hold anything, so they are blanked before they can make a gradient NaN.
            used = jnp.arange(targets.shape[0])[:, None] < n
            features, targets = jnp.where(used, features, 0), jnp.where(used, targets, 0)

        def loss_of(network: Network, x: Array, target: Array, weight: Array) -> Array:
            losses = jax.vmap(network.head.loss)(network.logits(x), target)
            return jnp.sum(losses * weight) / jnp.maximum(jnp.sum(weight), 1)

        def loss_of_one(network: Network, x: Array, target: Array, weight: Array) -> Array:
            return network.head.loss(network.logits(x[0]), target[0])

        gradient = jax.value_and_grad(loss_of_one if batch == 1 else loss_of)

        def step(k: Array, carry: tuple[Network, Any, Array]) -> tuple[Network, Any, Array]:
            network, state, total = carry
            x = lax.dynamic_slice_in_dim(features, k * batch, batch)
            target = lax.dynamic_slice_in_dim(targets, k * batch, batch)
            weight = (k * batch + jnp.arange(batch) < n).astype(jnp.float32)
            loss, grads = gradient(network, x, target, weight)
            updates, state = optimiser.update(grads, state, network)
            return optax.apply_updates(network, updates), state, total + loss * jnp.sum(weight)

        steps = (n + batch - 1) // batch
        network, state, total = lax.fori_loop(0, steps, step, (network, state, jnp.float32(0)))
        return network, state, total / jnp.maximum(n, 1).astype(jnp.float32)

    return jax.jit(fit)
