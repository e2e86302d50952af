"""What cells call: boards and tables to look at, results by preset, and runs cut short for tests."""

from __future__ import annotations

import jax
import numpy as np
import pandas as pd
import pytest

import bglab
import bglab.lab.study
from bglab.errors import InputError
from bglab.lab import notebook
from bglab.lab.results import row, write_results
from bglab.value.network import NetworkSpec, init

START = bglab.Position.start()


@pytest.fixture(scope="module")
def agent() -> bglab.Agent:
    return bglab.Agent("some <network>", init(NetworkSpec((8,)), jax.random.key(0)))


def test_sizes(monkeypatch):
    monkeypatch.delenv("BGLAB_PRESET", raising=False)
    assert notebook.size(10_000, 300) == 10_000
    monkeypatch.setenv("BGLAB_PRESET", "quick")
    assert notebook.size(10_000, 300) == 300


def test_boards_show_each_turn():
    turns = bglab.legal_turns(START, (3, 1))[:3]
    shown = notebook.boards(turns, (3, 1))
    assert shown._repr_html_().count("<img") == 3
    assert all(f"Play {turn.play}." in shown.html for turn in turns)
    assert repr(shown) == "\n".join(turn.play for turn in turns)


def test_plays_show_what_the_agent_ranks(agent):
    ranked = agent.rank(START, (3, 1))
    shown = notebook.plays(agent, START, (3, 1), best=4)
    assert shown.html.count("<img") == 1
    assert f"Play {ranked['play'][0]}." in shown.html
    assert [f"<b>{play}</b>" in shown.html for play in ranked["play"]] == [True] * 4 + [False] * 12
    assert "some &lt;network&gt;" in shown.html
    assert "4 best of 16 turns with 3-1" in shown.html
    assert "4 best of 16 turns with 3-1" in repr(shown)
    assert "16 turns with 3-1" in notebook.plays(agent, START, (3, 1), best=50).html


def test_evaluations_are_beside_each_other(agent):
    table = notebook.evaluations(START, agent, agent)
    assert list(table.index) == ["some <network>"] * 2
    assert table.iloc[0].drop("equity").sum() == pytest.approx(100, abs=0.4)
    assert table["equity"].iloc[0] == pytest.approx(agent.evaluate(START)["equity"], abs=5e-4)


def test_untrained_is_what_the_run_began_with():
    recipe = bglab.Recipe(NetworkSpec((8,)), games=1, lanes=32, plies=60)
    still = bglab.train(bglab.Recipe(**(vars(recipe) | {"optimiser": nothing})), seed=3, progress=False)
    began = notebook.untrained(still)
    for ours, theirs in zip(jax.tree.leaves(began.evaluator), jax.tree.leaves(still.network), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def nothing():
    """An optimiser that leaves the weights alone."""
    import optax

    return optax.sgd(0.0)


STUDY = 'PRESETS = {"quick": 1, "laptop": 2, "paper": 3}\n'


@pytest.fixture
def experiments(tmp_path, monkeypatch):
    """A clone with one study, without results."""
    folder = tmp_path / "experiments"
    (folder / "small" / "results").mkdir(parents=True)
    (folder / "small" / "study.py").write_text(STUDY)
    monkeypatch.setattr(bglab.lab.study, "EXPERIMENTS", folder)
    monkeypatch.delenv("BGLAB_PRESET", raising=False)
    return folder


def put(path, value: float) -> None:
    origin = {"seed": 1, "commit": "0123456789", "machine": "a machine"}
    figures = row("all", "points", bglab.statistics.Estimate(value, 0.1, 50), unit="points", **origin)
    write_results([figures, row("all", "speed", 10.0, unit="games/s", n=50, **origin)], path)


def test_the_largest_preset_is_shown_and_named(experiments):
    results = experiments / "small" / "results"
    with pytest.raises(InputError, match="no results yet: run `bglab study small --preset laptop`"):
        notebook.results_of("small")
    put(results / "quick.csv", 1.0)
    put(results / "laptop.csv", 2.0)
    found = notebook.results_of("small")
    assert (found.preset, found.table["value"][0], found.curve) == ("laptop", 2.0, None)
    assert "there are none yet of the preset paper" in repr(found)
    put(results / "paper.csv", 3.0)
    pd.DataFrame({"setting": ["all"], "games": [1], "loss": [1.5]}).to_csv(results / "paper-curve.csv")
    found = notebook.results_of("small")
    assert (found.preset, found.table["value"][0]) == ("paper", 3.0)
    assert found.curve["loss"].tolist() == [1.5]
    assert "as committed. Commit 0123456789; a machine." in found._repr_html_()


def test_a_test_sees_its_own_results(experiments, tmp_path, monkeypatch):
    put(experiments / "small" / "results" / "paper.csv", 3.0)
    monkeypatch.setenv("BGLAB_PRESET", "quick")
    monkeypatch.setenv("BGLAB_RUNS", str(tmp_path / "runs"))
    put(tmp_path / "runs" / "small" / "quick" / "results.csv", 1.0)
    found = notebook.results_of("small")
    assert (found.preset, found.table["value"][0]) == ("quick", 1.0)


def test_a_figure_keeps_its_interval(experiments):
    put(experiments / "small" / "results" / "paper.csv", 3.0)
    found = notebook.results_of("small")
    figure = found.figure("all", "points")
    assert (figure.value, figure.n, figure.unit) == (3.0, 50, "points")
    assert figure.error == pytest.approx(0.1, rel=1e-4)
    assert figure.z == pytest.approx(30, rel=1e-4)
    assert figure.low == pytest.approx(3 - 0.196, rel=1e-4)
    with pytest.raises(InputError, match="0 figures 'nothing' of 'all'"):
        found.figure("all", "nothing")
