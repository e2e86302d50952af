"""Measured beside published: what is listed, and how far apart in standard errors."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import bglab.lab.published as subject
from bglab import InputError
from bglab.lab.cli import main
from bglab.lab.published import published
from bglab.lab.results import row, write_results
from bglab.statistics import Estimate

ORIGIN = {"seed": 1, "commit": "abc", "machine": "m"}


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Two studies with results of their own in the place of the committed ones."""
    path = {name: tmp_path / f"{name}.csv" for name in ("network", "depth")}
    monkeypatch.setattr(subject, "results_path", lambda name, preset: path.get(name, tmp_path / "none"))
    share = Estimate(0.53, 0.003, 10_000, "share")
    rows = [
        row("wide", "matches won v reference", share, unit="share", published=0.52, **ORIGIN),
        row("deep", "matches won v reference", share, unit="share", **ORIGIN),
    ]
    write_results(rows, path["network"])
    rate = Estimate(11.0, 0.5, 2_400, "mpd")
    rows = [
        row("0-ply", "error rate", rate, unit="mpd", published=12.0, **ORIGIN),
        row("0-ply", "worst", 400.0, unit="mp", n=2_400, published=464.0, **ORIGIN),
    ]
    write_results(rows, path["depth"])
    return path


def test_every_published_figure_is_listed_with_its_distance(results):
    table = published().set_index(["study", "metric"])
    assert table.index.tolist() == [
        ("depth", "error rate"),
        ("depth", "worst"),
        ("network", "matches won v reference"),
    ]
    assert table["z"].iloc[0] == pytest.approx(-2.0, abs=1e-3)
    assert math.isnan(table["z"].iloc[1])
    both = math.hypot(0.003, math.sqrt(0.52 * 0.48 / 10_000))
    assert table["z"].iloc[2] == pytest.approx(0.01 / both, abs=1e-3)
    assert published(["depth"])["study"].unique().tolist() == ["depth"]


def test_a_study_says_how_many_games_are_behind_a_published_share(results, monkeypatch):
    study = subject.find_study("network")
    monkeypatch.setattr(study, "PUBLISHED_TRIALS", {"matches won v reference": 10**12}, raising=False)
    monkeypatch.setattr(subject, "find_study", lambda name: study)
    assert published(["network"])["z"].iloc[0] == pytest.approx(0.01 / 0.003, abs=1e-3)


def test_the_command_prints_and_writes(results, tmp_path, capsys):
    out = tmp_path / "beside.csv"
    assert main(["published", "network", "--csv", str(out)]) == 0
    assert "matches won v reference" in capsys.readouterr().out
    assert pd.read_csv(out)["published"].tolist() == [0.52]


def test_what_there_is_not_is_said(results, capsys):
    with pytest.raises(InputError, match="no preset 'huge'"):
        published(preset="huge")
    with pytest.raises(InputError, match="no study"):
        published(["nothing"])
    results["network"].unlink()
    with pytest.raises(InputError, match="No committed results"):
        published(["network"])
