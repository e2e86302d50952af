"""The command line: exit statuses, one-sentence errors, help with examples, and runs that resume."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pandas as pd
import pytest

from bglab import round_robin
from bglab.lab import cli
from bglab.lab.cli import main
from bglab.play.names import DEFAULT
from tests.players import Lucky


@pytest.mark.parametrize(
    "command",
    ["lab", "train", "evolve", "duel", "tournament", "corpus", "error-rate", "study", "published", "bench"],
)
def test_help_has_examples(command: str, capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert f"bglab {command}" in text


TINY = {"network": {"hidden": [8]}, "games": 60, "lanes": 32, "plies": 20}


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(TINY))
    return path


def test_train_resume_and_duel(tmp_path, recipe, capsys) -> None:
    out = tmp_path / "run"
    assert main(["train", str(recipe), "--out", str(out), "--seed", "3"]) == 0
    assert "games/s" in capsys.readouterr().out
    assert main(["train", str(recipe), "--out", str(out), "--seed", "3"]) == 2
    assert "resume" in capsys.readouterr().err
    assert main(["train", str(recipe), "--out", str(out), "--seed", "3", "--games", "90", "--resume"]) == 0
    assert main(["duel", str(out), str(out), "--games", "8"]) == 0
    text = capsys.readouterr().out
    assert "+0.0000" in text
    assert "4 deals" in text


def test_tournament(tmp_path, monkeypatch, capsys) -> None:
    fields = {"seven": Lucky("seven", 7), "nine": Lucky("nine", 9), "eleven": Lucky("eleven", 11)}
    monkeypatch.setattr(
        "bglab.lab.compete.round_robin",
        lambda names, *given, **options: round_robin([fields[name] for name in names], *given, **options),
    )
    out = ["--length", "3", "--no-cube", "--processes", "1", "--out", str(tmp_path / "cup")]
    assert main(["tournament", *fields, "--matches", "20", "--seed", "4", *out]) == 0
    text = capsys.readouterr().out
    assert "3 agents, 20 matches per pairing to 3, without the cube" in text
    assert "Head to head" in text
    standings = pd.read_csv(tmp_path / "cup" / "standings.csv")
    assert standings["agent"].tolist() == ["seven", "nine", "eleven"]
    assert (tmp_path / "cup" / "heatmap.png").is_file()
    assert len(pd.read_csv(tmp_path / "cup" / "pairings.csv")) == 3
    assert main(["tournament", *fields, "--matches", "20", "--seed", "5", *out]) == 2
    assert "seed 4, not 5" in capsys.readouterr().err
    assert main(["tournament", *fields, "--matches", "20", "--seed", "4", *out]) == 0
    assert capsys.readouterr().out == text


def test_lab_hands_its_arguments_to_jupyterlab(tmp_path, monkeypatch) -> None:
    called = []
    monkeypatch.setattr("bglab.lab.cli.os.execve", lambda *arguments: called.append(arguments))
    assert main(["lab", "--port", "8899", "--no-browser"]) == 0
    ((program, arguments, environment),) = called
    assert program == arguments[0]
    assert program.endswith("jupyter-lab")
    assert arguments[-3:] == ["--port", "8899", "--no-browser"]
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in arguments
    settings = Path(environment["JUPYTER_CONFIG_PATH"].split(os.pathsep)[-1])
    news = json.loads((settings / "labconfig" / "default_setting_overrides.json").read_text())
    assert news["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_other_commands_refuse_unknown_arguments(capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["duel", "first", "second", "--no-browser"])
    assert stopped.value.code == 2
    assert "--no-browser" in capsys.readouterr().err


BAD_RECIPES = {
    "unknown field": ({"layers": 3}, "layers"),
    "unknown network field": ({"network": {"depth": 3}}, "depth"),
    "unknown target": ({"target": "magic"}, "lambda_return"),
    "unknown target parameter": ({"target": {"name": "lambda_return", "mu": 1}}, "mu"),
    "unknown optimiser": ({"optimiser": "os"}, "sgd"),
    "no games": ({"games": 0}, "games"),
    "no start": ({"start": "elsewhere"}, "elsewhere"),
    "a list": ([1, 2], "object"),
}


@pytest.mark.parametrize("name", BAD_RECIPES)
def test_bad_recipes(name: str, tmp_path, capsys) -> None:
    fields, named = BAD_RECIPES[name]
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(fields))
    assert main(["train", str(path), "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert named in error
    assert error.startswith("bglab: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["train", "missing.json", "--out", "x"], "missing.json"),
        (["duel", "nobody", "nobody"], "nobody"),
        (["tournament", "nobody", "somebody", "--processes", "1"], "nobody"),
        (["tournament", "N80-L2-sigmoid-800k-lam07", "--processes", "1"], "two or more"),
        (["tournament", "a", "b", "--processes", "2", "--cluster", "tcp://x:1"], "not both"),
        (["tournament", "a", "b", "--length", "0"], "1 to 1000 points"),
        (["study", "nothing"], "lambda"),
        (["study", "lambda", "--preset", "huge"], "paper"),
        (["bench", "nothing"], "selfplay.small"),
    ],
)
def test_bad_arguments(arguments: list[str], named: str, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert named in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_not_json(tmp_path, capsys) -> None:
    path = tmp_path / "recipe.json"
    for text in ("{games: 3", "[" * 100_000):
        path.write_text(text)
        assert main(["train", str(path), "--out", str(tmp_path / "run")]) == 2
        assert "not JSON" in capsys.readouterr().err


def test_unknown_command(capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["fly"])
    assert stopped.value.code == 2


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [(BrokenExecutor(), 1, "a worker process died"), (KeyboardInterrupt(), 130, "interrupted")],
)
def test_what_is_left_is_said(raised, status, said, monkeypatch, capsys) -> None:
    def dies(options):
        raise raised

    monkeypatch.setitem(cli.RUNS, "study", dies)
    assert main(["study", "seeds"]) == status
    assert capsys.readouterr().err == (
        f"bglab: {said}"
        f"{' (killed, or out of memory)' * (status == 1)}"
        "; what is done is kept in runs/, give the same command to go on.\n"
    )


def test_a_reader_that_goes_away_is_no_fault() -> None:
    command = f"{sys.executable} -m bglab corpus show gnubg-cube | head -n 0; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert ended.returncode in (0, 1)


def test_a_corpus_is_made_shown_and_used(tmp_path, capsys) -> None:
    out, names = tmp_path / "small.csv.gz", ["--player", DEFAULT, "--reference", DEFAULT]
    sizes = ["--games", "16", "--decisions", "40", "--processes", "1"]
    assert main(["corpus", "make", str(out), *names, *sizes]) == 0
    assert "40 checker decisions" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["small.csv.gz"]
    assert main(["corpus", "make", str(out), *names, *sizes]) == 2
    assert "there already" in capsys.readouterr().err
    assert (
        main(
            [
                "corpus",
                "make",
                str(tmp_path / "b.csv.gz"),
                "--reference",
                "parameter:sketch",
                *names[:2],
                *sizes,
            ]
        )
        == 2
    )
    assert "gives no equities" in capsys.readouterr().err
    assert main(["corpus", "show", str(out)]) == 0
    assert "player: " + DEFAULT in capsys.readouterr().out
    table = tmp_path / "rates.csv"
    asked = ["error-rate", DEFAULT, "parameter:sketch", "--corpus", str(out), "--processes", "1"]
    assert main([*asked, "--csv", str(table)]) == 0
    text = capsys.readouterr().out
    assert "the same choice in" in text
    rows = pd.read_csv(table, index_col="agent")
    assert rows.loc[DEFAULT, "mpd"] < 0.01
    assert rows.loc["parameter:sketch", "mpd"] > 1
    assert rows.loc[DEFAULT, "n"] == 40
    assert main([*asked, "--parts", str(tmp_path / "parts")]) == 0
    kept = sorted((tmp_path / "parts").rglob("*.json"))
    assert len({path.parent for path in kept}) == 2
    kept[0].unlink()
    before = [path.stat().st_mtime_ns for path in kept[1:]]
    assert main([*asked, "--parts", str(tmp_path / "parts")]) == 0
    assert kept[0].exists()
    assert [path.stat().st_mtime_ns for path in kept[1:]] == before
    capsys.readouterr()
    assert main(["error-rate", DEFAULT, "--corpus", str(tmp_path / "none.csv.gz")]) == 2
    assert "There is no corpus" in capsys.readouterr().err
