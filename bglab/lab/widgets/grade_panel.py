"""The grades of a person's decisions on the page: the last one, the summary, and the worst to look at again."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import ipywidgets as widgets  # type: ignore[import-untyped]

from bglab.lab.widgets.grading import Grade, summary, worst
from bglab.lab.widgets.said import said
from bglab.measure.error_rate import MILLI

BEST, CHOSEN = "best", "played"


class GradePanel(widgets.VBox):
    """on_review(grade, which) is called to show a decision once more, which being "best" or "played", and with None to
    go back to the game.
    """

    def __init__(self, judge: str, on_review: Callable[[Grade | None, str], object]) -> None:
        self._on_review, self._judge = on_review, judge
        self._grades: Sequence[Grade] = ()
        self._reviewed: Grade | None = None
        self._filling = False
        self.last = widgets.HTML()
        self.total = widgets.HTML()
        self.error = widgets.HTML()
        whole = {"width": "auto", "flex": "0 0 auto"}
        self.look = widgets.Button(description="Best play", icon="search", disabled=True, layout=whole)
        self.which = widgets.ToggleButtons(
            options=[BEST, CHOSEN], style={"button_width": "64px"}, layout={"flex": "0 0 144px"}
        )
        self.back = widgets.Button(description="Back to the game", icon="undo", layout=whole)
        self.worst = widgets.Select(options=[], rows=5, layout={"width": "auto"})
        self._reviewing = widgets.HBox(
            [self.which, self.back], layout={"display": "none", "flex_flow": "row wrap"}
        )
        self.look.on_click(lambda _: self._grades and self.review(self._grades[-1]))
        self.back.on_click(lambda _: self.review(None))
        self.which.observe(lambda _: self._reviewed and self.review(self._reviewed), "value")
        self.worst.observe(lambda _: self._chosen(), "value")
        self._list = widgets.VBox([widgets.HTML("Worst decisions, click to look at one:"), self.worst])
        looking = widgets.HBox([self.look, self._reviewing], layout={"flex_flow": "row wrap"})
        super().__init__([self.last, looking, self.total, self.error, self._list])
        self.put((), 0)

    def put(self, grades: Sequence[Grade], left: int) -> None:
        """Show these grades; so many more are being worked out."""
        self._grades = grades
        more = f" <i>({left} more being graded…)</i>" if left else ""
        last = "Your decisions are graded here." if not grades else f"<b>{html.escape(str(grades[-1]))}</b>"
        self.last.value = last + more
        self.total.value = f"By {html.escape(self._judge)}: {html.escape(str(summary(grades)))}."
        self.look.disabled = not grades
        self.look.description = "Best play" if not grades or grades[-1].better else "Best action"
        options = [(_line(grade), grade) for grade in worst(grades)]
        if options != list(self.worst.options):
            self._filling = True
            kept = self.worst.value
            self.worst.options = options
            self.worst.value = kept if any(kept is grade for _, grade in options) else None
            self._filling = False
        self._list.layout.display = None if options else "none"

    def fail(self, words: str) -> None:
        """Say that a decision could not be graded."""
        self.error.value = said(words, "alert")

    def forget(self) -> None:
        """Begin anew, with no decision looked at."""
        self._reviewed, self.error.value = None, ""
        self._reviewing.layout.display = "none"

    def review(self, grade: Grade | None) -> None:
        """Look at a decision once more; None goes back to the game."""
        self._reviewed = grade
        self._reviewing.layout.display = None if grade else "none"
        self.which.layout.display = None if grade and grade.better else "none"
        if grade is None:
            self._filling, self.worst.value = True, None
            self._filling = False
        self._on_review(grade, self.which.value)

    def _chosen(self) -> None:
        if not self._filling and self.worst.value is not None:
            self.review(self.worst.value)


def _line(grade: Grade) -> str:
    dice = grade.point.situation.dice
    rolled = f"{dice[0]}-{dice[1]}: " if dice else ""
    return (
        f"{MILLI * grade.loss:4.0f}  game {grade.point.game + 1}  {rolled}{grade.chosen}, best {grade.best}"
    )
