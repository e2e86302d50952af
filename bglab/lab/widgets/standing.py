"""A session or match of two players as it stands: what is awaited of whom, and what the rules allow now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bglab.cube.match_equity import MatchScore
from bglab.records.record import Game, Match, Play
from bglab.records.recorder import Recorder
from bglab.rules.dice import dealt, seeded
from bglab.rules.situation import Situation

State = Literal["opening", "roll", "play", "answer", "game over", "match over"]
"""Nobody has thrown yet; to roll or double; to play the dice; to answer a double or a resignation; the ends."""

HIGHEST = 1024
"""The highest cube of a money session."""


@dataclass(frozen=True)
class Point:
    """What a decision is about: its game and its action's number in it, who decides, and the situation.

    The side on roll comes first in the situation, also where the other one answers.
    """

    game: int
    number: int
    player: int
    situation: Situation


class Standing:
    """What is known of a contest; `bglab.lab.widgets.contest.Contest` changes it.

    state : what is awaited, of `player`. dice : the roll to be played. resigned : the points offered by `resigner`, 0
    for none. games : those that are over. rules : the record without games. Nobody doubles before the first roll,
    in the Crawford game, or with a cube that wins the match as it is; the cube of a match goes up to the first power of
    two that is its length or more.
    """

    rules: Match
    seed: int
    cube: bool
    games: list[Game]
    state: State = "opening"
    player: int = 0
    dice: tuple[int, int] | None = None
    resigned: int = 0
    resigner: int = 0
    _recorder: Recorder
    _waiting: tuple[State, int] = ("roll", 0)
    """What is awaited of whom if the resignation is refused."""

    @property
    def match(self) -> Match:
        """The record so far; a roll that is still to be played ends it as one without moves."""
        games = list(self.games)
        if not self.over:
            game = self._recorder.close(self.jacoby)
            if self.dice is not None:
                game = replace(game, actions=(*game.actions, Play(self.player, self.dice, ())))
            games.append(game)
        return replace(self.rules, games=tuple(games))

    @property
    def jacoby(self) -> bool:
        """Whether gammons count only once the cube is turned."""
        return self.rules.jacoby and not self.rules.length

    @property
    def over(self) -> bool:
        """Whether no game is under way."""
        return self.state in ("game over", "match over")

    @property
    def score(self) -> tuple[int, int]:
        """Points of both players before the game under way, or after the last one."""
        return Match(games=tuple(self.games)).score if self.over else self._recorder.score

    @property
    def game(self) -> int:
        """The index of the game under way, or of the last one."""
        return len(self.games) - self.over

    @property
    def number(self) -> int:
        """How many actions the game has."""
        return len(self.games[-1].actions if self.over else self._recorder.actions)

    @property
    def ply(self) -> int:
        """How many rolls of this game have been played."""
        return sum(isinstance(action, Play) for action in self._recorder.actions)

    @property
    def roller(self) -> int:
        """Who is on roll; also while the other one answers a double, or a resignation."""
        if self.state != "answer":
            return self.player
        return self._waiting[1] if self.resigned else self._recorder.table.doubler

    @property
    def situation(self) -> Situation:
        """The situation from the side on roll."""
        return self.seen_by(self.roller)

    def seen_by(self, player: int) -> Situation:
        """The situation with this player first; the dice and what is on offer are told if he is on roll."""
        table, score = self._recorder.table, self.score
        mine = player == self.roller
        return Situation(
            table.position(player),
            dice=self.dice if mine else None,
            cube_value=table.cube,
            cube_owner=0 if table.owner is None else 1 if table.owner == player else -1,
            score=(score[player], score[1 - player]),
            length=self.rules.length,
            crawford=self._recorder.crawford and not self.over,
            jacoby=self.jacoby,
            offer=table.offer if mine and not self.over else "",  # type: ignore[arg-type]
            state="over" if self.over else "playing",
            bottom=player == 1,
        )

    @property
    def point(self) -> Point:
        """The decision that is awaited."""
        return Point(self.game, self.number, self.player, self.situation)

    @property
    def highest(self) -> int:
        """What the cube is never turned beyond."""
        length = self.rules.length
        return 1 if not self.cube else HIGHEST if not length else 1 << (length - 1).bit_length()

    @property
    def may_double(self) -> bool:
        """Whether the player may double now."""
        table, length = self._recorder.table, self.rules.length
        return (
            self.state == "roll"
            and self.ply > 0
            and table.owner != 1 - self.player
            and 2 * table.cube <= self.highest
            and not self._recorder.crawford
            and not (length and self.score[self.player] + table.cube >= length)
        )

    @property
    def live(self) -> bool:
        """Whether, after a double now and its take, the taker could turn the cube once more to some purpose."""
        cube, length, taker = self._recorder.table.cube, self.rules.length, 1 - self.roller
        return 4 * cube <= self.highest and not (length and self.score[taker] + 2 * cube >= length)

    @property
    def match_score(self) -> MatchScore | None:
        """Where the match stands from the side on roll; None in a money session."""
        if not self.rules.length:
            return None
        mine, theirs = (self.rules.length - self.score[seat] for seat in (self.roller, 1 - self.roller))
        crawford = self._recorder.crawford and mine != theirs
        return MatchScore(mine, theirs, self._recorder.table.cube, crawford)

    @property
    def dealt(self) -> tuple[int, int]:
        """The roll that the seed has for this ply."""
        numbers = (np.array([number], np.int32) for number in (self.game, self.ply))
        first, second = np.asarray(dealt(seeded(self.seed), *numbers))[0].tolist()
        return first, second
