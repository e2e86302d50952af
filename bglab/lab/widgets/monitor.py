"""Training watched live: the curves of a run that goes on in the background, with stop and resume."""

from __future__ import annotations

import base64
import html
import threading
import time
from pathlib import Path

import ipywidgets as widgets  # type: ignore[import-untyped]
import pandas as pd

from bglab.errors import InputError
from bglab.lab.widgets.course import Course
from bglab.lab.widgets.course_plot import picture
from bglab.lab.widgets.saved import Saved
from bglab.play.agent import Agent
from bglab.play.names import DEFAULT, load
from bglab.training.loop import Run
from bglab.training.recipe import Recipe

PAUSE = 1.0
"""Seconds between two redraws, at least; more where drawing takes long."""


class TrainingMonitor(Saved, widgets.VBox):
    """A run of `bglab.train` in the background: loss, games per second, and strength against a fixed opponent.

    recipe, seed : as for `train`, and the network is the same bit for bit. folder : for the checkpoint and the finished
    network, a temporary one if None; a run that is there already is gone on with. opponent : an agent, or a name that
    `bglab.load` knows, None for no duels. every : rounds from one duel to the next. games : of a duel. start : begin at
    once. Attributes: `run`, the `Run` once it has ended or was stopped; `agent`, the network as it is now; `curve` and
    `strength`, the tables. Methods: `resume`, `stop`, which ends after the round at hand with a checkpoint, and `wait`.
    """

    def __init__(
        self,
        recipe: Recipe,
        seed: int = 0,
        folder: str | Path | None = None,
        opponent: str | Agent | None = DEFAULT,
        every: int = 20,
        games: int = 1000,
        start: bool = True,
    ) -> None:
        if not isinstance(recipe, Recipe):
            raise InputError(f"A monitor watches a Recipe, not {recipe!r}: make one with bglab.Recipe.")
        rival = load(opponent) if isinstance(opponent, str) else opponent
        self.course = Course(recipe, seed, folder, rival, every, games, self._changed)
        self._drawing, self._drawn_at, self._pause = threading.Lock(), 0.0, PAUSE
        self._began: tuple[float, int] | None = None
        self.image = widgets.Image(format="png", layout={"width": "100%", "max_width": "1000px"})
        self.go = widgets.Button(description="Start", icon="play", button_style="primary")
        self.halt = widgets.Button(description="Stop", icon="stop", disabled=True)
        self.bar = widgets.FloatProgress(min=0, max=1, layout={"width": "260px"})
        self.status = widgets.HTML()
        self.go.on_click(lambda _: self.resume())
        self.halt.on_click(lambda _: self.stop())
        row = widgets.HBox(
            [self.go, self.halt, self.bar, self.status],
            layout={"flex_flow": "row wrap", "align_items": "center"},
        )
        super().__init__([row, self.image])
        self._tell()
        if start:
            self.resume()

    def resume(self) -> None:
        """Begin, or go on after a stop."""
        self._began = None
        self.course.start()
        self._tell()

    def stop(self) -> None:
        """End after the round at hand, with a checkpoint."""
        self.course.stop()
        self._tell()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, or so long; whether it has come."""
        return self.course.wait(seconds)

    @property
    def run(self) -> Run | None:
        """What `train` returns, once the run has ended; unfinished if it was stopped."""
        return self.course.run

    @property
    def agent(self) -> Agent | None:
        """The network as it is now, as an agent; None before the first round."""
        return self.course.agent

    @property
    def curve(self) -> pd.DataFrame:
        """One row a round: games, positions, loss (nats), too_long, seconds."""
        return self.course.curve

    @property
    def strength(self) -> pd.DataFrame:
        """One row a duel: round, games trained, points per game with its 95 % interval, n (deals of dice)."""
        return self.course.strength

    def _changed(self) -> None:
        """Called in the run's thread: what has changed is told at once, the curves are drawn again now and then."""
        course = self.course
        if self._began is None:
            self._began = time.monotonic(), course.trained
        over = not course.running
        if over or time.monotonic() - self._drawn_at > self._pause:
            self._draw()
        self._tell()
        if over:
            self.refresh_saved()

    def _draw(self) -> None:
        curve = self.course.curve
        if curve.empty:
            return
        rival = self.course.opponent
        with self._drawing:
            began = time.monotonic()
            self.image.value = picture(
                curve, self.course.strength, None if rival is None else rival.name, self.course.recipe.games
            )
            self._drawn_at = time.monotonic()
            # Drawing takes at most a tenth of the run's time.
            self._pause = max(PAUSE, 10 * (self._drawn_at - began))

    def _tell(self) -> None:
        course = self.course
        done, total = course.trained, course.recipe.games
        self.bar.value = done / total
        self.bar.bar_style = "danger" if course.error else "success" if course.finished else "info"
        self.go.disabled = course.running or course.finished
        self.go.description = "Resume" if course.rounds or course.error else "Start"
        self.halt.disabled = not course.running or course.stopping
        words = self._words(done, total)
        self.status.value = f'<span role="status">{html.escape(words)}</span>'

    def _words(self, done: int, total: int) -> str:
        course = self.course
        games = f"{done:,} of {total:,} games"
        if not done and course.rounds:
            games += f", {course.rounds} round{'s' * (course.rounds != 1)} under way"
        if course.error:
            return f"{course.error} ({games})"
        if course.finished:
            return f"finished: {games}; the network is in .run and .agent"
        if not course.running:
            return (
                f"stopped after {games}; Resume goes on from there"
                if course.rounds
                else f"not started, {games}"
            )
        if course.stopping:
            return f"stopping after this round… ({games})"
        if course.dueling and course.opponent is not None:
            return f"{games}; playing {course.games:,} games against {course.opponent.name}…"
        began, first = self._began or (time.monotonic(), done)
        passed = time.monotonic() - began
        if done == first or passed <= 0:
            return f"{games}…" if course.rounds else "compiling…"
        left = (total - done) * passed / (done - first)
        return f"{games}, {(done - first) / passed:,.0f} a second with duels, {_time(left)} left"

    def static(self) -> dict[str, str]:
        """The curves as a picture."""
        words = self._words(self.course.trained, self.course.recipe.games)
        name = html.escape(self.course.recipe.name)
        data = base64.b64encode(self.image.value).decode()
        drawn = f'<img alt="curves of the training run" style="max-width:100%" src="data:image/png;base64,{data}">'
        return {
            "text/plain": f"Training of {self.course.recipe.name}: {words}",
            "text/html": f"<p>{name}: {html.escape(words)}</p>{drawn if data else ''}",
        }


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
