"""TrainingMonitor in JupyterLab: a run is watched, stopped and resumed; the saved page keeps the curves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.jupyterlab import Notebook

CELL = """
import bglab
from tests.lab.widgets.test_monitor import RIVAL
recipe = bglab.Recipe(network=bglab.NetworkSpec((8,)), lanes=32, plies=20, games=100_000)
monitor = bglab.TrainingMonitor(recipe, 3, opponent=RIVAL, every=3, games=8)
monitor
"""


@pytest.fixture(scope="module")
def notebook(chromium, lab) -> Iterator[Notebook]:
    lab.write("monitor.ipynb", [CELL])
    opened = Notebook(chromium.new_page(viewport={"width": 1200, "height": 800}), lab, "monitor.ipynb")
    opened.run()
    yield opened
    assert opened.console == []
    opened.page.close()


def status(notebook: Notebook, words: str) -> None:
    notebook.page.locator("[role=status]", has_text=words).first.wait_for(timeout=180_000)


def button(notebook: Notebook, words: str):
    return notebook.page.locator(".jupyter-button", has_text=words).first


def width(notebook: Notebook) -> int:
    """Pixels of the curves' picture that the page shows; 0 where there is none."""
    return notebook.page.evaluate(
        "() => document.querySelector('.jp-OutputArea img.widget-image, .jp-OutputArea .widget-image img')"
        "?.naturalWidth ?? 0"
    )


def test_a_run_is_watched_stopped_and_resumed(notebook):
    status(notebook, "a second with duels")
    assert button(notebook, "Stop").is_enabled()
    button(notebook, "Stop").click()
    status(notebook, "stopped after")
    assert width(notebook) > 1000
    rounds = int(notebook.python("print(len(monitor.curve))"))
    assert rounds > 0
    assert notebook.python("print(monitor.run.finished)") == "False"
    button(notebook, "Resume").click()
    status(notebook, "a second with duels")
    assert button(notebook, "Resume").is_disabled()
    button(notebook, "Stop").click()
    status(notebook, "stopped after")
    assert int(notebook.python("print(len(monitor.curve))")) > rounds


def test_the_saved_page_keeps_the_curves(notebook, lab, chromium):
    notebook.save()
    lab.end_kernels()
    page = chromium.new_page()
    Notebook(page, lab, "monitor.ipynb")
    picture = page.get_by_role("img", name="curves of the training run")
    picture.wait_for()
    assert picture.evaluate("image => image.naturalWidth") > 1000
    assert page.locator(".bglab-saved, .jp-OutputArea", has_text="stopped after").count() > 0
    page.close()
    notebook.console.clear()  # the kernel is gone, and the open page says so
