"""Complete turns: counts and cases published elsewhere, a second generator, and what holds for every turn."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings

from bglab.errors import InputError
from bglab.rules import Position, Turn, legal_turns
from tests.strategies import dice, positions

NON_DOUBLES = list(combinations(range(1, 7), 2))
ROLLS = [*NON_DOUBLES, *((die, die) for die in range(1, 7))]

FROM_THE_START = {
    (2, 1): 15, (3, 1): 16, (3, 2): 17, (4, 1): 14, (4, 2): 18, (4, 3): 17, (5, 1): 8, (5, 2): 8, (5, 3): 9,
    (5, 4): 9, (6, 1): 10, (6, 2): 14, (6, 3): 14, (6, 4): 14, (6, 5): 7,
    (1, 1): 42, (2, 2): 75, (3, 3): 73, (4, 4): 52, (5, 5): 4, (6, 6): 11,
}  # fmt: skip


def plays(position: Position, roll: tuple[int, int]) -> set[str]:
    return {turn.play for turn in legal_turns(position, roll)}


@pytest.mark.parametrize(("roll", "count"), FROM_THE_START.items())
def test_counts_from_the_start(roll, count):
    assert len(legal_turns(Position.start(), roll)) == count


def test_sums_from_the_start():
    start = Position.start()
    turns = {roll: legal_turns(start, roll) for roll in ROLLS}
    assert sum(len(turns[roll]) for roll in NON_DOUBLES) == 190
    assert sum(map(len, turns.values())) == 447
    assert len({turn.after for each in turns.values() for turn in each}) == 406
    assert len({turn.after for roll in NON_DOUBLES for turn in turns[roll]}) == 175


@pytest.mark.usefixtures("unchecked")
def test_counts_after_every_opening():
    start = Position.start()
    openings = {turn.after.flip() for roll in NON_DOUBLES for turn in legal_turns(start, roll)}
    count, boards = 0, set()
    for position in openings:
        for roll in ROLLS:
            turns = legal_turns(position, roll)
            count += len(turns)
            boards.update((turn.after.me, turn.after.opp) for turn in turns)
    assert (count, len(boards)) == (82_270, 71_485)


# The cases named M… come from public bug reports of other programs: what goes wrong there, and the right answer.
@pytest.mark.parametrize(
    ("me", "opp", "roll", "answer"),
    [
        pytest.param(
            {24: 1, 8: 1, 6: 13},
            {21: 2, 9: 2, 7: 3, 6: 4, 5: 4},
            (6, 2),
            {"24/22 8/2"},
            id="M1 half a forced play",
        ),
        pytest.param({24: 1}, {12: 2}, (6, 5), {"24/18"}, id="M3 the larger die"),
        pytest.param({24: 1}, {12: 2, 7: 2}, (6, 5), {"24/19"}, id="M3 only the smaller die"),
        pytest.param({4: 2, 1: 1}, {1: 1}, (6, 5), {"4/off(2)"}, id="M5 from the highest point only"),
        pytest.param(
            {6: 2, 4: 2, 3: 3, 2: 3},
            {"bar": 1, 24: 4, 13: 2, 7: 2, 6: 2, 5: 2, 2: 2},
            (4, 5),
            {"4/off", "6/2"},
            id="M6 an exact bear-off is the smaller die",
        ),
        pytest.param({"bar": 2, 6: 3}, {5: 2, 1: 1}, (6, 5), {"bar/19"}, id="M12 the bar first"),
        pytest.param({"bar": 1, 6: 3}, {6: 2, 5: 2}, (6, 5), {"(no play)"}, id="dance"),
        pytest.param(
            {"bar": 2, 6: 3},
            {1: 1},
            (3, 3),
            {"bar/16 bar/22", "bar/19(2)", "bar/19 bar/22 6/3", "bar/22(2) 6/3(2)"},
            id="both enter",
        ),
    ],
)
def test_cases(me, opp, roll, answer):
    assert plays(Position.of(me=me, opp=opp), roll) == answer


@pytest.mark.parametrize(("name", "roll"), [("AMZgDEAAAAAAAA", (6, 5)), ("DADIDAgAAAAAAA", (5, 3))])
def test_last_checker(name, roll):
    """M4: one result, whichever die bears the last checker off."""
    (turn,) = legal_turns(Position.from_id(name), roll)
    assert turn.after.off[0] == 15
    assert turn.after.result == 1
    assert turn.play.endswith("/off")


@pytest.mark.parametrize(
    ("me", "opp", "roll", "boards"),
    [
        pytest.param({5: 1, 2: 1}, {1: 1}, (4, 2), [{1: 1}, {2: 1}], id="M10"),
        pytest.param({6: 1, 3: 2, 2: 2, 1: 2}, {"bar": 2, 1: 3}, (5, 2), 3, id="M7"),
        pytest.param({6: 1, 4: 2, 3: 2, 2: 1, 1: 9}, {1: 7}, (6, 1), 5, id="M9"),
    ],
)
def test_bear_off(me, opp, roll, boards):
    afters = {turn.after.me for turn in legal_turns(Position.of(me=me, opp=opp), roll)}
    if isinstance(boards, int):
        assert len(afters) == boards
    else:
        assert afters == {Position.of(me=board, opp=opp).me for board in boards}


def test_bear_off_after_a_move_within():
    """M9: one of the five boards is that of 6/5 5/off."""
    position = Position.of(me={6: 1, 4: 2, 3: 2, 2: 1, 1: 9}, opp={1: 7})
    assert Position.of(me={4: 2, 3: 2, 2: 1, 1: 9}, opp={1: 7}) in {
        turn.after for turn in legal_turns(position, (6, 1))
    }


def test_nothing_is_off_after_entering():
    """M11: 11 plays; nobody has borne off, and the mover starts with one on the bar."""
    position = Position.from_id("4OvgATDgc+QBUA")
    assert position.me[24] == 1
    turns = legal_turns(position, (3, 2))
    assert len(turns) == 11
    assert {turn.after.off for turn in turns} == {(0, 0)}


def test_no_half_play():
    """M13: 11 plays, 13/12 13/8 not among them."""
    position = Position.from_id("HC/wATDg8+AxAA")
    turns = legal_turns(position, (5, 1))
    assert len(turns) == 11
    assert ((13, 12), (13, 8)) not in {turn.moves for turn in turns}
    assert "13/12 13/8" not in {turn.play for turn in turns}


def test_known_xgids():
    opening = Position.from_xgid("XGID=-b---BD-B---eE---c-e----B-:0:0:-1:31:0:0:0:11:8")
    assert len(legal_turns(opening, (3, 1))) == 15
    assert (
        len(legal_turns(Position.from_xgid("aFDaA--------------a-Acbb-:1:-1:1:42:3:0:0:7:10"), (4, 2))) == 3
    )


def test_turns_are_ordered_and_deterministic():
    turns = legal_turns(Position.start(), (2, 1))
    assert [turn.moves for turn in turns] == sorted((turn.moves for turn in turns), reverse=True)
    assert turns == legal_turns(Position.start(), (1, 2))


def test_a_turn_prints_and_draws():
    position = Position.of(me={"bar": 1, 6: 3}, opp={6: 2, 5: 2})
    (dance,) = legal_turns(position, (6, 5))
    assert (dance.play, dance.after, dance.moves) == ("(no play)", position, ())
    turn = legal_turns(Position.start(), (3, 1))[0]
    assert str(turn) == turn.play
    assert "<" not in repr(turn)
    assert turn._repr_html_().startswith("<img")
    assert Turn(turn.play, turn.after, turn.moves) == turn
    assert Turn(turn.play, turn.after, turn.moves)._repr_svg_().startswith("<svg")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    "roll", [(0, 1), (7, 1), (1, -1), (1,), (1, 2, 3), (1.0, 2), ("3", "1"), "31", 31, None]
)
def test_bad_dice_are_refused(roll):
    with pytest.raises(InputError, match="Dice are two whole numbers from 1 to 6"):
        legal_turns(Position.start(), roll)


@pytest.mark.parametrize("over", [Position.of(me={}, opp={6: 15}), Position.of(me={6: 1}, opp={})])
def test_finished_games_have_no_turns(over):
    with pytest.raises(InputError, match="The game is over"):
        legal_turns(over, (3, 1))


@settings(max_examples=300)
@given(positions(), dice())
def test_what_holds_for_every_turn(position, roll):
    turns = legal_turns(position, roll)
    total = sum(roll) * (1 + (roll[0] == roll[1]))
    assert len({turn.after for turn in turns}) == len(turns) >= 1
    assert len({len(turn.moves) for turn in turns}) == 1
    for turn in turns:
        after = turn.after
        spent = position.pips[0] - after.pips[0]
        hits = after.opp[24] - position.opp[24]
        assert after.checkers == position.checkers
        assert sum(after.opp) == sum(position.opp)
        assert sum(after.me) == sum(position.me) - sum(target == 0 for _, target in turn.moves)
        assert spent == sum(source - target for source, target in turn.moves) <= total
        assert hits == turn.play.count("*") >= 0
        assert list(turn.moves) == sorted(turn.moves, reverse=True)
        assert turn.before == position


@given(positions(), dice())
def test_dice_order_and_colours_do_not_matter(position, roll):
    turns = legal_turns(position, roll)
    turned = Position.from_xgid(f"{position.xgid[::-1].swapcase()}:0:0:-1:00")
    assert legal_turns(position, roll[::-1]) == turns
    assert legal_turns(turned, roll) == turns


def signed(position: Position) -> tuple[int, ...]:
    """Mine as positive, the opponent's as negative counts on points 1 to 24, the bars as 0 and 25; then my tray."""
    points = (mine - theirs for mine, theirs in zip(position.me[:24], position.opp[23::-1], strict=True))
    return (-position.opp[24], *points, position.me[24], position.off[0])


def brute_force(position: Position, roll: tuple[int, int]) -> set[tuple[int, ...]]:
    """The boards of every legal turn, as `signed`, by trying every line to its end."""
    *board, off = signed(position)
    first, second = roll
    orders = [(first,) * 4] if first == second else [(first, second), (second, first)]
    lines: set[tuple[int, int, tuple[int, ...]]] = set()

    def walk(here: list[int], off: int, used: tuple[int, ...], left: tuple[int, ...]) -> None:
        stuck = True
        if left:
            die = left[0]
            mine = [place for place in range(1, 26) if here[place] > 0]
            for place in mine:
                target = place - die
                entering = here[25] == 0 or place == 25
                landing = target > 0 and here[target] >= -1
                leaving = target <= 0 and max(mine) <= 6 and (target == 0 or place == max(mine))
                if entering and (landing or leaving):
                    stuck = False
                    there = here.copy()
                    there[place] -= 1
                    if landing and there[target] == -1:
                        there[target] = 0
                        there[0] -= 1
                    if landing:
                        there[target] += 1
                    walk(there, off + leaving, (*used, die), left[1:])
        if stuck:
            lines.add((len(used), max(used, default=0), (*here, off)))

    for order in orders:
        walk(board, off, (), order)
    longest = max(line[0] for line in lines)
    lines = {line for line in lines if line[0] == longest}
    if longest == 1 and first != second:
        largest = max(line[1] for line in lines)
        lines = {line for line in lines if line[1] == largest}
    return {line[2] for line in lines}


@settings(max_examples=150)
@given(positions(), dice().filter(lambda roll: roll[0] != roll[1]))
def test_equal_to_brute_force(position, roll):
    assert {signed(turn.after) for turn in legal_turns(position, roll)} == brute_force(position, roll)


@settings(max_examples=60)
@given(positions(checkers=3), dice())
def test_equal_to_brute_force_with_doubles(position, roll):
    assert {signed(turn.after) for turn in legal_turns(position, roll)} == brute_force(position, roll)
