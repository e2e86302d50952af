"""The Network study: ten networks, each one change from a reference, in a round robin. See README.md."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bglab.lab import trained
from bglab.lab.results import commit, machine, pairing_rows, row, training_rows
from bglab.lab.study import in_study
from bglab.measure.kept import kept_results
from bglab.measure.tournament import round_robin
from bglab.play.match import MatchRules, play_matches
from bglab.statistics import share
from bglab.training.recipe import Recipe
from bglab.training.targets import lambda_return
from bglab.value.network import NetworkSpec

REFERENCE = "reference"
RECIPES: dict[str, dict[str, Any]] = {
    REFERENCE: {},
    "twice the games": {"games": 2},
    "160 units": {"network": NetworkSpec((160, 160))},
    "third layer": {"network": NetworkSpec((80, 80, 80))},
    "tanh": {"network": NetworkSpec(activation="tanh")},
    "relu": {"network": NetworkSpec(activation="relu")},
    "leaky_relu": {"network": NetworkSpec(activation="leaky_relu")},
    "elu": {"network": NetworkSpec(activation="elu")},
    "λ = 1": {"target": partial(lambda_return, lam=1.0)},
    "linear": {"network": NetworkSpec(activation="identity")},
}
"""The one change of each; `games` is a factor. The reference is 80 + 80 sigmoid, λ = 0.7."""
PUBLISHED = {
    "twice the games": 0.533,
    "160 units": 0.522,
    "third layer": 0.507,
    "λ = 1": 0.091,
    "linear": 0.016,
}
"""Share of matches against the reference (document 000, section 7.4)."""
ACTIVATIONS = ("tanh", "relu", "leaky_relu", "elu")
PUBLISHED_ACTIVATIONS = (0.424, 0.410, 0.394, 0.367)
"""The four other activations, best first; which is which was lost with the document's table."""
SEED = 1
UNIT = "games"


@dataclass(frozen=True)
class Preset:
    games: int
    matches: int
    without_cube: int
    labels: tuple[str, ...] = tuple(RECIPES)
    length: int = 11


PRESETS = {
    "quick": Preset(40, 8, 4, (REFERENCE, "twice the games", "relu"), 1),
    "laptop": Preset(20_000, 400, 200),
    "paper": Preset(800_000, 10_000, 2_000),
}


def recipe(preset: str, label: str) -> Recipe:
    """The run of one network."""
    change = dict(RECIPES[label])
    games = PRESETS[preset].games
    return Recipe(games=games * change.pop("games", 1), lanes=trained.lanes_for(games), **change)


def parts(preset: str) -> list[tuple[str]]:
    """One training run for each network, the longest first."""
    return [(label,) for label in sorted(PRESETS[preset].labels, key=lambda label: -size(preset, label))]


def part_name(label: str) -> str:
    return label.replace(" ", "-").replace("λ", "lambda")


def size(preset: str, label: str) -> int:
    return recipe(preset, label).games


def run_part(preset: str, folder: Path, label: str) -> None:
    trained.run_part(recipe(preset, label), SEED, folder)


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """Every network against every other one, and what training took."""
    labels = PRESETS[preset].labels
    networks = [trained.trained(recipe(preset, label), SEED, folder.parents[1], label) for label in labels]
    result = round_robin(
        [network.agent for network in networks],
        PRESETS[preset].matches,
        MatchRules(PRESETS[preset].length),
        seed=SEED,
        executor=executor,
        out=folder / "tournament",
        progress=progress,
    )
    # The document's four other activations are known by their order only.
    order = sorted(
        (label for label in ACTIVATIONS if label in labels),
        key=lambda label: -result.between(label, REFERENCE).value,
    )
    published = PUBLISHED | dict(zip(order, PUBLISHED_ACTIVATIONS, strict=False))
    here = {"seed": SEED, "commit": commit(), "machine": machine()}
    rows = pairing_rows(result, REFERENCE, published, here)
    rows += _rows_without_cube(preset, folder, executor)
    for network in networks:
        rows += training_rows(network)
    return rows


def _rows_without_cube(preset: str, folder: Path, executor: Executor | None) -> list[dict[str, Any]]:
    """What is left of each network's share when nobody may double."""
    labels = [label for label in PRESETS[preset].labels if label != REFERENCE]
    found = kept_results(
        partial(in_study, "network", "play_without_cube"),
        [(preset, folder, label) for label in labels],
        [folder / "without-cube" / f"{part_name(label)}.json" for label in labels],
        "pairing without the cube",
        executor,
    )
    here = {"seed": SEED, "commit": commit(), "machine": machine()}
    metric = f"matches won v {REFERENCE}, without the cube"
    return [
        row(
            label,
            metric,
            share(np.array(each["won"]), 2, "of matches"),
            unit="share",
            seconds=each["seconds"],
            **here,
        )
        for label, each in zip(labels, found, strict=True)
    ]


def play_without_cube(preset: str, folder: Path, label: str) -> dict[str, Any]:
    """A network against the reference: how many of the two matches of each pair it won."""
    asked = PRESETS[preset]
    first, second = (
        trained.trained(recipe(preset, name), SEED, folder.parents[1], name).agent
        for name in (label, REFERENCE)
    )
    began = time.perf_counter()
    rules = MatchRules(asked.length, cube=False)
    found = play_matches(first, second, asked.without_cube, rules, SEED, progress=False)
    return {"won": found.won.sum(1).tolist(), "seconds": time.perf_counter() - began}
