"""The batched generator against the reference, on tens of thousands of cases, and what it does when room runs out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from bglab.rules import Position, legal_turns
from bglab.rules.planes import pack, unpack
from bglab.rules.turns import (
    NON_DOUBLES,
    ROLL_WEIGHTS,
    ROLLS,
    Capacity,
    Packed,
    all_turns,
    fits,
    rolled_turns,
)
from tests import samples, strategies
from tests.samples import Case

BATCH = 4096
ROOM = Capacity(131072, (8192, 32768, 131072, 262144))
FEW = 64
ROOM_FOR_FEW = Capacity(4096, (1024, 4096, 16384, 32768))
ALL = 108
ROOM_FOR_ALL = Capacity(65536, (4096, 16384, 65536, 131072))

FILLER = (Position.start(), (6, 5))
QUICK = {"xla_backend_optimization_level": 0}
jitted = jax.jit(rolled_turns, static_argnames="capacity")
jitted_all = jax.jit(all_turns, static_argnames="capacity")
quickly_compiled = jax.jit(rolled_turns, static_argnames="capacity", compiler_options=QUICK)


def in_use(packed: Packed) -> tuple[np.ndarray, np.ndarray]:
    """The sources and afterstates in use."""
    total = int(packed.total)
    assert np.asarray(packed.valid).sum() == total
    assert (np.diff(np.asarray(packed.source)[:total]) >= 0).all()
    return np.asarray(packed.source)[:total], np.asarray(packed.after)[:total]


def table(source: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Rows (case, afterstate) in order, uint32[k, 9]."""
    return in_order(np.concatenate([source[:, None].astype(np.uint32), after], 1))


def in_order(rows: np.ndarray) -> np.ndarray:
    return rows[np.lexsort(rows.T[::-1])]


def generated(cases: Sequence[Case], batch: int = BATCH, room: Capacity = ROOM) -> np.ndarray:
    """The table of cases from the batched generator, `batch` at a time."""
    tables = []
    for first in range(0, len(cases), batch):
        some = cases[first : first + batch]
        positions, rolls = zip(*some, *[FILLER] * (batch - len(some)), strict=True)
        turns = jitted(jnp.asarray(pack(positions)), jnp.asarray(np.array(rolls, np.int32)), room)
        assert bool(fits(turns.needed, room))
        source, after = (np.concatenate(both) for both in zip(*map(in_use, turns[:2]), strict=True))
        asked = source < len(some)
        tables.append(table(source[asked] + first, after[asked]))
    return np.concatenate(tables)


def expected(turns: Sequence[Sequence[Position]]) -> np.ndarray:
    """The same table from lists of afterstates."""
    source = np.repeat(np.arange(len(turns)), [len(each) for each in turns])
    return table(source, pack([after for each in turns for after in each]))


def assert_same(found: np.ndarray, wanted: np.ndarray, cases: Sequence[Case]) -> None:
    """Equal tables, and no row twice; else name the first case that differs."""
    if not np.array_equal(found, wanted):
        mine, theirs = (Counter(map(bytes, rows)) for rows in (found, wanted))
        wrong = min(int(np.frombuffer(row, np.uint32)[0]) for row in (mine - theirs) + (theirs - mine))
        position, roll = cases[wrong]
        pytest.fail(
            f"{position!r} with {roll}: {(found[:, 0] == wrong).sum()} rows, not {(wanted[:, 0] == wrong).sum()}"
        )
    assert (found[1:] != found[:-1]).any(1).all()


def reference(cases: Sequence[Case]) -> list[list[Position]]:
    return [[turn.after for turn in legal_turns(*case)] for case in cases]


@pytest.fixture(scope="module")
def known() -> tuple[list[Case], list[list[Position]]]:
    """Cases of every kind with the reference's answer."""
    cases: list[Case] = []
    answers = []
    games = (
        (samples.sensible_turn, "standard", 4000),
        (samples.any_turn, "standard", 2500),
        (samples.any_turn, "nackgammon", 1000),
    )
    for pick, variant, size in games:
        for ply in islice(samples.play(pick, size, variant), size):
            cases.append((ply.position, ply.roll))
            answers.append([turn.after for turn in ply.turns])
    strange = list(zip(samples.adversarial(2740, seed=3), samples.rolls(2740, seed=4), strict=True))
    return cases + strange, answers + reference(strange)


def test_equal_to_the_reference(known):
    cases, answers = known
    assert len(cases) == len(answers) >= 10_000
    assert_same(generated(cases), expected(answers), cases)


def test_every_turn_keeps_the_checkers_and_loses_pips(known):
    """The opponent's checkers stay as many, the mover's become fewer only by bearing off, and nobody runs backwards."""
    cases, _ = known
    some = cases[::5]
    rows = generated(some)
    before, after = pack([position for position, _ in some])[rows[:, 0]], rows[:, 1:]
    (own, opp), (own_after, opp_after) = checkers(before), checkers(after)
    places = np.arange(1, 26)
    assert np.array_equal(opp.sum(1), opp_after.sum(1))
    assert (own.sum(1) >= own_after.sum(1)).all()
    home = own_after[:, 6:].sum(1) == 0
    assert home[own.sum(1) > own_after.sum(1)].all()
    dice = np.array([4 * a if a == b else a + b for _, (a, b) in some])[rows[:, 0]]
    spent = (own - own_after) @ places
    assert (spent >= 0).all()
    assert (spent <= dice).all()
    hit = opp_after[:, 24] - opp[:, 24]
    assert (hit >= 0).all()
    assert np.array_equal(hit, (opp[:, :24] > opp_after[:, :24]).sum(1))
    assert not ((own_after[:, :24] > 0) & (opp_after[:, :24] > 0)).any()


def checkers(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counts of each side on points 1 to 24 of the mover and on its bar, int[n, 25] each."""
    bits = planes.reshape(-1, 2, 4, 1) >> np.arange(25, dtype=np.uint32) & 1
    counts = (bits * np.array([1, 2, 4, 8])[:, None]).sum(2).astype(int)
    return counts[:, 0], counts[:, 1]


def test_the_cases_are_hard_enough(known):
    cases, answers = known
    counts = Counter()
    for (position, (first, second)), afters in zip(cases, answers, strict=True):
        on_bar, opp_on_bar = position.me[24] > 0, position.opp[24] > 0
        counts += Counter(
            {
                "double": first == second,
                "on the bar": on_bar,
                "both on the bar": on_bar and opp_on_bar,
                "several on the bar": position.me[24] > 1,
                "dance": afters == [position],
                "bear-off": not any(position.me[6:]),
                "bear-off under contact": not any(position.me[6:]) and position.contact,
                "closed board": all(count > 1 for count in position.opp[:6]),
                "a hit": any(after.opp[24] > position.opp[24] for after in afters),
                "the last checker": any(after.result for after in afters),
                "over 300 turns": len(afters) > 300,
            }
        )
    assert {name: count for name, count in counts.items() if count < 40} == {}
    assert len(counts) == 11


@settings(max_examples=150)
@given(strategies.positions(), strategies.dice())
def test_any_single_case_is_equal_to_the_reference(position, roll):
    case = [(position, roll)]
    assert_same(generated(case, FEW, ROOM_FOR_FEW), expected(reference(case)), case)


KNOWN_ANSWERS = [
    # name, position, roll, number of turns
    ("M1", Position.of(me={24: 1, 8: 1, 6: 13}, opp={21: 2, 9: 2, 7: 3, 6: 4, 5: 4}), (6, 2), 1),
    ("M3", Position.of(me={24: 1}, opp={12: 2}), (6, 5), 1),
    ("M3", Position.of(me={24: 1}, opp={12: 2, 7: 2}), (6, 5), 1),
    ("M4", Position.from_id("AMZgDEAAAAAAAA"), (6, 5), 1),
    ("M4", Position.from_id("DADIDAgAAAAAAA"), (5, 3), 1),
    ("M5", Position.of(me={4: 2, 1: 1}, opp={1: 1}), (6, 5), 1),
    (
        "M6",
        Position.of(me={6: 2, 4: 2, 3: 3, 2: 3}, opp={"bar": 1, 24: 4, 13: 2, 7: 2, 6: 2, 5: 2, 2: 2}),
        (4, 5),
        2,
    ),
    ("M7", Position.of(me={6: 1, 3: 2, 2: 2, 1: 2}, opp={"bar": 2, 1: 3}), (5, 2), 3),
    ("M9", Position.of(me={6: 1, 4: 2, 3: 2, 2: 1, 1: 9}, opp={1: 7}), (6, 1), 5),
    ("M10", Position.of(me={5: 1, 2: 1}, opp={1: 1}), (4, 2), 2),
    ("M11", Position.from_id("4OvgATDgc+QBUA"), (3, 2), 11),
    ("M12", Position.of(me={"bar": 2, 6: 3}, opp={5: 2, 1: 1}), (6, 5), 1),
    ("M13", Position.from_id("HC/wATDg8+AxAA"), (5, 1), 11),
    *(
        ("M14", Position.start(), (die, die), count)
        for die, count in enumerate([42, 75, 73, 52, 4, 11], 1)
    ),
    *(
        ("start", Position.start(), (a, b), count)
        for (a, b), count in zip(
            samples.NON_DOUBLES, [15, 16, 17, 14, 18, 17, 8, 8, 9, 9, 10, 14, 14, 14, 7], strict=True
        )
    ),
]  # fmt: skip
AFTER = {
    # The positions that matter in some of them: after the turn, and whether it is among the results.
    ("M1", Position.of(me={22: 1, 6: 13, 2: 1}, opp={21: 2, 9: 2, 7: 3, 6: 4, 5: 4}), True),
    ("M3", Position.of(me={18: 1}, opp={12: 2}), True),
    ("M3", Position.of(me={19: 1}, opp={12: 2, 7: 2}), True),
    ("M5", Position.of(me={1: 1}, opp={1: 1}), True),
    ("M9", Position.of(me={4: 2, 3: 2, 2: 1, 1: 9}, opp={1: 7}), True),
    ("M10", Position.of(me={1: 1}, opp={1: 1}), True),
    ("M10", Position.of(me={2: 1}, opp={1: 1}), True),
    ("M12", Position.of(me={"bar": 1, 19: 1, 6: 3}, opp={5: 2, 1: 1}), True),
}


def test_known_answers():
    """Cases that other programs got wrong; the names are those of the reference's tests."""
    cases = [(position, roll) for _, position, roll, _ in KNOWN_ANSWERS]
    found = generated(cases, FEW, ROOM_FOR_FEW)
    counts = np.bincount(found[:, 0], minlength=len(cases))
    assert [(name, count) for (name, *_), count in zip(KNOWN_ANSWERS, counts.tolist(), strict=True)] == [
        (name, count) for name, *_, count in KNOWN_ANSWERS
    ]
    afters = list(zip((KNOWN_ANSWERS[case][0] for case in found[:, 0]), unpack(found[:, 1:]), strict=True))
    assert [(name, after) for name, after, there in AFTER if ((name, after) in afters) != there] == []
    assert_same(found, expected(reference(cases)), cases)
    last = [after for name, after in afters if name == "M4"]
    assert [after.off[0] for after in last] == [15, 15]
    assert {after.off[0] for name, after in afters if name == "M11"} == {0}


def test_sums_from_the_start_and_after_every_opening():
    """447 turns from the start, 175 boards after an opening roll, and from those 82,270 turns to 71,485 boards."""
    start = Position.start()
    rows = generated([(start, roll) for roll in samples.ROLLS], FEW, ROOM_FOR_FEW)
    assert len(rows) == 447
    assert len(np.unique(rows[:, 1:], axis=0)) == 406
    openings = np.unique(rows[rows[:, 0] < 15, 1:], axis=0)
    replies = [position.flip() for position in unpack(openings)]
    rows = generated([(position, roll) for position in replies for roll in samples.ROLLS])
    assert (len(replies), len(rows), len(np.unique(rows[:, 1:], axis=0))) == (175, 82_270, 71_485)


def test_dice_order_does_not_matter(known):
    cases = known[0][-FEW:]
    turned = [(position, roll[::-1]) for position, roll in cases]
    assert np.array_equal(generated(cases, FEW, ROOM_FOR_FEW), generated(turned, FEW, ROOM_FOR_FEW))


def test_a_finished_game_and_an_empty_row_contribute_themselves_once():
    """Rows that fill a batch up may be anything; they must not multiply or disturb the others."""
    over = Position.of(me={}, opp={6: 15})
    rows = np.concatenate([pack([over] * 21), np.zeros((FEW - 21, 8), np.uint32)])
    dice = np.resize(ROLLS, (FEW, 2))
    turns = jitted(jnp.asarray(rows), jnp.asarray(dice), ROOM_FOR_FEW)
    source, after = (np.concatenate(both) for both in zip(*map(in_use, turns[:2]), strict=True))
    order = np.argsort(source)
    assert source[order].tolist() == list(range(FEW))
    assert np.array_equal(after[order], rows)


def test_rolls_and_their_weights():
    assert [tuple(roll) for roll in ROLLS.tolist()] == samples.ROLLS
    assert NON_DOUBLES.tolist() == ROLLS[:15].tolist()
    assert np.allclose(ROLL_WEIGHTS, [(1 + (a != b)) / 36 for a, b in samples.ROLLS])
    assert ROLL_WEIGHTS.sum() == pytest.approx(1)


@pytest.fixture(scope="module")
def several() -> list[Position]:
    """A few hundred positions of every kind."""
    return samples.realistic(2 * ALL, seed=5) + samples.adversarial(ALL, seed=6)


def everything(positions: Sequence[Position]) -> np.ndarray:
    """The table of `all_turns`, its cases numbered 21 · position + index in `samples.ROLLS`."""
    tables = []
    for first in range(0, len(positions), ALL):
        turns = jitted_all(jnp.asarray(pack(positions[first : first + ALL])), ROOM_FOR_ALL)
        assert bool(fits(turns.needed, ROOM_FOR_ALL))
        for packed, kinds, offset in ((turns.non_doubles, 15, 0), (turns.doubles, 6, 15)):
            source, after = in_use(packed)
            tables.append(table(21 * (first + source // kinds) + offset + source % kinds, after))
    return in_order(np.concatenate(tables))


def test_all_turns(several):
    assert len(several) >= 300
    cases = [(position, roll) for position in several for roll in samples.ROLLS]
    found = everything(several)
    assert_same(found, expected(reference(cases)), cases)
    assert np.array_equal(found, generated(cases))


def with_room(needed: jax.Array) -> Capacity:
    """Exactly these rows."""
    non_doubles, first, second, third, last = needed.tolist()
    return Capacity(non_doubles, (first, second, third, last))


@pytest.fixture(scope="module")
def busy() -> tuple[jax.Array, jax.Array, jax.Array]:
    """A batch with many turns, its dice, and the rows that each stage needs."""
    blots = Position.of(me=dict.fromkeys(range(9, 24), 1), opp={1: 2})
    batch = jnp.asarray(pack([*[blots] * 2, *samples.realistic(FEW - 2, seed=7)]))
    dice = jnp.asarray(np.resize(np.array([(1, 1), (2, 1), (3, 3), (6, 2)], np.int32), (FEW, 2)))
    needed = jitted(batch, dice, ROOM_FOR_FEW).needed
    assert bool(fits(needed, ROOM_FOR_FEW))
    return batch, dice, needed


def test_room_for_exactly_what_is_needed_is_enough(busy):
    batch, dice, needed = busy
    turns = quickly_compiled(batch, dice, with_room(needed))
    assert bool(fits(turns.needed, with_room(needed)))
    for mine, theirs in zip(turns[:2], jitted(batch, dice, ROOM_FOR_FEW)[:2], strict=True):
        assert all(map(np.array_equal, in_use(mine), in_use(theirs)))


@pytest.mark.parametrize("stage", range(5), ids=["non-doubles", "first", "second", "third", "last"])
def test_one_row_too_few_is_detected_in_every_stage(busy, stage):
    """Also where an overflow hides what later stages would have needed: the early count tells."""
    batch, dice, needed = busy
    room = with_room(needed.at[stage].add(-1))
    wanted = quickly_compiled(batch, dice, room).needed
    assert not bool(fits(wanted, room))
    assert wanted[: stage + 1].tolist() == needed[: stage + 1].tolist()
    if stage in (1, 2, 3):
        assert bool((wanted[stage + 1 :] < needed[stage + 1 :]).all())


def test_all_turns_detects_too_little_room(several):
    batch = jnp.asarray(pack(several[:ALL]))
    needed = jitted_all(batch, ROOM_FOR_ALL).needed
    room = with_room(needed // 2)
    wanted = jax.jit(all_turns, static_argnames="capacity", compiler_options=QUICK)(batch, room).needed
    assert bool(fits(needed, ROOM_FOR_ALL))
    assert not bool(fits(wanted, room))
    assert wanted[:2].tolist() == needed[:2].tolist()


def test_fits_looks_at_every_call_of_many():
    room = Capacity(5, (5, 5, 5, 5))
    calls = jnp.full((3, 4, 5), 5, jnp.int32)
    assert bool(fits(calls, room))
    for stage in range(5):
        assert not bool(fits(calls.at[2, 1, stage].set(6), room))


def test_capacity():
    room = Capacity(100, (10, 20, 30, 40))
    assert room.scaled(1.5) == Capacity(150, (15, 30, 45, 60))
    assert room.rows == 140
