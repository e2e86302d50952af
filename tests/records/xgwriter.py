"""A writer of .xg files for tests: a record laid out as the format was published, field by field.

It knows nothing of the package that reads them: every offset is that of XG_format.pas, every number in the archive that
of ZLibArchive.pas. A field that no test needs stays 0, or has the value that stands for "not analysed".
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from datetime import date
from typing import Any

from bglab.records import CubeAction, Game, Match, Play, Resignation
from bglab.records.table import Table
from bglab.rules import Position

HEADER_MATCH, HEADER_GAME, CUBE, MOVE, FOOTER_GAME, FOOTER_MATCH = range(6)
VARIATIONS = {"standard": 0, "nackgammon": 1, "hypergammon": 2}
SIZE = 2560


def to_xg(match: Match, joined: bool = False) -> bytes:
    """The match as an .xg file; joined writes "24/18" for "24/23 23/18"."""
    return archive(b"".join(to_records(match, joined)))


def archive(records: bytes) -> bytes:
    """temp.xg and temp.xgi, its first and last record, in the container: header, picture, files, registry, end."""
    picture = b"\xff\xd8 a picture \xff\xd9"
    header = struct.pack("<4sIIqI", b"RGMH", 1, 8232, 0, len(picture)).ljust(8232, b"\0")
    files, registry = b"", b""
    for name, data in ((b"temp.xg", records), (b"temp.xgi", records[:SIZE] + records[-SIZE:])):
        packed = zlib.compress(data)
        registry += bytes([len(name)]) + name.ljust(255, b"\0") + bytes(256)
        registry += struct.pack("<iiiIBBxx", len(data), len(packed), len(files), zlib.crc32(data), 0, 2)
        files += packed
    packed = zlib.compress(registry)
    end = struct.pack("<IiiiiB15x", zlib.crc32(files + packed), 2, 1, len(packed), len(files), 1)
    return header + picture + files + packed + end


def to_records(match: Match, joined: bool = False) -> list[bytes]:
    """The records of temp.xg."""
    records = [header_match(match)]
    for number, game in enumerate(match.games, 1):
        records += _game(match, game, number, joined)
    first, second = match.score
    records.append(record(FOOTER_MATCH, (12, "<iii", first, second, (first > second) - (first < second))))
    return records


def record(kind: int, *fields: Any) -> bytes:
    """A record with fields (offset, format, values)."""
    data = bytearray(SIZE)
    data[8] = kind
    for offset, layout, *values in fields:
        struct.pack_into(layout, data, offset, *values)
    return bytes(data)


def header_match(match: Match, *more: Any) -> bytes:
    tags = dict(match.tags)
    day = tags.get("EventDate")
    days = (date(*map(int, day.split("."))) - date(1899, 12, 30)).days + 0.75 if day else 0.0
    return record(
        HEADER_MATCH,
        (9, "41s", _short(match.players[0], 40)),
        (50, "41s", _short(match.players[1], 40)),
        (92, "<ii", match.length or 99999, VARIATIONS[match.variant]),
        (100, "???", match.crawford, match.jacoby, match.beavers),
        (128, "<d", days),
        (136, "129s", _short(tags.get("Event", ""), 128)),
        (552, "<iI", 30, 0x494C4D44),
        (612, "<i", 10),
        *(
            (offset, "258s", text.encode("utf-16-le"))
            for offset, text in (
                (622, tags.get("Event", "")),
                (880, match.players[0]),
                (1138, match.players[1]),
                (1396, tags.get("Site", "")),
                (1654, tags.get("Round", "")),
            )
        ),
        *more,
    )


def header_game(match: Match, game: Game, number: int, *more: Any) -> bytes:
    return record(
        HEADER_GAME,
        (12, "<ii?", *game.score, game.crawford),
        (21, "26b", *board(match.start, 0)),
        (48, "<i", number),
        *more,
    )


def cube(table: Table, player: int, dice: str, words: Sequence[int] = (-2, -1, -1, -1), *more: Any) -> bytes:
    """A cube record; words are what doubler, taker, doubler and taker said: 0 no, 1 yes, 2 turns it once more."""
    return record(
        CUBE,
        (12, "<iiiiii", _active(player), *words, _cube(table, player)),
        (36, "26b", *board(table.position(player), player)),
        (200, "<d", -1000.0),
        (208, "3s", _short(dice, 2)),
        (216, "<d", -1000.0),
        *more,
    )


def move(table: Table, play: Play, joined: bool, *more: Any) -> bytes:
    """A move record; the table is moved on."""
    before = table.position(play.player)
    table.play(play.player, play.moves)
    # after a player's last checker no `Position` can be made
    mine, theirs = table.sides[play.player], table.sides[1 - play.player]
    after = [own - other for own, other in zip(mine[1:25], theirs[24:0:-1], strict=True)]
    codes: list[int] = []
    for source, target in _join(play.moves) if joined else play.moves:
        codes += [source - 1, target - 1]
    codes += [-1] * (8 - len(codes))
    return record(
        MOVE,
        (9, "26b", *board(before, play.player)),
        (35, "26b", -theirs[25], *after, mine[25]),
        (64, "<i", _active(play.player)),
        (68, "<8i", *codes),
        (100, "<iii", *play.dice, _cube(table, play.player)),
        (2308, "?", True),
        (2312, "<dd", -1000.0, -1000.0),
        (2472, "<ii", -1, -1),
        *more,
    )


def _game(match: Match, game: Game, number: int, joined: bool) -> list[bytes]:
    records = [header_game(match, game, number)]
    table = Table(match.start)
    doubled = 0  # a cube record holds a double and all answers to it
    actions = list(game.actions)
    while actions:
        action = actions.pop(0)
        if isinstance(action, CubeAction):
            words, before, player = [1, -1, -1, -1], Table(match.start), action.player
            before.sides, before.cube, before.owner = table.sides, table.cube, table.owner
            table.act(action)
            for place in (1, 2, 3):
                if table.offer and actions:
                    answer = actions.pop(0)
                    table.act(answer)
                    words[place] = {"drop": 0, "take": 1, "beaver": 2, "raccoon": 2}[answer.kind]
            records.append(cube(before, player, "", words))
            doubled += 1
        elif isinstance(action, Play):
            if not doubled:
                records.append(cube(table, action.player, "".join(map(str, action.dice))))
            records.append(move(table, action, joined))
            doubled = 0
        else:
            assert isinstance(action, Resignation)
    if game.winner is not None:
        end = game.actions[-1]
        resigned = isinstance(end, Resignation)
        ending = (
            100 + end.points
            if resigned
            else 0
            if table.dropped is not None
            else round(game.points / table.cube)
        )
        first, second = Match(games=(game,)).score
        winner = _active(game.winner)
        records.append(
            record(
                FOOTER_GAME,
                (12, "<ii", first, second),
                (24, "<iii", winner, game.points, ending),
                (40, "<dd", -1000.0, -1000.0),
            )
        )
    return records


def board(position: Position, player: int) -> list[int]:
    """A position in which this player is on roll as the first player sees it: 26 counts, the other's below 0."""
    me, opp = (position.opp, position.me) if player else (position.me, position.opp)
    return [-opp[24], *(me[point] - opp[23 - point] for point in range(24)), me[24]]


def _join(moves: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    legs: list[tuple[int, int]] = []
    for source, target in moves:
        last = next((place for place, leg in enumerate(legs) if leg[1] == source and source), None)
        if last is None:
            legs.append((source, target))
        else:
            legs[last] = legs[last][0], target
    return legs


def _active(player: int) -> int:
    return -1 if player else 1


def _cube(table: Table, player: int) -> int:
    exponent = table.cube.bit_length() - 1
    return exponent if table.owner == player else -exponent


def _short(text: str, size: int) -> bytes:
    data = text.encode("cp1252", "replace")[:size]
    return bytes([len(data)]) + data
