"""Our bit-planes as the boards of other engines, thousands at a time, and their probabilities as our outcomes."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int8, UInt8, UInt32

from bglab.value.outcome import from_cumulative, nested

FULL_SET = 15
FINAL = np.concatenate([np.zeros((1, 6)), np.eye(6)[:3]])
"""The outcomes of having won 0, 1, 2 or 3 points; 0 is a game that goes on."""


def counts_of(positions: UInt32[np.ndarray, "n 8"]) -> UInt8[np.ndarray, "n 2 25"]:
    """Checkers at points 1 to 24 and on the bar, of the side on roll and of the other, each in its own numbering."""
    words = np.ascontiguousarray(positions, np.dtype("<u4"))
    bits = np.unpackbits(words.view(np.uint8).reshape(len(words), 2, 4, 4), axis=-1, bitorder="little")
    counts = bits[:, :, 0] + 2 * bits[:, :, 1] + 4 * bits[:, :, 2] + 8 * bits[:, :, 3]
    counts = np.ascontiguousarray(counts[..., :25])
    counts[:, 1, :24] = counts[:, 1, 23::-1]
    return counts


def planes_of(counts: UInt8[np.ndarray, "n 2 25"]) -> UInt32[np.ndarray, "n 8"]:
    """The inverse of `counts_of`."""
    mine = np.zeros((len(counts), 2, 32), np.uint8)
    mine[..., :25] = counts
    mine[:, 1, :24] = counts[:, 1, 23::-1]
    bits = np.stack([mine >> k & 1 for k in range(4)], 2)
    return (
        np.packbits(bits, axis=-1, bitorder="little").view(np.dtype("<u4")).reshape(-1, 8).astype(np.uint32)
    )


def moved(counts: UInt8[np.ndarray, "n 2 25"], moves: Int8[np.ndarray, "n 8"]) -> UInt8[np.ndarray, "n 2 25"]:
    """Boards after up to four steps within the board, (from, to) four times with 25 for the bar and 0 for no step."""
    counts = counts.copy()
    for k in range(0, 8, 2):
        row = np.flatnonzero(moves[:, k])
        source, target = moves[row, k] - 1, moves[row, k + 1] - 1
        counts[row, 0, source] -= 1
        counts[row, 0, target] += 1
        hit = counts[row, 1, 23 - target]
        counts[row, 1, 23 - target] = 0
        counts[row, 1, 24] += hit
    return counts


def gnubg_boards(counts: UInt8[np.ndarray, "n 2 25"]) -> UInt8[np.ndarray, "n 2 25"]:
    """GNU Backgammon's boards: the side not on roll first."""
    return np.ascontiguousarray(counts[:, ::-1])


def sage_boards(counts: UInt8[np.ndarray, "n 2 25"]) -> Int8[np.ndarray, "n 26"]:
    """Open Sage's boards: the other side's bar, points 1 to 24 of the side on roll (its checkers positive, the other's
    negative), its bar.
    """
    signed = counts.astype(np.int8)
    points = signed[:, 0, :24] - signed[:, 1, 23::-1]
    return np.concatenate([signed[:, 1, 24:], points, signed[:, 0, 24:]], 1)


def sage_flipped(boards: Int8[np.ndarray, "n 26"]) -> Int8[np.ndarray, "n 26"]:
    """The same boards from the other side."""
    flipped = -boards[:, ::-1]
    flipped[:, [0, 25]] = boards[:, [25, 0]]
    return np.ascontiguousarray(flipped)


def outcomes_of(
    five: Float[np.ndarray, "n 5"], counts: UInt8[np.ndarray, "n 2 25"]
) -> Float[np.ndarray, "n 6"]:
    """Our six exclusive outcomes from the five cumulative probabilities that engines give for the side on roll.

    These are to win, win a gammon or better, win a backgammon, lose a gammon or worse, lose a backgammon.

    They are made to contain one another, and a side that has borne off a checker loses no gammon.
    """
    five = np.clip(np.asarray(five, np.float64), 0, 1)
    mine, theirs = (counts.sum(2) == FULL_SET).T[..., None]
    five[:, 1:3] *= theirs
    five[:, 3:5] *= mine
    return np.asarray(from_cumulative(nested(five)), np.float32)
