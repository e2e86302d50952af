"""The type checker of the tests: beartype, without functions that are defined within functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beartype import beartype


def checked(thing: Callable[..., Any]) -> Callable[..., Any]:
    """A function or class that checks its annotations at each call.

    A function within a function is made anew at every call of the outer one, and to write its checks takes a
    millisecond each time: a third of the time of a test that plays matches.
    """
    return thing if "<locals>" in thing.__qualname__ else beartype(thing)
