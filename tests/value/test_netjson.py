"""Networks as JSON: read back exactly, readable by hand, and refused with the fault named."""

from __future__ import annotations

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import InputError, load, load_network, save_network
from bglab.rules.dice import seeded
from bglab.rules.planes import pack
from bglab.value.network import NetworkSpec, init
from tests import samples

SPEC = NetworkSpec((5, 4), "gelu", "puretd")
MADE_BY = {"recipe": {"games": 10}, "seed": 3}


@pytest.fixture
def path(tmp_path):
    save_network(init(SPEC, seeded(0)), tmp_path / "net.json", MADE_BY)
    return tmp_path / "net.json"


def test_read_back_to_the_last_bit(path):
    network, made_by = load_network(path)
    assert made_by == MADE_BY
    assert network.spec == SPEC
    wanted = init(SPEC, seeded(0))
    assert all(jax.tree.leaves(jax.tree.map(np.array_equal, network, wanted)))
    assert load(path).name == "net"


def test_a_reader_without_bglab_gets_the_same_numbers(path):
    """W a + b, layer by layer, from the text alone."""
    content = json.loads(path.read_text())
    network, _ = load_network(path)
    batch = jnp.asarray(pack(samples.realistic(8, seed=5)))
    a = np.asarray(network.features(batch), np.float64)
    for layer in content["layers"][:-1]:
        a = a @ np.array(layer["weights"]).T + layer["biases"]
        a = np.asarray(jax.nn.gelu(a.astype(np.float32), approximate=False), np.float64)
    last = content["layers"][-1]
    logits = a @ np.array(last["weights"]).T + last["biases"]
    assert np.abs(logits - np.asarray(network.logits(network.features(batch)))).max() < 1e-5


def change(path, **fields) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def layers(path) -> list[dict]:
    return json.loads(path.read_text())["layers"]


def first(path, **fields) -> None:
    """Change a field of the first layer."""
    change(path, layers=[{**layers(path)[0], **fields}, *layers(path)[1:]])


SPOILT = {
    "not JSON": lambda path: path.write_text("{"),
    "not JSON .maximum recursion": lambda path: path.write_text("[" * 100_000),
    "holds no bglab network": lambda path: change(path, kind="something"),
    "format 9": lambda path: change(path, format=9),
    "lacks its spec, made_by or layers": lambda path: change(path, layers=None),
    "cosine": lambda path: change(path, spec={"hidden": [5, 4], "activation": "cosine"}),
    "lacks layer2.weights": lambda path: change(path, layers=layers(path)[:2]),
    "has layer3.weights": lambda path: change(path, layers=layers(path) + layers(path)[:2]),
    "no object of weights and biases": lambda path: change(path, layers=[{}, *layers(path)[1:]]),
    "has layer0.bias": lambda path: first(path, biases=[1, 2]),
    "not all numbers": lambda path: first(path, biases=["a"] * 5),
    "equal length": lambda path: first(path, weights=[[1], [1, 2]]),
    "not a list": lambda path: first(path, biases=3),
    "NaN or infinite numbers in layer0.bias": lambda path: first(path, biases=[1e39, 0, 0, 0, 0]),
    "NaN or infinite numbers in layer0.weights": lambda path: first(path, weights=[[float("nan")] * 196] * 5),
}


@pytest.mark.parametrize("words", SPOILT)
def test_refused(path, words):
    SPOILT[words](path)
    with pytest.raises(InputError, match=words) as caught:
        load_network(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_network(tmp_path / "none.json")
