"""A person against an agent: a board to play on, the agent's answers, and a judge who grades the person's decisions."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]

from bglab.errors import InputError
from bglab.lab.widgets.contest import SEED, Contest
from bglab.lab.widgets.grade_panel import BEST, GradePanel
from bglab.lab.widgets.grading import Grade
from bglab.lab.widgets.play_acts import Acts
from bglab.lab.widgets.play_controls import Controls
from bglab.lab.widgets.play_setup import judge_of, named_in, opponent_of, record_of, seed_of
from bglab.lab.widgets.play_words import PERSON, awaited, dice_in, heading
from bglab.lab.widgets.said import said
from bglab.lab.widgets.saved import Saved
from bglab.lab.widgets.seat import Seat
from bglab.lab.widgets.sitting import Sitting
from bglab.play.agent import Agent
from bglab.records.files import read, write
from bglab.records.matwriter import to_mat
from bglab.records.record import Match
from bglab.rules.reference import Turn
from bglab.rules.situation import Situation

LEFT, RIGHT = {"flex": "0 1 640px", "min_width": "420px"}, {"flex": "1 1 380px", "min_width": "320px"}


class Play(Saved, Acts, widgets.VBox):
    """A money session, or a match, of a person against an agent.

    opponent : an agent, or a name that `bglab.load` knows; the shipped network by default. judge : who grades, the
    opponent by default if it gives equities. seed : of the dice, drawn and shown if None. length : 0 for money, else
    the points of the match. by_hand : dice are typed in. name : the person's. match : a record to go on with. What a
    person does by mouse Python does by methods; what is not allowed raises `InputError` and changes nothing.
    """

    def __init__(
        self,
        opponent: str | Agent | None = None,
        judge: str | Agent | None = None,
        seed: int | None = None,
        length: int = 0,
        *,
        cube: bool = True,
        crawford: bool = True,
        jacoby: bool = False,
        by_hand: bool = False,
        name: str = "You",
        theme: str = "auto",
        animate: bool = True,
        match: Match | None = None,
    ) -> None:
        agent = opponent_of(opponent, length if match is None else match.length)
        grader = judge_of(judge, agent)
        if match is None:
            match = record_of(name, agent.name, length, crawford, jacoby)
        self._cube, self._animate = cube, animate
        self._reviewed: tuple[Grade, str] | None = None
        self._error, self._showing = "", threading.RLock()
        contest = Contest(match, seed_of(seed, match), cube)
        self.board = Seat(contest.situation, theme)
        self.controls = Controls("match.mat", by_hand)
        self.panel = GradePanel(grader.name, self._review)
        self.panel.worst.add_class("bglab-worst")
        self.sitting = Sitting(
            contest,
            agent,
            grader,
            by_hand,
            self._refresh,
            self._moving,
            self._graded,
            self._failed,
            self.panel.fail,
        )
        self._listen()
        c = self.controls
        left = widgets.VBox([self.board, c.status, c.row, c.second, c.message], layout=LEFT)
        right = widgets.VBox([c.heading, self.panel, c.files, c.log], layout=RIGHT)
        both = widgets.HBox([left, right], layout={"flex_flow": "row wrap", "grid_gap": "16px"})
        super().__init__([both, c.style])
        self.sitting.begin()

    @classmethod
    def resume(cls, source: str | Path | bytes, opponent: str | Agent | None = None, **options: Any) -> Play:
        """Go on from a saved log, a .mat or .sgf file or its text, in the middle of a game too.

        The opponent and the seed are those of the log where it tells them; a log of another program has no seed, and a
        new one is drawn and shown. options : those of `Play`, but not its length and rules.
        """
        match = read(source)
        opponent = named_in(match) if opponent is None else opponent
        return cls(opponent, match=match, **options)

    def new(self, seed: int | None = None) -> None:
        """Begin again by the same rules, with a seed or a new one."""
        rules = self.contest.rules
        rules = replace(rules, tags=tuple(tag for tag in rules.tags if tag[0] != SEED))
        self._anew(Contest(rules, seed_of(seed, rules), self._cube))

    def save(self, path: str | Path) -> Path:
        """Write the log as .mat, or as .sgf, which does not keep the seed; returns the path."""
        return write(self.match, path)

    def load(self, source: str | Path | bytes) -> None:
        """Go on from a saved log against the present opponent."""
        match = read(source)
        self._anew(Contest(match, seed_of(None, match), self._cube))

    def _anew(self, contest: Contest) -> None:
        self._reviewed = None
        self.panel.forget()
        self.sitting.begin_anew(contest)

    # What follows from it.

    def _listen(self) -> None:
        c, act = self.controls, self._act
        actions: dict[str, Callable[[], object]] = {
            "roll": self.roll,
            "double": self.double,
            "take": self.take,
            "drop": self.drop,
            "resign": lambda: self.resign(c.points.value) if c.resigning else c.ask_resigning(True),
            "next": self.next_game,
            "new": self.new,
            "again": self.sitting.begin,
            "save": lambda: setattr(c.message, "value", said(f"Saved as {self.save(c.path.value)}.")),
            "load": lambda: self.load(c.path.value),
        }
        c.listen(
            {name: partial(act, action) for name, action in actions.items()},
            on_dice=lambda text: act(lambda: self.roll(dice_in(text))),
            on_by_hand=lambda by_hand: setattr(self.sitting, "by_hand", by_hand),
        )
        self.board.on_move(lambda turn: act(lambda: self.move(turn)))
        self.board.observe(lambda change: None if change["new"] != "edit" else self._refresh(), "mode")

    def _act(self, action: Callable[[], object]) -> None:
        """Do what is asked for on the page, or say there why not."""
        self.controls.message.value = self._error = ""
        try:
            action()
        except InputError as error:
            self.controls.message.value = said(str(error), "alert")
            self._refresh()

    def _refresh(self) -> None:
        """Show what is the case."""
        with self._showing:
            self._show()

    def _show(self) -> None:
        contest, c, sitting = self.contest, self.controls, self.sitting
        if self._reviewed is None:
            shown = contest.seen_by(PERSON) if contest.over else contest.situation
            self.board.look(shown, contest.state == "play" and contest.player == PERSON)
        else:
            grade, which = self._reviewed
            self.board.look(grade.point.situation)
            self.board.show(grade.better if which == BEST else grade.played)
        words = awaited(contest, sitting.name, sitting.wants_dice)
        if self._reviewed is not None:
            words = f"Game {grade.point.game + 1}, {grade}."
        elif sitting.last:
            words = f"{sitting.last} {words}"
        c.status.value = f"<b>{said(words)}</b>"
        c.heading.value = said(heading(contest, sitting.name), "note")
        c.tell(to_mat(contest.match))
        c.agree(contest, sitting.wants_dice, self._reviewed is not None, bool(self._error))
        self.refresh_saved()

    def _moving(self, situation: Situation, turn: Turn) -> None:
        if self._reviewed is None and self._animate:
            self.controls.status.value = f"<b>{said(self.sitting.last)}</b>"
            self.board.follow(situation, turn)

    def _review(self, grade: Grade | None, which: str) -> None:
        self._reviewed = None if grade is None else (grade, which)
        self._refresh()

    def _graded(self) -> None:
        self.panel.put(self.grades, self.sitting.grading)

    def _failed(self, words: str) -> None:
        self._error = words
        self.controls.message.value = said(words, "alert")
        self._refresh()

    def static(self) -> dict[str, str]:
        """The board and the log without scripts."""
        board = self.board.static()
        log = f"{heading(self.contest, self.sitting.name)}\n\n{self.log}\nDecisions: {self.summary}\n"
        return {
            "text/plain": f"{board['text/plain']}\n\n{log}",
            "text/html": f"{board['text/html']}<pre>{html.escape(log)}</pre>",
        }
