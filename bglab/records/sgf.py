"""GNU Backgammon's SGF dialect (FF[4]GM[6]), read: one game tree for each game of the match.

White is player 0. A point is a letter, "a" White's 1 point and Black's 24 point, "y" the bar and "z" off. Only the main
line is followed; analysis properties (A, DA, GS and others) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bglab.errors import InputError
from bglab.records.fault import MOST, fault
from bglab.records.record import Game, Kind, Match, Moves, Setup
from bglab.records.recorder import Recorder
from bglab.records.sgftree import Node, full, plain, trees
from bglab.records.succession import check_open, check_score, same_players
from bglab.rules.position import BAR, OFF, Position, Variant, shorten
from bglab.rules.situation import Situation

RULES: dict[str, Variant] = {"nackgammon": "nackgammon", "hypergammon3": "hypergammon"}
TAGS = {
    "DT": "EventDate",
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "AN": "Annotator",
    "WR": "Player 1 Elo",
    "BR": "Player 2 Elo",
}
"""Properties of the first game and the tags that carry them in a record, named as in .mat files."""

HIGHEST = 2**15
"""Of the cube."""

_PLAY = re.compile(r"\s*([1-6])([1-6])((?:[a-z][a-z]){0,4})\s*")
_RESULT = re.compile(r"\s*([WB])\+(\d{1,6})R?.*", re.IGNORECASE | re.DOTALL)
_KINDS: dict[str, Kind] = {"double": "double", "take": "take", "drop": "drop", "beaver": "beaver"}


def read_sgf(text: str, name: str = "the text") -> Match:
    """The match in the text of an SGF file; name stands for the file in messages."""
    return _Reader(text, name).match()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.variant: Variant = "standard"
        self.length: int | None = None
        self.players = "", ""
        self.number = -2  # of the present game, where the file says it
        self.follows = False  # by their numbers no game was left out before it
        self.games: list[Game] = []

    def fault(self, offset: int, text: str) -> InputError:
        line = self.text.count("\n", 0, offset) + 1
        return fault(self.name, line, offset - self.text.rfind("\n", 0, offset), text)

    def match(self) -> Match:
        head: Node = {}
        for nodes in trees(self.text, self.fault):
            root = nodes[0] if nodes else {}
            head = head or root
            self.games.append(self.game(nodes, root))
        rules = self.rules(head)
        return Match(
            self.players,
            self.length or 0,
            tuple(self.games),
            self.variant,
            crawford="crawford" in rules or not self.length,
            jacoby="jacoby" in rules,
            beavers="beavers" in rules,
            tags=tuple(
                (tag, plain(head, key).replace("-", ".") if key == "DT" else plain(head, key))
                for key, tag in TAGS.items()
                if plain(head, key)
            ),
            comment=full(head, "GC").strip(),
        )

    def rules(self, root: Node) -> set[str]:
        return set(plain(root, "RU").lower().split(":"))

    def game(self, nodes: list[Node], root: Node) -> Game:
        offset = next((values[0][1] for values in root.values() if values), 0)
        if plain(root, "GM") != "6":
            raise self.fault(offset, "this is not backgammon, which is GM[6]")
        about = {}
        for value, place in root.get("MI", []):
            key, _, number = value.partition(":")
            if key.lower() in ("length", "ws", "bs", "game"):
                if not re.fullmatch(r"\s*[0-9]{1,5}\s*", number):
                    raise self.fault(place, f"MI[{value[:40]}] should end in a number")
                about[key.lower()] = int(number)
        rules = self.rules(root)
        if self.length is None:
            self.length = about.get("length", 0)
            self.variant = next((RULES[rule] for rule in rules if rule in RULES), "standard")
        if strange := {rule for rule in rules if "gammon" in rule} - set(RULES):
            raise self.fault(
                root["RU"][0][1], f"the variation {shorten(min(strange), MOST)} is not read here"
            )
        length, crawford = self.length, "crawfordgame" in rules
        score = about.get("ws", 0), about.get("bs", 0)
        if length and not about.keys() & {"ws", "bs"}:
            score = Match(games=tuple(self.games)).score
        serial = about.get("game", -2)
        self.follows, self.number = serial == self.number + 1, serial
        self.check(root, offset, about.get("length", length), score, crawford)
        recorder = Recorder(Position.start(self.variant), score, crawford, full(root, "C"), length)
        tree = _Tree(self, recorder)
        for node in nodes:
            tree.read(node, node is root)
        tree.end()
        game = recorder.close(jacoby := "jacoby" in rules and not length)
        if (result := _RESULT.fullmatch(plain(root, "RE"))) and int(result[2]):
            winner = int(result[1].upper() == "B")
            try:
                if game.winner == 1 - winner:
                    raise InputError(
                        "the result names one side, but on the board the other has won: correct it"
                    )
                recorder.wins(winner, int(result[2]))
            except InputError as error:
                raise self.fault(root["RE"][0][1], str(error)) from None
            game = recorder.close(jacoby)
        try:
            check_open(length, game)
        except InputError as error:
            raise self.fault(offset, str(error)) from None
        return game

    def check(self, root: Node, offset: int, length: int, score: tuple[int, int], crawford: bool) -> None:
        """Refuse a game that contradicts those before it or itself."""
        try:
            if length != self.length:
                raise InputError(f"a game to {length} after one to {self.length}: keep one match to a file")
            self.players = same_players(self.players, (plain(root, "PW"), plain(root, "PB")))
            check_score(length, self.games, score, self.follows)
            if crawford:
                Situation(Position.start(), score=score, length=length, crawford=True)
        except InputError as error:
            raise self.fault(root["MI"][0][1] if "MI" in root else offset, str(error)) from None


class _Tree:
    """The nodes of one game, turned into actions."""

    def __init__(self, reader: _Reader, recorder: Recorder) -> None:
        self.reader, self.recorder = reader, recorder
        self.player = 0
        self.dice: tuple[int, int] | None = None  # rolled, but not played so far
        self.setup: Setup | None = None

    def read(self, node: Node, root: bool) -> None:
        place = next((values[0][1] for values in node.values() if values), 0)
        try:
            self.put_up(node)
            for colour in ("W", "B"):
                for value, offset in node.get(colour, []):
                    place = offset
                    self.act(int(colour == "B"), value, "" if root else full(node, "C"))
                    node.pop("C", None)
        except InputError as error:
            raise self.reader.fault(place, str(error)) from None
        if not root and (remark := full(node, "C")):
            self.recorder.comment = f"{self.recorder.comment}\n{remark}".strip()

    def act(self, player: int, value: str, comment: str) -> None:
        self.settle(player)
        word = value.strip().lower()
        if word in _KINDS:
            if word == "double" and self.recorder.crawford:
                raise InputError("a double in the Crawford game, which is played without: correct RU")
            self.recorder.cube(player, _KINDS[word], comment)
            return
        found = _PLAY.fullmatch(word)
        if not found:
            raise InputError(f'"{value[:40]}" is no play and no word about the cube')
        letters = found[3]
        pairs = zip(letters[::2], letters[1::2], strict=True)
        legs: Moves = tuple((_point(source, player), _point(target, player)) for source, target in pairs)
        if any(source <= target for source, target in legs):
            raise InputError(f'"{value}" moves away from home')
        self.recorder.legs(player, (int(found[1]), int(found[2])), legs, comment)

    def put_up(self, node: Node) -> None:
        """Position, cube and dice set by hand. Several nodes in a row may each say a part."""
        table = self.recorder.table
        if colour := plain(node, "PL").upper():
            if colour[0] not in "WB":
                raise InputError(f"PL[{colour[:40]}] should be W or B")
            self.player = int(colour[0] == "B")
        if dice := plain(node, "DI"):
            if not re.fullmatch("[1-6][1-6]", dice):
                raise InputError(f"DI[{dice[:40]}] should be two digits from 1 to 6")
            self.dice = int(dice[0]), int(dice[1])
        if not node.keys() & {"AE", "AW", "AB", "CV", "CP", "CO"}:
            return
        before = self.setup or Setup(self.player, table.position(self.player), table.cube, table.owner)
        value, owner = before.cube_value, before.cube_owner
        if cube := plain(node, "CV"):
            value = int(cube) if re.fullmatch("[0-9]{1,5}", cube) else 0
            if not 1 <= value <= HIGHEST or value & (value - 1):
                raise InputError(f"CV[{cube[:40]}] should be a power of two up to {HIGHEST}")
        if side := (plain(node, "CP") or plain(node, "CO")).lower():
            if side[0] not in "wbcn":
                raise InputError(f"the cube's owner {side[:40]} should be w, b or c")
            owner = {"w": 0, "b": 1}.get(side[0])
        position = before.position if before.player == self.player else before.position.flip()
        self.setup = Setup(self.player, self.board(node, position), value, owner)

    def board(self, node: Node, position: Position) -> Position:
        white, black = (position.opp, position.me) if self.player else (position.me, position.opp)
        sides = [list(white), list(black)]
        for key, player in (("AE", None), ("AW", 0), ("AB", 1)):
            for value, _ in node.get(key, []):
                for letter in _letters(value):
                    for side in (0, 1) if player is None else (player,):
                        index = _point(letter, side) - 1
                        sides[side][index] = 0 if player is None else sides[side][index] + 1
        mine, theirs = sides[self.player], sides[1 - self.player]
        return Position(tuple(mine), tuple(theirs), position.checkers)

    def settle(self, player: int | None) -> None:
        """Before an action: a position put up by hand takes effect, dice the other side left are an unknown play."""
        if self.setup is not None:
            self.recorder.setup(self.setup)
            self.setup = None
        if self.dice is not None and player is not None and player != self.player:
            self.recorder.unknown(self.player, self.dice)
        self.dice = None

    def end(self) -> None:
        dice = self.dice
        self.settle(None)
        if dice is not None:  # rolled and then resigned, or stopped
            self.recorder.legs(self.player, dice, ())


def _letters(value: str) -> Iterator[str]:
    """The points of "c" or of a range "a:y"."""
    first, _, last = value.strip().partition(":")
    if not re.fullmatch("[a-y]", first) or not re.fullmatch("[a-y]?", last):
        raise InputError(f'"{value[:40]}" should be a point a to y')
    yield from map(chr, range(ord(first), ord(last or first) + 1))


def _point(letter: str, player: int) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    index = ord(letter) - ord("a")
    if index > 23:
        raise InputError(f'"{letter}" is no point')
    return 24 - index if player else index + 1
