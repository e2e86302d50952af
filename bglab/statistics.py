"""Estimates that carry their sample size and interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Num

from bglab.errors import InputError

Z95 = 1.959963984540054
"""Half-width of a 95 % interval in standard errors, normal approximation."""


@dataclass(frozen=True)
class Estimate:
    """A measured mean: value, standard error, and the number of independent observations behind them."""

    value: float
    error: float
    n: int
    unit: str = ""
    interval: tuple[float, float] | None = None

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.interval[0] if self.interval else self.value - Z95 * self.error

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.interval[1] if self.interval else self.value + Z95 * self.error

    @property
    def z(self) -> float:
        """Standard errors between the value and 0; 0 for an exact 0, infinite for any other exact value."""
        if self.error == 0:
            return 0.0 if self.value == 0 else math.copysign(math.inf, self.value)
        return self.value / self.error

    def scaled(self, factor: float, unit: str) -> Estimate:
        """The same in another unit, `factor` above 0."""
        interval = None if self.interval is None else (factor * self.interval[0], factor * self.interval[1])
        return Estimate(factor * self.value, factor * self.error, self.n, unit, interval)

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.value:+.4f}{unit} (95 % {self.low:+.4f} to {self.high:+.4f}, n = {self.n:,})"


def mean(values: Num[np.ndarray, "n"], unit: str = "") -> Estimate:
    """Mean of independent observations, its standard error from the sample, and the normal 95 % interval."""
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(f"A standard error needs at least 2 observations, not {values.size}: play more.")
    return Estimate(
        float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))), len(values), unit
    )


def share(counts: Num[np.ndarray, "n"], per: int, unit: str = "") -> Estimate:
    """A proportion from clusters of `per` trials each: counts[i] of the i-th cluster's trials succeeded.

    The standard error comes from the spread between clusters, so trials of one cluster may depend on one another. The
    interval is Wilson's with the number of independent trials that would give this error, so it stays within 0 and 1
    and is not empty where nothing (or everything) was observed.
    """
    spread = mean(np.asarray(counts, np.float64) / per)
    p, trials = spread.value, float(len(counts) * per)
    effective = p * (1 - p) / spread.error**2 if spread.error > 0 else trials
    centre = (p + Z95**2 / (2 * effective)) / (1 + Z95**2 / effective)
    half = Z95 / (1 + Z95**2 / effective) * math.sqrt(p * (1 - p) / effective + Z95**2 / (4 * effective**2))
    interval = (max(centre - half, 0.0), min(centre + half, 1.0))
    return Estimate(p, spread.error, len(counts) * per, unit, interval)


def complement(share: Estimate) -> Estimate:
    """The other side's share: one less a proportion."""
    return Estimate(1 - share.value, share.error, share.n, share.unit, (1 - share.high, 1 - share.low))


def pooled_share(shares: Sequence[Estimate]) -> Estimate:
    """The proportion over several samples that are independent of one another, each with a chance of its own.

    The samples weigh as many trials as they have. How far they lie apart is no error; the interval comes from theirs by
    recovering variances (Zou and Donner, Statistics in Medicine 27, 2008), so it stays within 0 and 1.
    """
    if not shares:
        raise InputError("There is no share to pool: give at least one.")
    n = sum(share.n for share in shares)
    weights = [share.n / n for share in shares]

    def weighted(parts: Sequence[float]) -> float:
        return math.hypot(*(weight * part for weight, part in zip(weights, parts, strict=True)))

    value = math.fsum(weight * share.value for weight, share in zip(weights, shares, strict=True))
    low = value - weighted([share.value - share.low for share in shares])
    high = value + weighted([share.high - share.value for share in shares])
    error = weighted([share.error for share in shares])
    return Estimate(value, error, n, shares[0].unit, (max(low, 0.0), min(high, 1.0)))
