"""Slow work in the background, one piece after another: all of it counts, in the order in which it was asked for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class InOrder(Generic[Found]):
    """show(found) is told what each piece of work found, fail(error) of one that failed, in the worker's thread."""

    def __init__(self, show: Callable[[Found], None], fail: Callable[[Exception], None]) -> None:
        self._show, self._fail = show, fail
        self._waiting: deque[Callable[[], Found]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._begun = False

    def put(self, work: Callable[[], Found]) -> None:
        """Ask for a piece of work; returns at once."""
        with self._lock:
            self._waiting.append(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def clear(self) -> None:
        """Forget what has not begun."""
        with self._lock:
            self._waiting.clear()

    @property
    def left(self) -> int:
        """Pieces that wait or are under way."""
        with self._lock:
            return len(self._waiting) + self._begun

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is left to do; whether that is so."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return self._thread is None

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                work, self._begun = self._waiting.popleft(), True
            try:
                found = work()
            except Exception as error:
                self._begun = False
                self._fail(error)
            else:
                self._begun = False
                self._show(found)
