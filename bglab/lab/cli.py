"""The command line: `bglab lab | train | evolve | duel | tournament | corpus | error-rate | study | bench`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from bglab.errors import EngineError, InputError

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bglab" / "jax"


CORPUS = "gnubg-checker"

INTERRUPTED = {
    "train": "; if the folder holds a checkpoint, the same command with --resume goes on from it.",
    "evolve": "; if the folder holds a checkpoint, the same command with --resume goes on from it.",
    "tournament": "; finished parts are kept in the folder, give the same command to go on.",
    "corpus": "; judged parts are kept beside the file, give the same command to go on.",
    "study": "; what is done is kept in runs/, give the same command to go on.",
}
"""What Ctrl-C leaves behind, by command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 2 for bad input, 130 after Ctrl-C."""
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.run is not _lab:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    # Compiled programs are kept between runs, here and in every process or kernel started from here.
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")
    try:
        return int(options.run(options) or 0)
    except InputError as error:
        print(f"bglab: {error}", file=sys.stderr)
        return 2
    except EngineError as error:
        print(f"bglab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"bglab: interrupted{INTERRUPTED.get(options.command, '.')}", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bglab",
        description="A backgammon research workbench on JAX.",
        epilog="Try `bglab COMMAND --help` for examples.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    _command(
        commands,
        "lab",
        _lab,
        "open JupyterLab on the start notebook; further arguments are JupyterLab's",
        "bglab lab",
        "bglab lab --port 8899 --no-browser",
    )

    train = _command(
        commands,
        "train",
        _train,
        "train a network by self-play from a recipe",
        "bglab train --out runs/first --games 20000 --seed 1",
        "bglab train recipe.json --out runs/second --seed 2",
        "bglab train --out runs/first --games 100000 --seed 1 --resume",
    )
    train.add_argument(
        "recipe", nargs="?", type=Path, help="JSON file of recipe fields (default: the reference recipe)"
    )
    train.add_argument("--out", type=Path, required=True, help="folder for the checkpoint and the network")
    train.add_argument("--games", type=int, help="games to train on, instead of the recipe's")
    train.add_argument("--seed", type=int, default=0, help="seed of the run (default 0)")
    train.add_argument("--every", type=int, default=100, help="rounds between checkpoints (default 100)")
    train.add_argument(
        "--resume",
        action="store_true",
        help="go on from the checkpoint in the folder, or begin if there is none; bit for bit for the same games",
    )

    evolve = _command(
        commands,
        "evolve",
        _evolve,
        "evolve a parameter AI by matches won",
        "bglab evolve --start parameter:origin --generations 50 --seed 1 --out runs/evolve-1",
        "bglab evolve --start runs/evolve-1/champion-00007.json --R 10 --seed 2 --out runs/evolve-2",
        "bglab evolve --start parameter:origin --generations 100 --seed 1 --out runs/evolve-1 --resume",
    )
    evolve.add_argument(
        "--start",
        default="parameter:origin",
        help="the first parent, a shipped brain or a brain file (default parameter:origin)",
    )
    evolve.add_argument("--baseline", help="the fixed opponent of the gauntlet (default: the start)")
    evolve.add_argument("--generations", type=int, default=50, help="generations in all (default 50)")
    evolve.add_argument(
        "--matches",
        type=int,
        default=100,
        help="of a scout, an even number; a gauntlet is ten times as long (default 100)",
    )
    evolve.add_argument(
        "--length", type=int, default=11, help="points to which a match is played (default 11)"
    )
    evolve.add_argument("--R", type=float, default=50, help="largest mutation in percent (default 50)")
    evolve.add_argument("--seed", type=int, default=0, help="seed of the run (default 0)")
    evolve.add_argument("--out", type=Path, required=True, help="folder for the checkpoint and the champions")
    evolve.add_argument(
        "--resume",
        action="store_true",
        help="go on from the checkpoint in the folder, or begin if there is none; bit for bit",
    )

    duel = _command(
        commands,
        "duel",
        _duel,
        "let two agents play cubeless games with duplicate dice",
        "bglab duel runs/first runs/second --games 10000",
        "bglab duel N80-L2-sigmoid-800k-lam07 N80-L2-sigmoid-800k-lam10 --seed 5",
    )
    duel.add_argument("first", help="a shipped network, a saved one, or the folder of a run")
    duel.add_argument("second", help="likewise")
    duel.add_argument(
        "--games", type=int, default=10_000, help="an even number; each deal is played twice (default 10000)"
    )
    duel.add_argument("--seed", type=int, default=0, help="seed of the dice (default 0)")

    tournament = _command(
        commands,
        "tournament",
        _tournament,
        "let agents play matches, each against every other one, with duplicate dice",
        "bglab tournament N80-L2-sigmoid-800k-lam07 N80-L2-sigmoid-800k-lam10 runs/first",
        "bglab tournament runs/first runs/second runs/third --matches 10000 --length 5 --no-cube",
        "bglab tournament runs/first runs/second --cluster tcp://scheduler:8786",
    )
    tournament.add_argument(
        "agents", nargs="+", metavar="agent", help="a shipped network, a saved one, or the folder of a run"
    )
    tournament.add_argument(
        "--matches", type=int, default=1000, help="for each pairing, an even number (default 1000)"
    )
    tournament.add_argument("--length", type=int, default=11, help="points of a match (default 11)")
    tournament.add_argument("--no-cube", action="store_true", help="play without the doubling cube")
    tournament.add_argument("--seed", type=int, default=0, help="seed of the dice (default 0)")
    tournament.add_argument(
        "--out",
        type=Path,
        default=Path("runs/tournament"),
        help="folder for what is played and the tables; the same command goes on there (default runs/tournament)",
    )
    tournament.add_argument("--processes", type=int, help="worker processes (default: one per core)")
    tournament.add_argument("--cluster", help="address of a Dask scheduler, instead of processes here")

    corpus = _command(
        commands,
        "corpus",
        _corpus,
        "make a reference corpus of decisions, or say what is in one",
        "bglab corpus make my-checkers.csv.gz --games 160 --decisions 2400",
        "bglab corpus make my-cubes.csv.gz --kind cube --reference sage:3ply",
        "bglab corpus show gnubg-checker",
    )
    corpus.add_argument("action", choices=("make", "show"), help="make a corpus, or show what one is")
    corpus.add_argument(
        "file", type=Path, help="the file, ending in .csv.gz; to show, or a shipped corpus by name"
    )
    corpus.add_argument(
        "--kind", choices=("checker", "cube"), default="checker", help="which decisions (default checker)"
    )
    corpus.add_argument(
        "--player", default="gnubg:0ply", help="whose games they are from (default gnubg:0ply)"
    )
    corpus.add_argument("--reference", default="gnubg:2ply", help="who judges them (default gnubg:2ply)")
    corpus.add_argument("--games", type=int, help="games played (default 160; 400 for the cube)")
    corpus.add_argument("--decisions", type=int, help="decisions drawn (default 2400; 1000 for the cube)")
    corpus.add_argument("--seed", type=int, default=1, help="seed of dice and drawing (default 1)")
    corpus.add_argument("--processes", type=int, help="worker processes (default: one per core)")

    errors = _command(
        commands,
        "error-rate",
        _error_rate,
        "measure what agents give up per decision against a reference corpus",
        "bglab error-rate N80-L2-sigmoid-800k-lam07",
        "bglab error-rate runs/first N80-L2-sigmoid-800k-lam07:1ply --corpus my-checkers.csv.gz",
    )
    errors.add_argument("agents", nargs="+", metavar="agent", help="agents by name or file; two are compared")
    errors.add_argument("--corpus", default=CORPUS, help=f"a shipped corpus or a file (default {CORPUS})")
    errors.add_argument("--processes", type=int, help="worker processes (default: one per core)")
    errors.add_argument("--csv", type=Path, help="file for a table with a row for each agent")

    study = _command(
        commands,
        "study",
        _study,
        "run a published experiment again",
        "bglab study lambda --preset quick",
        "bglab study lambda --preset paper --processes 2",
    )
    study.add_argument("name", help="folder of the study in experiments/")
    study.add_argument(
        "--preset", default="quick", help="size of the run: quick, laptop or paper (default quick)"
    )
    study.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="runs side by side (default: one per core)"
    )
    study.add_argument("--replace", action="store_true", help="replace results that are there already")

    bench = _command(
        commands,
        "bench",
        _bench,
        "measure the speed of this machine",
        "bglab bench",
        "bglab bench selfplay.small --json speed.json",
    )
    bench.add_argument("only", nargs="?", default="", help="benchmarks whose names begin so (default all)")
    bench.add_argument("--json", type=Path, help="file for a list of {name, value, low, high, unit, n}")
    bench.add_argument(
        "--quick", action="store_true", help="a short run that only shows that everything works"
    )
    return parser


def _command(commands, name, run, summary, *examples):  # type: ignore[no-untyped-def]
    """A subcommand whose help ends with examples."""
    command = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    return command


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
        except ValueError as error:
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
    from bglab.play.agent import load

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

    rates, text = measure(options.agents, options.corpus, options.processes)
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


def _bench(options: argparse.Namespace) -> None:
    from bglab.lab.bench import run_benchmarks, write_json

    figures = run_benchmarks(options.only, options.quick)
    if options.json is not None:
        write_json(figures, options.json)
        print(f"figures: {options.json}")


if __name__ == "__main__":
    sys.exit(main())
