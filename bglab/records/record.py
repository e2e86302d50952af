"""A match as it was played: players, games and every action in them, free of any file format.

Player 0 is the one named first (the left column of a .mat file, White of an SGF file), player 1 the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from bglab.errors import InputError
from bglab.rules.position import Position, Variant

if TYPE_CHECKING:
    from bglab.records.replay import Moment

Kind = Literal["double", "take", "drop", "beaver", "raccoon"]
Moves: TypeAlias = tuple[tuple[int, int], ...]
"""Checker moves (from, to) in the mover's numbering, highest point first; 25 = bar, 0 = off."""


@dataclass(frozen=True, slots=True)
class Play:
    """A roll and what was played: () where nothing could be or was, None where the file does not know ("????")."""

    player: int
    dice: tuple[int, int]
    moves: Moves | None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class CubeAction:
    """A word about the cube. A beaver answers a double, a raccoon answers a beaver."""

    player: int
    kind: Kind
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Resignation:
    """A player gives up: points 1 = a single game, 2 = a gammon, 3 = a backgammon, each times the cube."""

    player: int
    points: int = 1
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Setup:
    """A position put up by hand, this player on roll and first in it; cube_owner None = the middle."""

    player: int
    position: Position
    cube_value: int = 1
    cube_owner: int | None = None
    comment: str = ""


Action: TypeAlias = Play | CubeAction | Resignation | Setup


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a match.

    score : points of both players before it.
    winner, points : who won how many points, the cube included; (None, 0) for a game that was not finished.
    """

    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    actions: tuple[Action, ...] = field(default=(), repr=False)
    winner: int | None = None
    points: int = 0
    comment: str = ""


@dataclass(frozen=True)
class Match:
    """A match or money session.

    players : their names; runs of blanks in them become one blank, no name becomes "Player 1" or "Player 2".
    length : points to be won, 0 = money.
    variant : where the checkers start.
    crawford : the Crawford rule is in force. jacoby, beavers : rules of a money session, as far as the file tells.
    tags : what else the file says about the match, as (key, value), such as ("EventDate", "2026.01.31").
    comment : remarks about the whole match.
    """

    players: tuple[str, str] = ("", "")
    length: int = 0
    games: tuple[Game, ...] = field(default=(), repr=False)
    variant: Variant = "standard"
    crawford: bool = True
    jacoby: bool = False
    beavers: bool = False
    tags: tuple[tuple[str, str], ...] = ()
    comment: str = ""

    def __post_init__(self) -> None:
        names = tuple(" ".join(name.split()) or f"Player {seat}" for seat, name in enumerate(self.players, 1))
        object.__setattr__(self, "players", names)
        if self.length < 0:
            raise InputError(f"A match has 1 point or more, 0 for money, not {self.length}.")

    @property
    def score(self) -> tuple[int, int]:
        """Points of both players after the last game."""
        if not self.games:
            return 0, 0
        last = self.games[-1]
        first, second = last.score
        return first + last.points * (last.winner == 0), second + last.points * (last.winner == 1)

    @property
    def start(self) -> Position:
        """The position in which every game starts."""
        return Position.start(self.variant)

    def replay(self) -> Iterator[Moment]:
        """Every action of every game with the `Situation` before it; see `bglab.records.replay`."""
        from bglab.records.replay import replay

        return replay(self)

    def check(self) -> None:
        """Make sure that every play is a legal turn; the first that is not raises `InputError` with its place."""
        from bglab.records.replay import check

        check(self)


def is_crawford(length: int, score: tuple[int, int], earlier: list[Game]) -> bool:
    """Whether a game with this score is the Crawford game: the first in which a player needs one point."""
    near = length - 1
    return length > 1 and score.count(near) == 1 and not any(max(game.score) >= near for game in earlier)


def require_games(match: Match) -> None:
    """Refuse to write a match without games, as the players' names stand with the games."""
    if not match.games:
        raise InputError("The match has no game, so there is nothing to write: add one.")
