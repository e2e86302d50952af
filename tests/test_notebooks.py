"""Every notebook: its two halves in step, what it stores fit to be read anywhere, and it runs from top to bottom."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest

from bglab.lab.execute import WIDGET, execute

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.py"))
MOST_BYTES = 500_000
MACHINE_PATH = re.compile(r"(?<![\w./~+=-])/(?:home|root|tmp|Users|work|mnt|opt|srv|private|var)/[\w.-]")


def stored(name: str) -> nbformat.NotebookNode:
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def outputs(notebook: nbformat.NotebookNode) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def check(notebook: nbformat.NotebookNode) -> None:
    """What holds for the outputs of a notebook, stored or just made."""
    for output in outputs(notebook):
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr", output["text"]
        data = output.get("data", {"text/plain": output.get("text", "")})
        assert WIDGET not in data
        assert "text/plain" in data
        words = "".join(text for kind, text in data.items() if kind.startswith("text/"))
        assert not MACHINE_PATH.search(words)
        if "<Figure" in data["text/plain"]:
            assert "image/png" in data
    runs = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert runs == list(range(1, len(runs) + 1))


def html(notebook: nbformat.NotebookNode) -> str:
    return "".join(output.get("data", {}).get("text/html", "") for output in outputs(notebook))


def test_there_are_notebooks():
    assert {"00_start_here", "01_lambda"} <= set(NOTEBOOKS)
    assert [path.stem for path in sorted(FOLDER.glob("*.ipynb"))] == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_pair_is_in_step(name):
    text, notebook = jupytext.read(FOLDER / f"{name}.py"), stored(name)
    assert [(cell.cell_type, cell.source) for cell in text.cells] == [
        (cell.cell_type, cell.source) for cell in notebook.cells
    ], f"run: jupytext --sync notebooks/{name}.py, then make notebooks"
    for half in (text, notebook):
        assert half.metadata["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_is_stored(name):
    assert (FOLDER / f"{name}.ipynb").stat().st_size < MOST_BYTES
    notebook = stored(name)
    check(notebook)
    assert "widgets" not in notebook.metadata
    assert len(outputs(notebook)) >= 5
    assert '"iopub' not in json.dumps(notebook)  # times of a run


def test_boards_need_no_script():
    page = html(stored("00_start_here"))
    assert page.count('<img src="data:image/svg+xml;base64,') >= 5
    assert "On roll, blue, moving to the bottom right" in page
    assert "<script" not in page
    pictures = [
        output for output in outputs(stored("00_start_here")) if "image/svg+xml" in output.get("data", {})
    ]
    assert pictures[0]["data"]["text/plain"].startswith("Position.from_id(")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_it_runs(name, tmp_path, monkeypatch):
    """With the quick preset, whose results go to a folder of their own."""
    monkeypatch.setenv("BGLAB_PRESET", "quick")
    monkeypatch.setenv("BGLAB_RUNS", str(tmp_path))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel's own, that shows figures on the page
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FOLDER.parent), os.environ.get("PYTHONPATH", "")]))
    before = (FOLDER / f"{name}.ipynb").read_bytes()
    notebook = execute(FOLDER / f"{name}.ipynb")
    check(notebook)
    assert (FOLDER / f"{name}.ipynb").read_bytes() == before
    figures = [output for output in outputs(notebook) if "image/png" in output.get("data", {})]
    assert figures or "<img" in html(notebook)
    if name == "00_start_here":
        bars = [
            text
            for output in outputs(notebook)
            if "█" in (text := output.get("data", {}).get("text/plain", ""))
        ]
        assert len(bars) == 4
        assert all(bar.startswith("100%") for bar in bars)
