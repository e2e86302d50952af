"""Figures and tables of results: what is drawn, with which numbers, labels and intervals."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from bglab.errors import InputError
from bglab.lab import plots, tables
from bglab.lab.results import COLUMNS

LAMBDAS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)


def results() -> pd.DataFrame:
    """A table as the λ study makes it."""
    rows = []
    for lam in LAMBDAS:
        setting = {"setting": f"lambda={lam:g}", "seed": 1, "commit": "0123456789", "machine": "a machine"}
        if lam != 0.7:
            points = -0.5 * lam**4
            share = 0.5 - 0.4 * lam**4
            for metric, value, half, n in (
                (plots.POINTS, points, 0.01, 20_000),
                (plots.WINS, share, 0.01, 40_000),
                (plots.SHORT_MATCHES, share + 0.05, 0.01, 20_000),
                (plots.MATCHES, share, 0.02, 20_000),
            ):
                figures = {"value": value, "low": value - half, "high": value + half, "n": n}
                rows.append(setting | {"metric": metric, **figures})
            if lam == 1:
                rows[-1]["published"] = 0.091
        for metric, value in (
            (plots.SPEED, 1234.5),
            ("positions per training game", 55.5),
            ("games left out as too long", 0),
            ("loss over the last hundredth", 0.8),
        ):
            rows.append(setting | {"metric": metric, "value": value, "n": 800_000, "seconds": 648.0})
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS))


def course() -> pd.DataFrame:
    games = np.arange(1, 101) * 8000
    return pd.concat(
        [
            pd.DataFrame(
                {"setting": f"lambda={lam:g}", "games": games, "loss": 0.8 + lam / 9 + 1 / np.arange(1, 101)}
            )
            for lam in LAMBDAS
        ]
    )


def words(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def png(figure: plt.Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def test_against_reference_draws_every_value_with_its_interval():
    left, right = plots.against_reference(results()).axes
    bars = left.collections[0].get_segments()
    assert [tuple(bar[0]) for bar in bars][-1] == pytest.approx((1.0, -0.51))
    assert [tuple(bar[1]) for bar in bars][-1] == pytest.approx((1.0, -0.49))
    assert len(bars) == 5
    assert [len(collection.get_segments()) for collection in right.collections] == [5, 5]
    assert "−0.500" in words(left)
    assert {"10.0 %", "15.0 %"} <= set(words(right))
    assert left.get_ylabel() == "points per game, cubeless"
    assert right.get_ylabel() == "matches won (%)"
    assert "λ" in left.get_xlabel()


def test_the_published_figure_has_a_marker_and_says_what_it_is():
    _, right = plots.against_reference(results()).axes
    assert "9.1 %" in words(right)
    assert [text.get_text() for text in right.get_legend().get_texts()] == [
        "published: to 11 points, with a cube",
        "to 11 points, without a cube",
        "to 5 points, without a cube",
    ]
    diamonds = [line for line in right.lines if line.get_marker() == "D"]
    assert [tuple(line.get_ydata()) for line in diamonds] == [(9.1,)]
    measured = next(line for line in right.lines if line.get_marker() == "o")
    assert measured.get_color() != diamonds[0].get_color()
    _, right = plots.against_reference(results().assign(published=None)).axes
    assert not [line for line in right.lines if line.get_marker() == "D"]


def test_the_reference_and_the_sample_size_are_named():
    figure = plots.against_reference(results())
    for axes, level in zip(figure.axes, (0.0, 50.0), strict=True):
        assert "the reference" in words(axes)
        assert list(axes.lines[0].get_ydata()) == [level, level]
    assert "n = 20,000 deals" in figure.get_supxlabel()
    assert "95 %" in figure.get_supxlabel()


def test_training_curves_has_a_panel_for_each_lambda():
    figure = plots.training_curves(course())
    assert [axes.get_title("left") for axes in figure.axes] == [f"λ = {lam:g}" for lam in LAMBDAS]
    assert figure.get_supxlabel() == "training games (thousands)"
    assert "nats" in figure.get_supylabel()
    assert figure.axes[0].get_ylim() == figure.axes[5].get_ylim()
    assert len(plots.training_curves(course()[lambda table: table["setting"] == "lambda=1"]).axes) == 1


def test_curve_shows_loss_and_speed():
    rounds = pd.DataFrame(
        {"games": [250, 500, 1000], "loss": [1.7, float("nan"), 1.5], "seconds": [5.0, 0.5, 0.5]}
    )
    left, right = plots.curve(rounds).axes
    assert "nats" in left.get_ylabel()
    assert list(right.lines[0].get_ydata()) == [50, 500, 1000]
    assert "per second" in right.get_ylabel()


def test_figures_are_shown_once_and_are_small():
    figure = plots.against_reference(results())
    assert plt.get_fignums() == []
    assert len(png(figure)) < 120_000
    assert len(png(plots.training_curves(course()))) < 250_000


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: plots.against_reference(results().iloc[:0]), "no metric 'points per game"),
        (lambda: plots.training_curves(course().drop(columns="loss")), "no column 'loss'"),
        (lambda: plots.curve(pd.DataFrame({"games": [], "loss": [], "seconds": []})), "no finished round"),
        (lambda: plots.curve(course()), "no column 'seconds'"),
    ],
)
def test_tables_that_cannot_be_drawn_are_refused(call, fault):
    with pytest.raises(InputError, match=fault):
        call()
    assert plt.get_fignums() == []


def test_numbers_beside_the_published_ones():
    table = tables.against_reference(results())
    assert list(table.index) == ["λ = 0", "λ = 0.3", "λ = 0.5", "λ = 0.9", "λ = 1"]
    last = table.loc["λ = 1"]
    assert last["points per game"] == "−0.500 (−0.510 to −0.490)"
    assert last["matches to 5, cubeless"] == "15.0 % (14.0 to 16.0)"
    assert last["matches to 11, cubeless"] == "10.0 % (8.0 to 12.0)"
    assert last["published, to 11 with a cube"] == "9.1 %"
    assert table.loc["λ = 0", "published, to 11 with a cube"] == ""
    assert last["deals"] == "20,000"


def test_what_training_took():
    table = tables.training(results())
    assert list(table.index) == [*(f"λ = {lam:g}" for lam in LAMBDAS), "document 000, 32 threads"]
    assert table.loc["λ = 0.7", ["games per second", "minutes", "training games"]].tolist() == [
        "1,234",
        "10.8",
        "800,000",
    ]
    assert table.iloc[-1]["games per second"] == "about 390"
