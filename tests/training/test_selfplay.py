"""Self-play in lockstep: legal, alternating games, and a history that hands each of them out whole and once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bglab.errors import InputError
from bglab.rules import Position, legal_turns
from bglab.rules.capacity import UNTRAINED, Ladder
from bglab.rules.dice import seeded
from bglab.rules.parallel import THREADS
from bglab.rules.planes import pack, unpack
from bglab.training.selfplay import Games, History, Record, ladders_for, new_lanes, play_round
from bglab.value.network import NetworkSpec, init
from tests import samples

LANES, PLIES = 32, 20
START = jnp.asarray(pack([Position.start()])[0])
NETWORK = init(NetworkSpec((8,)), seeded(0))


def rounds(count: int, seed: int = 1, ladders: Sequence[Ladder] = ()) -> list[Record]:
    lanes, records = new_lanes(START, LANES), []
    ladders = ladders or [Ladder(LANES, rung=UNTRAINED)]
    for number in range(count):
        key = jax.random.fold_in(seeded(seed), number)
        lanes, record = play_round(ladders, NETWORK, lanes, START, key, PLIES)
        records.append(record)
    return records


@pytest.fixture(scope="module")
def played() -> Record:
    """200 plies of 32 games as one record."""
    positions, won = zip(*rounds(10), strict=True)
    return Record(jnp.concatenate(positions), jnp.concatenate(won))


def test_shapes(played):
    assert played.positions.shape == (200, LANES, 8)
    assert played.positions.dtype == jnp.uint32
    assert played.won.shape == (200, LANES)
    assert played.won.dtype == jnp.int32


def test_games_open_without_doubles(played):
    """After an opening roll there are 175 boards; a double would lead to others."""
    replies = {
        turn.after.flip() for roll in samples.NON_DOUBLES for turn in legal_turns(Position.start(), roll)
    }
    won = np.asarray(played.won)
    opens = np.concatenate([np.ones((1, LANES), bool), won[:-1] > 0])
    opens[-1] = False
    plies, lanes = np.nonzero(opens)
    assert len(plies) > 60
    assert set(unpack(np.asarray(played.positions)[plies, lanes])) == {Position.start()}
    following = unpack(np.asarray(played.positions)[plies + 1, lanes])
    assert len(replies) == 175
    assert set(following) <= replies
    assert len(set(following)) > 10


def test_every_position_follows_from_a_legal_turn(played):
    """By some roll, with the sides exchanged; and a game ends exactly where its mover has no checker left."""
    positions, won = np.asarray(played.positions), np.asarray(played.won)
    ended = checked = 0
    for lane in (0, 16):
        for ply, (before, after) in enumerate(pairwise(unpack(positions[:160, lane]))):
            turns = [turn.after for roll in samples.ROLLS for turn in legal_turns(before, roll)]
            checked += 1
            if won[ply, lane]:
                ended += 1
                assert after == Position.start()
                assert int(won[ply, lane]) in {turn.result for turn in turns}
            else:
                assert after.flip() in turns
                assert after.result is None
    assert checked > 300
    assert ended > 0


def test_the_games_depend_neither_on_the_rung_nor_on_the_parts():
    """Two halves in two threads that begin with too little room, and retry from the same keys: the same bits."""
    halves = [Ladder(LANES // 2, rung=0), Ladder(LANES // 2, rung=1)]
    for mine, theirs in zip(rounds(3, ladders=halves), rounds(3), strict=True):
        assert np.array_equal(mine.positions, theirs.positions)
        assert np.array_equal(mine.won, theirs.won)
    assert halves[0].rung > 0


def test_lanes_that_cannot_be_divided_are_refused():
    with pytest.raises(InputError, match="32 lanes cannot be divided into 3 equal parts"):
        rounds(1, ladders=[Ladder(10)] * 3)


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_a_ladder_for_each_thread(monkeypatch, count):
    """Equal parts of at least 128 lanes, whatever the number of threads."""
    monkeypatch.setenv(THREADS, str(count))
    for lanes in (1, 32, 256, 257, 300, 1024, 4096):
        parts = len(ladders_for(lanes))
        assert parts <= count
        assert lanes % parts == 0
        assert parts == 1 or lanes // parts >= 128
    assert len(ladders_for(4096)) == {1: 1, 2: 2, 3: 2, 8: 8}[count]


def test_the_key_decides_the_games():
    (one,), (same,), (other,) = rounds(1, seed=5), rounds(1, seed=5), rounds(1, seed=6)
    assert np.array_equal(one.positions, same.positions)
    assert not np.array_equal(one.positions, other.positions)


def numbered(won: np.ndarray, first: int = 0) -> Record:
    """A record whose positions say their ply and lane."""
    plies, lanes = won.shape
    positions = np.zeros((plies, lanes, 8), np.uint32)
    positions[..., 0] = first + np.arange(plies)[:, None]
    positions[..., 1] = np.arange(lanes)
    return Record(jnp.asarray(positions), jnp.asarray(won.astype(np.int32)))


def games_of(games: Games) -> list[tuple[list[tuple[int, int]], int]]:
    """Each game as its (ply, lane) pairs and the points at its end."""
    ends = np.flatnonzero(games.last) + 1
    assert games.games == len(ends)
    assert len(games.positions) == (ends[-1] if len(ends) else 0)
    assert not games.won[~games.last].any()
    traces = np.split(games.positions[:, :2], ends)[:-1]
    return [
        ([tuple(row) for row in trace.tolist()], int(points))
        for trace, points in zip(traces, games.won[games.last], strict=True)
    ]


def all_games(won: np.ndarray, longest: int) -> tuple[list[tuple[list[tuple[int, int]], int]], int]:
    """The same by the definition: by ply, then lane; and how many were too long."""
    games, too_long, began = [], 0, [0] * won.shape[1]
    for ply, lane in np.argwhere(won > 0).tolist():
        trace = [(k, lane) for k in range(began[lane], ply + 1)]
        began[lane] = ply + 1
        if len(trace) > longest:
            too_long += 1
        else:
            games.append((trace, int(won[ply, lane])))
    return games, too_long


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.floats(0.02, 0.6), st.integers(1, 9))
def test_the_history_hands_out_each_game_once_and_whole(seed, longest, share, plies):
    """In rounds of any length, and as well when it is stored and taken up between them."""
    rng = np.random.default_rng(seed)
    won = rng.integers(1, 4, (9 * plies, 3)) * (rng.random((9 * plies, 3)) < share)
    history, found, too_long = History(3, longest), [], 0
    for first in range(0, len(won), plies):
        games = history.add(numbered(won[first : first + plies], first))
        found += games_of(games)
        too_long += games.too_long
        stored = History(3, longest)
        stored.restore(*history.under_way(), history.ply)
        history = stored
    assert (found, too_long) == all_games(won, longest)


def test_a_game_of_exactly_the_longest_length_counts():
    won = np.zeros((9, 1), int)
    won[3] = won[8] = 2
    history = History(1, 4)
    games = history.add(numbered(won))
    assert [len(trace) for trace, _ in games_of(games)] == [4]
    assert (games.games, games.too_long) == (1, 1)


def test_no_more_games_than_asked_for():
    won = np.zeros((6, 4), int)
    won[2] = [1, 0, 2, 3]
    won[4] = [0, 1, 0, 0]
    every = games_of(History(4, 10).add(numbered(won)))
    assert len(every) == 4
    for most in range(5):
        assert games_of(History(4, 10).add(numbered(won), most)) == every[:most]
    assert games_of(History(4, 10).add(numbered(won), None)) == every


def test_a_round_in_which_nothing_ends():
    games = History(2, 5).add(numbered(np.zeros((3, 2), int)))
    assert (games.games, games.too_long) == (0, 0)
    assert games.positions.shape == (0, 8)
    assert games.last.shape == games.won.shape == (0,)


def test_what_is_under_way(played):
    history = History(LANES, 64)
    history.add(played)
    trace, began = history.under_way()
    assert len(trace) == sum(min(200 - first, 64) for first in began)
    assert began.tolist() == [int(np.flatnonzero(np.r_[1, won])[-1]) for won in np.asarray(played.won).T]
    assert np.array_equal(trace[: 200 - began[0]], np.asarray(played.positions)[began[0] :, 0])


def test_real_games_come_out_whole(played):
    games = History(LANES, 256).add(played)
    positions = unpack(games.positions)
    firsts = np.flatnonzero(np.r_[True, games.last[:-1]])
    assert games.games > 20
    assert {positions[k] for k in firsts} == {Position.start()}
    assert set(games.won[games.last].tolist()) <= {1, 2, 3}
    assert games.games == int((np.asarray(played.won) > 0).sum()) - games.too_long
