"""Tournaments with all their files: on a cluster that loses a worker, tables and heat map, contradictory options."""

from __future__ import annotations

import os
import signal
from itertools import combinations

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from bglab import InputError, MatchRules, Tournament, round_robin
from bglab.lab import compete as module
from bglab.lab.compete import compete, on_cluster
from bglab.lab.heatmap import heatmap
from bglab.measure import tournament as parts_of
from bglab.play.match import Matches
from tests.players import Lucky

TO_FIVE = MatchRules(5)


def test_a_cluster_that_loses_a_worker_plays_the_same_tournament(tmp_path, monkeypatch, capsys) -> None:
    """Two real workers of a real scheduler, one of them killed half-way."""
    field = [Lucky("seven", 7), Lucky("nine", 9), Lucky("eleven", 11)]
    written, write = [], parts_of.write_part
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as cluster:
        with Client(cluster.scheduler_address, set_as_default=False) as client:
            pids = client.run(os.getpid)

        def killing(path, part, played) -> None:
            write(path, part, played)
            written.append(path)
            if len(written) == 3:
                os.kill(next(iter(pids.values())), signal.SIGKILL)

        monkeypatch.setattr(parts_of, "write_part", killing)
        monkeypatch.setattr(
            module, "round_robin", lambda *given, **options: round_robin(*given, **options, chunk=16)
        )
        result = compete(field, 80, TO_FIVE, 3, tmp_path, cluster=cluster.scheduler_address)
        assert len(pids) == 2
    alone = round_robin(field, 80, TO_FIVE, 3, chunk=16, progress=False)
    pd.testing.assert_frame_equal(result.standings, alone.standings, check_exact=True)
    pd.testing.assert_frame_equal(
        result.pairings.drop(columns="seconds"), alone.pairings.drop(columns="seconds"), check_exact=True
    )
    for one, other in zip(result.results, alone.results, strict=True):
        np.testing.assert_array_equal(one.won, other.won)
        np.testing.assert_array_equal(one.points, other.points)
    assert len(written) == 15
    assert {path.name for path in tmp_path.iterdir()} == {
        "heatmap.png", "pairings.csv", "parts", "standings.csv", "tournament.json",
    }  # fmt: skip
    assert matplotlib.image.imread(tmp_path / "heatmap.png").shape[1] > 800


def test_processes_or_a_cluster(tmp_path) -> None:
    with pytest.raises(InputError, match="not both"):
        compete([], 4, TO_FIVE, 0, tmp_path, processes=2, cluster="tcp://127.0.0.1:1")
    with pytest.raises(InputError, match="1 or more processes, not 0"):
        compete([], 4, TO_FIVE, 0, tmp_path, processes=0)


def test_no_scheduler_no_dask(monkeypatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    for address in ("tcp://127.0.0.1:9", "nowhere"):
        with pytest.raises(InputError, match=f"no Dask scheduler at {address}"), on_cluster(address):
            pass
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="cluster extra"), on_cluster("tcp://127.0.0.1:9"):
        pass


def made_up(names: list[str], matches: int = 100) -> Tournament:
    rng = np.random.default_rng(1)
    results = []
    for i, j in combinations(range(len(names)), 2):
        won = rng.random((matches // 2, 2)) < 1 / (1 + np.exp((i - j) / 2))
        games = rng.integers(2, 8, won.shape)
        results.append(Matches(names[i], names[j], TO_FIVE, 3, won, games, np.where(won, 5, -5)))
    return Tournament(tuple(names), TO_FIVE, 3, tuple(results), (1.0,) * len(results))


def test_heat_map_has_every_share_by_rank_and_the_sample() -> None:
    result = made_up(["worst", "middling", "best"][::-1])
    figure = heatmap(result)
    axes, bar = figure.axes
    written = np.array([text.get_text() for text in axes.texts]).reshape(3, 3)
    shares = 100 * result.head_to_head
    for row in range(3):
        for column in range(3):
            expected = "–" if row == column else f"{shares.iloc[row, column]:.1f}"
            assert written[row, column] == expected
    names = [label.get_text().split()[0] for label in axes.get_yticklabels()]
    assert names == result.standings["agent"].tolist()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3"]
    assert axes.images[0].get_clim() == (0, 100)
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert "%" in bar.get_ylabel()
    sample = figure.get_supxlabel()
    assert "n = 100 matches" in sample
    assert "95 %" in sample


def test_a_large_heat_map_has_room_for_its_words() -> None:
    figure = heatmap(made_up([f"N80-L2-sigmoid-800k-lam{k:02d}" for k in range(12)], 20))
    figure.canvas.draw()
    axes = figure.axes[0]
    cell = axes.get_window_extent().width / 12
    assert max(text.get_window_extent().width for text in axes.texts) < cell
    left = min(label.get_window_extent().x0 for label in axes.get_yticklabels())
    assert left > axes.yaxis.label.get_window_extent().x1
    assert axes.yaxis.label.get_window_extent().x0 >= 0
