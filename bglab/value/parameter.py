"""The parameter AI: a position judged by a weighted sum of 22 hand-chosen features (document 000, sections 2 and 3).

A brain is 24 whole numbers: 22 evaluation weights in `WEIGHTS` and the two thresholds of the cube in `CUBE`. What each
feature is, and the sign in which it counts, is in docs/parameter-ai.md. Its currency is the score, which says how
much better the side on roll stands and not how likely it wins; who is on roll does not matter to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float32, Int, Int32, UInt32

from bglab.atomic import write_or_refuse
from bglab.errors import InputError
from bglab.rules.planes import columns, contact
from bglab.value.features import (
    DIVISORS,
    EVALUATION,
    FROZEN,
    PIPS,
    STRAYS,
    THEIR_PIPS,
    differences,
    total,
)
from bglab.value.pytree import pytree

WEIGHTS: tuple[str, ...] = EVALUATION
CUBE = ("DT", "AT")
NAMES = (*WEIGHTS, *CUBE)
"""All 24, in the order of the document and of every array of weights."""

LARGEST = 1000
"""The largest evaluation weight of a normalised brain in absolute value, and the most that is allowed."""
LARGEST_THRESHOLD = 1_000_000
WON = np.float32(1e9)
"""Worth of a won game, above every score (section 2.5)."""
TIE_BREAK = np.float32(0.001)

SHIPPED = Path(__file__).parents[1] / "data" / "brains"
KIND, FORMAT = "bglab parameter brain", 1


@pytree()
@dataclass(frozen=True)
class ParameterAI:
    """An evaluator whose worth is the score. `weights`: float32[24], whole numbers in the order of `NAMES`.

    The weights are data: brains share one compiled program. `Brain` makes one from checked weights; whoever fills in an
    array keeps to whole numbers with the 22 evaluation weights from −1000 to 1000, for which the score is exact.
    """

    weights: Float32[Array, "24"]
    currency = "score"

    @jax.jit  # traced once for all the places of a program that call it
    def __call__(self, positions: UInt32[Array, "n 8"], cube: Any = None) -> Float32[Array, "n"]:
        """The score of the side on roll, a whole number; halves are rounded away from zero (section 3.1).

        The sum is made of whole numbers over the common denominator 27720, so that rounding is exact, and the score
        of the flipped position is the negative of this one to the last bit.
        """
        weights = jnp.round(self.weights).astype(jnp.int32)
        found = differences(positions)
        whole, rest = jnp.zeros((2, positions.shape[0]), jnp.int32)
        for unit in (1, 180, FROZEN):
            names = [k for k, name in enumerate(WEIGHTS) if _unit(name) == unit]
            part = sum(weights[k] * found[:, k] * (unit // int(DIVISORS[k])) for k in names)
            whole = whole + part // unit
            rest = rest + part % unit * (COMMON // unit)
        whole, rest = whole + rest // COMMON, rest % COMMON
        up = jnp.where(whole >= 0, 2 * rest >= COMMON, 2 * rest > COMMON)
        return (whole + up.astype(jnp.int32)).astype(jnp.float32)

    def final(self, won: Int32[Array, "n"]) -> Float32[Array, "n"]:
        """A won game is worth 10⁹, however it was won, and a lost one −10⁹ (section 2.5)."""
        return WON * jnp.sign(won).astype(jnp.float32)

    def nudge(self, before: UInt32[Array, "n 8"], after: UInt32[Array, "n 8"]) -> Float32[Array, "n"]:
        """What counts at the root of a search only (section 2.6); both positions seen by the player who moves.

        DE for a turn after which there is no contact any more and the mover is ahead in pips; and, without contact,
        −0.001 for each pip that a checker has still to go to the home board (a difference of one such pip is kept up to
        scores of 8192).
        """
        own, opp = columns(after)
        apart = ~contact(after)
        breaks = contact(before) & apart & (total(own, PIPS) < total(opp, THEIR_PIPS))
        strays = total(own, STRAYS).astype(jnp.float32)
        bonus = jnp.where(breaks, self.weights[WEIGHTS.index("DE")], 0)
        return bonus - jnp.where(apart, TIE_BREAK * strays, 0)

    def cube_action(
        self, positions: UInt32[Array, "n 8"], owner: Int32[Array, "n"], live: Bool[Array, "n"]
    ) -> tuple[Bool[Array, "n"], Bool[Array, "n"]]:
        """Whether the side on roll doubles, and whether the other side takes (section 3.10).

        It doubles where its score is at least DT, wherever the cube is; the other side takes where its own score, the
        negative, is at least −AT. Whether doubling is allowed is for the caller to know.
        """
        score = self(positions)
        return score >= self.weights[NAMES.index("DT")], -score >= -self.weights[NAMES.index("AT")]


def _unit(name: str) -> int:
    """Denominator over which a feature is summed: 180 for twentieths, fifteenths and thirty-sixths together."""
    divisor = int(DIVISORS[WEIGHTS.index(name)])
    return divisor if divisor in (1, FROZEN) else 180


COMMON = 27720
"""Least common multiple of 180 and 9240."""


def normalised(weights: Int[np.ndarray, "*n 24"]) -> Int[np.ndarray, "*n 24"]:
    """Weights scaled so that the largest evaluation weight is exactly ±1000, thresholds along with them (section 3.9).

    Rounded, halves away from zero; what comes out as zero becomes ±1 with the sign it had, +1 for a zero. int[..., 24];
    `InputError` where all 22 evaluation weights are zero.
    """
    weights = np.asarray(weights, np.int64)
    size = np.abs(weights)
    largest = size[..., : len(WEIGHTS)].max(-1, keepdims=True)
    if not largest.all():
        raise InputError("All evaluation weights of a brain are zero: give one of them a value.")
    scaled = (2 * LARGEST * size + largest) // (2 * largest)
    return np.where(weights < 0, -1, 1) * np.maximum(scaled, 1)


def checked(weights: Mapping[str, Any] | Sequence[Any] | np.ndarray | Array, where: str) -> dict[str, int]:
    """The 24 weights by name, in order; `InputError` names the first that is missing, unknown, no whole number or too
    large. `where` begins the sentence, for example "The brain 'mine'".
    """
    if not isinstance(weights, Mapping):
        values = list(np.asarray(weights).reshape(-1).tolist())
        if len(values) != len(NAMES):
            raise InputError(f"{where} has {len(values)} weights: give {len(NAMES)}, {' '.join(NAMES)}.")
        weights = dict(zip(NAMES, values, strict=True))
    for name in weights:
        if name not in NAMES:
            raise InputError(f"{where} has an unknown weight {name!r}: the weights are {' '.join(NAMES)}.")
    found = {}
    for name in NAMES:
        if name not in weights:
            raise InputError(f"{where} lacks the weight {name}: give all {len(NAMES)}.")
        value, most = weights[name], LARGEST if name in WEIGHTS else LARGEST_THRESHOLD
        number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not number or not np.isfinite(value) or value != int(value):
            raise InputError(f"{where} has the weight {name} = {value!r}: give a whole number.")
        if abs(value) > most:
            raise InputError(
                f"{where} has the weight {name} = {value!r}, beyond ±{most}: scale it with `normalised`."
            )
        found[name] = int(value)
    return found


def Brain(  # noqa: N802 - it makes an object, as a class would
    weights: Mapping[str, Any] | Sequence[Any] | np.ndarray | Array, name: str = "brain"
) -> ParameterAI:
    """The parameter AI with these 24 whole numbers, by name or in the order of `NAMES`; else `InputError`."""
    found = checked(weights, f"The brain {name!r}")
    return ParameterAI(jnp.asarray(np.array(list(found.values()), np.float32)))


def weights_of(brain: ParameterAI) -> dict[str, int]:
    """The 24 whole numbers of a parameter AI by name."""
    return checked(np.asarray(brain.weights), "The brain")


def shipped_brains() -> list[str]:
    """Names of the brains that come with bglab."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


def save_brain(
    brain: ParameterAI, path: str | Path, name: str | None = None, made_by: Mapping[str, Any] | None = None
) -> None:
    """Save a brain as JSON, atomically, with a JSON-able description of what made it."""
    path = Path(path)
    content = {
        "kind": KIND,
        "format": FORMAT,
        "name": name or path.stem,
        "weights": weights_of(brain),
        "made_by": dict(made_by or {}),
    }
    write_or_refuse(path, (json.dumps(content, indent=2) + "\n").encode(), "brain")


def read_brain(path: str | Path) -> tuple[ParameterAI, str, dict[str, Any]]:
    """The brain of a file, its name and what made it; `InputError` says why a file is refused."""
    path = Path(path)
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"The brain file {path} cannot be read ({error}): give a file of save_brain."
        ) from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise InputError(f"The file {path} holds no bglab parameter brain: give a file of save_brain.")
    if content.get("format") != FORMAT:
        raise InputError(
            f"The brain file {path} has format {content.get('format')!r}, not {FORMAT}: make it anew."
        )
    name, weights, made_by = (content.get(key) for key in ("name", "weights", "made_by"))
    if not isinstance(name, str) or not isinstance(weights, dict) or not isinstance(made_by, dict):
        raise InputError(
            f"The brain file {path} lacks its name, weights or made_by: write it with save_brain."
        )
    return Brain(checked(weights, f"The brain file {path}"), name), name, made_by


def load_brain(name: str | Path) -> ParameterAI:
    """The brain of a path, or a shipped one by name; `InputError` names those there are."""
    path = Path(name)
    if not path.is_file():
        path = SHIPPED / f"{name}.json"
    if not path.is_file():
        known = ", ".join(shipped_brains())
        raise InputError(
            f"There is no brain {str(name)!r}: give the path of a saved brain or one of {known}."
        )
    return read_brain(path)[0]
