"""Play in JupyterLab: a game is opened with the mouse, the agent answers, the turn is graded and looked at again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import Hands
from tests.jupyterlab import Notebook

CELLS = [
    "import bglab\n"
    "from tests.lab.widgets.racer import Racer\n"
    "play = bglab.Play(bglab.Agent('racer', Racer(bold=90.0)), seed=5)\n"
    "play",
]


@pytest.fixture(scope="module")
def notebook(chromium, lab) -> Iterator[Notebook]:
    lab.write("play.ipynb", CELLS)
    context = chromium.new_context(viewport={"width": 1500, "height": 1000})
    opened = Notebook(context.new_page(), lab, "play.ipynb")
    opened.run()
    opened.page.locator(".bglab-board").wait_for()
    yield opened
    assert opened.console == []
    context.close()


def button(notebook: Notebook, words: str) -> Any:
    return notebook.page.locator(".jupyter-button", has_text=words).first


def status(notebook: Notebook, words: str) -> None:
    notebook.page.locator("[role=status]", has_text=words).first.wait_for()


def test_an_opening_is_played_answered_and_graded(notebook):
    hands = Hands(notebook.page)
    status(notebook, "Roll to open the game")
    assert button(notebook, "Double").is_disabled()
    assert not notebook.page.get_by_role("button", name="Change the position").is_visible()
    button(notebook, "Roll").click()
    status(notebook, "Play 5-4 on the board")
    hands.says("5-4: 2 to play.")
    hands.click(13)
    hands.says("13/8: 1 to play.")
    hands.click(13)
    hands.page.get_by_role("button", name="Finish the turn").and_(hands.page.locator(":enabled")).wait_for()
    hands.dice()
    status(notebook, "racer played")
    status(notebook, "Roll, or double.")
    assert button(notebook, "Double").is_enabled()
    assert notebook.python("print(play.contest.player, play.contest.ply, play.board.flip)") == "0 2 False"
    assert hands.label(9) == "point 9, 1 checker, yours"
    grade = notebook.python("print(play.wait(60) and play.grades[0])")
    assert grade.startswith("5-4: 13/9 13/8")
    notebook.page.get_by_text(grade, exact=True).first.wait_for()
    assert "13/9" in notebook.page.locator(".bglab-log .log").inner_text()


def test_the_best_play_is_shown_and_the_game_stays(notebook):
    hands, before = Hands(notebook.page), notebook.python("print(play.contest.situation)")
    button(notebook, "Best play").click()
    hands.page.get_by_text("5-4: ", exact=False).first.wait_for()
    assert notebook.python("print(play.board._arrows['text'])") == notebook.python(
        "print(play.grades[0].best)"
    )
    assert hands.label(13) == "point 13, 5 checkers, yours"
    assert button(notebook, "Roll").is_disabled()
    button(notebook, "Back to the game").click()
    status(notebook, "Roll, or double.")
    assert notebook.python("print(play.contest.situation)") == before
    assert button(notebook, "Take").is_disabled()


def test_what_the_kernel_loses_is_in_the_saved_picture(notebook):
    saved = notebook.python("print(play.static()['text/html'])")
    assert "<img" in saved
    assert "<script" not in saved
