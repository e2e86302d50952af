"""The picture of a tournament: who won how many matches against whom."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from bglab.errors import InputError
from bglab.lab.plots import GREY, INK, STYLE
from bglab.measure.standings import Tournament


def heatmap(tournament: Tournament) -> Figure:
    """Shares of matches, the row's agent against the column's, best first; blue above 50 %, red below."""
    in_all = tournament.standings.set_index("agent")["share"]
    return _draw(tournament.head_to_head, in_all, _sample(tournament))


def heatmap_of(table: pd.DataFrame) -> Figure:
    """The same picture from the results of a study (`bglab.lab.results.pairing_rows`)."""
    in_all = table[table["metric"] == "matches won in all"].set_index("setting")["value"]
    played = table[table["metric"] == "matches won"]
    if in_all.empty or played.empty:
        raise InputError("The table has no round robin: give the results of a study that plays one.")
    names = in_all.sort_values(ascending=False, kind="stable").index
    shares = pd.DataFrame(np.nan, index=names, columns=names)
    for setting, share in zip(played["setting"], played["value"], strict=True):
        first, second = setting.split(" v ")
        shares.loc[first, second], shares.loc[second, first] = share, 1 - share
    numbers = sorted(set(played["n"].astype(int)))
    note = (
        f"{' to '.join(f'{n:,}' for n in dict.fromkeys((numbers[0], numbers[-1])))} matches per pairing, half of them "
        "with the other half's dice and seats exchanged"
    )
    return _draw(shares, in_all[names], note)


def _draw(matrix: pd.DataFrame, in_all: pd.Series, note: str) -> Figure:
    shares, names = 100 * matrix.to_numpy(), matrix.index.tolist()
    count = len(names)
    rows = [
        f"{name}   {100 * share:.1f} %   {k + 1}"
        for k, (name, share) in enumerate(zip(names, in_all, strict=True))
    ]
    # A cell wide enough for its number, and the names' room at the left.
    longest = max(map(len, rows))
    size = (1.9 + 0.62 * count + 0.085 * longest, 1.6 + 0.5 * count)
    with plt.rc_context(STYLE | {"axes.grid": False}):
        figure, axes = plt.subplots(figsize=(max(size[0], 7.5), max(size[1], 3.2)), layout="constrained")
        try:
            colours = sns.color_palette("vlag_r", as_cmap=True).with_extremes(bad="white")
            image = axes.imshow(np.ma.masked_invalid(shares), colours, vmin=0, vmax=100, aspect="auto")
            for (row, column), share in np.ndenumerate(shares):
                own = row == column
                dark = not own and abs(share - 50) > 35
                axes.text(
                    column,
                    row,
                    "–" if own else f"{share:.1f}",
                    ha="center",
                    va="center",
                    color="white" if dark else INK,
                    fontsize=9,
                )
            axes.set_yticks(range(count), rows)
            axes.set_xticks(range(count), [str(k + 1) for k in range(count)])
            axes.xaxis.tick_top()
            axes.xaxis.set_label_position("top")
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
            axes.set_xlabel("against the agent in this row")
            axes.set_ylabel("agent, matches won, row")
            bar = figure.colorbar(image, ax=axes, ticks=[0, 25, 50, 75, 100])
            bar.outline.set_visible(False)
            bar.set_label("matches won by the row's agent (%)")
            figure.supxlabel(note, fontsize=9, color=GREY)
            figure.canvas.draw()
        finally:
            plt.close(figure)
    return figure


def _sample(tournament: Tournament) -> str:
    """What a cell is made of, and how far it can be trusted."""
    pairings = tournament.pairings
    widest = 100 * (pairings["high"] - pairings["low"]).max() / 2
    most, least = pairings["matches"].max(), pairings["matches"].min()
    number = f"{most:,}" if most == least else f"{least:,} to {most:,}"
    return (
        f"n = {number} matches for each pairing, {tournament.rules}; 95 % intervals are within ±{widest:.1f} "
        "percentage points"
    )
