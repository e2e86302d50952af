"""The bench runs, names its figures as promised and writes them; nothing here looks at how fast it is."""

from __future__ import annotations

import json

import pytest

from bglab import InputError
from bglab.lab.bench import benchmarks, run_benchmarks, write_json


def test_quick_bench(tmp_path) -> None:
    lines: list[str] = []
    figures = run_benchmarks("selfplay.small", quick=True, show=lines.append)
    write_json(figures, tmp_path / "speed.json")
    read = json.loads((tmp_path / "speed.json").read_text())
    names = [figure["name"] for figure in read]
    assert names == [
        "selfplay.small",
        "selfplay.small.moves",
        "selfplay.small.plies",
        "selfplay.small.memory",
    ]
    for figure in read:
        assert set(figure) == {"name", "value", "low", "high", "unit", "n"}
        assert figure["low"] <= figure["value"] <= figure["high"]
        assert figure["value"] > 0
    assert len(lines) == 1 + len(read)


def test_promised_names() -> None:
    promised = {"selfplay.small", "selfplay.large", "train.small", "bellman.small", "bellman.large"}
    assert promised <= set(benchmarks())
    assert {"generation.small", "generation.large"} <= set(benchmarks())
    assert {"search.1ply", "search.2ply", "parameter.scores", "match.11"} <= set(benchmarks())
    assert {"duel.gnubg", "rollout.sage", "records.mat", "twosided"} <= set(benchmarks())
    with pytest.raises(InputError, match=r"selfplay\.small"):
        run_benchmarks("nonsense")
