"""The Yardsticks study: our networks and published ones beside engines that others use. See README.md."""

from __future__ import annotations

import os
import time
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bglab.lab.results import commit, machine, row
from bglab.lab.study import in_study
from bglab.measure.corpus import CheckerCorpus, CubeCorpus, load_corpus
from bglab.measure.duel import Duel, duel
from bglab.measure.error_rate import error_rate
from bglab.measure.kept import kept_results
from bglab.play.agent import Agent
from bglab.play.names import load, shipped_networks
from bglab.value.wins import WinsOnly

SEED = 1
OPPONENT = "gnubg:0ply"
CORPUS = "gnubg-checker"
CUBES = "gnubg-cube"
TO_WIN = " playing to win"
SLOW = ("gnubg:1ply",)
"""Engines that play fewer games."""
PURETD = "BGLAB_PURETD"
PURETD_NETWORKS = {
    "PureTD prob5": "cubeless_prob5_512_512_256_128.npz",
    "PureTD dmp_512": "dmp_512_512_256_256.npz",
    "PureTD dmp_256": "dmp_256_256_256.npz",
    "PureTD cubeful": "cubeful_money_512_512_256_256.npz",
}
PUBLISHED_ERROR = {OPPONENT: 2.0, "N80-L2-sigmoid-800k-lam07": 13.28, "N80-L2-sigmoid-1600k-lam07": 12.6}
PUBLISHED_POINTS = {"PureTD prob5": 35.4}
PUBLISHED_WINS = {"PureTD dmp_512": 0.5184, "PureTD dmp_256": 0.5080}
PUBLISHED_TRIALS = {f"games won against {OPPONENT} playing to win": 10_000_000}
"""Games behind each of PureTD's figures."""
PART = 2_000
"""Games of a piece of work; each is kept when it is done."""


@dataclass(frozen=True)
class Preset:
    decisions: int
    games: int
    slow_games: int
    all_agents: bool = True


PRESETS = {
    "quick": Preset(40, 8, 8, False),
    "laptop": Preset(2_400, 2_000, 200),
    "paper": Preset(2_400, 20_000, 2_000),
}


def agents(preset: str) -> dict[str, str]:
    """What is measured: the name of each agent and what `bglab.load` knows it by."""
    if not PRESETS[preset].all_agents:
        names = ["N80-L2-sigmoid-800k-lam07", OPPONENT, "sage:1ply"]
        return dict(zip(names, names, strict=True))
    names = [*shipped_networks(), OPPONENT, *SLOW, "sage:1ply"]
    folder = os.environ.get(PURETD)
    published = (
        {}
        if folder is None
        else {name: f"puretd:{Path(folder) / file}" for name, file in PURETD_NETWORKS.items()}
    )
    return dict(zip(names, names, strict=True)) | published


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """Error rates over the corpora, then points against GNU Backgammon."""
    corpus, cubes = load_corpus(CORPUS), load_corpus(CUBES)
    assert isinstance(corpus, CheckerCorpus)
    assert isinstance(cubes, CubeCorpus)
    corpus = corpus.some(np.arange(PRESETS[preset].decisions))
    rows = []
    for name, known_as in agents(preset).items():
        rows += _error_rows(name, known_as, corpus, executor) + _cube_rows(name, known_as, cubes)
        if name != OPPONENT:
            rows += _duel_rows(preset, folder, name, known_as, executor)
        if name in PUBLISHED_WINS:
            rows += _duel_rows(preset, folder, name, known_as, executor, to_win=True)
    return rows


def _error_rows(
    name: str, known_as: str, corpus: CheckerCorpus, executor: Executor | None
) -> list[dict[str, Any]]:
    began = time.perf_counter()
    rate = error_rate(load(known_as), corpus, executor=executor)
    here = {"commit": commit(), "machine": machine(), "seconds": time.perf_counter() - began}
    n = len(rate.loss)
    return [
        row(name, "error rate", rate.mean, unit="mpd", published=PUBLISHED_ERROR.get(name), **here),
        row(name, "PR, checker play", rate.pr, unit="PR", **here),
        row(name, "best choice", rate.agreement, unit="share", **here),
        row(name, "90th percentile", rate.quantile(0.9), unit="mp", n=n, **here),
        row(name, "worst decision", rate.worst, unit="mp", n=n, **here),
    ]


def _cube_rows(name: str, known_as: str, cubes: CubeCorpus) -> list[dict[str, Any]]:
    if name in PUBLISHED_WINS:  # They know nothing of the cube.
        return []
    began = time.perf_counter()
    rate = error_rate(load(known_as), cubes)
    here = {"commit": commit(), "machine": machine(), "seconds": time.perf_counter() - began}
    rows = []
    for asked in ("double", "take"):
        mean = rate.only(rate.phase == asked).mean
        rows.append(row(name, f"error rate, {asked} or not", mean, unit="mpd", **here))
    return rows


def _duel_rows(
    preset: str, folder: Path, name: str, known_as: str, executor: Executor | None, to_win: bool = False
) -> list[dict[str, Any]]:
    """`to_win`: the engine plays for the win alone, as it would at the last point of a match."""
    asked = PRESETS[preset]
    games = asked.slow_games if name in SLOW else asked.games
    sizes = [min(PART, games - k) for k in range(0, games, PART)]
    calls = [(known_as, SEED + 1000 * k, count, to_win) for k, count in enumerate(sizes)]
    kept = [_kept(folder, name + TO_WIN * to_win, seed, count) for _, seed, count, _ in calls]
    found = kept_results(
        partial(in_study, "yardsticks", "play_part"), calls, kept, "part of a duel", executor
    )
    result = Duel(name, OPPONENT, SEED, np.concatenate([np.array(part["points"]) for part in found]))
    points = result.per_game
    in_mille = points.scaled(1000, "mEq per game")
    here = {
        "seed": SEED,
        "commit": commit(),
        "machine": machine(),
        "seconds": sum(part["seconds"] for part in found),
    }
    against = f"against {OPPONENT}" + TO_WIN * to_win
    published = PUBLISHED_WINS.get(name) if to_win else None
    won = row(name, f"games won {against}", result.wins, unit="share", published=published, **here)
    if to_win:
        return [won]
    return [
        row(
            name, f"equity {against}", in_mille, unit="mEq/game", published=PUBLISHED_POINTS.get(name), **here
        ),
        won,
    ]


def _kept(folder: Path, name: str, seed: int, games: int) -> Path:
    return folder / "duels" / f"{name.replace(':', '-').replace(' ', '-')}-{seed}-{games}.json"


def play_part(known_as: str, seed: int, games: int, to_win: bool) -> dict[str, Any]:
    """Some games of an agent against GNU Backgammon."""
    began = time.perf_counter()
    opponent = load(OPPONENT)
    if to_win:
        opponent = Agent(OPPONENT + TO_WIN, WinsOnly(opponent.static))
    # All games side by side, so that the engine is asked about many positions at a time.
    found = duel(load(known_as), opponent, games, seed, lanes=games, progress=False)
    return {
        "points": found.points.tolist(),
        "seconds": time.perf_counter() - began,
        "too_long": found.too_long,
    }
