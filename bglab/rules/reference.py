"""All complete turns of one position, written to be read: the statement of the rules that faster code must
match.

The rules in short. A die moves one checker towards home; a point with two or more opposing checkers is
closed, a single one is hit and goes to its bar. Checkers on the bar enter first. With every checker in the
home board, one may be borne off from the die's own point, or from the highest occupied point if that is
lower. Both dice must be played if some order allows it, doubles four times or as often as they can be; if
only one of two dice can be played, it must be the larger if possible.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from typing import TypeAlias

from bglab.errors import InputError
from bglab.rules.notation import format_play, parse_play
from bglab.rules.position import BAR, OFF, Position

Move: TypeAlias = tuple[int, int]
"""One checker's move (from, to); 25 = bar, 0 = off."""

Board: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Both sides' counts at locations 0 to 25 of the *mover's* numbering: the opponent's bar is 0, its tray 25."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One complete turn.

    play : its text, such as "8/5 6/5"; "(no play)" for a dance.
    after : the position it leads to, seen by the SAME player (not flipped).
    moves : the checker moves (from, to), highest point first, which is a legal order; 25 = bar, 0 = off.
    before : where it was played, for drawing; not part of equality.
    """

    play: str
    after: Position
    moves: tuple[Move, ...]
    before: Position | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return self.play

    def _repr_svg_(self) -> str:
        from bglab.rules.drawing import svg

        return svg(self.before, play=self) if self.before else svg(self.after)

    def _repr_html_(self) -> str:
        from bglab.rules.drawing import image

        return image(self.before, play=self) if self.before else image(self.after)


def legal_turns(position: Position, dice: Sequence[int]) -> list[Turn]:
    """Every legal complete turn of the side on roll, one for each distinct resulting position.

    The order is fixed: by moves, highest points first. A roll that cannot be played gives one turn without
    moves. Raises `InputError` for dice that are not two numbers from 1 to 6 and for a game that is over.
    """
    if not isinstance(position, Position):
        raise InputError(
            f"A position is a Position, not {position!r}: make one with Position.from_id or Position.of."
        )
    high, low = sorted(check_dice(dice), reverse=True)
    if position.result is not None:
        raise InputError(
            "The game is over, so there is no turn to play: give a position with both sides on the board."
        )
    board = _board(position)
    if high == low:
        _, found = _play(board, to_play(dice))
    else:
        used, found = _play(board, (high, low))
        used_low_first, found_low_first = _play(board, (low, high))
        if used_low_first > used:
            found = found_low_first
        elif used_low_first == used == 2:
            found = found_low_first | found
    turns = [
        Turn(format_play(position, moves), _position(board, position.checkers), _in_order(moves), position)
        for board, moves in found.items()
    ]
    return sorted(turns, key=lambda turn: turn.moves, reverse=True)


def find_turn(position: Position, dice: Sequence[int], text: str) -> Turn:
    """The legal turn that a play's text means in this position and roll; `InputError` says why there is none.

    Hops may be joined and hit marks left out. Where joined hops could hit on the way or not, and no mark
    tells, the text means the turn that hits least, because a hit on the way is written out ("24/18*/13").
    """
    steps = parse_play(text)
    start = _board(position)
    turns = {_board(turn.after): turn for turn in legal_turns(position, dice)}
    blots = {point for point in range(1, 25) if start[1][point] == 1}
    marked = {point for step in steps for point in step.hits}
    if marked - blots:
        raise InputError(
            f'The play "{text}" marks a hit on {max(marked - blots)}, where no lone checker stands: check the position.'
        )
    legs = [leg for step in steps for leg in pairwise(step.path)]
    reached = (reduce(_moved, moves, start) for moves in hops(legs, to_play(dice)))
    hits = {board: {point for point in blots if not board[1][point]} for board in reached if board in turns}
    fitting = {board: len(hit) for board, hit in hits.items() if hit >= marked}
    meant = [turns[board] for board, count in fitting.items() if count == min(fitting.values())]
    if len(meant) > 1:
        either = " or ".join(f'"{turn.play}"' for turn in meant)
        raise InputError(f'The play "{text}" can mean {either}: write the hops and hits out.')
    if not meant:
        plays = [turn.play for turn in turns.values()]
        some = "such as " * (len(plays) > 5) + ", ".join(plays[:5])
        number = f"there are {len(plays)} legal turns" if len(plays) > 1 else "there is one legal turn"
        raise InputError(f'The play "{text}" is not legal with {dice[0]}-{dice[1]}: {number}, {some}.')
    return meant[0]


def check_dice(dice: Sequence[int]) -> tuple[int, int]:
    """The two dice as given, once they are known to be two whole numbers from 1 to 6; else `InputError`."""
    try:
        first, second = (operator.index(die) for die in dice)
    except (TypeError, ValueError):
        first = second = 0
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise InputError(f"Dice are two whole numbers from 1 to 6, such as (3, 1), not {dice!r}.")
    return first, second


def to_play(dice: Sequence[int]) -> tuple[int, ...]:
    """The dice to be played: two, or four of a double."""
    first, second = dice
    return (first,) * 4 if first == second else (first, second)


def hops(legs: list[Move], dice: tuple[int, ...]) -> Iterator[tuple[Move, ...]]:
    """The ways to play written legs (from, to) with some of the dice, a leg being one hop or several."""
    if not legs:
        yield ()
        return
    (source, target), rest = legs[0], legs[1:]
    for die in set(dice):
        stop = max(source - die, OFF)
        if stop >= target:
            left = list(dice)
            left.remove(die)
            onward = rest if stop == target else [(stop, target), *rest]
            for others in hops(onward, tuple(left)):
                yield (source, stop), *others


def _play(board: Board, dice: tuple[int, ...]) -> tuple[int, dict[Board, tuple[Move, ...]]]:
    """Play dice in this order as far as any line can: how many were played, and the boards reached with the moves."""
    reached: dict[Board, tuple[Move, ...]] = {board: ()}
    for used, die in enumerate(dice):
        further: dict[Board, tuple[Move, ...]] = {}
        for here, moves in reached.items():
            for move in _moves(here, die):
                further.setdefault(_moved(here, move), (*moves, move))
        if not further:
            return used, reached
        reached = further
    return len(dice), reached


def _in_order(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    return tuple(sorted(moves, reverse=True))


def _moves(board: Board, die: int) -> Iterator[Move]:
    """The moves one die allows, from the highest point down."""
    mine, theirs = board
    rearmost = max((point for point in range(1, 26) if mine[point]), default=OFF)
    for point in range(rearmost, 0, -1):
        target = point - die
        if not mine[point]:
            continue
        if target > 0:
            if theirs[target] < 2:
                yield point, target
        elif rearmost <= 6 and (target == 0 or point == rearmost):
            yield point, OFF
        if point == BAR:
            return


def _moved(board: Board, move: Move) -> Board:
    mine, theirs = map(list, board)
    source, target = move
    mine[source] -= 1
    mine[target] += 1
    if target != OFF and theirs[target]:
        theirs[target] -= 1
        theirs[0] += 1
    return tuple(mine), tuple(theirs)


def _board(position: Position) -> Board:
    off, opp_off = position.off
    return (off, *position.me), (opp_off, *position.opp)[::-1]


def _position(board: Board, checkers: int) -> Position:
    mine, theirs = board
    return Position(mine[1:], theirs[-2::-1], checkers)
