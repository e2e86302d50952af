"""A backgammon research workbench on JAX.

The whole flow in ten lines::

    import bglab
    p = bglab.Position.start()                              # what is legal
    turns = bglab.legal_turns(p, (3, 1))                    # every complete turn, with the position after it
    agent = bglab.load()                                    # what it is worth: a network that taught itself
    agent.rank(p, (3, 1))                                   # plays by equity, with all six outcomes
    recipe = bglab.Recipe(bglab.NetworkSpec((40,)), games=5_000)
    run = bglab.train(recipe, seed=1)                       # self-play, targets, gradient descent
    mine = bglab.Agent("mine", run.network)
    print(bglab.duel(mine, agent, games=1_000))             # points per game, with error and interval
    bglab.save_network(run.network, "mine.safetensors", run.made_by)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bglab import records
from bglab.errors import InputError
from bglab.measure.duel import Duel, duel
from bglab.measure.standings import Tournament
from bglab.measure.tournament import round_robin
from bglab.play.agent import Agent
from bglab.play.match import Matches, MatchRules, play_matches
from bglab.play.names import load, shipped_networks
from bglab.rules import Position, Situation, Turn, find_turn, legal_turns, parse
from bglab.search.rollout import rollout
from bglab.training.loop import Run, train
from bglab.training.recipe import Recipe
from bglab.value.netfile import load_network, save_network
from bglab.value.network import Network, NetworkSpec
from bglab.value.pytree import pytree

__all__ = [
    "Agent",
    "Duel",
    "InputError",
    "MatchRules",
    "Matches",
    "Network",
    "NetworkSpec",
    "Position",
    "Recipe",
    "Run",
    "Situation",
    "Tournament",
    "Turn",
    "__version__",
    "duel",
    "find_turn",
    "legal_turns",
    "load",
    "load_network",
    "parse",
    "play_matches",
    "pytree",
    "records",
    "rollout",
    "round_robin",
    "save_network",
    "shipped_networks",
    "train",
]
__version__ = "0.1.0"


_WIDGETS = {"Board": "board", "Explorer": "explore", "Play": "play", "TrainingMonitor": "monitor"}
"""Widgets are imported when they are first asked for: they need packages that computing does not."""


def __getattr__(name: str) -> Any:
    if name not in _WIDGETS:
        raise AttributeError(f"module 'bglab' has no attribute {name!r}")
    try:
        module = import_module(f"bglab.lab.widgets.{_WIDGETS[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("bglab"):
            raise
        raise InputError(
            f"{name} needs {error.name}, which is not installed: pip install 'bglab[lab]'."
        ) from None
    return getattr(module, name)
