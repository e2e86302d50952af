"""The picture of the Yardsticks study: error rates and points against GNU Backgammon on one chart."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bglab.errors import InputError
from bglab.lab.plots import BLUE, GREEN, GREY, INK, ORANGE, drawn

ERROR = "error rate"
EQUITY = "equity against gnubg:0ply"


def yardstick(table: pd.DataFrame) -> Figure:
    """Two panels with a row for each agent, the smallest error rate first: millipoints given up per decision over the
    corpus, and milli-equity per game against GNU Backgammon 0-ply, with 95 % intervals and published values.
    """
    errors = table[table["metric"] == ERROR].sort_values("value", kind="stable")
    equities = table[table["metric"] == EQUITY]
    if errors.empty or equities.empty:
        raise InputError("The table has no yardsticks: give the results of the study yardsticks.")
    order = errors["setting"].tolist()
    with drawn(1, 2, 1.9 + 0.36 * len(order)) as figure:
        left, right = figure.axes
        _dots(left, errors, order, BLUE, "o", ".1f")
        _dots(right, equities, order, GREEN, "s", "+.0f")
        right.axvline(0, color=GREY, linewidth=1, zorder=1)
        for axes in (left, right):
            axes.margins(x=0.14)  # room for the numbers beside the bars
        left.set_xlim(left=0)
        left.set_yticks(range(len(order)), order, color=INK)
        right.set_yticks(range(len(order)), [""] * len(order))
        for axes in (left, right):
            axes.set_ylim(len(order) - 0.5, -0.6)
            axes.grid(axis="y", visible=False)
        left.set_xlabel("given up (millipoints per decision)")
        right.set_xlabel("won against GNU Backgammon 0-ply\n(milli-equity per cubeless game)")
        left.set_title("Error rate")
        right.set_title("Head to head")
        handles, labels = left.get_legend_handles_labels()
        if labels:
            left.legend(handles, labels, frameon=False, fontsize=9, loc="best")
        figure.supxlabel(
            f"{int(errors['n'].max()):,} decisions priced by GNU Backgammon 2-ply; up to "
            f"{2 * int(equities['n'].max()):,} games with duplicate dice; bars are 95 % intervals",
            fontsize=9, color=GREY,
        )  # fmt: skip
    return figure


def _dots(axes: Axes, rows: pd.DataFrame, order: list[str], colour: str, marker: str, digits: str) -> None:
    at = [order.index(setting) for setting in rows["setting"]]
    value, low, high = (rows[name].astype(float) for name in ("value", "low", "high"))
    axes.errorbar(
        value, at, xerr=[value - low, high - value], fmt=marker, color=colour, markersize=5, capsize=3
    )
    for x, y, end in zip(value, at, high, strict=True):
        words = f"{x:{digits}}".replace("-", "\N{MINUS SIGN}")
        axes.annotate(
            words, (end, y), (6, 0), textcoords="offset points", va="center", color=colour, fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8},
        )  # fmt: skip
    published = rows.dropna(subset="published")
    if len(published):
        heights = [order.index(setting) - 0.2 for setting in published["setting"]]
        axes.plot(
            published["published"].astype(float), heights, "D", color=ORANGE, markersize=5, label="published"
        )
