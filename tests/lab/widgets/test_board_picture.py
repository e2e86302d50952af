"""The board in a browser: what is seen of it, and what can be taken away."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from bglab import Position, Situation
from bglab.lab.widgets.board import HERE, PARTS, Board
from bglab.rules.drawing import THEMES
from tests.browser import BAR, OFF, THEIR_BAR, THEIR_OFF, Bench, agree, shown
from tests.samples import realistic

START = Position.start()
MOST_BYTES = 60_000


def test_the_script_is_small():
    assert len(str(Board._esm).encode()) < MOST_BYTES
    assert all((HERE / f"{part}.js").is_file() for part in PARTS)


def shapes(svg: str) -> set[tuple[Any, ...]]:
    """The checkers, dice, cube and words of a drawing, each with its place and its colour."""
    found = set()
    for node in ElementTree.fromstring(svg).iter():
        tag, get = node.tag.rpartition("}")[2], node.attrib.get
        if tag == "circle":
            found.add(
                (tag, *(round(float(get(key)), 1) for key in ("cx", "cy", "r")), get("fill"), get("stroke"))
            )
        elif tag == "text" and node.text:
            place = (round(float(get(key)), 1) for key in ("x", "y", "font-size"))
            found.add((tag, node.text, *place, get("fill"), get("text-anchor")))
        elif tag == "rect" and get("height") in ("8", "34"):
            found.add(
                (tag, *(round(float(get(key)), 1) for key in ("x", "y", "width")), get("fill"), get("stroke"))
            )
        elif tag == "path" and "Q" in get("d", ""):
            found.add(
                (tag, *(round(float(number)) for number in re.findall(r"[\d.]+", get("d"))), get("stroke"))
            )
    return found


def live_svg(bench: Bench) -> str:
    """The picture on the page, without what is there for the mouse and what is hidden."""
    return bench.page.evaluate(
        """() => {
            const copy = document.querySelector(".bglab-picture").cloneNode(true);
            for (const node of copy.querySelectorAll("[data-ui],[display=none]")) node.remove();
            return new XMLSerializer().serializeToString(copy);
        }"""
    )


SITUATIONS = [
    (Situation(START, (3, 1)), {}),
    (Situation(START), {"flip": True}),
    (Situation(START, (6, 6), cube_value=2, cube_owner=1, score=(2, 3), length=7), {"theme": "dark"}),
    (
        Situation(
            Position.of(me={"bar": 2, 6: 8, 3: 2}, opp={"bar": 7, 6: 2, 1: 1}),
            (5, 2),
            cube_value=1024,
            cube_owner=-1,
            score=(6, 3),
            length=7,
            crawford=True,
        ),
        {"flip": True, "swap": True, "theme": "dark"},
    ),
    (Situation(Position.of(me={1: 15}, opp={1: 15})), {"swap": True}),
    (Situation(Position.of(me={1: 1}, opp={2: 1}), (2, 1), cube_value=64, cube_owner=1), {}),
]


@pytest.mark.parametrize(("situation", "options"), SITUATIONS)
def test_the_page_and_the_saved_picture_are_one_drawing(show, situation, options):
    bench = show(situation, **({"theme": "light"} | options))
    live = live_svg(bench)
    assert shapes(live) == shapes(bench.board.svg())


def test_arrows_are_those_of_the_saved_picture(show):
    bench = show(START, (4, 4), theme="light")
    for play in ("24/20(2) 13/9(2)", "8/4(2) 6/2(2)", None):
        bench.board.show(play)
        bench.push()
        arrows = {shape for shape in shapes(live_svg(bench)) if shape[0] == "path"}
        assert arrows == {shape for shape in shapes(bench.board.svg()) if shape[0] == "path"}
        assert bool(arrows) == bool(play)
    bench.board.show("8/4(2) 6/2(2)")
    bench.push()
    bench.click(24)  # a try hides them
    assert bench.page.locator('g[pointer-events="none"]:not([display])').count() == 0


def test_labels(show):
    bench = show(
        Position.of(me={6: 5, 8: 1, "bar": 1, "off": 8}, opp={6: 2, 22: 1, "bar": 1, "off": 11}), (3, 1)
    )
    label = lambda zone: bench.page.locator(f'[data-zone="{zone}"]').get_attribute("aria-label")  # noqa: E731
    assert [label(zone) for zone in (6, 8, 7, 19, BAR, THEIR_BAR, OFF, THEIR_OFF)] == [
        "point 6, 5 checkers, yours",
        "point 8, 1 checker, yours",
        "point 7, empty",
        "point 19, 2 checkers, the opponent's",
        "your bar, 1 checker",
        "the opponent's bar, 1 checker",
        "your tray, 8 checkers off",
        "the opponent's tray, 11 checkers off",
    ]
    assert bench.page.locator(".bglab-dice").get_attribute("aria-label") == "dice 3 and 1, swap"
    assert bench.page.get_by_role("status").inner_text() == "3-1: 2 to play."


def test_many_positions(show):
    bench = show(START)
    for position in realistic(40, seed=2):
        bench.board.position = position
        bench.push()
        agree(bench)


def colour(bench: Bench) -> str:
    return bench.page.locator(".bglab-picture > rect").first.get_attribute("fill")


def test_themes(show):
    bench = show(START, color_scheme="dark")
    assert colour(bench) == THEMES["dark"].page
    becomes = "() => document.querySelector('rect').getAttribute('fill') === '{}'"
    bench.page.emulate_media(color_scheme="light")
    bench.page.wait_for_function(becomes.format(THEMES["light"].page))
    bench.page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    bench.page.wait_for_function(becomes.format(THEMES["dark"].page))
    bench.board.theme = "light"
    bench.push()
    assert colour(bench) == THEMES["light"].page


def test_flip_is_for_the_eye_only(show):
    bench = show(START, (3, 1))
    low, tray = bench.spot(6), bench.spot(OFF)
    bench.press("Turn the view")
    assert bench.settle() == []
    assert bench.board.flip
    assert bench.board.position == START
    assert bench.spot(6)[0] == low[0]
    assert bench.spot(6)[1] < low[1]
    assert bench.spot(OFF)[1] < tray[1]
    bench.click(6)
    assert shown(bench)[0] == {24: 2, 13: 5, 8: 3, 6: 4, 3: 1}


def test_copy(show):
    bench = show(
        Situation(START, (3, 1), length=5, score=(1, 2)), permissions=("clipboard-read", "clipboard-write")
    )
    for kind, text in bench.board._page["ids"].items():
        bench.page.get_by_label("Kind of identifier").select_option(kind)
        bench.press("Copy the identifier")
        bench.page.wait_for_function(
            f"() => document.querySelector('.bglab-status').textContent === 'Copied {text}'"
        )
        assert bench.page.evaluate("navigator.clipboard.readText()") == text


def test_copy_without_a_clipboard(show):
    bench = show(START)
    bench.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    bench.press("Copy the identifier")
    bench.page.wait_for_function(
        "() => document.querySelector('.bglab-status').textContent.includes('4HPwATDgc/ABMA')"
    )


def test_pictures(show, tmp_path):
    bench = show(Situation(START, (3, 1), cube_value=2, cube_owner=1), theme="dark")
    bench.click(8)
    saved = {}
    for kind in ("SVG", "PNG"):
        with bench.page.expect_download() as download:
            bench.press(f"Save the picture as {kind}")
        assert download.value.suggested_filename == f"position-4HPwATDgc_ABMA.{kind.lower()}"
        path = tmp_path / kind
        download.value.save_as(path)
        saved[kind] = path.read_bytes()
    ElementTree.fromstring(saved["SVG"])
    assert b"data-ui" not in saved["SVG"]
    assert saved["SVG"].count(b"<circle") == 30 + 2 + 4
    assert saved["PNG"].startswith(b"\x89PNG")
    assert int.from_bytes(saved["PNG"][16:20]) == 2 * 658
