"""The λ study: six networks that differ in λ alone, each against the λ = 0.7 network. See README.md."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from bglab.lab.results import commit, machine, row
from bglab.lab.study import write_progress
from bglab.measure.duel import duel
from bglab.measure.matches import implied_match_share
from bglab.play.agent import Agent
from bglab.training.checkpoint import State
from bglab.training.loop import train
from bglab.training.recipe import Recipe
from bglab.training.targets import lambda_return
from bglab.value.netfile import NETWORK, load_network, write_atomically

LAMBDAS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)
REFERENCE = 0.7
PUBLISHED_MATCH_SHARE = {1.0: 0.091}
SEED = 1
UNIT = "games"


@dataclass(frozen=True)
class Preset:
    games: int
    duel_games: int


PRESETS = {"quick": Preset(300, 200), "laptop": Preset(100_000, 20_000), "paper": Preset(800_000, 40_000)}


def recipe(preset: str, lam: float) -> Recipe:
    """The run for one λ."""
    return Recipe(target=partial(lambda_return, lam=lam), games=PRESETS[preset].games)


def parts(preset: str) -> list[tuple[float]]:
    """One training run for each λ; the reference first, so that it is there early."""
    return [(lam,) for lam in sorted(LAMBDAS, key=lambda lam: lam != REFERENCE)]


def part_name(lam: float) -> str:
    return f"lambda-{lam:.1f}"


def size(preset: str, lam: float) -> int:
    return PRESETS[preset].games


def run_part(preset: str, folder: Path, lam: float) -> None:
    """Train the network of one λ, or go on with it."""
    if (folder / "training.json").exists():
        return

    def tell(state: State) -> None:
        if state.rounds % 10 == 0 or state.games == PRESETS[preset].games:
            write_progress(folder, state.games)

    run = train(recipe(preset, lam), SEED, folder, resume=True, progress=False, on_round=tell)
    if not run.finished:
        raise KeyboardInterrupt
    # About a hundred points of the curve, each the mean over its rounds.
    curve = run.curve.groupby(run.curve.index * 100 // len(run.curve)).agg(
        {"games": "max", "positions": "sum", "loss": "mean", "too_long": "max", "seconds": "sum"}
    )
    write_atomically(folder / "curve.csv", curve.to_csv(index=False, float_format="%.6g").encode())
    origin = {"commit": commit(), "machine": machine(), "seconds": float(run.curve["seconds"].sum())}
    write_atomically(folder / "training.json", json.dumps(origin).encode())


def curve(preset: str, folder: Path) -> pd.DataFrame:
    """The course of training: about a hundred points per λ.

    Columns: setting, games (trained on so far), loss (mean since the last point, nats), positions and seconds (both
    since the last point).
    """
    courses = [
        pd.read_csv(folder / part_name(lam) / "curve.csv").assign(setting=f"lambda={lam:g}")
        for lam in LAMBDAS
    ]
    return pd.concat(courses)[["setting", "games", "loss", "positions", "seconds"]]


def measure(preset: str, folder: Path, progress: bool) -> list[dict[str, Any]]:
    """Duels against the reference, and what training took."""
    agents, origins, curves = {}, {}, {}
    for lam in LAMBDAS:
        done = folder / part_name(lam)
        agents[lam] = Agent(f"λ = {lam:g}", load_network(done / NETWORK)[0])
        origins[lam] = json.loads((done / "training.json").read_text()) | {"seed": SEED}
        curves[lam] = pd.read_csv(done / "curve.csv")
    rows = []
    origin_here = {"seed": SEED, "commit": commit(), "machine": machine()}
    for lam in LAMBDAS:
        setting = f"lambda={lam:g}"
        if lam != REFERENCE:
            games = PRESETS[preset].duel_games
            began = time.perf_counter()
            result = duel(agents[lam], agents[REFERENCE], games, seed=SEED, progress=progress)
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
        curve, origin = curves[lam], origins[lam]
        games, positions = int(curve["games"].max()), int(curve["positions"].sum())
        plain = {"n": games, **origin}
        rows.append(row(setting, "training speed", games / origin["seconds"], unit="games/s", **plain))
        rows.append(row(setting, "positions per training game", positions / games, unit="positions", **plain))
        rows.append(
            row(setting, "games left out as too long", float(curve["too_long"].max()), unit="games", **plain)
        )
        rows.append(
            row(setting, "loss over the last hundredth", float(curve["loss"].iloc[-1]), unit="nats", **plain)
        )
    return rows
