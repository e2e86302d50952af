"""Matches side by side: at every step one agent plays a ply in half of the lanes and the other agent in the rest.

A match is a row of arrays (`Matchplay`); a game under way is a lane of a table (`Table`). Games end at any time, and
the next game of a match may begin with either agent, so a match between two games waits for the agent that begins the
next one and goes to any free lane of the table that this agent plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int

from bglab.play.agent import Agent
from bglab.rules.dice import roll
from bglab.rules.planes import flip, pack
from bglab.rules.position import Position

LONGEST = 4096
"""Plies after which a game is given up, and with it its match and the match's mirror."""

CENTRED = -1
BEFORE, NOW, AFTER = 0, 1, 2
"""Where a match stands to its Crawford game."""

_START = pack([Position.start()])[0]
# What lanes without a game hold: a position with a single turn, which costs next to nothing to play.
_IDLE = pack([Position.of(me={1: 1}, opp={1: 1})])[0]

_flip = jax.jit(flip)


@jax.jit
def _dice(key: Array, deal: Array, game: Array, ply: Array) -> Array:
    """The roll of each deal, game and ply, int32[n, 2]: the same whoever plays and wherever in the batch it is."""

    def roll_one(deal: Array, game: Array, ply: Array) -> Array:
        own = jax.random.fold_in(jax.random.fold_in(jax.random.fold_in(key, deal), game), ply)
        return roll(own, (ply == 0)[None])[0]

    return jax.vmap(roll_one)(deal, game, ply)


class Ended(NamedTuple):
    """Games that ended: the match, which agent won (0 or 1), and the points, cube included, or 0 if given up."""

    match: Int[np.ndarray, "n"]
    winner: int
    points: Int[np.ndarray, "n"]


class Table:
    """Half of the lanes: at any moment the same agent is to move in all of them."""

    def __init__(self, lanes: int) -> None:
        self.positions = np.tile(_IDLE, (lanes, 1))
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
        self.positions[lanes] = _IDLE


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
        dice = _dice(
            self.key, *(a.astype(np.int32) for a in (self.deal[match], self.games[match], table.ply))
        )
        after, won = self.agents[mover].choose_many(table.positions, np.asarray(dice))
        table.positions, won = np.array(_flip(jnp.asarray(after))), np.asarray(won).astype(np.int64)
        table.ply += 1
        active = table.match >= 0
        over = np.flatnonzero(active & ((won > 0) | (table.ply >= LONGEST)))
        ended.append(Ended(table.match[over], mover, won[over] * table.cube[over]))
        table.free(over)
        table.positions[~active] = _IDLE
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
        double, _ = self.agents[mover].cube_many(table.positions[lanes], mine[lanes], live[lanes])
        lanes = lanes[double]
        if not len(lanes):
            return lanes
        _, take = self.agents[other].cube_many(table.positions[lanes], mine[lanes], live[lanes])
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
