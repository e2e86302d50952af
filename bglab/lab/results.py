"""Results as tidy tables: one row per figure, with its interval, its sample and where it came from."""

from __future__ import annotations

import dataclasses
import math
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import pandas as pd

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.measure.standings import Tournament
from bglab.rules.parallel import cores
from bglab.statistics import Z95, Estimate

if TYPE_CHECKING:
    from bglab.lab.trained import Trained

ROOT = Path(__file__).parents[2]
"""The clone that holds `experiments` and `notebooks`."""
COLUMNS = (
    "setting", "metric", "value", "low", "high", "n", "unit", "published", "seed", "commit", "machine", "seconds",
)  # fmt: skip
SHOWN = ["setting", "metric", "value", "low", "high", "n", "unit", "published"]
"""The columns that a reader is shown."""


def machine() -> str:
    """Processor, cores, operating system, Python and JAX, and the accelerator if there is one."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        fields = dict(line.split(":", 1) for line in cpuinfo.read_text().splitlines() if ":" in line)
        fields = {name.strip(): value.strip() for name, value in fields.items()}
        family = "/".join(fields[name] for name in ("cpu family", "model") if name in fields)
        processor = fields.get("model name", processor) + (f" (family/model {family})" if family else "")
    devices = {device.device_kind for device in jax.devices() if device.platform != "cpu"}
    accelerator = f"; {', '.join(sorted(devices))}" if devices else ""
    python = f"Python {platform.python_version()}, JAX {version('jax')}"
    return f"{processor}, {cores()} cores; {platform.system()}, {python}{accelerator}"


def commit() -> str:
    """The commit of the clone, with "+" if the package or the experiments differ from it; "unknown" outside one."""
    try:
        git = ["git", "-C", str(ROOT)]
        name = subprocess.run(
            [*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=True
        )
        changed = subprocess.run(
            [*git, "status", "--porcelain", "-uno", "bglab", "experiments"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name.stdout.strip() + ("+" if changed.stdout.strip() else "")


def row(
    setting: str,
    metric: str,
    value: float | Estimate,
    *,
    unit: str,
    n: int | None = None,
    published: float | None = None,
    **origin: Any,
) -> dict[str, Any]:
    """One figure. An `Estimate` brings its own interval and sample size; a plain value needs `n`."""
    figures: dict[str, float | None]
    if isinstance(value, Estimate):
        figures = {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
    else:
        figures = {"value": value, "low": None, "high": None, "n": n}
    return {"setting": setting, "metric": metric, **figures, "unit": unit, "published": published, **origin}


def pairing_rows(
    result: Tournament, reference: str, published: Mapping[str, float], origin: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """A tournament as figures: against the reference first, each agent's share of all its matches, then every pairing.

    published: shares against the reference by agent. Metrics: "matches won v REFERENCE", "z v REFERENCE" (d/√n),
    "points per game v REFERENCE", "matches won in all", and for a setting "A v B" "matches won" and "games per match".
    """
    rows = []
    for agent in result.agents:
        if agent == reference:
            continue
        share, pairing = result.between(agent, reference), result.pairing(agent, reference)
        sign = 1 if pairing.first == agent else -1
        metric = f"matches won v {reference}"
        rows.append(row(agent, metric, share, unit="share", published=published.get(agent), **origin))
        rows.append(
            row(agent, f"z v {reference}", sign * pairing.z, unit="standard errors", n=share.n, **origin)
        )
        points = pairing.points_per_game
        signed = dataclasses.replace(points, value=sign * points.value)
        rows.append(row(agent, f"points per game v {reference}", signed, unit="points", **origin))
    for standing in result.standings.itertuples():
        figures = {"value": standing.share, "low": standing.low, "high": standing.high, "n": standing.matches}
        rows.append(
            {"setting": standing.agent, "metric": "matches won in all", **figures, "unit": "share", **origin}
        )
    for pairing, seconds in zip(result.results, result.seconds, strict=True):
        setting, timed = f"{pairing.first} v {pairing.second}", {**origin, "seconds": seconds}
        rows.append(row(setting, "matches won", pairing.share, unit="share", **timed))
        games = pairing.games_per_match
        rows.append(row(setting, "games per match", games, unit="games", n=pairing.matches, **timed))
    return rows


def training_rows(network: Trained) -> list[dict[str, Any]]:
    """What training took, where that was kept: games per second, positions per game and the last loss."""
    if network.curve is None:
        return []
    curve, origin = network.curve, network.origin
    games, positions = int(curve["games"].max()), int(curve["positions"].sum())
    figures = {
        "training speed": (games / origin["seconds"], "games/s"),
        "positions per training game": (positions / games, "positions"),
        "games left out as too long": (float(curve["too_long"].max()), "games"),
        "loss over the last hundredth": (float(curve["loss"].iloc[-1]), "nats"),
    }
    return [
        row(network.name, metric, value, unit=unit, n=games, **origin)
        for metric, (value, unit) in figures.items()
    ]


def write_results(rows: Iterable[Mapping[str, Any]], path: Path, replace: bool = False) -> pd.DataFrame:
    """Write a tidy table atomically; an existing one is replaced only when asked to."""
    if path.exists() and not replace:
        raise InputError(
            f"There are results in {path} already: ask to replace them, or move them away first."
        )
    table = pd.DataFrame(list(rows)).reindex(columns=list(COLUMNS))
    write_atomically(path, table.to_csv(index=False, float_format="%.6g").encode())
    return table


def apart(row: Any, trials: int = 0) -> float:
    """Standard errors from the published figure of a row (`value`, `low`, `high`, `published`) to ours.

    trials: those behind a published share, for its own error; 0 counts the published figure as exact. Not a number
    where ours has no interval.
    """
    error = (row.high - row.low) / (2 * Z95)
    if trials:
        error = math.hypot(error, math.sqrt(row.published * (1 - row.published) / trials))
    return (row.value - row.published) / error if error > 0 else math.nan


def as_text(table: pd.DataFrame) -> str:
    """A table in plain text, figures to four digits."""
    return table.to_string(index=False, na_rep="", float_format="{:.4g}".format)


def read_results(path: Path) -> pd.DataFrame:
    """A table of `write_results`."""
    if not path.is_file():
        raise InputError(f"There are no results in {path}: run the study with this preset first.")
    table = pd.read_csv(path, dtype={"setting": str, "commit": str})
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise InputError(f"The results in {path} lack the column {missing[0]}: run the study again.")
    return table
