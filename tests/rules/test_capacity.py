"""The ladder of capacities: it climbs until there is room, remembers, comes down again, and says when it cannot."""

from __future__ import annotations

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import bglab.rules.capacity
from bglab.rules import Position
from bglab.rules.capacity import PATIENCE, TOP, UNTRAINED, Ladder
from bglab.rules.planes import pack
from bglab.rules.ragged import expand
from bglab.rules.turns import Capacity, rolled_turns


def rows(capacity: Capacity) -> np.ndarray:
    return np.array([capacity.non_doubles, *capacity.doubles])


class Call:
    """Needs given rows; notes the rooms it was offered. Its result is the room, wrong where that was too little."""

    def __init__(self, needed, takes=lambda: None) -> None:
        self.needed = np.asarray(needed, np.int32)
        self.takes = takes
        self.rooms: list[Capacity] = []

    def __call__(self, capacity: Capacity):
        self.rooms.append(capacity)
        self.takes()
        return "right" if (self.needed <= rows(capacity)).all() else "wrong", self.needed


def test_every_rung_has_more_room():
    for all_rolls in (False, True):
        ladder = Ladder(64, all_rolls)
        rooms = np.array([rows(ladder.capacity(rung)) for rung in range(TOP + 1)])
        assert (np.diff(rooms, axis=0) > 0).all()
        assert (rooms % 64 == 0).all()
        assert (rooms[-1] > 250 * (rooms[0] - 160)).all()


@pytest.mark.parametrize("all_rolls", [False, True])
def test_the_top_has_room_for_the_worst_single_position(all_rolls):
    top = rows(Ladder(1, all_rolls).capacity(TOP))
    assert (top >= 1456).all()
    assert top[-1] >= (6 if all_rolls else 1) * 1456


@pytest.mark.parametrize("rung", [0, 1, UNTRAINED, TOP])
def test_what_fits_is_called_once_on_the_rung_it_begins_on(rung):
    call = Call([1, 1, 1, 1, 1])
    ladder = Ladder(64, rung=rung)
    assert ladder.run(call) == ("right",)
    assert call.rooms == [ladder.capacity(rung)]


@pytest.mark.parametrize("stage", range(5))
@pytest.mark.parametrize("rung", [1, 2, 5, TOP])
def test_it_climbs_until_every_stage_has_room(stage, rung):
    ladder = Ladder(64, rung=0)
    needed = rows(ladder.capacity(0))
    needed[stage] = rows(ladder.capacity(rung))[stage]
    call = Call(needed)
    assert ladder.run(call) == ("right",)
    assert call.rooms[-1] == ladder.capacity(rung)
    assert len(call.rooms) <= 3
    assert all((rows(b) > rows(a)).all() for a, b in pairwise(call.rooms))


def test_a_later_stage_that_shows_its_need_only_with_room_before_it():
    """After an overflow the later counts are too small, so more than one retry may be needed."""
    ladder = Ladder(64, rung=0)
    rooms = []

    def call(capacity: Capacity):
        rooms.append(capacity)
        needed = [1, rows(ladder.capacity(2))[1], 1, 1, 1]
        if capacity.doubles[0] >= needed[1]:
            needed[4] = rows(ladder.capacity(6))[4]
        return len(rooms), np.array(needed, np.int32)

    assert ladder.run(call) == (len(rooms),)
    assert {*rooms} >= {ladder.capacity(rung) for rung in (0, 2, 6)}
    assert rooms[-1] == ladder.capacity(6)


@pytest.fixture
def a_second(monkeypatch):
    """Let a second go by, on the clock that the ladder reads."""
    now = [0.0]
    monkeypatch.setattr(bglab.rules.capacity, "perf_counter", lambda: now[0])

    def wait() -> None:
        now[0] += 1.0

    return wait


def test_it_remembers_and_comes_down_when_it_has_long_been_too_roomy(a_second):
    ladder = Ladder(64, rung=0)
    high = Call(rows(ladder.capacity(4)), a_second)
    ladder.run(high)
    assert ladder.rung == 4
    low = Call([1] * 5, a_second)
    for _ in range(int(PATIENCE) + 1):
        ladder.run(low)
    assert low.rooms == [ladder.capacity(4)] * int(PATIENCE) + [ladder.capacity(0)]


def test_it_does_not_come_down_for_one_rung_or_for_a_lull(a_second):
    ladder = Ladder(64, rung=4)
    high, lull = Call(rows(ladder.capacity(3)) * 0.8, a_second), Call([1] * 5, a_second)
    for _ in range(3):
        for _ in range(int(PATIENCE)):
            ladder.run(high)
        for _ in range(int(PATIENCE) - 1):
            ladder.run(lull)
    assert {*high.rooms, *lull.rooms} == {ladder.capacity(4)}


def test_it_comes_down_to_what_all_of_the_lull_needed(a_second):
    ladder = Ladder(64, rung=6)
    some, few = Call(rows(ladder.capacity(2)) * 0.8, a_second), Call([1] * 5, a_second)
    ladder.run(some)
    for _ in range(int(PATIENCE)):
        ladder.run(few)
    assert few.rooms == [ladder.capacity(6)] * (int(PATIENCE) - 1) + [ladder.capacity(2)]


@pytest.mark.parametrize("stage", range(5))
def test_the_top_of_the_ladder_raises(stage):
    ladder = Ladder(64, rung=0)
    needed = rows(ladder.capacity(0))
    needed[stage] = rows(ladder.capacity(TOP))[stage] + 1
    call = Call(needed)
    with pytest.raises(
        RuntimeError, match=r"more than .* at the top of the ladder: call it with fewer positions"
    ):
        ladder.run(call)
    assert call.rooms[-1] == ladder.capacity(TOP)


def test_several_results_are_returned_in_order():
    assert Ladder(1).run(lambda capacity: (1, "two", jnp.ones(3), np.zeros(5, np.int32)))[:2] == (1, "two")


def test_the_result_does_not_depend_on_the_rung():
    counts = jnp.asarray(np.random.default_rng(0).integers(0, 60, 64).astype(np.int32))

    def call(capacity: Capacity):
        found = jax.jit(expand, static_argnames="capacity")(counts, capacity.non_doubles)
        return found, jnp.stack([found.total, *[jnp.int32(1)] * 4])

    cold = Ladder(64, rung=0)
    (low,), (high,) = cold.run(call), Ladder(64, rung=8).run(call)
    used = int(low.total)
    assert low.item.shape < high.item.shape
    assert used == int(high.total) > rows(cold.capacity(0))[0]
    for mine, theirs in zip(low[:3], high[:3], strict=True):
        assert np.array_equal(np.asarray(mine)[:used], np.asarray(theirs)[:used])


def test_the_generator_on_the_ladder():
    """Far more turns than usual: the first rung overflows, and the result is as with plenty of room."""
    blots = Position.of(me=dict.fromkeys(range(9, 24), 1), opp={1: 2})
    batch, dice = jnp.asarray(pack([blots] * 8)), jnp.ones((8, 2), jnp.int32)
    generate = jax.jit(
        rolled_turns, static_argnames="capacity", compiler_options={"xla_backend_optimization_level": 0}
    )
    rooms = []

    def call(capacity: Capacity):
        rooms.append(capacity)
        turns = generate(batch, dice, capacity)
        return turns.doubles, turns.needed

    (found,) = Ladder(8, rung=9).run(call)
    assert len(rooms) == 2
    plenty = generate(batch, dice, Capacity(64, (512, 2048, 8192, 16384))).doubles
    used = int(found.total)
    assert used == int(plenty.total) > 8 * 500
    assert np.array_equal(np.asarray(found.after)[:used], np.asarray(plenty.after)[:used])
    assert np.array_equal(np.asarray(found.source)[:used], np.asarray(plenty.source)[:used])
