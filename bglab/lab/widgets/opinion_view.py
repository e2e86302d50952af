"""An opinion on the page: a table of turns, bars of outcomes and a heat map of rolls; it tells what is pointed at."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import jax.numpy as jnp
import numpy as np
import pandas as pd
import traitlets

from bglab.lab.widgets.opinion import CubeOpinion, Opinion
from bglab.value.outcome import OUTCOMES, to_cumulative

HERE = Path(__file__).parent / "explorer"
UNITS = {"equity": ("equity", 3), "score": ("score", 0)}
"""Currencies, their heading and their decimals."""
CUMULATIVE = ["wins", "gammons", "backgammons", "lost gammons", "lost backgammons"]
"""As engines show them: all wins, those of them that are gammons or more, and so on."""


class OpinionView(anywidget.AnyWidget):
    """What one brain thinks, drawn; Python sets `shown` through `put` and `fail`.

    on_show(row or None), on_choose(row), on_roll(high, low): what the person points at, clicks, and asks for.
    """

    _esm = HERE / "opinion.js"
    _css = HERE / "opinion.css"
    shown: Any = traitlets.Dict({"ready": False}).tag(sync=True)
    stale: Any = traitlets.Bool(False).tag(sync=True)
    """Whether what is shown is about something else than what was asked last; `put` and `clear` end that."""

    def __init__(
        self,
        on_show: Callable[[int | None], object] = lambda row: None,
        on_choose: Callable[[int], object] = lambda row: None,
        on_roll: Callable[[int, int], object] = lambda high, low: None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._heard: dict[str, Callable[..., object]] = {
            "show": on_show,
            "choose": on_choose,
            "roll": on_roll,
        }
        self.on_msg(self._receive)

    def put(
        self,
        opinion: Opinion,
        dice: tuple[int, int] | None,
        ply: Mapping[str, str],
        marks: Mapping[str, Sequence[str]] = {},
    ) -> None:
        """Show an opinion. ply: how far the agents of that name look, in words; marks: who else likes a play best."""
        with self.hold_sync():
            self.shown, self.stale = as_shown(opinion, dice, ply, marks), False

    def clear(self) -> None:
        """Show nothing."""
        with self.hold_sync():
            self.shown, self.stale = {"ready": False}, False

    def fail(self, error: str) -> None:
        """Say what went wrong, beside what is shown."""
        self.shown = dict(self.shown) | {"error": error}

    def _receive(self, _: Any, message: Any, __: Any) -> None:
        if not isinstance(message, dict):
            return
        rows = len(self.shown.get("turns") or ())
        for kind in ("show", "choose"):
            row = message.get(kind)
            if type(row) is int and 0 <= row < rows:
                self._heard[kind](row)
        if "show" in message and message["show"] is None:
            self._heard["show"](None)
        roll = message.get("roll")
        if isinstance(roll, list) and len(roll) == 2 and all(type(d) is int and 1 <= d <= 6 for d in roll):
            self._heard["roll"](*roll)


def as_shown(
    opinion: Opinion,
    dice: tuple[int, int] | None,
    ply: Mapping[str, str],
    marks: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Everything the page needs to draw an opinion."""
    unit, digits = UNITS.get(opinion.currency, (opinion.currency, 3))
    outcomes = opinion.outcomes
    known = None if outcomes is None or len(outcomes) == 1 else [float(outcomes[name]) for name in OUTCOMES]
    turns = opinion.turns
    deepest = None if turns is None or turns.empty else turns["by"].iloc[0]
    return {
        "ready": True,
        "error": "",
        "unit": unit,
        "at": _at(opinion),
        "digits": digits,
        "dice": None if dice is None else list(dice),
        "worth": None if outcomes is None else float(outcomes.iloc[-1]),
        "outcomes": known,
        "cube": None if opinion.cube is None else cube_words(opinion.cube),
        "noCube": opinion.no_double,
        "hasOutcomes": turns is not None and "win" in turns,
        "turns": None
        if turns is None
        else [
            {
                "play": row["play"],
                "worth": float(row[opinion.currency]),
                "loss": None if math.isnan(row["loss"]) else float(row["loss"]),
                "by": row["by"],
                "ply": ply.get(row["by"], ""),
                "deep": row["by"] == deepest,
                "outcomes": [float(row[name]) for name in OUTCOMES] if "win" in turns else None,
                "marks": list(marks.get(row["play"], ())),
            }
            for row in turns.to_dict("records")
        ],
        "rolls": None if opinion.rolls is None else opinion.rolls.to_dict("records"),
    }


def cube_words(cube: CubeOpinion) -> list[str]:
    """The decision, and what it rests on."""
    if math.isnan(cube.hold):
        return [str(cube), ""]
    scale, unit = (100, " % MWC") if cube.unit == "MWC" else (1, "")
    sign = "" if cube.unit == "MWC" else "+"
    digits = 2 if cube.unit == "MWC" else 3
    figures = (
        f"{scale * each:{sign}z.{digits}f}".replace("-", "−") for each in (cube.hold, cube.taken, cube.passed)
    )
    no, take, passed = figures
    return [str(cube), f" (no double {no}{unit}, double/take {take}{unit}, double/pass {passed}{unit})"]


def _at(opinion: Opinion) -> str:
    return f" {opinion.at}" if opinion.at else ""


def as_html(opinion: Opinion, most: int = 8) -> str:
    """An opinion as a table for a page without scripts."""
    lines = [f"<b>{html.escape(opinion.agent)}</b>"]
    if opinion.outcomes is not None:
        lines.append(f"{opinion.currency} {opinion.outcomes.iloc[-1]:+z.3f}{_at(opinion)} before the roll")
    if opinion.cube is not None:
        lines.append("cube: " + "".join(cube_words(opinion.cube)))
    elif opinion.no_double:
        lines.append(f"cube: none ({html.escape(opinion.no_double)})")
    return "<br>".join(lines) + _table(opinion, most).to_html(index=False, border=0)


def as_text(opinion: Opinion, most: int = 8) -> str:
    """The same in plain characters."""
    table = _table(opinion, most)
    worth = (
        ""
        if opinion.outcomes is None
        else f", {opinion.currency} {opinion.outcomes.iloc[-1]:+z.3f}{_at(opinion)} before the roll"
    )
    return f"{opinion.agent}{worth}\n" + ("" if table.empty else table.to_string(index=False) + "\n")


def _table(opinion: Opinion, most: int) -> pd.DataFrame:
    if opinion.turns is None:
        return pd.DataFrame()
    best = opinion.turns.head(most)
    table = best[["play", opinion.currency, "loss"]]
    if OUTCOMES[0] in best:
        chances = np.asarray(to_cumulative(jnp.asarray(best[list(OUTCOMES)].to_numpy(np.float32))), float)
        table = pd.concat([table, pd.DataFrame(chances, best.index, CUMULATIVE)], axis=1)
    rounded = table.round(3)
    return rounded.where(rounded != 0, 0.0)  # no minus sign before a zero
