"""Evolution decided by real matches: `bglab evolve`, and the contest it is built on."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jaxtyping import Int

from bglab.errors import InputError
from bglab.play.agent import Agent
from bglab.play.match import MatchRules, play_matches
from bglab.play.names import load
from bglab.training.evolution import Contest, Evolution, EvolutionRecipe, Weights
from bglab.training.generations import evolve
from bglab.training.variation import as_weights
from bglab.value.parameter import ParameterAI, weights_of


def match_contest(length: int = 11) -> Contest:
    """Contests of matches to so many points with the cube, every match played twice with the same dice.

    Both brains search at 0-ply. A pair of matches that is given up because a game went on for too long counts as one
    win each. Raises `InputError` for a length that is none.
    """
    rules = MatchRules(length)

    def contest(
        candidate: Int[np.ndarray, "24"], opponent: Int[np.ndarray, "24"], matches: int, seed: int
    ) -> int:
        first, second = (
            Agent(name, ParameterAI(jnp.asarray(weights, jnp.float32)))
            for name, weights in (("candidate", candidate), ("opponent", opponent))
        )
        result = play_matches(first, second, matches, rules, seed, progress=False)
        return result.wins + result.too_long

    return contest


def brain_weights(name: str | Path) -> Weights:
    """The 24 whole numbers of a parameter AI that `bglab.load` knows, or of a brain file; a network is refused."""
    name = str(name)
    is_file = name.endswith(".json") and not name.startswith("parameter:")
    agent = load(f"parameter:{name}" if is_file else name)
    if not isinstance(agent.evaluator, ParameterAI):
        raise InputError(
            f"{agent.name} is no parameter AI, and only those evolve: start from one, such as parameter:origin."
        )
    return as_weights(np.array(list(weights_of(agent.evaluator).values())))


def evolve_brain(
    recipe: EvolutionRecipe,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Evolution:
    """`bglab.training.generations.evolve` with real matches of the recipe's length for contests."""
    return evolve(recipe, seed, out, resume, contest=match_contest(recipe.length), progress=progress)
