"""The explorer: a board, and beside it what any brains think of the situation on it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import ipywidgets as widgets  # type: ignore[import-untyped]

from bglab.errors import InputError
from bglab.lab.widgets.board import Board
from bglab.lab.widgets.brains import MOST_PLIES, Brains
from bglab.lab.widgets.opinion_view import as_html, as_text
from bglab.lab.widgets.page import as_situation
from bglab.lab.widgets.panel import BrainPanel, disagreements
from bglab.lab.widgets.said import said
from bglab.lab.widgets.saved import Saved
from bglab.play.agent import Agent
from bglab.play.names import DEFAULT
from bglab.rules.position import Position
from bglab.rules.situation import Situation

MOST_BRAINS = 4


class View(NamedTuple):
    """A situation and how the board showed it: the side on roll at the top, the colours exchanged."""

    situation: Situation
    flip: bool
    swap: bool


class Explorer(Saved, widgets.VBox):
    """A situation to play on and to edit, and the opinion of one brain or several side by side.

    situation: a situation, a position or an identifier; the start if none. brains: names that `bglab.load` knows, or
    agents. plies: how far each looks ahead, 0 to 3. theme: of the board. Attributes: `board`, the `Board`; `panels`,
    one for each brain; `history`, the views seen, of which `here` is the present one's number.
    """

    def __init__(
        self,
        situation: Situation | Position | str | None = None,
        brains: Sequence[str | Agent] = (DEFAULT,),
        plies: int = 0,
        theme: str = "auto",
    ) -> None:
        if not 1 <= len(brains) <= MOST_BRAINS:
            raise InputError(f"An explorer shows 1 to {MOST_BRAINS} brains, not {len(brains)}.")
        if type(plies) is not int or not 0 <= plies <= MOST_PLIES:
            raise InputError(f"Brains look 0 to {MOST_PLIES} plies ahead here, not {plies!r}.")
        first = as_situation(Position.start() if situation is None else situation)
        self.board = Board(first, theme=theme)
        self.history, self.here = [View(first, False, False)], 0
        self._loaded, self._travelling, self._pasting = Brains(), False, False
        names = [self._loaded.add(each) if isinstance(each, Agent) else each for each in brains]
        self.panels = [self._panel(name, plies) for name in names]
        self._make_controls()
        self.board.observe(self._changed, "situation")
        self.board.on_move(lambda _: self.pass_on())
        self._columns = widgets.HBox(
            layout={"flex_flow": "row wrap", "flex": "1 1 460px", "grid_gap": "12px"}
        )
        left = widgets.VBox(
            [self.board, self._moving, self._paste_row, self.message],
            # As wide as it is whatever is said or edited there, so that the opinions stay where they are.
            layout={"flex": "0 1 572px", "min_width": "0"},
        )
        super().__init__(
            [widgets.HBox([left, self._columns], layout={"flex_flow": "row wrap", "grid_gap": "16px"})]
        )
        self._lay_out()
        self._ask()

    def _make_controls(self) -> None:
        def button(icon: str, words: str, action: Any, label: str = "") -> widgets.Button:
            made = widgets.Button(
                icon=icon, description=label, tooltip=words, layout={"width": "auto" if label else "40px"}
            )
            made.on_click(lambda _: action())
            return made

        self.back = button("arrow-left", "the situation before", lambda: self.go(self.here - 1))
        self.forward = button("arrow-right", "the situation after", lambda: self.go(self.here + 1))
        self.throw = button("random", "throw the dice", self.roll, "Roll")
        self.take_up = button("hand-paper-o", "before the roll: cube decisions", self.unroll, "No dice")
        self.turn_over = button("exchange", "the other side is on roll", self.pass_on, "Other side")
        self.add = button("plus", "another brain beside it", self.compare, "Compare")
        self._moving = widgets.HBox(
            [self.back, self.forward, self.throw, self.take_up, self.turn_over, self.add],
            layout={"flex_flow": "row wrap"},
        )
        self.paste = widgets.Text(
            placeholder="Position ID, GNU ID or XGID", continuous_update=False, layout={"width": "430px"}
        )
        self.paste.observe(lambda change: self._pasted(change["new"]), "value")
        self._paste_row = widgets.HBox([widgets.Label("ID"), self.paste])
        self.message = widgets.HTML()
        self.message.add_class("bg-said")

    # What a person, or Python, does.

    def show(self, situation: Situation | Position | str) -> None:
        """Go to a situation, its side on roll in blue, and below unless the board was flipped."""
        self._look(View(as_situation(situation), self.board.flip != self.board.swap, False))

    def go(self, number: int) -> None:
        """Go to a view of the history."""
        if 0 <= number < len(self.history):
            self.here, self._travelling = number, True
            try:
                self._look(self.history[number])
            finally:
                self._travelling = False

    def roll(self, dice: tuple[int, int] | None = None) -> None:
        """Throw the dice, or these."""
        dice = dice or (random.randint(1, 6), random.randint(1, 6))
        self.board.situation = replace(self.board.situation, dice=dice, offer="")

    def unroll(self) -> None:
        """Back to before the roll."""
        self.board.situation = replace(self.board.situation, dice=None)

    def pass_on(self) -> None:
        """Let the other side be on roll, before its dice; the checkers stay where they are on the page."""
        self._look(View(turned(self.board.situation), not self.board.flip, not self.board.swap))
        if self.board.position.result is None:
            self._say("The other side is on roll now: throw the dice, or click one of the 21 rolls.")

    def compare(self, brain: str | Agent | None = None, plies: int | None = None) -> None:
        """Show another brain beside those there are; the same one looking further ahead if none is named."""
        if len(self.panels) >= MOST_BRAINS:
            self._say(f"There is room for {MOST_BRAINS} brains: close one of them first.")
            return
        last = self.panels[-1]
        if brain is None:
            brain, plies = last.brain.value, min(last.plies.value + 1, MOST_PLIES) if plies is None else plies
        name = self._loaded.add(brain) if isinstance(brain, Agent) else brain
        panel = self._panel(name, plies or 0)
        self.panels.append(panel)
        self._lay_out()
        panel.ask(self.board.situation)

    def close_panel(self, panel: BrainPanel) -> None:
        """Take a brain away; one stays."""
        if len(self.panels) > 1:
            panel.stop()
            self.panels.remove(panel)
            self._lay_out()
            self._mark()

    def wait(self) -> Explorer:
        """Return when every opinion is known: for notebooks that are run from top to bottom and stored."""
        for panel in self.panels:
            panel.wait()
        return self

    # What follows from it.

    def _panel(self, brain: str, plies: int) -> BrainPanel:
        def turn(row: int | None) -> Any:
            opinion = panel.opinion
            if opinion is None or opinion.turns is None or row is None:
                return None
            return opinion.turns["turn"].iloc[row]

        def show(row: int | None) -> None:
            chosen = turn(row)
            if chosen is None or chosen.before == self.board.position:
                self.board.show(chosen)

        def choose(row: int) -> None:
            chosen = turn(row)
            if chosen is not None and chosen.before == self.board.position:
                self._kept = chosen
                self.board.show(chosen)

        panel = BrainPanel(
            self._loaded,
            brain,
            plies,
            heard=lambda: self._mark(),
            ended=lambda: self.refresh_saved(),
            on_show=lambda row: show(row) if row is not None else self.board.show(self._kept),
            on_choose=choose,
            on_roll=lambda high, low: self.roll((high, low)),
        )
        panel.remove.on_click(lambda _: self.close_panel(panel))
        return panel

    _kept: Any = None
    """The turn whose arrows stay when nothing is pointed at."""

    def _look(self, view: View) -> None:
        with self.board.hold_sync():
            self.board.flip, self.board.swap = view.flip, view.swap
            self.board.situation = view.situation

    def _changed(self, change: Any) -> None:
        # After a person's turn the other side's view of it follows at once.
        if self.board.turn is not None:
            return
        self._kept = None
        if not self._travelling and change["new"] != self.history[self.here].situation:
            self.history[self.here + 1 :] = [View(change["new"], self.board.flip, self.board.swap)]
            self.here += 1
        self._say("")
        if not self._pasting:
            self.paste.value = ""  # what is no longer shown can be pasted again
        self._ask()

    def _ask(self) -> None:
        self.back.disabled, self.forward.disabled = self.here == 0, self.here == len(self.history) - 1
        situation = self.board.situation
        if situation.position.result is not None:
            self._say("The game is over.")
        for panel in self.panels:
            panel.ask(situation)
        self.refresh_saved()

    def _pasted(self, text: str) -> None:
        if not text.strip():
            return
        self._say("")
        self._pasting = True
        try:
            self.show(text.strip())
        except InputError as error:
            self._say(str(error))
        finally:
            self._pasting = False

    def _mark(self) -> None:
        for panel, marks in zip(self.panels, disagreements(self.panels), strict=True):
            panel.mark(marks)

    def _lay_out(self) -> None:
        for panel in self.panels:
            panel.remove.layout.visibility = "visible" if len(self.panels) > 1 else "hidden"
        self._columns.children = tuple(self.panels)

    def _say(self, words: str) -> None:
        self.message.value = said(words)

    def static(self) -> dict[str, str]:
        """The board and the opinions without scripts."""
        known = [panel.opinion for panel in self.panels if panel.opinion is not None]
        tables = "".join(f'<div style="margin:0 16px">{as_html(each)}</div>' for each in known)
        board = self.board.static()
        return {
            "text/plain": "\n".join([board["text/plain"], *(as_text(each) for each in known)]),
            "text/html": f'<div style="display:flex;flex-wrap:wrap">{board["text/html"]}{tables}</div>',
        }


def turned(situation: Situation) -> Situation:
    """The situation seen by the other side, which is on roll and has not thrown yet."""
    return replace(
        situation,
        position=situation.position.flip(),
        dice=None,
        cube_owner=-situation.cube_owner,
        score=situation.score[::-1],
        bottom=not situation.bottom,
        offer="",
    )
