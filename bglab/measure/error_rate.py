"""Error rates: what an agent gives up against a reference corpus, per decision, with intervals by game.

Decisions of one game are not independent of one another, so games are resampled (bootstrap), and standard errors come
from the spread between games.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int, UInt32
from tqdm.auto import tqdm

from bglab.errors import InputError
from bglab.measure.corpus import CheckerCorpus, Corpus, CubeCorpus
from bglab.measure.kept import kept_results
from bglab.play.agent import Agent
from bglab.rules.planes import contact
from bglab.statistics import Estimate

MILLI = 1000
PR = 500
"""Performance rating per point of mean error (XG's; GNU Backgammon's error rate in mEq is twice as large)."""
RESAMPLES = 4000
OPENING = 8
"""Plies of a game that count as its opening."""
TOLERANCE = 5e-6
"""Points within which two turns count as equally good: half of what a corpus resolves."""


def performance_rating(error: float, decisions: int) -> float:
    """PR of a total error in points over unforced or close decisions."""
    return PR * error / decisions


def snowie_error_rate(error: float, moves: int) -> float:
    """Snowie's error rate: millipoints per move of both players, forced ones too."""
    return MILLI * error / moves


@dataclass(frozen=True)
class ErrorRate:
    """What an agent gives up over the decisions of a corpus.

    loss: float64[n], points given up. choice: int[n], what was chosen (the row of the turn; for the cube 1 is to
    double, or to take). game: int[n]. phase: str[n].
    """

    agent: str
    corpus: str
    loss: Float[np.ndarray, "n"] = field(repr=False)
    choice: Int[np.ndarray, "n"] = field(repr=False)
    game: Int[np.ndarray, "n"] = field(repr=False)
    phase: np.ndarray = field(repr=False)

    @cached_property
    def mean(self) -> Estimate:
        """Millipoints per decision."""
        return by_game(self.loss * MILLI, self.game, "millipoints per decision")

    @cached_property
    def pr(self) -> Estimate:
        """Performance rating: 500 times the mean error; every decision of a corpus is unforced, or close."""
        return self.mean.scaled(PR / MILLI, "PR")

    @cached_property
    def agreement(self) -> Estimate:
        """Share of decisions in which the agent chooses what the reference likes best, or as much."""
        return by_game((self.loss <= TOLERANCE).astype(float), self.game, "of decisions")

    def quantile(self, q: float) -> float:
        """Millipoints that a share q of the decisions do not exceed."""
        return float(np.quantile(self.loss, q) * MILLI)

    @property
    def worst(self) -> float:
        """Millipoints of the worst decision."""
        return float(self.loss.max() * MILLI)

    def by_phase(self) -> pd.DataFrame:
        """Millipoints per decision with 95 % interval, agreement and n in each phase."""
        rows = []
        for phase in dict.fromkeys(self.phase.tolist()):
            here = self.only(self.phase == phase)
            rows.append(
                (phase, here.mean.value, here.mean.low, here.mean.high, here.agreement.value, len(here.loss))
            )
        return pd.DataFrame(rows, columns=["phase", "mpd", "low", "high", "agreement", "n"])

    def only(self, kept: Bool[np.ndarray, "n"]) -> ErrorRate:
        """The same of some decisions."""
        arrays = (each[kept] for each in (self.loss, self.choice, self.game, self.phase))
        return ErrorRate(self.agent, self.corpus, *arrays)

    def row(self) -> dict[str, Any]:
        """All figures in one row of a table."""
        return {
            "agent": self.agent,
            "corpus": self.corpus,
            "mpd": self.mean.value,
            "low": self.mean.low,
            "high": self.mean.high,
            "PR": self.pr.value,
            "agreement": self.agreement.value,
            "median": self.quantile(0.5),
            "90 %": self.quantile(0.9),
            "worst": self.worst,
            "n": len(self.loss),
            "games": len(np.unique(self.game)),
        }

    def __str__(self) -> str:
        mean, pr, agreement = self.mean, self.pr, self.agreement
        lines = [
            f"{self.agent} on {self.corpus}: {mean.value:.2f} millipoints per decision (95 % {mean.low:.2f} to "
            f"{mean.high:.2f}), PR {pr.value:.2f} ({pr.low:.2f} to {pr.high:.2f})",
            f"  {len(self.loss):,} decisions of {len(np.unique(self.game)):,} games; chooses the best in "
            f"{agreement.value:.1%} (95 % {agreement.low:.1%} to {agreement.high:.1%})",
            f"  median {self.quantile(0.5):.1f}, 90th percentile {self.quantile(0.9):.1f}, worst {self.worst:.0f}",
        ]
        for each in self.by_phase().itertuples():
            lines.append(
                f"  {each.phase:<9} {each.mpd:7.2f} (95 % {each.low:.2f} to {each.high:.2f}), "
                f"best in {each.agreement:.1%}, n = {each.n:,}"
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class Comparison:
    """Two agents over the same decisions: how much more the first gives up, and how often they choose alike."""

    first: str
    second: str
    difference: Estimate
    same: Estimate

    @property
    def z(self) -> float:
        """Standard errors between the two."""
        return self.difference.z

    def __str__(self) -> str:
        d = self.difference
        return (
            f"{self.first} gives up {abs(d.value):.2f} ± {d.error:.2f} millipoints per decision "
            f"{'more' if d.value >= 0 else 'less'} than {self.second} (the difference is {d.value:+.2f}, 95 % "
            f"{d.low:+.2f} to {d.high:+.2f}, z = {d.z:.1f}, n = {d.n:,}); "
            f"the same choice in {self.same.value:.1%}"
        )


def compare(first: ErrorRate, second: ErrorRate) -> Comparison:
    """A paired comparison over the decisions of one corpus."""
    if first.corpus != second.corpus or len(first.loss) != len(second.loss):
        raise InputError(
            f"{first.agent} and {second.agent} answered different decisions: measure both on one corpus."
        )
    difference = by_game((first.loss - second.loss) * MILLI, first.game, "millipoints per decision")
    same = by_game((first.choice == second.choice).astype(float), first.game, "of decisions")
    return Comparison(first.agent, second.agent, difference, same)


def _check_games(game: Int[np.ndarray, "n"]) -> None:
    if len(np.unique(game)) < 2:
        raise InputError("An error rate needs decisions of at least 2 games: use a larger corpus.")


def by_game(values: Float[np.ndarray, "n"], game: Int[np.ndarray, "n"], unit: str) -> Estimate:
    """Mean over decisions; its standard error from the spread between games, its 95 % interval by resampling games."""
    _, which = np.unique(game, return_inverse=True)
    counts = np.bincount(which).astype(float)
    sums = np.bincount(which, values)
    games, n = len(counts), len(values)
    _check_games(game)
    mean = sums.sum() / n
    error = math.sqrt(games / (games - 1) * float(((sums - mean * counts) ** 2).sum())) / n
    drawn = np.random.default_rng(0).multinomial(games, np.full(games, 1 / games), RESAMPLES)
    means = drawn @ sums / (drawn @ counts)
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(float(mean), error, n, unit, (float(low), float(high)))


def error_rate(
    agent: Agent,
    corpus: Corpus,
    *,
    executor: Executor | None = None,
    chunk: int = 40,
    folder: Path | None = None,
    progress: bool = False,
) -> ErrorRate:
    """What the agent gives up over a corpus: turns of a checker corpus; doubles, and takes, of a cube corpus.

    Decisions are answered `chunk` at a time, on an executor of processes or a cluster if there is one. In a cube corpus
    every position asks twice: whether to double, and, the other side, whether to take if doubled. `folder`, of this
    agent and corpus alone, keeps answers to turns, so that an interrupted measurement goes on there.
    """
    for what, thing, kind in (("agent", agent, Agent), ("corpus", corpus, CheckerCorpus | CubeCorpus)):
        if not isinstance(thing, kind):
            remedy = {"agent": "bglab.load", "corpus": "bglab.measure.corpus.load_corpus"}[what]
            raise InputError(
                f"An error rate is of an agent over a corpus, and {thing!r} is no {what}: use {remedy}."
            )
    _check_games(corpus.game)
    if isinstance(corpus, CubeCorpus):
        return _cube_error_rate(agent, corpus)
    n = len(corpus)
    # The last decision fills up, so that few sizes are compiled.
    rows = [np.minimum(np.arange(k, k + chunk), n - 1) for k in range(0, n, chunk)]
    kept = [None if folder is None else folder / f"{chunk}-{k:05d}.json" for k in range(len(rows))]
    calls = [(agent, corpus.positions[each], corpus.dice[each]) for each in rows]
    with tqdm(total=n, disable=not progress, unit=" decisions") as bar:
        found = kept_results(_chosen, calls, kept, "answers", executor, lambda after: bar.update(len(after)))
    after = np.concatenate([np.array(each, np.uint32) for each in found])[:n]
    choice = corpus.rows_of(after)
    loss = corpus.equity[corpus.first[:-1]] - corpus.equity[choice]
    return ErrorRate(
        agent.name,
        str(corpus.about.get("name", "")),
        loss,
        choice,
        corpus.game,
        phases(corpus.positions, corpus.ply),
    )


def _chosen(agent: Agent, positions: np.ndarray, dice: np.ndarray) -> list[list[int]]:
    return np.asarray(agent.choose_many(positions, dice)[0]).tolist()


def phases(positions: UInt32[np.ndarray, "n 8"], ply: Int[np.ndarray, "n"]) -> np.ndarray:
    """The phase of each position, str[n]: opening (the first 8 plies), race (no contact), or contact."""
    touching = np.asarray(contact(jnp.asarray(positions)))
    return np.where(~touching, "race", np.where(np.asarray(ply) < OPENING, "opening", "contact"))


def _cube_error_rate(agent: Agent, corpus: CubeCorpus) -> ErrorRate:
    double, take = agent.cube_many(
        corpus.positions, corpus.owner.astype(np.int32), np.ones(len(corpus), bool)
    )
    loss, game, choice, phase = [], [], [], []
    for name, chose, regret in (("double", double, double_loss), ("take", take, take_loss)):
        loss.append(regret(corpus.hold, corpus.taken, chose))
        game.append(corpus.game)
        choice.append(np.asarray(chose).astype(np.int64))
        phase.append(np.full(len(corpus), name))
    return ErrorRate(
        agent.name,
        str(corpus.about.get("name", "")),
        *(np.concatenate(each) for each in (loss, choice, game, phase)),
    )


Loss = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def double_loss(
    hold: Float[np.ndarray, "n"], taken: Float[np.ndarray, "n"], double: Bool[np.ndarray, "n"]
) -> Float[np.ndarray, "n"]:
    """Points per unit of the cube that doubling, or not, gives up against the other side's right answer."""
    doubled = np.minimum(taken, 1)
    return np.maximum(hold, doubled) - np.where(double, doubled, hold)


def take_loss(
    hold: Float[np.ndarray, "n"], taken: Float[np.ndarray, "n"], take: Bool[np.ndarray, "n"]
) -> Float[np.ndarray, "n"]:
    """Points per unit of the cube before the double that taking, or passing, gives up."""
    return np.where(take, taken, 1) - np.minimum(taken, 1)
