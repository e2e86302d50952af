"""Seconds of repeated calls, and figures made of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np


def runs(call: Callable[[int], Any], repeats: int) -> list[float]:
    """Seconds of `call(k)` for k = 1 … repeats, after a call that compiles."""
    jax.block_until_ready(call(0))
    seconds = []
    for k in range(1, repeats + 1):
        began = time.perf_counter()
        jax.block_until_ready(call(k))
        seconds.append(time.perf_counter() - began)
    return seconds


def figure(name: str, values: Iterable[float], unit: str, n: int) -> dict[str, Any]:
    """Median of several runs, with the least and the most."""
    values = list(values)
    return {
        "name": name,
        "value": float(np.median(values)),
        "low": min(values),
        "high": max(values),
        "unit": unit,
        "n": n,
    }
