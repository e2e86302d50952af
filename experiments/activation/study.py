"""The Activation study: is sigmoid better, or is it only the scale of its gradients? See README.md."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import optax

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.lab import trained
from bglab.lab.results import commit, machine, row, training_rows
from bglab.play.agent import Agent
from bglab.play.match import Matches, MatchRules, play_matches
from bglab.play.names import load
from bglab.statistics import Estimate, mean
from bglab.training.recipe import Recipe
from bglab.value.network import NetworkSpec

ACTIVATIONS = ("sigmoid", "tanh", "relu", "leaky_relu", "elu", "gelu", "identity")
FIXED = 0.01
"""The document's learning rate."""
PUBLISHED = (0.424, 0.410, 0.394, 0.367)
"""Of the four activations other than sigmoid and identity, best first (document 000, section 7.4)."""
OPPONENT = "N80-L2-sigmoid-800k-lam07"
UNIT = "games"


@dataclass(frozen=True)
class Preset:
    games: int
    grid_games: int
    rates: tuple[float, ...]
    seeds: tuple[int, ...]
    matches: int
    grid_matches: int
    activations: tuple[str, ...] = ACTIVATIONS
    length: int = 11


PRESETS = {
    "quick": Preset(40, 32, (0.01, 0.1), (1,), 8, 8, ("sigmoid", "relu"), 1),
    "laptop": Preset(20_000, 5_000, (0.003, 0.01, 0.03, 0.1), (1,), 400, 400),
    "paper": Preset(800_000, 100_000, (0.003, 0.01, 0.03, 0.1), (1, 2, 3), 10_000, 2_000),
}


def recipe(activation: str, rate: float, games: int) -> Recipe:
    """The reference recipe with another activation and learning rate."""
    optimiser = partial(optax.sgd, learning_rate=rate)
    network, lanes = NetworkSpec(activation=activation), trained.lanes_for(games)
    return Recipe(network=network, optimiser=optimiser, games=games, lanes=lanes)


def grid(preset: str) -> Iterator[tuple[str, float, int]]:
    """Activation, rate and seed of every run of the grid."""
    asked = PRESETS[preset]
    for seed in asked.seeds:
        for activation in asked.activations:
            for rate in asked.rates:
                yield activation, rate, seed


def parts(preset: str) -> list[tuple[str, str, float, int]]:
    """The runs at the fixed rate, those of the grid, and then for each activation one at the grid's best rate."""
    activations = PRESETS[preset].activations
    fixed = [("fixed", activation, FIXED, 1) for activation in activations]
    return [
        *fixed,
        *(("grid", *each) for each in grid(preset)),
        *(("best", activation, 0.0, 1) for activation in activations),
    ]


def part_name(kind: str, activation: str, rate: float, seed: int) -> str:
    return f"{kind}-{activation}" + (f"-{rate:g}-seed{seed}" if kind == "grid" else "")


def size(preset: str, kind: str, activation: str, rate: float, seed: int) -> int:
    return PRESETS[preset].grid_games if kind == "grid" else PRESETS[preset].games


def run_part(preset: str, folder: Path, kind: str, activation: str, rate: float, seed: int) -> None:
    asked = PRESETS[preset]
    if kind == "grid":
        _run_grid_part(preset, folder, activation, rate, seed)
        return
    if kind == "best":
        rate = _wait_for_best_rate(preset, folder.parent, activation)
    trained.run_part(recipe(activation, rate, asked.games), seed, folder)


def _run_grid_part(preset: str, folder: Path, activation: str, rate: float, seed: int) -> None:
    """Train, then play the shipped reference; a rate at which training diverges scores nothing, and says so."""
    asked = PRESETS[preset]
    done = folder / "matches.json"
    if done.exists():
        return
    run = recipe(activation, rate, asked.grid_games)
    began = time.perf_counter()
    try:
        trained.run_part(run, seed, folder)
    except InputError as error:
        if "diverged" not in str(error):
            raise
        found: dict[str, Any] = {"diverged": str(error)}
    else:
        agent = trained.trained(run, seed, folder.parents[2]).agent
        share = _matches(preset, agent, load(OPPONENT), asked.grid_matches, seed).share
        found = {"value": share.value, "low": share.low, "high": share.high, "n": share.n}
    origin = {"seed": seed, "commit": commit(), "machine": machine(), "seconds": time.perf_counter() - began}
    write_atomically(done, json.dumps(found | origin).encode())


def _matches(
    preset: str, first: Agent, second: Agent, count: int, seed: int, progress: bool = False
) -> Matches:
    return play_matches(first, second, count, MatchRules(PRESETS[preset].length), seed, progress=progress)


def _grid_found(preset: str, folder: Path) -> dict[tuple[str, float, int], dict[str, Any]]:
    """What is there of the grid."""
    found = {}
    for each in grid(preset):
        path = folder / part_name("grid", *each) / "matches.json"
        if path.exists():
            found[each] = json.loads(path.read_text())
    return found


def best_rate(preset: str, found: dict[tuple[str, float, int], dict[str, Any]], activation: str) -> float:
    """The rate with the largest mean share over the seeds; a run that diverged counts as 0."""
    asked = PRESETS[preset]

    def score(rate: float) -> float:
        return float(np.mean([found[activation, rate, seed].get("value", 0.0) for seed in asked.seeds]))

    return max(asked.rates, key=score)


def _wait_for_best_rate(preset: str, folder: Path, activation: str) -> float:
    """The grid's best rate, once other processes have finished the activation's part of the grid."""
    while True:
        found = _grid_found(preset, folder)
        if all(each in found for each in grid(preset) if each[0] == activation):
            return best_rate(preset, found, activation)
        time.sleep(1.0)


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """Shares against the sigmoid network at the fixed rate, the grid, and shares at each activation's best rate."""
    asked, runs = PRESETS[preset], folder.parents[1]
    here = {"commit": commit(), "machine": machine()}
    found = _grid_found(preset, folder)
    reference = trained.trained(recipe("sigmoid", FIXED, asked.games), 1, runs, "sigmoid").agent
    best = {activation: best_rate(preset, found, activation) for activation in asked.activations}
    rows, shares = [], {}
    for kind, rates in (("fixed rate", dict.fromkeys(asked.activations, FIXED)), ("best rate", best)):
        for activation, rate in rates.items():
            if activation == "sigmoid" and rate == FIXED:
                continue
            network = trained.trained(recipe(activation, rate, asked.games), 1, runs, activation)
            began = time.perf_counter()
            result = _matches(preset, network.agent, reference, asked.matches, 1, progress)
            shares[kind, activation] = result.share
            timed = here | {"seed": 1, "seconds": time.perf_counter() - began}
            metric = f"matches won v sigmoid at 0.01, {kind}"
            rows.append(row(activation, metric, result.share, unit="share", **timed))
            rows.append(
                row(activation, f"z, {kind}", result.z, unit="standard errors", n=result.matches, **timed)
            )
            if kind == "fixed rate":
                rows += training_rows(network)
    four = sorted(
        (name for name in asked.activations if name not in ("sigmoid", "gelu", "identity")),
        key=lambda name: -shares["fixed rate", name].value,
    )
    by_order = dict(zip(four, PUBLISHED, strict=False))
    for each in rows:
        if each["metric"].endswith("fixed rate") and each["unit"] == "share":
            each["published"] = by_order.get(
                each["setting"], 0.016 if each["setting"] == "identity" else None
            )
    for activation in asked.activations:
        rows.append(
            row(activation, "best rate of the grid", best[activation], unit="rate", n=len(found), **here)
        )
    return rows + _grid_rows(preset, found)


def _grid_rows(preset: str, found: dict[tuple[str, float, int], dict[str, Any]]) -> list[dict[str, Any]]:
    """Every run of the grid, and the mean over its seeds."""
    rows = []
    for activation in PRESETS[preset].activations:
        for rate in PRESETS[preset].rates:
            setting = f"{activation}, rate {rate:g}"
            runs = [found[activation, rate, seed] for seed in PRESETS[preset].seeds]
            for run in runs:
                origin = {key: run[key] for key in ("seed", "commit", "machine", "seconds")}
                figures: dict[str, Any] = {key: run.get(key) for key in ("value", "low", "high", "n")}
                if "diverged" in run:
                    figures = {"value": 0.0, "low": None, "high": None, "n": 0}
                metric = f"matches won v {OPPONENT}"
                rows.append({"setting": setting, "metric": metric, **figures, "unit": "share", **origin})
            values = np.array([run.get("value", 0.0) for run in runs])
            over: Estimate | float = mean(values, "share") if len(values) > 1 else float(values[0])
            rows.append(row(setting, "mean over seeds", over, unit="share", n=len(values)))
    return rows
