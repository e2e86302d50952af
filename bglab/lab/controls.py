"""A control for notebooks that runs a preset of a study, while the page stays usable.

The study runs in a process of its own, whose progress the control shows. The process stops when the control asks it to
and when the notebook's kernel ends; work done is kept and continued by the next run. Tables go to the folder of runs,
never over committed results.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]
import pandas as pd

from bglab.errors import InputError
from bglab.lab.notebook import own_results_path
from bglab.lab.results import SHOWN, as_text, read_results
from bglab.lab.study import RUNS, find_study, processes, run_study

BAR = "{desc}\t{n}\t{total}\t{rate_fmt}\t{remaining}"
"""How the process tells its progress: tqdm's fields between tabs, on its standard error."""
PATIENCE = 60
"""Seconds that a process gets to finish its round after it was asked to stop."""


def study_control(name: str, runs: Path | None = None) -> StudyControl:
    """A control that runs any preset of a study: a menu, the number of processes, Run, Stop, progress and the table.

    runs : the folder for the work and the tables, `runs` of the clone by default.
    """
    return StudyControl(name, runs)


class StudyControl(widgets.VBox):
    """See `study_control`. Without a page to live in, it shows the command that does the same."""

    command: Sequence[str] = (sys.executable, "-m", "bglab.lab.controls")
    """What runs `main` in a process of its own."""

    def __init__(self, name: str, runs: Path | None = None) -> None:
        self.name, self.runs = name, runs or RUNS
        self._presets = find_study(name).PRESETS
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._stopped = False
        cores = os.cpu_count() or 1
        self.preset = widgets.Dropdown(options=list(self._presets), description="preset")
        self.processes = widgets.BoundedIntText(
            value=cores, min=1, max=max(64, cores), description="processes", layout={"width": "160px"}
        )
        self.run = widgets.Button(description="Run", icon="play", button_style="primary")
        self.stop = widgets.Button(description="Stop", icon="stop", disabled=True)
        self.bar = widgets.FloatProgress(min=0, max=1, layout={"width": "300px"})
        self.status = widgets.HTML()
        self.output = widgets.Output(layout={"max_height": "400px", "overflow": "auto"})
        self.preset.observe(lambda _: self._describe(), "value")
        self.run.on_click(lambda _: self.start())
        self.stop.on_click(lambda _: self.interrupt())
        self._describe()
        super().__init__(
            [
                widgets.HBox([self.preset, self.processes, self.run, self.stop]),
                widgets.HBox([self.bar, self.status]),
                self.output,
            ]
        )

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The widget, and a sentence for pages that cannot show it."""
        words = (
            f"Run this cell in JupyterLab for a control that runs the study again, or type: bglab study {self.name} "
            f"--preset {'|'.join(self._presets)}"
        )
        return super()._repr_mimebundle_(**options) | {"text/plain": words}

    @property
    def results(self) -> Path:
        """Where the table of the chosen preset goes."""
        return own_results_path(self.name, self.preset.value, self.runs)

    def _describe(self) -> None:
        settings = self._presets[self.preset.value]
        words = []
        if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
            for field, value in dataclasses.asdict(settings).items():
                number = f"{value:,}" if isinstance(value, int | float) else value
                words.append(f"{field.replace('_', ' ')} {number}")
        self.status.value = ", ".join(words)

    def start(self) -> None:
        """Run the chosen preset, or go on with it, unless a run is under way."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stopped = False
        self.output.outputs = ()
        self._running(True)
        self.status.value = "starting…"
        settings = [
            self.name,
            self.preset.value,
            str(self.processes.value),
            str(self.runs),
            str(self.results),
        ]
        self._process = subprocess.Popen(
            [*self.command, *settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "TQDM_BAR_FORMAT": BAR, "PYTHONIOENCODING": "utf-8"},
            encoding="utf-8",
            start_new_session=True,
        )
        self._thread = threading.Thread(target=self._watch, args=(self._process, self.results), daemon=True)
        self._thread.start()

    def interrupt(self) -> None:
        """Ask the run to stop after its round; what is done stays for the next run."""
        if self._process is not None and self._process.poll() is None and self._process.stdin:
            self._stopped = True
            self.stop.disabled = True
            self.status.value = "stopping after this round…"
            self._process.stdin.close()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the run to end; whether it has."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _running(self, running: bool) -> None:
        self.run.disabled = self.preset.disabled = self.processes.disabled = running
        self.stop.disabled = not running
        self.bar.bar_style = "info" if running else ""
        self.bar.value = 0.0

    def _watch(self, process: subprocess.Popen[str], results: Path) -> None:
        """Show what the process tells until it ends, then its table or what went wrong."""
        last = ""
        with process:
            for line in _lines(process.stderr):
                if not self._progress(line):
                    last = line
        status = process.returncode
        self._running(False)
        if status and self._stopped:
            self.status.value = "stopped; what is done is kept, and Run goes on from there"
        elif status:
            self.status.value = "failed"
            words = last or f"The process ended with status {status}."
            self.output.outputs = ({"output_type": "stream", "name": "stderr", "text": f"{words}\n"},)
        else:
            self.bar.value, self.bar.bar_style = 1.0, "success"
            self.status.value = f"done; the table is in {_relative(results)}"
            self.output.outputs = (_display(read_results(results)[SHOWN]),)

    def _progress(self, line: str) -> bool:
        """Show a line of progress; whether it is one."""
        fields = line.split("\t")
        if len(fields) != 5:
            return False
        what, done, total, rate, left = fields
        try:
            self.bar.value = float(done) / float(total)
        except (ValueError, ZeroDivisionError):
            return False
        if not self._stopped:
            words = f"{what.strip(': ') or 'duel'}: {float(done):,.0f} of {float(total):,.0f}"
            self.status.value = words if rate.startswith("?") else f"{words}, {rate}, {left} left"
        return True


def _display(table: pd.DataFrame) -> dict[str, Any]:
    """A table as an output of a notebook."""
    data = {
        "text/plain": as_text(table),
        "text/html": table.to_html(index=False, na_rep="", float_format="{:.4g}".format, border=0),
    }
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _relative(path: Path) -> Path:
    """A path as seen from the clone, if it lies in it."""
    return path.relative_to(RUNS.parent) if path.is_relative_to(RUNS.parent) else path


def _lines(stream: Any) -> Iterator[str]:
    """The lines of a text file as they are finished, by a line feed or by tqdm's carriage return."""
    line = ""
    while character := stream.read(1):
        if character in "\r\n":
            if line.strip():
                yield line
            line = ""
        else:
            line += character
    if line.strip():
        yield line


def main(arguments: list[str]) -> int:
    """The process behind a control: run the study, and stop when the standard input is closed."""
    name, preset, count, runs, results = arguments
    threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    try:
        with processes(int(count)) as executor:
            run_study(name, preset, executor=executor, replace=True, runs=Path(runs), results=Path(results))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _stop_at_end_of_input() -> None:
    """When whoever started this process closes its input or dies: Ctrl-C for it and its workers, then the end."""
    # Not by sys.stdin, whose lock would be held when the interpreter ends.
    while os.read(0, 1):
        pass
    for number in (signal.SIGINT, signal.SIGKILL):
        os.killpg(os.getpgrp(), number)
        time.sleep(PATIENCE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
