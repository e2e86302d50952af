"""Searches against a recursion written in Python on the reference generator, and against themselves."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import InputError, Position, legal_turns
from bglab.rules.planes import pack, unpack
from bglab.search import bounds
from bglab.search.expectimax import Expectimax, expectimax
from bglab.search.filters import FILTERS, Filter, Filters
from bglab.search.rows import worth_on_host
from bglab.value.outcome import POINTS
from bglab.value.pytree import pytree
from tests import samples

WEIGHTS = [(1 + (a != b)) / 36 for a, b in samples.ROLLS]


@cache
def turns_of(position: Position, roll: tuple[int, int]) -> tuple[Position, ...]:
    """The positions after each turn, as the player who moved sees them."""
    return tuple(turn.after for turn in legal_turns(position, roll))


class Naive:
    """The recursion of document 000, section 2.4, over values that were looked up for all leaves at once."""

    def __init__(self, evaluator, positions: list[Position], plies: int) -> None:
        leaves = set(positions)
        level = set(positions)
        for _ in range(plies):
            level = {
                after.flip()
                for position in level
                for roll in samples.ROLLS
                for after in turns_of(position, roll)
                if after.result is None
            }
            leaves |= level
        self.known: dict[tuple[Position, int], np.ndarray] = {}
        self.leaves = sorted(leaves, key=lambda position: position.id)
        # Blocks of one size, so that one program is compiled.
        padded = self.leaves + [self.leaves[0]] * (-len(self.leaves) % 4096)
        call = jax.jit(lambda evaluator, rows: evaluator(rows))
        found = [
            np.asarray(call(evaluator, jnp.asarray(pack(padded[k : k + 4096]))))
            for k in range(0, len(padded), 4096)
        ]
        self.static = dict(
            zip(self.leaves, np.concatenate(found).astype(np.float64)[: len(leaves)], strict=True)
        )

    def outcomes(self, position: Position, plies: int) -> np.ndarray:
        if plies == 0:
            return self.static[position]
        if (position, plies) not in self.known:
            total = np.zeros(6)
            for weight, roll in zip(WEIGHTS, samples.ROLLS, strict=True):
                values = [self.after(after, plies - 1) for after in turns_of(position, roll)]
                total += weight * max(values, key=lambda outcomes: outcomes @ POINTS)
            self.known[position, plies] = total
        return self.known[position, plies]

    def after(self, after: Position, plies: int) -> np.ndarray:
        """Outcomes for the player who has just moved."""
        if after.result is not None:
            return np.eye(6)[after.result - 1]
        return np.roll(self.outcomes(after.flip(), plies), 3)


def few_checkers(n: int, seed: int) -> list[Position]:
    """Positions with so few checkers that a recursion in Python ends: races, contact, bar and bear-off."""
    rng = random.Random(seed)
    found = []
    while len(found) < n:
        mine = rng.sample(range(1, 25), rng.randint(1, 2))
        theirs = [p for p in rng.sample(range(1, 25), rng.randint(1, 2)) if 25 - p not in mine]
        me: dict[int | str, int] = dict.fromkeys(mine, 1)
        opp = dict.fromkeys(theirs, rng.randint(1, 2))
        if rng.random() < 0.2:
            me["bar"] = 1
        if opp:
            found.append(Position.of(me=me, opp=opp))
    return found


@pytest.fixture(scope="module")
def network():
    return samples.lively(1)


def test_one_ply_is_the_recursion(network):
    positions = samples.realistic(120, seed=21) + few_checkers(380, seed=23)
    assert len(positions) == 500
    naive = Naive(network, positions, 1)
    found = expectimax(network, 1)(pack(positions))
    wanted = np.array([naive.outcomes(position, 1) for position in positions])
    assert found.dtype == np.float32
    assert np.abs(found - wanted).max() < 2e-5


def test_at_no_plies_the_best_turn_is_the_static_one(network):
    positions, rolls = few_checkers(30, seed=36), samples.rolls(30, seed=37)
    search = Expectimax(network, 0)
    best = search.best(pack(positions), np.array(rolls, np.int32))
    for position, roll, worth in zip(positions, rolls, best.worth, strict=True):
        assert worth == worth_on_host(search.values_after(pack(turns_of(position, roll)))).max()


def test_two_plies_are_the_recursion(network):
    positions = few_checkers(50, seed=24)
    naive = Naive(network, positions, 2)
    search = expectimax(network, 2)
    found = search(pack(positions))
    wanted = np.array([naive.outcomes(position, 2) for position in positions])
    assert np.abs(found - wanted).max() < 2e-5
    # A batch or one at a time: the same bits.
    for k in range(0, 50, 10):
        assert np.array_equal(search(pack(positions[k : k + 1]))[0], found[k])


def test_the_best_turn_by_recursion(network):
    positions = few_checkers(30, seed=25)
    rolls = samples.rolls(30, seed=26)
    naive = Naive(network, positions, 2)
    best = expectimax(network, 1).best(pack(positions), np.array(rolls, np.int32))
    for position, roll, after, value, won in zip(
        positions, rolls, unpack(best.after), best.worth, best.won, strict=True
    ):
        values = {each: naive.after(each, 1) @ POINTS for each in turns_of(position, roll)}
        assert value == pytest.approx(max(values.values()), abs=2e-5)
        assert values[after] == pytest.approx(max(values.values()), abs=4e-5)
        assert won == (after.result or 0)


def test_the_best_turn_needs_few_replies(network, monkeypatch):
    """Turns that cannot be the best are not valued to the end, and the choice and its worth are what they were."""
    positions = samples.realistic(4, seed=27) + few_checkers(40, seed=28)
    # Both sides bear off: turns that end the game stand beside turns that do not.
    positions += [Position.of(me={2: 1, 4: k}, opp={3: 2, 1: 1}) for k in (1, 2)]
    rolls = [*samples.rolls(44, seed=29), (4, 2), (6, 5)]
    search = expectimax(network, 2)
    looked = []
    average = Expectimax._over_rolls
    monkeypatch.setattr(
        Expectimax, "_over_rolls", lambda self, *of: (looked.append(len(of[0])), average(self, *of))[1]
    )
    # Blocks of few decisions are put together again.
    monkeypatch.setattr(bounds, "MOST_TURNS", 20)
    best = search.best(pack(positions), np.array(rolls, np.int32))
    few, looked[:] = sum(looked), []
    for position, roll, after, worth in zip(positions, rolls, unpack(best.after), best.worth, strict=True):
        turns = turns_of(position, roll)
        worths = worth_on_host(search.values_after(pack(turns)))
        assert worth == worths.max()
        assert worths[turns.index(after)] == worth
    assert few < 0.7 * sum(looked)


@pytest.mark.parametrize("filters", ["full", "gnubg normal"])
def test_at_one_ply_the_sisters_replies_decide(network, monkeypatch, filters: str):
    """Turns that fall short by the replies to another are not valued, and choice and worth are what they were."""
    positions = samples.realistic(150, seed=33) + few_checkers(150, seed=34)
    positions += [Position.of(me={2: 1, 4: k}, opp={3: 2, 1: 1}) for k in (1, 2)]
    dice = np.array([*samples.rolls(300, seed=35), (4, 2), (6, 5)], np.int32)
    search = expectimax(network, 1, filters)
    by_roll, averaged = Expectimax._by_roll, []

    def counted(self, rows, owner, like=None, average=False):
        averaged.append(len(rows) * (like is None))
        return by_roll(self, rows, owner, like, average)

    monkeypatch.setattr(Expectimax, "_by_roll", counted)
    found = search.best(pack(positions), dice)
    few, averaged[:] = sum(averaged), []
    # Equal decisions are looked into once.
    search.best(pack(positions[:1] * 40), np.repeat(dice[:1], 40, 0))
    once, averaged[:] = sum(averaged), []
    search.best(pack(positions[:1]), dice[:1])
    assert once == sum(averaged)
    averaged[:] = []
    monkeypatch.setattr(
        Expectimax, "_worth_where_best", lambda self, rows, kept, owner: self._row_worth(rows, kept, 1, owner)
    )
    wanted = search.best(pack(positions), dice)
    for mine, its in zip(found, wanted, strict=True):
        assert np.array_equal(mine, its)
    assert few < (0.7 if filters == "full" else 0.9) * sum(averaged)


@pytree()
@dataclass(frozen=True)
class Leaning:
    """A cubeful evaluator for tests: the network's equity, moved by who owns the cube, with a double where it pays."""

    network: object
    cubeful = True

    def __call__(self, positions, cube=None):
        equity = self.network(positions) @ jnp.asarray(POINTS)
        plain = equity + jnp.float32(0.07) * cube.astype(jnp.float32)
        taken = 2 * (equity - jnp.float32(0.07))
        return jnp.where(cube >= 0, jnp.maximum(plain, jnp.minimum(taken, 1)), plain)


def cubeful_by_recursion(naive: Naive, position: Position, plies: int, owner: int) -> float:
    """What it is worth to be on roll and to double or not."""
    if plies == 0:
        equity = float(naive.static[position] @ POINTS)
        hold, taken = equity + 0.07 * owner, 2 * (equity - 0.07)
    else:
        hold = over_rolls(naive, position, plies, owner)
        taken = 2 * over_rolls(naive, position, plies, -1) if owner >= 0 else 0
    return max(hold, min(taken, 1)) if owner >= 0 else hold


def over_rolls(naive: Naive, position: Position, plies: int, owner: int) -> float:
    return sum(
        weight
        * max(
            after.result or -cubeful_by_recursion(naive, after.flip(), plies - 1, -owner)
            for after in turns_of(position, roll)
        )
        for weight, roll in zip(WEIGHTS, samples.ROLLS, strict=True)
    )


@pytest.mark.parametrize("owner", [-1, 0, 1])
def test_cubeful_search_is_the_recursion(network, owner):
    positions = few_checkers(8, seed=27)
    naive = Naive(network, positions, 2)
    search = expectimax(Leaning(network), 2)
    found = search(pack(positions), np.full(8, owner, np.int32))
    wanted = [cubeful_by_recursion(naive, position, 2, owner) for position in positions]
    assert found.tolist() == pytest.approx(wanted, abs=3e-5)
    hold, taken = search.hold_and_take(pack(positions), np.full(8, owner, np.int32))
    for k, position in enumerate(positions):
        assert hold[k] == pytest.approx(over_rolls(naive, position, 2, owner), abs=3e-5)
        assert taken[k] == pytest.approx(2 * over_rolls(naive, position, 2, -1), abs=3e-5)


def test_filters_keep_the_best_few(network):
    """A filter that keeps everything changes nothing; at the root the kept turns are those of the static values."""
    positions, rolls = samples.realistic(24, seed=28), samples.rolls(24, seed=29)
    batch, dice = pack(positions), np.array(rolls, np.int32)
    full = expectimax(network, 1).best(batch, dice)
    wide = expectimax(network, 1, Filters(((0, Filter(9999, 99.0)),))).best(batch, dice)
    assert np.array_equal(full.after, wide.after)
    naive = Naive(network, positions, 1)
    narrow = Filter(3, 0.05)
    best = expectimax(network, 1, Filters(((0, narrow),))).best(batch, dice)
    cut = 0
    for position, roll, after in zip(positions, rolls, unpack(best.after), strict=True):
        afters = turns_of(position, roll)
        going = [each.flip() for each in afters if each.result is None]
        static = Naive(network, going or positions[:1], 0)
        order = sorted(afters, key=lambda each: -(static.after(each, 0) @ POINTS))
        top = static.after(order[0], 0) @ POINTS
        kept = [each for each in order[:3] if static.after(each, 0) @ POINTS >= top - 0.05 - 1e-6]
        assert after in kept
        cut += len(kept) < len(afters)
    assert cut > 10
    assert naive.leaves


def test_replies_picked_at_0_ply(network):
    """With GNU Backgammon's filter inside the tree a position is worth the average over statically best replies."""
    positions = samples.realistic(6, seed=30)
    found = expectimax(network, 2, Filters(inside=Filter(1, 0.0)))(pack(positions))
    one = expectimax(network, 1)
    for position, row in zip(positions, found, strict=True):
        naive = Naive(network, [position], 1)
        replies = [
            max(turns_of(position, roll), key=lambda after: naive.after(after, 0) @ POINTS)
            for roll in samples.ROLLS
        ]
        values = one.values_after(pack(replies))
        assert np.abs(np.einsum("r,rk->k", WEIGHTS, values) - row).max() < 2e-5


def test_nothing_left_to_value(network):
    """A game that every roll wins is worth exactly that, at every depth."""
    won = pack([Position.of(me={1: 1}, opp={6: 2}), Position.of(me={2: 1}, opp={6: 15})])
    for plies in (1, 2):
        search = expectimax(network, plies)
        assert search(won) @ POINTS == pytest.approx([1, 2])
        best = search.best(won, np.array([(2, 1), (6, 6)], np.int32))
        assert best.worth.tolist() == [1, 2]
        assert best.won.tolist() == [1, 2]


def test_bad_input(network, unchecked):
    for plies in (-1, 5, 1.0, "1"):
        with pytest.raises(InputError, match="plies"):
            expectimax(network, plies)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gnubg normal"):
        expectimax(network, 1, "loose")
    with pytest.raises(InputError, match="searches already"):
        expectimax(expectimax(network, 1), 1)
    with pytest.raises(InputError, match="keeps at least 1"):
        Filters(inside=Filter(0, 0.1))
    with pytest.raises(InputError, match="increasing"):
        Filters(((2, Filter(2, 0.1)), (0, Filter(2, 0.1))))
    assert expectimax(network, 0, FILTERS["sage"]) is network
