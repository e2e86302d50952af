"""The engines there are: where their packages are, and the worker that runs each in this process."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bglab.errors import InputError
from bglab.play.peers.worker import Worker

ENGINES = {"gnubg": "GNU Backgammon", "bgsage": "Open Sage"}
"""The engines by the name of their package."""


def installed(package: str) -> str:
    """The version of an engine's package; `InputError` says how to install it."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise InputError(
            f"{ENGINES[package]} is not installed: pip install 'bglab[peers]' brings it."
        ) from None


@cache
def worker(package: str) -> Worker:
    """The engine's process; it starts when it is first asked something."""
    installed(package)
    return Worker(ENGINES[package], Path(__file__).with_name(f"{package}_side.py"))
