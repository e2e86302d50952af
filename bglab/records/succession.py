"""Whether a game can come after the games before it, by what the file says of its players and its score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bglab.errors import InputError
from bglab.records.fault import quoted
from bglab.records.record import Game, Match, Resignation

_RATING = re.compile(r"\([^()]*\)|\d+[.,]\d\S*")  # it may change from game to game


def same_players(known: tuple[str, str], named: tuple[str, str]) -> tuple[str, str]:
    """The players of a match whose next game names them too; `InputError` where it names others.

    A name that was left out, upper and lower case and ratings are no difference.
    """
    for seat in (0, 1):
        old, new = _bare(known[seat]), _bare(named[seat])
        if old and new and old != new:
            turned = " on the other side" * (new == _bare(known[1 - seat]))
            raise InputError(
                f"{quoted(named[seat])} plays here{turned}, but {quoted(known[seat])} in the game before: keep to a"
                " file one match, each player in one place"
            )
    return known[0] or named[0], known[1] or named[1]


def _bare(name: str) -> str:
    return " ".join(_RATING.sub(" ", name).casefold().split())


def check_score(length: int, games: Sequence[Game], score: tuple[int, int], follows: bool = False) -> None:
    """`InputError` where a score cannot be the one after these games.

    follows : the game is numbered as the next one, so that none was left out. It may be higher than theirs otherwise,
    after a game without a result, and in a money session, where automatic doubles count in the score alone; there it
    may be 0-0 in every game too.
    """
    if not games:
        return
    first, second = Match(games=(games[-1],)).score
    if length and follows and games[-1].winner is not None:
        possible = score == (first, second)
    else:
        possible = (score[0] >= first and score[1] >= second) or (not length and score == (0, 0))
    if possible:
        return
    raise InputError(
        f"the score {score[0]}-{score[1]} contradicts the game before, after which it is {first}-{second}: correct"
        " one of them"
    )


def check_open(length: int, game: Game) -> None:
    """`InputError` where a game goes on after the match was over; an empty one may stand there for the result."""
    if length and max(game.score) >= length and game.actions:
        raise InputError(
            f"at {game.score[0]}-{game.score[1]} the match to {length} is over, but a game follows: correct the score"
        )


def winner_by_score(game: Game, score: tuple[int, int]) -> Game:
    """A game that ends with a resignation, with the winner that the score after it tells.

    In a .mat file only the column tells otherwise, and programs misplace it.
    """
    last = game.actions[-1] if game.actions else None
    if game.winner is None or not isinstance(last, Resignation):
        return game
    other = replace(
        game,
        winner=1 - game.winner,
        actions=(*game.actions[:-1], replace(last, player=game.winner)),
    )
    return other if score == Match(games=(other,)).score else game
