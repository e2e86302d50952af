"""Where in a file a fault is."""

from __future__ import annotations

from bglab.errors import InputError


def fault(name: str, line: int, column: int, text: str) -> InputError:
    """The error of a file: one sentence with the place, counted from 1, and what is wrong there."""
    return InputError(f"{name}, line {line}, column {column}: {' '.join(text.split()).rstrip('.')}.")
