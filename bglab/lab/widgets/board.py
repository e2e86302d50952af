"""The board: a situation in a notebook that a person plays on or edits, and that Python watches and sets.

The page gets, with every situation, all legal ways to play its roll, so that trying plays needs no word from Python. It
sends one message for a finished turn or an edit; Python checks it and answers with the situation that now holds, which
takes back on the page whatever was wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anywidget
import traitlets
from ipywidgets import CallbackDispatcher  # type: ignore[import-untyped]

from bglab.errors import InputError
from bglab.lab.widgets import page
from bglab.lab.widgets.continuations import Continuations
from bglab.lab.widgets.picture import cube_words, svg, themes
from bglab.lab.widgets.saved import Saved
from bglab.rules.drawing import embedded, text
from bglab.rules.position import Position
from bglab.rules.reference import Turn, check_dice, find_turn
from bglab.rules.situation import Situation

HERE = Path(__file__).parent / "board"
PARTS = ("geometry", "scene", "play", "edit", "export", "toolbar", "painter", "board")
"""The scripts of the page, in this order one module: each says what it does and knows those before it."""
NO_ARROWS: dict[str, Any] = {"moves": [], "text": ""}


class Board(Saved, anywidget.AnyWidget):  # type: ignore[misc]
    """A board to play on or to edit.

    situation, position, dice : what is shown; each can be set, also from an identifier as text, and watched with
        `observe`. The side on roll comes first. After a turn the position is the one after it, seen by the same player,
        and dice is None.
    turn : the turn that the user finished last; None once Python sets something.
    mode : "play", "edit", or "watch", where nothing can be moved. flip : the side on roll at the top. swap : the two
        sides' colours exchanged. theme : "light", "dark" or "auto", which follows the page.
    error : what was wrong with the user's last action, "" if nothing.

    What cannot be shown raises `InputError` and changes nothing.
    """

    _esm = "\n".join((HERE / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
    _css = HERE / "board.css"

    situation = traitlets.Any()
    position = traitlets.Any()
    dice = traitlets.Any(None)
    turn = traitlets.Instance(Turn, None, allow_none=True)
    error = traitlets.Unicode("")
    mode = traitlets.Any("play").tag(sync=True)
    flip = traitlets.Bool(False).tag(sync=True)
    swap = traitlets.Bool(False).tag(sync=True)
    theme = traitlets.Any("auto").tag(sync=True)
    _page = traitlets.Dict().tag(sync=True)
    _arrows = traitlets.Dict(NO_ARROWS).tag(sync=True)
    _themes = traitlets.Dict(themes()).tag(sync=True)

    def __init__(
        self,
        situation: Situation | Position | str | None = None,
        dice: Sequence[int] | None = None,
        *,
        mode: str = "play",
        flip: bool = False,
        swap: bool = False,
        theme: str = "auto",
        show: Turn | str | None = None,
        **options: Any,
    ) -> None:
        """A situation, a position or an identifier (the start if none), with the arrows of the turn to `show`."""
        shown = page.as_situation(Position.start() if situation is None else situation)
        if dice is not None:
            shown = replace(shown, dice=check_dice(dice), offer="")
        for name, value in (("mode", mode), ("theme", theme)):
            page.choose(name, value)
        self._moved, self._edited = CallbackDispatcher(), CallbackDispatcher()
        self._number, self._reply = 0, ("", 0)
        self._drawn, self._drawn_mode = shown, mode
        self._arrow: Turn | None = None
        self._continuations: Continuations | None = page.continuations_of(shown, mode)
        super().__init__(
            situation=shown,
            position=shown.position,
            dice=shown.dice,
            mode=mode,
            flip=flip,
            swap=swap,
            theme=theme,
            _page=page.page(shown, self._continuations),
            **options,
        )
        self.on_msg(self._receive)
        self.show(show)

    # What Python does.

    def on_move(self, callback: Callable[[Turn], object], remove: bool = False) -> None:
        """Call this with each turn that the user finishes, once the board is in the situation after it."""
        self._moved.register_callback(callback, remove=remove)

    def on_edit(self, callback: Callable[[Situation], object], remove: bool = False) -> None:
        """Call this with each situation that the user makes in edit mode."""
        self._edited.register_callback(callback, remove=remove)

    def show(self, turn: Turn | str | None) -> None:
        """Draw the arrows of a turn of this position, or of a play such as "8/5 6/5"; None clears them."""
        self._arrow = None if turn is None else self._turn(turn)
        turn = self._arrow
        moves = [list(move) for move in turn.moves] if turn else []
        self._arrows = {"moves": moves, "text": turn.play if turn else ""}

    def play(self, turn: Turn | str) -> None:
        """Play a turn of the side on roll as if the user had, but slowly enough to follow; calls nobody back."""
        turn = self._turn(turn)
        self._put(page.after(self.situation, turn), turn=turn, animate=turn.moves)

    def _turn(self, turn: Turn | str) -> Turn:
        """The turn meant, which must be one of the position shown."""
        if isinstance(turn, str):
            if self.dice is None:
                raise InputError(f"The play {turn!r} needs a roll: set the board's dice first.")
            return find_turn(self.position, self.dice, turn)
        if turn.before != self.position:
            raise InputError(
                f"The turn {turn.play} belongs to another position: set the board's position first."
            )
        return turn

    def svg(self, theme: str | None = None, size: int | None = None) -> str:
        """The board as it stands, with its arrows, as an SVG element; `size` is its width in pixels."""
        chosen = theme or ("dark" if self.theme == "dark" else "light")
        more = {} if size is None else {"size": size}
        return svg(self.situation, self._arrow, flip=self.flip, swap=self.swap, theme=chosen, **more)

    def _repr_svg_(self) -> str:
        return self.svg()

    def static(self) -> dict[str, str]:
        """The board without scripts."""
        drawn = self.svg()
        return {"text/plain": str(self), "text/html": embedded(drawn), "image/svg+xml": drawn}

    def __str__(self) -> str:
        rolled = "" if self.dice is None else f" Dice {self.dice[0]}-{self.dice[1]}."
        shown = f" Play {self._arrow.play}." if self._arrow else ""
        return f"{text(self.position)}\n{cube_words(self.situation)}{rolled}{shown}\nPosition ID {self.position.id}"

    def __repr__(self) -> str:
        return f"<Board {self.position.id}{'' if self.dice is None else ' {}-{}'.format(*self.dice)}>"

    # Traits: each is checked before it is set, and all agree before anybody hears of a change.

    @traitlets.validate("situation")
    def _check_situation(self, proposal: Any) -> Situation:
        return page.as_situation(proposal["value"])

    @traitlets.validate("position")
    def _check_position(self, proposal: Any) -> Position:
        position = page.as_situation(proposal["value"]).position
        replace(self.situation, position=position)
        return position

    @traitlets.validate("dice")
    def _check_dice(self, proposal: Any) -> tuple[int, int] | None:
        dice = proposal["value"]
        return None if dice is None else check_dice(dice)

    @traitlets.validate("mode", "theme")
    def _check_choice(self, proposal: Any) -> str:
        return page.choose(proposal["trait"].name, proposal["value"])

    @traitlets.observe("situation", "position", "dice", "mode")
    def _set(self, change: Any) -> None:
        # The present values, not the change's: whoever heard of it first may have set another meanwhile.
        name, situation = change["name"], self._drawn
        if name == "situation":
            situation = self.situation
        elif name == "position":
            situation = replace(situation, position=self.position)
        elif name == "dice":
            situation = replace(situation, dice=self.dice, offer="" if self.dice else situation.offer)
        if (situation, self.mode) != (self._drawn, self._drawn_mode):
            self._put(situation, turn=self.turn if name == "mode" else None)

    @traitlets.observe("flip", "swap", "theme")
    def _redraw_saved(self, _: Any) -> None:
        self.refresh_saved()

    def _put(
        self,
        situation: Situation,
        *,
        turn: Turn | None = None,
        animate: Sequence[tuple[int, int]] = (),
        error: str = "",
    ) -> None:
        """Make this the situation: one message to the page, and each changed trait is told of once, all being set."""
        self._number += 1
        self._continuations = page.continuations_of(situation, self.mode)
        if situation != self._drawn:
            self._arrow = None
        self._drawn, self._drawn_mode = situation, self.mode
        with self.hold_sync(), self.hold_trait_notifications():
            self.situation = situation
            self.position, self.dice = situation.position, situation.dice
            self.turn, self.error = turn, error
            if self._arrow is None:
                self._arrows = NO_ARROWS
            self._page = page.page(
                situation,
                self._continuations,
                number=self._number,
                reply=self._reply,
                turn=turn,
                animate=animate,
                error=error,
            )
        self.refresh_saved()

    # What the page sends.

    def _receive(self, _: Any, message: Any, __: Any) -> None:
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind in ("turn", "edit"):
            self._reply = page.reply_to(message)
            try:
                self._finish(message) if kind == "turn" else self._edit(message)
            except InputError as error:
                self._put(self.situation, turn=self.turn, error=str(error))
            except (TypeError, ValueError):
                unread = "The page sent something that cannot be read: reload the page."
                self._put(self.situation, turn=self.turn, error=unread)

    def _finish(self, message: dict[str, Any]) -> None:
        if self._continuations is None or message.get("number") != self._number:
            raise InputError("The board has changed meanwhile, so this turn was not played: play it again.")
        turn = self._continuations.finish(page.path_of(message))
        self._put(page.after(self.situation, turn), turn=turn)
        self._moved(turn)

    def _edit(self, message: dict[str, Any]) -> None:
        if self.mode != "edit":
            raise InputError("The board is being played on: switch to edit mode to change the position.")
        self._put(page.edited(self.situation, message))
        self._edited(self.situation)
