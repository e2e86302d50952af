"""Matches side by side: at every step one agent plays a ply in half of the lanes and the other agent in the rest.

A match is a row of arrays (`Matchplay`); a game under way is a lane of a table (`Table`). Games end at any time, and
the next game of a match may begin with either agent, so a match between two games waits for the agent that begins the
next one and goes to any free lane of the table that this agent plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Int, UInt32
from tqdm.auto import tqdm

from bglab.cube.match_equity import MatchScore
from bglab.play.agent import Agent, ask_cube
from bglab.rules.dice import dealt
from bglab.rules.parallel import threads
from bglab.rules.planes import flip, pack
from bglab.rules.position import Position
from bglab.value.evaluator import on_host

LONGEST = 4096
"""Plies after which a game is given up, and with it its match and the match's mirror."""

CENTRED = -1
BEFORE, NOW, AFTER = 0, 1, 2
"""Where a match stands to its Crawford game."""

_START = pack([Position.start()])[0]
IDLE = pack([Position.of(me={1: 1}, opp={1: 1})])[0]
"""What lanes without a game hold: a position with a single turn, which costs next to nothing to play."""

_flip = jax.jit(flip)


def played_on(
    agent: Agent,
    positions: UInt32[np.ndarray, "n 8"],
    dice: Int[np.ndarray, "n 2"],
    active: Bool[np.ndarray, "n"],
    checkers: int = 15,
) -> tuple[UInt32[np.ndarray, "n 8"], Int[np.ndarray, "n"]]:
    """Lanes after the agent's turn, seen by the other side, and the points it won in them; `IDLE` where no game is."""
    # Compiled programs are made for all lanes; an engine is asked about nothing in vain.
    asked = np.flatnonzero(active) if on_host(agent.evaluator) else np.arange(len(active))
    after, won = positions.copy(), np.zeros(len(active), np.int64)
    if len(asked):
        after[asked], won[asked] = agent.choose_many(positions[asked], dice[asked], checkers)
    theirs = np.array(_flip(jnp.asarray(after)))
    theirs[~active], won[~active] = IDLE, 0
    return theirs, won


def workers_for(agents: Sequence[Agent]) -> int:
    """Threads for two agents, each in its own; what runs outside `jit` may not bear two, so nothing of it is shared."""
    first, second = (agent.static for agent in agents)
    return 1 if first is second and on_host(first) else min(2, threads())


class Ended(NamedTuple):
    """Games that ended: the match, which agent won (0 or 1), and the points, cube included, or 0 if given up."""

    match: Int[np.ndarray, "n"]
    winner: int
    points: Int[np.ndarray, "n"]


class Table:
    """Half of the lanes: at any moment the same agent is to move in all of them."""

    def __init__(self, lanes: int) -> None:
        self.positions = np.tile(IDLE, (lanes, 1))
        self.match = np.full(lanes, -1)
        self.ply = np.zeros(lanes, np.int64)
        self.cube = np.ones(lanes, np.int64)
        self.owner = np.full(lanes, CENTRED)

    def begin(self, matches: Sequence[int], lanes: Int[np.ndarray, "n"]) -> None:
        """Begin the next game of matches in free lanes."""
        self.match[lanes] = matches
        self.ply[lanes] = 0
        self.cube[lanes] = 1
        self.owner[lanes] = CENTRED
        self.positions[lanes] = _START

    def free(self, lanes: Int[np.ndarray, "n"]) -> None:
        self.match[lanes] = -1
        self.positions[lanes] = IDLE


class Matchplay:
    """The matches of two agents: their scores, and the rules by which games are played and counted.

    Match m is half m % 2 of pair m // 2; in half 0 the first agent has seat 0, in half 1 the second. Seat 0 begins the
    even games, so game g of match m begins with agent (g + m) % 2.
    """

    def __init__(
        self,
        agents: tuple[Agent, Agent],
        key: Array,
        matches: int,
        length: int,
        cube: bool,
        crawford: bool,
        paired: bool,
    ) -> None:
        self.agents, self.key = agents, key
        self.length, self.crawford_rule = length, crawford
        self.cap = (1 << (length - 1).bit_length()) if cube else 1
        self.deal = np.arange(matches) // 2 if paired else np.arange(matches)
        self.score = np.zeros((matches, 2), np.int64)
        self.games = np.zeros(matches, np.int64)
        self.crawford = np.full(matches, BEFORE)
        self.given_up = np.zeros(matches, bool)

    def ply(self, table: Table, mover: int) -> list[Ended]:
        """Let an agent play one ply of every game at a table: the cube, then the roll; frees lanes of ended games."""
        if (table.match < 0).all():
            return []
        lost = self._turn_cube(table, mover)
        ended = [Ended(table.match[lost], mover, table.cube[lost])]
        table.free(lost)

        match = np.maximum(table.match, 0)
        dice = dealt(
            self.key, *(a.astype(np.int32) for a in (self.deal[match], self.games[match], table.ply))
        )
        active = table.match >= 0
        table.positions, won = played_on(self.agents[mover], table.positions, np.asarray(dice), active)
        table.ply += 1
        over = np.flatnonzero(active & ((won > 0) | (table.ply >= LONGEST)))
        ended.append(Ended(table.match[over], mover, won[over] * table.cube[over]))
        table.free(over)
        return ended

    def _turn_cube(self, table: Table, mover: int) -> Int[np.ndarray, "n"]:
        """Let the mover double wherever that is allowed; returns the lanes in which the other agent passed."""
        other, match, cube = 1 - mover, np.maximum(table.match, 0), table.cube
        allowed = (
            (table.match >= 0)
            & (table.ply > 0)
            & (table.owner != other)
            & (2 * cube <= self.cap)
            & (self.crawford[match] != NOW)
            & (self.score[match, mover] + cube < self.length)
        )
        lanes = np.flatnonzero(allowed)
        if not len(lanes):
            return lanes
        live = (4 * cube <= self.cap) & (self.score[match, other] + 2 * cube < self.length)
        mine = (table.owner == mover).astype(np.int32)
        # Nobody is asked in a Crawford game.
        away = (self.length - self.score[match]).astype(np.int32)
        # Those of all lanes are no score yet: in some, nobody plays.
        score = (away[:, mover], away[:, other], cube.astype(np.int32), np.zeros(len(cube), bool))

        def asked(agent: Agent, lanes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            here = MatchScore(*(each[lanes] for each in score))
            return ask_cube(agent, table.positions[lanes], mine[lanes], live[lanes], here)

        double, _ = asked(self.agents[mover], lanes)
        lanes = lanes[double]
        if not len(lanes):
            return lanes
        _, take = asked(self.agents[other], lanes)
        taken = lanes[take]
        table.cube[taken] *= 2
        table.owner[taken] = other
        return lanes[~take]

    def settle(self, ended: Ended) -> Int[np.ndarray, "n"]:
        """Count games that ended; returns the matches that go on. Each match occurs once."""
        match, winner, points = ended
        self.given_up[match[points == 0]] = True
        self.score[match, winner] += points
        self.games[match] += 1
        score = self.score[match]
        state = self.crawford[match]
        first = (state == BEFORE) & (score.max(1) == self.length - 1) & self.crawford_rule
        self.crawford[match] = np.where(state == NOW, AFTER, np.where(first, NOW, state))
        return match[(score.max(1) < self.length) & (points > 0)]


def lanes_for(matches: int, most: int) -> int:
    """Lanes of one of the two tables: room for at least half of the matches at once, since a step costs less a lane the
    more lanes it has, and the last matches run alone however many those are. A power of two, so that few sizes are
    compiled.
    """
    wanted = 1 << max(-(-matches // 4) - 1, 31).bit_length()
    return min(wanted, 1 << (most // 2).bit_length() - 1)


def play_all(play: Matchplay, matches: int, lanes: int, progress: bool) -> None:
    """Play every match to its end, both tables at the same time where there are threads."""
    tables = (Table(lanes), Table(lanes))
    # Matches that wait for a lane, by the agent that begins; those between two games go before those yet to begin.
    fresh = [list(range(matches))[k::2][::-1] for k in (0, 1)]
    between: list[list[int]] = [[], []]
    done = step = 0
    with (
        ThreadPoolExecutor(workers_for(play.agents)) as pool,
        tqdm(total=matches, disable=not progress, unit=" matches") as bar,
    ):
        while done < matches:
            seated = (tables[step % 2], tables[1 - step % 2])
            for mover, table in enumerate(seated):
                free = np.flatnonzero(table.match < 0)
                waiting = between[mover][: len(free)]
                del between[mover][: len(waiting)]
                while len(waiting) < len(free) and fresh[mover]:
                    waiting.append(fresh[mover].pop())
                table.begin(waiting, free[: len(waiting)])
            for results in pool.map(play.ply, seated, (0, 1)):
                for ended in results:
                    going_on = play.settle(ended)
                    for match in going_on.tolist():
                        between[(play.games[match] + match) % 2].append(match)
                    done += len(ended.match) - len(going_on)
                    bar.update(len(ended.match) - len(going_on))
            step += 1
