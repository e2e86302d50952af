"""What the page sends when a turn was played on the board."""

from __future__ import annotations

from itertools import permutations, product

from bglab import Board, InputError, Turn


def path_of(board: Board, turn: Turn) -> list[list[int]]:
    """Moves (point, die) that play a turn, one after another."""
    dice = board.dice * 2 if board.dice[0] == board.dice[1] else board.dice
    for order in set(permutations(dice)):
        starts = sorted({start for start, _ in turn.moves}, reverse=True)
        for points in product(
            starts + [p for p in range(25, 0, -1) if p not in starts], repeat=len(turn.moves)
        ):
            path = list(zip(points, order, strict=False))
            try:
                if board._continuations.finish(path).after == turn.after:
                    return [list(move) for move in path]
            except InputError:
                continue
    raise AssertionError(f"{turn} cannot be played by mouse")
