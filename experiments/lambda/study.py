"""The λ study: six networks that differ in λ alone, each against the λ = 0.7 network. See README.md."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from bglab.lab import trained
from bglab.lab.results import commit, machine, row, training_rows
from bglab.measure.duel import duel
from bglab.measure.matches import implied_match_share
from bglab.training.recipe import Recipe
from bglab.training.targets import lambda_return

LAMBDAS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)
REFERENCE = 0.7
PUBLISHED_MATCH_SHARE = {1.0: 0.091}
SEED = 1
UNIT = "games"


@dataclass(frozen=True)
class Preset:
    games: int
    duel_games: int
    lambdas: tuple[float, ...] = LAMBDAS


PRESETS = {
    "quick": Preset(40, 64, (0.0, REFERENCE, 1.0)),
    "laptop": Preset(100_000, 20_000),
    "paper": Preset(800_000, 40_000),
}


def recipe(preset: str, lam: float) -> Recipe:
    """The run for one λ."""
    games = PRESETS[preset].games
    return Recipe(target=partial(lambda_return, lam=lam), games=games, lanes=trained.lanes_for(games))


def parts(preset: str) -> list[tuple[float]]:
    """One training run for each λ; the reference first, so that it is there early."""
    return [(lam,) for lam in sorted(PRESETS[preset].lambdas, key=lambda lam: lam != REFERENCE)]


def part_name(lam: float) -> str:
    return f"lambda-{lam:.1f}"


def size(preset: str, lam: float) -> int:
    return PRESETS[preset].games


def run_part(preset: str, folder: Path, lam: float) -> None:
    """Train the network of one λ, or go on with it."""
    trained.run_part(recipe(preset, lam), SEED, folder)


def curve(preset: str, folder: Path) -> pd.DataFrame:
    """The course of training: about a hundred points per λ.

    Columns: setting, games (trained on so far), loss (mean since the last point, nats), positions and seconds (both
    since the last point).
    """
    networks = {
        lam: trained.trained(recipe(preset, lam), SEED, folder.parents[1]) for lam in PRESETS[preset].lambdas
    }
    courses = [
        network.curve.assign(setting=f"lambda={lam:g}")
        for lam, network in networks.items()
        if network.curve is not None
    ]
    if not courses:
        return pd.DataFrame(columns=["setting", "games", "loss", "positions", "seconds"])
    return pd.concat(courses)[["setting", "games", "loss", "positions", "seconds"]]


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """Duels against the reference, and what training took."""
    networks = {
        lam: trained.trained(recipe(preset, lam), SEED, folder.parents[1], f"λ = {lam:g}")
        for lam in PRESETS[preset].lambdas
    }
    rows = []
    origin_here = {"seed": SEED, "commit": commit(), "machine": machine()}
    for lam in PRESETS[preset].lambdas:
        setting = f"lambda={lam:g}"
        if lam != REFERENCE:
            games = PRESETS[preset].duel_games
            began = time.perf_counter()
            result = duel(networks[lam].agent, networks[REFERENCE].agent, games, seed=SEED, progress=progress)
            here = origin_here | {"seconds": time.perf_counter() - began}
            rows.append(row(setting, "points per game v lambda=0.7", result.per_game, unit="points", **here))
            rows.append(row(setting, "games won v lambda=0.7", result.wins, unit="share", **here))
            for outcome in result.outcomes().itertuples():
                figures = {"value": outcome.share, "low": outcome.low, "high": outcome.high, "n": outcome.n}
                rows.append(
                    {
                        "setting": setting,
                        "metric": f"{outcome.outcome} v lambda=0.7",
                        **figures,
                        "unit": "share",
                    }
                    | here
                )
            for length in (5, 11):
                # To 11 points without a cube a match has about twice the games it has with one; to 5, about as many.
                matches = implied_match_share(result.points, length)
                published = PUBLISHED_MATCH_SHARE.get(lam) if length == 11 else None
                metric = f"cubeless matches to {length} implied v lambda=0.7"
                rows.append(row(setting, metric, matches, unit="share", published=published, **here))
        rows += [figure | {"setting": setting} for figure in training_rows(networks[lam])]
    return rows
