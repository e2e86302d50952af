"""Slow work in the background: the newest request is what counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Latest(Generic[Found]):
    """Runs one piece of work at a time, in steps; a newer request calls the older one off after its present step.

    show(step) is told of every step of the newest request, end(error) once of its end, with None if all went well;
    neither is called for work that was called off, and both are called in the worker's thread.
    """

    def __init__(self, show: Callable[[Found], None], end: Callable[[Exception | None], None]) -> None:
        self._show, self._end = show, end
        self._number = 0
        self._counting, self._working = threading.Lock(), threading.Lock()

    def start(self, steps: Callable[[], Iterator[Found]]) -> threading.Thread:
        """Begin a piece of work and call off what runs; returns at once, with the thread."""
        number = self.cancel()
        thread = threading.Thread(target=self._run, args=(number, steps), daemon=True)
        thread.start()
        return thread

    def cancel(self) -> int:
        """Call off what runs."""
        with self._counting:
            self._number += 1
            return self._number

    def _run(self, number: int, steps: Callable[[], Iterator[Found]]) -> None:
        # What waits here while it is overtaken ends at its first step.
        with self._working:
            try:
                if number != self._number:
                    return
                for step in steps():
                    if number != self._number:
                        return
                    self._show(step)
            except Exception as error:
                self._tell(number, error)
            else:
                self._tell(number, None)

    def _tell(self, number: int, error: Exception | None) -> None:
        if number == self._number:
            self._end(error)
