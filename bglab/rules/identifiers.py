"""A situation as the texts that programs exchange: XGID and GNU Backgammon's Position ID with Match ID.

An *XGID* is ten fields with colons between them: the board; the cube as a power of two; its owner (1 bottom player, -1
top player, 0 nobody); the side on roll (1, -1); the dice, "00" before the roll, D, B or R when a double, a beaver or a
raccoon is on offer; the bottom player's and the top player's points; in a match 1 for the Crawford game, in a money
game 1 for Jacoby plus 2 for beavers; the length of the match, 0 for money; the highest cube as a power of two.

A *Match ID* is 72 bits, lowest bit first, as 12 characters of base64 (the GNU Backgammon manual's "A technical
description of the Match ID"; `LAYOUT` below). Its player 0 is an XGID's top player, its player 1 the bottom player.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode

from bglab.errors import InputError
from bglab.rules.position import _BASE64, Position, _text, shorten
from bglab.rules.situation import STATES, Offer, Situation, State

LAYOUT = (
    ("cube", 4),  # its value is 2 to the power of this
    ("owner", 2),  # 0 and 1 the players, 3 nobody
    ("roller", 1),  # the player on roll, or who has rolled
    ("crawford", 1),
    ("state", 3),  # index into STATES
    ("turn", 1),  # the player who has to decide
    ("doubled", 1),
    ("resigned", 2),
    ("die1", 3),
    ("die2", 3),
    ("length", 15),
    ("score0", 15),
    ("score1", 15),
    ("no_jacoby", 1),
    ("unused", 5),
)
"""The fields of a Match ID and how many bits each has, lowest first."""

_OFFERS: dict[str, Offer] = {"D": "double", "B": "beaver", "R": "raccoon"}
_CODES = {offer: code for code, offer in _OFFERS.items()}
_FIELDS = (
    "board",
    "cube",
    "cube owner",
    "side on roll",
    "dice",
    "bottom score",
    "top score",
    "rules",
    "length",
    "max cube",
)
_NUMBER = re.compile(r"-?[0-9]{1,5}")


def parse(text: str, checkers: int = 15) -> Situation:
    """The situation that an identifier describes.

    Read are an XGID ("XGID=" in front or not), a GNU ID ("PosID:MatchID"), what GNU Backgammon prints above a board
    ("Position ID: ... Match ID: ..."), and a Position ID alone, which says nothing of dice, cube and score.
    checkers: how many each side started with, 3 for hypergammon. Anything else is refused with `InputError`, which
    names the fault.
    """
    text = _text("An identifier", text).strip()
    if labelled := re.findall(r"XGID=[ \t]*(\S*)", text, re.IGNORECASE):
        return _from_xgid(_only("XGID", labelled), checkers)
    if labelled := re.findall(r"Position ID\s*:\s*(?:Match ID\b|(\S*))", text):
        match_ids = re.findall(r"Match ID\s*:\s*(\S*)", text)
        position_id = _only("Position ID", labelled)
        return _from_gnu(position_id, _only("Match ID", match_ids) if match_ids else None, checkers)
    text = re.sub(r"^GNU(?:bg)?\s?ID\s*[=:]?\s*", "", text, flags=re.IGNORECASE)
    if text.count(":") > 1 or len(text.split(":")[0]) == 26:
        return _from_xgid(text, checkers)
    position_id, colon, match_id = text.partition(":")
    if not colon and len(text) == 12 and set(text) <= _BASE64:
        raise InputError(
            f"{text!r} looks like a Match ID, which says nothing of the board: write PosID:MatchID."
        )
    return _from_gnu(position_id, match_id if colon else None, checkers)


def to_xgid(situation: Situation) -> str:
    """The XGID of a situation; `Situation.xgid` says when there is none."""
    if situation.resigned or situation.state != "playing":
        raise InputError("An XGID cannot say that somebody resigns or that no game is under way: use gnu_id.")
    bottom = situation.bottom
    board = situation.position.xgid
    if not bottom:  # the same picture from the other side of the table
        board = board[::-1].swapcase()
    side = 1 if bottom else -1
    mine, theirs = situation.score
    rules = int(situation.crawford) if situation.length else situation.jacoby + 2 * situation.beavers
    dice = "".join(map(str, situation.dice)) if situation.dice else _CODES.get(situation.offer, "00")
    fields = (
        board,
        _exponent(situation.cube_value),
        situation.cube_owner * side,
        side,
        dice,
        *((mine, theirs) if bottom else (theirs, mine)),
        rules,
        situation.length,
        _exponent(situation.max_cube),
    )
    return "XGID=" + ":".join(map(str, fields))


def to_match_id(situation: Situation) -> str:
    """The Match ID of a situation, 12 characters; a raccoon is refused, since it has none."""
    if situation.offer == "raccoon":
        raise InputError("A Match ID cannot say that a raccoon is on offer: use xgid.")
    roller = int(situation.bottom)
    mine, theirs = situation.score
    first, second = situation.dice or (0, 0)
    values = {
        "cube": _exponent(situation.cube_value),
        "owner": {0: 3, 1: roller, -1: 1 - roller}[situation.cube_owner],
        "roller": roller,
        "crawford": int(situation.crawford),
        "state": STATES.index(situation.state),
        "turn": roller if situation.decides == 1 else 1 - roller,
        "doubled": int(bool(situation.offer)),
        "resigned": abs(situation.resigned),
        "die1": first,
        "die2": second,
        "length": situation.length,
        "score0": theirs if roller else mine,
        "score1": mine if roller else theirs,
        "no_jacoby": int(not situation.jacoby),
        "unused": 0,
    }
    bits = shift = 0
    for name, width in LAYOUT:
        bits |= values[name] << shift
        shift += width
    return b64encode(bits.to_bytes(9, "little")).decode()


def _only(what: str, found: list[str]) -> str:
    if len(set(found)) > 1:
        raise InputError(f"The text holds {len(set(found))} different {what}s: give one.")
    if not found[0]:
        parts = "fields" if what == "XGID" else "characters"
        raise InputError(f"The {what} has no {parts} after its name: copy the whole of it.")
    return found[0]


def _exponent(value: int) -> int:
    return value.bit_length() - 1


def _from_xgid(text: str, checkers: int) -> Situation:
    fields = [field.strip() for field in text.split(":")]
    if len(fields) != len(_FIELDS):
        raise InputError(
            f"The XGID {shorten(text)!r} has {len(fields)} fields: it must have 10, the board and nine more with colons"
            " between."
        )
    position = Position.from_xgid(text, checkers)  # refuses a side on roll other than 1 and -1
    numbers = {
        name: _number(text, name, field)
        for name, field in zip(_FIELDS, fields, strict=True)
        if name not in ("board", "dice")
    }
    side, length, rules = numbers["side on roll"], numbers["length"], numbers["rules"]
    for name in ("cube", "max cube"):
        _within(text, name, numbers[name], 0, 15)
    _within(text, "cube owner", numbers["cube owner"], -1, 1)
    _within(text, "rules", rules, 0, 1 if length else 3)
    bottom, top = numbers["bottom score"], numbers["top score"]
    situation = Situation(
        position,
        dice=_xgid_dice(text, fields[4]),
        cube_value=2 ** numbers["cube"],
        cube_owner=numbers["cube owner"] * side,
        score=(bottom, top) if side == 1 else (top, bottom),
        length=length,
        crawford=bool(length and rules),
        jacoby=not length and bool(rules & 1),
        beavers=not length and bool(rules & 2),
        offer=_OFFERS.get(fields[4], ""),
        bottom=side == 1,
        max_cube=2 ** numbers["max cube"],
    )
    if situation.cube_owner and situation.cube_value == 1:
        raise InputError(
            f"The XGID {shorten(text)!r} has a cube of 1 that belongs to a side: write 0 as its owner, or its value."
        )
    return _consistent("XGID", text, situation)


def _consistent(what: str, text: str, situation: Situation) -> Situation:
    """The situation, unless its cube contradicts the rest.

    Left alone are a turned cube in the middle of a money game, where there are automatic doubles, and a beaver there
    whatever the rules say.
    """
    owner, value, offer = situation.cube_owner, situation.cube_value, situation.offer
    faults = {
        f"a cube of {value} in the middle of a match: name its owner": situation.length
        and value > 1
        and not owner,
        f"a {offer} on offer in a match, which has none: give the length 0": situation.length
        and offer in ("beaver", "raccoon"),
        "a double by the side that does not own the cube: correct the owner": offer == "double"
        and owner == -1,
        "a cube in use in the Crawford game, which is played without: drop the flag": situation.crawford
        and (value > 1 or offer),
    }
    for fault, found in faults.items():
        if found:
            raise InputError(f"The {what} {shorten(text)!r} has {fault}.")
    return situation


def _number(text: str, name: str, field: str) -> int:
    if not _NUMBER.fullmatch(field):
        raise InputError(
            f"The XGID {shorten(text)!r} has {shorten(field)!r} as {name}: it must be a whole number of at most 5"
            " digits."
        )
    return int(field)


def _within(text: str, name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InputError(
            f"The XGID {shorten(text)!r} has {value} as {name}: it must be from {least} to {most}."
        )


def _xgid_dice(text: str, field: str) -> tuple[int, int] | None:
    if field == "00" or field in _OFFERS:
        return None
    if not re.fullmatch("[1-6][1-6]", field):
        raise InputError(
            f"The XGID {shorten(text)!r} has {shorten(field)!r} as dice: write two digits from 1 to 6, 00 before the"
            " roll, or D, B or R."
        )
    return int(field[0]), int(field[1])


def _from_gnu(position_id: str, match_id: str | None, checkers: int) -> Situation:
    position = Position.from_id(position_id, checkers)
    if match_id is None:
        return Situation(position)
    bits = _match_fields(match_id.strip())
    roller, length, resigned = bits["roller"], bits["length"], bits["resigned"]
    waiting = bits["turn"] != roller  # the side not on roll has something to answer
    scores = bits["score0"], bits["score1"]
    situation = Situation(
        position,
        dice=(bits["die1"], bits["die2"]) if bits["die1"] else None,
        cube_value=2 ** bits["cube"],
        cube_owner=0 if bits["owner"] == 3 else 1 if bits["owner"] == roller else -1,
        score=scores[::-1] if roller else scores,
        length=length,
        crawford=bool(bits["crawford"]),
        jacoby=not length and not bits["no_jacoby"],
        offer="" if not bits["doubled"] else "double" if waiting or resigned else "beaver",
        resigned=resigned if waiting else -resigned,
        state=_state(bits["state"]),
        bottom=bool(roller),
    )
    return _consistent("Match ID", match_id.strip(), situation)


def _state(index: int) -> State:
    return STATES[index]  # type: ignore[return-value]


def _match_fields(text: str) -> dict[str, int]:
    """The fields of `LAYOUT` in a Match ID, once they are known to make sense."""
    if len(text) != 12:
        raise InputError(f"The Match ID {shorten(text)!r} has {len(text)} characters: it must have 12.")
    strange = sorted(set(text) - _BASE64)
    if strange:
        raise InputError(f"The Match ID {text!r} contains {strange[0]!r}: only A-Z, a-z, 0-9, + and / may.")
    rest = int.from_bytes(b64decode(text), "little")
    fields = {}
    for name, width in LAYOUT:
        fields[name], rest = rest & ((1 << width) - 1), rest >> width
    dice = fields["die1"], fields["die2"]
    answering = fields["doubled"] or fields["resigned"]
    faults = {
        "a cube owner that does not exist": fields["owner"] == 2,
        "a state of the game that does not exist": fields["state"] >= len(STATES),
        f"the dice {dice[0]} and {dice[1]}": max(dice) > 6 or bool(dice[0]) != bool(dice[1]),
        "a player to decide who has nothing to answer": fields["state"] == 1
        and fields["turn"] != fields["roller"]
        and not answering,
        "bits after its last field": fields["unused"] != 0,
    }
    for fault, found in faults.items():
        if found:
            raise InputError(f"The Match ID {text!r} has {fault}: copy it again.")
    return fields
