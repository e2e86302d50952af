"""Matches by the thousand: two agents, the cube, the Crawford rule, and every match played twice with the same dice.

Decided by matches won, whatever the points (document 000, sections 6.1 to 6.3). Cube decisions are each agent's own:
money theory, as in the document, or match equities where the agent has a table. The document's table of rules was lost;
these are played:

- A match is to `length` points or more. Seat 0 begins the even games, seat 1 the odd ones; the beginner's first roll
  is an opening roll, which is no double.
- The cube starts each game in the middle at 1. The side on roll may double before its roll, except before the
  first roll of a game, if the cube is in the middle or its own; a side that passes loses the cube's present value.
- The cube is never turned beyond the smallest power of two that is at least `length`, so a match to 1 has no cube.
- Nobody doubles when the present cube already wins the match for him: the double could only help the opponent.
- In the Crawford game, the first after a side comes within 1 point of winning, nobody doubles.
- Gammons and backgammons count two and three times the cube (there is no Jacoby rule in matches); no beavers.
- For a take, the cube counts as live if the taker could turn it once more under the cap and the doubled cube does not
  already win the match for him.
- A game of more than 4096 plies is given up; its match and the match's mirror are left out and counted.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from bglab.errors import InputError
from bglab.play.agent import Agent, twin
from bglab.play.lockstep import LONGEST, Matchplay, lanes_for, play_all
from bglab.rules.dice import seeded
from bglab.statistics import Estimate, mean, share


@dataclass(frozen=True)
class MatchRules:
    """What a match is: to `length` points, with or without the cube, and with or without the Crawford rule.

    Raises `InputError` for a length that is no whole number from 1 to 1000, or switches other than True and False.
    """

    length: int = 11
    cube: bool = True
    crawford: bool = True

    def __post_init__(self) -> None:
        if type(self.length) is not int or not 1 <= self.length <= 1000:
            raise InputError(f"A match is to a whole number of 1 to 1000 points, not {self.length!r}.")
        for name in ("cube", "crawford"):
            if type(getattr(self, name)) is not bool:
                raise InputError(f"{name} is True or False, not {getattr(self, name)!r}.")

    def __str__(self) -> str:
        cube = "with the cube" if self.cube else "without the cube"
        return f"to {self.length}, {cube}" + (", no Crawford rule" if self.cube and not self.crawford else "")


@dataclass(frozen=True)
class Matches:
    """The result of matches, from the first agent's side.

    won: bool[pairs, 2], whether the first agent won, in seat 0 and in seat 1 (with `duplicate` by the same dice).
    games: int[pairs, 2], games in each match. points: int[pairs, 2], points the first agent won minus those it lost,
    cube included. too_long: pairs left out because a game was given up.
    """

    first: str
    second: str
    rules: MatchRules
    seed: int
    won: Bool[np.ndarray, "pairs 2"] = field(repr=False)
    games: Int[np.ndarray, "pairs 2"] = field(repr=False)
    points: Int[np.ndarray, "pairs 2"] = field(repr=False)
    duplicate: bool = True
    too_long: int = 0

    @property
    def matches(self) -> int:
        return self.won.size

    @property
    def wins(self) -> int:
        """Matches that the first agent won."""
        return int(self.won.sum())

    @cached_property
    def share(self) -> Estimate:
        """Share of matches the first agent wins; the error comes from the spread between pairs."""
        return share(self.won.sum(1), 2, "of matches")

    @property
    def margin(self) -> int:
        """Matches the first agent won minus those it lost, d."""
        return 2 * self.wins - self.matches

    @property
    def z(self) -> float:
        """d / √n, standard errors from a dead heat for n independent matches (document 000, section 6.3)."""
        return self.margin / math.sqrt(self.matches) if self.matches else 0.0

    @property
    def sweeps(self) -> float:
        """Share of pairs in which the same agent won both matches."""
        return float((self.won[:, 0] == self.won[:, 1]).mean()) if len(self.won) else math.nan

    @property
    def games_per_match(self) -> float:
        return float(self.games.mean()) if len(self.won) else math.nan

    @cached_property
    def points_per_game(self) -> Estimate:
        """Points per game of the first agent, cube included; a ratio of means over pairs, n counts pairs."""
        per_pair = self.games.sum(1).mean()
        ratio = float(self.points.sum() / self.games.sum())
        spread = mean((self.points.sum(1) - ratio * self.games.sum(1)) / per_pair)
        return Estimate(ratio, spread.error, spread.n, "points per game")

    def __str__(self) -> str:
        lines = [
            f"{self.first} v {self.second}: {self.wins:,} of {self.matches:,} matches {self.rules}, "
            f"margin {self.margin:+,}, z = {self.z:.1f}"
        ]
        if len(self.won) > 1:
            estimate = self.share
            lines.append(f"  {estimate.value:.2%} (95 % {estimate.low:.2%} to {estimate.high:.2%})")
        if len(self.won):
            dice = "played twice with the same dice" if self.duplicate else "each match with its own dice"
            lines.append(
                f"  {len(self.won):,} pairs, {dice}, {self.sweeps:.2%} swept; {self.games_per_match:.2f} games "
                f"per match, seed {self.seed}"
            )
        if self.too_long:
            lines.append(f"  {self.too_long} pairs left out: a game took more than {LONGEST} plies")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def multiplier(results: Sequence[Matches]) -> float:
    """How many independent matches one duplicate match is worth: expected over observed share of swept pairs.

    Without shared dice a pairing sweeps p² + (1 − p)² of its pairs, p its share of matches won; the mean over the
    pairings, each weighted by its pairs, is the expectation (document 000, section 6.2). Infinite where nothing was
    swept. Raises `InputError` without pairs.
    """
    pairs = np.array([len(result.won) for result in results])
    if not pairs.sum():
        raise InputError("A multiplier needs pairs of matches: play some.")
    p = np.array([result.wins / max(result.matches, 1) for result in results])
    expected = pairs @ (p**2 + (1 - p) ** 2)
    observed = sum(int((result.won[:, 0] == result.won[:, 1]).sum()) for result in results)
    return float(expected / observed) if observed else math.inf


def play_matches(
    first: Agent,
    second: Agent,
    matches: int,
    rules: MatchRules = MatchRules(),
    seed: int = 0,
    *,
    lanes: int = 1024,
    progress: bool = True,
    duplicate: bool = True,
) -> Matches:
    """Play matches between two agents, in pairs with the seats exchanged.

    Args: matches, an even number of at least 2; seed, 0 to 2**32 − 1; lanes, the most games side by side, which does
    not change the result (fewer are used where the matches are few); duplicate, whether both matches of a pair have
    the same dice. Dice come from the seed, the pair, the game's number and the ply alone. Two agents that play alike
    win one match of every duplicate pair each. Raises `InputError` for anything else.
    """
    for agent in (first, second):
        if not isinstance(agent, Agent):
            raise InputError(
                f"A match is between agents, not {agent!r}: use bglab.load, or bglab.Agent(name, network)."
            )
        if agent.table is not None and isinstance(rules, MatchRules) and rules.length > agent.table.length:
            raise InputError(
                f"The match equities of {agent.name} go to {agent.table.length} points, not to {rules.length}: play "
                "shorter matches, or give it a longer table."
            )
    if not isinstance(rules, MatchRules):
        raise InputError(f"The rules of a match are bglab.MatchRules(length), not {rules!r}.")
    if type(matches) is not int or matches < 2 or matches % 2:
        raise InputError(
            f"Matches are played in pairs with the seats exchanged, so {matches!r} will not do: ask for an even "
            "number of at least 2."
        )
    if type(lanes) is not int or lanes < 2:
        raise InputError(f"Games side by side are a whole number of at least 2 lanes, not {lanes!r}.")
    key = seeded(seed)
    if second is first:
        second = twin(second)
    play = Matchplay((first, second), key, matches, rules.length, rules.cube, rules.crawford, bool(duplicate))
    play_all(play, matches, lanes_for(matches, lanes), progress)
    complete = ~play.given_up.reshape(-1, 2).any(1)
    score = play.score.reshape(-1, 2, 2)[complete]
    return Matches(
        first.name,
        second.name,
        rules,
        int(seed),
        score[..., 0] >= rules.length,
        play.games.reshape(-1, 2)[complete],
        score[..., 0] - score[..., 1],
        bool(duplicate),
        int((~complete).sum()),
    )
