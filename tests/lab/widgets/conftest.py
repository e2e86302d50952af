"""Boards shown in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bglab.lab.widgets.board import Board
from tests.browser import Bench, Open


@pytest.fixture
def show(chromium) -> Iterator[Open]:
    """Opens a board in a page of its own; no error may reach the page's window or console."""
    contexts, benches, console = [], [], []

    def open_board(*given: Any, permissions: tuple[str, ...] = (), **options: Any) -> Bench:
        look = {
            "color_scheme": "light",
            "reduced_motion": "reduce",
            "viewport": {"width": 760, "height": 700},
        }
        settings = {key: options.pop(key) for key in list(look) if key in options}
        contexts.append(chromium.new_context(permissions=list(permissions), **(look | settings)))
        page = contexts[-1].new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: console.append(message.text))
        benches.append(Bench(page, Board(*given, **options)))
        return benches[-1]

    yield open_board
    trouble = [words for bench in benches for words in bench.trouble]
    for context in contexts:
        context.close()
    assert trouble == []
    assert console == []
