"""The command line: `bglab lab | train | evolve | duel | tournament | corpus | error-rate | study | bench`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path

from bglab.errors import EngineError, InputError
from bglab.lab.parser import make_parser

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bglab" / "jax"


INTERRUPTED = {
    "train": "; if the folder holds a checkpoint, the same command with --resume goes on from it.",
    "evolve": "; if the folder holds a checkpoint, the same command with --resume goes on from it.",
    "tournament": "; finished parts are kept in the folder, give the same command to go on.",
    "corpus": "; judged parts are kept beside the file, give the same command to go on.",
    "error-rate": "; with --parts what is answered is kept in that folder, and the same command goes on.",
    "study": "; what is done is kept in runs/, give the same command to go on.",
}
"""What Ctrl-C and the death of a worker leave behind, by command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 2 for bad input, 130 after Ctrl-C."""
    parser = make_parser(RUNS)
    options, rest = parser.parse_known_args(arguments)
    if rest and options.run is not _lab:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    # Compiled programs are kept between runs, here and in every process or kernel started from here.
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")
    try:
        status = int(options.run(options) or 0)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"bglab: {error}", file=sys.stderr)
        return 2
    except EngineError as error:
        print(f"bglab: {error}", file=sys.stderr)
        return 1
    except BrokenExecutor:
        left = INTERRUPTED.get(options.command, "; give the command again.")
        print(f"bglab: a worker process died (killed, or out of memory){left}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of the output, such as head, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"bglab: interrupted{INTERRUPTED.get(options.command, '.')}", file=sys.stderr)
        return 130


def _lab(options: argparse.Namespace) -> None:
    from bglab.lab.results import ROOT

    start = Path("notebooks") / "00_start_here.ipynb"
    beside = Path(sys.executable).parent
    jupyter = shutil.which(
        "jupyter-lab", path=os.pathsep.join([str(beside), os.environ.get("PATH", os.defpath)])
    )
    if jupyter is None:
        raise InputError("JupyterLab is not installed: install bglab with its lab extra, or use make lab.")
    if not (ROOT / start).exists():
        raise InputError(
            f"The notebooks are not at {(ROOT / start).parent}: run this from a clone of the repository."
        )
    # Settings beside this file, after the user's own: no question about news, and nothing asked of the network.
    settings = [os.environ.get("JUPYTER_CONFIG_PATH", ""), str(Path(__file__).parent / "jupyter")]
    arguments = [
        jupyter,
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{start.as_posix()}",
        "--LabApp.extension_manager=readonly",
        *options.rest,
    ]
    environment = {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, settings))}
    # JupyterLab takes this process's place, so that Ctrl-C is its own affair.
    os.execve(jupyter, arguments, environment)


def _train(options: argparse.Namespace) -> None:
    import dataclasses

    from bglab.training.loop import train
    from bglab.training.recipe import Recipe
    from bglab.value.netfile import NETWORK

    recipe = Recipe()
    if options.recipe is not None:
        try:
            fields = json.loads(options.recipe.read_text())
        except OSError as error:
            raise InputError(
                f"The recipe {options.recipe} cannot be read ({error.strerror}): check the path."
            ) from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"The recipe {options.recipe} is not JSON ({error}): correct it.") from None
        if not isinstance(fields, dict):
            raise InputError(
                f'The recipe {options.recipe} is not a JSON object of fields: write {{"games": 1000}}.'
            )
        recipe = Recipe.from_dict(fields)
    if options.games is not None:
        recipe = dataclasses.replace(recipe, games=options.games)
    run = train(recipe, options.seed, options.out, resume=options.resume, every=options.every)
    if not run.finished:
        raise KeyboardInterrupt
    loss = run.curve["loss"].iloc[-20:].mean()
    seconds = run.curve["seconds"].sum()
    games = run.curve["games"].iloc[-1]
    print(
        f"{games:,} games in {seconds:,.0f} s ({games / seconds:,.0f} games/s), loss {loss:.4f} over the last rounds"
    )
    print(f"network: {options.out / NETWORK}")


def _evolve(options: argparse.Namespace) -> None:
    from bglab.lab.evolve import brain_weights, evolve_brain
    from bglab.training.evolution import EvolutionRecipe
    from bglab.training.generations import champion_path

    recipe = EvolutionRecipe(
        brain_weights(options.start),
        brain_weights(options.baseline) if options.baseline is not None else None,
        options.R,
        options.matches,
        options.length,
        options.generations,
        options.start.removeprefix("parameter:")
        if options.start.startswith("parameter:")
        else Path(options.start).stem,
    )
    state = evolve_brain(recipe, options.seed, options.out, options.resume)
    for champion in state.champions:
        won = (champion.matches + champion.margin) // 2
        print(
            f"{champion_path(options.out, champion)}: won {won} of {champion.matches} matches "
            f"against the baseline (margin {champion.margin:+})"
        )
    if state.generation < recipe.generations:
        raise KeyboardInterrupt
    print(f"{state.generation} generations, {len(state.champions)} champions")


def _duel(options: argparse.Namespace) -> None:
    from bglab.measure.duel import duel
    from bglab.play.names import load

    print(duel(load(options.first), load(options.second), options.games, options.seed))


def _tournament(options: argparse.Namespace) -> None:
    from bglab.lab.compete import compete
    from bglab.play.match import MatchRules

    rules = MatchRules(options.length, cube=not options.no_cube)
    result = compete(
        options.agents,
        options.matches,
        rules,
        options.seed,
        options.out,
        processes=options.processes,
        cluster=options.cluster,
    )
    print(result)
    print(f"tables: {options.out}")


def _corpus(options: argparse.Namespace) -> None:
    from bglab.lab.corpora import described, make
    from bglab.measure.corpus import load_corpus

    if options.action == "show":
        print(described(load_corpus(options.file)))
        return
    corpus = make(
        options.kind,
        options.file,
        options.player,
        options.reference,
        options.games,
        options.decisions,
        options.seed,
        options.processes,
    )
    print(described(corpus))
    print(f"corpus: {options.file}")


def _error_rate(options: argparse.Namespace) -> None:
    import pandas as pd

    from bglab.atomic import write_or_refuse
    from bglab.lab.corpora import measure

    rates, text = measure(options.agents, options.corpus, options.processes, options.parts)
    print(text)
    if options.csv is not None:
        table = pd.DataFrame([rate.row() for rate in rates]).to_csv(index=False, float_format="%.6g")
        write_or_refuse(options.csv, table.encode(), "table")
        print(f"table: {options.csv}")


def _study(options: argparse.Namespace) -> None:
    from bglab.lab.results import SHOWN, as_text
    from bglab.lab.study import processes, results_path, run_study

    with processes(options.processes) as executor:
        table = run_study(options.name, options.preset, executor=executor, replace=options.replace)
    print(as_text(table[SHOWN]))
    print(f"results: {results_path(options.name, options.preset)}")


def _published(options: argparse.Namespace) -> None:
    from bglab.atomic import write_or_refuse
    from bglab.lab.published import published
    from bglab.lab.results import as_text

    table = published(options.studies, options.preset)
    if options.csv is not None:
        write_or_refuse(options.csv, table.to_csv(index=False, float_format="%.6g").encode(), "table")
    print(as_text(table.drop(columns="preset")))


def _bench(options: argparse.Namespace) -> None:
    from bglab.lab.bench import run_benchmarks, write_json

    figures = run_benchmarks(options.only, options.quick)
    if options.json is not None:
        write_json(figures, options.json)
        print(f"figures: {options.json}")


RUNS = {
    "lab": _lab,
    "train": _train,
    "evolve": _evolve,
    "duel": _duel,
    "tournament": _tournament,
    "corpus": _corpus,
    "error-rate": _error_rate,
    "study": _study,
    "published": _published,
    "bench": _bench,
}
"""What each command does."""

if __name__ == "__main__":
    sys.exit(main())
