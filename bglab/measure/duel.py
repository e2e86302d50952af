"""Duels: two agents, cubeless money games in lockstep, every deal of dice played twice with seats exchanged.

A deal is a sequence of rolls fixed by the seed and the deal's number; it is played once with each agent moving
first. Two agents that play alike therefore score exactly 0 in every deal. The two games of a deal are not
independent of each other, so errors are computed from deals.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np
import pandas as pd
from jax import Array
from jaxtyping import Int, UInt32
from tqdm.auto import tqdm

from bglab.errors import InputError
from bglab.play.agent import Agent, twin
from bglab.play.lockstep import IDLE, LONGEST, played_on, workers_for
from bglab.play.peers.engines import Engine
from bglab.rules.dice import dealt, seeded
from bglab.rules.planes import pack
from bglab.rules.position import Position
from bglab.statistics import Estimate, mean, share
from bglab.value.outcome import POINTS


@dataclass(frozen=True)
class Duel:
    """The result of a duel, from the first agent's side.

    points: int[deals, 2], points the first agent won (negative: lost) in each deal, moving first and moving second.
    too_long: deals left out because a game exceeded `LONGEST` plies.
    """

    first: str
    second: str
    seed: int
    points: Int[np.ndarray, "deals 2"] = field(repr=False)
    too_long: int = 0

    @property
    def games(self) -> int:
        return self.points.size

    @cached_property
    def per_game(self) -> Estimate:
        """Points per game of the first agent; n counts deals of two games each."""
        return mean(self.points.mean(1), "points per game")

    @cached_property
    def wins(self) -> Estimate:
        """Share of games the first agent wins; n counts games."""
        return share((self.points > 0).sum(1), 2, "of games")

    def outcomes(self) -> pd.DataFrame:
        """Share of games that end in each outcome for the first agent, with 95 % intervals and n in games."""
        rows = []
        for name, points in zip(
            (
                "wins single",
                "wins gammon",
                "wins backgammon",
                "loses single",
                "loses gammon",
                "loses backgammon",
            ),
            POINTS.astype(int),
            strict=True,
        ):
            estimate = share((self.points == points).sum(1), 2)
            rows.append((name, estimate.value, estimate.low, estimate.high, self.games))
        return pd.DataFrame(rows, columns=["outcome", "share", "low", "high", "n"])

    def __str__(self) -> str:
        points, wins = self.per_game, self.wins
        lines = [
            f"{self.first} v {self.second}: {points.value:+.4f} ± {points.error:.4f} points per game, "
            f"z = {points.z:.1f}",
            f"  95 % {points.low:+.4f} to {points.high:+.4f}; {self.games:,} games, {len(self.points):,} deals of dice "
            f"each played twice, seed {self.seed}",
            f"  wins {wins.value:.2%} of games (95 % {wins.low:.2%} to {wins.high:.2%})",
        ]
        for row in self.outcomes().itertuples():
            lines.append(
                f"  {row.outcome:<17} {row.share:7.2%} (95 % {row.low:.2%} to {row.high:.2%}, n = {row.n:,})"
            )
        if self.too_long:
            lines.append(f"  {self.too_long} deals left out: a game took more than {LONGEST} plies")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class _Table:
    """Half of the lanes: at any moment the same agent is to move in all of them."""

    def __init__(self, lanes: int, start: np.ndarray) -> None:
        self.start = start
        self.positions = np.tile(start, (lanes, 1))
        self.deal = np.full(lanes, -1)
        self.ply = np.zeros(lanes, np.int64)
        self.seat = np.zeros(lanes, np.int64)

    def seat_new(self, waiting: list[int], seat: int) -> None:
        """Begin games of waiting deals in free lanes; `seat` is 0 if the first agent moves first in them."""
        for lane in np.flatnonzero(self.deal < 0)[: len(waiting)]:
            self.deal[lane] = waiting.pop()
            self.ply[lane], self.seat[lane] = 0, seat
            self.positions[lane] = self.start

    def turn(self, agent: Agent, key: Array, checkers: int) -> list[tuple[int, int, int]]:
        """Let the agent play one ply in every lane; returns (deal, seat, points it won) of games that ended.

        Points are 0 for a game given up as too long.
        """
        active = self.deal >= 0
        if not active.any():
            return []
        dice = np.asarray(dealt(key, jnp.asarray(np.maximum(self.deal, 0)), jnp.asarray(self.ply)))
        self.positions, won = played_on(agent, self.positions, dice, active, checkers)
        self.ply += 1
        ended = active & ((won > 0) | (self.ply >= LONGEST))
        results = [(int(self.deal[k]), int(self.seat[k]), int(won[k])) for k in np.flatnonzero(ended)]
        self.deal[ended] = -1
        self.positions[ended] = IDLE
        return results


def duel(
    first: Agent,
    second: Agent,
    games: int = 10_000,
    seed: int = 0,
    *,
    start: Position | None = None,
    lanes: int = 1024,
    progress: bool = True,
) -> Duel:
    """Play `games` cubeless money games, half of them replays of the other half's dice with seats exchanged.

    Args: games, an even number of at least 4; start, where games begin (the standard position), whose first roll is
    no double; lanes, games side by side, which does not change the result. Raises `InputError` for games that
    cannot be paired, another seed than 0 to 2**32 − 1, or a start where the game is over.
    """
    for agent in (first, second):
        if not isinstance(agent, Agent):
            raise InputError(
                f"A duel is between agents, not {agent!r}: use bglab.load, or bglab.Agent(name, network)."
            )
    if type(games) is not int or games < 4 or games % 2:
        raise InputError(
            f"A duel is an even number of at least 4 games, since deals are played twice, not {games!r}."
        )
    start = Position.start() if start is None else start
    deals = games // 2
    if start.result is not None:
        raise InputError(
            f"The game is over in the position {start.id}: start the duel from one that goes on."
        )
    key, seed = seeded(seed), int(seed)
    planes = pack([start])[0]
    half = max(1, min(lanes, games) // 2)
    points = np.zeros((deals, 2), np.int64)
    # While one part waits for an outside engine's answer, the other prepares its next question.
    parts = 2 if all(isinstance(agent.static, Engine) for agent in (first, second)) else 1
    second = twin(second) if second is first else second
    with (
        tqdm(total=games, disable=not progress, unit=" games") as bar,
        ThreadPoolExecutor(parts) as pool,
    ):

        def play(part: int) -> None:
            agents = (twin(first), twin(second)) if part else (first, second)
            tables = [_Table(max(1, half // parts), planes) for _ in agents]
            _play_out(agents, tables, range(part, deals, parts), key, start.checkers, points, bar)

        list(pool.map(play, range(parts)))
    complete = (points != 0).all(1)
    return Duel(first.name, second.name, seed, points[complete], int((~complete).sum()))


def _play_out(
    agents: tuple[Agent, Agent],
    tables: Sequence[_Table],
    deals: Sequence[int],
    key: Array,
    checkers: int,
    points: Int[np.ndarray, "deals 2"],
    bar: Any,
) -> None:
    """Play both games of these deals and write down what the first agent won in seat 0 and in seat 1.

    At every step one agent is to move in one table and the other agent in the other, then they swap.
    """
    waiting = (list(deals)[::-1], list(deals)[::-1])
    played = step = 0
    with ThreadPoolExecutor(workers_for(agents)) as pool:
        while played < 2 * len(deals):
            seated = (tables[step % 2], tables[1 - step % 2])
            for k, table in enumerate(seated):
                table.seat_new(waiting[k], k)
            turns = pool.map(lambda table, agent: table.turn(agent, key, checkers), seated, agents)
            for k, results in enumerate(turns):
                for deal, seat, won in results:
                    points[deal, seat] = won if k == 0 else -won
                played += len(results)
                bar.update(len(results))
            step += 1


def positions_met(
    agent: Agent, count: int, seed: int = 0, *, lanes: int = 128
) -> tuple[UInt32[np.ndarray, "n 8"], Int[np.ndarray, "n 2"]]:
    """Positions with their rolls from an agent's cubeless games against itself, uint32[n, 8] and int32[n, 2].

    Games run side by side, and one is replaced by the next when it ends; one ply in eight is taken of all of them from
    the 64th on, when they are spread over all stages. A pure function of agent, count and seed.
    """
    if type(count) is not int or count < 1:
        raise InputError(f"Positions are met 1 or more at a time, not {count!r}.")
    key = seeded(seed)
    table = _Table(lanes, pack([Position.start()])[0])
    waiting = list(range(1 << 20))[::-1]
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for ply in range(64 + 8 * -(-count // lanes)):
        table.seat_new(waiting, 0)
        if ply >= 64 and ply % 8 == 0:
            dice = dealt(key, jnp.asarray(table.deal), jnp.asarray(table.ply))
            found.append((table.positions.copy(), np.asarray(dice)))
        table.turn(agent, key, Position.start().checkers)
    positions, dice = (np.concatenate(each)[:count] for each in zip(*found, strict=True))
    return positions, dice
