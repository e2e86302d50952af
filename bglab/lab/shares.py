"""Pictures and tables of the studies that play matches: shares beside the published ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bglab.errors import InputError
from bglab.lab.plots import BLUE, GREEN, GREY, INK, ORANGE, drawn
from bglab.lab.results import apart

PUBLISHED_MATCHES = 10_000
"""Matches behind a published share (document 000, section 7)."""


def _rows(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    rows = table[table["metric"] == metric]
    if rows.empty:
        raise InputError(f"The table has no metric {metric!r}: give the results of the study that has.")
    return rows.sort_values("value", ascending=False, kind="stable").reset_index(drop=True)


def shares(table: pd.DataFrame, metrics: Sequence[str], title: str, against: str = "") -> Figure:
    """Shares of matches with their 95 % intervals, one row for each setting, published ones marked.

    metrics : of the table; the first one orders the rows. against : what the line at 50 % is, if it is an opponent.
    """
    first = _rows(table, metrics[0])
    order = first["setting"].tolist()
    for metric in metrics[1:]:
        order += [name for name in _rows(table, metric)["setting"] if name not in order]
    counts = {}
    with drawn(1, 1, 1.6 + (0.36 if len(metrics) == 1 else 0.5) * len(order)) as figure:
        axes = figure.axes[0]
        axes.axvline(50, color=GREY, linewidth=1, zorder=1)
        for k, (metric, colour, marker) in enumerate(zip(metrics, (BLUE, GREEN), "os", strict=False)):
            rows = _rows(table, metric)
            at = [order.index(setting) + 0.24 * k for setting in rows["setting"]]
            value, low, high = (100 * rows[name].astype(float) for name in ("value", "low", "high"))
            label = metric.partition(", ")[2] or "measured"
            counts[label] = f"{int(rows['n'].max()):,}"
            axes.errorbar(
                value, at, xerr=[value - low, high - value], fmt=marker, color=colour, markersize=5,
                capsize=3, label=label, zorder=3,
            )  # fmt: skip
            # Beside one another's bars the numbers would lie on each other, so the second one's stand to the left.
            side, ends = (-1, low) if k else (1, high)
            for x, y, end in zip(value, at, ends, strict=True):
                axes.annotate(
                    f"{x:.1f}", (end, y), (6 * side, 0), textcoords="offset points", va="center",
                    ha="right" if k else "left", color=colour, fontsize=9,
                    bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8},
                )  # fmt: skip
        published = first.dropna(subset="published")
        if len(published):
            at = [order.index(setting) - 0.18 for setting in published["setting"]]
            marks = 100 * published["published"].astype(float)
            axes.plot(marks, at, "D", color=ORANGE, markersize=5, label="published", zorder=4)
        axes.set_yticks(range(len(order)), order, color=INK)
        axes.set_ylim(len(order) - 0.5, -0.6)
        axes.grid(axis="y", visible=False)
        # Agents of about one strength are told apart; others stand on the whole scale.
        if axes.get_xlim()[0] < 40:
            axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
        axes.set_xlabel("matches won (%)" + (f" against {against}" if against else ""))
        axes.set_title(title)
        axes.legend(frameon=False, fontsize=9, loc="best")
        n = ", ".join(count + f" ({label})" * (len(counts) > 1) for label, count in counts.items())
        figure.supxlabel(
            f"n = {n} matches each; bars are 95 % intervals over pairs with the same dice",
            fontsize=9, color=GREY,
        )  # fmt: skip
    return figure


def beside_published(table: pd.DataFrame, metric: str, trials: int = PUBLISHED_MATCHES) -> pd.DataFrame:
    """Shares in numbers: measured with its interval, published, and the difference in standard errors.

    trials : matches behind the published figures, for their own error.
    """
    rows = _rows(table, metric)
    lines = []
    known = rows["published"].notna().any()
    for row in rows.itertuples():
        line = {
            "setting": row.setting,
            "measured": f"{100 * row.value:.1f} % ({100 * row.low:.1f} to {100 * row.high:.1f})",
            "published": "",
            "measured − published": "",
            "z of the difference": "",
            "n": f"{int(row.n):,}",
        }
        if not pd.isna(row.published):
            p = float(row.published)
            difference = row.value - p
            line |= {
                "published": f"{100 * p:.1f} %",
                "measured − published": f"{100 * difference:+.1f}".replace("-", "\N{MINUS SIGN}"),
                "z of the difference": f"{apart(row, trials):+.1f}".replace("-", "\N{MINUS SIGN}"),
            }
        lines.append(line)
    words = pd.DataFrame(lines).set_index("setting").rename_axis(None)
    return words if known else words[["measured", "n"]]


def rate_grid(table: pd.DataFrame, opponent: str) -> Figure:
    """The grid of learning rates: one panel for each activation, runs as dots and their mean as a line."""
    runs = table[table["metric"] == f"matches won v {opponent}"]
    if runs.empty:
        raise InputError("The table has no grid of learning rates: give the results of the study activation.")
    parts = runs["setting"].str.extract(r"(?P<activation>.+), rate (?P<rate>.+)")
    runs = runs.assign(activation=parts["activation"], rate=parts["rate"].astype(float))
    names = list(dict.fromkeys(runs["activation"]))
    columns = min(4, len(names))
    lines = -(-len(names) // columns)
    with drawn(lines, columns, 0.9 + 2.4 * lines) as figure:
        for axes, name in zip(figure.axes, names, strict=False):
            own = runs[runs["activation"] == name]
            means = own.groupby("rate")["value"].mean() * 100
            axes.plot(means.index, means, color=BLUE, linewidth=1.6)
            axes.plot(own["rate"], 100 * own["value"], "o", color=BLUE, markersize=4, alpha=0.6)
            lost = own[own["n"] == 0]
            axes.plot(lost["rate"], 100 * lost["value"], "x", color=ORANGE, markersize=7)
            best = means.idxmax()
            axes.annotate(
                f"{best:g}: {means[best]:.1f} %", (best, means[best]), (0, 7), textcoords="offset points",
                ha="center", fontsize=9, color=INK,
            )  # fmt: skip
            axes.set_xscale("log")
            rates = sorted(set(runs["rate"]))
            axes.set_xticks(rates, [f"{rate:g}" for rate in rates])
            axes.minorticks_off()
            axes.set_title(name)
            axes.sharey(figure.axes[0])
            axes.margins(y=0.2)
        for axes in figure.axes[len(names) :]:
            axes.remove()
        seeds = runs.groupby("setting").size().max()
        figure.supxlabel(
            f"learning rate; a dot is one of {seeds} training seeds, a cross a run that diverged, the line their mean",
            fontsize=9, color=GREY,
        )  # fmt: skip
        figure.supylabel(f"matches won (%) against {opponent}", fontsize=9, color=INK)
    return figure


def plies(table: pd.DataFrame) -> Figure:
    """What looking ahead wins, and what a decision costs at each depth."""
    won = table[table["metric"] == "matches won"].iloc[0]
    cost = table[table["metric"] == "time per decision"].sort_values("setting")
    with drawn(1, 2, 3.4) as figure:
        left, right = figure.axes
        value, low, high = (100 * won[name] for name in ("value", "low", "high"))
        left.axvline(50, color=GREY, linewidth=1, zorder=1)
        left.errorbar([value], [0], xerr=[[value - low], [high - value]], fmt="o", color=BLUE, capsize=3)
        left.annotate(f"measured {value:.1f} %", (value, 0), (0, 9), textcoords="offset points", ha="center",
                      color=BLUE, fontsize=9)  # fmt: skip
        if not pd.isna(won["published"]):
            left.plot(100 * won["published"], -0.5, "D", color=ORANGE)
            left.annotate(f"published {100 * won['published']:.1f} %", (100 * won["published"], -0.5), (0, -14),
                          textcoords="offset points", ha="center", color=ORANGE, fontsize=9)  # fmt: skip
        left.set_ylim(-1.2, 0.8)
        left.set_yticks([])
        left.set_xlim(min(45, low - 3), max(65, high + 3))
        left.set_xlabel(f"matches won (%) by 1-ply against 0-ply, n = {int(won['n']):,}")
        left.set_title("What a ply wins")
        steps = np.arange(len(cost))
        below, above = (abs(cost["value"] - cost[name]) for name in ("low", "high"))
        below = np.minimum(below, 0.9 * cost["value"])
        right.errorbar(steps, cost["value"], [below, above], fmt="o-", color=BLUE, capsize=3)
        for x, seconds in zip(steps, cost["value"], strict=True):
            words = f"{seconds:.2g} s" if seconds >= 0.1 else f"{1000 * seconds:.2g} ms"
            right.annotate(words, (x, seconds), (8, -4), textcoords="offset points", fontsize=9, color=INK)
        right.set_yscale("log")
        right.set_xticks(steps, cost["setting"])
        right.set_xlim(-0.3, len(cost) - 0.4)
        right.set_ylabel("seconds per decision")
        right.set_title(f"What a decision costs, one at a time (n = {int(cost['n'].max())})")
    return figure


def depth_errors(table: pd.DataFrame) -> Figure:
    """What each depth gives up over a corpus, and how often it plays the best turn, with the published figures."""
    panels = (
        ("error rate", 1, "given up (millipoints per decision)", "left", "What a decision gives up"),
        ("best choice", 100, "decisions with the best choice (%)", "right", "How often the best turn"),
    )
    with drawn(1, 2, 3.4) as figure:
        # Words stand on the side that the line leaves free.
        for axes, (metric, scale, label, side, title) in zip(figure.axes, panels, strict=True):
            rows = _rows(table, metric).sort_values("setting")
            steps = np.arange(len(rows))
            value, low, high = (scale * rows[name].astype(float) for name in ("value", "low", "high"))
            axes.errorbar(
                steps, value, [value - low, high - value], fmt="o-", color=BLUE, capsize=3, label="measured"
            )
            for x, y in zip(steps, value, strict=True):
                offset = (8 if side == "left" else -8, 5)
                axes.annotate(
                    f"{y:.1f}", (x, y), offset, textcoords="offset points", ha=side, fontsize=9, color=BLUE
                )
            axes.plot(
                steps + 0.08, scale * rows["published"].astype(float), "D", color=ORANGE, label="published"
            )
            axes.set_xticks(steps, rows["setting"])
            axes.set_xlim(-0.3, len(rows) - 0.5)
            axes.set_ylabel(label)
            axes.set_title(f"{title} (n = {int(rows['n'].max()):,})")
        figure.axes[0].set_ylim(bottom=0)
        figure.axes[0].legend(frameon=False, fontsize=9)
    return figure


def figures(table: pd.DataFrame, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """Rows of a results table as people read them: value with interval, published value, sample size, unit."""
    rows = table if metrics is None else table[table["metric"].isin(list(metrics))]

    def words(value: float, unit: str) -> str:
        if unit == "share":
            return f"{100 * value:.1f} %"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"

    lines = []
    for row in rows.itertuples():
        interval = "" if pd.isna(row.low) else f" ({words(row.low, row.unit)} to {words(row.high, row.unit)})"
        lines.append(
            {
                "setting": row.setting,
                "metric": row.metric,
                "measured": words(row.value, row.unit) + interval,
                "published": "" if pd.isna(row.published) else words(row.published, row.unit),
                "n": f"{int(row.n):,}",
                "unit": "" if row.unit == "share" else row.unit,
            }
        )
    return pd.DataFrame(lines).set_index(["setting", "metric"])
