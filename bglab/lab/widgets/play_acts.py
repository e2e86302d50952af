"""What Python can know of a person's contest, and do in it, as the person does by mouse."""

from __future__ import annotations

from collections.abc import Sequence

from bglab.lab.widgets.contest import Contest
from bglab.lab.widgets.grading import Grade, Summary, summary
from bglab.lab.widgets.sitting import Sitting
from bglab.records.matwriter import to_mat
from bglab.records.record import Match
from bglab.rules.reference import Turn


class Acts:
    """The methods of `Play` that pass on to its `Sitting`; what is not allowed raises `InputError`."""

    sitting: Sitting

    @property
    def contest(self) -> Contest:
        """What is awaited of whom."""
        return self.sitting.contest

    @property
    def match(self) -> Match:
        """The record so far."""
        return self.contest.match

    @property
    def log(self) -> str:
        """The record as text, a .mat file that other programs read."""
        return to_mat(self.match)

    @property
    def grades(self) -> list[Grade]:
        """The grades of the person's decisions, in order."""
        return list(self.sitting.grades)

    @property
    def summary(self) -> Summary:
        """The person's error rate."""
        return summary(self.grades)

    def roll(self, dice: Sequence[int] | None = None) -> None:
        """Throw the dice of the seed, or these; also the opponent's where it waits for dice by hand."""
        self.sitting.roll(dice)

    def move(self, turn: Turn | str) -> None:
        """Play the dice: a turn, or a play such as "8/5 6/5"."""
        self.sitting.play(turn)

    def double(self) -> None:
        """Offer a double."""
        self.sitting.double()

    def take(self) -> None:
        """Accept the opponent's double."""
        self.sitting.answer(True)

    def drop(self) -> None:
        """Pass the opponent's double."""
        self.sitting.answer(False)

    def resign(self, points: int = 1) -> None:
        """Offer to lose 1, 2 or 3 points times the cube; the opponent refuses what is too little."""
        self.sitting.resign(points)

    def next_game(self) -> None:
        """Begin the next game."""
        self.sitting.next_game()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the opponent has answered and every decision is graded; whether that is so."""
        return self.sitting.wait(seconds)
