"""Tables for the notebooks: the figures of `plots` in numbers, beside the published ones."""

from __future__ import annotations

import pandas as pd

from bglab.lab.plots import MATCHES, POINTS, SHORT_MATCHES, SPEED, WINS, of_metric

PUBLISHED_SPEED = 390
"""Training games per second on a 32-thread desktop (document 000, section 5.10)."""


def _points(row: pd.Series) -> str:
    words = f"{row['value']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
    return words.replace("-", "\N{MINUS SIGN}")


def _percent(row: pd.Series) -> str:
    return f"{100 * row['value']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})"


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its index of numbers written as "λ = 0.7"."""
    return table.set_axis([f"λ = {lam:g}" for lam in table.index])


def against_reference(table: pd.DataFrame) -> pd.DataFrame:
    """The λ study's duels in numbers: figures with 95 % intervals and sample size, the published share beside them."""
    points, wins, matches, short = (
        of_metric(table, name).set_index("lam") for name in (POINTS, WINS, MATCHES, SHORT_MATCHES)
    )
    published = matches["published"].map(lambda share: "" if pd.isna(share) else f"{100 * share:.1f} %")
    columns = {
        "points per game": points.apply(_points, axis=1),
        "games won": wins.apply(_percent, axis=1),
        "matches to 5, cubeless": short.apply(_percent, axis=1),
        "matches to 11, cubeless": matches.apply(_percent, axis=1),
        "published, to 11 with a cube": published,
        "deals": points["n"].map("{:,.0f}".format),
    }
    return _named(pd.DataFrame(columns))


def training(table: pd.DataFrame) -> pd.DataFrame:
    """What training took for each λ, beside the published speed."""
    speed, length, left_out, loss = (
        of_metric(table, name).set_index("lam")
        for name in (
            SPEED,
            "positions per training game",
            "games left out as too long",
            "loss over the last hundredth",
        )
    )
    measured = pd.DataFrame(
        {
            "training games": speed["n"].map("{:,.0f}".format),
            "games per second": speed["value"].map("{:,.0f}".format),
            "minutes": (speed["seconds"] / 60).map("{:,.1f}".format),
            "positions per game": length["value"].map("{:.1f}".format),
            "too long, left out": left_out["value"].map("{:,.0f}".format),
            "final loss (nats)": loss["value"].map("{:.3f}".format),
        }
    )
    measured = _named(measured)
    measured.loc["document 000, 32 threads"] = ["", f"about {PUBLISHED_SPEED}", "", "", "", ""]
    return measured
