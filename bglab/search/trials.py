"""The trials of a rollout: their dice, spread evenly over the first two rolls, and how they are played."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Int32, UInt32

from bglab.errors import InputError
from bglab.rules.turns import ROLLS
from bglab.search.expectimax import CHUNK, Expectimax
from bglab.search.rows import as_bytes, filled, seen
from bglab.value.homes import WEIGHTS

FACES = 36
ROLL_OF = np.array(
    [[np.flatnonzero((sorted((a, b))[::-1] == ROLLS).all(1))[0] for b in range(1, 7)] for a in range(1, 7)]
)
"""Index in `ROLLS` of two dice."""
LONGEST = 1024
"""Plies after which a trial is valued as it stands, and counted."""


def dice_of(seed: int, first: int, last: int) -> Int[np.ndarray, "trials plies"]:
    """The rolls of trials, each 6 · (one die − 1) + (the other − 1), int8[trials, LONGEST]."""
    rolls = np.stack([_own(seed, trial) for trial in range(first, last)])
    trial = np.arange(first, last)
    rolls[:, 0] = _ways(seed, 0, trial // FACES, trial)
    # The second rolls of a block follow its first ones, one further in each block: a Latin square.
    rolls[:, 1] = _ways(seed, 1, trial // FACES**2, trial // FACES + rolls[:, 0])
    return rolls


def _ways(seed: int, ply: int, block: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The at-th roll, modulo 36, of each block's own order of the 36."""
    numbers, back = np.unique(block, return_inverse=True)
    orders = [np.random.default_rng([seed, 1 + ply, b]).permutation(FACES) for b in numbers.tolist()]
    return np.array(orders)[back, at % FACES]


def _own(seed: int, trial: int) -> np.ndarray:
    return np.random.default_rng([seed, 0, trial]).integers(0, FACES, LONGEST, np.int8)


def first_rolls(seed: int, trials: int) -> Int[np.ndarray, "trials"]:
    """Index in `ROLLS` of each trial's first roll."""
    trial = np.arange(trials)
    faces = _ways(seed, 0, trial // FACES, trial)
    return ROLL_OF[faces // 6, faces % 6]


def spread(values: np.ndarray, rolls: Int[np.ndarray, "trials"]) -> Any:
    """Standard error of the mean of trials, float64[trials, *k]; where the first roll is spread evenly, from what
    trials of the same first roll differ.
    """
    n = len(values)
    if n % FACES or n < 2 * FACES:
        return values.std(0, ddof=1) / np.sqrt(n)
    within = sum(p * values[rolls == r].var(0, ddof=1) for r, p in enumerate(WEIGHTS))
    return np.sqrt(within / n)


class _Game(NamedTuple):
    """Trials still under way, by their number; owner, of the cube, seen by the side on roll."""

    lane: np.ndarray
    positions: np.ndarray
    owner: np.ndarray
    cube: np.ndarray

    def only(self, kept: np.ndarray) -> _Game:
        return _Game(*(each[kept] for each in self))


class Settings(NamedTuple):
    """How trials are played: see `bglab.search.rollout.rollout`."""

    search: Expectimax
    truncate: int | None
    reduce: bool
    seed: int


def play_out(
    settings: Settings,
    positions: UInt32[np.ndarray, "n 8"],
    owner: Int32[np.ndarray, "n"],
    first: int,
    last: int,
) -> tuple[Float[np.ndarray, "n trials *six"], Int[np.ndarray, "n"]]:
    """Play trials first … last − 1 of positions: what each found, and how many of each position were cut short."""
    search, count, trials = settings.search, len(positions), last - first
    rolls = dice_of(settings.seed, first, last)
    valued = search.cubeful or search.static(np.zeros((1, 8), np.uint32)).ndim == 2
    if settings.truncate and not valued:
        raise InputError("This evaluator cannot value a position: roll out to the end, without truncate.")
    total = np.zeros(count * trials) if search.cubeful else np.zeros((count * trials, 6))
    lanes = np.arange(count * trials)
    game = _Game(lanes, np.repeat(positions, trials, 0), np.repeat(owner, trials), np.ones(len(lanes)))
    cut = np.zeros(count, np.int64)
    for ply in range(LONGEST):
        if ply == settings.truncate or not len(game.lane):
            break
        mine = 1 if ply % 2 == 0 else -1
        if search.cubeful and ply:
            game = _turn_cube(search, game, total, mine)
        game = _turn(settings, game, rolls[game.lane % trials, ply], total, mine, valued)
    else:
        np.add.at(cut, game.lane // trials, 1)
    if len(game.lane) and valued:
        mine = 1 if (settings.truncate or LONGEST) % 2 == 0 else -1
        # By itself, as Open Sage does: its worth of a turn can differ from that of the position it leads to.
        _add(total, game, mine, search.static(game.positions, game.owner))
    return total.reshape(count, trials, *total.shape[1:]), cut


def _add(total: np.ndarray, game: _Game, mine: int, values: np.ndarray) -> None:
    """Add what is worth `values` to the side on roll, who is the root's if `mine` is 1, to the totals of the root."""
    if values.ndim == 2:
        total[game.lane] += values if mine > 0 else np.roll(values, 3, axis=1)
    else:
        total[game.lane] += mine * game.cube * values


def _turn_cube(search: Expectimax, game: _Game, total: np.ndarray, mine: int) -> _Game:
    """Double wherever the side on roll should; games that are passed end."""
    may = np.flatnonzero(game.owner >= 0)
    if not len(may):
        return game
    hold, taken = search.static_hold_and_take(game.positions[may], game.owner[may])
    double, take = np.minimum(taken, 1) > hold, taken <= 1
    game.cube[may[double & take]] *= 2
    game.owner[may[double & take]] = -1
    passed = np.zeros(len(game.lane), bool)
    passed[may[double & ~take]] = True
    _add(total, game.only(passed), mine, np.ones(int(passed.sum())))
    return game.only(~passed)


def _turn(
    settings: Settings, game: _Game, faces: np.ndarray, total: np.ndarray, mine: int, valued: bool
) -> _Game:
    """Throw and play one turn in every game and take out the luck of the throw; the games that go on."""
    search = settings.search
    if valued and (settings.reduce or not search.plies):
        # Early on many trials stand in the same position.
        keys = as_bytes(np.column_stack([game.positions, game.owner.astype(np.uint32)]))
        _, at, back = np.unique(keys, return_index=True, return_inverse=True)
        afters, worth = search.by_roll(game.positions[at], game.owner[at])
        roll = ROLL_OF[faces // 6, faces % 6]
        if settings.reduce:
            mean = np.einsum("nr...,r->n...", worth, WEIGHTS)
            _add(total, game, mine, mean[back] - worth[back, roll])
        after = afters[back, roll]
    if search.plies or not valued:
        dice = np.stack([faces // 6 + 1, faces % 6 + 1], 1).astype(np.int32)
        # Always as many at a time, so that one size is compiled.
        n = len(game.lane)
        asked = [filled(each, -(-n // CHUNK) * CHUNK) for each in (game.positions, dice, game.owner)]
        parts = [search.best(*(each[k : k + CHUNK] for each in asked)) for k in range(0, n, CHUNK)]
        after = np.concatenate([part.after for part in parts])[:n]
    won, theirs = seen(after, search.checkers)
    over = won > 0
    ended = game.only(over)
    _add(total, ended, mine, won[over] if search.cubeful else np.eye(6)[won[over] - 1])
    return game.only(~over)._replace(positions=theirs[~over], owner=-game.owner[~over])
