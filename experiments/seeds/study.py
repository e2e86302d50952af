"""The Seeds study: networks of one recipe that differ in their seed alone, in a round robin. See README.md."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bglab.lab import trained
from bglab.lab.results import commit, machine, pairing_rows, row, training_rows
from bglab.measure.spread import spread_of
from bglab.measure.tournament import round_robin
from bglab.play.match import MatchRules
from bglab.training.recipe import Recipe

UNIT = "games"
DICE = 1
SPREAD = "standard deviation of their share"
PUBLISHED_TRIALS = {SPREAD: 0}


@dataclass(frozen=True)
class Preset:
    games: int
    seeds: int
    matches: int
    length: int = 11


PRESETS = {
    "quick": Preset(40, 3, 8, 1),
    "laptop": Preset(20_000, 4, 1_000),
    "paper": Preset(200_000, 8, 10_000),
}


def recipe(preset: str) -> Recipe:
    """The reference recipe, with fewer games."""
    games = PRESETS[preset].games
    return Recipe(games=games, lanes=trained.lanes_for(games))


def parts(preset: str) -> list[tuple[int]]:
    """One training run for each seed."""
    return [(seed,) for seed in range(1, PRESETS[preset].seeds + 1)]


def part_name(seed: int) -> str:
    return f"seed-{seed}"


def size(preset: str, seed: int) -> int:
    return PRESETS[preset].games


def run_part(preset: str, folder: Path, seed: int) -> None:
    trained.run_part(recipe(preset), seed, folder)


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """Every seed against every other one, and how far apart they are beyond the luck of the dice."""
    networks = [
        trained.trained(recipe(preset), seed, folder.parents[1], part_name(seed).replace("-", " "))
        for (seed,) in parts(preset)
    ]
    result = round_robin(
        [network.agent for network in networks],
        PRESETS[preset].matches,
        MatchRules(PRESETS[preset].length),
        seed=DICE,
        executor=executor,
        out=folder / "tournament",
        progress=progress,
    )
    here = {"seed": DICE, "commit": commit(), "machine": machine()}
    rows = pairing_rows(result, networks[0].name, {}, here)
    spread = spread_of(result)
    # The document estimates "about a point" between two networks of one recipe.
    rows.append(row("two seeds", SPREAD, spread, unit="share", published=0.01, **here))
    for network in networks:
        rows += training_rows(network)
    return rows
