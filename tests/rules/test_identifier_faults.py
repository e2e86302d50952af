"""Identifiers that contradict themselves, what only looks like it, and texts too long to be quoted."""

from __future__ import annotations

from base64 import b64encode

import pytest

from bglab.errors import InputError
from bglab.rules import parse
from bglab.rules.identifiers import LAYOUT
from tests.rules.test_identifiers import BOARD, START


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        (
            "0:0:1:00:6:6:1:7:10",
            "The Crawford game is played when one side alone needs one point, not at 6-6 to 7",
        ),
        ("0:0:1:00:5:5:1:7:10", "The Crawford game is played when"),
        ("0:1:1:00:0:0:0:0:10", "a cube of 1 that belongs to a side"),
        ("0:-1:-1:52:3:2:0:7:10", "a cube of 1 that belongs to a side"),
        ("3:0:1:00:0:0:0:5:10", "a cube of 8 in the middle of a match"),
        ("0:0:1:B:0:0:0:5:10", "a beaver on offer in a match"),
        ("0:0:1:R:0:0:0:5:10", "a raccoon on offer in a match"),
        ("1:-1:1:D:0:0:0:5:10", "a double by the side that does not own the cube"),
        ("1:1:-1:D:0:0:0:0:10", "a double by the side that does not own the cube"),
        ("1:1:1:00:6:2:1:7:10", "a cube in use in the Crawford game"),
        ("0:0:1:D:6:2:1:7:10", "a cube in use in the Crawford game"),
    ],
)
def test_contradictions_in_an_xgid(fields, fault):
    with pytest.raises(InputError, match=fault):
        parse(f"XGID={BOARD}:{fields}")


def match_id(**values: int) -> str:
    """A Match ID of the fields named, the others as in a money game before the first roll."""
    fields = {"owner": 3, "state": 1, "no_jacoby": 1, **values}
    bits = shift = 0
    for name, width in LAYOUT:
        bits |= fields.get(name, 0) << shift
        shift += width
    return b64encode(bits.to_bytes(9, "little")).decode()


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (
            {"length": 7, "score0": 6, "score1": 6, "crawford": 1},
            "one side alone needs one point, not at 6-6 to 7",
        ),
        ({"length": 5, "cube": 3}, "a cube of 8 in the middle of a match"),
        ({"length": 5, "doubled": 1}, "a beaver on offer in a match"),
        ({"doubled": 1, "turn": 1, "cube": 1, "owner": 1}, "a double by the side that does not own the cube"),
        (
            {"length": 7, "score0": 6, "crawford": 1, "cube": 1, "owner": 0},
            "a cube in use in the Crawford game",
        ),
        (
            {"length": 7, "score0": 6, "crawford": 1, "doubled": 1, "turn": 1},
            "a cube in use in the Crawford game",
        ),
    ],
)
def test_contradictions_in_a_match_id(values, fault):
    with pytest.raises(InputError, match=fault):
        parse(f"{START}:{match_id(**values)}")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (f"{BOARD}:3:0:1:00:0:0:0:0:10", {"cube_value": 8, "cube_owner": 0}),  # automatic doubles
        (f"{BOARD}:0:0:1:B:0:0:0:0:10", {"offer": "beaver", "beavers": False}),
        (f"{BOARD}:0:0:1:31:0:0:1:1:10", {"crawford": True, "length": 1}),
        (f"{START}:{match_id(length=1, crawford=1)}", {"crawford": True, "length": 1}),
        (f"{START}:{match_id(cube=3)}", {"cube_value": 8, "cube_owner": 0}),
        (
            f"{START}:{match_id(length=7, owner=0)}",
            {"cube_value": 1, "cube_owner": 1},
        ),  # written in Crawford games
    ],
)
def test_what_looks_like_a_contradiction_and_is_none(text, known):
    situation = parse(text)
    assert {name: getattr(situation, name) for name in known} == known


@pytest.mark.parametrize(
    "text",
    [
        "A" * 10**6,
        f"{START}:" + "A" * 10**6,
        "XGID=" + "A" * 10**6,
        ":" * 10**6,
        f"XGID={BOARD}:0:0:1:" + "9" * 10**6 + ":0:0:0:0:10",
        f"XGID={BOARD}:" + "9" * 10**6 + ":0:1:00:0:0:0:0:10",
        f"XGID={BOARD}:0:0:" + "9" * 10**6 + ":00:0:0:0:0:10",
        "Position ID: " + "A" * 10**6,
        "\x00\x1b[2J" * 10**5,
    ],
)
def test_a_long_text_is_not_echoed(text):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert len(str(caught.value)) < 700
    assert str(caught.value).isprintable()
