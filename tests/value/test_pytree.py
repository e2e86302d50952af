"""Dataclasses as arguments of compiled functions: kept apart by class and static fields, whatever they hold."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import pytest

from bglab import Agent, pytree
from bglab.cube.cubeful import Cubeful
from bglab.play.names import FirstTurn
from bglab.value.network import NetworkSpec, init
from bglab.value.parameter import ParameterAI


@pytree("times", "word")
@dataclass(frozen=True)
class Kept:
    word: str
    x: object
    times: int
    y: object = 0.0

    def __post_init__(self):
        if not isinstance(self.word, str):
            raise TypeError(self.word)


@pytree("times", "word")
@dataclass(frozen=True)
class Other(Kept):
    pass


def test_static_fields_and_class_belong_to_the_structure():
    structure = jax.tree.structure
    assert structure(Kept("a", 1.0, 2)) == structure(Kept("a", 3.0, 2, 4.0))
    for other in (Kept("a", 1.0, 3), Kept("b", 1.0, 2), Other("a", 1.0, 2), Kept("a", (1.0,), 2)):
        assert structure(Kept("a", 1.0, 2)) != structure(other)


def test_leaves_by_name_and_back():
    kept = Kept("a", 1.0, 2, 4.0)
    named = jax.tree_util.tree_leaves_with_path(kept)
    assert [(jax.tree_util.keystr(path), leaf) for path, leaf in named] == [(".x", 1.0), (".y", 4.0)]
    assert jax.tree.map(lambda x: x * 10, kept) == Kept("a", 10.0, 2, 40.0)
    assert jax.jit(lambda k: k)(kept).word == "a"


def test_evaluators_with_as_many_arrays_have_different_structures():
    network = init(NetworkSpec((4,)), jax.random.key(0))
    kinds = [FirstTurn(), ParameterAI(jnp.zeros(24)), Cubeful(network), network, network.prepared()]

    @pytree()
    @dataclass(frozen=True)
    class Mine:
        inner: object

        def __call__(self, positions, cube=None):
            return self.inner(positions)

    @pytree()
    @dataclass(frozen=True)
    class Empty:
        def __call__(self, positions, cube=None):
            return jnp.zeros(positions.shape[0])

    kinds += [Mine(network), Mine(jnp.zeros(24)), Empty()]
    structures = [jax.tree.structure(each) for each in kinds]
    for i, one in enumerate(structures):
        assert [one == each for each in structures] == [i == k for k in range(len(kinds))]
    assert Agent("empty", Empty()).currency == "equity"


def test_an_unknown_static_field_is_an_error():
    with pytest.raises(TypeError, match="no field 'wide'"):

        @pytree("wide")
        @dataclass(frozen=True)
        class Wrong:
            x: object
