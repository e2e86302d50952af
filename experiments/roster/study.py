"""The Roster study: parameter AIs, the hand-guessed Origin and a network; and what gammons are worth. See README.md."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bglab.lab.results import commit, machine, pairing_rows, row
from bglab.measure.duel import duel, positions_met
from bglab.measure.tournament import round_robin
from bglab.play.agent import Agent
from bglab.play.match import MatchRules
from bglab.play.names import DEFAULT, load
from bglab.rules.planes import unpack
from bglab.rules.reference import legal_turns
from bglab.statistics import mean, share
from bglab.value.parameter import shipped_brains
from bglab.value.wins import WinsOnly

NETWORK = DEFAULT
ORIGIN = "parameter:origin"
SEED = 1
PUBLISHED_IN_ALL = {NETWORK: 0.854, ORIGIN: 0.042}
PUBLISHED_TRIALS = {"matches won in all": 90_000}
PUBLISHED_ENDS = {"single": 0.690, "gammon": 0.299, "backgammon": 0.011}


@dataclass(frozen=True)
class Preset:
    matches: int
    games: int
    decisions: int
    length: int = 11


PRESETS = {
    "quick": Preset(8, 16, 32, 1),
    "laptop": Preset(1_000, 3_000, 10_000),
    "paper": Preset(10_000, 3_000, 50_000),
}


def measure(preset: str, folder: Path, progress: bool, executor: Executor | None) -> list[dict[str, Any]]:
    """The tournament, how games end, and how often gammons change the turn."""
    asked = PRESETS[preset]
    here = {"seed": SEED, "commit": commit(), "machine": machine()}
    result = round_robin(
        [NETWORK, *(f"parameter:{name}" for name in shipped_brains())],
        asked.matches,
        MatchRules(asked.length),
        seed=SEED,
        executor=executor,
        out=folder / "tournament",
        progress=progress,
    )
    rows = pairing_rows(result, NETWORK, {}, here)
    for each in rows:
        if each["metric"] == "matches won in all":
            each["published"] = PUBLISHED_IN_ALL.get(each["setting"])
    return rows + _ends(asked.games, here) + _policy(asked.decisions, here)


def _ends(games: int, here: dict[str, Any]) -> list[dict[str, Any]]:
    """How cubeless games of the network against itself end. Played twice they are the same games, so once counts."""
    began = time.perf_counter()
    points = np.abs(duel(load(NETWORK), load(NETWORK), 2 * games, seed=SEED, progress=False).points[:, 0])
    timed = here | {"seconds": time.perf_counter() - began}
    rows = [
        row(
            "self-play",
            f"games that end as a {name}",
            share(points == value, 1),
            unit="share",
            published=published,
            **timed,
        )
        for value, (name, published) in enumerate(PUBLISHED_ENDS.items(), 1)
    ]
    return [
        *rows,
        row("self-play", "points at stake in a game", mean(points), unit="points", published=1.32, **timed),
    ]


def _policy(decisions: int, here: dict[str, Any]) -> list[dict[str, Any]]:
    """How often ranking by the chance of winning alone picks another turn than equity does: of all decisions, and of
    those in which there is more than one turn.
    """
    agent = load(NETWORK)
    positions, dice = positions_met(agent, decisions, SEED)
    blind = Agent("wins only", WinsOnly(agent.evaluator))
    chosen = [np.asarray(each.choose_many(positions, dice)[0]) for each in (agent, blind)]
    other = (chosen[0] != chosen[1]).any(1)
    choice = np.array(
        [
            differs or len(legal_turns(position, roll)) > 1
            for differs, position, roll in zip(other, unpack(positions), dice, strict=True)
        ]
    )
    metric = "decisions in which the chance of winning alone picks another turn"
    return [
        row("self-play", name, share(where, 1), unit="share", published=0.169, **here)
        for name, where in ((metric, other), (f"{metric}, of those with a choice", other[choice]))
    ]
