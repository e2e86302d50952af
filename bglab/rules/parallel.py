"""Work side by side in threads: XLA's compiled programs run outside Python's lock, and small ones use one core each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

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
