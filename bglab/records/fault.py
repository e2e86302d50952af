"""Where in a file a fault is, and how a message quotes the file."""

from __future__ import annotations

from bglab.errors import InputError
from bglab.rules.position import shorten

MOST = 60
"""Characters of a file that a message quotes at most."""

READ = "give a .mat, .txt or .sgf file of a match, or eXtreme Gammon's .xg"
"""The remedy where a file is of another kind."""


def fault(name: str, line: int, column: int, text: str) -> InputError:
    """The error of a file: one sentence with the place, counted from 1, what is wrong there and what to do."""
    text = printable(" ".join(text.split()).rstrip("."))
    remedy = "" if ": " in text else ": correct the file there"
    return InputError(f"{printable(name)}, line {line}, column {column}: {text}{remedy}.")


def quoted(text: str) -> str:
    """Words of a file, on one line and not too long."""
    return f'"{shorten(" ".join(text.split()), MOST)}"'


def printable(text: str) -> str:
    """Control characters as escapes, so that a binary file does no harm to a terminal."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
