"""Corpora and error rates from the command line: made and measured in processes, with where they came from."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from bglab.errors import InputError
from bglab.lab.results import commit, machine
from bglab.lab.study import processes as in_processes
from bglab.measure.corpus import SUFFIX, CheckerCorpus, Corpus, CubeCorpus, load_corpus, save_corpus
from bglab.measure.error_rate import ErrorRate, compare, error_rate
from bglab.measure.parts import digest
from bglab.measure.sampling import make_checker_corpus, make_cube_corpus
from bglab.play.agent import Agent
from bglab.play.names import load
from bglab.rules.parallel import cores

GAMES = {"checker": (160, 2400), "cube": (400, 1000)}
"""Games and decisions of a corpus, by kind (document 000, section 6.5, for the checkers)."""


def make(
    kind: str,
    out: Path,
    player: str = "gnubg:0ply",
    reference: str = "gnubg:2ply",
    games: int | None = None,
    decisions: int | None = None,
    seed: int = 1,
    processes: int | None = None,
) -> Corpus:
    """Make a corpus and write it to `out`; interrupted, the same call goes on from the parts judged so far."""
    if not out.name.endswith(SUFFIX):
        raise InputError(f"A corpus is a file of {SUFFIX}, not {out.name!r}: give another name.")
    if out.exists():
        raise InputError(f"{out} is there already: choose another name, or remove it.")
    play, judge = load(player), load(reference)
    usual = GAMES[kind]
    parts = out.with_name(out.name.removesuffix(SUFFIX) + ".parts")
    maker: Any = make_checker_corpus if kind == "checker" else make_cube_corpus
    with in_processes(cores() if processes is None else processes) as executor:
        corpus: Corpus = maker(
            play,
            judge,
            usual[0] if games is None else games,
            usual[1] if decisions is None else decisions,
            seed,
            name=out.name.removesuffix(SUFFIX),
            about={
                "versions": {agent.name: engine_version(agent) for agent in (play, judge)},
                "commit": commit(),
                "machine": machine(),
            },
            folder=parts,
            executor=executor,
        )
    save_corpus(corpus, out)
    for path in parts.iterdir():
        path.unlink()
    parts.rmdir()
    return corpus


def engine_version(agent: Agent) -> str:
    """The version of the engine that an agent is, or of bglab."""
    from bglab import __version__

    return str(getattr(agent.static, "version", f"bglab {__version__}"))


def described(corpus: Corpus) -> str:
    """What a corpus says of itself, a line each."""
    kind = {CheckerCorpus: "checker decisions", CubeCorpus: "cube decisions"}[type(corpus)]
    hidden = ("kind", "version", "decisions", "name", "sha256")
    lines = [f"{corpus.about.get('name') or 'corpus'}: {len(corpus):,} {kind}"]
    return "\n".join(
        lines + [f"  {key}: {value}" for key, value in corpus.about.items() if key not in hidden]
    )


def measure(
    agents: list[str], corpus: str | Path, processes: int | None = None, parts: Path | None = None
) -> tuple[list[ErrorRate], str]:
    """The error rates of agents over one corpus, and their text: each alone, then each pair over the same decisions.

    parts: a folder for answers, where the same call goes on if it was interrupted.
    """
    decisions = load_corpus(corpus)
    loaded = [load(agent) for agent in agents]

    def kept(agent: Agent) -> Path | None:
        of = f"{decisions.about['sha256']} {digest(agent)}".encode()
        return None if parts is None else parts / hashlib.sha256(of).hexdigest()[:16]

    with in_processes(cores() if processes is None else processes) as executor:
        rates = [
            error_rate(agent, decisions, executor=executor, folder=kept(agent), progress=True)
            for agent in loaded
        ]
    pairs = [(first, second) for k, first in enumerate(rates) for second in rates[k + 1 :]]
    return rates, "\n".join([str(rate) for rate in rates] + [str(compare(*pair)) for pair in pairs])
