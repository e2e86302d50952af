"""The contest of real matches, and the command that evolves a brain with it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bglab.errors import InputError
from bglab.lab import evolve
from bglab.lab.cli import main
from bglab.training.generations import CHECKPOINT, PROGRESS
from bglab.value.netfile import save_network
from bglab.value.parameter import Brain, load_brain, read_brain, save_brain, weights_of
from tests.samples import lively

ORIGIN = np.array(list(weights_of(load_brain("origin")).values()))


def test_a_contest_ties_for_the_same_brain_and_mirrors():
    contest = evolve.match_contest(1)
    careless = ORIGIN.copy()
    careless[:4] *= -1  # it runs the wrong way
    assert contest(ORIGIN, ORIGIN, 64, 5) == 32
    won = contest(ORIGIN, careless, 64, 5)
    assert won > 40
    assert contest(careless, ORIGIN, 64, 5) == 64 - won
    assert contest(ORIGIN, careless, 64, 5) == won


def test_a_pair_given_up_counts_as_one_win_each(monkeypatch):
    class Result:
        wins, too_long = 5, 2

    monkeypatch.setattr(evolve, "play_matches", lambda *arguments, **options: Result)
    assert evolve.match_contest()(ORIGIN, ORIGIN, 14, 0) == 7


def test_brains_are_found_by_name_and_path(tmp_path):
    path = tmp_path / "mine.json"
    save_brain(Brain(-ORIGIN), path)
    assert evolve.brain_weights("parameter:origin") == tuple(ORIGIN.tolist())
    for name in (path, str(path), f"parameter:{path}"):
        assert evolve.brain_weights(name) == tuple((-ORIGIN).tolist())
    with pytest.raises(InputError, match="There is no brain"):
        evolve.brain_weights("parameter:nobody")
    save_network(lively(0), tmp_path / "net.safetensors")
    with pytest.raises(InputError, match="net is no parameter AI"):
        evolve.brain_weights(tmp_path / "net.safetensors")


@pytest.fixture
def quick(monkeypatch):
    """Contests without games, of any length: whoever has the larger G5 wins more."""
    lengths = []

    def match_contest(length):
        lengths.append(length)
        return lambda new, old, matches, seed: int(np.clip(matches // 2 + new[12] - old[12], 0, matches))

    monkeypatch.setattr(evolve, "match_contest", match_contest)
    return lengths


def test_evolve_and_resume(tmp_path, quick, capsys):
    out = tmp_path / "run"
    command = ["evolve", "--matches", "20", "--length", "3", "--seed", "2", "--out", str(out)]
    assert main([*command, "--generations", "4"]) == 0
    assert "4 generations" in capsys.readouterr().out
    assert main([*command, "--generations", "4"]) == 2
    assert "resume" in capsys.readouterr().err
    assert main([*command, "--generations", "9", "--resume"]) == 0
    assert quick == [3, 3, 3]
    text = capsys.readouterr().out
    state = json.loads((out / CHECKPOINT).read_text())["state"]
    assert (state["generation"], len(state["history"])) == (9, 9)
    assert state["champions"]
    for champion in state["champions"]:
        path = out / f"champion-{champion['generation']:05d}.json"
        assert str(path) in text
        brain, name, made_by = read_brain(path)
        assert list(weights_of(brain).values()) == champion["weights"]
        assert name == f"origin-2-{champion['generation']}"
        assert made_by["recipe"]["length"] == 3
    assert (out / PROGRESS).read_text().count("\n") == 10
    assert main([*command[:-3], "3", "--out", str(out), "--generations", "9", "--resume"]) == 2
    assert "its seed is 2, not 3" in capsys.readouterr().err


def test_a_champion_is_a_start(tmp_path, quick, capsys):
    out = tmp_path / "run"
    save_brain(Brain(ORIGIN), tmp_path / "mine.json")
    command = ["evolve", "--start", str(tmp_path / "mine.json"), "--generations", "2", "--out", str(out)]
    assert main([*command, "--baseline", "parameter:origin", "--R", "20"]) == 0
    recipe = json.loads((out / CHECKPOINT).read_text())["recipe"]
    assert (recipe["name"], recipe["R"], recipe["baseline"]) == ("mine", 20, ORIGIN.tolist())


def test_ctrl_c_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def match_contest(length):
        def contest(*asked):
            raise KeyboardInterrupt

        return contest

    monkeypatch.setattr(evolve, "match_contest", match_contest)
    assert main(["evolve", "--out", str(tmp_path / "run")]) == 130
    assert "--resume" in capsys.readouterr().err
    assert (tmp_path / "run" / CHECKPOINT).exists()


@pytest.mark.parametrize(
    ("option", "words"),
    [(["--matches", "7"], "even number"), (["--R", "0"], "percentage"), (["--length", "0"], "length")],
)
def test_bad_options_are_refused_before_anything_is_written(tmp_path, option, words, capsys):
    assert main(["evolve", *option, "--out", str(tmp_path / "run")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
