"""Work in parts whose results are kept in files, so that a run that is interrupted goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from typing import Any

from bglab.atomic import write_or_refuse
from bglab.rules.parallel import on_executor


def kept_results(
    call: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    paths: Sequence[Path | None],
    what: str,
    executor: Executor | None = None,
    tick: Callable[[Any], None] = lambda result: None,
) -> list[Any]:
    """`call(*arguments[k])` for every k, in order: read from the JSON file paths[k] where it is there, else made on the
    executor and kept there (None keeps nothing).

    `what` names a result where it cannot be written; tick(result) is told of each, those that were there first. A file
    that is damaged counts as not there.
    """
    found: dict[int, Any] = {}
    for k, path in enumerate(paths):
        if path is not None and path.exists():
            with suppress(ValueError, RecursionError):
                found[k] = json.loads(path.read_text())
    for result in found.values():
        tick(result)
    left = [k for k in range(len(arguments)) if k not in found]

    def done(k: int, result: Any) -> None:
        found[left[k]] = result
        path = paths[left[k]]
        if path is not None:
            write_or_refuse(path, json.dumps(result).encode(), what)
        tick(result)

    on_executor(executor, call, [arguments[k] for k in left], done)
    return [found[k] for k in range(len(arguments))]
