"""The text of a play, such as "8/5 6/5", "24/18*/13", "bar/21(2)" or "6/off": written and read.

Written: checkers from the highest point down; the hops of one checker joined ("24/13" for 24/18/13) except
where it hits on the way ("24/18*/13"); what two checkers do alike written once, with a count ("6/5(2)"); `*`
for a hit; "(no play)" for a roll that cannot be played.

Read: all of that, and what other programs and people write: "25/21" for "bar/21" and "6/0" for "6/off", hops
joined or not, hit marks left out, any order of the checkers, "-" for "/", a trailing "Pass", "cannot move".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bglab.errors import InputError
from bglab.rules.position import BAR, OFF, Position

NO_PLAY = "(no play)"
"""The text of a roll that cannot be played."""

_NO_PLAY = frozenset(
    ("", "no play", "no move", "no moves", "cannot move", "can't move", "dance", "dances", "pass")
)
_STEP = re.compile(r"((?:bar|[0-9]{1,2})\*?(?:[/-](?:bar|off|[0-9]{1,2})\*?)+)(?:\(([0-9])\))?")
_WORDS = {"bar": BAR, "off": OFF}


@dataclass(frozen=True, slots=True)
class Step:
    """One checker's way through a turn as it was written.

    path : the locations named, from the first to the last, falling; 25 = bar, 0 = off.
    hits : those of them marked with `*`.
    """

    path: tuple[int, ...]
    hits: frozenset[int] = frozenset()


def format_play(position: Position, moves: Sequence[tuple[int, int]]) -> str:
    """The text of a turn made of these checker moves (from, to) in this position; "(no play)" for none.

    The moves need no order. They are taken to be legal.
    """
    blots = {25 - place for place, count in enumerate(position.opp[:24], 1) if count == 1}
    chains: list[list[int]] = []
    for source, target in sorted(moves, reverse=True):
        longer = next((chain for chain in chains if chain[-1] == source), None)
        if longer:
            longer.append(target)
        else:
            chains.append([source, target])
    steps: Counter[tuple[int, ...]] = Counter()
    hits: dict[tuple[int, ...], set[int]] = {}
    for chain in chains:
        hit = blots.intersection(chain[1:])
        blots -= hit
        path = (chain[0], *(place for place in chain[1:-1] if place in hit), chain[-1])
        steps[path] += 1
        hits.setdefault(path, set()).update(hit)
    return " ".join(_format_step(path, hits[path], count) for path, count in steps.items()) or NO_PLAY


def parse_play(text: str) -> tuple[Step, ...]:
    """The checkers' ways written in a play, one `Step` for each checker; () for a roll that cannot be played.

    This reads the text alone; `find_turn` decides what it means in a position. Raises `InputError` for text
    that is no play.
    """
    if not isinstance(text, str):
        raise InputError(f'A play is text such as "8/5 6/5", not {text!r}.')
    words = text.strip().rstrip(".").lower()
    if words.strip("()-") in _NO_PLAY:
        return ()
    words = re.sub(r"\s+\(?pass\)?$", "", words)
    words = re.sub(r"(\(\d\))\*", r"*\1", words)
    steps: list[Step] = []
    for word in re.split(r"[\s,]+", words):
        match = _STEP.fullmatch(word)
        if not match:
            raise InputError(
                f'"{word}" in the play "{text}" is not a checker move: write 8/5, bar/21, 6/off or 24/18*/13(2).'
            )
        steps += [_parse_step(match[1], text)] * _times(match[2], text)
    return tuple(steps)


def _format_step(path: tuple[int, ...], hits: set[int], count: int) -> str:
    names = {BAR: "bar", OFF: "off"}
    places = "/".join(names.get(place, str(place)) + "*" * (place in hits) for place in path)
    return places + (f"({count})" if count > 1 else "")


def _times(count: str | None, text: str) -> int:
    if count not in (None, "1", "2", "3", "4"):
        raise InputError(f'The play "{text}" moves a checker {count} times: a count is 1 to 4.')
    return int(count or 1)


def _parse_step(written: str, text: str) -> Step:
    places = re.split(r"[/-]", written)
    names = [place.rstrip("*") for place in places]
    path = tuple(_WORDS[name] if name in _WORDS else int(name) for name in names)
    if not all(OFF <= place <= BAR for place in path):
        raise InputError(
            f'"{written}" in the play "{text}" leaves the board: use 1 to 24, 25 or bar, 0 or off.'
        )
    if any(source <= target for source, target in pairwise(path)):
        raise InputError(
            f'"{written}" in the play "{text}" moves away from home: write the higher point first.'
        )
    return Step(
        path, frozenset(place for place, name in zip(path, places, strict=True) if name.endswith("*"))
    )
