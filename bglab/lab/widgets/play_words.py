"""What is said of a contest to the person who plays it."""

from __future__ import annotations

import re

from bglab.errors import InputError
from bglab.lab.widgets.standing import Standing
from bglab.rules.reference import legal_turns

PERSON, AGENT = 0, 1


def awaited(contest: Standing, name: str, wants_dice: bool) -> str:
    """What is to be done next, by whom. wants_dice: the agent waits for dice thrown by hand."""
    state = contest.state
    if state in ("game over", "match over"):
        return _result(contest, name)
    if state == "opening":
        return "Roll to open the game: the higher die begins."
    if contest.player == AGENT:
        return f"Type the roll of {name}." if wants_dice else f"{name} is thinking…"
    if state == "roll":
        return "Roll, or double." if contest.may_double else "Roll."
    if state == "answer":
        return f"{name} doubles to {2 * contest.situation.cube_value}: take or pass."
    dice = contest.dice
    assert dice is not None
    if not legal_turns(contest.situation.position, dice)[0].moves:
        return f"{dice[0]}-{dice[1]} cannot be played: click the dice to go on."
    return f"Play {dice[0]}-{dice[1]} on the board, then click the dice."


def _result(contest: Standing, name: str) -> str:
    last, score = contest.games[-1], contest.score
    if last.winner is None:
        return "The game was broken off."
    points = f"{last.points} point{'s' * (last.points != 1)}"
    won = f"You win {points}" if last.winner == PERSON else f"{name} wins {points}"
    if contest.state == "match over":
        return f"{won} and the match, {max(score)}-{min(score)}."
    return f"{won}. The score is {score[0]}-{score[1]}."


def heading(contest: Standing, name: str) -> str:
    """Game, score and seed in one line."""
    mine, theirs = contest.score
    length = contest.rules.length
    crawford = ", Crawford game" if contest.situation.crawford else ""
    what = f"match to {length}" if length else "money session" + ", Jacoby" * contest.jacoby
    score = f"You {mine}, {name} {theirs}"
    return f"Game {contest.game + 1} of a {what}{crawford}: {score}. Seed of the dice {contest.seed}."


def dice_in(text: str) -> tuple[int, int]:
    """Dice as somebody writes them: "31", "3-1", "3 1"."""
    found = re.fullmatch(r"\s*([1-6])\s*[-,; ]?\s*([1-6])\s*", text)
    if found is None:
        raise InputError(f"Two dice from 1 to 6 are expected, such as 31, not {text!r}.")
    return int(found[1]), int(found[2])
