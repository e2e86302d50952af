"""A person's contest with an agent that thinks in the background, and a judge who grades; nothing here is drawn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from bglab.errors import EngineError, InputError
from bglab.lab.widgets.contest import Contest
from bglab.lab.widgets.grading import Grade, grade_answer, grade_double, grade_turn
from bglab.lab.widgets.in_order import InOrder
from bglab.lab.widgets.latest import Latest
from bglab.lab.widgets.opponent import Act, decide
from bglab.lab.widgets.play_words import AGENT, PERSON
from bglab.play.agent import Agent, twin
from bglab.play.lockstep import workers_for
from bglab.rules.reference import Turn
from bglab.rules.situation import Situation

Thought = tuple[Contest, Act | None]


class Sitting:
    """The person is player 0. Who may not act, or not so, gets an `InputError`, and nothing changes.

    changed() : something else is awaited now. moving(situation, turn) : the agent plays a turn; returns when it has
    been shown. graded() : the grades have grown. failed(words), ungraded(words) : the agent, or the judge, could not do
    what it was asked to. They are called in any thread.
    """

    def __init__(
        self,
        contest: Contest,
        opponent: Agent,
        judge: Agent,
        by_hand: bool,
        changed: Callable[[], object],
        moving: Callable[[Situation, Turn], object],
        graded: Callable[[], object],
        failed: Callable[[str], object],
        ungraded: Callable[[str], object],
    ) -> None:
        self.contest, self.opponent = contest, opponent
        self.judge = twin(judge) if judge is opponent else judge
        self.grades: list[Grade] = []
        self.last = ""
        self._by_hand, self._declined = by_hand, False
        self._changed, self._moving, self._graded, self._failed = changed, moving, graded, failed
        self._ungraded = ungraded
        self._lock = threading.RLock()
        # What runs outside `jit` may not bear two threads.
        self._thinking_lock = threading.Lock()
        shared = workers_for((opponent, self.judge)) == 1
        self._judging_lock = self._thinking_lock if shared else threading.Lock()
        self._thinking: Latest[Thought] = Latest(self._heard, self._ended)
        self._grader: InOrder[tuple[Contest, Grade | None]] = InOrder(self._keep, self._not_graded)
        self._thread: threading.Thread | None = None

    # What the person does.

    def begin(self) -> None:
        """Show what there is, and let the agent act if it is its turn."""
        self._changed()
        if self._agents_turn and not self.wants_dice:
            self._thread = self._thinking.start(self._thoughts)

    def roll(self, dice: Sequence[int] | None = None) -> None:
        """Throw the dice, or these; the agent's too where they are thrown by hand and it waits for them."""
        with self._lock:
            if not self.wants_dice:
                self._mine()
            point, might = self.contest.point, self.contest.may_double
            self.contest.roll(dice)
            if point.player == PERSON and might:
                self._grade(lambda: grade_double(self.judge, point, False))
            self._declined = False
        self.begin()

    def play(self, turn: Turn | str) -> None:
        """Play the dice."""
        with self._lock:
            self._mine()
            point = self.contest.point
            played = self.contest.play(turn)
            self.last = ""
            self._grade(lambda: grade_turn(self.judge, point, played))
        self.begin()

    def double(self) -> None:
        """Double."""
        with self._lock:
            self._mine()
            point = self.contest.point
            self.contest.double()
            self._grade(lambda: grade_double(self.judge, point, True))
        self.begin()

    def answer(self, take: bool) -> None:
        """Take the agent's double, or pass."""
        with self._lock:
            self._mine()
            point = self.contest.point
            self.contest.take() if take else self.contest.drop()
            self._grade(lambda: grade_answer(self.judge, point, take))
        self.begin()

    def resign(self, points: int) -> None:
        """Offer to lose so many points, times the cube."""
        with self._lock:
            self._mine()
            self.contest.resign(points)
        self.begin()

    def next_game(self) -> None:
        """Begin the next game."""
        with self._lock:
            self.contest.next_game()
            self.last = ""
        self.begin()

    def begin_anew(self, contest: Contest) -> None:
        """Play another contest; the grades begin again."""
        with self._lock:
            self._thinking.cancel()
            self._grader.clear()
            self.contest, self.grades, self.last, self._declined = contest, [], "", False
        self._graded()
        self.begin()

    @property
    def by_hand(self) -> bool:
        """Whether dice are typed in."""
        return self._by_hand

    @by_hand.setter
    def by_hand(self, by_hand: bool) -> None:
        with self._lock:
            waited, self._by_hand = self.wants_dice, by_hand
        if waited and not by_hand:
            self._by_hand = True
            try:
                self.roll()
            finally:
                self._by_hand = False
        self.begin()

    @property
    def wants_dice(self) -> bool:
        """Whether the agent, which does not double, waits for dice thrown by hand."""
        return self._by_hand and self._declined and self._agents_turn and self.contest.state == "roll"

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.opponent.name

    @property
    def grading(self) -> int:
        """How many decisions wait for their grade."""
        return self._grader.left

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the agent and the judge have nothing to do; whether that is so."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        done = self._grader.wait(seconds)
        return done and (thread is None or not thread.is_alive())

    # What follows from it.

    @property
    def _agents_turn(self) -> bool:
        contest = self.contest
        return contest.player == AGENT and contest.state in ("roll", "play", "answer")

    def _mine(self) -> None:
        if self._agents_turn:
            raise InputError(f"{self.name} is to act: wait for it.")

    def _thoughts(self) -> Iterator[Thought]:
        contest = self.contest
        while contest is self.contest and self._agents_turn and not self.wants_dice:
            with self._thinking_lock:
                act = decide(self.opponent, contest)
            yield contest, act

    def _heard(self, thought: Thought) -> None:
        contest, act = thought
        with self._lock:
            if contest is not self.contest or not self._agents_turn:
                return
            situation, resigned = contest.situation, contest.resigned
            done = None
            if act is not None:
                done = act(contest)
                self._declined = False
                self.last = self._told(situation, resigned, done)
            elif self._by_hand:
                self._declined = True
            else:
                contest.roll()
        if isinstance(done, Turn):
            self._moving(situation, done)
        self._changed()

    def _told(self, before: Situation, resigned: int, done: object) -> str:
        """What the agent has done, in a sentence."""
        if isinstance(done, Turn) and before.dice:
            played = f"played {done.play}" if done.moves else "could not play"
            return f"{self.name} {played} with {before.dice[0]}-{before.dice[1]}."
        if resigned:
            refused = not self.contest.over
            return f"{self.name} {'refuses' if refused else 'accepts'} the resignation."
        if self.contest.state == "answer":
            return ""
        return f"{self.name} {'passes' if self.contest.over else 'takes'}."

    def _ended(self, error: Exception | None) -> None:
        if error is not None:
            self._failed(f"{self.name} failed, ask again or load another log: {_words(error)}")

    def _grade(self, work: Callable[[], Grade | None]) -> None:
        contest = self.contest

        def graded() -> tuple[Contest, Grade | None]:
            with self._judging_lock:
                return contest, work()

        self._grader.put(graded)

    def _keep(self, found: tuple[Contest, Grade | None]) -> None:
        contest, grade = found
        if contest is self.contest and grade is not None:
            self.grades.append(grade)
        self._graded()

    def _not_graded(self, error: Exception) -> None:
        self._ungraded(f"{self.judge.name} could not grade: {_words(error)}")


def _words(error: Exception) -> str:
    known = isinstance(error, InputError | EngineError)
    return str(error) if known else f"{type(error).__name__}: {error}"
