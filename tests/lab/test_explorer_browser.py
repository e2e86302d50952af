"""The explorer in JupyterLab: pasting, other brains, comparing, calling off, and the saved page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.jupyterlab import Notebook

BRAINS = """
import threading, time
import numpy as np
import bglab

class Counter:
    on_host = True
    def __init__(self, sign, pause=0.0):
        self.sign, self.pause = sign, pause
    def __call__(self, positions, cube=None):
        time.sleep(self.pause)
        words = np.asarray(positions)[:, 4:]
        return (self.sign * np.bitwise_count(np.bitwise_or.reduce(words, 1)) / 32).astype(np.float32)

forward, backward = bglab.Agent("forward", Counter(1.0)), bglab.Agent("backward", Counter(-1.0))
explorer = bglab.Explorer("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", [forward])
for agent in (backward, bglab.Agent("slow", Counter(1.0, 0.05))):
    explorer._loaded.add(agent)
explorer
"""
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"


@pytest.fixture(scope="module")
def notebook(lab, chromium) -> Iterator[Notebook]:
    lab.write("explorer.ipynb", [BRAINS])
    opened = Notebook(chromium.new_page(viewport={"width": 1500, "height": 1000}), lab, "explorer.ipynb")
    opened.run()
    opened.page.locator(".bg-rolls").first.wait_for(timeout=180_000)  # the first one compiles
    yield opened
    assert opened.console == []
    opened.page.close()


def eventually(notebook: Notebook, code: str, expected: str) -> None:
    """Wait until the kernel prints this."""
    for _ in range(300):
        if notebook.python(code) == expected:
            return
        notebook.page.wait_for_timeout(100)
    assert notebook.python(code) == expected


def first_roll(notebook: Notebook, dice: str) -> None:
    """Wait until this roll is the one marked in the first brain's map."""
    notebook.page.locator(".bg-opinion").first.locator(".bg-here small", has_text=dice).wait_for()


@pytest.fixture(autouse=True)
def opening(notebook) -> None:
    notebook.python(
        "for panel in explorer.panels[:0:-1]: explorer.close_panel(panel)\n"
        "explorer.panels[0].brain.value, explorer.panels[0].plies.value = 'forward', 0\n"
        "explorer.show(bglab.parse('XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10')); explorer.wait()"
    )
    first_roll(notebook, "31")


def test_identifiers_are_pasted(notebook):
    box = notebook.page.get_by_placeholder("Position ID, GNU ID or XGID")
    box.fill(XGID)
    box.press("Enter")
    first_roll(notebook, "52")
    box.fill("XGID=rubbish")
    box.press("Enter")
    notebook.page.locator('[role="status"]', has_text="XGID").wait_for()
    assert notebook.python("print(explorer.board.dice)") == "(5, 2)"


def test_pointing_at_a_turn_draws_its_arrows(notebook):
    row = notebook.page.locator(".bg-turns tbody tr").nth(2)
    play = row.locator(".bg-play").inner_text().strip()
    row.hover()
    eventually(notebook, "print(explorer.board._arrows['text'])", play)
    notebook.page.mouse.move(5, 5)
    notebook.page.keyboard.press("Escape")


def test_a_roll_of_the_map_is_thrown(notebook):
    notebook.page.get_by_role("button", name="6-4: ").first.click()
    first_roll(notebook, "64")
    eventually(notebook, "print(explorer.board.dice)", "(6, 4)")


def test_another_brain_and_its_disagreements(notebook):
    best = notebook.page.locator(".bg-turns tbody tr .bg-play").first.inner_text().strip()
    notebook.python("explorer.compare('backward')")
    mark = notebook.page.locator(".bg-mark")
    mark.first.wait_for()
    assert mark.count() == 2
    assert "backward" in mark.first.inner_text()
    box = notebook.page.get_by_placeholder("a brain that bglab.load knows").nth(1)
    box.fill("forward")
    box.press("Enter")
    notebook.page.wait_for_function("() => document.querySelectorAll('.bg-mark').length === 0")
    plays = notebook.page.locator(".bg-opinion").nth(1).locator(".bg-play")
    assert plays.first.inner_text().strip() == best
    box.fill("nobody")
    box.press("Enter")
    notebook.page.locator(".bg-error", has_text="There is no agent 'nobody'").wait_for()
    assert notebook.page.locator(".bg-opinion").first.locator("tbody tr").count() > 0


def test_nothing_is_cut_off_and_nothing_jumps(notebook):
    """Where a panel is narrow its widest rows fit too; the board's column keeps its width whatever is said there."""
    notebook.python("explorer.compare('backward'); explorer.roll((6, 6)); explorer.wait()")
    # As brains with outcomes and long names have it.
    notebook.python(
        "row = {'outcomes': [0.4, 0.1, 0.02, 0.38, 0.08, 0.02], 'marks': ['N80-L2-sigmoid-1600k-lam07']}\n"
        "for panel in explorer.panels:\n"
        "    turns = [{**turn, **row} for turn in panel.view.shown['turns']]\n"
        "    panel.view.shown = {**panel.view.shown, 'hasOutcomes': True, 'turns': turns}"
    )
    notebook.page.locator(".bg-bar").nth(12).wait_for()
    widths = (
        "all => all.map(node => [node.scrollWidth - node.clientWidth,"
        " node.querySelector('.bg-bar').clientWidth > 40])"
    )
    assert notebook.page.locator(".bg-scroll").evaluate_all(widths) == [[0, True]] * 2

    def places() -> list[float]:
        board, opinion = (
            notebook.page.locator(each).first.bounding_box() for each in (".bglab-board", ".bg-opinion")
        )
        return [board["width"], opinion["x"] - board["x"], opinion["y"] - board["y"], opinion["width"]]

    before = places()
    notebook.page.get_by_role("button", name="Change the position").click()
    notebook.page.locator(".bglab-tools").get_by_text("Start", exact=True).wait_for()
    box = notebook.page.get_by_placeholder("Position ID, GNU ID or XGID")
    box.fill("X" * 3000)
    box.press("Enter")
    said = notebook.page.locator(".bg-said", has_text="3000 characters")
    said.wait_for()
    assert said.bounding_box()["height"] < 150
    assert places() == before
    notebook.page.get_by_role("button", name="Play on from this position").click()


def test_slow_work_is_called_off(notebook):
    """Looking a ply ahead this brain would take minutes; the page answers meanwhile, and stops it."""
    notebook.python("explorer.panels[0].brain.value = 'slow'; explorer.wait()")
    notebook.python("explorer.panels[0].plies.value = 2")
    stop = notebook.page.get_by_title("stop thinking").first
    notebook.page.wait_for_function(
        "() => document.querySelector('[title=\"stop thinking\"]').disabled === false"
    )
    assert notebook.page.locator(".bg-opinion").first.locator("tbody tr").count() > 0
    notebook.page.locator("button", has_text="Flip").first.click()
    stop.click()
    notebook.page.wait_for_function("() => document.querySelector('[title=\"stop thinking\"]').disabled")
    eventually(notebook, "print(explorer.panels[0].cancel.disabled)", "True")
    notebook.python("explorer.board.flip = False; explorer.panels[0].plies.value = 0; explorer.wait()")


def test_the_saved_page_needs_no_kernel(notebook, lab, chromium):
    notebook.python("explorer.wait()")
    notebook.save()
    notebook.page.evaluate(
        "() => jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart()"
    )
    row = notebook.page.locator(".bg-turns tbody tr").nth(2)
    for _ in range(2):  # nobody hears what is pointed at; the second time the page is as quiet as the first
        notebook.page.mouse.move(5, 5)
        row.hover()
        notebook.page.locator(".bg-error", has_text="run the cell again").wait_for()
    assert notebook.console == []
    lab.end_kernels()
    page = chromium.new_page()
    again = Notebook(page, lab, "explorer.ipynb")
    page.locator(".bglab-saved img").first.wait_for()
    assert page.locator(".bglab-saved table").first.is_visible()
    assert "forward" in page.locator(".bglab-saved").first.inner_text()
    page.close()
    assert again.page is page
    notebook.console.clear()  # the kernel is gone, and the open page says so
