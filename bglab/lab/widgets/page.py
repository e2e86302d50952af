"""What Python and the page tell each other about a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bglab.errors import InputError
from bglab.lab.widgets.continuations import Continuations, continuations
from bglab.rules.identifiers import parse
from bglab.rules.position import Position
from bglab.rules.reference import Turn
from bglab.rules.situation import Situation, may_be_crawford

UNREACHABLE = (
    "No game can lead here: both sides wait on the bar, and neither has a checker in the other's home, where the one"
    " that moved last must have entered."
)


def as_situation(given: object) -> Situation:
    """The situation meant by a situation, a position or an identifier as text; `InputError` for anything else."""
    if isinstance(given, Situation):
        return given
    if isinstance(given, Position):
        return Situation(given)
    if isinstance(given, str):
        return parse(given)
    raise InputError(
        f"A board shows a Situation, a Position or an identifier as text, not {type(given).__name__}: give one of them."
    )


def choose(name: str, value: object) -> Any:
    """The mode or theme of this name; `InputError` if there is none."""
    choices = {"mode": ("play", "edit", "watch"), "theme": ("auto", "light", "dark")}[name]
    if value not in choices:
        raise InputError(f"No {name} is called {value!r}: choose one of {', '.join(choices)}.")
    return value


def page(
    situation: Situation,
    legal: Continuations | None,
    *,
    number: int = 0,
    reply: tuple[str, int] = ("", 0),
    turn: Turn | None = None,
    animate: Sequence[tuple[int, int]] = (),
    error: str = "",
) -> dict[str, Any]:
    """Everything that the page needs to show a situation.

    number : counts what Python has told; a finished turn names the one it was played in.
    reply : the page and the number of its message that this answers.
    """
    position = situation.position
    return {
        "number": number,
        "reply": list(reply),
        "me": [position.off[0], *position.me],
        "opp": [position.off[1], *position.opp],
        "dice": None if situation.dice is None else list(situation.dice),
        "cube": situation.cube_value,
        "owner": situation.cube_owner,
        "offer": situation.offer,
        "score": list(situation.score),
        "length": situation.length,
        "crawford": situation.crawford,
        "ids": identifiers(situation),
        "tree": None if legal is None else [list(edges) for edges in legal.nodes],
        "warning": warning(position),
        "error": error,
        "played": turn.play if turn else "",
        "animate": [list(move) for move in animate],
    }


def continuations_of(situation: Situation, mode: str) -> Continuations | None:
    """The ways to play the roll, None where there is nothing to play."""
    if mode != "play" or situation.dice is None or situation.position.result is not None:
        return None
    return continuations(situation.position, situation.dice)


def after(situation: Situation, turn: Turn) -> Situation:
    """The situation when the turn has been played and the dice are up, seen by the same player."""
    return replace(situation, position=turn.after, dice=None)


def identifiers(situation: Situation) -> dict[str, str]:
    """The texts other programs read, without those that cannot say this situation."""
    found = {"Position ID": situation.position.id}
    for name, key in (("GNU ID", "gnu_id"), ("XGID", "xgid")):
        try:
            found[name] = getattr(situation, key)
        except InputError:
            continue
    return found


def warning(position: Position) -> str:
    """Why no game, or no further turn, is to be had from a position; "" for an ordinary one."""
    if position.result is not None:
        return "The game is over."
    # A side with checkers on the bar that moved last must have entered one, and it still stands where it entered.
    if all(side[24] and not any(side[18:24]) for side in (position.me, position.opp)):
        return UNREACHABLE
    return ""


def reply_to(message: dict[str, Any]) -> tuple[str, int]:
    """Which page sent the message, and the message's number there."""
    client, sequence = message.get("client"), message.get("sequence")
    return (client, sequence) if isinstance(client, str) and type(sequence) is int else ("", 0)


def path_of(message: dict[str, Any]) -> list[tuple[int, int]]:
    """The moves (point, die) of a finished turn."""
    path = message.get("path")
    if isinstance(path, list) and all(
        isinstance(move, list) and len(move) == 2 and all(type(number) is int for number in move)
        for move in path
    ):
        return [(point, die) for point, die in path]
    raise InputError("The page sent a turn that cannot be read: reload the page.")


def edited(situation: Situation, message: dict[str, Any]) -> Situation:
    """The situation that the page's editor made of this one."""
    position = situation.position
    me, opp = message.get("me"), message.get("opp")
    if not (isinstance(me, list) and isinstance(opp, list)):
        raise InputError("The page sent a position that cannot be read: reload the page.")
    dice = message.get("dice")
    score, length = message.get("score", situation.score), message.get("length", situation.length)
    return replace(
        situation,
        position=Position(tuple(me[1:]), tuple(opp[1:]), position.checkers),
        dice=None if dice is None else tuple(dice),
        offer="" if dice else situation.offer,
        cube_value=message.get("cube", situation.cube_value),
        cube_owner=message.get("owner", situation.cube_owner),
        score=tuple(score),
        length=length,
        crawford=bool(may_be_crawford(score, length) and message.get("crawford", situation.crawford)),
        jacoby=situation.jacoby and not length,
        beavers=situation.beavers and not length,
        bottom=situation.bottom != bool(message.get("turned")),
    )
