"""Every way to play a roll checker by checker, as an automaton that a page can walk without asking Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bglab.errors import InputError
from bglab.rules.position import Position
from bglab.rules.reference import Board, Turn, _board, _moved, _moves, check_dice, legal_turns, to_play

State = tuple[Board, tuple[int, ...]]
"""A board in the middle of a turn and the dice still to be played, in falling order."""


@dataclass(frozen=True)
class Continuations:
    """The legal beginnings of a turn.

    nodes : for each state of the turn its legal moves, three numbers for each: the point left (25 = bar), the die, and
        the index of the state it leads to. State 0 is before the first move; a state without moves ends the turn. Where
        a checker arrives follows: point minus die, or off.
    turns : the complete turn that each ending state stands for.
    """

    nodes: tuple[tuple[int, ...], ...]
    turns: dict[int, Turn] = field(repr=False)

    def finish(self, path: Sequence[Sequence[int]]) -> Turn:
        """The turn made of these moves (point, die) in this order; `InputError` if it is not a legal, complete one."""
        here = 0
        for point, die in path:
            edges = self.nodes[here]
            moves = {edges[k : k + 2]: edges[k + 2] for k in range(0, len(edges), 3)}
            if (point, die) not in moves:
                raise InputError(
                    f"A {die} cannot be played from {point} here: undo and play another checker."
                )
            here = moves[point, die]
        if here not in self.turns:
            raise InputError("The turn is not complete: play every die that can be played.")
        return self.turns[here]


def continuations(position: Position, dice: Sequence[int]) -> Continuations:
    """All ways to play a roll of the side on roll, one checker after another, in any order that the rules allow.

    Every path from state 0 can be completed, and the states that paths end in are the positions of `legal_turns`.
    Raises `InputError` for what is not a roll and for a game that is over.
    """
    turns = legal_turns(position, dice)
    start: State = (_board(position), tuple(sorted(to_play(check_dice(dice)), reverse=True)))
    depth = max(len(turn.moves) for turn in turns)
    layers: list[dict[State, list[tuple[int, int, State]]]] = [{start: []}]
    for _ in range(depth):
        layers.append({})
        for state, edges in layers[-2].items():
            edges += _edges(state)
            layers[-1].update((edge[2], []) for edge in edges)
    if depth == 1 and len(set(dice)) == 2:
        # One die alone can be played: the larger one, if it can.
        high = max(die for _, die, _ in layers[0][start])
        layers[0][start] = [edge for edge in layers[0][start] if edge[1] == high]
        layers[1] = {edge[2]: [] for edge in layers[0][start]}
    for above, below in zip(layers[-2::-1], layers[:0:-1], strict=True):  # beginnings that use too few dice
        for state, edges in list(above.items()):
            above[state] = [edge for edge in edges if edge[2] in below]
            if not above[state]:
                del above[state]
    return _number(layers, turns)


def _edges(state: State) -> list[tuple[int, int, State]]:
    board, left = state
    found = []
    for die in dict.fromkeys(left):
        rest = list(left)
        rest.remove(die)
        found += [
            (move[0], die, (_moved(board, move), tuple(rest)))
            for move in sorted(_moves(board, die), reverse=True)
        ]
    return found


def _number(layers: list[dict[State, list[tuple[int, int, State]]]], turns: Sequence[Turn]) -> Continuations:
    """Number the states that are still reached, in the order of play."""
    afters = {_board(turn.after): turn for turn in turns}
    reached = dict.fromkeys(layers[0])
    for layer in layers[:-1]:
        reached |= dict.fromkeys(edge[2] for state in layer if state in reached for edge in layer[state])
    numbers = {state: number for number, state in enumerate(reached)}
    edges = {state: layer[state] for layer in layers for state in layer if state in numbers}
    nodes = tuple(
        tuple(n for point, die, target in edges[state] for n in (point, die, numbers[target]))
        for state in numbers
    )
    ends = {numbers[state]: afters[state[0]] for state in layers[-1] if state in numbers}
    return Continuations(nodes, ends)
