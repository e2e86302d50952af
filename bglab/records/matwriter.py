"""The .mat format, written: as GNU Backgammon writes it, so that it and every other program can read it.

Steps are written one by one ("24/18* 18/13", the bar as 25, off as 0) and hits are marked, so that nothing is left to
guess. Comments on games and actions are left out: GNU Backgammon takes them for plays.
"""

from __future__ import annotations

from bglab.errors import InputError
from bglab.records.record import CubeAction, Game, Match, Play, Resignation, Setup, require_games
from bglab.records.table import Table
from bglab.rules.position import Variant

VARIATION: dict[Variant, str] = {"nackgammon": "NackGammon", "hypergammon": "HyperGammon (3)"}

_COLUMN = 28
"""Width of the left column, after the number of the line."""


def to_mat(match: Match) -> str:
    """The text of a .mat file; `InputError` for a record with positions put up by hand, which it cannot say."""
    require_games(match)
    lines = [f'; [{_line(key)} "{_line(value)}"]' for key, value in (*match.tags, *_rules(match))]
    lines += [f"; {line}".rstrip() for line in match.comment.splitlines()]
    lines += [""] * bool(lines) + [f" {match.length} point match", ""]
    for number, game in enumerate(match.games, 1):
        try:
            lines += [*_game(match, number, game), ""]
        except InputError as error:
            raise InputError(f"Game {number} cannot be written as .mat: {error}") from None
    return "\n".join(lines)


def _rules(match: Match) -> list[tuple[str, str]]:
    said = []
    if match.variant in VARIATION:
        said.append(("Variation", VARIATION[match.variant]))
    if match.length and not match.crawford:
        said.append(("Crawford", "Off"))
    if match.jacoby:
        said.append(("Jacoby", "On"))
    if match.beavers:
        said.append(("Beaver", "On"))
    return said


def _line(text: str) -> str:
    return " ".join(text.split())


def _game(match: Match, number: int, game: Game) -> list[str]:
    first, second = match.players
    rows: list[list[str]] = []
    table = Table(match.start)
    last = 1
    for action in game.actions:
        if isinstance(action, Resignation):
            continue  # the points won tell
        if isinstance(action, Setup):
            raise InputError("a position was put up by hand; write .sgf.")
        cell = _play(table, action) if isinstance(action, Play) else _cube(table, action)
        if action.player == 0 or last == 1:
            rows.append(["", ""])
        rows[-1][action.player] = cell
        last = action.player
    lines = [
        f" Game {number}",
        f" {first} : {game.score[0]}".ljust(_COLUMN + 2) + f"  {second} : {game.score[1]}",
    ]
    result = _result(match, game)
    if game.winner == 1 and last == 0 and rows:
        rows[-1][1], result = " " + result, ""
    lines += [f"{row:3d}) {left.ljust(_COLUMN - 1)} {right}" for row, (left, right) in enumerate(rows, 1)]
    if result:
        lines.append(" " * (34 if game.winner else 6) + result)
    return lines


def _play(table: Table, action: Play) -> str:
    player = action.player
    dice = f"{action.dice[0]}{action.dice[1]}:"
    if table.offer:
        table.accept()
    if action.moves is None:
        return f"{dice} ????"
    steps = []
    for source, target in action.moves:
        hits = table.play(player, ((source, target),))
        steps.append(f"{source}/{target}" + "*" * hits)
    return " ".join((dice, *steps)) if steps else f"{dice} "


def _cube(table: Table, action: CubeAction) -> str:
    table.act(action)
    match action.kind:
        case "double":
            return f" Doubles => {2 * table.cube}"
        case "beaver" | "raccoon":
            return f" Beavers => {2 * table.cube}"
        case "take":
            return " Takes"
        case _:
            return " Drops"


def _result(match: Match, game: Game) -> str:
    if game.winner is None:
        return ""
    over = match.length and game.score[game.winner] + game.points >= match.length
    return f"Wins {game.points} point{'s' * (game.points != 1)}" + " and the match" * bool(over)
