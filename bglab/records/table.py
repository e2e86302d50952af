"""A game under way as it is read or replayed: both sides' checkers and the cube, changed in place.

It checks what is cheap to check: that a checker is there, that the point it goes to is open, that the bar comes first
and that nobody bears off too early. Whether a shorter play was allowed is `bglab.records.replay.check`'s question.
"""

from __future__ import annotations

from functools import lru_cache

from bglab.errors import InputError
from bglab.records.record import CubeAction, Kind, Moves, Setup
from bglab.rules.notation import parse_play
from bglab.rules.position import BAR, OFF, Position
from bglab.rules.reference import hops, to_play

Ways = tuple[tuple[Moves, ...], frozenset[int]]
"""The moves that a written play can mean, fewest hops first, and the points where it marks a hit."""

Sides = tuple[list[int], list[int]]


@lru_cache(maxsize=1 << 16)
def ways(text: str, dice: tuple[int, int]) -> Ways:
    """What a play's text can mean with these dice, whatever the position; `InputError` if nothing."""
    steps = parse_play(text)
    legs = [leg for step in steps for leg in zip(step.path, step.path[1:], strict=False)]
    return _ways(legs, dice, f'The play "{text}"'), frozenset(point for step in steps for point in step.hits)


@lru_cache(maxsize=1 << 16)
def leg_ways(legs: Moves, dice: tuple[int, int]) -> Ways:
    """The same for a play given as its legs (from, to), each one hop or several joined."""
    return _ways(list(legs), dice, "The play"), frozenset()


def _ways(legs: list[tuple[int, int]], dice: tuple[int, int], play: str) -> tuple[Moves, ...]:
    found = (
        {tuple(sorted(moves, reverse=True)) for moves in hops(legs, to_play(dice))}
        if len(legs) <= 4
        else set()
    )
    if not found:
        raise InputError(f"{play} is not one of {dice[0]}-{dice[1]}: its steps must add up to the dice.")
    return tuple(sorted(found, key=lambda moves: (len(moves), moves)))


class Table:
    """The checkers of both players, each side's counts at 0 (off) to 25 (bar) in its own numbering, and the cube.

    cube, owner : its value and the player (0, 1) who owns it, None while it is in the middle.
    offer, doubler : what is on offer ("" for nothing) and who doubled first.
    dropped : who has dropped.
    """

    __slots__ = ("checkers", "cube", "doubler", "dropped", "offer", "owner", "sides")

    def __init__(self, start: Position) -> None:
        self.checkers = start.checkers
        self.cube = 1
        self.owner: int | None = None
        self.offer: Kind | str = ""
        self.doubler = 0
        self.dropped: int | None = None
        self._place(start, 0)

    def _place(self, position: Position, player: int) -> None:
        mine, theirs = (
            [off, *counts] for off, counts in zip(position.off, (position.me, position.opp), strict=True)
        )
        self.sides: Sides = (theirs, mine) if player else (mine, theirs)

    def setup(self, setup: Setup) -> None:
        """Put up a position and a cube by hand."""
        self._place(setup.position, setup.player)
        self.cube, self.owner, self.offer = setup.cube_value, setup.cube_owner, ""

    def position(self, player: int) -> Position:
        """The position with this player on roll."""
        mine, theirs = self.sides[player], self.sides[1 - player]
        return Position(tuple(mine[1:]), tuple(theirs[1:]), self.checkers)

    def play(self, player: int, moves: Moves) -> int:
        """Move a player's checkers; the number of hits, or `InputError` for what cannot be moved."""
        mine, theirs = self.sides[player], self.sides[1 - player]
        hits = 0
        for source, target in moves:
            if not mine[source]:
                raise InputError(f"no checker stands on {_name(source)}")
            if mine[BAR] and source != BAR:
                raise InputError("a checker on the bar must enter first")
            mine[source] -= 1
            if target == OFF:
                if source > 6 or any(mine[7:]):
                    raise InputError("no checker may be borne off before all are in the home board")
            elif theirs[25 - target]:
                if theirs[25 - target] > 1:
                    raise InputError(f"the point {target} is closed")
                theirs[25 - target] = 0
                theirs[BAR] += 1
                hits += 1
            mine[target] += 1
        return hits

    def play_ways(self, player: int, meant: Ways) -> Moves:
        """Play what is meant, the way that hits least where marks leave a choice; returns the moves.

        Marks of hits that no way makes are passed over, as some programs put them at the wrong point.
        """
        choices, marks = meant
        if len(choices) == 1:
            self.play(player, choices[0])
            return choices[0]
        before = self.sides
        reached: dict[tuple[int, ...], tuple[int, int, Moves, Sides]] = {}
        fault = None
        for moves in choices:
            self.sides = (list(before[0]), list(before[1]))
            try:
                hits = self.play(player, moves)
            except InputError as error:
                fault = fault or error
                continue
            board = (*self.sides[0], *self.sides[1])
            blots = before[1 - player]
            unmarked = sum(
                blots[25 - point] != 1 or self.sides[1 - player][25 - point] == 1 for point in marks
            )
            reached.setdefault(board, (unmarked, hits, moves, self.sides))
        if not reached:
            assert fault is not None
            raise fault
        ranked = sorted(reached.values(), key=lambda found: found[:2])
        if len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]:
            raise InputError("its hops can hit in two ways: write them out")
        _, _, moves, self.sides = ranked[0]
        return moves

    def act(self, action: CubeAction) -> None:
        """Double, take, drop, beaver or raccoon; `InputError` for what cannot be done now."""
        player, kind = action.player, action.kind
        if kind == "double":
            if self.offer:
                raise InputError("there is a double to answer already")
            if self.owner == 1 - player:
                raise InputError("the cube belongs to the other player")
            self.doubler, self.offer = player, "double"
            return
        if not self.offer:
            raise InputError(f"there is no double to answer with a {kind}")
        answering = self.doubler if self.offer == "beaver" else 1 - self.doubler
        if player != answering:
            raise InputError(f"the {kind} is the other player's to say")
        if kind == "take":
            self.accept()
        elif kind == "drop":
            self.dropped = player
        elif kind == ("raccoon" if self.offer == "beaver" else "beaver"):
            self.cube *= 2
            self.offer = kind
        else:
            raise InputError(f"a {self.offer} is not answered with a {kind}")

    def accept(self) -> None:
        """Take what is on offer: the cube is doubled, and the one who took the first double owns it."""
        if self.offer:
            self.cube *= 2
            self.owner = 1 - self.doubler
            self.offer = ""

    def borne_off(self) -> int | None:
        """The player who has no checker left, if there is one."""
        return next((player for player in (0, 1) if self.sides[player][OFF] == self.checkers), None)

    def result(self, jacoby: bool) -> tuple[int, int] | None:
        """(winner, points) of a game that was played out or dropped; None for another."""
        if self.dropped is not None:
            return 1 - self.dropped, self.cube
        winner = self.borne_off()
        if winner is None:
            return None
        if jacoby and self.owner is None:
            return winner, self.cube
        loser = self.sides[1 - winner]
        gammon = not loser[OFF]
        return winner, self.cube * (1 + gammon + (gammon and any(loser[19:])))


def _name(location: int) -> str:
    return {BAR: "the bar"}.get(location, str(location))
