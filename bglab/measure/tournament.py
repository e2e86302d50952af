"""Round-robin tournaments: every agent meets every other one in matches with duplicate dice.

Decided by matches won, never by points (document 000, section 4.4); how figures are read is its section 6.3. The work
is cut into parts (`bglab.measure.parts`) that any executor may play, so the tables depend on the agents, the settings
and the seed alone: not on the executor, nor on where a run was killed and resumed. Only `seconds` are measured anew.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from itertools import combinations
from pathlib import Path
from pickle import dumps
from typing import Any
from uuid import uuid4

from tqdm.auto import tqdm

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.measure.parts import (
    Entrant,
    Part,
    Played,
    entrant,
    joined,
    part_seed,
    play_part,
    read_part,
    write_part,
)
from bglab.measure.standings import Tournament
from bglab.play.agent import Agent
from bglab.play.match import MatchRules
from bglab.rules.dice import seeded
from bglab.rules.parallel import on_executor

SETTINGS = "tournament.json"
FORMAT = 1
TO_ELEVEN = MatchRules()


def round_robin(
    agents: Sequence[Agent | str | Path],
    matches: int = 1000,
    rules: MatchRules = TO_ELEVEN,
    seed: int = 0,
    *,
    executor: Executor | None = None,
    out: str | Path | None = None,
    chunk: int = 10_000,
    progress: bool = True,
) -> Tournament:
    """Let every agent play `matches` matches against every other one.

    Args: agents, what `bglab.load` takes, or agents; executor, where parts are played, any
    `concurrent.futures.Executor` (processes, or a Dask client's `get_executor()`), this process if None; out, a folder
    in which every finished part is kept, so that the same call goes on after an interruption; chunk, the most matches
    of a part: fewer are lost when a run is killed if it is small, but the last matches of a part run nearly alone.

    Raises `InputError` for fewer than two agents or two of the same name, a number of matches that cannot be paired, a
    folder begun with other agents or settings, and when a worker process dies.
    """
    entrants = _entrants(agents)
    for what, asked in (("matches per pairing", matches), ("matches of a part", chunk)):
        if type(asked) is not int or asked < 4 or asked % 2:
            raise InputError(
                f"The {what} are an even number of at least 4, since every match is played twice, not {asked!r}."
            )
    seeded(seed)
    folder = None if out is None else Path(out)
    if isinstance(executor, ProcessPoolExecutor):
        _check_sendable(entrants)
    if folder is not None:
        _claim(folder, _settings(entrants, matches, rules, int(seed), chunk))
    pairings = list(combinations(range(len(entrants)), 2))
    sizes = _sizes(matches, chunk)
    numbers = [(i, j, k) for i, j in pairings for k in range(len(sizes))]
    parts = {}
    for i, j, k in numbers:
        first, second = entrants[i], entrants[j]
        own = part_seed(int(seed), first.name, second.name, k)
        parts[i, j, k] = Part(first, second, sizes[k], rules, own)
    played: dict[tuple[int, int, int], Played] = {}
    if folder is not None:
        paths = {number: _path(folder, number) for number in numbers}
        played = {number: read_part(path, parts[number]) for number, path in paths.items() if path.exists()}
    left = [number for number in numbers if number not in played]
    done = sum(parts[number].matches for number in played)
    with tqdm(total=matches * len(pairings), initial=done, unit=" matches", disable=not progress) as bar:

        def keep(k: int, result: Played) -> None:
            played[left[k]] = result
            if folder is not None:
                write_part(_path(folder, left[k]), parts[left[k]], result)
            bar.update(parts[left[k]].matches)

        _play(executor, [parts[number] for number in left], keep, folder)
    whole = [joined([played[i, j, k] for k in range(len(sizes))], int(seed)) for i, j in pairings]
    return Tournament(
        tuple(agent.name for agent in entrants),
        rules,
        int(seed),
        tuple(pairing.result for pairing in whole),
        tuple(pairing.seconds for pairing in whole),
    )


def _play(
    executor: Executor | None, parts: Sequence[Part], keep: Callable[[int, Played], None], folder: Path | None
) -> None:
    """Play the parts; a pool or cluster that gives up is reported in one sentence."""
    again = "run it again" if folder is None else f"give the same settings and {folder} again to go on"
    try:
        on_executor(executor, play_part, [(part,) for part in parts], keep)
    except BrokenExecutor:
        raise InputError(
            f"A worker process of the tournament died (killed, or out of memory): {again}."
        ) from None
    except Exception as error:
        # What a Dask cluster raises when the workers of a part died again and again, without importing Dask.
        if type(error).__name__ != "KilledWorker":
            raise
        raise InputError(f"The cluster's workers died again and again: {again}.") from None


def _entrants(agents: Sequence[Agent | str | Path]) -> list[Entrant]:
    if isinstance(agents, str | Path) or len(agents) < 2:
        raise InputError("A tournament is between two or more agents: give a list of names, paths or agents.")
    call = uuid4().hex
    entrants = [entrant(agent, call) for agent in agents]
    names = [agent.name for agent in entrants]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"Two agents are called {name!r}: leave one out, or give bglab.Agent another name."
            )
    return entrants


def _check_sendable(entrants: Sequence[Entrant]) -> None:
    """A notebook's own class would kill the worker that reads it."""
    for agent in entrants:
        try:
            why = "its class is the notebook's own" if b"__main__" in dumps(agent) else ""
        except Exception as error:
            why = str(error)
        if why:
            raise InputError(
                f"The agent {agent.name!r} cannot be sent to other processes ({why}): define it in a module."
            )


def _sizes(matches: int, chunk: int) -> list[int]:
    """The matches of each part of a pairing: even numbers, as equal as can be."""
    deals, parts = matches // 2, -(-matches // chunk)
    return [2 * (deals // parts + (k < deals % parts)) for k in range(parts)]


def _path(folder: Path, number: tuple[int, int, int]) -> Path:
    return folder / "parts" / ("-".join(map(str, number)) + ".safetensors")


def _settings(
    entrants: Sequence[Entrant], matches: int, rules: MatchRules, seed: int, chunk: int
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "agents": [agent.name for agent in entrants],
        "digests": {agent.name: agent.digest for agent in entrants},
        "matches": matches,
        **dataclasses.asdict(rules),
        "seed": seed,
        "chunk": chunk,
    }


def _claim(folder: Path, settings: dict[str, Any]) -> None:
    """Note in the folder what is played there, or check that it is the same; `InputError` names a difference."""
    path = folder / SETTINGS
    try:
        if not path.exists():
            write_atomically(path, json.dumps(settings, indent=1).encode())
            return
        begun = json.loads(path.read_text())
        digests = dict(begun["digests"])
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"The tournament cannot be kept in {folder} ({reason}): choose another folder."
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"The file {path} is damaged: choose another folder.") from None
    for name, value in settings.items():
        if name == "digests":
            changed = [agent for agent in value if digests.get(agent) != value[agent]]
            if changed:
                raise InputError(
                    f"The tournament in {folder} was begun with another agent called {changed[0]!r}: choose another "
                    "folder."
                )
        elif begun.get(name) != value:
            then, now = (
                ", ".join(value) if isinstance(value, list) else value for value in (begun.get(name), value)
            )
            raise InputError(
                f"The tournament in {folder} was begun with {name} {then}, not {now}: give the same again, or choose "
                "another folder."
            )
