"""A record played through again: the situation before each action, and whether every play was legal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bglab.errors import InputError
from bglab.records.record import Action, CubeAction, Game, Match, Play, Resignation, Setup
from bglab.records.table import Table
from bglab.rules.notation import format_play
from bglab.rules.position import Position
from bglab.rules.reference import Turn, legal_turns
from bglab.rules.situation import Situation


@dataclass(frozen=True, slots=True)
class Moment:
    """One action of a record and what the players saw before it.

    game, number : index of the game in the match and of the action in the game.
    situation : before the action; of a play with its dice, of an answer to a double with the doubler on roll and the
        double on offer. Its top player is player 0.
    player : who acts. turn : the turn that was played, None for other actions and for unknown plays.
    """

    game: int
    number: int
    player: int
    situation: Situation
    action: Action
    turn: Turn | None = None


def replay(match: Match) -> Iterator[Moment]:
    """Every action of a match in turn.

    What cannot happen raises `InputError` with its place. After an unknown play nothing more can be said of its game,
    so the replay goes on with the next one.
    """
    for index, game in enumerate(match.games):
        yield from _replay_game(match, index, game)


def check(match: Match) -> None:
    """`Match.check`: compare every play with the reference generator's turns.

    A roll that was not played before a resignation or the end of the record is no fault.
    """
    for moment in replay(match):
        turn, dice = moment.turn, moment.situation.dice
        if turn is None or dice is None:
            continue
        turns = legal_turns(moment.situation.position, dice)
        if all(turn.after != legal.after for legal in turns):
            game = match.games[moment.game]
            rest = game.actions[moment.number + 1 :]
            if not turn.moves and (not rest or isinstance(rest[0], Resignation)):
                continue
            plays = [legal.play for legal in turns[:5]]
            raise InputError(
                f'{_place(moment.game, moment.number)}: "{turn.play}" is not legal with {dice[0]}-{dice[1]}: play'
                f" {' or '.join(plays)}{' or another' * (len(turns) > 5)}."
            )


def _replay_game(match: Match, index: int, game: Game) -> Iterator[Moment]:
    table = Table(match.start)
    turn: int | None = None  # who is to roll or double next
    for number, action in enumerate(game.actions):
        if isinstance(action, Play) and table.offer:
            table.accept()  # some programs do not write the take of a beaver
        player = action.player
        roller = (
            table.doubler
            if table.offer
            else player
            if turn is None or not isinstance(action, Resignation)
            else turn
        )
        try:
            if isinstance(action, Setup):
                table.setup(action)
            situation = _situation(match, game, table, roller, action)
            played = _act(table, action, situation.position)
        except InputError as error:
            text = str(error).rstrip(".")
            raise InputError(f"{_place(index, number)}: {text}: correct the record.") from None
        yield Moment(index, number, player, situation, action, played)
        if isinstance(action, Play):
            if action.moves is None:
                return
            turn = 1 - player
        elif isinstance(action, Setup):
            turn = player


def _act(table: Table, action: Action, position: Position) -> Turn | None:
    if isinstance(action, CubeAction):
        table.act(action)
    if not isinstance(action, Play) or action.moves is None:
        return None
    table.play(action.player, action.moves)
    after = table.position(action.player)
    return Turn(format_play(position, action.moves), after, action.moves, position)


def _situation(match: Match, game: Game, table: Table, roller: int, action: Action) -> Situation:
    mine, theirs = game.score[roller], game.score[1 - roller]
    owner = table.owner
    return Situation(
        table.position(roller),
        dice=action.dice if isinstance(action, Play) else None,
        cube_value=table.cube,
        cube_owner=0 if owner is None else 1 if owner == roller else -1,
        score=(mine, theirs),
        length=match.length,
        crawford=game.crawford,
        jacoby=match.jacoby and not match.length,
        beavers=match.beavers and not match.length,
        offer=table.offer,  # type: ignore[arg-type]
        bottom=roller == 1,
    )


def _place(game: int, number: int) -> str:
    return f"Game {game + 1}, action {number + 1}"
