"""The Depth study: what a ply is worth, in matches and over single decisions, and what it costs. See README.md."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bglab.lab import trained
from bglab.lab.results import commit, machine, row
from bglab.lab.study import in_study
from bglab.measure.corpus import CheckerCorpus, load_corpus
from bglab.measure.duel import positions_met
from bglab.measure.error_rate import compare, error_rate
from bglab.measure.kept import kept_results
from bglab.measure.tournament import round_robin
from bglab.play.agent import Agent
from bglab.play.match import MatchRules
from bglab.rules.planes import pack, unpack
from bglab.rules.reference import legal_turns
from bglab.search.expectimax import expectimax
from bglab.search.rows import worth_on_host
from bglab.statistics import mean, share
from bglab.training.recipe import Recipe
from bglab.value.evaluator import Evaluator

SEED = 1
CORPUS = "gnubg-checker"
PUBLISHED_CORPUS = {
    "error rate": (12.6, 6.9, 4.9),
    "best choice": (0.644, 0.698, 0.756),
    "90th percentile": (35.0, 18.0, 10.0),
    "worst decision": (464.0, None, 308.0),
}
"""At 0, 1 and 2 plies (document 000, sections 6.5 and 8)."""
UNIT = "games"
BLOCK = 10
"""Decisions of a piece of work; each is kept when it is done."""


@dataclass(frozen=True)
class Preset:
    games: int
    matches: int
    positions: int
    corpus: int
    length: int = 11


PRESETS = {
    "quick": Preset(800_000, 4, 2, 4, 1),
    "laptop": Preset(800_000, 100, 20, 100),
    "paper": Preset(1_600_000, 1_000, 200, 2_400),
}


def recipe(preset: str) -> Recipe:
    """The strongest network of the Network study."""
    return Recipe(games=PRESETS[preset].games)


def parts(preset: str) -> list[tuple[()]]:
    """One training run."""
    return [()]


def part_name() -> str:
    return "network"


def size(preset: str) -> int:
    return PRESETS[preset].games


def run_part(preset: str, folder: Path) -> None:
    trained.run_part(recipe(preset), SEED, folder)


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """1-ply against 0-ply in matches; 2-ply against 1-ply over decisions."""
    asked, runs = PRESETS[preset], folder.parents[1]
    network = trained.trained(recipe(preset), SEED, runs).agent.evaluator
    here = {"seed": SEED, "commit": commit(), "machine": machine()}
    agents = [Agent("1-ply", expectimax(network, 1)), Agent("0-ply", network)]
    result = round_robin(
        agents,
        asked.matches,
        MatchRules(asked.length),
        seed=SEED,
        executor=executor,
        out=folder / "tournament",
        chunk=100,
        progress=progress,
    )
    matches, timed = result.results[0], here | {"seconds": result.seconds[0]}
    rows = [
        row("1-ply v 0-ply", "matches won", matches.share, unit="share", published=0.578, **timed),
        row(
            "1-ply v 0-ply", "z", matches.z, unit="standard errors", n=matches.matches, published=6.9, **timed
        ),
        row(
            "1-ply v 0-ply",
            "points per game",
            matches.points_per_game,
            unit="points",
            published=0.21,
            **timed,
        ),
        row(
            "1-ply v 0-ply",
            "games per match",
            matches.games_per_match,
            unit="games",
            n=matches.matches,
            **timed,
        ),
    ]
    firsts = range(0, asked.positions, BLOCK)
    found = kept_results(
        partial(in_study, "depth", "decide"),
        [(preset, folder, first) for first in firsts],
        [folder / "decisions" / f"{first}.json" for first in firsts],
        "block of decisions",
        executor,
    )
    found = [each for block in found for each in block]
    return rows + _decision_rows(found, here) + _corpus_rows(preset, folder, network, executor)


def _corpus_rows(
    preset: str, folder: Path, network: Evaluator, executor: Executor | None
) -> list[dict[str, Any]]:
    """What each depth gives up over decisions of GNU Backgammon's games, as that engine judges."""
    corpus = load_corpus(CORPUS)
    assert isinstance(corpus, CheckerCorpus)
    some = corpus.some(np.linspace(0, len(corpus) - 1, PRESETS[preset].corpus).round().astype(int))
    rates, rows = [], []
    for plies, known in enumerate(zip(*PUBLISHED_CORPUS.values(), strict=True)):
        began = time.perf_counter()
        agent = Agent(f"{plies}-ply", expectimax(network, plies))
        kept = folder / f"corpus-{plies}ply"
        rates.append(error_rate(agent, some, executor=executor, chunk=(40, 20, 4)[plies], folder=kept))
        rate, seconds = rates[-1], time.perf_counter() - began
        timed = {"commit": commit(), "machine": machine(), "seconds": seconds}
        mean_error, agreement, tenth, worst = known
        n = len(rate.loss)
        rows += [
            row(agent.name, "error rate", rate.mean, unit="mpd", published=mean_error, **timed),
            row(agent.name, "best choice", rate.agreement, unit="share", published=agreement, **timed),
            row(agent.name, "90th percentile", rate.quantile(0.9), unit="mp", n=n, published=tenth, **timed),
            row(agent.name, "worst decision", rate.worst, unit="mp", n=n, published=worst, **timed),
        ]
    paired = compare(rates[1], rates[2])
    here = {"commit": commit(), "machine": machine()}
    return [
        *rows,
        row("2-ply v 1-ply", "gained a decision, as GNU Backgammon judges", paired.difference,
            unit="millipoints", published=1.99, **here),
        row("2-ply v 1-ply", "same choice in the corpus", paired.same, unit="share", published=0.878, **here),
    ]  # fmt: skip


def decide(preset: str, folder: Path, first: int) -> list[dict[str, Any]]:
    """Value every turn of a block of decisions at 0, 1 and 2 plies, one decision after another, with its time.

    Every turn is valued to the end, which an agent that only plays would not do at 2 plies.
    """
    asked = PRESETS[preset]
    network = trained.trained(recipe(preset), SEED, folder.parents[1]).agent.evaluator
    positions, dice = positions_met(Agent("0-ply", network), asked.positions, SEED)
    searches = [Agent(f"{plies}-ply", expectimax(network, plies)) for plies in range(3)]
    rows = []
    for k in range(first, min(first + BLOCK, asked.positions)):
        turns = legal_turns(unpack(positions[k : k + 1])[0], dice[k].tolist())
        after = pack([turn.after for turn in turns])
        seconds, worths = [], []
        for plies, search in enumerate(searches):
            # What is compiled first is not timed; at 2 plies nothing new comes after the first decision.
            if plies < 2 or not rows:
                search.values_after(after if plies < 2 else after[:1])
            began = time.perf_counter()
            worths.append(worth_on_host(search.values_after(after)))
            seconds.append(time.perf_counter() - began)
        chosen = [int(np.argmax(worth)) for worth in worths]
        rows.append(
            {
                "seconds": seconds,
                "same": [chosen[a] == chosen[b] for a, b in ((0, 1), (1, 2))],
                # What each choice is worth at 2-ply.
                "equity": [float(worths[2][choice]) for choice in chosen],
            }
        )
    return rows


def _decision_rows(found: list[dict[str, Any]], here: dict[str, Any]) -> list[dict[str, Any]]:
    equity = np.array([each["equity"] for each in found])
    same = np.array([each["same"] for each in found])
    seconds = np.array([each["seconds"] for each in found])
    rows = []
    for a in range(2):
        setting = f"{a + 1}-ply v {a}-ply"
        rows.append(row(setting, "same choice", share(same[:, a], 1), unit="share", **here))
        given_up = mean(1000 * (equity[:, a + 1] - equity[:, a]))
        rows.append(
            row(setting, "gained a decision, as 2-ply values it", given_up, unit="millipoints", **here)
        )
    for plies in range(3):
        rows.append(row(f"{plies}-ply", "time per decision", mean(seconds[:, plies]), unit="seconds", **here))
    for a, known in ((0, None), (1, 401.0)):
        factor = float(seconds[:, a + 1].mean() / seconds[:, a].mean())
        setting = f"{a + 1}-ply v {a}-ply"
        rows.append(row(setting, "cost factor", factor, unit="times", n=len(found), published=known, **here))
    return rows
