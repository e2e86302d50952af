"""GNU Backgammon reads what bglab writes, and writes the same match."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bglab.records import Game, Match, Play, Resignation, read, write
from tests.gnubg import gnubg, needs_gnubg
from tests.records.matches import random_match

SEEDS = range(8)


BEAVER_DROPPED = (["beaver", "drop"], ["raccoon", "drop"])


def sound(match: Match) -> Match:
    """The games that the program does not treat in a way of its own.

    It leaves out games that were given up before the first roll, loses its place after a beaver is dropped, writes
    the last roll of an unfinished game differently, and does not undo the escape of a backslash in SGF.
    """
    games = tuple(
        game
        for game in match.games
        if game.winner is not None
        and any(isinstance(action, Play) for action in game.actions)
        and [getattr(action, "kind", "") for action in game.actions[-2:]] not in BEAVER_DROPPED
    )
    return replace(match, games=games, players=("Ann Lee", "Jörg M. (2)"), comment="", tags=())


def plain(match: Match, jacoby: bool) -> list[tuple]:
    """What any program must keep of a match: scores, who did what, and the boards that came of it.

    With Jacoby the program counts an undoubled gammon in .mat as if there were no such rule.
    """
    boards = {(moment.game, moment.number): moment.turn for moment in match.replay()}
    return [
        (
            game.score,
            game.winner,
            game.points * (not jacoby),
            [
                (action.player, getattr(action, "kind", ""), *_play(action, boards[index, number]))
                for number, action in enumerate(game.actions)
                if not isinstance(action, Resignation) and not _silent_take(game, number)
            ],
        )
        for index, game in enumerate(match.games)
    ]


def _silent_take(game: Game, number: int) -> bool:
    """The program does not write that a beaver was taken."""
    kind, before = (getattr(game.actions[place], "kind", "") for place in (number, number - 1))
    return kind == "take" and before in ("beaver", "raccoon")


def _play(action, turn) -> tuple:
    return (sorted(action.dice), turn.after) if isinstance(action, Play) else ()


def through_gnubg(match: Match, suffix: str, folder: Path) -> list[Match]:
    """The match as the program gives it back, in both formats."""
    write(match, folder / f"in{suffix}")
    read_in = "import mat in.mat" if suffix == ".mat" else "load match in.sgf"
    jacoby = f"set jacoby {'on' if match.jacoby else 'off'}"  # it counts the points of a .mat file again
    printed = gnubg([jacoby, read_in, "export match mat out.mat", "save match out.sgf"], folder)
    assert not re.search("WARNING|Unrecogni[sz]ed|[Ii]nvalid|[Ii]llegal", printed), printed
    return [read(folder / "out.mat"), read(folder / "out.sgf")]


@needs_gnubg
@pytest.mark.parametrize("suffix", [".mat", ".sgf"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_match(seed, suffix, tmp_path):
    match = sound(random_match(seed))
    if not match.games:
        match = sound(random_match(seed + 100))
    for back in through_gnubg(match, suffix, tmp_path):
        assert back.length == match.length
        assert back.players == match.players
        assert back.variant == match.variant
        assert plain(back, match.jacoby) == plain(match, match.jacoby)
