"""The board in JupyterLab: run, played with the mouse, set from Python, saved, and opened again without its kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bglab import Position, find_turn
from tests.browser import Hands
from tests.jupyterlab import Notebook

CELLS = [
    "import bglab\n"
    "board = bglab.Board('4HPwATDgc/ABMA', dice=(3, 1))\n"
    "heard = []\n"
    "board.on_move(lambda turn: heard.append((str(turn), board.position.id, board.dice)))\n"
    "board.observe(lambda change: heard.append(change['name']), ['position', 'turn'])\n"
    "board",
    "print('all cells ran')",
]
START = Position.start()
PLAYED = find_turn(START, (3, 1), "8/5 6/5").after
NO_MODEL = (
    "widget model not found"  # what JupyterLab's widget manager logs about an output whose kernel is gone
)


@pytest.fixture(scope="module")
def context(chromium) -> Iterator[Any]:
    opened = chromium.new_context(
        viewport={"width": 1200, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def notebook(lab, context) -> Iterator[Notebook]:
    lab.write("board.ipynb", CELLS)
    opened = Notebook(context.new_page(), lab, "board.ipynb")
    opened.run()
    opened.page.locator(".bglab-board").wait_for()
    opened.page.locator(".jp-OutputArea", has_text="all cells ran").wait_for()
    yield opened
    assert opened.console == []
    opened.page.close()


@pytest.fixture
def hands(notebook) -> Hands:
    """The board from the start with a 3-1 once more."""
    notebook.python(
        "board.mode, board.flip = 'play', False\n"
        "board.situation = bglab.Situation(bglab.Position.start(), (6, 6))\n"
        "board.situation = bglab.Situation(bglab.Position.start(), (3, 1)); heard.clear()"
    )
    hands = Hands(notebook.page)
    hands.says("3-1: 2 to play.")
    return hands


def test_the_picture_gives_way_to_the_live_board(notebook):
    assert notebook.page.locator(".bglab-saved").count() == 1
    assert not notebook.page.locator(".bglab-saved").is_visible()
    assert notebook.page.locator(".bglab-board").count() == 1


def test_a_turn_with_the_mouse_reaches_python(notebook, hands):
    hands.click(8)
    hands.says("8/5: 1 to play.")
    hands.click(6)
    hands.dice()
    hands.says("Played 8/5 6/5.")
    assert notebook.python("print(board.position.id, board.dice, board.turn)") == f"{PLAYED.id} None 8/5 6/5"
    heard = ["position", "turn", ("8/5 6/5", PLAYED.id, None)]
    assert notebook.python("print(heard)") == str(heard)


def test_an_illegal_move_is_not_made(notebook, hands):
    hands.drag(24, 19)
    hands.says("That is not legal with 3 and 1 to play.")
    hands.click(24)
    hands.says("24/21: 1 to play.")
    hands.press("Take back the whole turn")
    hands.says("3-1: 2 to play.")
    # One that the page should not have sent: Python refuses it, and the page shows what holds.
    hands.click(8)
    hands.click(6)
    hands.says("8/5 6/5. Click the dice or press Enter to finish.")
    notebook.python("board._receive(board, {'kind': 'turn', 'number': board._number, 'path': [[13, 1]]}, [])")
    hands.says("A 1 cannot be played from 13 here: undo and play another checker.")
    assert hands.label(8) == "point 8, 3 checkers, yours"
    assert notebook.python("print(board.position.id, heard)") == f"{START.id} []"


def test_right_click_drag_and_undo(notebook, hands):
    hands.click(6, button="right")
    hands.says("6/5: 1 to play.")
    assert notebook.page.locator(".lm-Menu").count() == 0  # not JupyterLab's menu
    notebook.page.keyboard.press("Escape")
    hands.says("3-1: 2 to play.")
    hands.drag(13, 9)
    hands.says("13/10 10/9. Click the dice or press Enter to finish.")
    hands.drag(9, 13)
    hands.says("3-1: 2 to play.")


def test_keys_are_the_boards_while_it_has_the_focus(notebook, hands):
    cells = notebook.page.locator(".jp-Cell").count()
    notebook.page.locator('[data-zone="13"]').focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", " "):
        notebook.page.keyboard.press(key)
    hands.says("8/5: 1 to play.")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", " ", "a", "b", "x", "m", "Enter"):
        notebook.page.keyboard.press(key)
    hands.says("Played 8/5 6/5.")
    assert notebook.page.locator(".jp-Cell").count() == cells


def test_edit_and_flip(notebook, hands):
    hands.press("Change the position")
    hands.says(
        "Click places a checker of the side on roll, right click one of the opponent, shift+click takes one away."
    )
    hands.drag(6, 4)
    hands.press("Turn the view")
    notebook.page.wait_for_function(
        """() => document.querySelector('[data-zone="4"]').ariaLabel === 'point 4, 1 checker, yours'"""
    )
    answer = "print(board.mode, board.flip, board.position.me[3], board.position.me[5])"
    assert notebook.python(answer) == "edit True 1 4"


def test_python_sets_the_board(notebook, hands):
    notebook.python("board.position = bglab.Position.of({6: 3, 'bar': 1}, {6: 3}); board.dice = (6, 1)")
    hands.says("6-1: 2 to play.")
    assert [hands.label(zone) for zone in (6, 25, 8)] == [
        "point 6, 3 checkers, yours",
        "your bar, 1 checker",
        "point 8, empty",
    ]
    notebook.python("board.show(bglab.legal_turns(board.position, board.dice)[0])")
    notebook.page.locator('g[pointer-events="none"]:not([display])').first.wait_for()


def test_copy(notebook, hands):
    notebook.page.get_by_label("Kind of identifier").select_option("XGID")
    hands.press("Copy the identifier")
    hands.says("Copied XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert notebook.page.evaluate("navigator.clipboard.readText()").endswith(":31:0:0:0:0:10")


def test_the_theme_follows_jupyterlab(notebook, hands):
    colour = "() => document.querySelector('.bglab-picture > rect').getAttribute('fill')"
    light = notebook.page.evaluate(colour)
    change = "name => jupyterapp.commands.execute('apputils:change-theme', { theme: name })"
    notebook.page.evaluate(change, "JupyterLab Dark")
    notebook.page.wait_for_function(f"{colour.removeprefix('() => ')} !== '{light}'")
    # JupyterLab covers the page while a theme loads, and stumbles over its own cover if another one follows too soon.
    notebook.page.locator("#jupyterlab-splash").wait_for(state="detached")
    notebook.page.evaluate(change, "JupyterLab Light")
    notebook.page.wait_for_function(f"{colour.removeprefix('() => ')} === '{light}'")


def test_a_click_needs_no_kernel(notebook, hands):
    """While the kernel is busy, tries go on; how long one took to be in a frame is for the log."""
    notebook.page.evaluate(
        "void jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
        ".requestExecute({ code: 'import time; time.sleep(3)' })"
    )
    took = notebook.page.evaluate(
        """() => new Promise((resolve) => {
            const svg = document.querySelector(".bglab-picture");
            svg.addEventListener("pointerup", () => {
                const began = performance.now();
                requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
            }, { capture: true, once: true });
            const { x, y, width, height } = document.querySelector('[data-zone="8"]').getBoundingClientRect();
            const at = { clientX: x + width / 2, clientY: y + height / 2, pointerId: 1, bubbles: true };
            svg.setPointerCapture = () => {};
            for (const name of ["pointerdown", "pointerup"]) svg.dispatchEvent(new PointerEvent(name, at));
        })"""
    )
    print(f"from the click to the end of the next frame: {took:.1f} ms")
    assert hands.status == "8/5: 1 to play."
    assert notebook.python("print('free again')") == "free again"


def test_opened_again_without_its_kernel(notebook, hands, lab, context):
    """W1: the picture of the position last shown, and no complaint."""
    hands.click(8)
    hands.click(6)
    hands.dice()
    hands.says("Played 8/5 6/5.")
    notebook.python("pass")  # what the turn made Python say has arrived
    notebook.save()
    stored = json.loads((lab.folder / "board.ipynb").read_text())
    words = "".join(stored["cells"][0]["outputs"][0]["data"]["text/plain"])
    assert words.endswith(f"Position ID {PLAYED.id}")
    # A copy that this server has not signed is not trusted, and shows nothing but safe forms.
    stored["cells"][0]["source"] = "# from somebody else"
    (lab.folder / "copy.ipynb").write_text(json.dumps(stored))
    lab.end_kernels()
    for name, trusted in (("board.ipynb", True), ("copy.ipynb", False)):
        again = Notebook(context.new_page(), lab, name)
        picture = again.page.locator(".jp-OutputArea img").first
        picture.wait_for()
        assert picture.get_attribute("alt").startswith(
            "On roll, blue, moving to the bottom right: 2 on point 24"
        )
        complaint = again.page.get_by_text("model not found")
        if trusted:
            complaint.wait_for(state="attached")
            assert not complaint.is_visible()
        else:
            assert complaint.count() == 0
        assert [words for words in again.console if NO_MODEL not in words] == []
        again.page.close()
