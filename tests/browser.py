"""A real browser for tests: the system's Chromium, driven by Playwright; and a page with boards, without JupyterLab.

The page imports the board's script as JupyterLab does and gives it a model that keeps what it is told. `Bench` carries
messages between it and a `Board` in this process, so that both halves are tested together in milliseconds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bglab import Position
from bglab.lab.widgets.board import Board

BAR, OFF, THEIR_BAR, THEIR_OFF = 25, 0, 26, 27
"""The zones of a board that are not points."""

SYNCED = ("_page", "_arrows", "_themes", "mode", "flip", "swap", "theme")
ADDRESS = "http://localhost/"  # never reached: every request is answered here

PAGE = Path(__file__).with_name("bench.html")


def executable() -> str:
    """The system's Chromium; the test is skipped where there is none, or no Playwright to drive it."""
    pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'bglab[test]'.")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("There is no Chromium: install it (Debian: apt-get install chromium).")
    return found


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium."""
    path = executable()
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


class Hands:
    """What a person does with the first board of a page, and sees of it.

    Places are zones: points 1 to 24, 25 my bar, 0 my tray, 26 and 27 the opponent's.
    """

    def __init__(self, page: Any) -> None:
        self.page = page

    def spot(self, zone: int) -> tuple[float, float]:
        """The middle of a zone on the screen."""
        box = self.page.locator(f'[data-zone="{zone}"] .bglab-hit').first.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def click(self, zone: int, **options: Any) -> None:
        """Click in the middle of a zone."""
        self.page.mouse.move(*self.spot(zone))
        for key in options.get("modifiers", ()):
            self.page.keyboard.down(key)
        self.page.mouse.click(*self.spot(zone), button=options.get("button", "left"))
        for key in options.get("modifiers", ()):
            self.page.keyboard.up(key)

    def drag(self, start: int, end: int | tuple[float, float]) -> None:
        """Drag from the middle of a zone to another one, or to a place on the screen."""
        self.page.mouse.move(*self.spot(start))
        self.page.mouse.down()
        target = end if isinstance(end, tuple) else self.spot(end)
        self.page.mouse.move(*target, steps=4)
        self.page.mouse.up()

    def dice(self) -> None:
        """Click the dice."""
        box = self.page.locator(".bglab-dice .bglab-hit").first.bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def press(self, name: str) -> None:
        """Press a button below the board."""
        self.page.get_by_role("button", name=name).first.click()

    def counts(self) -> tuple[dict[int, int], dict[int, int]]:
        """The checkers on the page as its labels say them: mine and the opponent's by zone, off included."""
        mine, theirs = {}, {}
        labels = (
            self.page.locator(".bglab-board")
            .first.locator("[data-zone]")
            .evaluate_all(
                "nodes => nodes.map(node => [Number(node.dataset.zone), node.getAttribute('aria-label')])"
            )
        )
        for zone, label in labels:
            words = label.split()
            number = next((int(word) for word in words[1:] if word.isdigit() and "checker" in label), 0)
            if zone in range(1, 25):
                number = int(label.split(", ")[1].split()[0]) if "checker" in label else 0
            if number:
                (theirs if "opponent" in label else mine)[zone] = number
        return mine, theirs

    @property
    def status(self) -> str:
        """The line below the board."""
        return self.page.locator(".bglab-status").first.inner_text()

    def label(self, zone: int) -> str:
        """What a screen reader says of a zone."""
        return self.page.locator(f'[data-zone="{zone}"]').first.get_attribute("aria-label")

    def says(self, words: str) -> None:
        """Wait until the line below the board says this."""
        self.page.wait_for_function(
            "words => document.querySelector('.bglab-status').textContent.trim() === words", arg=words
        )


class Bench(Hands):
    """A board of Python and its page. `settle` lets each hear what the other said."""

    def __init__(self, page: Any, board: Board) -> None:
        super().__init__(page)
        self.board = board
        self.heard: list[dict[str, Any]] = []
        page.route(
            f"{ADDRESS}**",
            lambda route: route.fulfill(**self._answer(route.request.url.removeprefix(ADDRESS))),
        )
        page.goto(ADDRESS)
        page.wait_for_function("() => window.bench?.loaded")
        self.push()
        page.evaluate("bench.open()")

    def _answer(self, name: str) -> dict[str, str]:
        return {
            "": {"content_type": "text/html", "body": PAGE.read_text()},
            "board.js": {"content_type": "text/javascript", "body": str(Board._esm)},
            "board.css": {"content_type": "text/css", "body": str(Board._css)},
        }[name]

    def push(self) -> None:
        """What Python holds, to the page."""
        self.page.evaluate("state => bench.push(state)", self.state)

    @property
    def state(self) -> dict[str, Any]:
        """What Python would tell the page now."""
        return self.board.get_state(SYNCED)

    def settle(self) -> list[dict[str, Any]]:
        """What the page said, to Python, and back what Python then holds; the page's messages."""
        took = self.page.evaluate("bench.take()")
        for name, value in took["saved"].items():
            setattr(self.board, name, value)
        for message in took["sent"]:
            self.board._receive(self.board, message, [])
        self.heard += took["sent"]
        self.push()
        return took["sent"]

    @property
    def trouble(self) -> list[str]:
        """Errors that reached the page's window."""
        return self.page.evaluate("bench.trouble")


Open = Callable[..., Bench]
"""Shows a board: the arguments of `Board`, and settings of the browser."""


def shown(bench: Bench) -> tuple[dict[int, int], dict[int, int]]:
    """What the page shows, as a position: mine and the opponent's by zone, without the trays."""
    mine, theirs = bench.counts()
    return {k: v for k, v in mine.items() if k}, {k: v for k, v in theirs.items() if k != THEIR_OFF}


def as_zones(position: Position) -> tuple[dict[int, int], dict[int, int]]:
    mine = {place: count for place, count in enumerate(position.me, 1) if count}
    theirs = {
        THEIR_BAR if place == BAR else 25 - place: count
        for place, count in enumerate(position.opp, 1)
        if count
    }
    return mine, theirs


def agree(bench: Bench) -> None:
    assert shown(bench) == as_zones(bench.board.position)
