"""Agents by name: shipped networks, saved ones, parameter AIs, outside engines, each with what stands behind colons."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax.numpy as jnp
from jax import Array

from bglab.cube.metfile import load_met
from bglab.errors import InputError
from bglab.play.agent import Agent
from bglab.play.peers.names import peer
from bglab.search.expectimax import expectimax
from bglab.value.netfile import NETWORK, load_network
from bglab.value.parameter import load_brain
from bglab.value.puretd import load_puretd
from bglab.value.pytree import pytree

SHIPPED = Path(__file__).parents[1] / "data" / "networks"
DEFAULT = "N80-L2-sigmoid-800k-lam07"
"""The reference network of the λ study: two hidden layers of 80, λ = 0.7, 800,000 games."""

MATCH = ":match"
PLIES = re.compile(r"(?P<name>.+):(?P<plies>\d+)ply")


@pytree()
@dataclass(frozen=True)
class FirstTurn:
    """No judgement at all: the first legal turn of the generator, a floor to measure against (document 000's depth 0).

    It never doubles and takes every cube.
    """

    def __call__(self, positions: Array, cube: Any = None) -> Array:
        return jnp.zeros(positions.shape[0], jnp.float32)

    def final(self, won: Array) -> Array:
        return jnp.zeros(won.shape, jnp.float32)

    def cube_action(self, positions: Array, owner: Array, live: Array) -> tuple[Array, Array]:
        never = jnp.zeros(positions.shape[0], bool)
        return never, ~never


def shipped_networks() -> list[str]:
    """Names of the networks that come with bglab."""
    return sorted(path.stem for path in SHIPPED.glob("*.safetensors"))


def load(name: str | Path = DEFAULT, filters: str = "full") -> Agent:
    """An agent by name.

    - a shipped network, such as the default, or the path of a saved one (a file, or the folder of a run);
    - "parameter:origin", a parameter AI: a shipped brain or the path of a saved one;
    - "first", which plays the first legal turn;
    - "gnubg:0ply", "sage:3ply" and the like, an engine from outside: see `bglab.play.peers.names.peer`;
    - "puretd:PATH", a network of PureTD's: see `bglab.value.puretd`;
    - any of these with ":1ply" behind (to 4): the same evaluator looking so many plies ahead, every turn unless
      `filters` names one of `bglab.search.filters.FILTERS`;
    - any of these that gives outcomes, with ":match" at the end: at match scores it decides about the cube by the
      Kazaross-XG2 match equities and not by money theory.
    """
    if str(name).endswith(MATCH):
        agent = load(str(name).removesuffix(MATCH), filters)
        return Agent(str(name), agent.evaluator, load_met())
    outside = peer(str(name))
    if outside is not None:
        return Agent(str(name), outside)
    plies = PLIES.fullmatch(str(name))
    if plies is not None:
        agent = load(plies["name"])
        return Agent(str(name), expectimax(agent.evaluator, int(plies["plies"]), filters))
    if str(name) == "first":
        return Agent("first", FirstTurn())
    if str(name).startswith("parameter:"):
        brain = str(name).removeprefix("parameter:")
        return Agent(f"parameter:{Path(brain).stem}", load_brain(brain))
    if str(name).startswith("puretd:"):
        source = Path(str(name).removeprefix("puretd:"))
        return Agent(f"puretd:{source.stem}", load_puretd(source))
    path = Path(name)
    if path.is_dir():
        path = path / NETWORK
    if not path.is_file():
        path = SHIPPED / f"{name}.safetensors"
    if not path.is_file():
        known = ", ".join(shipped_networks())
        raise InputError(
            f"There is no agent {str(name)!r}: give the path of a saved network, first, parameter:BRAIN, gnubg:0ply, "
            f"sage:1ply, puretd:PATH, or one of {known}."
        )
    network, _ = load_network(path)
    return Agent(path.parent.name if path.name == NETWORK else path.stem, network)
