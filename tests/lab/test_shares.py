"""Pictures and tables of shares: what they show is what the table holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bglab import InputError
from bglab.lab import shares
from bglab.lab.heatmap import heatmap_of
from bglab.lab.results import COLUMNS, pairing_rows
from bglab.measure.standings import Tournament
from bglab.play.match import Matches, MatchRules

RULES = MatchRules(5)
HERE = {"seed": 1, "commit": "abc", "machine": "a machine"}


def matches(first: str, second: str, share: float, seed: int) -> Matches:
    won = np.random.default_rng(seed).random((200, 2)) < share
    games = np.full((200, 2), 4)
    return Matches(first, second, RULES, seed, won, games, np.where(won, 3, -3))


@pytest.fixture(scope="module")
def tournament() -> Tournament:
    results = (matches("a", "b", 0.6, 1), matches("a", "c", 0.8, 2), matches("b", "c", 0.7, 3))
    return Tournament(("a", "b", "c"), RULES, 1, results, (1.0, 2.0, 3.0))


@pytest.fixture(scope="module")
def table(tournament) -> pd.DataFrame:
    rows = pairing_rows(tournament, "b", {"a": 0.5}, HERE)
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS))


def figure(table: pd.DataFrame, setting: str, metric: str) -> pd.Series:
    return table[(table["setting"] == setting) & (table["metric"] == metric)].iloc[0]


def test_rows_of_a_round_robin(tournament, table):
    """Seen from each agent's own side, whoever was named first."""
    a, c = (figure(table, name, "matches won v b") for name in "ac")
    assert a["value"] == tournament.results[0].share.value
    assert c["value"] == pytest.approx(1 - tournament.results[2].share.value)
    assert a["published"] == 0.5
    assert figure(table, "a", "z v b")["value"] == tournament.results[0].z
    assert figure(table, "c", "z v b")["value"] == -tournament.results[2].z
    points = figure(table, "c", "points per game v b")
    assert points["value"] == -tournament.results[2].points_per_game.value
    assert points["low"] < points["value"] < points["high"]
    assert figure(table, "a v c", "games per match")["value"] == 4
    assert set(table[table["metric"] == "matches won in all"]["setting"]) == {"a", "b", "c"}


def test_shares_and_what_was_published(table):
    axes = shares.shares(table, ["matches won v b"], "Title", "b").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "c"]
    assert "against b" in axes.get_xlabel()
    words = shares.beside_published(table, "matches won v b")
    share = figure(table, "a", "matches won v b")
    assert words.loc["a", "published"] == "50.0 %"
    assert words.loc["c", "published"] == ""
    error = (share["high"] - share["low"]) / (2 * 1.959964)
    z = (share["value"] - 0.5) / np.hypot(error, 0.005)
    assert float(words.loc["a", "z of the difference"]) == pytest.approx(z, abs=0.051)
    assert words.loc["a", "measured"].startswith(f"{100 * share['value']:.1f} %")
    with pytest.raises(InputError, match="no metric"):
        shares.shares(table, ["nothing"], "")


def test_a_heat_map_of_results(table, tournament):
    texts = [text.get_text() for text in heatmap_of(table).axes[0].texts]
    assert f"{100 * tournament.results[1].share.value:.1f}" in texts
    assert texts.count("–") == 3
    with pytest.raises(InputError, match="no round robin"):
        heatmap_of(table[table["metric"] == "z v b"])


def test_the_grid_of_rates():
    rows = [
        {"setting": f"{name}, rate {rate:g}", "metric": "matches won v it", "value": value, "n": n}
        for name, rate, value, n in (
            ("relu", 0.01, 0.4, 8),
            ("relu", 0.01, 0.5, 8),
            ("relu", 0.1, 0.0, 0),
            ("elu", 0.01, 0.3, 8),
            ("elu", 0.1, 0.6, 8),
        )
    ]
    drawing = shares.rate_grid(pd.DataFrame(rows), "it")
    assert [axes.get_title(loc="left") for axes in drawing.axes] == ["relu", "elu"]
    assert [axes.texts[0].get_text() for axes in drawing.axes] == ["0.01: 45.0 %", "0.1: 60.0 %"]
    with pytest.raises(InputError, match="no grid"):
        shares.rate_grid(pd.DataFrame(rows), "somebody else")


def test_what_a_ply_wins_and_costs():
    times = [(f"{k}-ply", "time per decision", 10.0 ** (2 * k - 3), "seconds") for k in range(3)]
    rows = [("1-ply v 0-ply", "matches won", 0.58, "share"), *times]
    table = pd.DataFrame(rows, columns=["setting", "metric", "value", "unit"])
    table = table.assign(
        low=table["value"] * 0.9, high=table["value"] * 1.1, n=100, published=[0.578, *[None] * 3]
    )
    left, right = shares.plies(table).axes
    assert [text.get_text() for text in left.texts] == ["measured 58.0 %", "published 57.8 %"]
    assert [text.get_text() for text in right.texts] == ["1 ms", "0.1 s", "10 s"]
    words = shares.figures(table)
    assert words.loc[("1-ply v 0-ply", "matches won"), "measured"] == "58.0 % (52.2 % to 63.8 %)"
    assert words.loc[("1-ply v 0-ply", "matches won"), "published"] == "57.8 %"


def test_what_each_depth_gives_up():
    rows = [
        (f"{plies}-ply", metric, value, 0.9 * value, 1.1 * value, 2400, known)
        for metric, values, published in (
            ("error rate", (11.0, 6.0, 4.0), (12.6, 6.9, 4.9)),
            ("best choice", (0.65, 0.7, 0.76), (0.644, 0.698, 0.756)),
        )
        for plies, value, known in zip((2, 0, 1), values, published, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["setting", "metric", "value", "low", "high", "n", "published"])
    errors, best = shares.depth_errors(table).axes
    assert [text.get_text() for text in errors.texts] == ["6.0", "4.0", "11.0"]
    assert [text.get_text() for text in best.texts] == ["70.0", "76.0", "65.0"]
    np.testing.assert_allclose(errors.lines[-1].get_ydata(), [6.9, 4.9, 12.6])
    np.testing.assert_allclose(best.lines[-1].get_ydata(), [69.8, 75.6, 64.4])
    with pytest.raises(InputError, match="best choice"):
        shares.depth_errors(table[table["metric"] == "error rate"])
