"""One backgammon position as an immutable value, the side on roll first.

Locations are numbered by each side for itself: points 1 to 24 (24 = farthest from home), 25 or "bar" = the
bar, 0 or "off" = borne off. Point p of one side is point 25 - p of the other.

Two text forms are read and written here, always in pairs. The *Position ID* is GNU Backgammon's: 80 bits,
the side not on roll first, for each of its locations 1 to 25 as many ones as checkers and then a zero,
packed into ten bytes (lowest bit first) and written as 14 characters of base64. The *XGID* board is eXtreme
Gammon's: 26 characters from the bottom player's view (the top player's bar, points 1 to 24, the bottom
player's bar), upper case for the bottom player, lower case for the top player.
"""

from __future__ import annotations

import operator
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bglab.errors import InputError

OFF, BAR = 0, 25
"""The numbers of the two locations that are not points."""

Variant = Literal["standard", "nackgammon", "hypergammon"]

STARTS: dict[str, tuple[int, dict[int, int]]] = {
    "standard": (15, {24: 2, 13: 5, 8: 3, 6: 5}),
    "nackgammon": (15, {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
    "hypergammon": (3, {24: 1, 23: 1, 22: 1}),
}
"""Checkers of each side and where they start, for each variant."""

_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """A position; the side on roll is `me`.

    me : 25 counts in the mover's own numbering: me[0] = point 1, ..., me[23] = point 24, me[24] = bar.
    opp : the same for the other side, in *its* own numbering.
    checkers : how many each side started with, 1 to 15; what is missing from it has been borne off.

    A position that cannot exist is refused with `InputError`: too many checkers, both sides on one point, or
    nobody left on the board.
    """

    me: tuple[int, ...]
    opp: tuple[int, ...]
    checkers: int = 15

    def __post_init__(self) -> None:
        me, opp = _counts("me", self.me), _counts("opp", self.opp)
        checkers = _whole("checkers", self.checkers)
        if not 1 <= checkers <= 15:
            raise InputError(
                f"A side starts with 1 to 15 checkers, not {checkers}: give 15, or 3 for hypergammon."
            )
        for side, counts in (("me", me), ("opp", opp)):
            if sum(counts) > checkers:
                raise InputError(
                    f"{side} has {sum(counts)} checkers on the board, but only {checkers} in all."
                )
        if not (any(me) or any(opp)):
            raise InputError("Neither side has a checker left: put at least one on the board.")
        shared = [*map(operator.mul, me, opp[23::-1])]
        if any(shared):
            point = next(point for point, both in enumerate(shared, 1) if both)
            raise InputError(
                f"Both sides stand on my point {point}, the opponent's {25 - point}: give it to one of them."
            )
        object.__setattr__(self, "me", me)
        object.__setattr__(self, "opp", opp)
        object.__setattr__(self, "checkers", checkers)

    @classmethod
    def of(cls, me: Mapping[Any, int], opp: Mapping[Any, int], checkers: int = 15) -> Position:
        """The position with these checkers: location to count, each side in its own numbering.

        Keys are 1 to 24, 25 or "bar", 0 or "off". Unlisted checkers are borne off; an "off" that is given
        must agree with that.
        """
        return cls(_from_mapping("me", me, checkers), _from_mapping("opp", opp, checkers), checkers)

    @classmethod
    def start(cls, variant: Variant = "standard") -> Position:
        """The starting position of a variant: "standard", "nackgammon" or "hypergammon" (three checkers)."""
        if variant not in STARTS:
            raise InputError(f"No variant is called {variant!r}: choose one of {', '.join(STARTS)}.")
        checkers, places = STARTS[variant]
        return cls.of(me=places, opp=places, checkers=checkers)

    @classmethod
    def from_id(cls, text: str, checkers: int = 15) -> Position:
        """The position of a GNU Backgammon Position ID, 14 characters; `InputError` says what is wrong with one."""
        return cls(*_decode_id(text), checkers)

    @property
    def id(self) -> str:
        """The GNU Backgammon Position ID, 14 characters."""
        bits = "".join("1" * count + "0" for count in self.opp + self.me).ljust(80, "0")
        return b64encode(int(bits[::-1], 2).to_bytes(10, "little")).decode().rstrip("=")

    @classmethod
    def from_xgid(cls, text: str, checkers: int = 15) -> Position:
        """The position of an XGID, or of its 26-character board alone (the bottom player is then on roll).

        "XGID=" in front is optional. The fourth field says who is on roll, 1 = bottom and -1 = top; cube,
        dice and score are not read here.
        """
        fields = _text("An XGID", text).strip().removeprefix("XGID=").split(":")
        bottom, top = _decode_xgid_board(fields[0])
        if len(fields) == 1:
            return cls(bottom, top, checkers)
        if len(fields) < 4 or fields[3].strip() not in ("1", "-1"):
            raise InputError(
                f"The XGID {shorten(text)!r} does not say who is on roll: its fourth field must be 1 (bottom) or"
                " -1 (top)."
            )
        return cls(bottom, top, checkers) if fields[3].strip() == "1" else cls(top, bottom, checkers)

    @property
    def xgid(self) -> str:
        """The 26-character board of an XGID, with the side on roll as the bottom player (upper case)."""
        mine, theirs = self.me, (*self.opp[23::-1], self.opp[24])
        points = (
            chr(64 + m) if m else chr(96 + t) if t else "-"
            for m, t in zip((0, *mine), (theirs[24], *theirs[:24], 0), strict=True)
        )
        return "".join(points)

    def flip(self) -> Position:
        """The same position with the other side on roll."""
        flipped = object.__new__(Position)  # no second check of what has been checked
        for name, value in (("me", self.opp), ("opp", self.me), ("checkers", self.checkers)):
            object.__setattr__(flipped, name, value)
        return flipped

    @property
    def off(self) -> tuple[int, int]:
        """Checkers borne off: (mine, the opponent's)."""
        return self.checkers - sum(self.me), self.checkers - sum(self.opp)

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts: (mine, the opponent's); a checker on the bar counts 25."""
        return _pips(self.me), _pips(self.opp)

    @property
    def contact(self) -> bool:
        """Whether the two sides can still hit or block each other."""
        return any(self.me) and any(self.opp) and _rearmost(self.me) + _rearmost(self.opp) > 25

    @property
    def result(self) -> int | None:
        """Points won by `me`, before any cube: None while the game goes on, negative if the opponent has won.

        1; 2 for a gammon, when the loser has borne off none of its checkers; 3 for a backgammon, when it
        moreover has one on the bar or in the winner's home.
        """
        for sign, winner, loser in ((1, self.me, self.opp), (-1, self.opp, self.me)):
            if not any(winner):
                gammon = sum(loser) == self.checkers
                return sign * (1 + gammon + (gammon and any(loser[18:])))
        return None

    def __repr__(self) -> str:
        extra = "" if self.checkers == 15 else f", checkers={self.checkers}"
        return f"Position.from_id({self.id!r}{extra})"

    def __str__(self) -> str:
        from bglab.rules.drawing import text

        return text(self)

    def _repr_svg_(self) -> str:
        from bglab.rules.drawing import svg

        return svg(self)

    def _repr_html_(self) -> str:
        from bglab.rules.drawing import image

        return image(self)


def _pips(counts: tuple[int, ...]) -> int:
    return sum(place * count for place, count in enumerate(counts, 1))


def _rearmost(counts: tuple[int, ...]) -> int:
    return max(place for place, count in enumerate(counts, 1) if count)


def shorten(text: str, most: int = 80) -> str:
    """A text as a message may quote it: what is longer than an identifier ever is ends in dots."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} is text, not {type(value).__name__}: put it in quotation marks.")
    return value


def _whole(what: str, value: object) -> int:
    if type(value) is int:
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{what} must be a whole number, not {value!r}.") from None


def _counts(side: str, values: Iterable[object]) -> tuple[int, ...]:
    if not isinstance(values, Iterable):
        raise InputError(
            f"{side} is 25 counts (points 1 to 24, then the bar), not {values!r}: see Position.of."
        )
    counts: tuple[Any, ...] = tuple(values)
    # One by one only where it matters: the reference generator makes positions by the million.
    if set(map(type, counts)) != {int}:
        counts = tuple(_whole(f"Each count of {side}", count) for count in counts)
    if len(counts) != 25:
        raise InputError(f"{side} has {len(counts)} counts but needs 25: points 1 to 24, then the bar.")
    least = min(counts)
    if least < 0:
        raise InputError(
            f"{side} has {least} checkers at {_name(counts.index(least) + 1)}: a count is 0 or more."
        )
    return counts


def _name(location: int) -> str:
    return {OFF: "off", BAR: "the bar"}.get(location, f"point {location}")


def _from_mapping(side: str, places: Mapping[Any, int], checkers: int) -> tuple[int, ...]:
    if not isinstance(places, Mapping):
        raise InputError(f"{side} maps locations to counts, for example {{6: 5, 'bar': 1}}, not {places!r}.")
    counts: dict[int, int] = {}
    for key, count in places.items():
        location = {"bar": BAR, "off": OFF}.get(key, key)
        if type(location) is not int or not OFF <= location <= BAR:
            raise InputError(f'{side} has no location {key!r}: use 1 to 24, 25 or "bar", 0 or "off".')
        if location in counts:
            raise InputError(f"{side} gives {_name(location)} twice: give it once.")
        counts[location] = _whole(f"The count of {side} at {_name(location)}", count)
    off = counts.pop(OFF, None)
    here = sum(counts.values())
    if off is not None and off + here != checkers:
        raise InputError(f"{side} has {here} checkers on the board and {off} off, but {checkers} in all.")
    return tuple(counts.get(location, 0) for location in range(1, 26))


def _decode_id(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The counts (mover, other side) of a Position ID."""
    text = _text("A Position ID", text).strip()
    if len(text) != 14:
        raise InputError(f"The Position ID {shorten(text)!r} has {len(text)} characters: it must have 14.")
    strange = sorted(set(text) - _BASE64)
    if strange:
        raise InputError(
            f"The Position ID {text!r} contains {strange[0]!r}: only A-Z, a-z, 0-9, + and / may."
        )
    raw = b64decode(text + "==")
    bits = f"{int.from_bytes(raw, 'little'):080b}"[::-1]
    runs = bits.split("0")[:50]
    used = sum(map(len, runs)) + 50
    if len(runs) < 50 or used > 80:
        raise InputError(f"The Position ID {text!r} holds more than 15 checkers a side: copy it again.")
    if "1" in bits[used:] or b64encode(raw).decode().rstrip("=") != text:
        raise InputError(f"The Position ID {text!r} goes on after its 50 locations: copy it again.")
    counts = tuple(map(len, runs))
    return counts[25:], counts[:25]


def _decode_xgid_board(board: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The counts (bottom player, top player), each in its own numbering, of an XGID's board."""
    if len(board) != 26:
        raise InputError(f"The XGID board {shorten(board)!r} has {len(board)} characters: it must have 26.")
    bottom, top = [0] * 26, [0] * 26
    for place, letter in enumerate(board):
        if "A" <= letter <= "O" and place > 0:
            bottom[place] = ord(letter) - 64
        elif "a" <= letter <= "o" and place < 25:
            top[25 - place] = ord(letter) - 96
        elif letter != "-":
            raise InputError(
                f"The XGID board {board!r} has {letter!r} as character {place + 1}: use A-O (bottom player), a-o (top"
                " player) or -, the top player's bar first and the bottom player's bar last."
            )
    return tuple(bottom[1:]), tuple(top[1:])
