"""Benchmarks of what meets the world outside: engines, match files, tables."""

from __future__ import annotations

import random
import time
from typing import Any

from bglab.lab.timing import figure, runs
from bglab.measure.duel import duel, positions_met
from bglab.play.names import load
from bglab.play.peers.engines import worker
from bglab.play.peers.sage import sage_rollout
from bglab.records.mat import read_mat
from bglab.records.matwriter import to_mat
from bglab.records.record import Game, Match, Play
from bglab.rules.position import Position
from bglab.rules.reference import legal_turns
from bglab.search.rollout import rollout
from bglab.value.twosided import built

TRUNCATE = 7


def gnubg_duel(repeats: int, games: int) -> list[dict[str, Any]]:
    """GNU Backgammon at 0 plies against itself, and for what share of the time it works itself."""
    players = load("gnubg:0ply"), load("gnubg:0ply")
    shares, speeds = [], []
    for k in range(repeats + 1):
        busy, began = worker("gnubg").busy, time.perf_counter()
        duel(*players, games, k, lanes=games, progress=False)
        seconds = time.perf_counter() - began
        if k:
            shares.append((worker("gnubg").busy - busy) / seconds)
            speeds.append(games / seconds)
    return [
        figure("duel.gnubg", speeds, "games/s", repeats),
        figure("duel.gnubg.engine", shares, "of the time", repeats),
    ]


def rollouts(repeats: int, positions: int, trials: int) -> list[dict[str, Any]]:
    """Trials/s of rollouts cut after 7 plies, turns chosen without looking ahead, luck taken out, in turn by Open Sage,
    by us with Open Sage's evaluation, and by us with the shipped network.
    """
    met, _ = positions_met(load(), positions, 1)
    ours = {
        "rollout.of_sage": rollout(load("sage:1ply").evaluator, trials, truncate=TRUNCATE),
        "rollout.small": rollout(load().evaluator, trials, truncate=TRUNCATE),
    }
    sage_rollout(met, 36, 1)
    for each in ours.values():
        each.estimate(met)
    count = positions * trials
    speeds: dict[str, list[float]] = {"rollout.sage": [], **{name: [] for name in ours}}
    for k in range(repeats):
        speeds["rollout.sage"].append(count / sage_rollout(met, trials, TRUNCATE, k).seconds)
        for name, each in ours.items():
            began = time.perf_counter()
            each.estimate(met)
            speeds[name].append(count / (time.perf_counter() - began))
    ratios = [
        mine / theirs for mine, theirs in zip(speeds["rollout.small"], speeds["rollout.sage"], strict=True)
    ]
    figures = [figure(name, values, "trials/s", repeats) for name, values in speeds.items()]
    return [*figures, figure("rollout.small.ratio", ratios, "times Open Sage's", repeats)]


def mat(repeats: int, size: int) -> list[dict[str, Any]]:
    """Reading a money session of `size` bytes: random games over and over."""
    games = tuple(_random_game(seed) for seed in range(20))
    text = to_mat(Match(("A", "B"), games=games))
    copies = max(1, size // len(text))
    text = to_mat(Match(("A", "B"), games=games * copies))
    seconds = runs(lambda _: read_mat(text), repeats)
    return [figure("records.mat", (10 * s / (len(text) / 1e6) for s in seconds), "s for 10 MB", repeats)]


def _random_game(seed: int) -> Game:
    """A game of random turns to its end."""
    rng = random.Random(seed)
    position, player, plays = Position.start(), rng.randrange(2), []
    while True:
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        turn = rng.choice(legal_turns(position, dice))
        plays.append(Play(player, dice, turn.moves))
        if turn.after.result is not None:
            return Game(actions=tuple(plays), winner=player, points=turn.after.result)
        position, player = turn.after.flip(), 1 - player


def two_sided_table(repeats: int, checkers: int) -> list[dict[str, Any]]:
    """Building the two-sided bear-off table, without cube and for the three owners of one."""
    return [figure("twosided", runs(lambda _: built(checkers), repeats), "s", repeats)]
