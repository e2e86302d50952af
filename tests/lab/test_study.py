"""Studies run end to end with the quick preset, resume, and refuse what would lose work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

import bglab.lab.study
from bglab import InputError
from bglab.lab.results import read_results
from bglab.lab.study import find_study, processes, results_path, run_study, studies


@pytest.fixture(scope="module")
def quick(tmp_path_factory) -> Iterator[tuple[pd.DataFrame, Path]]:
    """The λ study in short: its notebook, which is run too, has all of the quick preset."""
    folder, study = tmp_path_factory.mktemp("study"), find_study("lambda")
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as executor:
        patch.setitem(study.PRESETS, "quick", study.Preset(32, 32, (0.7, 1.0)))
        table = run_study(
            "lambda",
            "quick",
            executor=executor,
            progress=False,
            runs=folder / "runs",
            results=folder / "quick.csv",
        )
        yield table, folder


def test_lambda_quick(quick) -> None:
    table, folder = quick
    study = find_study("lambda")
    points = table[table["metric"] == "points per game v lambda=0.7"]
    assert points["setting"].tolist() == ["lambda=1"]
    assert (points["n"] == 16).all()
    assert (points["low"] < points["value"]).all()
    assert (points["value"] < points["high"]).all()
    assert table["published"].isna().all()  # they are of another scale
    assert (table["seed"] == study.SEED).all()
    assert table["commit"].notna().all()
    assert table["machine"].notna().all()
    speed = table[table["metric"] == "training speed"]
    assert len(speed) == 2
    assert (speed["seconds"] > 0).all()
    pd.testing.assert_frame_equal(read_results(folder / "quick.csv"), table, check_dtype=False)


def test_results_are_not_lost_and_finished_parts_not_repeated(quick) -> None:
    table, folder = quick
    arguments = {"progress": False, "runs": folder / "runs", "results": folder / "quick.csv"}
    with pytest.raises(InputError, match="--replace"):
        run_study("lambda", "quick", **arguments)
    again = run_study("lambda", "quick", replace=True, **arguments)
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), table.drop(columns="seconds"))


def test_what_there_is() -> None:
    assert "lambda" in studies()
    assert results_path("lambda", "paper").parent.is_dir()
    with pytest.raises(InputError, match="lambda"):
        find_study("nonsense")
    with pytest.raises(InputError, match="quick, laptop, paper"):
        run_study("lambda", "huge", progress=False)
    with pytest.raises(InputError, match="1 or more"), processes(0):
        pass
    with processes(1) as executor:
        assert executor is None


COUNTING = """
import time
from dataclasses import dataclass

PRESETS, UNIT = {"all": None, "broken": None}, "parts"


def parts(preset):
    return [(k,) for k in range(6)]


def part_name(k):
    return f"part-{k}"


def size(preset, k):
    return 1


def run_part(preset, folder, k):
    folder.mkdir(parents=True)
    if preset == "broken" and k == 2:
        raise KeyboardInterrupt
    if preset == "broken" and k > 2:
        time.sleep(0.5)  # so that the interruption is seen before another part is done


def measure(preset, folder, progress, executor):
    return [{"setting": path.name, "metric": "run", "value": 1.0} for path in sorted(folder.iterdir())]
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_after_an_interruption_no_part_begins(workers, tmp_path, monkeypatch) -> None:
    (tmp_path / "counting").mkdir()
    (tmp_path / "counting" / "study.py").write_text(COUNTING)
    monkeypatch.setattr(bglab.lab.study, "EXPERIMENTS", tmp_path)
    monkeypatch.delitem(sys.modules, "bglab_study_counting", raising=False)
    places = {"runs": tmp_path / "runs", "results": tmp_path / "results.csv", "progress": False}
    with ThreadPoolExecutor(workers) as executor:
        with pytest.raises(KeyboardInterrupt):
            run_study("counting", "broken", executor=executor, **places)
        begun = {path.name for path in (tmp_path / "runs" / "counting" / "broken").iterdir()}
        assert {"part-0", "part-1", "part-2"} <= begun
        assert len(begun) <= 2 + workers
        assert not (tmp_path / "results.csv").exists()
        table = run_study("counting", "all", executor=executor, **places)
    assert table["setting"].tolist() == [f"part-{k}" for k in range(6)]
