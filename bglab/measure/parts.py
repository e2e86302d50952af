"""The parts of a tournament: some matches of one pairing, played in whatever process and kept in a file of their own.

A part is a pure function of its two agents, the rules and its seed, so it does not matter who plays it, or how often.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import threading
import time
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from bglab.errors import InputError
from bglab.play.agent import Agent
from bglab.play.match import Matches, MatchRules, play_matches
from bglab.play.names import load
from bglab.value.netfile import read_tensors, write_tensors

KIND = "tournament part"
IDENTITY = ("first", "second", "rules", "seed", "duplicate")
"""The fields of `Matches` that say what was played, not what came out."""

_here = threading.local()


class Entrant(NamedTuple):
    """An agent that can be sent to another process: by its shipped name, or itself where it came as another thing.

    call: which tournament it is sent for.
    """

    name: str
    digest: str
    source: str | Agent
    call: str


class Part(NamedTuple):
    """`matches` matches of a pairing, half of them the mirrored half, with dice of their own seed."""

    first: Entrant
    second: Entrant
    matches: int
    rules: MatchRules
    seed: int

    def described(self) -> dict[str, Any]:
        """What the part's result depends on, in JSON's types."""
        return {
            "agents": [[agent.name, agent.digest] for agent in (self.first, self.second)],
            "matches": self.matches,
            "rules": dataclasses.asdict(self.rules),
            "seed": self.seed,
        }


class Played(NamedTuple):
    """The matches of a part and the seconds they took."""

    result: Matches
    seconds: float


def entrant(agent: Agent | str | Path, call: str) -> Entrant:
    """The agent with its identity. A file may change while a tournament is played, so it is read here once."""
    if isinstance(agent, Agent):
        return Entrant(agent.name, digest(agent), agent, call)
    loaded = load(agent)
    return Entrant(loaded.name, digest(loaded), loaded if Path(agent).exists() else str(agent), call)


def digest(agent: Agent) -> str:
    """SHA-256 over what an agent plays by: its class, settings, structure and the content of every leaf.

    A function among the leaves counts by its name: change that when you change what it does.
    """
    plays_by = {name: value for name, value in vars(agent).items() if name[0] != "_" and name != "name"}
    leaves, structure = jax.tree.flatten(plays_by)
    total = hashlib.sha256(f"{type(agent).__qualname__} {_without_addresses(structure)}\n".encode())
    for leaf in leaves:
        if isinstance(leaf, jax.Array | np.ndarray | np.generic):
            array = np.asarray(leaf)
            total.update(f"{array.dtype} {array.shape}\n".encode())
            total.update(array.tobytes())
        else:
            total.update(_without_addresses(leaf).encode())
    return total.hexdigest()


def _without_addresses(thing: object) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", repr(thing))


def part_seed(seed: int, first: str, second: str, number: int) -> int:
    """The seed of a pairing's part: it depends on the two names in any order, so other agents do not change it."""
    words = json.dumps([seed, *sorted((first, second)), number])
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big")


def play_part(part: Part) -> Played:
    """Play a part in this process, with agents kept from one part to the next."""
    begun = time.perf_counter()
    result = play_matches(
        _agent(part.first),
        _agent(part.second),
        part.matches,
        part.rules,
        part.seed,
        progress=False,
    )
    return Played(result, time.perf_counter() - begun)


def _agent(entrant: Entrant) -> Agent:
    """The agent, made once for a tournament in each thread, since a cluster's worker may play parts side by side."""
    if getattr(_here, "call", None) != entrant.call:
        _here.call, _here.agents = entrant.call, {}
    kept: dict[str, Agent] = _here.agents
    if entrant.name not in kept:
        agent = load(entrant.source) if isinstance(entrant.source, str) else copy(entrant.source)
        if digest(agent) != entrant.digest:
            raise InputError(
                f"A worker's bglab has another agent {entrant.name!r}: install the same version everywhere."
            )
        kept[entrant.name] = agent
    return kept[entrant.name]


def write_part(path: Path, part: Part, played: Played) -> None:
    """Keep a part's result, atomically."""
    fields = {
        field.name: getattr(played.result, field.name)
        for field in dataclasses.fields(Matches)
        if field.name not in IDENTITY
    }
    arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in fields.items() if name not in arrays}
    about = {"part": part.described(), "numbers": numbers, "seconds": played.seconds}
    write_tensors(path, KIND, about, arrays)


def read_part(path: Path, part: Part) -> Played:
    """A part's kept result; `InputError` if the file is damaged or holds another part."""
    about, arrays = read_tensors(path, KIND)
    if about.get("part") != part.described():
        raise InputError(f"The file {path} holds another part of a tournament: move it away.")
    try:
        fields = {**arrays, **about["numbers"]}
        result = Matches(part.first.name, part.second.name, part.rules, part.seed, **fields)
        return Played(result, float(about["seconds"]))
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"The file {path} is from another version of bglab: move it away to play the part again."
        ) from None


def joined(parts: Sequence[Played], seed: int) -> Played:
    """The parts of one pairing as one: their deals one after another, their counts and seconds added up."""
    fields: dict[str, Any] = {"seed": seed}
    for field in dataclasses.fields(Matches):
        if field.name not in IDENTITY:
            values = [getattr(part.result, field.name) for part in parts]
            arrays = isinstance(values[0], np.ndarray)
            fields[field.name] = np.concatenate(values) if arrays else sum(values)
    whole = dataclasses.replace(parts[0].result, **fields)
    return Played(whole, sum(part.seconds for part in parts))
