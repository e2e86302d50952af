"""Checkpoints: the whole state there and back, and the reasons why one is refused."""

from __future__ import annotations

import dataclasses
import os
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from bglab.errors import InputError
from bglab.rules.dice import seeded
from bglab.rules.planes import pack
from bglab.training.checkpoint import CURVE, State, first_state, identity, load_checkpoint, save_checkpoint
from bglab.training.recipe import Recipe
from bglab.training.selfplay import Lanes, Record
from bglab.training.targets import lambda_return, sampled_bellman
from bglab.value.netfile import read_tensors, write_tensors
from bglab.value.network import NetworkSpec

RECIPE = Recipe(network=NetworkSpec((5,)), lanes=4, plies=3, games=100, longest=6)
SEED = 3
START = jnp.asarray(pack([RECIPE.position])[0])


def fresh(recipe: Recipe = RECIPE) -> State:
    return first_state(recipe, START, seeded(SEED))


def later(recipe: Recipe = RECIPE) -> State:
    """A state with something in every field."""
    state = fresh(recipe)
    rng = np.random.default_rng(0)
    for _ in range(4):
        positions = rng.integers(0, 2**25, (3, 4, 8)).astype(np.uint32)
        won = rng.integers(1, 4, (3, 4)) * (rng.random((3, 4)) < 0.2)
        state.history.add(Record(jnp.asarray(positions), jnp.asarray(won.astype(np.int32))))
    network = jax.tree.map(lambda x: x + 0.1, state.network)
    optimiser = jax.tree.map(lambda x: x + 1, state.optimiser)
    lanes = Lanes(state.lanes.positions ^ 5, jnp.array([True, False, False, True]))
    curve = [(3.0, 40.0, 1.7, 0.0, 0.1), (9.0, 60.0, float("nan"), 1.0, 0.2)]
    return State(network, optimiser, lanes, state.history, curve)


@pytest.fixture
def path(tmp_path):
    save_checkpoint(tmp_path / "checkpoint", later(), identity(RECIPE, SEED))
    return tmp_path / "checkpoint"


def refused(path, *words: str, recipe: Recipe = RECIPE, seed: int = SEED) -> None:
    with pytest.raises(InputError) as caught:
        load_checkpoint(path, recipe, seed, fresh(recipe))
    text = str(caught.value)
    assert all(word in text for word in (*words, str(path)))
    assert "\n" not in text


ADAM = dataclasses.replace(RECIPE, optimiser=partial(optax.adam, 1e-3), batch=64)


@pytest.mark.parametrize("recipe", [RECIPE, ADAM], ids=["sgd", "adam"])
def test_there_and_back(tmp_path, recipe):
    state = later(recipe)
    save_checkpoint(tmp_path / "checkpoint", state, identity(recipe, SEED))
    found = load_checkpoint(tmp_path / "checkpoint", recipe, SEED, fresh(recipe))
    for name in ("network", "optimiser", "lanes"):
        mine, theirs = getattr(found, name), getattr(state, name)
        assert jax.tree.structure(mine) == jax.tree.structure(theirs)
        assert all(jax.tree.leaves(jax.tree.map(np.array_equal, mine, theirs)))
        assert [(x.dtype, x.shape) for x in jax.tree.leaves(mine)] == [
            (x.dtype, x.shape) for x in jax.tree.leaves(theirs)
        ]
    assert np.array_equal(found.curve, state.curve, equal_nan=True)
    assert (found.rounds, found.games, found.too_long) == (2, 9, 1)
    assert found.history.ply == state.history.ply == 12
    for mine, theirs in zip(found.history.under_way(), state.history.under_way(), strict=True):
        assert np.array_equal(mine, theirs)
    assert os.listdir(tmp_path) == ["checkpoint"]


def test_a_run_that_has_not_begun(tmp_path):
    state = fresh()
    assert (state.rounds, state.games, state.too_long) == (0, 0, 0)
    save_checkpoint(tmp_path / "checkpoint", state, identity(RECIPE, SEED))
    found = load_checkpoint(tmp_path / "checkpoint", RECIPE, SEED, fresh())
    assert found.curve == []
    assert len(CURVE) == 5


def test_more_games_may_be_asked_for_but_not_fewer(path):
    assert load_checkpoint(path, dataclasses.replace(RECIPE, games=1000), SEED, fresh()).games == 9
    assert load_checkpoint(path, dataclasses.replace(RECIPE, games=9), SEED, fresh()).games == 9
    refused(
        path,
        "already trained on 9 games, more than the recipe's 8",
        recipe=dataclasses.replace(RECIPE, games=8),
    )


def custom(trace, evaluator):
    return evaluator(trace.positions)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"network": NetworkSpec((6,))}, "its network is"),
        ({"network": NetworkSpec((5,), "tanh")}, "'activation': 'sigmoid'"),
        ({"target": sampled_bellman}, "its target is"),
        ({"target": partial(lambda_return, lam=0.5)}, "'lam': 0.7"),
        ({"target": custom}, "its target is"),
        ({"optimiser": partial(optax.sgd, 0.02)}, "its optimiser is"),
        ({"optimiser": partial(optax.adam, 0.01)}, "its optimiser is"),
        ({"batch": 2}, "its batch is 1, not 2"),
        ({"lanes": 8}, "its lanes is 4, not 8"),
        ({"plies": 4}, "its plies is 3, not 4"),
        ({"longest": 7}, "its longest is 6, not 7"),
        ({"start": "nackgammon"}, "its start is 'standard', not 'nackgammon'"),
    ],
)
def test_a_checkpoint_of_another_recipe(path, changes, what):
    refused(
        path,
        "belongs to another run",
        what,
        "continue it with its own recipe and seed or choose another folder",
        recipe=dataclasses.replace(RECIPE, **changes),
    )


def test_a_checkpoint_of_another_seed(path):
    refused(path, "belongs to another run: its seed is 3, not 4", seed=4)


def test_a_missing_checkpoint(tmp_path):
    refused(tmp_path / "none", "There is no checkpoint file")


def test_any_damaged_byte_is_noticed(path):
    whole = path.read_bytes()
    state = load_checkpoint(path, RECIPE, SEED, fresh())
    rng = np.random.default_rng(0)
    accepted = []
    for place in rng.integers(0, len(whole), 200).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            found = load_checkpoint(path, RECIPE, SEED, fresh())
        except InputError:
            continue
        assert all(jax.tree.leaves(jax.tree.map(np.array_equal, found.network, state.network)))
        accepted.append(place)
    assert len(accepted) < 5


@pytest.mark.parametrize("keep", [0, 8, 300, -1])
def test_truncated_checkpoints(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    refused(path, "is damaged", "restore it or make it anew")


def test_a_network_is_no_checkpoint(path):
    write_tensors(path, "network", {}, {"layer0.bias": np.zeros(3, np.float32)})
    refused(path, "holds no bglab checkpoint (it is network)")


@pytest.mark.parametrize(
    "name", ["optimiser0", "positions", "opening", "trace", "began", "ply", "curve", "layer0.bias"]
)
def test_an_incomplete_checkpoint(tmp_path, name):
    path = tmp_path / "checkpoint"
    save_checkpoint(path, later(ADAM), identity(ADAM, SEED))
    about, tensors = read_tensors(path, "checkpoint")
    del tensors[name]
    write_tensors(path, "checkpoint", about, tensors)
    refused(path, name, recipe=ADAM)


def test_an_optimiser_of_another_shape(tmp_path):
    path = tmp_path / "checkpoint"
    save_checkpoint(path, later(ADAM), identity(ADAM, SEED))
    about, tensors = read_tensors(path, "checkpoint")
    write_tensors(path, "checkpoint", about, tensors | {"optimiser1": np.zeros(2, np.float32)})
    refused(path, "is not complete (its optimiser's state has another shape)", recipe=ADAM)


def test_weights_that_are_not_finite(path):
    about, tensors = read_tensors(path, "checkpoint")
    tensors["layer1.weights"] = np.full((5, 6), np.nan, np.float32)
    write_tensors(path, "checkpoint", about, tensors)
    refused(path, "NaN or infinite numbers in layer1.weights")


def test_a_failed_write_keeps_the_last_checkpoint(path, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match="disk full"):
        save_checkpoint(path, fresh(), identity(RECIPE, SEED))
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]
