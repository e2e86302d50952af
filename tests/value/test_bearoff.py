"""Outcomes by table, alone and as leaves of a search, against the tables themselves and plain sums."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, pytree
from bglab.errors import InputError
from bglab.rules import Position
from bglab.rules.planes import pack
from bglab.value.bearoff import BearoffOverride
from bglab.value.homes import homes, number_of
from bglab.value.onesided import one_sided
from bglab.value.outcome import equity
from bglab.value.twosided import two_sided
from tests import samples

asked = jax.jit(lambda evaluator, positions: evaluator(positions))
N = 1024


@pytree()
@dataclass(frozen=True)
class Elsewhere:
    """Says what no table would: 0.25 of each win, and so on."""

    def __call__(self, positions, cube=None):
        row = jnp.array([0.25, 0.125, 0.125, 0.25, 0.125, 0.125], jnp.float32)
        return jnp.broadcast_to(row, (positions.shape[0], 6))


@pytree()
@dataclass(frozen=True)
class Silent:
    def __call__(self, positions, cube=None):
        return jnp.zeros(positions.shape[0], jnp.float32)


def at_home(n: int, most: int, seed: int, checkers: int = 15) -> list[Position]:
    """Both sides at home with 1 to `most` checkers."""
    rng = random.Random(seed)

    def side() -> Counter[int]:
        return Counter(rng.choices(range(1, 7), k=rng.randint(1, most)))

    return [Position.of(me=side(), opp=side(), checkers=checkers) for _ in range(n)]


def number(counts: tuple[int, ...]) -> int:
    return int(number_of(np.array(counts[:6])))


def plain_race(position: Position) -> list[float]:
    """Outcomes from the distributions by plain double sums."""
    table, before = one_sided(), homes(14)
    mine, theirs = (number(side) for side in (position.me, position.opp))
    win = gammon = lose_gammon = 0.0
    for k, mine_now in enumerate(table.rolls[mine].tolist()):
        for m, theirs_now in enumerate(table.rolls[theirs].tolist()):
            win += mine_now * theirs_now * (k <= m)
        if theirs >= before:
            for m, first in enumerate(table.first[theirs - before].tolist()):
                gammon += mine_now * first * (m > k - 1)
    for m, theirs_now in enumerate(table.rolls[theirs].tolist()):
        if mine >= before:
            for k, first in enumerate(table.first[mine - before].tolist()):
                lose_gammon += theirs_now * first * (k > m)
    return [win - gammon, gammon, 0, 1 - win - lose_gammon, lose_gammon, 0]


def test_exact_where_the_table_reaches_and_nothing_else_changes():
    positions = at_home(N // 2, 8, seed=1) + samples.realistic(N // 4, seed=2)
    positions += samples.adversarial(N // 4, seed=3)
    found = np.asarray(asked(BearoffOverride(Elsewhere(), two_sided()), pack(positions)))
    other = np.asarray(Elsewhere()(jnp.zeros((1, 8), jnp.uint32)))[0]
    table, known = two_sided().cubeless, 0
    for row, position in zip(found, positions, strict=True):
        homed = not any(position.me[6:]) and not any(position.opp[6:]) and position.result is None
        if homed and max(sum(position.me), sum(position.opp)) <= 6:
            win = (1 + table[number(position.me), number(position.opp)]) / 2
            assert np.abs(row - [win, 0, 0, 1 - win, 0, 0]).max() < 1e-6
            known += 1
        else:
            assert (row == other).all()
    assert 200 < known < N // 2


def test_races_by_their_distributions():
    """Against plain sums; known answer B4: whoever has borne off a checker loses no gammon, exactly."""
    positions = at_home(N // 2, 15, seed=4)
    rng = random.Random(5)
    for _ in range(N // 2):
        me, opp = (Counter(rng.choices(range(1, 7), k=rng.choice((1, 2, 5, 15)))) for _ in range(2))
        positions.append(Position.of(me=me, opp=opp))
    found = np.asarray(asked(BearoffOverride(Elsewhere(), None, one_sided()), pack(positions)), np.float64)
    assert np.abs(found.sum(1) - 1).max() < 1e-6
    assert found.min() >= 0
    off = np.array([position.off for position in positions]) > 0
    assert (found[off[:, 0], 4] == 0).all()
    assert (found[off[:, 1], 1] == 0).all()
    assert (found[~off[:, 0], 4] > 0).sum() > 5
    assert (found[:, [2, 5]] == 0).all()
    for k in range(0, N, 8):
        assert np.abs(found[k] - plain_race(positions[k])).max() < 1e-6


def test_the_race_is_nearly_the_exact_table():
    """Where both reach, playing for one's own fewest rolls costs little."""
    positions = pack(at_home(N, 6, seed=6))
    exact, race = (
        np.asarray(equity(asked(evaluator, positions)))
        for evaluator in (
            BearoffOverride(Elsewhere(), two_sided()),
            BearoffOverride(Elsewhere(), None, one_sided()),
        )
    )
    assert 0 < np.abs(exact - race).max() < 0.02


@pytest.mark.parametrize(
    ("n", "chance"),
    [
        (4, Fraction(31, 36)),
        (6, Fraction(1021, 1296)),
        (8, Fraction(34771, 46656)),
        (10, Fraction(1205041, 1679616)),
    ],
)
def test_aces_against_aces(n, chance):
    """Known answer B2: with nothing to choose the race is exact too."""
    positions = pack([Position.of(me={1: n}, opp={1: n})] * N)
    found = asked(BearoffOverride(Elsewhere(), None, one_sided()), positions)
    assert float(found[0, :3].sum()) == pytest.approx(float(chance), abs=1e-6)


def test_the_table_goes_before_the_race_and_an_agent_plays_with_both():
    both = BearoffOverride(samples.lively(1), two_sided(), one_sided())
    agent = Agent("exact", both)
    small = Position.of(me={5: 1, 2: 1}, opp={6: 1})
    win = float((1 + two_sided().cubeless[number(small.me), number(small.opp)]) / 2)
    assert agent.evaluate(small)["win"] == pytest.approx(win, abs=1e-6)
    large = Position.of(me={6: 9, 5: 6}, opp={6: 7, 1: 8})
    assert np.abs(agent.evaluate(large).to_numpy()[:6] - plain_race(large)).max() < 1e-6
    network = Agent("lively", samples.lively(1))
    assert (agent.evaluate(Position.start()) == network.evaluate(Position.start())).all()


def test_few_checkers_in_all():
    """In a game of three checkers a side that has all three may lose a gammon, which the two-sided table knows not."""
    positions = at_home(N, 3, seed=7, checkers=3)
    found = np.asarray(asked(BearoffOverride(Elsewhere(), two_sided(), None, 3), pack(positions)))
    whole = np.array([max(sum(position.me), sum(position.opp)) == 3 for position in positions])
    assert (found[whole, 0] == 0.25).all()
    assert (found[~whole, 1] == 0).all()
    race = np.asarray(asked(BearoffOverride(Elsewhere(), None, one_sided(3), 3), pack(positions)))
    mine = np.array([sum(position.me) == 3 for position in positions])
    assert (race[mine, 4] > 0).any()
    assert (race[~mine, 4] == 0).all()


class Outside:
    """Cannot be traced."""

    on_host = True

    def __call__(self, positions, cube=None):
        return np.tile(np.float32([0.5, 0, 0, 0.5, 0, 0]), (len(positions), 1))


def test_around_an_evaluator_on_the_host():
    positions = [Position.of(me={5: 1, 2: 1}, opp={6: 1}), Position.start()]
    evaluator = BearoffOverride(Outside(), two_sided())
    assert evaluator.on_host
    assert not BearoffOverride(Elsewhere(), two_sided()).on_host
    found = np.asarray(evaluator(pack(positions)))
    win = (1 + two_sided().cubeless[number(positions[0].me), number(positions[0].opp)]) / 2
    assert found[:, 0].tolist() == pytest.approx([win, 0.5])


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"one_sided\(3\)"):
        BearoffOverride(Elsewhere(), None, one_sided(), 3)
    with pytest.raises(InputError, match="gives no outcomes"):
        BearoffOverride(Silent(), two_sided())(jnp.zeros((1, 8), jnp.uint32))
