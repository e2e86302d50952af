"""Run notebooks from top to bottom and store what they show: `python -m bglab.lab.execute notebooks/*.ipynb`.

What is stored reads the same everywhere, with a kernel or without: a finished progress bar is kept as its last line of
text, and a widget as its plain words.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from bglab.atomic import write_atomically

WIDGET = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


def execute(path: Path) -> nbformat.NotebookNode:
    """Run a notebook in its folder and return it with its outputs; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=None,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    widgets = notebook.metadata.pop("widgets", {}).get(STATE, {}).get("state", {})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            stored = [_static(output, widgets) for output in cell.outputs]
            cell.outputs = [
                output for output in stored if output.get("data", True)
            ]  # nothing but a widget: gone
    return notebook


def _static(output: Any, widgets: dict[str, Any]) -> Any:
    """An output without its widget, whose text is then up to date."""
    view = output.get("data", {}).pop(WIDGET, None)
    if view is not None:
        bar = _bar(view["model_id"], widgets)
        if bar:
            output["data"]["text/plain"] = bar
    return output


def _bar(model: str, widgets: dict[str, Any]) -> str:
    """The line of a tqdm bar in a notebook: a box of a label, a bar and a label; "" for another widget."""

    def state(model: str) -> dict[str, Any]:
        return widgets.get(model.removeprefix("IPY_MODEL_"), {}).get("state", {})

    parts = [state(child) for child in state(model).get("children", [])]
    if [part.get("_model_name") for part in parts] != ["HTMLModel", "FloatProgressModel", "HTMLModel"]:
        return ""
    before, bar, after = parts
    full = bar["value"] >= bar["max"]
    blocks = "█" * 20 if full else "█" * int(20 * bar["value"] / max(bar["max"], 1))
    words = html.unescape(f"{before['value']} {blocks} {after['value']}")
    return re.sub(r"\s+", " ", words).strip()


def main(paths: Sequence[str]) -> int:
    """Execute the notebooks and store them with their outputs; an error leaves a notebook as it was."""
    for path in map(Path, paths):
        print(path, flush=True)
        write_atomically(path, (nbformat.writes(execute(path)) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
