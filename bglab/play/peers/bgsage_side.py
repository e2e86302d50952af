"""Open Sage's side of the pipe (PyPI package bgsage): run by `serve.py`, never imported.

Boards are int8[n, 26], the player's view: the other's bar, points 1 to 24 (player's checkers positive), the player's
bar. Levels are the engine's own words: 1ply to 4ply, truncated1 to truncated3, rollout.
"""

from __future__ import annotations

import time
from functools import cache
from importlib.metadata import version as version_of
from typing import Any

import bgbot_cpp
import bgsage
import numpy as np
from bgsage.analyzer import bearoff_db_path

OWNERS = {0: bgbot_cpp.CubeOwner.CENTERED, 1: bgbot_cpp.CubeOwner.PLAYER, -1: bgbot_cpp.CubeOwner.OPPONENT}
NAMES = {0: "centered", 1: "player", -1: "opponent"}


@cache
def _analyzer(level: str, cubeful: bool, threads: int) -> bgsage.BgBotAnalyzer:
    return bgsage.BgBotAnalyzer(
        eval_level=level, cubeful=cubeful, cubeful_trial_moves=cubeful, parallel_threads=threads
    )


@cache
def _strategy(level: str, threads: int) -> Any:
    """What evaluates a position after a move, bear-off table included."""
    inner = _analyzer(level, False, threads)._analyzer
    for name in ("_strategy_nply", "_rollout_strategy", "_strategy_1ply"):
        if hasattr(inner, name):
            return getattr(inner, name)
    raise AttributeError("this version of bgsage keeps its strategies elsewhere")


def version() -> str:
    return version_of("bgsage")


def evaluate(after: np.ndarray, before: np.ndarray, level: str, threads: int) -> np.ndarray:
    """The five cumulative probabilities, float32[n, 5], of the player who has moved from `before` to `after`.

    The engine picks its network by the position before the move.
    """
    strategy = _strategy(level, threads)
    answers = [
        strategy.evaluate_board(board, root)["probs"]
        for board, root in zip(after.tolist(), before.tolist(), strict=True)
    ]
    if hasattr(strategy, "clear_cache"):
        strategy.clear_cache()
    return np.array(answers, np.float32).reshape(-1, 5)


def choose(boards: np.ndarray, dice: np.ndarray, level: str, threads: int) -> np.ndarray:
    """The board after the engine's cubeless choice, int8[n, 26]."""
    analyzer = _analyzer(level, False, threads)
    chosen = [
        analyzer.checker_play(board, *roll, cube_owner=None).moves[0].board
        for board, roll in zip(boards.tolist(), dice.tolist(), strict=True)
    ]
    return np.array(chosen, np.int8).reshape(-1, 26)


def cube(
    boards: np.ndarray, owners: list[int], level: str, jacoby: bool, beavers: bool, threads: int
) -> np.ndarray:
    """Equities of not doubling now and of double and take, float64[n, 2], per unit of the present cube."""
    if level == "1ply":
        asked = [(board, 1, OWNERS[owner]) for board, owner in zip(boards.tolist(), owners, strict=True)]
        answers = bgbot_cpp.batch_evaluate_positions(
            asked, _strategy(level, threads), threads, jacoby=jacoby, beaver=beavers
        )
        return np.array([(each["equity_nd"], each["equity_dt"]) for each in answers]).reshape(-1, 2)
    analyzer = _analyzer(level, True, threads)
    results = [
        analyzer.cube_action(board, 1, NAMES[owner], jacoby=jacoby, beaver=beavers)
        for board, owner in zip(boards.tolist(), owners, strict=True)
    ]
    return np.array([(each.equity_nd, each.equity_dt) for each in results]).reshape(-1, 2)


@cache
def _rollout(trials: int, truncate: int, seed: int, threads: int) -> Any:
    """The engine's cubeless rollout at 1ply, bear-off table included."""
    weights, table = bgsage.default_weights(), bgbot_cpp.BearoffDB()
    strategy = bgbot_cpp.create_rollout(
        weights.strategy_type,
        weights.weight_paths_list,
        weights.hidden_sizes_list,
        n_trials=trials,
        truncation_depth=truncate,
        decision_ply=1,
        n_threads=threads,
        seed=seed,
        cubeful_trial_moves=False,
    )
    if table.load(bearoff_db_path()):
        bgbot_cpp.rollout_set_bearoff_db(strategy, table)
    return strategy, table


def roll_out(
    after: np.ndarray, trials: int, truncate: int, seed: int, threads: int
) -> tuple[np.ndarray, float]:
    """Cubeless equity and its standard error, float64[n, 2], for the player who has moved, and the seconds taken."""
    strategy, _ = _rollout(trials, truncate, seed, threads)
    began = time.perf_counter()
    answers = [strategy.evaluate_board(board, board) for board in after.tolist()]
    seconds = time.perf_counter() - began
    return np.array([(each["equity"], each["std_error"]) for each in answers]).reshape(-1, 2), seconds


FUNCTIONS = {"version": version, "evaluate": evaluate, "choose": choose, "cube": cube, "roll_out": roll_out}
