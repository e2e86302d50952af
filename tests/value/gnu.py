"""GNU Backgammon's bear-off databases, where they are installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


def data_file(name: str) -> Path:
    """A data file of GNU Backgammon's Debian package or Python package; the test is skipped without one."""
    places = [Path(place) for place in ("/usr/share/gnubg", "/usr/lib/gnubg", "/var/lib/gnubg")]
    package = find_spec("gnubg")
    if package is not None and package.origin:
        places.append(Path(package.origin).parent / "data")
    for place in places:
        if (place / name).is_file():
            return place / name
    pytest.skip(f"GNU Backgammon's {name} is not installed")
