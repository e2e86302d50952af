"""A position with everything around it that a decision can depend on: dice, cube, score and rules.

`bglab.rules.identifiers` reads a `Situation` from the texts that programs exchange and writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bglab.errors import InputError
from bglab.rules.position import Position, _whole
from bglab.rules.reference import check_dice

Offer = Literal["", "double", "beaver", "raccoon"]
State = Literal["playing", "none", "over", "resigned", "dropped"]

OFFERS = ("", "double", "beaver", "raccoon")
STATES = ("none", "playing", "over", "resigned", "dropped")
"""In the order in which a Match ID numbers them."""

MOST = 2**15 - 1
"""The longest match and the highest score, as a Match ID has 15 bits for each."""


def may_be_crawford(score: Sequence[int], length: int) -> bool:
    """Whether one side alone needs one point, or both in a match to 1, where the flag changes nothing."""
    return bool(length) and list(score).count(length - 1) == (1 if length > 1 else 2)


@dataclass(frozen=True, slots=True)
class Situation:
    """A position and all that is known around it, from the side on roll.

    position : the side on roll first, also while the other side decides on its double.
    dice : the roll that is to be played, None before the roll.
    cube_value : a power of two from 1 to 32768; while a double is on offer, the value before it.
    cube_owner : 1 = the side on roll, 0 = nobody, -1 = the other side.
    score : points won so far (by the side on roll, by the other side).
    length : points to be won in the match, 0 = money game.
    crawford : this is the Crawford game.
    jacoby, beavers : rules of a money game; False in a match.
    offer : "double" the side on roll has doubled and the other decides; "beaver" the other has answered with a beaver;
        "raccoon" the side on roll has doubled that once more; "" otherwise.
    resigned : points in units of the cube (1 to 3) offered as a resignation, positive by the side on roll, negative by
        the other; 0 otherwise.
    state : "playing"; a Match ID also has "none" (no game yet), "over", "resigned" and "dropped".
    bottom : the side on roll is the bottom player of an XGID, which is player 1 of GNU Backgammon; False = the top
        player, player 0. It matters for the identifiers alone.
    max_cube : the highest value of the cube, as an XGID says.

    What contradicts itself is refused with `InputError`.
    """

    position: Position
    dice: tuple[int, int] | None = None
    cube_value: int = 1
    cube_owner: int = 0
    score: tuple[int, int] = (0, 0)
    length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    offer: Offer = ""
    resigned: int = 0
    state: State = "playing"
    bottom: bool = True
    max_cube: int = 1024

    def __post_init__(self) -> None:
        if not isinstance(self.position, Position):
            raise InputError(
                f"A situation needs a Position, not {self.position!r}: make one with Position.of."
            )
        if self.dice is not None:
            object.__setattr__(self, "dice", check_dice(self.dice))
        self._check_cube()
        self._check_score()
        if type(self.resigned) is not int or not -3 <= self.resigned <= 3:
            raise InputError(f"resigned is -3 to 3 (0 = no resignation), not {self.resigned!r}.")
        if self.resigned and self.offer in ("beaver", "raccoon"):
            raise InputError(f"A resignation and a {self.offer} are not on offer together: give one of them.")
        if self.state not in STATES:
            raise InputError(f"No state is called {self.state!r}: choose one of {', '.join(STATES)}.")

    def _check_cube(self) -> None:
        for name in ("cube_value", "max_cube"):
            value = _whole(name, getattr(self, name))
            if not 1 <= value <= 2**15 or value & (value - 1):
                raise InputError(f"{name} is a power of two from 1 to 32768, not {value}.")
        if self.cube_owner not in (-1, 0, 1):
            raise InputError(
                f"cube_owner is 1 (the side on roll), 0 (nobody) or -1 (the other side), not {self.cube_owner!r}."
            )
        if self.offer not in OFFERS:
            raise InputError(f"No offer is called {self.offer!r}: choose double, beaver, raccoon or nothing.")
        if self.offer and self.dice:
            raise InputError(f"A {self.offer} comes before the roll: give the dice or the offer, not both.")

    def _check_score(self) -> None:
        length = _whole("length", self.length)
        if not 0 <= length <= MOST:
            raise InputError(f"A match has 1 to {MOST} points, 0 for money, not {length}.")
        try:
            mine, theirs = (_whole("A score", points) for points in self.score)
        except (TypeError, ValueError):
            raise InputError(
                f"A score is two numbers of points, such as (3, 1), not {self.score!r}."
            ) from None
        object.__setattr__(self, "score", (mine, theirs))
        if not (0 <= mine <= MOST and 0 <= theirs <= MOST):
            raise InputError(f"A score is 0 to {MOST} points, not {mine}-{theirs}.")
        if length and max(mine, theirs) >= length and self.state in ("none", "playing"):
            raise InputError(f"At {mine}-{theirs} a match to {length} is over: check score and length.")
        if length and (self.jacoby or self.beavers):
            raise InputError("Jacoby and beavers are rules of money games: leave them out of a match.")
        if self.crawford and not may_be_crawford((mine, theirs), length):
            match = f"{mine}-{theirs} to {length}" if length else "a money game"
            raise InputError(
                f"The Crawford game is played when one side alone needs one point, not at {match}: drop the flag."
            )

    @property
    def away(self) -> tuple[int, int]:
        """Points still needed: (by the side on roll, by the other side); (0, 0) in a money game."""
        return (self.length - self.score[0], self.length - self.score[1]) if self.length else (0, 0)

    @property
    def decides(self) -> int:
        """Who is to decide now: 1 = the side on roll, -1 = the other side, which has an offer to answer."""
        if self.resigned:
            return -1 if self.resigned > 0 else 1
        return -1 if self.offer in ("double", "raccoon") else 1

    @property
    def xgid(self) -> str:
        """The XGID, "XGID=" in front; `InputError` for a resignation or a game that is over, which it cannot say."""
        from bglab.rules.identifiers import to_xgid

        return to_xgid(self)

    @property
    def match_id(self) -> str:
        """The GNU Backgammon Match ID, 12 characters. It has no place for beavers, the highest cube and raccoons."""
        from bglab.rules.identifiers import to_match_id

        return to_match_id(self)

    @property
    def gnu_id(self) -> str:
        """The Position ID and the Match ID with a colon between them."""
        return f"{self.position.id}:{self.match_id}"
