"""Network files: what is written is read back, anything else is refused, and nothing half-written is left."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.rules.dice import seeded
from bglab.value import netfile
from bglab.value.netfile import (
    load_network,
    network_tensors,
    read_tensors,
    save_network,
    write_tensors,
)
from bglab.value.network import Layer, Network, NetworkSpec, init

SPEC = NetworkSpec((5, 4), "elu", "puretd")
MADE_BY = {"recipe": {"games": 10}, "seed": 3}


@pytest.fixture
def network() -> Network:
    return init(SPEC, seeded(0))


@pytest.fixture
def path(tmp_path, network) -> Path:
    save_network(network, tmp_path / "net.safetensors", MADE_BY)
    return tmp_path / "net.safetensors"


def same(one: Network, other: Network) -> bool:
    return one.spec == other.spec and all(jax.tree.leaves(jax.tree.map(np.array_equal, one, other)))


def refused(path: Path, *words: str) -> None:
    """The file is refused with one sentence that contains these words."""
    with pytest.raises(InputError) as caught:
        load_network(path)
    text = str(caught.value)
    assert all(word in text for word in (*words, str(path)))
    assert text.endswith(".")
    assert "\n" not in text


def write(path: Path, spec=None, tensors=None, about=None) -> None:
    """A file with an intact digest whose content may be wrong."""
    fields = dataclasses.asdict(SPEC) if spec is None else spec
    arrays = network_tensors(init(SPEC, seeded(0))) if tensors is None else tensors
    write_tensors(path, "network", {"spec": fields, "made_by": {}} if about is None else about, arrays)


def test_round_trip(path, network):
    found, made_by = load_network(path)
    assert same(found, network)
    assert made_by == MADE_BY
    assert load_network(str(path))[1] == MADE_BY
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("hidden", [(), (3,), (7, 6, 5)])
def test_every_depth(tmp_path, hidden):
    network = init(NetworkSpec(hidden), seeded(1))
    save_network(network, tmp_path / "deep" / "er" / "net.safetensors")
    found, made_by = load_network(tmp_path / "deep" / "er" / "net.safetensors")
    assert same(found, network)
    assert made_by == {}


def test_the_same_network_gives_the_same_bytes(path, network, tmp_path):
    save_network(network, tmp_path / "again", MADE_BY)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_saving_again_replaces(path):
    other = init(SPEC, seeded(9))
    save_network(other, path)
    assert same(load_network(path)[0], other)


def test_a_missing_file(tmp_path):
    refused(tmp_path / "none.safetensors", "There is no network file", "check the path")
    refused(tmp_path, "There is no network file")


def test_any_damaged_byte_is_noticed(path, network):
    """Wherever a byte is changed, the file is refused or (where the byte means nothing) reads as before."""
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    header = 8 + int.from_bytes(whole[:8], "little")
    places = {*range(0, header, 3), *rng.integers(header, len(whole), 60).tolist(), len(whole) - 1}
    harmless = []
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            found, made_by = load_network(path)
        except InputError:
            continue
        assert same(found, network)
        assert made_by == MADE_BY
        harmless.append(place)
    assert len(harmless) < 12


@pytest.mark.parametrize("keep", [0, 1, 7, 8, 100, -4, -1])
def test_truncated_files(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    refused(path, "is damaged", "restore it or make it anew")


def test_a_file_with_something_appended(path):
    path.write_bytes(path.read_bytes() + b"\0")
    refused(path, "is damaged")


@pytest.mark.parametrize("content", [b"", b"not a network", b"\x80\x04pickle", b"{}", b"\xff" * 64])
def test_other_files(path, content):
    path.write_bytes(content)
    refused(path, "is damaged")


def test_a_foreign_safetensors_file(path):
    save_file({"weights": np.ones(3, np.float32)}, path)
    refused(path, "holds no bglab network", "a file not written by bglab")
    save_file({"weights": np.ones(3, np.float32)}, path, metadata={"bglab": "not json"})
    refused(path, "is damaged")
    save_file({"weights": np.ones(3, np.float32)}, path, metadata={"bglab": "[" * 100_000})
    refused(path, "is damaged")
    save_file({"weights": np.ones(3, np.float32)}, path, metadata={"bglab": "[1]"})
    refused(path, "holds no bglab network")


def test_a_checkpoint_is_no_network(path):
    write_tensors(path, "checkpoint", {}, {"layer0.weights": np.ones(3, np.float32)})
    refused(path, "holds no bglab network (it is checkpoint)")


def test_a_file_of_another_format(path, monkeypatch):
    monkeypatch.setattr(netfile, "FORMAT", 99)
    write(path)
    monkeypatch.undo()
    refused(path, "has format 99, not 1")


def test_a_changed_description_is_noticed(path):
    """Not only the weights are protected: a seed or an activation changed by hand is damage too."""
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["bglab"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    header["about"]["made_by"]["seed"] = 4
    save_file(tensors, path, metadata={"bglab": json.dumps(header)})
    refused(path, "is damaged (its digest differs)")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["layer0.weights", "layer1.bias"])
def test_numbers_that_are_not_finite(path, network, name, value):
    tensors = {key: array.copy() for key, array in network_tensors(network).items()}
    tensors[name].flat[-1] = value
    write(path, tensors=tensors)
    refused(path, f"NaN or infinite numbers in {name}")


def test_saving_numbers_that_are_not_finite(path, network, tmp_path):
    first = network.layers[0]
    bad = Network((Layer(first.weights.at[3, 2].set(jnp.nan), first.bias), *network.layers[1:]), SPEC)
    with pytest.raises(
        InputError, match=r"The network to save has NaN or infinite numbers in layer0.weights"
    ):
        save_network(bad, tmp_path / "bad")
    with pytest.raises(InputError, match="NaN"):
        save_network(bad, path)
    assert same(load_network(path)[0], network)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(
    ("hidden", "words"),
    [
        ((5, 3), ["layer1.weights", "196-5-3-6", "float32[5, 3]"]),
        ((5, 4, 4), ["layer2.weights", "float32[4, 4]"]),
        ((5, 4, 6, 6), ["layer3.weights", "lacks"]),
        ((5,), ["layer2.", "which a 196-5-6 network has not"]),
    ],
    ids=["other units", "another layer", "two more layers", "a layer fewer"],
)
def test_a_network_of_another_shape(path, hidden, words):
    write(path, spec=dataclasses.asdict(SPEC) | {"hidden": list(hidden)})
    refused(path, *words)


def test_other_types_of_number(path, network):
    tensors = network_tensors(network) | {"layer1.bias": np.zeros(4, np.float64)}
    write(path, tensors=tensors)
    refused(path, "layer1.bias float64[4]", "float32[4]")


def test_a_missing_parameter(path, network):
    tensors = network_tensors(network)
    del tensors["layer2.bias"]
    write(path, tensors=tensors)
    refused(path, "lacks layer2.bias")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"dropout": 0.1}, "Unknown network field 'dropout'"),
        ({"activation": "swish"}, "There is no activation 'swish'"),
        ({"encoding": "raw"}, "There is no encoding 'raw'"),
        ({"hidden": [5.5]}, "Hidden layers are whole numbers"),
        ({"hidden": None}, "Hidden layers are whole numbers"),
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_a_spec_that_is_not_one(path, fields, why):
    write(path, spec=dataclasses.asdict(SPEC) | fields)
    refused(path, why)


@pytest.mark.parametrize("about", [{}, {"spec": []}, {"spec": {}, "made_by": 3}])
def test_a_description_without_a_spec(path, about):
    write(path, about=about)
    refused(path, "does not say its shape")


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_write_that_fails_half_way_leaves_the_old_file(path, network, monkeypatch, step, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(os, step, fail)
    expected = InputError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected, match=r"disk full|^$"):
        save_network(init(SPEC, seeded(5)), path)
    with pytest.raises(expected):
        save_network(network, path.parent / "new.safetensors")
    monkeypatch.undo()
    assert os.listdir(path.parent) == [path.name]
    assert same(load_network(path)[0], network)


def test_a_reader_sees_the_old_or_the_new_content(tmp_path, monkeypatch):
    """The moment before the new file takes the old one's place, the old one is whole."""
    path = tmp_path / "file"
    write_atomically(path, b"old")
    replace = os.replace
    seen = []

    def look(source, target):
        seen.append((Path(target).read_bytes(), Path(source).read_bytes()))
        replace(source, target)

    monkeypatch.setattr(os, "replace", look)
    write_atomically(path, b"new")
    assert seen == [(b"old", b"new")]
    assert path.read_bytes() == b"new"


def test_tensors_of_every_type(tmp_path):
    tensors = {
        "a": np.arange(6, dtype=np.uint32).reshape(2, 3),
        "b": np.array([True, False]),
        "c": np.array(5),
        "d": np.zeros((0, 8), np.uint32),
        "e": np.arange(12.0).reshape(3, 4).T,
    }
    write_tensors(tmp_path / "file", "thing", {"x": 1}, tensors)
    about, found = read_tensors(tmp_path / "file", "thing")
    assert about == {"x": 1}
    assert found.keys() == tensors.keys()
    for name, array in tensors.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
