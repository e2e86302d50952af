"""Move filters: which turns a search looks into, by their shallower worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from bglab.errors import InputError


class Filter(NamedTuple):
    """Keep at most `keep` turns, none of them worse than the best by more than `window` (points)."""

    keep: int
    window: float


@dataclass(frozen=True)
class Filters:
    """Which turns are looked into.

    root: (plies, filter) pairs, in increasing order: the turns to choose from are valued at so many plies and
    filtered before those left are valued deeper. inside: the filter, at 0-ply, for replies within the tree.
    """

    root: tuple[tuple[int, Filter], ...] = ()
    inside: Filter | None = None

    def __post_init__(self) -> None:
        filters = [f for _, f in self.root] + ([self.inside] if self.inside else [])
        if any(f.keep < 1 or not f.window >= 0 for f in filters):
            raise InputError("A filter keeps at least 1 turn within a window of 0 or more: correct it.")
        depths = [plies for plies, _ in self.root]
        if depths != sorted(set(depths)) or any(plies < 0 for plies in depths):
            raise InputError("Filters at the root have increasing plies from 0 on: put them in order.")


def _gnubg(keep: int, window: float, later: int, narrow: float) -> Filters:
    """GNU Backgammon's scheme: 0-ply first, again at 2-ply for deeper searches; replies are picked at 0-ply."""
    return Filters(((0, Filter(keep, window)), (2, Filter(later, narrow))), Filter(1, 0.0))


FILTERS = {
    "full": Filters(),
    "gnubg tiny": _gnubg(5, 0.08, 2, 0.02),
    "gnubg narrow": _gnubg(8, 0.12, 2, 0.03),
    "gnubg normal": _gnubg(8, 0.16, 2, 0.04),
    "gnubg large": _gnubg(16, 0.32, 4, 0.08),
    "gnubg huge": _gnubg(20, 0.44, 6, 0.11),
    "sage": Filters(((0, Filter(5, 0.08)),), Filter(1, 0.0)),
}
"""By name: everything; GNU Backgammon's move filters (its manual and `eval.c`), Open Sage's default (its
MULTI-PLY page). Both engines pick the replies inside a search by their static evaluation."""
