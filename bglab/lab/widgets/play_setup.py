"""Who plays, who judges, with which dice: what a person's contest with an agent begins with."""

from __future__ import annotations

import random

from bglab.errors import InputError
from bglab.lab.widgets.contest import SEED
from bglab.play.agent import Agent
from bglab.play.names import DEFAULT, MATCH, FirstTurn, load
from bglab.records.record import Match

OPPONENT = "Opponent"
"""The tag of a record that says by what name `bglab.load` knows the opponent."""


def opponent_of(given: str | Agent | None, length: int) -> Agent:
    """The agent meant; the shipped network if none is, with match equities in a match."""
    if given is None:
        given = DEFAULT + MATCH * bool(length)
    return given if isinstance(given, Agent) else load(given)


def judge_of(given: str | Agent | None, opponent: Agent) -> Agent:
    """The judge meant; the opponent if none is and it counts in points, else the shipped network."""
    if given is None:
        fit = opponent.currency == "equity" and not isinstance(opponent.static, FirstTurn)
        given = opponent if fit else DEFAULT
    agent = given if isinstance(given, Agent) else load(given)
    if agent.currency != "equity":
        raise InputError(f"{agent.name} counts in {agent.currency}, not in points: choose another judge.")
    return agent


def seed_of(given: int | None, match: Match) -> int:
    """The seed given, or the record's, or a new one."""
    if given is not None:
        return given
    told = dict(match.tags).get(SEED, "")
    return int(told) if told.isdecimal() and int(told) < 1 << 32 else random.randrange(1_000_000)


def record_of(name: str, opponent: str, length: int, crawford: bool, jacoby: bool) -> Match:
    """The record that a new contest begins with; other programs end a name in .mat files at its first colon."""
    return Match(
        (name.replace(":", " "), opponent.replace(":", " ")),
        length,
        crawford=crawford,
        jacoby=jacoby and not length,
        tags=((OPPONENT, opponent),),
    )


def named_in(match: Match) -> Agent:
    """The opponent that a log names."""
    name = dict(match.tags).get(OPPONENT, match.players[1])
    try:
        return load(name)
    except InputError:
        raise InputError(
            f"The log's opponent {name!r} is no agent that bglab.load knows: pass opponent."
        ) from None
