"""What the numbers and texts in a record of an .xg file say."""

from __future__ import annotations

from typing import Any

from bglab.errors import InputError
from bglab.records.record import Moves
from bglab.records.table import Table, leg_ways
from bglab.rules.position import OFF, Position


def tags_of(header: Any) -> tuple[tuple[str, str], ...]:
    """What the header says besides, named and written as the program does in its text files."""
    tags = {
        "EventDate": header.date[:10].replace("-", ".") if header.date[:4] > "1899" else "",
        "Event": header.event or header.s_event,
        "Round": header.round or header.s_round,
        "Site": header.location or header.s_location,
        "Player 1 Elo": f"{header.elo1:.2f}/{header.exp1}" if 0 < header.elo1 < 1e5 else "",
        "Player 2 Elo": f"{header.elo2:.2f}/{header.exp2}" if 0 < header.elo2 < 1e5 else "",
    }
    return tuple((key, text) for key, value in tags.items() if (text := one_line(value)))


def one_line(value: str) -> str:
    """UTF-16 units as they stand in the file, on one line."""
    return " ".join(value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").split())


def player_of(active: int) -> int:
    if active not in (1, -1):
        raise InputError(f"there is no player {active}: 1 and -1 are the two")
    return int(active == -1)


def position_of(raw: tuple[int, ...], player: int, checkers: int) -> Position:
    """A board with this player on roll; raw counts the first player's checkers up, the bars at both ends."""
    bars = (raw[0], raw[25])
    first = (*(max(count, 0) for count in raw[1:25]), sum(max(count, 0) for count in bars))
    second = (*(max(-count, 0) for count in raw[24:0:-1]), sum(max(-count, 0) for count in bars))
    return Position(second, first, checkers) if player else Position(first, second, checkers)


def legs_of(codes: tuple[int, ...]) -> Moves:
    """Pairs (from, to) counted from 0 in the mover's numbering, 24 = bar, below 0 = off; -1 as the start ends them."""
    legs = []
    for source, target in zip(codes[::2], codes[1::2], strict=True):
        if source in (-1, target):
            break
        if not 0 <= source <= 24 or target > source:
            raise InputError(f"no checker moves from {source} to {target}")
        legs.append((source + 1, max(target + 1, OFF)))
    return tuple(legs)


def way_of(table: Table, player: int, dice: tuple[int, int], legs: Moves, end: tuple[int, ...]) -> Moves:
    """The hops that lead to the position after the play, where joined steps leave a choice."""
    choices, _ = leg_ways(legs, dice)
    if len(choices) == 1:
        return legs
    for moves in choices:
        trial = Table(table.position(player))
        try:
            trial.play(0, moves)
            # by the format the mover's view; some files are said to hold the first player's
            if trial.position(0) in (position_of(end, side, table.checkers) for side in (0, player)):
                return moves
        except InputError:
            continue
    return legs
