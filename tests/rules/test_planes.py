"""Bit-planes against `Position`: nothing is lost in packing, and every step agrees with the readable one."""

from __future__ import annotations

from itertools import islice

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bglab.errors import InputError
from bglab.rules import Position
from bglab.rules.planes import (
    columns,
    contact,
    count,
    flip,
    made,
    mirror,
    move_checker,
    occupied,
    on_board,
    pack,
    points_won,
    rows,
    unpack,
)
from tests import samples
from tests.strategies import positions

BAR = 1 << 24


@pytest.fixture(scope="module")
def many() -> list[Position]:
    return samples.realistic(1000, seed=1) + samples.adversarial(1000, seed=2)


@pytest.fixture(scope="module")
def batch(many):
    return jnp.asarray(pack(many))


def test_unpacking_undoes_packing(many, batch):
    assert batch.dtype == jnp.uint32
    assert batch.shape == (len(many), 8)
    assert unpack(batch) == many
    assert unpack(pack(many)) == many


@given(positions())
def test_any_position_survives_packing(position):
    planes = pack([position])
    assert unpack(planes) == [position]
    assert np.array_equal(np.asarray(flip(flip(jnp.asarray(planes)))), planes)


@given(positions(checkers=3))
def test_the_number_of_checkers_is_given_when_unpacking(position):
    assert unpack(pack([position]), checkers=3) == [position]


def test_the_layout():
    """Both sides by the mover's points: bit p is point p + 1, bit 24 that side's own bar."""
    position = Position.of(me={1: 1, 6: 5, 24: 2, "bar": 4}, opp={1: 0, 2: 3, "bar": 8})
    (row,) = pack([position]).tolist()
    assert row == [
        1 | 1 << 5,  # ones of 1 and 5
        1 << 23,  # twos of 2
        1 << 5 | BAR,  # fours of 5 and 4
        0,
        1 << 22,  # ones of 3; the opponent's point 2 is the mover's 23
        1 << 22,
        0,
        BAR,
    ]


def test_no_positions():
    assert pack([]).shape == (0, 8)
    assert unpack(pack([])) == []


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros(8, np.uint32),
        np.zeros((3, 9), np.uint32),
        np.zeros((3, 8), np.int32),
        np.zeros((2, 3, 8), np.uint32),
        [[0] * 8],
    ],
    ids=["one row", "nine words", "int32", "three axes", "a list"],
)
def test_other_arrays_are_refused(wrong):
    with pytest.raises(
        InputError, match=r"^A batch of positions is uint32\[n, 8\], not .*: make it with .*\.$"
    ):
        unpack(wrong)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([0] * 8, "Neither side has a checker left"),
        ([1, 0, 0, 0, 1, 0, 0, 0], "Both sides stand on my point 1, the opponent's 24"),
        ([1, 0, 0, 1 << 1 | 1 << 2, 0, 0, 0, 0], "me has 17 checkers on the board, but only 15"),
        ([1, 0, 0, 0, 0, 0, 0, 1 << 1 | 1 << 2], "opp has 16 checkers on the board, but only 15"),
        ([1, 0, 0, 0, 0, 0, 1 << 25, 0], "Row 1 has bits above the bar"),
        ([1 << 31, 0, 0, 0, 2, 0, 0, 0], "Row 1 has bits above the bar"),
    ],
)
def test_rows_that_are_no_position_are_refused(row, why):
    start = pack([Position.start()])
    with pytest.raises(InputError, match=why):
        unpack(np.concatenate([start, np.array([row], np.uint32)]))


def test_too_many_checkers_for_the_variant_are_refused():
    with pytest.raises(InputError, match="only 3 in all"):
        unpack(pack([Position.start()]), checkers=3)


def test_flip(many, batch):
    assert unpack(flip(batch)) == [position.flip() for position in many]
    assert np.array_equal(np.asarray(flip(flip(batch))), np.asarray(batch))
    assert np.array_equal(np.asarray(flip(batch[5])), np.asarray(flip(batch))[5])


@given(st.integers(0, (1 << 25) - 1))
def test_mirror(word):
    points = f"{word & (BAR - 1):024b}"
    assert int(mirror(jnp.uint32(word))) == int(points[::-1], 2) | word & BAR


def test_columns_and_rows(batch):
    assert np.array_equal(np.asarray(rows(*columns(batch))), np.asarray(batch))
    assert np.array_equal(np.asarray(rows(*columns(batch[0]))), np.asarray(batch[0]))


def test_counts(many, batch):
    own, opp = columns(batch)
    assert on_board(own).tolist() == [sum(position.me) for position in many]
    assert on_board(opp).tolist() == [sum(position.opp) for position in many]
    assert on_board(own).dtype == jnp.int32
    for location in range(25):
        assert count(own, location).tolist() == [position.me[location] for position in many]
    assert count(opp, 24).tolist() == [position.opp[24] for position in many]
    assert count(opp, jnp.full(len(many), 2, jnp.uint32)).tolist() == [p.opp[21] for p in many]


def test_masks(many, batch):
    own, _ = columns(batch)

    def mask(position: Position, least: int) -> int:
        return sum(1 << location for location in range(25) if position.me[location] >= least)

    assert occupied(own).tolist() == [mask(position, 1) for position in many]
    assert made(own).tolist() == [mask(position, 2) for position in many]


def test_moving_a_checker_hits_a_blot():
    before = Position.of(me={24: 3, 8: 1}, opp={5: 1, 3: 4, "bar": 3})
    own, opp = columns(jnp.asarray(pack([before, before, before, before])))
    here, there = (
        jnp.array(masks, jnp.uint32) for masks in ([1 << 23, 1 << 23, 1 << 7, 0], [1 << 19, 1 << 18, 0, 0])
    )
    assert unpack(rows(*move_checker(own, opp, here, there))) == [
        Position.of(me={24: 2, 20: 1, 8: 1}, opp={3: 4, "bar": 4}),
        Position.of(me={24: 2, 19: 1, 8: 1}, opp={5: 1, 3: 4, "bar": 3}),
        Position.of(me={24: 3}, opp={5: 1, 3: 4, "bar": 3}),
        before,
    ]


@pytest.mark.parametrize("checkers", [15, 3])
def test_moving_counts_in_every_plane(checkers):
    """Fifteen checkers one by one from a point to another: the borrow and the carry ripple through every plane."""
    stack = jnp.asarray(pack([Position.of(me={6: checkers}, opp={6: 1}, checkers=checkers)]))
    own, opp = columns(stack)
    six, one = jnp.uint32([1 << 5]), jnp.uint32([1])
    for moved in range(1, checkers + 1):
        own, opp = move_checker(own, opp, six, one)
        assert (count(own, 5).tolist(), count(own, 0).tolist()) == ([checkers - moved], [moved])
        assert on_board(own).tolist() == [checkers]


FINISHED = [
    # the loser's checkers, points
    ({6: 14}, 1),
    ({6: 1}, 1),
    ({6: 15}, 2),
    ({18: 15}, 2),
    ({19: 1, 6: 14}, 3),
    ({24: 1, 6: 14}, 3),
    ({"bar": 1, 6: 14}, 3),
    ({"bar": 1, 6: 13}, 1),
    ({19: 1, 6: 13}, 1),
]


def test_points_won():
    over = [Position.of(me={}, opp=loser) for loser, _ in FINISHED]
    assert points_won(jnp.asarray(pack(over))).tolist() == [points for _, points in FINISHED]
    assert [position.result for position in over] == [points for _, points in FINISHED]


def test_points_won_in_hypergammon():
    """S2: with three checkers a win is never worth 0, and a gammon needs all three."""
    over = [Position.of(me={}, opp=opp, checkers=3) for opp in ({6: 2}, {6: 3}, {6: 2, "bar": 1})]
    assert points_won(jnp.asarray(pack(over)), checkers=3).tolist() == [1, 2, 3]


def test_points_won_agrees_with_the_result(many, batch):
    plies = islice(samples.play(samples.any_turn, seed=3), 600)
    afters = [turn.after for ply in plies for turn in ply.turns]
    results = [after.result or 0 for after in afters]
    assert points_won(jnp.asarray(pack(afters))).tolist() == results
    assert {1, 2} <= set(results)
    assert points_won(batch).tolist() == [0] * len(many)


def test_contact(many, batch):
    expected = [position.contact for position in many]
    assert np.asarray(contact(batch)).tolist() == expected
    assert 0.1 < np.mean(expected) < 0.99
    assert np.asarray(contact(flip(batch))).tolist() == expected


@given(positions())
def test_contact_of_any_position(position):
    """Also where one side is all on the bar or has nobody left."""
    assert bool(contact(jnp.asarray(pack([position])))[0]) == position.contact
