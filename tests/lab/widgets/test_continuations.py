"""The automaton of a roll against the list of legal turns: the same ends, by every path, and no dead ends."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from bglab import InputError, Position, legal_turns
from bglab.lab.widgets.continuations import Continuations, continuations
from bglab.rules.reference import BAR, Board, _board, _moved, _moves
from tests.samples import Roll, adversarial, realistic, rolls, spread

Move = tuple[int, int, int]


def moves_of(found: Continuations, node: int) -> list[Move]:
    edges = found.nodes[node]
    return [(edges[k], edges[k + 1], edges[k + 2]) for k in range(0, len(edges), 3)]


def naive(position: Position, dice: Roll) -> set[tuple[tuple[int, int], ...]]:
    """Every legal order of (point, die) by trying all of them: as long as can be, and the larger die if only one."""

    def play(board: Board, left: Sequence[int]):
        yield (), board
        for die in set(left):
            rest = list(left)
            rest.remove(die)
            for move in _moves(board, die):
                for path, end in play(_moved(board, move), rest):
                    yield ((move[0], die), *path), end

    left = [dice[0]] * 4 if dice[0] == dice[1] else list(dice)
    paths = {path for path, _ in play(_board(position), left)}
    longest = max(map(len, paths))
    paths = {path for path in paths if len(path) == longest}
    if longest == 1 and dice[0] != dice[1]:
        high = max(path[0][1] for path in paths)
        paths = {path for path in paths if path[0][1] == high}
    return paths


def paths_of(found: Continuations, node: int = 0):
    moves = moves_of(found, node)
    if not moves:
        yield (), node
    for point, die, target in moves:
        for path, end in paths_of(found, target):
            yield ((point, die), *path), end


def check(position: Position, dice: Roll) -> None:
    """Ends are the legal turns; each state has the board that its moves lead to; none is a dead end or unreached."""
    found = continuations(position, dice)
    boards = {0: _board(position)}
    for node in range(len(found.nodes)):
        for point, die, target in moves_of(found, node):
            after = _moved(boards[node], (point, max(0, point - die)))
            assert boards.setdefault(target, after) == after
    assert sorted(boards) == list(range(len(found.nodes)))
    ends = {node for node, edges in enumerate(found.nodes) if not edges}
    assert set(found.turns) == ends
    assert all(boards[node] == _board(found.turns[node].after) for node in ends)
    legal = {turn.after for turn in legal_turns(position, dice)}
    assert {found.turns[node].after for node in ends} == legal


def test_ends_are_the_legal_turns():
    positions = realistic(1500, seed=5) + adversarial(500, seed=6)
    positions = [position for position in positions if position.result is None]
    assert len(positions) > 1900
    for position, dice in zip(positions, rolls(len(positions), seed=7), strict=True):
        check(position, dice)


def test_orders_are_those_of_the_rules():
    positions = realistic(150, seed=8) + adversarial(150, seed=9)
    some = zip(positions, rolls(len(positions), seed=10), strict=True)
    compared = 0
    for position, dice in some:
        if position.result is None and (dice[0] != dice[1] or sum(position.me) < 5):
            compared += 1
            found = continuations(position, dice)
            assert {path for path, _ in paths_of(found)} == naive(position, dice)
    assert compared > 200


def test_a_finished_path_is_its_turn():
    found = continuations(Position.start(), (3, 1))
    for path in ([(8, 3), (6, 1)], [(6, 1), (8, 3)]):
        assert found.finish(path).play == "8/5 6/5"
    assert {found.finish(path).play for path, _ in paths_of(found)} == {
        turn.play for turn in legal_turns(Position.start(), (3, 1))
    }


@pytest.mark.parametrize(
    ("path", "fault"),
    [([(8, 3)], "not complete"), ([(13, 6)], "A 6 cannot be played from 13"), ([(5, 3), (8, 1)], "from 5")],
)
def test_other_paths_are_refused(path, fault):
    with pytest.raises(InputError, match=fault):
        continuations(Position.start(), (3, 1)).finish(path)


def test_the_larger_die_must_be_played_if_only_one_can():
    # Either die can be played, and then the other cannot: both ways meet on a closed point.
    found = continuations(Position.of(me={12: 1}, opp={20: 2}), (2, 5))
    assert found.nodes == ((12, 5, 1), ())
    # Either die bears off the last checker.
    found = continuations(Position.of(me={1: 1}, opp={20: 2}), (5, 6))
    assert found.nodes == ((1, 6, 1), ())


def test_a_dance_is_an_end():
    shut = Position.of(me={BAR: 1, 6: 2}, opp=dict.fromkeys(range(1, 7), 2))
    found = continuations(shut, (6, 5))
    assert found.nodes == ((),)
    assert found.finish([]).play == "(no play)"


def test_the_largest_stays_small():
    """Fifteen blots and a double: thousands of turns, a hundred kilobytes for the page."""
    found = continuations(spread(random.Random(1)), (1, 1))
    assert len(found.turns) > 500
    assert sum(map(len, found.nodes)) * 5 < 400_000
