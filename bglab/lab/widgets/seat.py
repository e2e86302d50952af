"""A board seen from one seat: its player stays below and in one colour, whoever is on roll."""

from __future__ import annotations

import time

from bglab.lab.widgets.board import Board
from bglab.rules.reference import Turn
from bglab.rules.situation import Situation

GLIDE, REST = 0.33, 0.4
"""Seconds that the page takes for each checker of an animated turn, and that the board rests after it."""


class Seat(Board):
    """The seat of player 0; `Situation.bottom` says that player 1 is on roll. It is neither edited nor flipped."""

    def __init__(self, situation: Situation, theme: str) -> None:
        super().__init__(situation, mode="watch", flip=situation.bottom, swap=situation.bottom, theme=theme)
        self.add_class("bglab-seat")

    def look(self, situation: Situation, movable: bool = False) -> None:
        """Show a situation; whether its dice can be played here."""
        with self.hold_sync():
            self.flip = self.swap = situation.bottom
            self.mode = "play" if movable else "watch"
            self.situation = situation

    def follow(self, situation: Situation, turn: Turn) -> None:
        """Show a turn being played; returns when it has been."""
        self.look(situation)
        self.play(turn)
        time.sleep(GLIDE * len(turn.moves) + REST)
