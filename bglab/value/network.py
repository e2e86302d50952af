"""Multilayer perceptrons as plain pytrees: a spec, its parameters, and the heads that read the output.

A `Network` is an evaluator: called with a batch of positions it returns what each is worth to the side on roll,
before the roll. `Network.prepared()` is the same evaluator with its first layer turned into a table of rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float32, UInt32

from bglab.errors import InputError
from bglab.rules.ragged import take
from bglab.value.encoding import encode, find_encoding, paired, place_features, place_rows
from bglab.value.pytree import pytree

ACTIVE_INPUTS = 27
"""Expected number of non-zero inputs, the fan-in of the first layer (document 000, section 5.3)."""
OUTPUT_SCALE = 0.1
MOST_UNITS = 1 << 16


def _identity(x: Array) -> Array:
    return x


ACTIVATIONS: Mapping[str, tuple[Callable[[Array], Array], float]] = {
    "sigmoid": (jax.nn.sigmoid, 1.0),
    "tanh": (jnp.tanh, 1.0),
    "relu": (jax.nn.relu, 2.0),
    "leaky_relu": (jax.nn.leaky_relu, 2.0),
    "elu": (jax.nn.elu, 2.0),
    "gelu": (partial(jax.nn.gelu, approximate=False), 2.0),
    "identity": (_identity, 1.0),
}
"""Activation and the gain g of its initial weights: 2 for the ReLU family, else 1 (document 000, section 5.3)."""


class Head(NamedTuple):
    """How the last layer is read.

    width: outputs. outcomes: logits float32[..., width] -> float32[..., 6]. loss: (logits, target) of one
    position -> float32[], in nats.
    """

    width: int
    outcomes: Callable[[Array], Array]
    loss: Callable[[Array, Array], Array]


def cross_entropy(logits: Float32[Array, "6"], target: Float32[Array, "6"]) -> Float32[Array, ""]:
    """−Σ t log p of one position, in nats (document 000, section 5.9)."""
    return -jnp.sum(target * jax.nn.log_softmax(logits))


HEADS: Mapping[str, Head] = {"outcomes": Head(6, partial(jax.nn.softmax, axis=-1), cross_entropy)}


@dataclass(frozen=True)
class NetworkSpec:
    """Shape of a network. `hidden`: units of each hidden layer, possibly none."""

    hidden: tuple[int, ...] = (80, 80)
    activation: str = "sigmoid"
    encoding: str = "tesauro"
    head: str = "outcomes"

    def __post_init__(self) -> None:
        hidden = tuple(self.hidden) if isinstance(self.hidden, Iterable) else None
        if hidden is None or any(type(units) is not int or not 1 <= units <= MOST_UNITS for units in hidden):
            raise InputError(
                f"Hidden layers are whole numbers of units from 1 to {MOST_UNITS}, such as (80, 80), "
                f"not {self.hidden!r}."
            )
        object.__setattr__(self, "hidden", hidden)
        for what, known in (("activation", ACTIVATIONS), ("head", HEADS)):
            if getattr(self, what) not in list(known):
                raise InputError(
                    f"There is no {what} {getattr(self, what)!r}: choose one of {', '.join(known)}."
                )
        find_encoding(self.encoding)

    @property
    def widths(self) -> tuple[int, ...]:
        """Units of every layer from the inputs to the outputs."""
        return (find_encoding(self.encoding).width, *self.hidden, HEADS[self.head].width)

    @property
    def shape_name(self) -> str:
        """The shape as the tables print it, for example 196-80-80-6."""
        return "-".join(map(str, self.widths))


class Layer(NamedTuple):
    """weights float32[inputs, outputs], bias float32[outputs]."""

    weights: Float32[Array, "inputs outputs"]
    bias: Float32[Array, "outputs"]

    def __call__(self, x: Float32[Array, "*n inputs"]) -> Float32[Array, "*n outputs"]:
        """The layer's sums, before an activation."""
        sums = x @ self.weights
        return sums + jnp.broadcast_to(self.bias, sums.shape)


@pytree("spec")
@dataclass(frozen=True)
class Network:
    """A network's layers, from the inputs up, and the spec they have the shapes of."""

    layers: tuple[Layer, ...]
    spec: NetworkSpec

    @property
    def head(self) -> Head:
        return HEADS[self.spec.head]

    def features(self, positions: UInt32[Array, "*n 8"]) -> Float32[Array, "*n width"]:
        """The network's inputs for positions."""
        return encode(positions, find_encoding(self.spec.encoding))

    def first_sums(self, positions: UInt32[Array, "n 8"]) -> Float32[Array, "n units"]:
        """The first layer's sums, before its activation."""
        return self.layers[0](self.features(positions))

    def logits(self, features: Float32[Array, "*n width"]) -> Float32[Array, "*n outputs"]:
        """Outputs before the head."""
        return above_first(self, self.layers[0](features))

    def __call__(self, positions: UInt32[Array, "*n 8"], cube: Any = None) -> Float32[Array, "*n 6"]:
        """Outcomes from the side on roll, before the roll; cubeless, so `cube` is not looked at."""
        return self.head.outcomes(self.logits(self.features(positions)))

    def prepared(self) -> PreparedNetwork:
        """The same evaluator, quicker for many positions: the first layer is summed from a table of rows."""
        first = self.layers[0]
        features = jnp.asarray(place_features(find_encoding(self.spec.encoding)))
        table = jnp.dot(features, first.weights, precision="highest")
        trays = jnp.arange(table.shape[0]) >= table.shape[0] - 256
        return PreparedNetwork(paired(table + jnp.where(trays[:, None], first.bias[None, :], 0.0)), self)


def above_first(network: Network, pre_activation: Float32[Array, "*n units"]) -> Float32[Array, "*n outputs"]:
    """Outputs before the head, from the first layer's sums."""
    activation = ACTIVATIONS[network.spec.activation][0]
    x = pre_activation
    for layer in network.layers[1:]:
        x = layer(activation(x))
    return x


@pytree()
@dataclass(frozen=True)
class PreparedNetwork:
    """A network whose first layer is a table: row r is what two neighbouring points add to the sums, or the bars, or
    the trays.

    table: float32[PAIRED_ROWS, units], with the bias in the rows of the trays.
    """

    table: Float32[Array, "rows units"]
    network: Network

    def first_sums(self, positions: UInt32[Array, "n 8"]) -> Float32[Array, "n units"]:
        """The first layer's sums, before its activation."""
        # Separate gathers added up: XLA's CPU backend is 30 times slower on one gather of all rows and a sum.
        first, *others = place_rows(positions)
        sums = take(self.table, first)
        for index in others:
            sums = sums + take(self.table, index)
        return sums

    def __call__(self, positions: UInt32[Array, "n 8"], cube: Any = None) -> Float32[Array, "n 6"]:
        """As `Network.__call__`, equal up to the order of additions."""
        return self.network.head.outcomes(above_first(self.network, self.first_sums(positions)))

    def prepared(self) -> PreparedNetwork:
        return self


def init(spec: NetworkSpec, key: Array) -> Network:
    """A fresh network: Gaussian weights of variance g / fan-in, biases zero (document 000, section 5.3).

    The first layer's fan-in is the 27 inputs that are active, not all 196; the output layer is scaled by 0.1 so
    that the softmax starts undecided.
    """
    gain = ACTIVATIONS[spec.activation][1]
    keys = jax.random.split(key, len(spec.widths) - 1)
    layers = []
    for k, (inputs, outputs) in enumerate(zip(spec.widths, spec.widths[1:], strict=False)):
        deviation = (gain / (ACTIVE_INPUTS if k == 0 else inputs)) ** 0.5
        if k == len(keys) - 1:
            deviation *= OUTPUT_SCALE
        weights = deviation * jax.random.normal(keys[k], (inputs, outputs), jnp.float32)
        layers.append(Layer(weights, jnp.zeros(outputs, jnp.float32)))
    return Network(tuple(layers), spec)


def spec_from_dict(fields: Mapping[str, Any]) -> NetworkSpec:
    """The spec written in a file; unknown fields are refused by name."""
    known = [field.name for field in dataclasses.fields(NetworkSpec)]
    unknown = [name for name in fields if name not in known]
    if unknown:
        raise InputError(f"Unknown network field {unknown[0]!r}: the fields are {', '.join(known)}.")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()
    }
    return NetworkSpec(**values)
