"""The buttons and fields beside the board that a person plays on."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]

from bglab.lab.widgets.play_words import PERSON
from bglab.lab.widgets.standing import Standing

RESIGNATIONS = [("a single game", 1), ("a gammon", 2), ("a backgammon", 3)]
STYLE = """<style>
.bglab-seat .bglab-tools button:is([aria-label^='Edit:'],[aria-label^='Flip:']) { display: none }
.bglab-log .log { font: 12px/1.35 ui-monospace, Menlo, Consolas, monospace; white-space: pre; height: 190px;
  overflow: auto; display: flex; flex-direction: column-reverse; padding: 4px 6px;
  border: 1px solid var(--jp-border-color1, #bbb) }
.bglab-worst select { font: 12px ui-monospace, Menlo, Consolas, monospace }
</style>"""
"""A board to play on is neither edited nor flipped; a log keeps its columns."""


class Controls:
    """Makes them; `agree` enables what is allowed."""

    def __init__(self, path: str, by_hand: bool) -> None:
        def button(words: str, icon: str, tip: str, style: str = "") -> widgets.Button:
            return widgets.Button(
                description=words, icon=icon, tooltip=tip, button_style=style, layout={"width": "auto"}
            )

        self.roll = button("Roll", "random", "throw the dice", "primary")
        self.double = button("Double", "expand", "offer a double before the roll")
        self.take = button("Take", "check", "accept the double")
        self.drop = button("Pass", "times", "refuse the double and lose the game")
        self.resign = button("Resign", "flag", "offer to lose")
        self.points = widgets.Dropdown(options=RESIGNATIONS, layout={"width": "130px"})
        self.points.observe(lambda _: self.ask_resigning(False), "value")
        self.next = button("Next game", "step-forward", "begin the next game", "primary")
        self.new = button("New match", "refresh", "begin another one, with a new seed", "primary")
        self.again = button("Ask again", "repeat", "let the opponent think once more", "warning")
        self.by_hand = widgets.Checkbox(
            value=by_hand, description="dice by hand", indent=False, layout={"width": "auto"}
        )
        self.dice = widgets.Text(
            placeholder="e.g. 31",
            continuous_update=False,
            layout={"width": "64px"},
            tooltip="two dice, then Enter",
        )
        self.status = widgets.HTML()
        self.message = widgets.HTML()
        self.heading = widgets.HTML()
        self.log = widgets.HTML()
        self.log.add_class("bglab-log")
        self.path = widgets.Text(value=path, continuous_update=False, layout={"width": "220px"})
        self.save = button("Save", "save", "save the log as .mat or .sgf")
        self.load = button("Load", "folder-open", "go on from a saved log")
        row = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px"}
        self.row = widgets.HBox(
            [self.roll, self.double, self.take, self.drop, self.next, self.new, self.again], layout=row
        )
        self.second = widgets.HBox(
            [self.resign, self.points, self.by_hand, self.dice], layout=row | {"grid_gap": "4px"}
        )
        self.files = widgets.HBox([widgets.Label("Log"), self.path, self.save, self.load], layout=row)
        self.style = widgets.HTML(STYLE, layout={"display": "none"})

    def ask_resigning(self, asked: bool) -> None:
        """Ask whether to resign is meant, or take the question back: a game is lost by it."""
        self.resign.description = f"Really lose {self.points.label}?" if asked else "Resign"
        self.resign.button_style = "danger" if asked else ""

    @property
    def resigning(self) -> bool:
        """Whether that has been asked."""
        return self.resign.description != "Resign"

    def tell(self, log: str) -> None:
        """Show the log, its end first; plain text, to be copied."""
        self.log.value = f'<div class="log"><div>{html.escape(log)}</div></div>'

    def agree(self, contest: Standing, wants_dice: bool, reviewing: bool, failed: bool) -> None:
        """Enable what may be done now; while an old decision is looked at, nothing."""
        self.ask_resigning(False)
        mine = contest.player == PERSON and not reviewing
        by_hand, state = self.by_hand.value, contest.state
        rolls = state in ("opening", "roll") and mine
        _set(self.roll, rolls and not by_hand)
        _set(self.double, contest.may_double and mine)
        for each in (self.take, self.drop):
            _set(each, state == "answer" and mine)
        _set(self.resign, state in ("roll", "play") and mine)
        self.dice.disabled = not (by_hand and (rolls or wants_dice) and not reviewing)
        for each, there in (
            (self.next, state == "game over"),
            (self.new, state == "match over"),
            (self.again, failed),
        ):
            each.layout.display = None if there else "none"
            _set(each, there and not reviewing)
        for each in (self.roll, self.double, self.take, self.drop):
            each.layout.display = "none" if contest.over else None
        self.dice.layout.display = None if by_hand else "none"

    def listen(
        self,
        actions: Mapping[str, Callable[[], object]],
        on_dice: Callable[[str], object],
        on_by_hand: Callable[[bool], object],
    ) -> None:
        """Call these when a button is clicked, dice were typed, and it is chosen where dice come from."""

        def typed(change: Any) -> None:
            if change["new"].strip():
                on_dice(change["new"])
                self.dice.value = ""

        for name, action in actions.items():
            # Of a double click the second half may come when it would mean something else.
            getattr(self, name).on_click(lambda node, action=action: None if node.disabled else action())
        self.dice.observe(typed, "value")
        self.by_hand.observe(lambda change: on_by_hand(change["new"]), "value")


def _set(button: widgets.Button, enabled: bool) -> None:
    if button.disabled == enabled:
        button.disabled = not enabled
