"""The .mat format of Jellyfish and GNU Backgammon, read: two columns of plays under a heading for each game.

Many programs write it, each in its own way, so the reader takes what it can understand: any spacing, steps joined or
not, hit marks or none, dances left blank or called by name, "????" for plays that nobody remembers, headers in
"; [Key "Value"]" lines. What it cannot understand is an `InputError` that names the line and the column.
"""

from __future__ import annotations

import re

from bglab.errors import InputError
from bglab.records.fault import READ, fault, quoted
from bglab.records.record import Game, Kind, Match, is_crawford
from bglab.records.recorder import Recorder
from bglab.records.succession import check_open, check_score, same_players, winner_by_score
from bglab.rules.position import Position, Variant

VARIATIONS: dict[str, Variant] = {
    "backgammon": "standard",
    "standard": "standard",
    "nackgammon": "nackgammon",
    "hypergammon": "hypergammon",
    "hypergammon (3)": "hypergammon",
}
LONGEST = 32767
LONGEST_LINE = 2000  # characters; more than any program writes, few enough for the patterns to take no time

_TAG = re.compile(r'\[\s*(.+?)\s+"(.*)"\s*\]\s*')
_LENGTH = re.compile(r"\s*(\d+)[ -]+points?[ -]+match\b.*", re.IGNORECASE)
_MONEY = re.compile(r"\s*(?:money|unlimited)\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*game\s+(\d+)\s*[:.]?\s*", re.IGNORECASE)
_SCORES = re.compile(r"\s*(.*?)\s*:\s*(\d+)(?:\s{2,}|\t\s*)(.*?)\s*:\s*(\d+)\s*")
_CLOSE_SCORES = re.compile(r"\s*(.*?)\s*:\s*(\d+)\s+(.*?)\s*:\s*(\d+)\s*")
_NUMBER = re.compile(r"\s*\d+\s*\)")
_CELL = re.compile(
    r"(?P<dice>[1-6][1-6])\s*:|(?<![\w/])(?:(?P<wins>wins?|loss(?:es)?|loses)\s+(?P<points>\d+)\s+points?\b(?:\s*,?\s*and\s+the\s+match)?"
    r"|(?P<word>doubles?|redoubles?|takes?|accepts?|drops?|rejects?|refuses?|beavers?|raccoons?|resigns?)"
    r"\b(?:\s*=>\s*(?P<value>\d+))?(?:\s+to\s+(?P<to>\d+))?)",
    re.IGNORECASE,
)
# Nine lines of ten: two plays, nothing else. Other letters than those of bar and off are left to the slow way.
_PLAYS = re.compile(r"\s*\d+\)\s*([1-6][1-6]):([\d/* ()barofBO]*?)\s+([1-6][1-6]):([\d/* ()barofBO]*)")
_KINDS: dict[str, Kind] = {
    "double": "double",
    "redouble": "double",
    "take": "take",
    "accept": "take",
    "drop": "drop",
    "reject": "drop",
    "refuse": "drop",
    "beaver": "beaver",
    "raccoon": "beaver",
}
_DICE = {f"{first}{second}": (first, second) for first in range(1, 7) for second in range(1, 7)}


def read_mat(text: str, name: str = "the text") -> Match:
    """The match in the text of a .mat file; name stands for the file in messages."""
    reader = _Reader(name)
    text = text.rstrip("\0\x1a")  # of old editors
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        reader.read(number, line)
    return reader.finish()


class _Reader:
    """What has been read so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0
        self.opened = 0  # the line where the present game begins
        self.length: int | None = None
        self.players: tuple[str, str] | None = None
        self.tags: list[tuple[str, str]] = []
        self.remarks: list[str] = []  # of the match, then of the next game
        self.comment = ""
        self.games: list[Game] = []
        self.score = (0, 0)
        self.variant: Variant = "standard"
        self.crawford, self.jacoby, self.beavers = True, False, False
        self.start = Position.start()
        self.game: Recorder | None = None
        self.named = True  # the names of the present game have been read
        self.number = 0  # of the present game, in its heading
        self.follows = False  # by their numbers no game was left out before it
        self.resigned = False  # the last game says in words who has given up

    def read(self, number: int, line: str) -> None:
        self.line = number
        game = self.game
        if game is not None and self.named and len(line) < 100 and (plays := _PLAYS.fullmatch(line)):
            first, mine, second, theirs = plays.groups()
            try:
                side = 0
                game.written(0, _DICE[first], mine.strip())
                side = 1
                game.written(1, _DICE[second], theirs.strip())
            except InputError as error:
                raise self.fault(plays.start(2 + 2 * side), str(error)) from None
        elif line.isspace() or not line:
            return
        elif line.lstrip().startswith((";", "#")):
            self.remark(line.lstrip()[1:].strip())
        elif len(line) > LONGEST_LINE:
            remedy = (
                f", so this is no match file: {READ}"
                if self.length is None
                else ": cut it to 2000 characters"
            )
            raise self.fault(LONGEST_LINE, f"the line is too long for a .mat file{remedy}")
        elif not self.named:
            if _NUMBER.match(line):  # the players' line was left out
                self.opening(("", ""), self.score)
                self.read(number, line)
            else:
                self.names(line)
        elif _NUMBER.match(line) or (_CELL.match(line.lstrip()) and game is not None):
            self.cells(line)
        elif match := _LENGTH.fullmatch(line):
            self.title(int(match[1]) if len(match[1]) < 6 else LONGEST + 1)
        elif _MONEY.fullmatch(line):
            self.title(0)
        elif match := _GAME.fullmatch(line):
            self.heading(int(match[1]))
        elif re.search(r"\beq\s*:", line):  # a line of analysis
            self.remark(line.strip())
        else:
            remedy = (
                f", so this is no match file: {READ}" if self.length is None else ": put ; before a remark"
            )
            raise self.fault(0, f"{quoted(line)} is neither a heading nor a play{remedy}")

    def remark(self, text: str) -> None:
        tag = _TAG.fullmatch(text) if len(text) < LONGEST_LINE else None
        if not tag or self.length is not None:
            self.remarks.append(text)
            return
        key, value = tag.groups()
        on = value.strip().lower() in ("on", "true", "yes", "1")
        match key.lower():
            case "variation":
                if value.strip().lower() not in VARIATIONS:
                    raise self.fault(
                        0, f"the variation {quoted(value)} is not one of {', '.join(VARIATIONS)}"
                    )
                self.variant = VARIATIONS[value.strip().lower()]
                self.start = Position.start(self.variant)
            case "crawford":
                self.crawford = on
            case "jacoby":
                self.jacoby = on
            case "beaver" | "beavers":
                self.beavers = on
            case _:
                self.tags.append((key, value))

    def title(self, length: int) -> None:
        if self.length is not None:
            raise self.fault(0, "a second match begins: keep one match to a file")
        if length > LONGEST:
            raise self.fault(0, f"a match has at most {LONGEST} points")
        self.length = length
        self.comment, self.remarks = "\n".join(self.remarks), []

    def heading(self, number: int) -> None:
        if self.length is None:
            raise self.fault(0, 'no line such as "7 point match" comes before the first game')
        self.close()
        self.named = False
        self.follows, self.number = number == self.number + 1, number

    def names(self, line: str) -> None:
        found = _SCORES.fullmatch(line) or _CLOSE_SCORES.fullmatch(line)
        if not found:
            raise self.fault(
                0, 'both players with their scores are expected here, such as "Ann : 0   Bob : 0"'
            )
        first, mine, second, theirs = found.groups()
        if max(len(mine), len(theirs)) > 6:
            raise self.fault(0, "the score is too high")
        self.opening((first, second), (int(mine), int(theirs)))

    def opening(self, players: tuple[str, str], score: tuple[int, int]) -> None:
        if self.games and not self.resigned:
            self.games[-1] = winner_by_score(self.games[-1], score)
        try:
            self.players = same_players(self.players or players, players)
            check_score(self.length or 0, self.games, score, self.follows)
        except InputError as error:
            raise self.fault(0, str(error)) from None
        crawford = self.crawford and is_crawford(self.length or 0, score, self.games)
        self.game = Recorder(self.start, score, crawford, "\n".join(self.remarks), self.length or 0)
        self.opened = self.line
        self.remarks = []
        self.named = True

    def cells(self, line: str) -> None:
        """A line of plays and cube actions, one or two of them."""
        line = line.expandtabs()  # tells the columns apart
        body, _, remark = line.partition(";")
        if self.game is None:
            raise self.fault(0, 'a play comes before the first game: begin it with "Game 1" and the players')
        number = _NUMBER.match(body)
        begin = number.end() if number else 0
        found = list(_CELL.finditer(body, begin))
        if not found and body[begin:].strip():
            raise self.fault(
                begin, f"{quoted(body[begin:])} is no play: write dice before it, such as 31: 8/5 6/5"
            )
        if found and body[begin : found[0].start()].strip():
            raise self.fault(
                begin, f"{quoted(body[begin : found[0].start()])} is no play: put ; before a remark"
            )
        player = 0
        for index, cell in enumerate(found):
            end = found[index + 1].start() if index + 1 < len(found) else len(body)
            if index == 0:
                player = int(cell.start() - begin >= (12 if number else 20))
            elif not cell["wins"]:
                player += 1
            try:
                if player > 1:
                    raise InputError("a third action on one line")
                left = cell.start() < 20 and (index == 0 or player == 0)
                self.cell(cell, body[cell.end() : end].strip(), player, winner=0 if left else 1)
            except InputError as error:
                raise self.fault(cell.start(), str(error)) from None
        if remark.strip():
            self.remarks.append(remark.strip())

    def cell(self, cell: re.Match[str], text: str, player: int, winner: int) -> None:
        assert self.game is not None
        if cell["dice"]:
            self.game.written(player, _DICE[cell["dice"]], text)
            return
        if text:
            raise InputError(f"{quoted(text)} after {quoted(cell[0])} has no meaning: put ; before a remark")
        if cell["wins"]:
            if cell["wins"][0] in "wW":  # of "Losses" beside it nothing is learnt
                self.game.wins(winner, int(cell["points"]))
        elif cell["word"].lower().startswith("resign"):
            self.game.resigned = player
        else:
            self.game.crawford = False  # no cube in the Crawford game, so this is a later one
            kind = _KINDS[cell["word"].lower().removesuffix("s")]
            self.game.cube(player, kind)
            if kind in ("double", "beaver") and (value := cell["value"] or cell["to"]):
                self.game.turned(int(value))

    def close(self) -> None:
        if self.game is not None:
            self.games.append(self.game.close(self.jacoby and not self.length))
            self.resigned = self.game.resigned is not None
            try:
                check_open(self.length or 0, self.games[-1])
            except InputError as error:
                raise fault(self.name, self.opened, 1, str(error)) from None
            self.score = Match(games=(self.games[-1],)).score
            self.game = None

    def finish(self) -> Match:
        if self.length is None:
            raise self.fault(
                0, f'the file ends without a line such as "7 point match", so this is no match file: {READ}'
            )
        if not self.named:
            raise self.fault(0, "the file ends after a game's heading: the players' line is missing")
        self.close()
        if self.remarks:
            self.comment = "\n".join([*self.comment.splitlines(), *self.remarks])
        return Match(
            self.players or ("", ""),
            self.length,
            tuple(self.games),
            self.variant,
            self.crawford,
            self.jacoby,
            self.beavers,
            tuple(self.tags),
            self.comment,
        )

    def fault(self, column: int, text: str) -> InputError:
        return fault(self.name, self.line, column + 1, text)
