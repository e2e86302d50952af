"""The control of a study: light until Run is pressed, and a process of its own that can be stopped and continued."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

import bglab.lab.study
from bglab.errors import InputError
from bglab.lab.controls import StudyControl, study_control

STUDY = '''
"""A study of two parts, each of which counts to its number of games, a hundred at a time."""
import time
from dataclasses import dataclass

from bglab import InputError
from bglab.lab.results import row
from bglab.lab.study import write_progress

UNIT = "games"


@dataclass(frozen=True)
class Preset:
    games: int
    pause: float


PRESETS = {"quick": Preset(200, 0.05), "endless": Preset(1_000_000, 0.05), "wrong": Preset(0, 0.0)}


def parts(preset):
    return [(1,), (2,)]


def part_name(part):
    return f"part-{part}"


def size(preset, part):
    return PRESETS[preset].games


def run_part(preset, folder, part):
    if preset == "wrong":
        raise InputError("There are no games to play: give some.")
    done = int((folder / "progress").read_text()) if (folder / "progress").exists() else 0
    while done < PRESETS[preset].games:
        time.sleep(PRESETS[preset].pause)
        done += 100
        write_progress(folder, done)
        if part == 1 and done >= 300:
            return


def measure(preset, folder, progress, executor):
    return [row("all", "parts", 2.0, unit="parts", n=2, seed=1, commit="none", machine="none")]
'''
MAIN = """
import sys
from pathlib import Path

import bglab.lab.study
from bglab.lab.controls import main

bglab.lab.study.EXPERIMENTS = Path(sys.argv[1])
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyControl:
    """The control of a study that does nothing but count."""
    experiments = tmp_path / "experiments"
    (experiments / "counting").mkdir(parents=True)
    (experiments / "counting" / "study.py").write_text(STUDY)
    monkeypatch.setattr(bglab.lab.study, "EXPERIMENTS", experiments)
    monkeypatch.setattr(StudyControl, "command", (sys.executable, "-c", MAIN, str(experiments)))
    monkeypatch.delitem(sys.modules, "bglab_study_counting", raising=False)
    made = study_control("counting", tmp_path / "runs")
    made.processes.value = 1
    return made


def until(happened, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_control_does_nothing_by_itself(control, tmp_path):
    assert control.preset.options == ("quick", "endless", "wrong")
    assert control.status.value == "games 200, pause 0.05"
    control.preset.value = "endless"
    assert control.status.value == "games 1,000,000, pause 0.05"
    assert not control.run.disabled
    assert control.stop.disabled
    assert control.wait()
    control.interrupt()
    assert not (tmp_path / "runs").exists()


def test_without_widgets_it_says_what_to_do(control):
    assert control._repr_mimebundle_()["text/plain"] == (
        "Run this cell in JupyterLab for a control that runs the study again, or type: "
        "bglab study counting --preset quick|endless|wrong"
    )


def test_run_shows_progress_and_the_table(control, tmp_path):
    shown = set()
    control.status.observe(lambda change: shown.add(change["new"]), "value")
    control.run.click()
    assert control.run.disabled
    assert control.preset.disabled
    assert not control.stop.disabled
    control.start()  # a second one beside it is not begun
    assert control.wait(300.0)
    results = tmp_path / "runs" / "counting" / "quick" / "results.csv"
    assert results.is_file()
    assert any("of 400, " in words for words in shown)
    assert control.status.value == f"done; the table is in {results}"
    assert (control.bar.value, control.bar.bar_style) == (1.0, "success")
    (output,) = control.output.outputs
    assert "<td>parts</td>" in output["data"]["text/html"]
    assert "parts" in output["data"]["text/plain"]
    assert not control.run.disabled
    assert control.stop.disabled


def test_committed_results_are_not_touched(control, tmp_path):
    committed = bglab.lab.study.results_path("counting", "quick")
    committed.parent.mkdir()
    committed.write_text("as committed")
    for _ in range(2):  # its own table may be replaced
        control.start()
        assert control.wait(300.0)
        assert control.status.value.startswith("done")
    assert committed.read_text() == "as committed"


def test_stop_keeps_what_is_done(control, tmp_path):
    control.preset.value = "endless"
    progress = tmp_path / "runs" / "counting" / "endless" / "part-2" / "progress"
    control.start()
    until(lambda: progress.exists() and int(progress.read_text()) >= 200)
    control.stop.click()
    assert control.wait(300.0)
    assert control.status.value.startswith("stopped")
    assert not control.run.disabled
    assert control.output.outputs == ()
    assert not control.results.exists()
    done = int(progress.read_text())
    assert done >= 200
    control.start()
    until(lambda: int(progress.read_text()) > done)
    control.interrupt()
    assert control.wait(300.0)


def test_what_goes_wrong_is_shown(control):
    control.preset.value = "wrong"
    control.start()
    assert control.wait(300.0)
    assert control.status.value == "failed"
    (output,) = control.output.outputs
    assert output["name"] == "stderr"
    assert output["text"] == "There are no games to play: give some.\n"


def test_an_unknown_study_is_refused(control):
    with pytest.raises(InputError, match="no study 'nothing'"):
        study_control("nothing")
