"""Making corpora: a player's games against itself, decisions drawn from them, and a reference that judges every choice.

Everything is a function of the player, the reference and a seed. Judging is kept in parts, so that a run that is
interrupted goes on, and can be done on any executor.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int, UInt32
from tqdm.auto import tqdm

from bglab.errors import InputError
from bglab.measure.corpus import UNIT, CheckerCorpus, CubeCorpus, Row, checker_corpus, close
from bglab.measure.kept import kept_results
from bglab.measure.parts import digest
from bglab.play.agent import Agent
from bglab.rules.dice import dealt, seeded
from bglab.rules.planes import flip, pack, unpack
from bglab.rules.position import Position
from bglab.rules.reference import legal_turns
from bglab.search.expectimax import Expectimax
from bglab.value.outcome import POINTS

LONGEST = 1024
PART = 20
"""Decisions judged and kept at a time."""


class Met(NamedTuple):
    """What came up in games: game, ply, positions uint32[n, 8], dice int32[n, 2], and the cube's owner int32[n]: 1 the
    side on roll, 0 nobody, −1 the other side.
    """

    game: Int[np.ndarray, "n"]
    ply: Int[np.ndarray, "n"]
    positions: UInt32[np.ndarray, "n 8"]
    dice: Int[np.ndarray, "n 2"]
    owner: Int[np.ndarray, "n"]


_flip = jax.jit(flip)


def play_games(player: Agent, games: int, seed: int, cube: bool = False) -> Met:
    """Every turn of a player's money games against itself, with or without the cube, in order of game and ply."""
    key = seeded(seed)
    positions = np.repeat(pack([Position.start()]), games, 0)
    owner, going = np.zeros(games, np.int32), np.ones(games, bool)
    found: list[Met] = []
    numbers = np.arange(games, dtype=np.int32)
    for ply in range(LONGEST):
        if not going.any():
            break
        dice = np.asarray(dealt(key, numbers, np.full(games, ply, np.int32)))
        found.append(Met(*(each[going] for each in (numbers, np.full(games, ply), positions, dice, owner))))
        if cube and ply:
            asked = np.flatnonzero(going & (owner >= 0))
            double, take = player.cube_many(positions[asked], owner[asked], np.ones(len(asked), bool))
            owner[asked[double & take]] = -1
            going[asked[double & ~take]] = False
        after, won = player.choose_many(positions, dice)
        positions = np.array(_flip(jnp.asarray(after)))
        going &= np.asarray(won) == 0
        positions[~going] = pack([Position.start()])
        owner = -owner
    met = Met(*(np.concatenate(each) for each in zip(*found, strict=True)))
    order = np.lexsort((met.ply, met.game))
    return Met(*(each[order] for each in met))


def make_checker_corpus(
    player: Agent,
    reference: Agent,
    games: int = 160,
    decisions: int = 2400,
    seed: int = 1,
    *,
    name: str = "",
    about: dict[str, Any] | None = None,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> CheckerCorpus:
    """Decisions drawn from a player's cubeless games against itself, every turn priced by the reference.

    Only decisions with at least two different turns are drawn, all with the same chance. Args: about, further facts for
    the corpus to say of itself; folder, where judged parts are kept, so that the same call goes on there.
    """
    _check(player, reference, games, decisions)
    met = play_games(player, games, seed)
    order = np.random.default_rng([seed, 1]).permutation(len(met.game))
    chosen: list[int] = []
    turns: dict[int, int] = {}
    everything = unpack(met.positions)
    for k in order.tolist():
        turns[k] = len(legal_turns(everything[k], tuple(met.dice[k].tolist())))
        if turns[k] > 1:
            chosen.append(k)
        if len(chosen) == decisions:
            break
    else:
        raise InputError(
            f"{games} games have {len(chosen)} decisions with a choice, not {decisions}: play more games."
        )
    chosen.sort()
    items = [(met.positions[k], met.dice[k]) for k in chosen]
    what = _what("checker", player, reference, seed, games)
    judged = _judged(_priced, reference, items, what, folder, executor, progress)
    rows: Iterator[Row] = (
        (
            int(met.game[k]),
            int(met.ply[k]),
            everything[k],
            (int(met.dice[k][0]), int(met.dice[k][1])),
            choices,
        )
        for k, choices in zip(chosen, judged, strict=True)
    )
    seen = f"{len(chosen)} of {sum(n > 1 for n in turns.values())} unforced decisions looked at, in {len(turns)} turns"
    facts = {"name": name, **what, "drawn": seen, "equity": "cubeless, points"} | (about or {})
    return checker_corpus(facts, rows)


def make_cube_corpus(
    player: Agent,
    reference: Agent,
    games: int = 400,
    decisions: int = 1000,
    seed: int = 1,
    *,
    name: str = "",
    about: dict[str, Any] | None = None,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> CubeCorpus:
    """Cube decisions drawn from a player's money games against itself, judged by the reference.

    Drawn with the same chance from all in which the side on roll may double and which are close (`corpus.close`).
    """
    _check(player, reference, games, decisions)
    _cubeful(reference)
    met = play_games(player, games, seed, cube=True)
    order = np.random.default_rng([seed, 2]).permutation(np.flatnonzero((met.owner >= 0) & (met.ply > 0)))
    what = _what("cube", player, reference, seed, games)
    chosen: list[int] = []
    equities: list[tuple[float, float]] = []
    looked = 0
    # Judged in the order drawn, until there are enough close ones.
    for begin in range(0, len(order), decisions):
        some = order[begin : begin + decisions]
        items = [(met.positions[k], met.owner[k]) for k in some]
        found = _judged(_weighed, reference, items, what | {"from": begin}, folder, executor, progress)
        for k, (hold, taken) in zip(some.tolist(), found, strict=True):
            if len(chosen) < decisions:
                looked += 1
                if close(np.array([hold]), np.array([taken]))[0]:
                    chosen.append(k)
                    equities.append((hold, taken))
        if len(chosen) == decisions:
            break
    else:
        raise InputError(
            f"{games} games have {len(chosen)} close cube decisions, not {decisions}: play more games."
        )
    at = np.argsort(chosen)
    rows, values = np.array(chosen)[at], np.rint(np.array(equities)[at] / UNIT) * UNIT
    facts = {
        "name": name,
        **what,
        "drawn": f"{decisions} close decisions of {looked} looked at",
        "equity": "cubeful, points per unit of the cube, money, no Jacoby rule",
    }
    return CubeCorpus(
        facts | (about or {}),
        met.game[rows],
        met.ply[rows],
        met.positions[rows],
        met.owner[rows],
        values[:, 0],
        values[:, 1],
    )


def _what(kind: str, player: Agent, reference: Agent, seed: int, games: int) -> dict[str, Any]:
    """What a corpus is made of: facts that it says of itself, and that its judged parts are kept under."""
    return {
        "decisions": kind,
        "player": player.name,
        "reference": reference.name,
        "seed": seed,
        "games": games,
    }


def _check(player: Agent, reference: Agent, games: int, decisions: int) -> None:
    for role, agent in (("player", player), ("reference", reference)):
        if not isinstance(agent, Agent):
            raise InputError(f"The {role} is an agent, not {agent!r}: use bglab.load.")
    if reference.currency != "equity":
        raise InputError(
            f"{reference.name} gives no equities but a {reference.currency}: judge with another agent."
        )
    for what, number in (("games", games), ("decisions", decisions)):
        if type(number) is not int or number < 2:
            raise InputError(f"A corpus is of 2 or more {what}, not {number!r}.")


def _cubeful(reference: Agent) -> Any:
    """What gives the agent's cubeful equities; an engine's plies are its own affair, not our search's."""
    for judge in (reference.evaluator, reference.static):
        searched = isinstance(judge, Expectimax) and not judge.cubeful
        if hasattr(judge, "hold_and_take") and not searched:
            return judge
    raise InputError(
        f"{reference.name} gives no cubeful equities: judge with gnubg or sage, or a cubeful evaluator."
    )


def _judged(
    judge: Callable[[Agent, list[Any]], list[Any]],
    reference: Agent,
    items: list[tuple[np.ndarray, Any]],
    what: dict[str, Any],
    folder: Path | None,
    executor: Executor | None,
    progress: bool,
) -> list[Any]:
    """What the reference says of all items, in parts that are kept in the folder."""
    what = what | {"judge": digest(reference)}
    parts = [items[k : k + PART] for k in range(0, len(items), PART)]
    paths = [None if folder is None else folder / _part_name(what, k, part) for k, part in enumerate(parts)]
    with tqdm(total=len(items), disable=not progress) as bar:
        found = kept_results(
            partial(judge, reference),
            [(part,) for part in parts],
            paths,
            "judged part",
            executor,
            lambda values: bar.update(len(values)),
        )
    return [value for values in found for value in values]


def _part_name(what: dict[str, Any], k: int, part: list[Any]) -> str:
    content = json.dumps(what, sort_keys=True).encode() + b"".join(
        np.ascontiguousarray(each).tobytes() for item in part for each in item
    )
    return f"{k:05d}-{hashlib.sha256(content).hexdigest()[:12]}.json"


def _priced(reference: Agent, items: list[Any]) -> list[list[tuple[str, float]]]:
    """For each position and roll its plays with their equities."""
    found = []
    for position, (planes, dice) in zip(unpack(np.stack([p for p, _ in items])), items, strict=True):
        turns = legal_turns(position, tuple(dice.tolist()))
        values = reference.values_after(pack([turn.after for turn in turns]), before=planes)
        worths = values @ POINTS if values.ndim == 2 else values
        found.append([(turn.play, float(worth)) for turn, worth in zip(turns, worths, strict=True)])
    return found


def _weighed(reference: Agent, items: list[Any]) -> list[tuple[float, float]]:
    """For each position and owner of the cube the equities of no double and of double and take."""
    positions, owner = np.stack([p for p, _ in items]), np.array([o for _, o in items], np.int32)
    judge = Expectimax(_cubeful(reference), 0)
    hold, taken = judge.static_hold_and_take(positions, owner)
    return [(float(h), float(t)) for h, t in zip(hold, taken, strict=True)]
