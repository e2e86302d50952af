"""Result tables: tidy, complete, never overwritten silently."""

from __future__ import annotations

import pandas as pd
import pytest

from bglab import InputError
from bglab.lab.results import COLUMNS, commit, machine, read_results, row, write_results
from bglab.statistics import Estimate

ORIGIN = {"seed": 1, "commit": "abc", "machine": "m", "seconds": 2.0}


def test_round_trip(tmp_path) -> None:
    path = tmp_path / "results" / "quick.csv"
    rows = [
        row("lambda=0", "points per game", Estimate(-0.5, 0.1, 40), unit="points", published=-0.4, **ORIGIN),
        row("lambda=1", "speed", 1000.0, unit="games/s", n=7, **ORIGIN),
    ]
    written = write_results(rows, path)
    table = read_results(path)
    assert list(table.columns) == list(COLUMNS)
    pd.testing.assert_frame_equal(table, written, check_dtype=False)
    assert table["low"][0] == pytest.approx(-0.5 - 0.196, abs=1e-3)
    assert pd.isna(table["low"][1])
    with pytest.raises(InputError, match="already"):
        write_results(rows[:1], path)
    assert len(read_results(path)) == 2
    assert len(write_results(rows[:1], path, replace=True)) == 1
    assert [p.name for p in path.parent.iterdir()] == ["quick.csv"]


def test_what_is_no_table(tmp_path) -> None:
    with pytest.raises(InputError, match="run the study"):
        read_results(tmp_path / "none.csv")
    (tmp_path / "other.csv").write_text("setting,value\na,1\n")
    with pytest.raises(InputError, match="lack the column metric"):
        read_results(tmp_path / "other.csv")


def test_origin_is_told() -> None:
    assert "JAX" in machine()
    assert "cores" in machine()
    assert len(commit()) >= 7
