"""Self-play in lockstep: many games side by side, one ply at a time, a finished game's place taken at once.

`play` is a pure function of its arguments. A round of games runs in one `lax.scan` with frozen weights. `play_round`
divides the lanes among threads, and repeats a part with larger buffers whenever a position had more turns than
there was room for. A lane's dice depend on the key and the lane alone, so neither changes the games.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Int32, Int64, Key, UInt32

from bglab.errors import InputError
from bglab.rules.capacity import Ladder
from bglab.rules.dice import roll
from bglab.rules.parallel import side_by_side, threads
from bglab.rules.planes import flip
from bglab.rules.turns import Capacity
from bglab.search.greedy import best_turns
from bglab.value.evaluator import Evaluator, prepare


class Lanes(NamedTuple):
    """The games under way.

    positions: uint32[n, 8], side on roll first. opening: bool[n], the game is about to start.
    """

    positions: UInt32[Array, "n 8"]
    opening: Bool[Array, "n"]


class Record(NamedTuple):
    """What a round played: for every ply and lane the position before the roll, uint32[plies, n, 8], and the
    points its mover won with that turn, int32[plies, n], 0 while the game went on.
    """

    positions: UInt32[Array, "plies n 8"]
    won: Int32[Array, "plies n"]


def new_lanes(start: UInt32[Array, "8"], n: int) -> Lanes:
    """n games at their start position."""
    return Lanes(jnp.tile(start[None], (n, 1)), jnp.ones(n, bool))


@partial(jax.jit, static_argnames=("plies", "capacity", "checkers", "total"))
def play(
    evaluator: Evaluator,
    lanes: Lanes,
    start: UInt32[Array, "8"],
    key: Key[Array, ""],
    *,
    plies: int,
    capacity: Capacity,
    checkers: int = 15,
    total: int | None = None,
    first: int | Array = 0,
) -> tuple[Lanes, Record, Int32[Array, "5"]]:
    """Play every game on for `plies` plies, both sides by the evaluator at 0-ply, cubeless.

    The lanes may be part of a larger set: `total` lanes, of which they are those from number `first` on. Returns the
    lanes afterwards, the record, and the most rows that any ply needed (`turns.fits`).
    """
    evaluator = prepare(evaluator)
    n = lanes.opening.shape[0]

    def ply(lanes: Lanes, key: Array) -> tuple[Lanes, tuple[Record, Array]]:
        everybody = lax.dynamic_update_slice(jnp.zeros(total or n, bool), lanes.opening, (first,))
        dice = lax.dynamic_slice(roll(key, everybody), (first, 0), (n, 2))
        choice = best_turns(evaluator, lanes.positions, dice, capacity, checkers)
        over = choice.won > 0
        following = jnp.where(over[:, None], start[None], flip(choice.after))
        return Lanes(following, over), (Record(lanes.positions, choice.won), choice.needed)

    lanes, (record, needed) = lax.scan(ply, lanes, jax.random.split(key, plies))
    return lanes, record, needed.max(0)


def ladders_for(lanes: int, rung: int = 0) -> list[Ladder]:
    """One ladder for each thread that is to play: as many as there are, with equal parts of at least 128 lanes."""
    parts = max(p for p in range(1, threads() + 1) if lanes % p == 0 and (p == 1 or lanes // p >= 128))
    return [Ladder(lanes // parts, rung=rung) for _ in range(parts)]


def play_round(
    ladders: Sequence[Ladder],
    evaluator: Evaluator,
    lanes: Lanes,
    start: UInt32[Array, "8"],
    key: Key[Array, ""],
    plies: int,
    checkers: int = 15,
) -> tuple[Lanes, Record]:
    """`play` with as much room as it takes, the lanes in as many equal parts as there are ladders, side by side."""
    n = lanes.opening.shape[0]
    size, left = divmod(n, len(ladders))
    if left:
        raise InputError(
            f"{n} lanes cannot be divided into {len(ladders)} equal parts: give fewer or more ladders."
        )

    def part(k: int) -> tuple[Lanes, Record]:
        mine = jax.tree.map(lambda whole: whole[k * size : (k + 1) * size], lanes)
        first = jnp.int32(k * size)

        def call(capacity: Capacity) -> tuple[Any, Any, Array]:
            return play(
                evaluator,
                mine,
                start,
                key,
                plies=plies,
                capacity=capacity,
                checkers=checkers,
                total=n,
                first=first,
            )

        after, record = ladders[k].run(call)
        return after, record

    parts = side_by_side([partial(part, k) for k in range(len(ladders))])
    after = jax.tree.map(lambda *pieces: jnp.concatenate(pieces), *(lanes for lanes, _ in parts))
    record = jax.tree.map(lambda *pieces: jnp.concatenate(pieces, 1), *(record for _, record in parts))
    return after, record


class Games(NamedTuple):
    """Finished games of a round, in the order in which they ended (by ply, then lane).

    positions: uint32[positions, 8], the traces one after another. last: bool[positions], the last position of each
    game. won: int32[positions], the points its mover won there (0 elsewhere). Host arrays.
    """

    positions: UInt32[np.ndarray, "positions 8"]
    last: Bool[np.ndarray, "positions"]
    won: Int32[np.ndarray, "positions"]
    games: int
    too_long: int


class History:
    """The plies of games still under way, so that a game is handed out whole when it ends.

    A ring of `longest` plies: lane i's game began at ply `began[i]`, and since lanes are never empty its trace is
    rows began[i] … now of column i. A game longer than the ring is not handed out but counted as `too_long`.
    """

    def __init__(self, lanes: int, longest: int) -> None:
        self.ring = np.zeros((longest, lanes, 8), np.uint32)
        self.began = np.zeros(lanes, np.int64)
        self.ply = 0

    def add(self, record: Record, most: int | None = None) -> Games:
        """Take in a round and hand out at most `most` of the games that ended in it."""
        positions, won = np.asarray(record.positions), np.asarray(record.won)
        longest = self.ring.shape[0]
        traces: list[np.ndarray] = []
        ends: list[int] = []
        too_long = 0
        for step in range(positions.shape[0]):
            self.ring[self.ply % longest] = positions[step]
            for lane in np.flatnonzero(won[step]):
                length = self.ply - self.began[lane] + 1
                self.began[lane] = self.ply + 1
                if length > longest:
                    too_long += 1
                elif most is None or len(traces) < most:
                    rows = np.arange(self.ply - length + 1, self.ply + 1) % longest
                    traces.append(self.ring[rows, lane])
                    ends.append(won[step, lane])
            self.ply += 1
        lengths = np.array([len(trace) for trace in traces], np.int64)
        last = np.zeros(lengths.sum(), bool)
        points = np.zeros(lengths.sum(), np.int32)
        last[lengths.cumsum() - 1] = True
        points[last] = ends
        flat = np.concatenate(traces) if traces else np.zeros((0, 8), np.uint32)
        return Games(flat, last, points, len(traces), too_long)

    def under_way(self) -> tuple[UInt32[np.ndarray, "positions 8"], Int64[np.ndarray, "lanes"]]:
        """The traces of unfinished games, one after another by lane, and the ply at which each began."""
        longest = self.ring.shape[0]
        kept = [
            self.ring[np.arange(max(began, self.ply - longest), self.ply) % longest, lane]
            for lane, began in enumerate(self.began)
        ]
        return np.concatenate(kept), self.began.copy()

    def restore(
        self, trace: UInt32[np.ndarray, "positions 8"], began: Int64[np.ndarray, "lanes"], ply: int
    ) -> None:
        """Take up where `under_way` and `ply` were read."""
        longest = self.ring.shape[0]
        self.began[:] = began
        self.ply = ply
        first = 0
        for lane in range(len(began)):
            rows = np.arange(max(began[lane], ply - longest), ply) % longest
            self.ring[rows, lane] = trace[first : first + len(rows)]
            first += len(rows)
