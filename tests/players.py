"""Agents for tests in which several processes play real matches."""

from __future__ import annotations

import time

import jax
import numpy as np

from bglab import Agent, NetworkSpec
from bglab.value.network import init


def _nothing(positions, cube=None):
    """An evaluator nobody asks."""
    return np.zeros(len(positions), np.float32)


class Lucky(Agent):
    """Moves no checker: it wins a game by a high roll, so that matches are real but nothing is compiled for them.

    Importable, as what is sent to other processes must be, and a little slow, so that these can be killed meanwhile.
    """

    def __init__(self, name: str, wins_from: int) -> None:
        super().__init__(name, _nothing)
        self.wins_from = wins_from

    def choose_many(self, positions, dice, checkers=15):
        time.sleep(0.002)
        return positions, np.where(dice.sum(1) >= self.wins_from, 1 + (dice[:, 0] == dice[:, 1]), 0)

    def cube_many(self, positions, owner, live):
        return live, np.full(len(positions), self.wins_from < 11)


class Bold(Agent):
    """Has a setting of its own."""

    def __init__(self, name: str, evaluator, boldness: float) -> None:
        super().__init__(name, evaluator)
        self.boldness = boldness


def agent(name: str, seed: int = 0) -> Agent:
    """A small untrained network."""
    return Agent(name, init(NetworkSpec((8,)), jax.random.key(seed)))
