"""Positions: what is refused, the two text forms, pips, results and starts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bglab.errors import InputError
from bglab.rules import Position
from tests.strategies import positions

START_ID = "4HPwATDgc/ABMA"
I8 = "aFDaA--------------a-Acbb-"
EMPTY = (0,) * 25


@given(positions())
def test_flip_of_flip(position):
    assert position.flip().flip() == position
    assert position.flip().pips == position.pips[::-1]
    assert position.flip().off == position.off[::-1]
    assert position.flip().contact == position.contact


@given(positions())
def test_text_forms_round_trip(position):
    assert Position.from_id(position.id) == position
    assert Position.from_xgid(position.xgid) == position
    assert eval(repr(position), {"Position": Position}) == position


@given(positions())
def test_xgid_is_absolute(position):
    """The same position with the top player on roll: the board turned round and its colours exchanged."""
    turned = position.xgid[::-1].swapcase()
    assert Position.from_xgid(f"XGID={turned}:0:0:-1:00:0:0:0:0:10") == position
    assert Position.from_xgid(turned) == position.flip()


@given(positions(checkers=3))
def test_three_checkers(position):
    assert Position.from_id(position.id, checkers=3) == position
    assert eval(repr(position), {"Position": Position}) == position


def test_position_id_of_an_asymmetric_position():
    position = Position.from_id("4OvgATDgc+QBUA")
    assert position == Position.of(
        me={"bar": 1, 24: 1, 13: 4, 11: 1, 8: 3, 6: 5}, opp={24: 2, 13: 4, 8: 3, 7: 1, 6: 5}
    )
    assert position.pips == (166, 161)


def test_known_xgids():
    position = Position.from_xgid("XGID=-b---BD-B---eE---c-e----B-:0:0:-1:31:0:0:0:11:8")
    assert (position.id, position.pips) == ("sGfwATDgc/ABMA", (167, 163))
    assert Position.from_xgid("-b----E-C--AeD---bAdb---A-:0:0:1:52:0:0:0:0:10").pips == (159, 163)
    assert Position.from_xgid("----abF-B--BbB-Bacbd----A-:0:0:1:41:1:0:0:11:10").pips == (154, 158)


def test_xgid_with_the_opponent_on_the_bar():
    position = Position.from_xgid(f"{I8}:1:-1:1:42:3:0:0:7:10")
    assert position.opp[24] == 1
    assert position.off == (3, 5)
    assert position.pips == (39, 68)
    assert position.xgid == I8


@pytest.mark.parametrize(
    ("variant", "name", "pips"),
    [
        ("standard", START_ID, 167),
        ("nackgammon", "4Dl4ADbgOXgANg", 194),
        ("hypergammon", "AACgAgAAKgAAAA", 69),
    ],
)
def test_starts(variant, name, pips):
    position = Position.start(variant)
    assert position.id == name
    assert position.pips == (pips, pips)
    assert position.flip() == position
    assert position.off == (0, 0)
    assert position.contact
    assert position.result is None


@pytest.mark.parametrize(
    ("me", "opp", "contact"),
    [({13: 1}, {11: 1}, False), ({13: 1}, {13: 1}, True), ({"bar": 1}, {1: 1}, True), ({}, {24: 1}, False)],
)
def test_contact(me, opp, contact):
    position = Position.of(me=me, opp=opp)
    assert position.contact is contact
    assert position.flip().contact is contact


@pytest.mark.parametrize(
    ("loser", "checkers", "points"),
    [
        ({1: 14}, 15, 1),
        ({24: 14}, 15, 1),
        ({1: 15}, 15, 2),
        ({18: 1, 1: 14}, 15, 2),
        ({19: 1, 1: 14}, 15, 3),
        ({24: 15}, 15, 3),
        ({"bar": 1, 1: 14}, 15, 3),
        ({1: 2}, 3, 1),
        ({1: 3}, 3, 2),
        ({"bar": 1, 1: 2}, 3, 3),
    ],
)
def test_result(loser, checkers, points):
    won = Position.of(me={}, opp=loser, checkers=checkers)
    assert won.result == points
    assert won.flip().result == -points


def test_no_result_while_both_play():
    assert Position.of(me={2: 1}, opp={24: 15}).result is None


def test_of_takes_bar_and_off_by_name_or_number():
    named = Position.of(me={"bar": 1, 6: 2, "off": 12}, opp={1: 1})
    assert named == Position.of(me={25: 1, 6: 2, 0: 12}, opp={1: 1, "off": 14})
    assert named.me[24] == 1


@pytest.mark.usefixtures("unchecked")
def test_counts_of_numpy_become_plain_integers():
    position = Position(np.eye(25, dtype=int)[5], np.eye(25, dtype=int)[0], np.int64(15))
    assert position == Position.of(me={6: 1}, opp={1: 1})
    assert {type(count) for count in (*position.me, *position.opp, position.checkers)} == {int}


def test_positions_cannot_be_edited():
    position = Position.start()
    assert isinstance(position.me, tuple)
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.checkers = 3
    assert len({position, Position.start()}) == 1


def test_str_is_text_and_pictures_are_markup():
    position = Position.start()
    assert "<" not in str(position)
    assert "167 pips" in str(position)
    assert repr(position) == f"Position.from_id('{START_ID}')"
    assert repr(Position.start("hypergammon")) == "Position.from_id('AACgAgAAKgAAAA', checkers=3)"
    assert position._repr_svg_().startswith("<svg")
    assert position._repr_html_().startswith("<img")


@pytest.mark.parametrize(
    ("me", "opp", "checkers", "fault"),
    [
        ({6: 16}, {1: 1}, 15, "me has 16 checkers on the board"),
        ({6: 1}, {1: 15, "bar": 1}, 15, "opp has 16 checkers on the board"),
        ({6: 4}, {1: 1}, 3, "only 3 in all"),
        ({6: 1}, {19: 1}, 15, "my point 6, the opponent's 19"),
        ({6: -1}, {1: 1}, 15, "me has -1 checkers at point 6"),
        ({"bar": -1, 6: 2}, {1: 1}, 15, "at the bar"),
        ({}, {}, 15, "Neither side"),
        ({26: 1}, {1: 1}, 15, "no location 26"),
        ({-1: 1}, {1: 1}, 15, "no location -1"),
        ({"six": 1}, {1: 1}, 15, "no location 'six'"),
        ({25: 1, "bar": 1}, {1: 1}, 15, "the bar twice"),
        ({6: 1, "off": 13}, {1: 1}, 15, "1 checkers on the board and 13 off"),
        ({6: 1}, {1: 1}, 16, "1 to 15 checkers, not 16"),
        ({6: 1}, {1: 1}, 0, "1 to 15 checkers, not 0"),
    ],
)
def test_impossible_positions_are_refused(me, opp, checkers, fault):
    with pytest.raises(InputError, match=fault):
        Position.of(me=me, opp=opp, checkers=checkers)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: Position(EMPTY[1:], EMPTY), "me has 24 counts but needs 25"),
        (lambda: Position(EMPTY, (*EMPTY[1:], 1.5)), "whole number, not 1.5"),
        (lambda: Position(EMPTY, (*EMPTY[1:], True)), "whole number, not True"),
        (lambda: Position(7, EMPTY), "25 counts"),
        (lambda: Position.start("fevga"), "No variant is called 'fevga'"),
        (lambda: Position.of(me={6.0: 1}, opp={1: 1}), "no location 6.0"),
        (lambda: Position.of(me=[1, 2], opp={1: 1}), "maps locations to counts"),
        (lambda: Position.of(me={6: "2"}, opp={1: 1}), "whole number, not '2'"),
        (lambda: Position.from_id(None), "text, not NoneType"),
        (lambda: Position.from_xgid(7), "text, not int"),
        (lambda: Position.from_id(START_ID, checkers="x"), "whole number, not 'x'"),
    ],
)
def test_wrong_types_are_refused(make, fault):
    with pytest.raises(InputError, match=fault):
        make()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has 0 characters"),
        (START_ID[:-1], "has 13 characters"),
        (START_ID + "A", "has 15 characters"),
        (START_ID + ":cAkAAAAAAAAA", "has 27 characters"),
        ("4HPwATDgc/AB=A", "contains '='"),
        ("4HPwATDgc-ABMA", "contains '-'"),
        ("4HPwATDgc/ABMÄ", "contains 'Ä'"),
        ("/" * 14, "more than 15 checkers"),
        ("//8AAAAAAAACAA", "opp has 16 checkers"),
        (START_ID[:-1] + "B", "goes on after"),
        ("DADIDAgAAAAAgA", "goes on after"),
        (START_ID[:-2] + "MQ", "more than 15 checkers"),
        ("A" * 14, "Neither side"),
        ("AQAAAAAAAgAAAA", "Both sides stand on my point 24"),
    ],
)
def test_malformed_ids_are_refused(text, fault):
    with pytest.raises(InputError, match=fault):
        Position.from_id(text)


@given(st.text("ABCDEFabcdef0123456789+/=", min_size=12, max_size=15))
def test_an_id_is_read_exactly_or_refused(text):
    try:
        position = Position.from_id(text)
    except InputError:
        return
    assert position.id == text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has 0 characters"),
        (I8[:-1], "has 25 characters"),
        (I8 + "-", "has 27 characters"),
        ("A" + I8[1:], "'A' as character 1"),
        (I8[:-1] + "a", "'a' as character 26"),
        (I8.replace("F", "1"), "'1' as character 2"),
        (I8.replace("F", "P"), "'P' as character 2"),
        (I8.replace("F", "O"), "checkers"),
        ("-" * 26, "Neither side"),
        (f"{I8}:1:-1", "does not say who is on roll"),
        (f"{I8}:1:-1:0:42", "does not say who is on roll"),
        (f"{I8}:1:-1:x:42", "does not say who is on roll"),
    ],
)
def test_malformed_xgids_are_refused(text, fault):
    with pytest.raises(InputError, match=fault):
        Position.from_xgid(text)
