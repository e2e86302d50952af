"""The Network study: ten networks, each one change from a reference, in a round robin. See README.md."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bglab.lab import trained
from bglab.lab.results import commit, machine, pairing_rows, training_rows
from bglab.measure.tournament import round_robin
from bglab.play.match import MatchRules
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
    labels: tuple[str, ...] = tuple(RECIPES)
    length: int = 11


PRESETS = {
    "quick": Preset(40, 8, (REFERENCE, "twice the games", "relu"), 1),
    "laptop": Preset(20_000, 400),
    "paper": Preset(800_000, 10_000),
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
    for network in networks:
        rows += training_rows(network)
    return rows
