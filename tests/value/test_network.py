"""Networks: shapes, initial weights, the forward pass against NumPy, and the table form of the first layer."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab.errors import InputError
from bglab.rules.dice import seeded
from bglab.rules.planes import pack
from bglab.value.evaluator import Evaluator, prepare
from bglab.value.network import (
    ACTIVATIONS,
    Layer,
    Network,
    NetworkSpec,
    PreparedNetwork,
    cross_entropy,
    init,
    spec_from_dict,
)
from tests import samples

applied = jax.jit(lambda evaluator, positions: evaluator(positions))  # one program, not one for each step
prepared = jax.jit(prepare)


@pytest.fixture(scope="module")
def batch():
    return jnp.asarray(pack(samples.realistic(2000, seed=1) + samples.adversarial(1000, seed=2)))


def lively(spec: NetworkSpec, seed: int = 0) -> Network:
    """A network with biases and with an output layer that is not nearly zero, as after training."""
    network = init(spec, seeded(seed))
    keys = jax.random.split(seeded(seed + 1), len(network.layers))
    layers = [
        Layer(layer.weights, 0.3 * jax.random.normal(key, layer.bias.shape))
        for layer, key in zip(network.layers, keys, strict=True)
    ]
    layers[-1] = Layer(10 * layers[-1].weights, layers[-1].bias)
    return Network(tuple(layers), spec)


NUMPY = {
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0),
    "leaky_relu": lambda z: np.where(z > 0, z, 0.01 * z),
    "elu": lambda z: np.where(z > 0, z, np.expm1(np.minimum(z, 0))),
    "gelu": lambda z: z * (1 + np.vectorize(math.erf)(z / 2**0.5)) / 2,
    "identity": lambda z: z,
}


def naive(network: Network, x: np.ndarray) -> np.ndarray:
    """Document 000, section 5.4, in double precision."""
    a = x.astype(np.float64)
    for k, layer in enumerate(network.layers):
        z = a @ np.asarray(layer.weights, np.float64) + np.asarray(layer.bias, np.float64)
        a = NUMPY[network.spec.activation](z) if k < len(network.layers) - 1 else z
    e = np.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("encoding", ["tesauro", "puretd"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_dense_and_prepared_are_equal(activation, encoding, batch):
    """To 1e-5, the first layer being summed from a table or multiplied; both are right."""
    network = lively(NetworkSpec((40, 20), activation, encoding))
    dense = applied(network, batch)
    assert dense.shape == (len(batch), 6)
    assert np.abs(applied(prepared(network), batch) - dense).max() < 1e-5
    features = np.asarray(jax.jit(Network.features)(network, batch))
    assert np.abs(naive(network, features) - dense).max() < 1e-5
    assert np.allclose(dense.sum(-1), 1, atol=1e-6)
    assert float(dense.std(0).min()) > 0.002


@pytest.mark.parametrize("hidden", [(), (80, 80), (512, 512, 256)])
def test_dense_and_prepared_are_equal_at_every_size(hidden, batch):
    network = lively(NetworkSpec(hidden))
    assert np.abs(applied(prepared(network), batch) - applied(network, batch)).max() < 1e-5


def test_preparing(batch):
    network = init(NetworkSpec((8,)), seeded(0))
    prepared = prepare(network)
    assert isinstance(prepared, PreparedNetwork)
    assert prepared.prepared() is prepared
    assert prepare(prepared) is prepared

    def evaluator(positions, cube=None):
        return jnp.zeros((len(positions), 6))

    assert prepare(evaluator) is evaluator
    assert all(isinstance(each, Evaluator) for each in (network, prepared, evaluator))


def test_networks_pass_through_jit(batch):
    network = lively(NetworkSpec((8,)))
    assert np.allclose(applied(network, batch), network(batch), atol=1e-6)
    assert np.allclose(applied(network.prepared(), batch), network(batch), atol=1e-5)


def test_one_position_alone(batch):
    network = lively(NetworkSpec((8,)))
    assert np.allclose(applied(network, batch[0]), applied(network, batch)[0], atol=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_initial_weights(activation):
    """Variance g / fan-in, fan-in 27 for the first layer, the output layer scaled by 0.1, biases zero (section 5.3)."""
    network = init(NetworkSpec((400, 300), activation), seeded(3))
    gain = 2 if activation in ("relu", "leaky_relu", "elu", "gelu") else 1
    wanted = [(gain / 27) ** 0.5, (gain / 400) ** 0.5, 0.1 * (gain / 300) ** 0.5]
    assert [layer.weights.shape for layer in network.layers] == [(196, 400), (400, 300), (300, 6)]
    for layer, deviation in zip(network.layers, wanted, strict=True):
        weights = np.asarray(layer.weights).ravel()
        error = deviation / weights.size**0.5
        assert abs(weights.mean()) < 4 * error
        assert abs(weights.std() - deviation) < 4 * error
        # A Gaussian has 31.7 % of its weights beyond one deviation.
        assert (np.abs(weights) > deviation).mean() == pytest.approx(0.3173, abs=2 / weights.size**0.5)
        assert not np.asarray(layer.bias).any()
        assert layer.weights.dtype == layer.bias.dtype == jnp.float32


def test_without_hidden_layers_the_first_is_the_last():
    (layer,) = init(NetworkSpec(()), seeded(0)).layers
    assert np.asarray(layer.weights).std() == pytest.approx(0.1 / 27**0.5, rel=0.1)


def test_the_start_is_undecided(batch):
    outcomes = applied(init(NetworkSpec(), seeded(0)), batch)
    assert float(jnp.abs(outcomes - 1 / 6).max()) < 0.1


def test_init_is_reproducible():
    spec = NetworkSpec((8,))
    same = (init(spec, seeded(1)), init(spec, seeded(1)))
    assert all(jax.tree.leaves(jax.tree.map(np.array_equal, *same)))
    assert not np.array_equal(same[0].layers[0].weights, init(spec, seeded(2)).layers[0].weights)


def test_cross_entropy():
    logits = jnp.array([1.0, 2, 0, -1, 0.5, 3])
    target = jnp.array([0.1, 0.2, 0.3, 0.1, 0.1, 0.2])
    p = np.exp(logits) / np.exp(logits).sum()
    assert float(cross_entropy(logits, target)) == pytest.approx(
        -(np.asarray(target) * np.log(p)).sum(), rel=1e-6
    )


def test_the_gradient_of_the_logits_is_p_minus_t():
    """Document 000, section 5.9."""
    logits, target = jnp.array([1.0, 2, 0, -1, 0.5, 3]), jnp.array([0.1, 0.2, 0.3, 0.1, 0.1, 0.2])
    assert np.allclose(jax.grad(cross_entropy)(logits, target), jax.nn.softmax(logits) - target, atol=1e-6)


def test_confident_logits_do_not_overflow():
    logits = jnp.array([1000.0, -1000, 0, 0, 0, 0])
    assert float(cross_entropy(logits, jnp.eye(6)[0])) == 0
    assert float(cross_entropy(logits, jnp.eye(6)[1])) == 2000


def test_spec():
    spec = spec_from_dict({"hidden": [80, 80]})
    assert spec == NetworkSpec()
    assert hash(spec) == hash(NetworkSpec())
    assert spec.widths == (196, 80, 80, 6)
    assert spec.shape_name == "196-80-80-6"
    assert spec_from_dict({"hidden": [8], "activation": "relu"}) == NetworkSpec((8,), "relu")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"hidden": (0,)}, "Hidden layers are whole numbers"),
        ({"hidden": (80, -1)}, "Hidden layers are whole numbers"),
        ({"hidden": (80.0,)}, "Hidden layers are whole numbers"),
        ({"hidden": (True,)}, "Hidden layers are whole numbers"),
        (
            {"hidden": 80},
            "Hidden layers are whole numbers of units from 1 to 65536, such as .80, 80., not 80",
        ),
        ({"hidden": None}, "Hidden layers are whole numbers"),
        ({"hidden": "80"}, "Hidden layers are whole numbers"),
        ({"activation": "swish"}, "There is no activation 'swish': choose one of sigmoid, tanh, relu"),
        ({"activation": ["relu"]}, "There is no activation"),
        ({"activation": None}, "There is no activation"),
        ({"head": "cube"}, "There is no head 'cube': choose one of outcomes"),
        ({"encoding": "raw"}, "There is no encoding 'raw'"),
        ({"layers": 3}, "Unknown network field 'layers': the fields are hidden, activation, encoding, head"),
    ],
)
def test_bad_specs_are_refused(fields, why):
    with pytest.raises(InputError, match=why):
        spec_from_dict(fields)
