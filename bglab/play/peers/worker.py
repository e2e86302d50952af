"""An engine in a process of its own: asked through a pipe, restarted when it dies, gone when we are.

Native code that crashes takes its process with it, so it gets one without anything else of value in it. A worker is
started by its first request, in whatever process that is made.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bglab.errors import EngineError

PATIENCE = 1800.0
"""Seconds after which a request counts as hung."""

LONGEST = 200
"""Characters of an engine's own words that are passed on."""

_SERVE = Path(__file__).with_name("serve.py")


class _DiedError(Exception):
    """The worker's process ended, with the reason in words."""


class Worker:
    """The process of one engine, `side` being the script that calls it (see `bglab.play.peers.serve`).

    A request whose process dies is made once more of a new process; `EngineError` if that dies too, or if the engine
    refuses the request. One request at a time: a second thread waits. `busy` counts the seconds of answered requests.
    """

    def __init__(self, name: str, side: Path, patience: float = PATIENCE) -> None:
        self.name, self.side, self.patience = name, side, patience
        self.busy = 0.0
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[..., Any] | None = None
        self._home = os.getpid()

    @property
    def pid(self) -> int | None:
        """The process's number, None while there is none."""
        return None if self._process is None else self._process.pid

    def ask(self, function: str, *arguments: Any) -> Any:
        """What a function of the engine's side answers."""
        if self._home != os.getpid():  # a fork: the process belongs to the one that was forked
            self._lock, self._process, self._end = threading.Lock(), None, None
            self._home = os.getpid()
        with self._lock:
            try:
                worked, value = self._exchange(function, arguments)
            except _DiedError:
                try:
                    worked, value = self._exchange(function, arguments)
                except _DiedError as reason:
                    raise EngineError(
                        f"{self.name} stopped twice at the same request ({reason}): leave out the positions it was "
                        "asked about, give it more memory, or use another version of the engine."
                    ) from None
        if not worked:
            words = str(value).partition("\n")[0][:LONGEST]
            raise EngineError(f"{self.name} refused a request ({words}): check the installed version.")
        return value

    def close(self) -> None:
        """End the process; the next request starts another."""
        if self._end is not None:
            self._end()
        self._process = self._end = None

    def _exchange(self, function: str, arguments: Sequence[Any]) -> tuple[bool, Any]:
        process, began = self._running(), time.perf_counter()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((function, arguments), process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            # Only sockets can be waited for on Windows.
            if os.name == "posix" and not select.select([process.stdout], [], [], self.patience)[0]:
                self.close()
                raise _DiedError(f"no answer in {self.patience:.0f} s")
            worked, value = pickle.load(process.stdout)
            self.busy += time.perf_counter() - began
            return bool(worked), value
        except (OSError, EOFError, pickle.UnpicklingError):
            self.close()
            raise _DiedError(_ending(process.returncode)) from None
        except BaseException:
            # Interrupted: the answer still to come must not be taken for that of the next request.
            self.close()
            raise

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            # A session of its own: Ctrl-C is for this process, which ends the worker itself.
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SERVE), str(self.side)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._end = weakref.finalize(self, _finish, self._process, os.getpid())
        return self._process


def _finish(process: subprocess.Popen[bytes], home: int) -> None:
    if os.getpid() != home:
        return
    if process.poll() is None:
        process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not yet written has nobody to read it
                pipe.close()
    process.wait()


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit status {code}"
