"""What the notebooks call, so that their cells hold no logic: boards, tables, committed results, sizes of runs.

The environment variable `BGLAB_PRESET=quick` makes every notebook a matter of seconds: runs are short, and a study's
results are those of its quick preset, made on the spot and kept in the folder `BGLAB_RUNS` (`runs` of the clone if not
set), never in place of committed ones.
"""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jax
import pandas as pd

from bglab.errors import InputError
from bglab.lab.results import read_results
from bglab.lab.study import RUNS, curve_path, find_study, results_path, run_study
from bglab.play.agent import Agent
from bglab.rules.dice import seeded
from bglab.rules.drawing import image
from bglab.rules.position import Position
from bglab.rules.reference import Turn
from bglab.statistics import Z95, Estimate
from bglab.training.loop import Run
from bglab.value.network import init
from bglab.value.outcome import OUTCOMES


def quick() -> bool:
    """Whether this run of the notebook shall only show that everything works."""
    return os.environ.get("BGLAB_PRESET") == "quick"


def size(full: int, short: int) -> int:
    """How many games a cell runs: `full`, or `short` where the notebook is run by a test."""
    return short if quick() else full


@dataclass(frozen=True)
class Shown:
    """Something to look at: HTML for a page, and the same in plain text."""

    html: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def boards(turns: Sequence[Turn], dice: Sequence[int], size: int = 310) -> Shown:
    """A row of boards, each with the arrows of one turn."""
    drawn = [
        f'<div style="margin:0 12px 12px 0">{image(turn.before, dice=dice, play=turn, size=size)}</div>'
        for turn in turns
        if turn.before
    ]
    page = f'<div style="display:flex;flex-wrap:wrap">{"".join(drawn)}</div>'
    return Shown(page, "\n".join(str(turn) for turn in turns))


def plays(agent: Agent, position: Position, dice: Sequence[int], best: int = 8) -> Shown:
    """The agent's best turns: a board with the arrows of the first, and a table of all with what each is worth."""
    ranked = agent.rank(position, dice)
    table = ranked.head(best)
    once = '<th rowspan="2" style="text-align:{}">{}</th>'
    three = "<th>single</th><th>gammon</th><th>bg</th>"
    head = (
        f"<tr>{once.format('left', 'play')}{once.format('right', 'equity')}{once.format('right', 'loss')}"
        '<th colspan="3" style="text-align:center">wins (%)</th>'
        f'<th colspan="3" style="text-align:center">loses (%)</th></tr><tr>{three}{three}</tr>'
    )
    cells = [
        f'<td style="text-align:left"><b>{row["play"]}</b></td><td>{_signed(row["equity"])}</td>'
        f"<td>{row['loss']:.3f}</td>" + "".join(f"<td>{100 * row[name]:.1f}</td>" for name in OUTCOMES)
        for _, row in table.iterrows()
    ]
    rows = "".join(f"<tr>{cell}</tr>" for cell in cells)
    count = (
        f"{len(table)} best of {len(ranked)} turns" if len(table) < len(ranked) else f"{len(ranked)} turns"
    )
    caption = (
        f"{count} with {dice[0]}-{dice[1]}, as {html.escape(agent.name)} values them (0\N{NON-BREAKING HYPHEN}ply): "
        "equity and loss in points; bg is backgammon"
    )
    page = (
        '<div style="display:flex;flex-wrap:wrap;align-items:center">'
        f'<div style="margin:0 20px 8px 0">{image(position, dice=dice, play=table["turn"].iloc[0], size=390)}</div>'
        f'<table><caption style="caption-side:bottom;text-align:left;max-width:46em">{caption}</caption>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div>"
    )
    text = table[["play", "equity", "loss", *OUTCOMES]].to_string(
        index=False, float_format=lambda value: f"{value:.3f}"
    )
    return Shown(page, f"{text}\n{caption.partition(':')[0]}")


def _signed(points: float) -> str:
    return f"{points:+.3f}".replace("-", "\N{MINUS SIGN}")


def untrained(run: Run) -> Agent:
    """The network that a run began with."""
    root = seeded(run.seed)
    return Agent("untrained", init(run.recipe.network, jax.random.fold_in(root, 0)))


def evaluations(position: Position, *agents: Agent) -> pd.DataFrame:
    """What each agent expects of a position for the side on roll: equity in points, outcomes in %."""
    table = pd.DataFrame([agent.evaluate(position) for agent in agents])
    table[list(OUTCOMES)] *= 100
    table = table.round({"equity": 3} | dict.fromkeys(OUTCOMES, 1))
    return table[["equity", *OUTCOMES]].rename(columns={name: f"{name} (%)" for name in OUTCOMES})


@dataclass(frozen=True)
class Results:
    """The results of a study.

    table : one row per figure. curve : the course of training, if the study keeps it. note : in one sentence, what
    preset this is and whether it is the largest.
    """

    study: str
    preset: str
    table: pd.DataFrame
    curve: pd.DataFrame | None
    note: str

    def __repr__(self) -> str:
        return self.note

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.note)}</p>"

    def figure(self, setting: str, metric: str) -> Estimate:
        """One measured figure, with its interval where it has one."""
        table = self.table
        found = table[(table["setting"] == setting) & (table["metric"] == metric)]
        if len(found) != 1:
            raise InputError(
                f"The results of {self.study} have {len(found)} figures {metric!r} of {setting!r}: name one."
            )
        row = found.iloc[0]
        return Estimate(
            float(row["value"]),
            float(row["high"] - row["low"]) / (2 * Z95),
            int(row["n"]),
            str(row["unit"]),
            (float(row["low"]), float(row["high"])),
        )


def results_of(name: str) -> Results:
    """The results of the largest preset of a study that the clone has, or of the quick one if `BGLAB_PRESET` says so.

    Raises `InputError` if there are none.
    """
    presets = list(find_study(name).PRESETS)
    if quick():
        runs = Path(os.environ.get("BGLAB_RUNS") or RUNS)
        path = own_results_path(name, "quick", runs)
        if not path.exists():
            run_study(name, "quick", progress=False, runs=runs, results=path)
        return _results(name, "quick", path, "run just now, only to show that everything works")
    for preset in reversed(presets):
        path = results_path(name, preset)
        if path.exists():
            rest = "" if preset == presets[-1] else f"; there are none yet of the preset {presets[-1]}"
            return _results(name, preset, path, f"as committed{rest}")
    raise InputError(f"The study {name} has no results yet: run `bglab study {name} --preset laptop` first.")


def own_results_of(name: str, preset: str) -> Results:
    """What the control of a study made of a preset on this machine; `InputError` if it has not run."""
    return _results(name, preset, own_results_path(name, preset), "run on this machine")


def own_results_path(name: str, preset: str, runs: Path | None = None) -> Path:
    """Where a run of a study from a notebook keeps its table, apart from the committed ones."""
    return (runs or RUNS) / name / preset / "results.csv"


def _results(name: str, preset: str, path: Path, origin: str) -> Results:
    table = read_results(path)
    course = curve_path(path)
    first = table.iloc[0]
    note = f"Study {name}, preset {preset}, {origin}. Commit {first['commit']}; {first['machine']}."
    return Results(name, preset, table, pd.read_csv(course) if course.exists() else None, note)
