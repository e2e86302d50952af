"""GNU Backgammon in the loop: the real program reads what bglab writes and says what it saw.

Debian's package is `gnubg`; it installs to /usr/games, which is not on every PATH. Tests that use it skip where the
program is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

PROGRAM = shutil.which("gnubg", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/games")))

needs_gnubg = pytest.mark.skipif(
    PROGRAM is None, reason="GNU Backgammon is not installed (Debian: apt-get install gnubg)"
)

QUIET = (
    "set player 0 human",
    "set player 1 human",
    "set confirm new off",
    "set confirm save off",
    "set automatic roll off",
    "set automatic bearoff off",
    "set automatic game off",
    "set automatic move off",
)
"""Commands after which the program does nothing of its own accord."""


def gnubg(commands: Sequence[str], folder: Path) -> str:
    """What the program prints for these commands, run in a folder with a home of its own."""
    assert PROGRAM is not None
    run = subprocess.run(
        [PROGRAM, "-t", "-q"],
        input="\n".join((*QUIET, *commands, "")).encode(),
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
    )
    return run.stdout.decode(errors="replace")
