"""The curves of a training run as a picture, drawn without pyplot: that belongs to the notebook's own cells."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bglab.lab.plots import BLUE, GREY, INK, ORANGE, STYLE

DPI = 140


def picture(course: pd.DataFrame, strength: pd.DataFrame, opponent: str | None, total: int) -> bytes:
    """Loss, speed and, if there is an opponent, strength over the training games; a PNG.

    course : as `Run.curve`. strength : columns games, value, low, high (points per game) and n (deals of dice). total :
    the games of the whole run, where the axes end.
    """
    figure = Figure(figsize=(10, 3.2), dpi=DPI, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2 if opponent is None else 3)
    games = course["games"].to_numpy()
    seconds = course["seconds"].to_numpy()
    speed = np.diff(games, prepend=0) / np.where(seconds > 0, seconds, np.nan)
    _course(panels[0], games, course["loss"], "Loss, the mean of each round", "loss (nats)")
    _course(panels[1], games, pd.Series(speed), "Speed", "games per second")
    panels[1].set_ylim(0, None if np.nanmax(speed, initial=0) > 0 else 1)  # no game ends in the first rounds
    panels[1].yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    if opponent is not None:
        _strength(panels[2], strength, opponent)
    for axes in panels:
        _house(axes)
        axes.set_xlim(0, total)
        axes.set_xlabel("training games", color=INK)
        axes.xaxis.set_major_formatter(_thousands if total >= 10_000 else lambda value, _: f"{value:,.0f}")
        axes.locator_params(axis="x", nbins=5)
    if opponent is not None and len(strength):
        deals = int(strength["n"].iloc[-1])
        note = f"strength: n = {deals:,} deals of dice, each played twice; bars are 95 % intervals"
        figure.supxlabel(note, fontsize=8.5, color=GREY)
    file = io.BytesIO()
    canvas.print_png(file)
    return file.getvalue()


def _thousands(value: float, _: object) -> str:
    return f"{value / 1000:,.0f}k" if value else "0"


def _course(axes: Axes, games: np.ndarray, values: pd.Series, title: str, unit: str) -> None:
    """Every round as a dot, and their running mean."""
    width = max(1, len(values) // 20)
    axes.plot(games, values, ".", color=BLUE, alpha=0.35 if width > 1 else 1.0, markersize=4)
    axes.plot(games, values.rolling(width, center=True, min_periods=1).mean(), color=BLUE, linewidth=1.8)
    _title(axes, title)
    axes.set_ylabel(unit)


def _strength(axes: Axes, rows: pd.DataFrame, opponent: str) -> None:
    axes.axhline(0, color=GREY, linewidth=1, zorder=1)
    spread = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
    axes.errorbar(
        rows["games"], rows["value"], spread, fmt="o-", color=ORANGE, markersize=4, capsize=3, linewidth=1.2
    )
    _title(axes, f"Strength v {opponent if len(opponent) < 28 else opponent[:26] + '…'}")
    axes.set_ylabel("points per game, cubeless")


def _title(axes: Axes, words: str) -> None:
    axes.set_title(words, loc="left", fontsize=10.5, color=INK, pad=STYLE["axes.titlepad"])


def _house(axes: Axes) -> None:
    """The style of `bglab.lab.plots`, without touching what other figures are drawn with."""
    axes.set_axisbelow(True)
    axes.grid(color=STYLE["grid.color"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(STYLE["axes.edgecolor"])
    axes.tick_params(colors=GREY, labelsize=9)
    axes.yaxis.label.set_color(INK)
