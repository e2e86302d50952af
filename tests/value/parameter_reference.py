"""The parameter AI in plain Python on `Position`, written from the definitions of document 000, section 3.

Everything is exact: features are fractions, and the score is rounded from the exact sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import floor

from bglab.rules import Position, legal_turns
from tests import samples

DICE = range(1, 7)


def checkers_of(counts: tuple[int, ...]) -> list[int]:
    """The location of every checker, bar 25, in its owner's numbering."""
    return [place for place, count in enumerate(counts, 1) for _ in range(count)]


def made(counts: tuple[int, ...], point: int) -> bool:
    """Whether the side has made a point of its own numbering; bar and tray are no points."""
    return 1 <= point <= 24 and counts[point - 1] >= 2


def blocked(position: Position, point: int) -> bool:
    """Whether the opponent has made a point of the mover's numbering."""
    return made(position.opp, 25 - point)


def escape_count(position: Position, p: int) -> int:
    """The pseudocode of section 3.4 for a checker of the side on roll."""
    walls = [t for t in range(1, min(p, 25)) if blocked(position, t)]
    if not walls:
        return sum(p - d < 1 or not blocked(position, p - d) for d in DICE)
    back = front = max(walls)
    while blocked(position, front - 1):
        front -= 1
    if back - front + 1 == 1:
        return sum(p - d < 1 or not blocked(position, p - d) for d in DICE)
    return sum(p - d < 1 or (p - d < front and not blocked(position, p - d)) for d in DICE)


def freeze(position: Position) -> Fraction:
    """Expected frozen turns of one checker on the bar."""
    entering = sum(not blocked(position, 25 - d) for d in DICE)
    if entering == 0:
        return min(max(Fraction(position.pips[1] - 42, 8), Fraction(0)), Fraction(8))
    q = Fraction(6 - entering, 6) ** 2
    return q / (1 - q)


def dice_used_of_turns(position: Position, roll: tuple[int, int]) -> tuple[int, bool]:
    """How many dice of a roll can be played, and whether that is all there is to play, by the legal turns."""
    turns = legal_turns(position, roll)
    used = max(len(turn.moves) for turn in turns)
    whole = 4 if roll[0] == roll[1] else 2
    return used, used == whole or any(turn.after.result is not None for turn in turns)


def dice_used(position: Position, roll: tuple[int, int]) -> tuple[int, bool]:
    """The same by trying out every order of moves, without listing the turns."""
    orders = [(roll[0],) * 4] if roll[0] == roll[1] else [roll, roll[::-1]]
    shut = frozenset(point for point in range(1, 25) if blocked(position, point))
    best = (0, False)
    for dice in orders:
        reached, used = {position.me}, 0
        for die in dice:
            further = {after for counts in reached for after in moved(counts, die, shut)}
            if not further:
                break
            reached, used = further, used + 1
        best = max(best, (used, used == len(dice) or any(not any(counts) for counts in reached)))
    return best


def moved(counts: tuple[int, ...], die: int, shut: frozenset[int]) -> list[tuple[int, ...]]:
    """The side's counts after every single move of a die."""
    rearmost = max((place for place, count in enumerate(counts, 1) if count), default=0)
    found = []
    for start in [25] if counts[24] else range(1, rearmost + 1):
        end = start - die
        leaves = end == 0 or (end < 0 and start == rearmost)
        if not counts[start - 1] or end in shut or (end < 1 and not (leaves and rearmost <= 6)):
            continue
        after = list(counts)
        after[start - 1] -= 1
        if end > 0:
            after[end - 1] += 1
        found.append(tuple(after))
    return found


def mobility(position: Position) -> tuple[int, int]:
    """EC1 and EC0 of the side on roll."""
    some = none = 0
    for roll in samples.ROLLS:
        frequency = 1 if roll[0] == roll[1] else 2
        used, whole = dice_used(position, roll)
        none += frequency * (used == 0)
        some += frequency * (used > 0 and not whole)
    return some, none


def reaches(position: Position, start: int, target: int, dice: tuple[int, ...]) -> bool:
    """Whether one checker goes from start to target with these dice in this order, landing only where it may."""
    for die in dice[:-1]:
        start -= die
        if start < 1 or blocked(position, start):
            return False
    return start - dice[-1] == target


COMBINATIONS = [*product(DICE, repeat=2), *((d,) * k for d in DICE for k in (3, 4))]


def shot(position: Position, target: int) -> str | None:
    """How the side on roll can hit a blot on a point of its numbering: "D" directly, "I" indirectly, or not."""
    bar = position.me[24]
    hitters = {25} if bar else set(checkers_of(position.me))
    if any(reaches(position, start, target, (die,)) for start in hitters for die in DICE):
        return "D"
    if bar < 2 and any(reaches(position, start, target, dice) for start in hitters for dice in COMBINATIONS):
        return "I"
    return None


def plain_features(position: Position) -> dict[str, Fraction]:
    """Every feature of the side on roll but EC1 and EC0, as it enters the score."""
    me, other = position.me, position.flip()
    found = {"PC": Fraction(position.pips[0], 20), "BO": Fraction(15 - sum(me), 15)}
    counts = [escape_count(position, place) for place in checkers_of(me)]
    found |= {f"F{n}": Fraction(counts.count(n)) for n in range(6)}
    found["BE"] = -me[24] * freeze(position)
    gate = position.contact
    for name, points in {
        "HB": (1, 2, 3, 6),
        "G5": (5,),
        "G7": (7,),
        "G4": (4,),
        "AN": (19, 21, 22, 23, 24),
        "GA": (20,),
    }.items():
        found[name] = Fraction(gate * sum(made(me, point) for point in points))
    found |= dict.fromkeys(("DO", "IO", "DP", "IP"), Fraction(0))
    for point in range(1, 25):
        if me[point - 1] == 1 and (kind := shot(other, 25 - point)):
            found[kind + ("O" if point <= 12 else "P")] -= 1
    return found | {"DE": Fraction(0)}


def features(position: Position) -> dict[str, Fraction]:
    """All 22 features of the side on roll."""
    some, none = mobility(position)
    return plain_features(position) | {"EC1": Fraction(some, 36), "EC0": Fraction(none, 36)}


def rounded(value: Fraction) -> int:
    """To the nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def score(position: Position, weights: Mapping[str, int]) -> int:
    """The static score of the side on roll."""
    mine, theirs = features(position), features(position.flip())
    return rounded(sum((weights[name] * (mine[name] - theirs[name]) for name in mine), Fraction(0)))


def root(before: Position, after: Position, weights: Mapping[str, int]) -> Fraction:
    """What is added when a turn is chosen; both positions seen by the player who moves."""
    if after.contact:
        return Fraction(0)
    mine, theirs = after.pips
    bonus = weights["DE"] if before.contact and mine < theirs else 0
    return bonus - Fraction(1, 1000) * sum(max(0, place - 6) for place in checkers_of(after.me))
