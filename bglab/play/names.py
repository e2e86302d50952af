"""Agents by name: shipped networks, saved ones, parameter AIs, outside engines, each with what stands behind colons."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from bglab.cube.metfile import load_met
from bglab.errors import InputError
from bglab.play.agent import Agent
from bglab.play.peers.engines import Engine
from bglab.play.peers.names import ahead, peer
from bglab.search.expectimax import Expectimax
from bglab.value.evaluator import Evaluator, on_host
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
      `filters` names one of `bglab.search.filters.FILTERS`; of an engine, one at its static level;
    - any of these that gives outcomes, with ":match" at the end: at match scores it decides about the cube by the
      Kazaross-XG2 match equities and not by money theory.

    Raises `InputError` for any other name.
    """
    whole = str(name)
    rest = whole.removesuffix(MATCH)
    evaluator, title = _searching(rest, filters, whole)
    if rest == whole:
        return Agent(title, evaluator)
    if not _gives_outcomes(evaluator):
        raise InputError(
            f"{rest!r} gives no outcomes to decide about the cube by at a score: leave {MATCH} away."
        )
    return Agent(whole, evaluator, load_met())


def _searching(name: str, filters: str, whole: str) -> tuple[Evaluator, str]:
    """The evaluator of a name, with its plies, and what its agent is called; `whole` is what was asked for."""
    outside = peer(name)
    if outside is not None:
        return outside, name
    plies = PLIES.fullmatch(name)
    if plies is None:
        return _static(name, whole)
    static, _ = _searching(plies["name"], "full", whole)
    return ahead(static, int(plies["plies"]), filters), name


def _gives_outcomes(evaluator: Evaluator) -> bool:
    static = evaluator.evaluator if isinstance(evaluator, Expectimax) else evaluator
    if on_host(static):
        return isinstance(static, Engine)
    return jax.eval_shape(static, jax.ShapeDtypeStruct((1, 8), jnp.uint32)).ndim == 2


def _static(name: str, whole: str) -> tuple[Evaluator, str]:
    if name == "first":
        return FirstTurn(), name
    if name.startswith("parameter:"):
        brain = name.removeprefix("parameter:")
        return load_brain(brain), f"parameter:{Path(brain).stem}"
    if name.startswith("puretd:"):
        source = Path(name.removeprefix("puretd:"))
        return load_puretd(source), f"puretd:{source.stem}"
    path = Path(name)
    if path.suffix in (".npz", ".pt"):
        raise InputError(f"{name!r} is no network file of bglab's: write puretd:{whole} for one of PureTD's.")
    if path.is_dir():
        path = path / NETWORK
    if not path.is_file():
        path = SHIPPED / f"{name}.safetensors"
    if not path.is_file():
        known = ", ".join(shipped_networks())
        raise InputError(
            f"There is no agent {whole!r}: give the path of a saved network, first, parameter:BRAIN, gnubg:0ply, "
            f"sage:1ply, puretd:PATH, or one of {known}."
        )
    network, _ = load_network(path)
    return network, path.parent.name if path.name == NETWORK else path.stem
