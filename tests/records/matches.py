"""Random matches: legal plays, cube actions, resignations and scores, from a seed."""

from __future__ import annotations

import random
from typing import Any

from bglab.records import Action, CubeAction, Game, Match, Play, Resignation
from bglab.records.record import is_crawford
from bglab.records.table import Table
from bglab.rules import legal_turns
from bglab.rules.position import Variant
from tests.samples import any_turn, sensible_turn

NAMES = ("Ann", "Bob Lee", "Jörg: 2", "千代", "O'Neil (1650.3)", "a.b-c_d", "[x]", "\\y;", "Ж")
VARIANTS: tuple[Variant, ...] = ("hypergammon", "hypergammon", "nackgammon", "standard")


def random_match(seed: int, comments: bool = False) -> Match:
    """A match of up to five games, whole or broken off.

    comments adds remarks to games and plays, which only SGF can carry.
    """
    rng = random.Random(seed)
    length = rng.choice([0, 0, 1, 3, 5])
    variant = rng.choice(VARIANTS)
    options: dict[str, Any] = {"crawford": rng.random() < 0.8} if length else {"jacoby": rng.random() < 0.5}
    if not length:
        options["beavers"] = rng.random() < 0.5
    if rng.random() < 0.5:
        options["tags"] = (("EventDate", "2026.11.30"), ("Event", 'The "Big" one'))
    if rng.random() < 0.3:
        options["comment"] = "first line\nsecond [line]"
    match = Match((rng.choice(NAMES), rng.choice(NAMES)), length, variant=variant, **options)
    games: list[Game] = []
    score = (0, 0)
    while len(games) < rng.choice([1, 3, 5]) and not (length and max(score) >= length):
        crawford = match.crawford and is_crawford(length, score, games)
        games.append(_game(rng, match, score, crawford, comments))
        if games[-1].winner is None:
            break
        score = Match(games=tuple(games)).score
    return Match(match.players, length, tuple(games), variant, **options)


def _game(rng: random.Random, match: Match, score: tuple[int, int], crawford: bool, comments: bool) -> Game:
    table = Table(match.start)
    actions: list[Action] = []
    pick = rng.choice([any_turn, sensible_turn])
    player = rng.randint(0, 1)
    longest = rng.choice([6, 25, 400])
    jacoby = match.jacoby and not match.length

    def remark() -> str:
        return rng.choice(["well ]played\\", "two\nlines"]) if comments and rng.random() < 0.1 else ""

    def finished(winner: int, points: int) -> Game:
        return Game(score, crawford, tuple(actions), winner, points, remark())

    while len(actions) < longest:
        if actions and not crawford and table.owner != 1 - player and table.cube < 64 and rng.random() < 0.08:
            for action in _cube(rng, match, table, player):
                actions.append(action)
                table.act(action)
            if result := table.result(jacoby):
                return finished(*result)
        if rng.random() < 0.02:
            times = rng.randint(1, 3)
            actions.append(Resignation(resigner := rng.randint(0, 1), times))
            return finished(1 - resigner, times * table.cube)
        dice = rng.randint(1, 6), rng.randint(1, 6)
        turn = pick(legal_turns(table.position(player), dice), rng)
        table.play(player, turn.moves)
        actions.append(Play(player, dice, turn.moves, remark()))
        if result := table.result(jacoby):
            return finished(*result)
        player = 1 - player
    return Game(score, crawford, tuple(actions), comment=remark())


def _cube(rng: random.Random, match: Match, table: Table, player: int) -> list[CubeAction]:
    words = [CubeAction(player, "double")]
    other = 1 - player
    if match.beavers and rng.random() < 0.4:
        words.append(CubeAction(other, "beaver"))
        player, other = other, player
        if rng.random() < 0.4:
            words.append(CubeAction(other, "raccoon"))
            player, other = other, player
    words.append(CubeAction(other, rng.choice(["take", "take", "drop"])))
    return words
