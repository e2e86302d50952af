"""A game being read from any format: actions come in one by one, a `Game` comes out."""

from __future__ import annotations

from functools import lru_cache

from bglab.errors import InputError
from bglab.records.fault import MOST, quoted
from bglab.records.record import Action, CubeAction, Game, Kind, Moves, Play, Resignation, Setup
from bglab.records.table import Table, Ways, leg_ways, ways
from bglab.rules.position import Position, shorten

_shared = lru_cache(maxsize=1 << 16)(Play)
"""A play that occurs a thousand times is one object: quicker to make, and it takes the memory of one."""


class Recorder:
    """The actions of a game so far, checked on a `Table` as far as that is cheap.

    length : points of the match, which may cut short what a game is worth; 0 = money.
    Each method raises `InputError` with the fault alone; the reader of the format adds the place.
    """

    def __init__(
        self, start: Position, score: tuple[int, int], crawford: bool, comment: str = "", length: int = 0
    ) -> None:
        self.table = Table(start)
        self.score, self.crawford, self.comment, self.length = score, crawford, comment, length
        self.actions: list[Action] = []
        self.lost = False  # after an unknown play nobody knows the position
        self.resigned: int | None = None
        self.won: tuple[int, int] | None = None

    def written(self, player: int, dice: tuple[int, int], text: str, comment: str = "") -> None:
        """A play as text: "8/5 6/5", "" or a word for none, "????" for an unknown one."""
        if text.startswith("?"):
            self.unknown(player, dice, comment)
            return
        if len(text) > MOST:
            text = " ".join(text.split())
            if len(text) > MOST:
                raise InputError(f"the play {quoted(text)} is too long: keep to four moves at most")
        meant = ways(text, dice) if text else None
        try:
            self._play(player, dice, meant, comment)
        except InputError as error:
            raise InputError(
                f'the play "{text}" with {dice[0]}-{dice[1]} is impossible, as {error}'
            ) from None

    def legs(self, player: int, dice: tuple[int, int], legs: Moves, comment: str = "") -> None:
        """A play as pairs (from, to)."""
        meant = leg_ways(legs, dice) if legs else None
        try:
            self._play(player, dice, meant, comment)
        except InputError as error:
            steps = " ".join(f"{source}/{target}" for source, target in legs)
            raise InputError(f"the play {steps} with {dice[0]}-{dice[1]} is impossible, as {error}") from None

    def unknown(self, player: int, dice: tuple[int, int], comment: str = "") -> None:
        """A roll of which nobody knows how it was played."""
        self._going_on()
        self.table.accept()
        self.lost = True
        self.actions.append(Play(player, dice, None, comment))

    def _play(self, player: int, dice: tuple[int, int], meant: Ways | None, comment: str) -> None:
        table = self.table
        if self.won is not None or table.dropped is not None:
            self._going_on()
        if table.offer:
            table.accept()  # some programs do not write the take of a beaver
        if meant is None:
            moves: Moves = ()
        elif self.lost:
            moves = meant[0][0]
        else:
            moves = table.play_ways(player, meant)
        self.actions.append(_shared(player, dice, moves, comment))

    def cube(self, player: int, kind: Kind, comment: str = "") -> None:
        """A word about the cube; a double in answer to a double is a beaver, one in answer to that a raccoon."""
        self._going_on()
        if kind in ("double", "beaver") and self.table.offer:
            kind = "raccoon" if self.table.offer == "beaver" else "beaver"
        action = CubeAction(player, kind, comment)
        self.table.act(action)
        self.actions.append(action)

    def setup(self, setup: Setup) -> None:
        """A position put up by hand, known from there on."""
        self._going_on()
        self.table.setup(setup)
        self.lost = False
        self.actions.append(setup)

    def turned(self, value: int) -> None:
        """What the file says the cube is turned to by the double, beaver or raccoon before."""
        if value != 2 * self.table.cube:
            raise InputError(
                f"this turns the cube from {self.table.cube} to {2 * self.table.cube}, not to"
                f" {shorten(str(value), MOST)}: correct the number, or what comes before it"
            )

    def wins(self, winner: int, points: int, checked: bool = True) -> None:
        """What the file says about the result; checked against the board and the cube."""
        if self.won is not None:
            raise InputError("the game has been won already")
        if not points:  # "Wins 0 points" is how a game that was broken off is written
            return
        if checked:
            known = self._known(jacoby=False)
            possible = self._possible(None if known is None else known[1])
            left = self.length - self.score[winner if known is None else known[0]]
            # some programs count no more than the match still needs
            if points not in possible and not (self.length and points == left < max(possible)):
                raise InputError(
                    f"nobody wins {shorten(str(points), MOST)} points here with the cube at {self.table.cube}, but"
                    f" {' or '.join(map(str, sorted(possible)))}: correct the result"
                )
        self.won = winner, points

    def _known(self, jacoby: bool) -> tuple[int, int] | None:
        """The winner and the points that the board or a drop tells, if it does."""
        return None if self.lost and self.table.dropped is None else self.table.result(jacoby)

    def _possible(self, known: int | None) -> set[int]:
        """What a game can be worth that ends here; known is what the board says without Jacoby."""
        cube = self.table.cube
        if known is None:  # given up, perhaps with a double to answer
            cubes = (cube, 2 * cube) if self.table.offer else (cube,)
            return {times * value for value in cubes for times in (1, 2, 3)}
        possible = {known}
        if known == 3 * cube:
            possible.add(2 * cube)  # where backgammons do not count
        if not self.length and self.table.owner is None:
            possible.add(cube)  # Jacoby, which a file need not mention
        return possible

    def close(self, jacoby: bool) -> Game:
        """The game, with a resignation at its end where the result is explained by nothing else."""
        known = self._known(jacoby)
        winner, points = self.won or known or (None, 0)
        if known:
            winner = known[0]  # a file may err or its column mislead, the board does not
        elif winner is not None:
            if self.resigned is not None:
                winner = 1 - self.resigned
            if not self.lost:
                cube = self.table.cube
                if points > 3 * cube and self.table.offer:  # the take was not written
                    cube *= 2
                times = min(max(-(-points // cube), 1), 3)
                self.actions.append(Resignation(1 - winner, times))
        return Game(self.score, self.crawford, tuple(self.actions), winner, points, self.comment)

    def _going_on(self) -> None:
        if self.won is not None or self.table.dropped is not None:
            raise InputError("the game is over, but it goes on here")
