"""What the command line accepts: every command with its arguments, help and examples."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path

CORPUS = "gnubg-checker"


def make_parser(runs: Mapping[str, Callable[[argparse.Namespace], None]]) -> argparse.ArgumentParser:
    """The parser of all commands, each of which sets `run` to the function of its name."""
    parser = argparse.ArgumentParser(
        prog="bglab",
        description="A backgammon research workbench on JAX.",
        epilog="Try `bglab COMMAND --help` for examples.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    _command(
        commands,
        "lab",
        runs["lab"],
        "open JupyterLab on the start notebook; further arguments are JupyterLab's",
        "bglab lab",
        "bglab lab --port 8899 --no-browser",
    )

    train = _command(
        commands,
        "train",
        runs["train"],
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
        runs["evolve"],
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
        runs["duel"],
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
        runs["tournament"],
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
        runs["corpus"],
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
        runs["error-rate"],
        "measure what agents give up per decision against a reference corpus",
        "bglab error-rate N80-L2-sigmoid-800k-lam07",
        "bglab error-rate runs/first N80-L2-sigmoid-800k-lam07:1ply --corpus my-checkers.csv.gz",
    )
    errors.add_argument("agents", nargs="+", metavar="agent", help="agents by name or file; two are compared")
    errors.add_argument("--corpus", default=CORPUS, help=f"a shipped corpus or a file (default {CORPUS})")
    errors.add_argument("--processes", type=int, help="worker processes (default: one per core)")
    errors.add_argument(
        "--parts", type=Path, help="folder to keep answers in; given again, the command goes on"
    )
    errors.add_argument("--csv", type=Path, help="file for a table with a row for each agent")

    study = _command(
        commands,
        "study",
        runs["study"],
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

    published = _command(
        commands,
        "published",
        runs["published"],
        "list every committed figure that has a published one beside it",
        "bglab published",
        "bglab published network depth --csv beside.csv",
    )
    published.add_argument("studies", nargs="*", help="folders in experiments/ (default all)")
    published.add_argument("--preset", default="paper", help="whose results: laptop or paper (default paper)")
    published.add_argument("--csv", type=Path, help="file for the table")

    bench = _command(
        commands,
        "bench",
        runs["bench"],
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
