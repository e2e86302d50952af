"""A session or match of two players, one action at a time: who may do what now, checked, recorded, and resumed.

Nothing here knows of agents or of a page. Dice are a pure function of the seed, the game's number and the ply, unless
they are given; the record so far is a `Match`, from which the contest can be gone on with, in the middle of a turn too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bglab.errors import InputError
from bglab.lab.widgets.standing import Standing, State
from bglab.records.record import CubeAction, Game, Match, Play, Setup, is_crawford
from bglab.records.recorder import Recorder
from bglab.rules.dice import seeded
from bglab.rules.reference import Turn, check_dice, find_turn, legal_turns

SEED = "Seed"
"""The tag of a record that says where its dice come from."""


class Contest(Standing):
    """See the module. Players are 0 and 1, as in a record; a wrong action raises `InputError` and changes nothing."""

    def __init__(self, match: Match, seed: int, cube: bool = True) -> None:
        """Go on with a match from its last action; one without games begins. The record may hold its own `Seed`."""
        seeded(seed)
        match.check()
        tags = tuple(tag for tag in match.tags if tag[0] != SEED)
        self.rules = replace(match, games=(), tags=(*tags, (SEED, str(seed))))
        self.seed, self.cube = seed, cube
        self.games = list(match.games[:-1])
        last = match.games[-1] if match.games else None
        self._begin(last)
        if last is not None:
            self._go_on(last)

    @classmethod
    def new(
        cls,
        players: tuple[str, str],
        length: int,
        seed: int,
        *,
        cube: bool = True,
        crawford: bool = True,
        jacoby: bool = False,
    ) -> Contest:
        """A contest from its beginning."""
        return cls(Match(players, length, crawford=crawford, jacoby=jacoby and not length), seed, cube)

    # What the players do.

    def roll(self, dice: Sequence[int] | None = None) -> None:
        """Throw the dice, or these. To open, the first is player 0's and the second player 1's; the higher begins."""
        self._await("roll the dice", "opening", "roll")
        thrown = self.dealt if dice is None else check_dice(dice)
        if self.state == "opening":
            if thrown[0] == thrown[1]:
                raise InputError(
                    "The opening roll is no double: both players throw one die, and a tie again."
                )
            self.player = int(thrown[1] > thrown[0])
            thrown = thrown if self.player == 0 else (thrown[1], thrown[0])
        self.dice, self.state = thrown, "play"

    def play(self, turn: Turn | str) -> Turn:
        """Play the dice; the turn, or a play such as "8/5 6/5"."""
        self._await("play", "play")
        assert self.dice is not None
        position = self._recorder.table.position(self.player)
        if isinstance(turn, str):
            turn = find_turn(position, self.dice, turn)
        known = [each for each in legal_turns(position, self.dice) if each.after == turn.after]
        if not known or turn.before not in (None, position):
            raise InputError(f"The turn {turn.play} is not legal here: play another one.")
        # The opponent's checkers are part of `after`, so any moves that lead there are as good.
        self._recorder.legs(self.player, self.dice, known[0].moves)
        self.dice = None
        self._after(self.player)
        return known[0]

    def double(self) -> None:
        """Offer a double."""
        self._await("double", "roll")
        if not self.may_double:
            raise InputError("Nobody may double here: roll the dice.")
        self._recorder.cube(self.player, "double")
        self.state, self.player = "answer", 1 - self.player

    def take(self) -> None:
        """Accept what is on offer: a double or a resignation."""
        self._await("take", "answer")
        if self.resigned:
            table = self._recorder.table
            self._recorder.resigned = self.resigner
            self._recorder.wins(self.player, self.resigned * table.cube)
            self._end()
            return
        self._recorder.cube(self.player, "take")
        self.state, self.player = "roll", self._recorder.table.doubler

    def drop(self) -> None:
        """Refuse what is on offer: the game is lost, or, if it was a resignation, goes on."""
        self._await("pass", "answer")
        if self.resigned:
            self.state, self.player = self._waiting
            self.resigned = 0
            return
        self._recorder.cube(self.player, "drop")
        self._end()

    def resign(self, points: int) -> None:
        """Offer to lose 1, 2 or 3 points, times the cube."""
        self._await("resign", "roll", "play")
        most = 1 if self.jacoby and self._recorder.table.owner is None else 3
        if type(points) is not int or not 1 <= points <= most:
            raise InputError(f"A resignation here is for 1 to {most} points times the cube, not {points!r}.")
        self._waiting = (self.state, self.player)
        self.resigner, self.resigned = self.player, points
        self.state, self.player = "answer", 1 - self.player

    def next_game(self) -> None:
        """Begin the next game."""
        self._await("begin a game", "game over")
        self._begin(None)
        self.state, self.player = "opening", 0

    # What follows from it.

    def _await(self, what: str, *states: State) -> None:
        if self.state not in states:
            now = {
                "opening": "roll to open the game",
                "roll": "roll the dice first",
                "play": "play the dice first",
                "answer": "answer the offer first",
                "game over": "begin the next game first",
                "match over": "the match is over, so begin another one",
            }[self.state]
            raise InputError(f"Nobody can {what} now: {now}.")

    def _begin(self, game: Game | None) -> None:
        score = Match(games=tuple(self.games)).score if game is None else game.score
        crawford = self.rules.crawford and is_crawford(self.rules.length, score, self.games)
        self._recorder = Recorder(self.rules.start, score, crawford if game is None else game.crawford)
        self.dice, self.resigned = None, 0

    def _go_on(self, game: Game) -> None:
        """Do the game's actions again."""
        recorder = self._recorder
        for action in game.actions:
            self.player = action.player
            if isinstance(action, Play) and action.moves is None:
                raise InputError(
                    "The last game has a roll that nobody knows the play of: cut it off before that."
                )
            if isinstance(action, Play):
                self._replay(action, action is game.actions[-1])
            elif isinstance(action, CubeAction):
                recorder.cube(action.player, action.kind, action.comment)
                self._after_cube()
            elif isinstance(action, Setup):
                recorder.setup(action)
                self.state = "roll"
        if game.winner is not None:
            self.games.append(game)
            self._finish()

    def _replay(self, action: Play, last: bool) -> None:
        position = self._recorder.table.position(action.player)
        assert action.moves is not None
        if last and not action.moves and legal_turns(position, action.dice)[0].moves:
            self.dice, self.state = action.dice, "play"  # thrown and not played yet
            return
        self._recorder.legs(action.player, action.dice, action.moves, action.comment)
        self.state, self.player = "roll", 1 - action.player

    def _after_cube(self) -> None:
        table = self._recorder.table
        if table.offer:
            self.state = "answer"
            self.player = table.doubler if table.offer == "beaver" else 1 - table.doubler
        else:
            self.state, self.player = "roll", table.doubler

    def _after(self, player: int) -> None:
        if self._recorder.table.borne_off() is not None:
            self._end()
        else:
            self.state, self.player = "roll", 1 - player

    def _end(self) -> None:
        self.dice, self.resigned = None, 0
        self.games.append(self._recorder.close(self.jacoby))
        self._finish()

    def _finish(self) -> None:
        length = self.rules.length
        score = Match(games=tuple(self.games)).score
        self.state = "match over" if length and max(score) >= length else "game over"
