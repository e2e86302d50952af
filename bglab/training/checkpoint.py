"""The whole state of a training run at the end of a round, and its file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from bglab.errors import InputError
from bglab.training.recipe import Recipe
from bglab.training.selfplay import History, Lanes, new_lanes
from bglab.value.netfile import network_from_tensors, network_tensors, read_tensors, write_tensors
from bglab.value.network import Network, init

CURVE = ("games", "positions", "loss", "too_long", "seconds")
"""Columns recorded each round: games so far, positions trained in it, mean loss in nats, games left out so far as
too long, and the wall-clock seconds the round took."""


@dataclass
class State:
    """Between two rounds: weights, optimiser state, the games under way, and what each round recorded."""

    network: Network
    optimiser: Any
    lanes: Lanes
    history: History
    curve: list[tuple[float, ...]]

    @property
    def rounds(self) -> int:
        return len(self.curve)

    @property
    def games(self) -> int:
        """Games trained on so far."""
        return int(self.curve[-1][0]) if self.curve else 0

    @property
    def too_long(self) -> int:
        """Games left out so far because they exceeded the recipe's `longest`."""
        return int(self.curve[-1][3]) if self.curve else 0


def first_state(recipe: Recipe, start: Array, key: Array) -> State:
    """A run that has not begun."""
    network = init(recipe.network, key)
    history = History(recipe.lanes, recipe.longest)
    return State(network, recipe.optimiser().init(network), new_lanes(start, recipe.lanes), history, [])


def identity(recipe: Recipe, seed: int) -> dict[str, Any]:
    """What a checkpoint must agree with to be continued: everything but how long to go on.

    Taken before a run begins, since a recipe's functions may change what they hold while they run.
    """
    described = recipe.describe()
    del described["games"]
    return json.loads(json.dumps({"recipe": described, "seed": seed}))


def save_checkpoint(path: Path, state: State, run: Mapping[str, Any]) -> None:
    """Write the state of the run with that `identity`, atomically."""
    leaves = jax.tree.leaves(state.optimiser)
    trace, began = state.history.under_way()
    tensors = network_tensors(state.network) | {
        f"optimiser{k}": np.asarray(leaf) for k, leaf in enumerate(leaves)
    }
    tensors |= {
        "positions": np.asarray(state.lanes.positions),
        "opening": np.asarray(state.lanes.opening),
        "trace": trace,
        "began": began,
        "ply": np.array(state.history.ply),
        "curve": np.array(state.curve, np.float64).reshape(-1, len(CURVE)),
    }
    write_tensors(path, "checkpoint", run, tensors)


def load_checkpoint(path: Path, recipe: Recipe, seed: int, fresh: State) -> State:
    """The state of a checkpoint of this very recipe and seed; `InputError` says why a file is refused.

    `fresh` is a state of the same recipe, for the shape of the optimiser's state.
    """
    about, tensors = read_tensors(path, "checkpoint")
    expected = identity(recipe, seed)
    if about != expected:
        there, here = ({**side["recipe"], "seed": side["seed"]} for side in (about, expected))
        fields = [name for name in here | there if there.get(name) != here.get(name)]
        raise InputError(
            f"The checkpoint {path} belongs to another run: its {fields[0]} is {there.get(fields[0])!r}, not "
            f"{here.get(fields[0])!r}; continue it with its own recipe and seed or choose another folder."
        )
    network = network_from_tensors(recipe.network, tensors, f"The checkpoint {path}")
    leaves, structure = jax.tree.flatten(fresh.optimiser)
    try:
        saved = [tensors[f"optimiser{k}"] for k in range(len(leaves))]
        if any(
            old.shape != new.shape or old.dtype != new.dtype for old, new in zip(saved, leaves, strict=True)
        ):
            raise ValueError("its optimiser's state has another shape")
        lanes = Lanes(jnp.asarray(tensors["positions"]), jnp.asarray(tensors["opening"]))
        curve = [tuple(row) for row in tensors["curve"].tolist()]
        fresh.history.restore(tensors["trace"], tensors["began"], int(tensors["ply"]))
    except (KeyError, ValueError) as error:
        raise InputError(f"The checkpoint {path} is not complete ({error}): start the run anew.") from None
    optimiser = jax.tree.unflatten(structure, [jnp.asarray(leaf) for leaf in saved])
    state = State(network, optimiser, lanes, fresh.history, curve)
    if state.games > recipe.games:
        raise InputError(
            f"The checkpoint {path} has already trained on {state.games} games, more than the recipe's {recipe.games}: "
            "ask for more games or choose another folder."
        )
    return state
