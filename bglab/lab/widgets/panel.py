"""One brain's place in the explorer: which one, how far it looks ahead, what it thinks, and how far it has got."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]

from bglab.errors import EngineError, InputError
from bglab.lab.widgets.brains import MOST_PLIES, Brains, brains, full_name, looks_ahead
from bglab.lab.widgets.latest import Latest
from bglab.lab.widgets.opinion import Opinion, Step, opinions
from bglab.lab.widgets.opinion_view import OpinionView
from bglab.rules.situation import Situation


class BrainPanel(widgets.VBox):
    """A menu of brains and plies, and the opinion of the one chosen, worked out in the background.

    heard() is called whenever the opinion has grown, ended() when it is complete or has failed. The rest of the
    arguments are those of `OpinionView`.
    """

    def __init__(
        self,
        loaded: Brains,
        brain: str,
        plies: int,
        *,
        heard: Callable[[], object],
        ended: Callable[[], object],
        **pointing: Callable[..., object],
    ) -> None:
        self._loaded, self._heard, self._ended = loaded, heard, ended
        self.opinion: Opinion | None = None
        self._situation: Situation | None = None
        self._marks: Mapping[str, Sequence[str]] = {}
        self._ply: dict[str, str] = {}
        self._latest: Latest[Step] = Latest(self._show, self._end)
        self._thread: threading.Thread | None = None
        self.brain = widgets.Combobox(
            value=brain,
            options=brains(),
            continuous_update=False,
            placeholder="a brain that bglab.load knows",
            layout={"flex": "1 1 200px", "min_width": "160px"},
        )
        self.plies = widgets.Dropdown(
            options=[(f"{plies}-ply", plies) for plies in range(MOST_PLIES + 1)],
            value=plies,
            layout={"width": "80px"},
        )
        self.cancel = widgets.Button(
            icon="stop", tooltip="stop thinking", layout={"width": "36px"}, disabled=True
        )
        self.progress = widgets.FloatProgress(min=0, max=1, layout={"width": "80px", "visibility": "hidden"})
        self.remove = widgets.Button(icon="times", tooltip="close this brain", layout={"width": "36px"})
        self.view = OpinionView(**pointing)
        for menu in (self.brain, self.plies):
            menu.observe(lambda _: self.again(), "value")
        self.cancel.on_click(lambda _: self.stop())
        row = widgets.HBox(
            [self.brain, self.plies, self.progress, self.cancel, self.remove],
            layout={"flex_flow": "row wrap"},
        )
        super().__init__([row, self.view], layout={"flex": "1 1 330px", "min_width": "320px"})

    @property
    def name(self) -> str:
        """The name of the agent chosen."""
        return full_name(self.brain.value.strip(), self.plies.value)

    def ask(self, situation: Situation) -> None:
        """Work out what the brain thinks of a situation; what was being worked out is called off."""
        self._situation, self.opinion = situation, None
        self.view.stale = True
        brain, plies = self.brain.value.strip(), self.plies.value
        self.plies.disabled = looks_ahead(brain)
        self.cancel.disabled = False

        def steps() -> Iterator[Step]:
            agent, shallow = self._loaded.load(brain, plies)
            names = [(agent, str(plies))] + ([] if shallow is None else [(shallow, "0")])
            self._ply = {each.name: "" if looks_ahead(brain) else words for each, words in names}
            yield from opinions(agent, situation, shallow)

        self._thread = self._latest.start(steps)

    def wait(self) -> None:
        """Return when all that was asked for is known."""
        if self._thread is not None:
            self._thread.join()

    def again(self) -> None:
        """Ask once more about the same situation."""
        if self._situation is not None:
            self.ask(self._situation)

    def stop(self) -> None:
        """Call off what is being worked out; what is known stays."""
        self._latest.cancel()
        self._rest()
        if self.opinion is None:
            self.view.clear()

    def mark(self, marks: Mapping[str, Sequence[str]]) -> None:
        """Mark plays that other brains like best."""
        if marks != self._marks:
            self._marks = marks
            self._draw()

    def _show(self, step: Step) -> None:
        self.opinion = step.opinion
        self.progress.value = step.done / step.total
        self.progress.layout.visibility = "visible" if step.done < step.total else "hidden"
        self._draw()
        self._heard()

    def _draw(self) -> None:
        if self.opinion is not None and self._situation is not None:
            self.view.put(self.opinion, self._situation.dice, self._ply, self._marks)

    def _end(self, error: Exception | None) -> None:
        self._rest()
        if self.opinion is None:
            self.view.clear()  # what is there was about something else
        if error is not None:
            known = isinstance(error, InputError | EngineError)
            self.view.fail(str(error) if known else f"{self.name} failed: {type(error).__name__}: {error}")
        self._ended()

    def _rest(self) -> None:
        self.cancel.disabled = True
        self.progress.layout.visibility = "hidden"


def disagreements(panels: Sequence[BrainPanel]) -> list[dict[str, list[str]]]:
    """For every panel the plays that other brains like best and it does not, with the names of those brains."""
    best: list[Any] = [
        None
        if panel.opinion is None or panel.opinion.turns is None or panel.opinion.turns.empty
        else panel.opinion.turns["play"].iloc[0]
        for panel in panels
    ]
    marks: list[dict[str, list[str]]] = []
    for own in best:
        mine: dict[str, list[str]] = {}
        for panel, theirs in zip(panels, best, strict=True):
            if own is not None and theirs is not None and theirs != own:
                mine.setdefault(theirs, []).append(panel.name)
        marks.append(mine)
    return marks
