"""Thousands of positions quickly, from seeds: for tests that need a batch rather than Hypothesis's single examples.

Where a game is played, the reference generator has already listed the turns, so they are kept with the position.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from bglab.rules import Position, Turn, legal_turns
from bglab.rules.dice import seeded
from bglab.rules.position import Variant
from bglab.value.network import Layer, Network, NetworkSpec, init
from tests.strategies import BAR, HOME, SCATTERED

Roll = tuple[int, int]
Case = tuple[Position, Roll]

NON_DOUBLES = [(a, b) for a in range(1, 7) for b in range(1, a)]
ROLLS = [*NON_DOUBLES, *((die, die) for die in range(1, 7))]
"""All 21 rolls in the order of `bglab.rules.turns.ROLLS`."""


def any_turn(turns: Sequence[Turn], rng: random.Random) -> Turn:
    """A player who plays at random."""
    return rng.choice(turns)


def sensible_turn(turns: Sequence[Turn], rng: random.Random) -> Turn:
    """A player who hits, makes points and runs home: enough for positions like those of real games."""

    def score(turn: Turn) -> float:
        me, opp = turn.after.me, turn.after.opp
        blots = sum(count == 1 for count in me[:24])
        points = sum(count >= 2 for count in me[:12])
        return 8 * opp[24] + 2 * points - 3 * blots + 6 * turn.after.off[0] + rng.random()

    return max(turns, key=score)


class Ply(NamedTuple):
    """A position, the roll, its legal turns, and the position after the one played, seen by the same player."""

    position: Position
    roll: Roll
    turns: list[Turn]
    after: Position


def play(
    pick: Callable[[Sequence[Turn], random.Random], Turn], seed: int, variant: Variant = "standard"
) -> Iterator[Ply]:
    """Endless games of one player against itself."""
    rng = random.Random(seed)
    while True:
        position = Position.start(variant)
        while True:
            roll = rng.randint(1, 6), rng.randint(1, 6)
            turns = legal_turns(position, roll)
            after = pick(turns, rng).after
            yield Ply(position, roll, turns, after)
            if after.result is not None:
                break
            position = after.flip()


def scatter(kind: str, rng: random.Random, checkers: int = 15) -> Position:
    """A random position of one of the kinds of `tests.strategies.SCATTERED`, few or many checkers to a point."""
    mine, theirs = SCATTERED[kind]
    places = rng.sample(mine, rng.randint(1, min(len(mine), 15)))
    me = Counter(rng.choices(places, k=rng.choice([checkers, rng.randint(1, checkers)])))
    free = [place for place in theirs if place == BAR or 25 - place not in me] or [BAR]
    places = rng.sample(free, rng.randint(1, min(len(free), 15)))
    opp = Counter(rng.choices(places, k=rng.choice([checkers, rng.randint(1, checkers)])))
    return Position.of(me=me, opp=opp, checkers=checkers)


def closed_board(rng: random.Random) -> Position:
    """The mover on the bar against four to six closed points of the opponent's home."""
    closed = rng.sample(HOME, rng.randint(4, 6))
    me = Counter({"bar": rng.randint(1, 3)})
    free = [point for point in range(1, 25) if 25 - point not in closed]
    me.update(rng.choices(free, k=rng.randint(0, 12)))
    opp = Counter(dict.fromkeys(closed, 2))
    opp.update(rng.choices(closed, k=15 - opp.total()))
    return Position.of(me=me, opp=opp)


def spread(rng: random.Random) -> Position:
    """Fifteen blots with next to nothing in their way: the most turns there are."""
    free = sorted(rng.sample(range(1, 25), 15))
    away = [25 - point for point in range(1, 25) if point not in free]
    return Position.of(me=dict.fromkeys(free, 1), opp=Counter(rng.choices(away[:3], k=15)))


def adversarial(n: int, seed: int) -> list[Position]:
    """Positions that no game need ever reach, of every kind in turn."""
    rng = random.Random(seed)
    kinds: list[Callable[[], Position]] = [
        *(partial(scatter, kind, rng) for kind in SCATTERED),
        partial(closed_board, rng),
        partial(spread, rng),
    ]
    return [kinds[k % len(kinds)]() for k in range(n)]


def rolls(n: int, seed: int) -> list[Roll]:
    """Random rolls."""
    rng = random.Random(seed)
    return [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(n)]


def realistic(n: int, seed: int = 0, variant: Variant = "standard") -> list[Position]:
    """Positions of sensible and of random play, half of each, as they follow one another."""
    halves = ((sensible_turn, n - n // 2), (any_turn, n // 2))
    return [ply.position for pick, size in halves for ply in islice(play(pick, seed, variant), size)]


def lively(seed: int) -> Network:
    """A network with opinions: its outputs are not all nearly equal."""
    network = init(NetworkSpec((16,), "tanh"), seeded(seed))
    last = network.layers[-1]
    return Network((*network.layers[:-1], Layer(10 * last.weights, last.bias)), network.spec)
