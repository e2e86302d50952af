"""The Rollouts study: our rollouts beside Open Sage's, with the same evaluator and settings. See README.md."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bglab.lab.results import commit, machine, row
from bglab.lab.study import in_study
from bglab.measure.corpus import CheckerCorpus, load_corpus
from bglab.measure.kept import kept_results
from bglab.play.names import load
from bglab.play.peers.sage import sage_rollout
from bglab.search.rollout import rollout
from bglab.statistics import Estimate, mean

SEED = 1
CORPUS = "gnubg-checker"
SAGE = "sage:1ply"
NETWORK = "N80-L2-sigmoid-1600k-lam07"
BATCH = 36
"""Trials of one of Open Sage's rollouts, whose spread over seeds gives its error."""
PART = 5
"""Positions of a piece of work; each is kept when it is done."""


@dataclass(frozen=True)
class Preset:
    positions: int
    trials: int
    truncate: int


PRESETS = {"quick": Preset(2, 72, 2), "laptop": Preset(10, 360, 7), "paper": Preset(50, 360, 7)}


def positions(count: int) -> np.ndarray:
    """The middle decision of the corpus from each of so many games: first ones are often the same opening."""
    corpus = load_corpus(CORPUS)
    assert isinstance(corpus, CheckerCorpus)
    _, first, decisions = np.unique(corpus.game, return_index=True, return_counts=True)
    return corpus.positions[(first + decisions // 2)[:count]]


def roll_part(preset: str, first: int) -> dict[str, Any]:
    """Some positions rolled out by everybody."""
    asked = PRESETS[preset]
    some = positions(asked.positions)[first : first + PART]
    seeds = range(SEED, SEED + asked.trials // BATCH)
    # What is only made once is not timed.
    sage_rollout(some[:1], BATCH, 1, SEED)
    theirs = [sage_rollout(some, BATCH, asked.truncate, seed) for seed in seeds]
    found: dict[str, Any] = {
        "Open Sage": {
            "equity": np.mean([each.equity for each in theirs], 0).tolist(),
            "error": (np.std([each.equity for each in theirs], 0, ddof=1) / len(seeds) ** 0.5).tolist(),
            "reported": np.mean([each.error for each in theirs], 0).tolist(),
            "seconds": sum(each.seconds for each in theirs),
        }
    }
    for name in (SAGE, NETWORK):
        rolled = rollout(load(name).evaluator, asked.trials, truncate=asked.truncate, seed=SEED)
        rolled.estimate(some[:1])
        began = time.perf_counter()
        ours = rolled.estimate(some)
        seconds = time.perf_counter() - began
        found[name] = {
            "equity": ours.equity.tolist(),
            "error": ours.equity_error.tolist(),
            "seconds": seconds,
        }
    return found


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """Every position's equities, then the differences over all of them, and the speeds."""
    asked = PRESETS[preset]
    calls = [(preset, first) for first in range(0, asked.positions, PART)]
    kept = [folder / "parts" / f"{first}.json" for _, first in calls]
    parts = kept_results(partial(in_study, "rollouts", "roll_part"), calls, kept, "part", executor)
    here = {"seed": SEED, "commit": commit(), "machine": machine()}

    def all_of(name: str, what: str) -> np.ndarray:
        return np.concatenate([part[name][what] for part in parts])

    rows, seconds = [], {}
    equity, error = all_of("Open Sage", "equity"), all_of("Open Sage", "error")
    for name in ("Open Sage", SAGE, NETWORK):
        seconds[name] = sum(part[name]["seconds"] for part in parts)
        label = name if name == "Open Sage" else f"bglab, {name}"
        for k, (value, spread) in enumerate(
            zip(all_of(name, "equity"), all_of(name, "error"), strict=True), 1
        ):
            estimate = Estimate(float(value), float(spread), asked.trials, "points")
            rows.append(row(f"{label}, position {k}", "equity", estimate, unit="points", **here))
        if name != "Open Sage":
            apart = all_of(name, "equity") - equity
            z = apart / np.sqrt(error**2 + all_of(name, "error") ** 2)
            rows.append(row(label, "equity less Open Sage's", mean(apart, "points"), unit="points", **here))
            n = len(z)
            for metric, value in (
                ("root mean square of z", np.sqrt((z**2).mean())),
                ("largest |z|", np.abs(z).max()),
            ):
                rows.append(row(label, metric, float(value), unit="standard errors", n=n, **here))
        typical = float(np.sqrt((all_of(name, "error") ** 2).mean()))
        rows.append(row(label, "standard error", typical, unit="points", n=asked.trials, **here))
        speed = asked.positions * asked.trials / seconds[name]
        timed = here | {"seconds": seconds[name]}
        rows.append(row(label, "speed", speed, unit="trials/s", n=len(equity) * asked.trials, **timed))
    reported = float(np.sqrt((all_of("Open Sage", "reported") ** 2).mean() / (asked.trials / BATCH)))
    rows.append(
        row("Open Sage", "standard error it reports", reported, unit="points", n=asked.trials, **here)
    )
    for name in (SAGE, NETWORK):
        ratio = seconds["Open Sage"] / seconds[name]
        rows.append(row(f"bglab, {name}", "speed v Open Sage", ratio, unit="ratio", n=len(equity), **here))
    return rows
