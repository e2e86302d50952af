"""Engines by name: `gnubg:2ply`, `sage:truncated1`, with options behind further colons."""

from __future__ import annotations

import re

from bglab.errors import InputError
from bglab.play.peers.engines import EngineSearch
from bglab.play.peers.gnu import OWN_FILTERS, Gnubg, GnubgSearch
from bglab.play.peers.sage import STATIC, Sage, SageSearch
from bglab.search.expectimax import Expectimax, expectimax
from bglab.search.filters import FILTERS
from bglab.value.evaluator import Evaluator

MOST_PLIES = 4
NAME = re.compile(r"(?P<engine>gnubg|sage):(?P<level>\w+)(?P<options>(:[a-z]+)*)")
WIDTHS = [name.removeprefix("gnubg ") for name in FILTERS if name.startswith("gnubg ")]
OPTIONS = {"gnubg": ("jacoby", "noprune", "full", *WIDTHS), "sage": ("jacoby", "beavers")}


def peer(name: str) -> EngineSearch | None:
    """The engine that a name means; None for a name that means none.

    `gnubg:0ply` to `gnubg:4ply`, the plies as GNU Backgammon counts them; options: jacoby (for cube decisions),
    noprune, and another move filter than the package's own (tiny, narrow, normal, large, huge, or full for none).
    `sage:1ply` to `sage:4ply`, `sage:truncated1` to `sage:truncated3` and `sage:rollout`, levels as Open Sage calls
    them; options: jacoby and beavers (for cube decisions). Raises `InputError` for another level or option, one that is
    given twice, and for a package that is not installed.
    """
    found = NAME.fullmatch(name)
    if found is None:
        return None
    engine, level, options = found["engine"], found["level"], found["options"].split(":")[1:]
    for option in options:
        if option not in OPTIONS[engine]:
            raise InputError(
                f"{engine} has no option {option!r}, as in {name!r}: choose from {', '.join(OPTIONS[engine])}."
            )
        if options.count(option) > 1:
            raise InputError(f"{name!r} has the option {option} twice: write it once.")
    jacoby = "jacoby" in options
    if engine == "sage":
        return SageSearch(Sage(level, jacoby, "beavers" in options), int(level != STATIC))
    plies = re.fullmatch(rf"([0-{MOST_PLIES}])ply", level)
    if plies is None:
        raise InputError(
            f"GNU Backgammon plays at 0ply to {MOST_PLIES}ply, not at {level!r}: write gnubg:2ply."
        )
    widths = [option for option in options if option in ("full", *WIDTHS)]
    if len(widths) > 1:
        raise InputError(
            f"{name!r} has {len(widths)} move filters, {' and '.join(widths)}: write one of them."
        )
    depth, filters = int(plies[1]), OWN_FILTERS[int(plies[1])]
    if widths:
        filters = FILTERS["full" if widths[0] == "full" else f"gnubg {widths[0]}"]
    return GnubgSearch(Gnubg(depth, jacoby, "noprune" not in options), depth, filters)


def ahead(evaluator: Evaluator, plies: int, filters: str) -> Evaluator:
    """Our search over an evaluator, or over the static evaluation of an engine; `InputError` for one that searches."""
    if not (isinstance(evaluator, EngineSearch) and evaluator.plies == 0):
        return expectimax(evaluator, plies, filters)
    search = expectimax(evaluator.evaluator, plies, filters)
    if not isinstance(search, Expectimax):
        return evaluator
    return EngineSearch(search.evaluator, search.plies, search.filters)
