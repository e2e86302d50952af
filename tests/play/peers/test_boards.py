"""Boards of other engines against the reference position, and the outcomes made of their probabilities."""

from __future__ import annotations

from itertools import islice

import jax.numpy as jnp
import numpy as np

from bglab.play.peers.boards import (
    FINAL,
    counts_of,
    gnubg_boards,
    moved,
    outcomes_of,
    planes_of,
    sage_boards,
    sage_flipped,
)
from bglab.rules import Position
from bglab.rules.planes import pack
from bglab.value.outcome import POINTS, to_cumulative
from tests import samples

POSITIONS = samples.realistic(1500, seed=3) + samples.adversarial(1500, seed=4)
COUNTS = counts_of(pack(POSITIONS))


def test_counts_there_and_back() -> None:
    for position, (me, opp) in zip(POSITIONS, COUNTS, strict=True):
        assert tuple(me) == position.me
        assert tuple(opp) == position.opp
    assert np.array_equal(planes_of(COUNTS), pack(POSITIONS))
    assert planes_of(COUNTS).dtype == np.uint32


def test_gnubg_has_the_other_side_first() -> None:
    board = gnubg_boards(counts_of(pack([Position.of(me={24: 1, 6: 2}, opp={"bar": 1, 3: 4})])))[0]
    assert board[0, 24] == 1
    assert board[0, 2] == 4
    assert board[1, 23] == 1
    assert board[1, 5] == 2


def test_sage_is_signed() -> None:
    boards = sage_boards(COUNTS)
    for position, board in zip(POSITIONS, boards.tolist(), strict=True):
        want = [position.opp[24], *position.me]
        for point, count in enumerate(position.opp[:24], start=1):
            want[25 - point] -= count
        assert board == want
    flipped = sage_boards(counts_of(pack([position.flip() for position in POSITIONS])))
    assert np.array_equal(sage_flipped(boards), flipped)


def test_moves_within_the_board() -> None:
    seen = 0
    for ply in islice(samples.play(samples.any_turn, 5), 600):
        for turn in ply.turns[:3]:
            steps = [location for step in turn.moves for location in step]
            if 0 in steps:
                continue
            move = np.array([(steps + [0] * 8)[:8]], np.int8)
            after = moved(counts_of(pack([ply.position])), move)
            assert np.array_equal(planes_of(after), pack([turn.after]))
            seen += 1
    assert seen > 1000


def test_outcomes_contain_one_another() -> None:
    five = np.random.default_rng(0).random((len(COUNTS), 5))
    six = outcomes_of(five, COUNTS)
    assert six.dtype == np.float32
    assert six.min() >= 0
    assert np.allclose(six.sum(1), 1, atol=1e-6)


def test_a_side_with_checkers_off_loses_no_gammon() -> None:
    six = outcomes_of(np.full((len(COUNTS), 5), 0.4), COUNTS)
    for position, outcomes in zip(POSITIONS, six, strict=True):
        assert (outcomes[4:].sum() > 0) == (position.off[0] == 0)
        assert (outcomes[1:3].sum() > 0) == (position.off[1] == 0)


def test_sound_chances_are_kept() -> None:
    """Known answer T1: exclusive and cumulative outcomes of the same equity."""
    counts = counts_of(pack([Position.start()]))
    five = np.array([[0.65, 0.18, 0.01, 0.04, 0.0]])
    six = outcomes_of(five, counts)
    assert np.allclose(six, [[0.47, 0.17, 0.01, 0.31, 0.04, 0.0]], atol=1e-6)
    assert np.allclose(to_cumulative(jnp.asarray(six)), five, atol=1e-6)
    assert abs(float(six[0] @ POINTS) - 0.45) < 1e-6


def test_points_won() -> None:
    assert FINAL.shape == (4, 6)
    assert (FINAL @ POINTS).tolist() == [0, 1, 2, 3]
