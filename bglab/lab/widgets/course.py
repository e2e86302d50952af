"""A training run in the background, with its curves, that can be stopped and gone on with; nothing here is drawn."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from bglab.atomic import write_or_refuse
from bglab.errors import InputError
from bglab.measure.duel import duel
from bglab.play.agent import Agent
from bglab.rules.dice import seeded
from bglab.training.checkpoint import CURVE, State, identity, save_checkpoint
from bglab.training.loop import CHECKPOINT, Run, train
from bglab.training.recipe import Recipe
from bglab.value.network import Network

STRENGTH = "strength.csv"
COLUMNS = ("round", "games", "value", "low", "high", "n")
"""Of `Course.strength`: after which round and how many training games; points per game with its 95 % interval, n in
deals."""
DEALS = 0
"""The seed of the duels: the same dice at every measurement, so that luck moves the curve less."""


class _StopError(Exception):
    pass


class Course:
    """A run of `train`, the duels between its rounds, and what came of both.

    recipe, seed : as for `train`. folder : for the checkpoint and the network, a temporary one if None; what is there
    already is gone on with. opponent : None for no duels. every : rounds between two duels. games : of a duel, an even
    number. changed() is called in the run's thread after every round and duel, and at the end.

    A duel uses keys of its own, so it does not change a bit of the run.
    """

    def __init__(
        self,
        recipe: Recipe,
        seed: int,
        folder: str | Path | None,
        opponent: Agent | None,
        every: int,
        games: int,
        changed: Callable[[], object],
    ) -> None:
        seeded(seed)
        if type(every) is not int or every < 1:
            raise InputError(f"Strength is measured every 1 or more rounds, not {every!r}.")
        if type(games) is not int or games < 4 or games % 2:
            raise InputError(f"A duel is an even number of at least 4 games, not {games!r}.")
        self.recipe, self.seed, self.opponent, self.every, self.games = recipe, seed, opponent, every, games
        self._temporary = tempfile.TemporaryDirectory(prefix="bglab-") if folder is None else None
        self.folder = Path(self._temporary.name if folder is None else folder)  # type: ignore[union-attr]
        self.run: Run | None = None
        self.error = ""
        self.dueling = False
        self._changed = changed
        self._network: Network | None = None
        self._rows: list[tuple[float, ...]] = []
        self._strength: list[tuple[float, ...]] = []
        self._identity = identity(recipe, seed)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.running = False

    def start(self) -> None:
        """Begin, or go on after a stop; nothing if it runs."""
        if not self.running and not self.finished:
            self._stopping.clear()
            self.error, self.running = "", True
            self._thread = threading.Thread(target=self._train, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End after the round at hand, with a checkpoint."""
        self._stopping.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; whether it has come."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether it will end after the round at hand."""
        return self._stopping.is_set() and self.running

    @property
    def finished(self) -> bool:
        """Whether all games are trained."""
        return self.run is not None and self.run.finished

    @property
    def agent(self) -> Agent | None:
        """The network as it is, as an agent; None before the first round."""
        return None if self._network is None else Agent(self.recipe.name, self._network)

    @property
    def curve(self) -> pd.DataFrame:
        """One row a round, as `Run.curve`."""
        return pd.DataFrame(list(self._rows), columns=list(CURVE))

    @property
    def strength(self) -> pd.DataFrame:
        """One row a duel; its columns are `COLUMNS`."""
        return pd.DataFrame(list(self._strength), columns=list(COLUMNS))

    @property
    def rounds(self) -> int:
        """Rounds so far."""
        return len(self._rows)

    @property
    def trained(self) -> int:
        """Training games so far."""
        return int(self._rows[-1][0]) if self._rows else 0

    def _train(self) -> None:
        self._strength = self._read_strength()
        try:
            self.run = train(
                self.recipe,
                self.seed,
                out=self.folder,
                resume=True,
                progress=False,
                on_round=self._after_round,
            )
            self._rows = self.run.curve.to_numpy(float).tolist()
            self._network = self.run.network
            if not self._strength or self._strength[-1][0] < len(self._rows):
                self._measure()
        except _StopError:
            assert self._network is not None
            self.run = Run(self._network, self.recipe, self.seed, self.curve, False)
        except InputError as error:
            self.error = str(error)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
        self.running = False
        self._changed()

    def _after_round(self, state: State) -> None:
        self._network, self._rows = state.network, list(state.curve)
        self._changed()
        due = state.rounds % self.every == 0 and state.games < self.recipe.games
        if due and not self._stopping.is_set():
            self._measure()
        if self._stopping.is_set() and state.games < self.recipe.games:
            save_checkpoint(self.folder / CHECKPOINT, state, self._identity)
            raise _StopError

    def _measure(self) -> None:
        """A duel of the network as it is."""
        agent = self.agent
        if self.opponent is None or agent is None or any(row[0] == len(self._rows) for row in self._strength):
            return
        self.dueling = True
        self._changed()
        try:
            start = None if self.recipe.start == "standard" else self.recipe.position
            found = duel(agent, self.opponent, self.games, DEALS, start=start, progress=False).per_game
        finally:
            self.dueling = False
        row = (len(self._rows), self.trained, found.value, found.low, found.high, found.n)
        self._strength = [*self._strength, tuple(map(float, row))]
        write_or_refuse(self.folder / STRENGTH, self.strength.to_csv(index=False).encode(), "strength")
        self._changed()

    def _read_strength(self) -> list[tuple[float, ...]]:
        """What was measured before a stop."""
        try:
            table = pd.read_csv(self.folder / STRENGTH)[list(COLUMNS)]
        except (OSError, KeyError, ValueError):
            return []
        return [tuple(row) for row in np.asarray(table, float).tolist()]
