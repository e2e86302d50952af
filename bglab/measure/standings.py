"""What a tournament says: standings, head-to-head shares, and what duplicate dice were worth."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.play.match import Matches, MatchRules, multiplier
from bglab.statistics import Estimate, complement, pooled_share


@dataclass(frozen=True)
class Tournament:
    """A finished round robin.

    results: the matches of every pairing, in the order (0, 1), (0, 2), …, (1, 2), … of the agents; seconds: the time
    that each pairing took the workers, added up.
    """

    agents: tuple[str, ...]
    rules: MatchRules
    seed: int
    results: tuple[Matches, ...] = field(repr=False)
    seconds: tuple[float, ...] = field(repr=False, compare=False)

    @cached_property
    def pairings(self) -> pd.DataFrame:
        """One row for each pairing, from the side of the agent named first.

        Columns: first, second, matches, wins, share with its 95 % interval low and high, d (matches won minus lost),
        z = d/√n, games per match, points per game (cube included), sweeps (share of pairs of matches with the same dice
        of which one agent won both), left out (matches in pairs with a game without end), seconds.
        """
        rows = []
        for result, seconds in zip(self.results, self.seconds, strict=True):
            share = result.share
            rows.append(
                {
                    "first": result.first,
                    "second": result.second,
                    "matches": result.matches,
                    "wins": result.wins,
                    "share": share.value,
                    "low": share.low,
                    "high": share.high,
                    "d": result.margin,
                    "z": result.z,
                    "games per match": result.games_per_match,
                    "points per game": result.points_per_game.value,
                    "sweeps": result.sweeps,
                    "left out": 2 * result.too_long,
                    "seconds": seconds,
                }
            )
        return pd.DataFrame(rows)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """One row for each agent, best first; equal shares have equal ranks.

        Columns: rank, agent, matches, wins, share with its 95 % interval low and high (over the dice, against this
        very field), z of all its matches against an even score, z next (head to head against the agent in the next
        row, NaN in the last), points per game (won minus lost, cube included), games per match.
        """
        table = pd.DataFrame([self._standing(agent) for agent in self.agents])
        table = table.sort_values("share", ascending=False, kind="stable", ignore_index=True)
        table.insert(0, "rank", table["share"].rank(method="min", ascending=False).astype(int))
        agents = table["agent"].tolist()
        next_z = [self._z(one, other) for one, other in pairwise(agents)]
        table.insert(table.columns.get_loc("z") + 1, "z next", [*next_z, math.nan])
        return table

    def _standing(self, agent: str) -> dict[str, str | int | float]:
        own = [(result, result.first == agent) for result in self.results if agent in _names(result)]
        share = pooled_share([_seen(result, first) for result, first in own])
        wins = sum(result.wins if first else result.matches - result.wins for result, first in own)
        matches = sum(result.matches for result, _ in own)
        games = sum(int(result.games.sum()) for result, _ in own)
        points = sum(int(result.points.sum()) * (1 if first else -1) for result, first in own)
        return {
            "agent": agent,
            "matches": matches,
            "wins": wins,
            "share": wins / matches,
            "low": share.low,
            "high": share.high,
            "z": (2 * wins - matches) / math.sqrt(matches),
            "points per game": points / games,
            "games per match": games / matches,
        }

    def between(self, one: str, other: str) -> Estimate:
        """The share of their matches that one agent won against another."""
        result = self.pairing(one, other)
        return _seen(result, result.first == one)

    def pairing(self, one: str, other: str) -> Matches:
        """The matches of two agents, in whichever order they were named."""
        for result in self.results:
            if {one, other} == set(_names(result)):
                return result
        raise InputError(f"{one!r} did not play {other!r}: name two of {', '.join(self.agents)}.")

    def _z(self, one: str, other: str) -> float:
        result = self.pairing(one, other)
        return result.z if result.first == one else -result.z

    @cached_property
    def head_to_head(self) -> pd.DataFrame:
        """The share of matches that the row's agent won against the column's, both by rank; NaN on the diagonal."""
        agents = self.standings["agent"].tolist()
        shares = np.full((len(agents), len(agents)), math.nan)
        for row, one in enumerate(agents):
            for column, other in enumerate(agents):
                if one != other:
                    shares[row, column] = self.between(one, other).value
        return pd.DataFrame(shares, index=agents, columns=agents)

    @property
    def multiplier(self) -> float:
        """How many independent matches a match with duplicate dice counts for; infinite where nobody swept a deal.

        See `bglab.play.match.multiplier`; between agents that play differently it is hardly above 1.
        """
        return multiplier(self.results)

    def to_csv(self, folder: str | Path) -> None:
        """Write standings.csv and pairings.csv into a folder."""
        for name, table in (("standings", self.standings), ("pairings", self.pairings)):
            path = Path(folder) / f"{name}.csv"
            try:
                write_atomically(path, table.to_csv(index=False, float_format="%.6g").encode())
            except OSError as error:
                reason = error.strerror or error
                raise InputError(f"{path} cannot be written ({reason}): choose another folder.") from None

    @property
    def title(self) -> str:
        """What was played, in words."""
        matches = sorted({result.matches + 2 * result.too_long for result in self.results})
        number = " to ".join(f"{number:,}" for number in dict.fromkeys((matches[0], matches[-1])))
        left_out = sum(2 * result.too_long for result in self.results)
        return (
            f"{len(self.agents)} agents, {number} matches per pairing {self.rules}; half of them have the other half's "
            f"dice with seats exchanged; seed {self.seed}"
            + (f"; {left_out} matches left out" if left_out else "")
        )

    def _shown(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Standings and head-to-head shares as people read them: shares in percent, agents numbered by row."""
        table = self.standings.copy()
        for name in ("share", "low", "high"):
            table[name] = (100 * table[name]).map("{:.1f} %".format)
        for name, form in (("z", "{:+.1f}"), ("z next", "{:+.1f}"), ("points per game", "{:+.3f}")):
            table[name] = ["" if math.isnan(value) else form.format(value) for value in table[name]]
        table["games per match"] = table["games per match"].map("{:.1f}".format)
        matrix = (100 * self.head_to_head).map(lambda share: "" if math.isnan(share) else f"{share:.1f}")
        numbers = [str(k + 1) for k in range(len(matrix))]
        matrix.index = pd.Index([f"{k} {agent}" for k, agent in zip(numbers, matrix.index, strict=True)])
        matrix.columns = pd.Index(numbers)
        return table, matrix

    def _notes(self) -> tuple[str, str]:
        pairs = sum(len(result.won) for result in self.results)
        return (
            "Head to head: matches won (%) by the row's agent against the column's",
            f"Duplicate dice made a match worth {self.multiplier:.2f} independent ones (n = {pairs:,} pairs).",
        )

    def __str__(self) -> str:
        table, matrix = self._shown()
        heading, worth = self._notes()
        return f"{self.title}\n\n{table.to_string(index=False)}\n\n{heading}\n{matrix.to_string()}\n\n{worth}"

    def _repr_html_(self) -> str:
        table, matrix = self._shown()
        heading, worth = map(html.escape, self._notes())
        return (
            f"<p>{html.escape(self.title)}</p>{table.to_html(index=False, border=0)}"
            f"<p>{heading}</p>{matrix.to_html(border=0)}<p>{worth}</p>"
        )


def _names(result: Matches) -> tuple[str, str]:
    return result.first, result.second


def _seen(result: Matches, first: bool) -> Estimate:
    """The share of matches won, from either side."""
    return result.share if first else complement(result.share)
