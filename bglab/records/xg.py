"""eXtreme Gammon's .xg, read: one record after another becomes an action of a game.

The package xgparse names the fields of a record, as their layout was published at extremegammon.com/xgformat.aspx.
Player 0 is the program's player 1. Analyses, comments and clocks are passed over.
"""

from __future__ import annotations

import io
import struct
from typing import Any

from bglab.errors import InputError
from bglab.records.fault import printable
from bglab.records.record import Game, Kind, Match, Setup
from bglab.records.recorder import Recorder
from bglab.records.succession import check_open, check_score
from bglab.records.xgarchive import unpack
from bglab.records.xgfields import legs_of, one_line, player_of, position_of, tags_of, way_of
from bglab.rules.position import Position, Variant

MONEY = 99999
"""The length that a money session has."""

LONGEST = 32767
HIGHEST = 999999  # points, as in the other formats
VARIATIONS: dict[int, Variant] = {0: "standard", 1: "nackgammon", 2: "hypergammon"}
_MAGIC = 0x494C4D44
_MOST_AUTO_DOUBLES = 10
_DAMAGE = (EOFError, OverflowError, ValueError, struct.error)  # of xgparse, where bytes mean nothing


def read_xg(content: bytes, name: str = "the file") -> Match:
    """The match in the bytes of an .xg file; name stands for the file in messages.

    `InputError` names the record, counted from 1, or says that the package xgparse is missing.
    """
    try:
        from xgparse import xgstruct
    except ImportError:
        raise InputError(
            f"{name} is a binary file of eXtreme Gammon, for which bglab needs the package xgparse: "
            "pip install 'bglab[xg]', or export the match from there as .mat or .txt."
        ) from None
    reader = _Reader()
    number = 0
    try:
        stream = io.BytesIO(unpack(content))
        while (record := xgstruct.read_game_record(stream, reader.version)) is not None:
            number += 1
            reader.read(record)
        return reader.finish()
    except InputError as error:
        fault = " ".join(str(error).split()).rstrip(".")
    except _DAMAGE:
        number += 1
        fault = "it is damaged"
    if number:
        place = f", record {number}"
    else:
        place, fault = "", f"by its first bytes this is a binary .xg file of eXtreme Gammon, but {fault}"
    remedy = "" if ": " in fault else ": give another copy, or the match exported from there as .mat or .txt"
    raise InputError(f"{printable(name)}{place}: {fault}{remedy}.")


class _Reader:
    """What has been read so far."""

    def __init__(self) -> None:
        self.header: Any = None
        self.version = -1
        self.variant: Variant = "standard"
        self.games: list[Game] = []
        self.recorder: Recorder | None = None
        self.start: tuple[
            int, ...
        ] = ()  # of a game of which no action has been read, and its automatic doubles
        self.auto_doubles = 0

    def read(self, record: Any) -> None:
        kind = record.entry_type.name
        if self.header is None and kind != "HEADER_MATCH":
            raise InputError("the match's header should come first")
        match kind:
            case "HEADER_MATCH":
                self.open_match(record)
            case "HEADER_GAME":
                self.open_game(record)
            case "CUBE":
                self.cube(record)
            case "MOVE":
                self.move(record)
            case "FOOTER_GAME":
                self.close(record)

    def open_match(self, record: Any) -> None:
        if self.header is not None:
            raise InputError("a second match begins")
        if record.magic != _MAGIC:
            raise InputError("the match's header is damaged")
        if record.match_length != MONEY and not 0 <= record.match_length <= LONGEST:
            raise InputError(f"a match has at most {LONGEST} points, not {record.match_length}")
        if record.variation not in VARIATIONS:
            raise InputError(f"the variation {record.variation} of eXtreme Gammon is not read here")
        self.header, self.version = record, record.version
        self.variant = VARIATIONS[record.variation]

    @property
    def length(self) -> int:
        return 0 if self.header.match_length == MONEY else self.header.match_length

    def open_game(self, record: Any) -> None:
        self.close()
        score = (record.score1, record.score2)
        doubles = record.number_of_auto_doubles
        if not 0 <= min(score) <= max(score) <= HIGHEST or not 0 <= doubles <= _MOST_AUTO_DOUBLES:
            raise InputError("the game's header is damaged")
        if self.length:
            check_score(self.length, self.games, score)
        start = Position.start(self.variant)
        self.recorder = Recorder(start, score, record.crawford_apply, length=self.length)
        self.start = record.pos_init
        self.auto_doubles = doubles

    def acting(self, active: int, board: tuple[int, ...], edited: bool) -> tuple[Recorder, int]:
        """The game and the player on roll, after a position that was put up by hand."""
        if self.recorder is None:
            raise InputError("it belongs to no game")
        player = player_of(active)
        table = self.recorder.table
        boards = [raw for raw in (self.start, board if edited else ()) if any(raw)]
        if boards or self.auto_doubles:
            before = table.position(player)
            position = position_of(boards[-1], player, table.checkers) if boards else before
            if position != before or self.auto_doubles:  # the records go on counting the cube from 1
                self.recorder.setup(Setup(player, position, table.cube << self.auto_doubles, table.owner))
        self.start, self.auto_doubles = (), 0
        return self.recorder, player

    def cube(self, record: Any) -> None:
        recorder, player = self.acting(record.active_p, record.position, record.edited_cube)
        if record.double != 1:  # one stands before every roll, turned or not
            return
        recorder.cube(player, "double")
        answers: tuple[tuple[int, int, Kind], ...] = (
            (1 - player, record.take, "beaver"),
            (player, record.beaver_r, "raccoon"),
            (1 - player, record.raccoon_r, "take"),
        )
        for who, answer, more in answers:
            if answer not in (0, 1, 2):  # the game was broken off
                return
            recorder.cube(who, ("drop", "take", more)[answer])
            if answer != 2:
                return

    def move(self, record: Any) -> None:
        recorder, player = self.acting(record.active_p, record.position_i, record.edited_move)
        legs = legs_of(record.moves)
        if recorder.table.dropped is not None or (record.dice == (0, 0) and not legs):
            return  # nothing was rolled
        if not all(1 <= die <= 6 for die in record.dice):
            raise InputError(f"{record.dice[0]}-{record.dice[1]} is no roll")
        if legs:
            legs = way_of(recorder.table, player, record.dice, legs, record.position_end)
        recorder.legs(player, record.dice, legs)

    def close(self, footer: Any = None) -> None:
        if self.recorder is None:
            if footer is not None:
                raise InputError("it belongs to no game")
            return
        if footer is not None and footer.winner:
            if not 0 <= footer.points_won <= HIGHEST:
                raise InputError("the game's result is damaged")
            # after a position put up by hand the cube is not certain
            sure = not any(isinstance(action, Setup) for action in self.recorder.actions)
            self.recorder.wins(player_of(footer.winner), footer.points_won, checked=sure)
        self.games.append(self.recorder.close(self.header.jacoby and not self.length))
        self.recorder = None
        check_open(self.length, self.games[-1])

    def finish(self) -> Match:
        self.close()
        header = self.header
        if header is None:
            raise InputError("there is no match in it")
        money = not self.length
        return Match(
            (one_line(header.player1 or header.s_player1), one_line(header.player2 or header.s_player2)),
            self.length,
            tuple(self.games),
            self.variant,
            crawford=header.crawford or money,
            jacoby=header.jacoby and money,
            beavers=header.beaver and money,
            tags=tags_of(header),
        )
