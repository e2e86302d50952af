"""The board as text and as SVG."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from bglab.errors import InputError
from bglab.rules import Position, find_turn, legal_turns
from bglab.rules.drawing import THEMES, svg, text
from tests.strategies import dice, positions

SVG = "{http://www.w3.org/2000/svg}"
START = Position.start()
BUSY = Position.of(me={"bar": 2, 24: 1, 6: 7, 4: 2}, opp={"bar": 1, 2: 3, 3: 2, 5: 1})


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def words(markup: str) -> list[str]:
    return [element.text or "" for element in parsed(markup).iter(f"{SVG}text")]


def test_text_of_the_start():
    assert text(START) == "\n".join(
        [
            " O: 167 pips, 0 off",
            " +13-14-15-16-17-18-------19-20-21-22-23-24+",
            " | X           O    |   | O              X |",
            " | X           O    |   | O              X |",
            " | X           O    |   | O                |",
            " | X                |   | O                |",
            " | X                |   | O                |",
            " |                  |BAR|                  |",
            " | O                |   | X                |",
            " | O                |   | X                |",
            " | O           X    |   | X                |",
            " | O           X    |   | X              O |",
            " | O           X    |   | X              O |",
            " +12-11-10--9--8--7-------6--5--4--3--2--1-+",
            " X: 167 pips, 0 off, on roll",
        ]
    )


def test_text_shows_tall_stacks_and_the_bar():
    drawn = text(BUSY)
    assert "| 7                |" in drawn
    assert [line[20:25] for line in drawn.splitlines()[5:9]] == ["| X |", "| X |", "|BAR|", "| O |"]
    assert "X: 124 pips, 3 off" in drawn
    assert "O: 42 pips, 8 off" in drawn


@settings(max_examples=40)
@given(positions(), dice())
def test_every_position_and_turn_can_be_drawn(position, roll):
    assert {len(line) for line in text(position).splitlines()[1:-1]} == {44}
    turn = legal_turns(position, roll)[-1]
    root = parsed(
        svg(position, dice=roll, play=turn, flip=roll[0] > 3, theme="dark" if roll[1] > 3 else "light")
    )
    assert root.find(f"{SVG}title").text == f"Backgammon position {position.id}"
    assert turn.play in root.find(f"{SVG}desc").text


def test_svg_shows_counts_pips_off_and_the_id():
    shown = words(svg(BUSY))
    assert shown[:24] == [str(point) for point in range(1, 25)]
    assert {"On roll · 124 pips", "Opponent · 42 pips", "7", "3 off", "8 off", BUSY.id} <= set(shown)


def test_svg_describes_itself():
    root = parsed(svg(BUSY, dice=(4, 4)))
    assert root.get("role") == "img"
    description = root.find(f"{SVG}desc").text
    assert "2 on the bar, 1 on point 24, 7 on point 6, 2 on point 4, 3 borne off; 124 pips" in description
    assert "1 on the bar, 1 on point 5" in description
    assert "Dice 4-4" in description


def test_svg_draws_dice_and_arrows():
    turn = find_turn(START, (3, 1), "8/5 6/5")
    plain, full = svg(START), svg(START, dice=(3, 1), play=turn)
    assert "3-1: 8/5 6/5" in words(full)
    assert full.count("<circle") == plain.count("<circle") + 4 + 2  # four pips, two rings
    assert full.count(THEMES["light"].arrow) > plain.count(THEMES["light"].arrow)
    assert svg(START, dice=(3, 1), play=turn.moves) == full


def test_flip_turns_the_picture_over_and_nothing_else():
    def circles(markup: str) -> set[tuple[float, float, str]]:
        found = parsed(markup).iter(f"{SVG}circle")
        return {(float(c.get("cx")), float(c.get("cy")), c.get("fill")) for c in found}

    upright, flipped = svg(BUSY), svg(BUSY, flip=True)
    assert circles(flipped) == {(x, 502 - y, fill) for x, y, fill in circles(upright)}
    assert sorted(words(flipped)) == sorted(words(upright))


def test_svg_stands_alone():
    markup = svg(START, size=300)
    assert re.findall(r"https?://[^\"]+", markup) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<image|\bid=|href|url\(", markup)
    assert parsed(markup).get("width") == "300"


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"theme": "pink"}, "No theme is called 'pink': choose one of light, dark"),
        ({"size": 0}, "at least 1 pixel wide, not 0"),
        ({"dice": (3,)}, "Dice are two"),
        ({"dice": (3, 7)}, "Dice are two"),
        ({"play": [(7, 4)]}, "moving from 7 to 4"),
        ({"play": [(6, 8)]}, "moving from 6 to 8"),
        ({"play": [(6, -1)]}, "moving from 6 to -1"),
        ({"play": "8/5 6/5"}, "arrows"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, fault):
    with pytest.raises(InputError, match=fault):
        svg(START, **options)
