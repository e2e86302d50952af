"""`bglab bench`: how fast this machine plays, trains and searches, as medians of several runs.

Every benchmark runs in a process of its own, so that its memory is its own too. Small is 196-80-80-6 with the
shipped network's weights; large is 196-512-512-256-256-6 with fresh weights, on the same positions, since no
trained network of that size is shipped. Games/s of the large network are its moves/s divided by the small
network's plies per game in the same run of the benchmark.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.lab import bench_outside as outside
from bglab.lab.results import commit, machine
from bglab.lab.timing import figure, runs
from bglab.measure.duel import positions_met
from bglab.play.match import play_matches
from bglab.play.names import DEFAULT, SHIPPED, load
from bglab.rules.capacity import Ladder
from bglab.rules.dice import roll
from bglab.rules.parallel import side_by_side, threads
from bglab.rules.planes import pack, unpack
from bglab.rules.position import Position
from bglab.rules.situation import Situation
from bglab.rules.turns import Capacity, rolled_turns
from bglab.search.expectimax import expectimax
from bglab.search.greedy import best_turns
from bglab.training.checkpoint import State, first_state
from bglab.training.loop import fit_of, train_round
from bglab.training.recipe import Recipe
from bglab.training.selfplay import Lanes, Record, ladders_for, new_lanes, play_round
from bglab.training.targets import bellman_backup
from bglab.value.evaluator import prepare
from bglab.value.netfile import load_network
from bglab.value.network import Network, NetworkSpec, init
from bglab.value.parameter import load_brain

SIZES = {"small": (80, 80), "large": (512, 512, 256, 256)}
WARM_UP = 160
"""Plies after which games side by side are spread over all stages."""


def _network(size: str) -> Network:
    if size == "small":
        return load_network(SHIPPED / f"{DEFAULT}.safetensors")[0]
    return init(NetworkSpec(SIZES[size], "relu"), jax.random.key(0))


def _start() -> Array:
    return jnp.asarray(pack([Position.start()])[0])


def _lanes(n: int) -> tuple[Lanes, float]:
    """Games of the small network in full swing, and its plies per game."""
    small = _network("small")
    ladders, lanes = ladders_for(n, 1), new_lanes(_start(), n)
    lanes, _ = play_round(ladders, small, lanes, _start(), jax.random.key(1), WARM_UP)
    _, record = play_round(ladders, small, lanes, _start(), jax.random.key(2), WARM_UP)
    return lanes, n * WARM_UP / int((record.won > 0).sum())


def selfplay(size: str, repeats: int, lanes: int, plies: int) -> list[dict[str, Any]]:
    """Self-play in lockstep."""
    games, per_game = _lanes(lanes)
    network, ladders = _network(size), ladders_for(lanes, 1)

    def play(k: int) -> tuple[Lanes, Record]:
        return play_round(ladders, network, games, _start(), jax.random.key(k), plies)

    seconds = runs(play, repeats)
    moves = [lanes * plies / s for s in seconds]
    return [
        figure(f"selfplay.{size}", (m / per_game for m in moves), "games/s", repeats),
        figure(f"selfplay.{size}.moves", moves, "moves/s", repeats),
        figure(f"selfplay.{size}.plies", [per_game], "plies/game", int(lanes * WARM_UP / per_game)),
    ]


def generation(size: str, repeats: int, lanes: int, plies: int) -> list[dict[str, Any]]:
    """The generator's share of a self-play step: the same steps with and without evaluating, alternately timed."""
    games, _ = _lanes(lanes)
    network = jax.jit(prepare)(_network(size))
    ladder = Ladder(lanes, rung=1)
    keys = jax.random.split(jax.random.key(3), plies)

    def turns(capacity: Capacity, positions: Array, key: Array) -> tuple[Array, Array]:
        found = rolled_turns(positions, roll(key, games.opening), capacity)
        sums = (jnp.sum(part.after, dtype=jnp.uint32) for part in (found.non_doubles, found.doubles))
        return sum(sums, jnp.uint32(0)), found.needed

    def best(capacity: Capacity, positions: Array, key: Array) -> tuple[Array, Array]:
        choice = best_turns(network, positions, roll(key, games.opening), capacity)
        return jnp.sum(choice.after, dtype=jnp.uint32), choice.needed

    @partial(jax.jit, static_argnums=(0, 1))
    def steps(
        step: Callable[..., Any], capacity: Capacity, positions: Array, zero: Array
    ) -> tuple[Array, Array]:
        # Each step depends on the last one, so that nothing can be moved out of the loop.
        def body(mixed: Array, key: Array) -> tuple[Array, Array]:
            total, needed = step(capacity, positions ^ (mixed & zero), key)
            return total, needed

        total, needed = lax.scan(body, jnp.uint32(0), keys)
        return total, needed.max(0)

    def seconds(step: Callable[..., Any]) -> float:
        run = partial(ladder.run, lambda capacity: steps(step, capacity, games.positions, jnp.uint32(0)))
        return runs(lambda _: run(), 1)[0]

    shares = []
    for k in range(repeats + 1):
        whole, alone = seconds(best), seconds(turns)
        if k:
            shares.append(alone / whole)
    return [figure(f"generation.{size}.share", shares, "of a self-play step", repeats)]


def training(size: str, repeats: int) -> list[dict[str, Any]]:
    """Self-play, λ-returns and per-position gradient descent together, with games in full swing."""
    recipe = Recipe(network=NetworkSpec(SIZES[size]))
    fresh = first_state(recipe, _start(), jax.random.key(0))
    lanes, _ = _lanes(recipe.lanes)
    state = State(_network(size), fresh.optimiser, lanes, fresh.history, [])
    ladders, fit = ladders_for(recipe.lanes, 1), fit_of(recipe)
    rates = []
    rounds = 8
    for k in range(repeats + 1):
        games, began = state.games, time.perf_counter()
        for r in range(rounds):
            state = train_round(recipe, state, jax.random.key(k * rounds + r), _start(), ladders, fit)
        if k:
            rates.append((state.games - games) / (time.perf_counter() - began))
    return [figure(f"train.{size}", rates, "games/s", repeats)]


def bellman(size: str, repeats: int, positions: int) -> list[dict[str, Any]]:
    """Exact Bellman targets (21 rolls) of positions from self-play."""
    games, _ = _lanes(positions)
    network = jax.jit(prepare)(_network(size))
    seconds = runs(lambda _: bellman_backup(network, games.positions), repeats)
    return [figure(f"bellman.{size}", (positions / s for s in seconds), "targets/s", repeats)]


def search(plies: int, filters: str, repeats: int, decisions: int) -> list[dict[str, Any]]:
    """Decisions of the small network looking ahead, all of them in one call."""
    positions, dice = positions_met(load(), decisions, 1)
    ahead = expectimax(_network("small"), plies, filters)
    seconds = runs(lambda _: ahead.best(positions, dice), repeats)  # type: ignore[attr-defined]
    name = f"search.{plies}ply" + ("" if filters == "full" else f".{filters.split()[-1]}")
    return [figure(name, (decisions / s for s in seconds), "decisions/s", repeats)]


def explorer(plies: int, repeats: int) -> list[dict[str, Any]]:
    """Seconds from a new situation on the explorer's board to the whole opinion of the shipped network beside it."""
    # Widgets come with the extra `lab`; the other benchmarks do without.
    from bglab.lab.widgets.explore import Explorer

    positions, dice = positions_met(load(), repeats + 1, 1)
    shown = Explorer(brains=[DEFAULT], plies=plies).wait()
    met = zip(unpack(positions), dice.tolist(), strict=True)
    situations = [Situation(position, tuple(rolled)) for position, rolled in met]

    def look(k: int) -> None:
        shown.show(situations[k])
        shown.wait()

    for k in range(repeats):  # every size that occurs is compiled
        look(k + 1)
    return [figure(f"explorer.{plies}ply", runs(look, repeats), "s", repeats)]


def parameter(repeats: int, positions: int) -> list[dict[str, Any]]:
    """Scores of the parameter AI Origin, in as many threads as there are cores."""
    brain = load_brain("origin")
    met, _ = positions_met(load(), positions, 1)
    parts = [jnp.asarray(part) for part in np.array_split(met, threads())]

    def score(_: int) -> list[Array]:
        return side_by_side(
            [partial(lambda part: jax.block_until_ready(brain(part)), part) for part in parts]
        )

    seconds = runs(score, repeats)
    return [figure("parameter.scores", (positions / s for s in seconds), "positions/s", repeats)]


def matches(repeats: int, count: int) -> list[dict[str, Any]]:
    """Matches to 11 with the cube between two shipped networks at 0-ply."""
    first, second = load(), load("N80-L2-sigmoid-800k-lam05")
    seconds = runs(lambda k: play_matches(first, second, count, seed=k, progress=False), repeats)
    return [figure("match.11", (count / s for s in seconds), "matches/s", repeats)]


def benchmarks(quick: bool = False) -> dict[str, tuple[Callable[..., list[dict[str, Any]]], tuple[Any, ...]]]:
    """Benchmarks by name: function and arguments, of which `quick` makes a short version."""
    repeats = 2 if quick else 7
    lanes = (64, 64) if quick else (1024, 1024)
    plies = (8, 2) if quick else (52, 4)
    targets = (32, 16) if quick else (1024, 256)
    table: dict[str, tuple[Callable[..., list[dict[str, Any]]], tuple[Any, ...]]] = {}
    for k, size in enumerate(SIZES):
        table[f"selfplay.{size}"] = (selfplay, (size, repeats, lanes[k], plies[k]))
        table[f"generation.{size}"] = (generation, (size, repeats, lanes[k], plies[k]))
        table[f"bellman.{size}"] = (bellman, (size, repeats, targets[k]))
    table["train.small"] = (training, ("small", repeats))
    for filters, suffix in (("full", ""), ("gnubg normal", ".normal")):
        table[f"search.1ply{suffix}"] = (search, (1, filters, repeats, 8 if quick else 256))
        table[f"search.2ply{suffix}"] = (search, (2, filters, 1 if quick else 3, 1 if quick else 16))
    for ahead in (0, 1):
        table[f"explorer.{ahead}ply"] = (explorer, (ahead, 2 if quick else 20))
    table["parameter.scores"] = (parameter, (repeats, 256 if quick else 1 << 16))
    table["duel.gnubg"] = (outside.gnubg_duel, (1 if quick else 3, 8 if quick else 4096))
    table["rollout.sage"] = (outside.rollouts, (1 if quick else 3, 1 if quick else 4, 36 if quick else 360))
    table["records.mat"] = (outside.mat, (1 if quick else 3, 10_000 if quick else 10_000_000))
    table["twosided"] = (outside.two_sided_table, (1 if quick else 3, 2 if quick else 6))
    table["match.11"] = (matches, (1 if quick else 3, 8 if quick else 2048))
    return table


def _measure(name: str, quick: bool) -> list[dict[str, Any]]:
    """Run one benchmark and add the most memory its process used."""
    function, arguments = benchmarks(quick)[name]
    figures = function(*arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
    return [
        *figures,
        {"name": f"{name}.memory", "value": peak, "low": peak, "high": peak, "unit": "GiB", "n": 1},
    ]


def run_benchmarks(
    only: str = "", quick: bool = False, show: Callable[[str], None] = print
) -> list[dict[str, Any]]:
    """Run the benchmarks whose names begin with `only`, each in a process of its own, showing figures as they come."""
    names = [name for name in benchmarks(quick) if name.startswith(only)]
    if not names:
        raise InputError(f"There is no benchmark {only!r}: choose one of {', '.join(benchmarks())}.")
    show(f"{machine()}; commit {commit()}; medians of several runs (least to most)")
    figures = []
    for name in names:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            for each in pool.submit(_measure, name, quick).result():
                figures.append(each)
                show(
                    f"  {each['name']:<26} {each['value']:>12,.4g} {each['unit']:<20} "
                    f"({each['low']:,.4g} to {each['high']:,.4g}, n = {each['n']})"
                )
    return figures


def write_json(figures: list[dict[str, Any]], path: Path) -> None:
    """The figures as a JSON list, written atomically."""
    write_atomically(path, (json.dumps(figures, indent=1) + "\n").encode())
