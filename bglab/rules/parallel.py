"""Work side by side: small calls in threads, long ones on any executor.

Threads serve because XLA's compiled programs run outside Python's lock, and small ones use one core each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from bglab.errors import InputError
from bglab.rules.ragged import on_cpu

Result = TypeVar("Result")
THREADS = "BGLAB_THREADS"


def cores() -> int:
    """Cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads() -> int:
    """Threads to use: `BGLAB_THREADS`, else the cores this process may run on; 1 where an accelerator computes."""
    if not on_cpu():
        return 1
    asked = os.environ.get(THREADS)
    if asked is not None:
        if not asked.isdecimal() or int(asked) < 1:
            raise InputError(
                f"{THREADS} is a whole number of at least 1, not {asked!r}: correct or unset it."
            )
        return int(asked)
    return cores()


def side_by_side(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of calls made at the same time, in their order; the first error is raised after all have ended."""
    if len(calls) == 1:
        return [calls[0]()]
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def on_executor(
    executor: Executor | None,
    call: Callable[..., Result],
    arguments: Sequence[tuple[Any, ...]],
    done: Callable[[int, Result], None] = lambda k, result: None,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Make one call for each tuple of arguments on an executor, or one after another in this process without one.

    done(k, result) is told of the k-th call's result as soon as it is there, in any order; tick() is called at least
    about once a second. After the first failure no call begins, and it is raised.
    """
    if executor is None:
        for k, values in enumerate(arguments):
            done(k, call(*values))
            tick()
        return
    begun, running = 0, dict[Future[Result], int]()
    while begun < len(arguments) or running:
        for _ in range(min(_in_flight(executor) - len(running), len(arguments) - begun)):
            running[executor.submit(call, *arguments[begun])] = begun
            begun += 1
        ended = wait(running, timeout=1.0, return_when=FIRST_COMPLETED).done
        # What came together with a failure is not lost.
        for future in sorted(ended, key=lambda future: future.cancelled() or future.exception() is not None):
            done(running.pop(future), future.result())
        tick()


def _in_flight(executor: Executor) -> int:
    """How many calls an executor is given at a time; all of them if it does not say how many workers it has.

    A pool gets no more than it has workers, because a call that waits in its queue would begin even after Ctrl-C. A
    Dask cluster, whose size may change, gets two for each thread, so that none waits for the way back and forth; it
    drops what waits when its client goes.
    """
    if hasattr(executor, "_client"):
        return max(1, 2 * sum(executor._client.ncores().values()))
    return int(getattr(executor, "_max_workers", sys.maxsize))
