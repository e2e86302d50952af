"""Networks that studies train: kept by recipe and seed, so that studies share them, shipped ones first."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.lab.results import commit, machine
from bglab.lab.study import write_progress
from bglab.play.agent import Agent
from bglab.play.names import SHIPPED
from bglab.training.checkpoint import State
from bglab.training.loop import train
from bglab.training.recipe import Recipe
from bglab.value.netfile import NETWORK, load_network

FOLDER = "networks"
ORIGIN = "training.json"
CURVE = "curve.csv"


@dataclass(frozen=True)
class Trained:
    """A trained network as an agent called `name`, and where it came from.

    origin: commit, machine, seconds and seed of the training, as far as they were kept. curve: about a hundred points
    of its course (games, positions, loss, too_long, seconds), None for a shipped network.
    """

    name: str
    agent: Agent
    origin: dict[str, Any]
    curve: pd.DataFrame | None


def lanes_for(games: int) -> int:
    """Games side by side: the recipe's usual 256, or 32 for a run too short to fill them."""
    return 256 if games >= 1000 else 32


def shipped(recipe: Recipe, seed: int) -> Path | None:
    """The file of the shipped network of this recipe and seed, if there is one."""
    path = SHIPPED / f"{recipe.name}.safetensors"
    if not path.is_file():
        return None
    made_by = load_network(path)[1]
    same = made_by.get("recipe") == recipe.describe() and made_by.get("seed") == seed
    return path if same else None


def folder_of(runs: Path, recipe: Recipe, seed: int) -> Path:
    """Where the run is kept: the name of the recipe and the seed, below the folder of runs."""
    return runs / FOLDER / f"{recipe.name}-seed{seed}"


def train_or_resume(
    recipe: Recipe, seed: int, runs: Path, tell: Callable[[int], None] = lambda games: None
) -> None:
    """Train the network unless it is shipped or already there; `tell` hears of the games so far.

    Raises `KeyboardInterrupt` where the run was interrupted; it goes on from its checkpoint next time.
    """
    folder = folder_of(runs, recipe, seed)
    if shipped(recipe, seed) is not None or (folder / ORIGIN).exists():
        tell(recipe.games)
        return

    def on_round(state: State) -> None:
        if state.rounds % 10 == 0 or state.games == recipe.games:
            tell(state.games)

    run = train(recipe, seed, folder, resume=True, progress=False, on_round=on_round)
    if not run.finished:
        raise KeyboardInterrupt
    # About a hundred points of the curve, each the mean over its rounds.
    curve = run.curve.groupby(run.curve.index * 100 // len(run.curve)).agg(
        {"games": "max", "positions": "sum", "loss": "mean", "too_long": "max", "seconds": "sum"}
    )
    write_atomically(folder / CURVE, curve.to_csv(index=False, float_format="%.6g").encode())
    origin = {"commit": commit(), "machine": machine(), "seconds": float(run.curve["seconds"].sum())}
    write_atomically(folder / ORIGIN, json.dumps(origin).encode())


def run_part(recipe: Recipe, seed: int, folder: Path) -> None:
    """Train a network as a part of a study, `folder` being the part's, and tell how far it is."""
    train_or_resume(recipe, seed, folder.parents[2], lambda games: write_progress(folder, games))


def trained(recipe: Recipe, seed: int, runs: Path, name: str | None = None) -> Trained:
    """A network that `train_or_resume` has finished, or a shipped one."""
    path = shipped(recipe, seed)
    if path is not None:
        network, made_by = load_network(path)
        origin = {key: made_by.get(key) for key in ("commit", "machine", "seconds")}
        curve = None
    else:
        folder = folder_of(runs, recipe, seed)
        network = load_network(folder / NETWORK)[0]
        try:
            origin, curve = json.loads((folder / ORIGIN).read_text()), pd.read_csv(folder / CURVE)
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(
                f"The training in {folder} is damaged ({error}): remove it, to train anew."
            ) from None
    return Trained(name or recipe.name, Agent(name or recipe.name, network), origin | {"seed": seed}, curve)
