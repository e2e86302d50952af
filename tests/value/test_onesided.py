"""The one-sided table against exact fractions, published answers and GNU Backgammon's database."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bglab.errors import InputError
from bglab.rules import Position, legal_turns
from bglab.rules.turns import ROLLS
from bglab.value.homes import counts_of, homes, number_of
from bglab.value.onesided import _built, one_sided
from tests.value.gnu import data_file

WEIGHTS = [Fraction(2 if a != b else 1, 36) for a, b in ROLLS.tolist()]


def home(**points: int) -> int:
    return int(number_of(np.array([points.get(f"p{k}", 0) for k in range(1, 7)])))


def recursion(checkers: int, goal: int) -> list[dict[int, Fraction]]:
    """Distributions of rolls until the home's number is below `goal`, each turn by the least expectation."""
    counts = counts_of(np.arange(homes(checkers)))
    spread: list[dict[int, Fraction]] = [{0: Fraction(1)} for _ in range(goal)]
    expected = [Fraction(0)] * goal
    for number in range(goal, homes(checkers)):
        me = {point + 1: int(n) for point, n in enumerate(counts[number]) if n}
        found: dict[int, Fraction] = {}
        for roll, weight in zip(ROLLS.tolist(), WEIGHTS, strict=True):
            after = {
                int(number_of(np.array(turn.after.me[:6])))
                for turn in legal_turns(Position.of(me=me, opp={1: 1}), roll)
            }
            chosen = min(after, key=lambda each: (expected[each], each))
            for rolls, chance in spread[chosen].items():
                found[rolls + 1] = found.get(rolls + 1, Fraction(0)) + weight * chance
        spread.append(found)
        expected.append(sum((rolls * chance for rolls, chance in found.items()), Fraction(0)))
    return spread


def dense(spread: list[dict[int, Fraction]]) -> np.ndarray:
    return np.array([[float(each.get(k, 0)) for k in range(32)] for each in spread])


def test_exact_fractions():
    """Every home of up to 3 checkers: both distributions, ties included."""
    built = _built(3)
    assert np.abs(built["rolls"] - dense(recursion(3, 1))).max() < 1e-14
    assert np.abs(built["first"] - dense(recursion(3, homes(2)))[homes(2) :]).max() < 1e-14
    alone = _built(1)
    assert alone["rolls"].shape == (7, 32)
    assert alone["first"].tolist() == alone["rolls"][1:].tolist()


def test_known_expectations():
    """Known answer B1."""
    expected = one_sided().expected
    known = [
        (home(p6=1), Fraction(5, 4)),
        (home(p5=1, p2=1), Fraction(239, 162)),
        (home(p6=2), Fraction(49213, 23328)),
        (home(p1=4), Fraction(11, 6)),
    ]
    for number, answer in known:
        assert expected[number] == pytest.approx(float(answer), abs=1e-13)


def test_the_whole_table():
    table = one_sided()
    assert table.rolls.shape == (54_264, 32)
    assert table.first.shape == (homes(15) - homes(14), 32)
    for chances in (table.rolls, table.first):
        assert np.abs(chances.sum(1) - 1).max() < 1e-13
        assert chances.min() == 0
    # Another checker makes no home better, and the first checker is off before the last.
    assert (table.expected[homes(14) :] > table.expected_first).all()
    counts = counts_of(np.arange(homes(14)))
    for point in range(6):
        more = counts.copy()
        more[:, point] += 1
        assert (table.expected[number_of(more)] >= table.expected[: homes(14)] - 1e-12).all()


def test_other_checkers_are_refused():
    with pytest.raises(InputError, match="1 to 15"):
        one_sided.__wrapped__(16)


def test_as_gnu_backgammon_has_it():
    """Its chances are in steps of 1/65,535 and, where turns tie, those of another turn: 5 homes differ above 0.001."""
    raw = data_file("gnubg_os0.bd").read_bytes()
    assert raw[:21] == b"gnubg-OS-06-15-1-1-0x"
    n = homes(15)
    index = np.frombuffer(raw[40 : 40 + 8 * n], np.dtype([("at", "<u4"), ("sizes", "u1", 4)]))
    data = np.frombuffer(raw[40 + 8 * n :], "<u2") / 65535
    theirs = np.zeros((2, n, 32))
    for number in range(n):
        at, (many, start, first_many, first_start) = int(index["at"][number]), index["sizes"][number].tolist()
        theirs[0, number, start : start + many] = data[at : at + many]
        theirs[1, number, first_start : first_start + first_many] = data[at + many : at + many + first_many]
    table, rolls = one_sided(), np.arange(32)
    apart = np.abs(theirs[0] - table.rolls).max(1)
    assert apart.max() < 0.003
    assert (apart > 0.001).sum() <= 5
    assert np.abs((theirs[0] - table.rolls) @ rolls).max() < 2e-4
    assert np.abs(theirs[1, homes(14) :] - table.first).max() < 3e-5
    assert (theirs[1, : homes(14), 0] == 1).all()
