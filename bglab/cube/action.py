"""Cube actions of any evaluator: its own rule where it has one, else a formula on its outcomes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Int32, UInt32

from bglab.cube.janowski import CONTACT, RACE, decide, janowski_decision, reduce
from bglab.cube.match_cube import match_decision, require_owner
from bglab.cube.match_equity import MatchEquity, MatchScore
from bglab.cube.metfile import load_met
from bglab.errors import InputError
from bglab.rules.capacity import batch_size
from bglab.rules.planes import contact
from bglab.value.evaluator import Evaluator, on_host


def cube_action(
    evaluator: Evaluator,
    positions: UInt32[Array, "n 8"] | UInt32[np.ndarray, "n 8"],
    owner: Int32[Array, "n"] | Int32[np.ndarray, "n"],
    live: Bool[Array, "n"] | Bool[np.ndarray, "n"],
    score: MatchScore | None = None,
    table: MatchEquity | None = None,
) -> tuple[Bool[Array, "n"] | Bool[np.ndarray, "n"], Bool[Array, "n"] | Bool[np.ndarray, "n"]]:
    """Whether the side on roll doubles, and whether the other side would take, bool[n] each.

    Args: positions, the possible doubler on roll and about to throw, which is also how the take is priced; owner, 0 for
    a centred cube, 1 for one the side on roll owns (−1, the other side's, is never doubled); live, whether after a take
    the taker could still redouble to some purpose; score, where the match stands (numbers, or int32[n] and bool[n]),
    None for money play; table, its match equities, `load_met()` if none is given.

    In money play an evaluator with a `cube_action` of its own decides itself, and one of cubeful equity compares its
    equities (whether `live` or not). Another, and any at a match score, must give outcomes: Janowski's general formula
    of money play with cube life 0.7 in contact, 0.6 in a race and 0 where not `live` (document 000, section 5.11); at a
    match score GNU Backgammon's interpolation of match-winning chances (`bglab.cube.match_cube`) with the same cube
    life, and the score says whether the cube is live. Raises `InputError` for an evaluator whose worth says nothing
    about the cube, or nothing about it at a match score, and for an owner that is none of the three.
    """
    require_owner(owner)
    # A search asks what it searches with, unless that has equities to search for.
    rule = getattr(
        evaluator, "cube_action", getattr(getattr(evaluator, "evaluator", None), "cube_action", None)
    )
    if rule is not None and score is None:
        return rule(jnp.asarray(positions), jnp.asarray(owner), jnp.asarray(live))
    if getattr(evaluator, "cubeful", False):
        if score is not None:
            raise InputError(
                f"{type(evaluator).__name__} gives equities of money play: at a match score ask the evaluator of "
                "outcomes inside it."
            )
        equities = evaluator.hold_and_take(positions, owner)  # type: ignore[attr-defined]
        double, take = decide(*equities)
        return double & (owner >= 0), take
    values = evaluator(jnp.asarray(positions))
    if values.ndim != 2:
        raise InputError(
            f"{type(evaluator).__name__} answers with a worth that says nothing about the cube: give it a "
            "cube_action method, or play with the cube off."
        )
    if not on_host(evaluator):
        return _by_outcomes(values, positions, owner, live, score, table)
    # As many rows as there happen to be would be compiled for every number of them.
    n = len(values)
    size = batch_size(n)
    rows = jax.tree.map(
        lambda each: np.resize(each, (size, *np.shape(each)[1:])) if np.ndim(each) else each,
        (values, positions, owner, live, score),
    )
    double, take = _compiled(*rows, table)
    return np.asarray(double)[:n], np.asarray(take)[:n]


def _by_outcomes(
    values: Any, positions: Any, owner: Any, live: Any, score: MatchScore | None, table: MatchEquity | None
) -> tuple[Array, Array]:
    """What follows from outcomes, by Janowski's formula or the match equities."""
    life = jnp.where(contact(jnp.asarray(positions)), jnp.float32(CONTACT), jnp.float32(RACE))
    if score is not None:
        double, take = match_decision(load_met() if table is None else table, score, values, life, owner)
        return jnp.asarray(double), jnp.asarray(take)
    x = jnp.where(jnp.asarray(live), life, jnp.float32(0))
    double, take = janowski_decision(*reduce(jnp.asarray(values)), x, jnp.asarray(owner) == 1)
    return double & (jnp.asarray(owner) >= 0), take


_compiled = jax.jit(_by_outcomes)
