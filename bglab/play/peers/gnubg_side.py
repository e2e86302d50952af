"""GNU Backgammon's side of the pipe (PyPI package gnubg): run by `serve.py`, never imported.

Boards are uint8[n, 2, 25], the side not on roll first, each side in its own numbering, the bar last.
"""

from __future__ import annotations

import re

import gnubg
import numpy as np

CENTRED = -1
CUBE = {0: CENTRED, 1: 0, -1: 1}
"""The engine's name for our owners of the cube, its player 0 being on roll."""
UNUSED, CUT_SHORT = (0,) * 8, (-1,) * 8
ROLLS = [(a, b, 1 + (a != b)) for a in range(1, 7) for b in range(1, a + 1)]


def _cube(owner: int, jacoby: bool) -> dict:
    # cubeinfo() itself assumes Jacoby, and so a gammon price of nothing.
    price = 0.0 if jacoby and owner == CENTRED else 1.0
    info = gnubg.cubeinfo(1 if owner == CENTRED else 2, owner, 0, 0, (0, 0), 0, 0)
    return info | {"jacoby": int(jacoby), "beavers": 0, "gammonprice": ((price, price), (price, price))}


CUBELESS = _cube(CENTRED, False)


def version() -> str:
    return str(gnubg.__version__)


def evaluate(boards: np.ndarray, plies: int, prune: bool) -> np.ndarray:
    """The five cumulative probabilities of the side on roll, cubeless, float32[n, 5]."""
    context = gnubg.evalcontext(0, plies, 1, int(prune), 0.0)
    answers = [gnubg.evaluate(board, CUBELESS, context) for board in boards.tolist()]
    return np.array(answers, np.float32).reshape(-1, 6)[:, :5]


def choose(boards: np.ndarray, dice: np.ndarray, plies: int, prune: bool) -> np.ndarray:
    """The engine's cubeless choice with its default move filters, int8[n, 8]: (from, to) for each checker moved, bar
    25, and then zeros. A row begins with -1 where a checker is borne off: the package's answer ends there.
    """
    context = gnubg.evalcontext(0, plies, 1, int(prune), 0.0)
    moves = []
    for board, roll in zip(boards.tolist(), dice.tolist(), strict=True):
        move = gnubg.findbestmove(board, CUBELESS, context, roll)
        moves.append((move + UNUSED)[:8] if len(move) % 2 == 0 else CUT_SHORT)
    return np.array(moves, np.int8).reshape(-1, 8)


def efficiencies() -> list[float]:
    """What the engine says of its cube efficiency at 0 and 1 ply: crashed, contact, one-sided bear-off, race factor and
    constant, least and most.
    """
    shown = gnubg.show("cubeefficiency").splitlines()[1:]
    return [float(value) for line in shown for value in re.findall(r"[\d.]+/([\d.]+)", line)]


def cube(boards: np.ndarray, owners: list[int], plies: int, jacoby: bool, prune: bool) -> np.ndarray:
    """Equities of not doubling now and of double and take, float64[n, 2], per unit of the present cube.

    The engine's cubeful equity of a position comes out of the package only as the score of a move, so the scores of its
    best moves, at one ply less, are averaged over the rolls here. owners: 1 the side on roll, 0 nobody, -1 the other.
    """
    scoring = Scoring(max(plies - 1, 0), jacoby, prune)
    equities = [
        scoring.hold_and_take(board, owner) for board, owner in zip(boards.tolist(), owners, strict=True)
    ]
    return np.array(equities, np.float64).reshape(-1, 2)


class Scoring:
    """Cubeful equities as averages of the engine's scores."""

    def __init__(self, plies: int, jacoby: bool, prune: bool) -> None:
        self.context = gnubg.evalcontext(1, plies, 1, int(prune), 0.0)
        self.cubes = {owner: _cube(CUBE[owner], jacoby) for owner in CUBE}

    def hold_and_take(self, board: list, owner: int, dances: int = 0) -> tuple[float, float]:
        return self._over_rolls(board, owner, dances), 2 * self._over_rolls(board, -1, dances)

    def _over_rolls(self, board: list, owner: int, dances: int) -> float:
        total, standing = 0.0, None
        for a, b, weight in ROLLS:
            moves = gnubg.findbestmoves(board, self.cubes[owner], self.context, (a, b))
            if moves:
                total += weight * max(move["score"] for move in moves)
                continue
            # No move, so no score: what the other side has on its turn.
            standing = self._standing(board[::-1], -owner, dances + 1) if standing is None else standing
            total -= weight * standing
        return total / 36

    def _standing(self, board: list, owner: int, dances: int) -> float:
        if dances > 2:
            return float(gnubg.evaluate(board, CUBELESS, gnubg.evalcontext(0, 0, 1, 1, 0.0))[5])
        if owner < 0:
            return self._over_rolls(board, owner, dances)
        hold, take = self.hold_and_take(board, owner, dances)
        return max(hold, min(take, 1.0))


def classify(boards: np.ndarray) -> list[int]:
    """The engine's classes of positions."""
    return [gnubg.classify(board, 0) for board in boards.tolist()]


FUNCTIONS = {
    "version": version,
    "evaluate": evaluate,
    "choose": choose,
    "efficiencies": efficiencies,
    "cube": cube,
    "classify": classify,
}
