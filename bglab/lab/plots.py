"""Figures: each function takes a tidy table and returns a matplotlib figure; nothing is shown or saved here.

Intervals are 95 % and drawn wherever a table has them, sample sizes stand in the figure, published figures have a
marker of their own, and colours come from seaborn's colour-blind-safe palette.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bglab.errors import InputError

REFERENCE = 0.7
POINTS = "points per game v lambda=0.7"
WINS = "games won v lambda=0.7"
MATCHES = "cubeless matches to 11 implied v lambda=0.7"
SHORT_MATCHES = "cubeless matches to 5 implied v lambda=0.7"
SPEED = "training speed"
"""Metrics of the λ study."""

BLUE, _, GREEN, ORANGE, *_ = sns.color_palette("colorblind").as_hex()
INK, GREY = "#333333", "#6b6b6b"
STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#999999",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11.5,
    "axes.titlepad": 10,
    "figure.dpi": 110,
    "font.size": 10,
    "grid.color": "#e4e4e4",
    "text.color": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
}


@contextmanager
def drawn(rows: int = 1, columns: int = 1, height: float = 4.3) -> Iterator[Figure]:
    """A figure in the house style, taken out of pyplot's hands so that a notebook shows it once."""
    with plt.rc_context(STYLE):
        figure, _ = plt.subplots(rows, columns, figsize=(10, height), layout="constrained")
        try:
            yield figure
            figure.canvas.draw()
        finally:
            plt.close(figure)


def of_metric(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The rows of a metric with λ as a number, in its order."""
    rows = table[table["metric"] == metric]
    if rows.empty:
        raise InputError(f"The table has no metric {metric!r}: give the results of the study that has.")
    lam = rows["setting"].str.removeprefix("lambda=").astype(float)
    return rows.assign(lam=lam).sort_values("lam")


def _note(
    axes: Axes, at: tuple[float, float], words: str, offset: tuple[int, int], side: str, colour: str = GREY
) -> None:
    """Words beside a point, `offset` in typographic points; `side` is the alignment, "left", "center" or "right"."""
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8}
    axes.annotate(
        words,
        at,
        offset,
        textcoords="offset points",
        ha=side,
        va="center",
        color=colour,
        fontsize=9,
        bbox=box,
    )


def _with_intervals(
    axes: Axes, rows: pd.DataFrame, marker: str = "o", colour: str = BLUE, beside: float = 0.0, name: str = ""
) -> None:
    """Measured values over λ with their intervals; `beside` moves them sideways, clear of others."""
    below, above = rows["value"] - rows["low"], rows["high"] - rows["value"]
    axes.errorbar(
        rows["lam"] + beside,
        rows["value"],
        [below, above],
        fmt=marker,
        color=colour,
        markersize=5,
        capsize=3,
        label=name,
        zorder=3,
    )


def _over_lambda(axes: Axes, rows: pd.DataFrame, level: float) -> None:
    """The axis of λ, and the reference network, which scores `level` by definition."""
    axes.axhline(level, color=GREY, linewidth=1, zorder=1)
    axes.plot(REFERENCE, level, "o", color="white", markeredgecolor=GREY, markersize=7, zorder=3)
    _note(axes, (REFERENCE, level), "the reference", (0, -12), "center")
    axes.set_xlabel("λ   (0 is TD(0), 1 is Monte Carlo)")
    axes.set_xticks(sorted({*rows["lam"], REFERENCE}))
    axes.set_xlim(-0.09, 1.18)
    axes.grid(axis="x", visible=False)


def against_reference(table: pd.DataFrame) -> Figure:
    """The λ study: what each λ scores against the λ = 0.7 network, in points per game and in matches.

    table : results of the study `lambda`; where it has a published share of matches, that is marked.
    """
    points = of_metric(table, POINTS)
    with drawn(1, 2) as figure:
        left, right = figure.axes
        _over_lambda(left, points, 0.0)
        _with_intervals(left, points)
        for row in points.itertuples():
            words = f"{row.value:+.3f}".replace("-", "\N{MINUS SIGN}")
            end, side = (row.low, -9) if row.value < 0 else (row.high, 9)
            _note(left, (row.lam, end), words, (0, side), "center", BLUE)
        left.margins(y=0.18)
        left.set_xlim(-0.09, 1.09)
        left.set_title("Points per game against the λ = 0.7 network")
        left.set_ylabel("points per game, cubeless")
        _matches(right, table)
        figure.supxlabel(
            f"n = {points['n'].max():,.0f} deals of dice for each λ, every deal played twice with seats exchanged; "
            "bars are 95 % intervals over deals",
            fontsize=9,
            color=GREY,
        )
    return figure


def _matches(axes: Axes, table: pd.DataFrame) -> None:
    """The matches that the games imply, and the published share of matches."""
    eleven, five = (_in_percent(of_metric(table, metric)) for metric in (MATCHES, SHORT_MATCHES))
    _over_lambda(axes, eleven, 50.0)
    _with_intervals(axes, eleven, name="to 11 points, without a cube")
    _with_intervals(axes, five, "s", GREEN, 0.035, "to 5 points, without a cube")
    published = eleven.dropna(subset="published")
    if len(published):
        axes.plot(
            published["lam"] - 0.04,
            published["published"],
            "D",
            color=ORANGE,
            label="published: to 11 points, with a cube",
            zorder=4,
        )
    for row in published.itertuples():
        _note(axes, (row.lam - 0.04, row.published), f"{row.published:.1f} %", (-8, 1), "right", ORANGE)
        _note(axes, (row.lam, row.low), f"{row.value:.1f} %", (0, -9), "center", BLUE)
        short = five[five["lam"] == row.lam].iloc[0]
        _note(axes, (row.lam + 0.035, short["value"]), f"{short['value']:.1f} %", (8, 1), "left", GREEN)
    axes.legend(loc="lower left", frameon=False, fontsize=9, borderaxespad=0.8)
    axes.set_ylim(-9, 109)
    axes.set_title("Matches that these games imply")
    axes.set_ylabel("matches won (%)")


def _in_percent(rows: pd.DataFrame) -> pd.DataFrame:
    columns = ["value", "low", "high", "published"]
    return rows.assign(**{name: 100 * rows[name].astype(float) for name in columns})


def training_curves(curve: pd.DataFrame) -> Figure:
    """The course of training of each λ: the loss over the games trained on, one panel for each λ.

    curve : columns setting, games, loss (nats), as in `results/<preset>-curve.csv`. Each λ has targets of its own, so
    levels of the loss are not comparable between panels; the other λ are drawn in grey for their shape only.
    """
    _need(curve, ("setting", "games", "loss"))
    settings = sorted(curve["setting"].unique(), key=lambda name: float(name.removeprefix("lambda=")))
    columns = min(3, len(settings))
    rows = -(-len(settings) // columns)
    with drawn(rows, columns, 0.9 + 2.3 * rows) as figure:
        for axes, setting in zip(figure.axes, settings, strict=False):
            for other, course in curve.groupby("setting"):
                if other != setting:
                    axes.plot(course["games"] / 1000, course["loss"], color="#d0d0d0", linewidth=0.9)
            course = curve[curve["setting"] == setting]
            axes.plot(course["games"] / 1000, course["loss"], color=BLUE, linewidth=1.8)
            axes.set_title(f"λ = {setting.removeprefix('lambda=')}")
            axes.sharex(figure.axes[0])
            axes.sharey(figure.axes[0])
            axes.label_outer()
        for axes in figure.axes[len(settings) :]:
            axes.remove()
        figure.supxlabel("training games (thousands)", fontsize=10, color=INK)
        figure.supylabel("loss against the λ's own targets (nats)", fontsize=10, color=INK)
    return figure


def curve(course: pd.DataFrame) -> Figure:
    """A training run as it went: loss and speed over the games trained on.

    course : `run.curve`, one row per round, columns games, loss (nats) and seconds.
    """
    _need(course, ("games", "loss", "seconds"))
    if course.empty:
        raise InputError("There is no finished round to draw: let the run go on for longer.")
    games = course["games"].to_numpy()
    speed = np.diff(games, prepend=0) / course["seconds"].to_numpy()
    width = max(1, len(course) // 20)
    with drawn(1, 2, 3.3) as figure:
        left, right = figure.axes
        for axes, values in ((left, course["loss"]), (right, pd.Series(speed))):
            axes.plot(games, values, ".", color=BLUE, alpha=0.35 if width > 1 else 1.0, markersize=5)
            mean = values.rolling(width, center=True, min_periods=1).mean()
            axes.plot(games, mean, color=BLUE, linewidth=1.8)
            axes.set_xlabel("training games")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        right.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        left.set_title("Loss: the mean of each round, before its updates")
        left.set_ylabel("loss (nats)")
        right.set_title("Speed; a round that compiles is slower")
        right.set_ylabel("games per second")
        right.set_ylim(bottom=0)
    return figure


def _need(table: pd.DataFrame, columns: Sequence[str]) -> None:
    for name in columns:
        if name not in table:
            raise InputError(f"The curve has no column {name!r}: give one with {', '.join(columns)}.")
