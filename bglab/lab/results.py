"""Results as tidy tables: one row per figure, with its interval, its sample and where it came from."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import pandas as pd

from bglab.errors import InputError
from bglab.rules.parallel import cores
from bglab.statistics import Estimate
from bglab.value.netfile import write_atomically

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


def write_results(rows: Iterable[Mapping[str, Any]], path: Path, replace: bool = False) -> pd.DataFrame:
    """Write a tidy table atomically; an existing one is replaced only when asked to."""
    if path.exists() and not replace:
        raise InputError(
            f"There are results in {path} already: ask to replace them, or move them away first."
        )
    table = pd.DataFrame(list(rows)).reindex(columns=list(COLUMNS))
    write_atomically(path, table.to_csv(index=False, float_format="%.6g").encode())
    return table


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
