"""Exact cubeful equities as leaves of a search, and the decisions they lead to."""

from __future__ import annotations

import random
from collections import Counter

import jax
import numpy as np
import pytest

from bglab.cube.action import cube_action
from bglab.cube.cubeful import Cubeful
from bglab.cube.exact import BearoffCubeful
from bglab.errors import InputError
from bglab.rules import Position
from bglab.rules.planes import pack
from bglab.search.expectimax import expectimax
from bglab.value.homes import number_of
from bglab.value.twosided import two_sided
from tests import samples

asked = jax.jit(lambda evaluator, positions, owner: evaluator(positions, owner))
held = jax.jit(lambda evaluator, positions, owner: evaluator.hold_and_take(positions, owner))
decided = jax.jit(cube_action)
N = 256


def at_home(n: int, seed: int, most: int = 6) -> list[Position]:
    rng = random.Random(seed)
    sides = [Counter(rng.choices(range(1, 7), k=rng.randint(1, most))) for _ in range(2 * n)]
    return [Position.of(me=me, opp=opp) for me, opp in zip(sides[::2], sides[1::2], strict=True)]


def numbers(positions: list[Position]) -> tuple[np.ndarray, np.ndarray]:
    return tuple(
        number_of(np.array([side[:6] for side in sides]))
        for sides in ([p.me for p in positions], [p.opp for p in positions])
    )


def exact(positions: list[Position], owner: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Equity, holding and taken, of the table."""
    table, at = two_sided(), numbers(positions)
    hold = np.choose(owner + 1, [table.theirs[at], table.centred[at], table.owned[at]])
    best = np.choose(owner + 1, [table.best(k)[at] for k in (-1, 0, 1)])
    return best, hold, 2 * table.theirs[at]


def test_by_the_table_or_by_the_other_evaluator():
    positions = at_home(N // 2, 1) + samples.realistic(N // 2, seed=2)
    owner = np.arange(N, dtype=np.int32) % 3 - 1
    inner = Cubeful(samples.lively(1))
    evaluator = BearoffCubeful(inner, two_sided())
    planes = pack(positions)
    found = (asked(evaluator, planes, owner), *held(evaluator, planes, owner))
    other = (asked(inner, planes, owner), *held(inner, planes, owner))
    wanted = exact(positions[: N // 2], owner[: N // 2])
    contact = np.array([position.contact for position in positions])
    for mine, table, rest in zip(found, wanted, other, strict=True):
        assert np.abs(np.asarray(mine)[: N // 2] - table).max() < 1e-6
        assert np.abs(np.asarray(mine)[contact] - np.asarray(rest)[contact]).max() < 1e-6
    assert contact.sum() > 50


def test_a_redouble_that_is_wrong():
    """Known answer C3, as a cube decision."""
    positions = pack(
        [Position.of(me={5: 1, 2: 1}, opp=opp) for opp in ({6: 1}, {2: 2}, {3: 1, 2: 1}, {3: 1, 1: 1})]
    )
    evaluator = BearoffCubeful(Cubeful(samples.lively(1)), two_sided())
    double, take = decided(evaluator, positions, np.ones(4, np.int32), np.ones(4, bool))
    assert double.tolist() == [False, False, False, True]
    assert take.tolist() == [True] * 4


def test_looking_ahead_finds_the_same():
    """One ply over exact leaves is the table again."""
    positions = at_home(48, 3)
    planes = pack(positions)
    owner = np.arange(48, dtype=np.int32) % 3 - 1
    search = expectimax(BearoffCubeful(Cubeful(samples.lively(1)), two_sided()), 1)
    found = (search(planes, owner), *search.hold_and_take(planes, owner))
    for mine, table in zip(found, exact(positions, owner), strict=True):
        assert np.abs(np.asarray(mine) - table).max() < 2e-6


def test_only_cubeful_evaluators_are_wrapped():
    with pytest.raises(InputError, match="Cubeful"):
        BearoffCubeful(samples.lively(1), two_sided())
