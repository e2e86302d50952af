"""Runs of evolution on disk: killed at any moment and resumed alike, refused when they differ, their files."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from bglab import atomic
from bglab.errors import InputError
from bglab.training import generations
from bglab.training.evolution import EvolutionRecipe
from bglab.training.generations import CHECKPOINT, PROGRESS, champion_path, evolve, load_checkpoint, table
from bglab.value.parameter import read_brain, weights_of

START = (1000, *(np.arange(1, 22) * 17 * (-1) ** np.arange(21)).tolist(), 200, 1)
RECIPE = EvolutionRecipe(START, matches=20, generations=12, name="mine")
SEED = 4


def noisy(candidate, opponent, matches, seed):
    """A contest with luck: few weights count, the second cube number is worth nothing, the dice come from the seed."""
    gain = (candidate[1:5] - opponent[1:5]).sum() / 200
    return int(np.random.default_rng(seed).binomial(matches, 1 / (1 + np.exp(-gain))))


class Killed:
    """The same contest, interrupted once, at its n-th call."""

    def __init__(self, at: int, error: type[BaseException]) -> None:
        self.left, self.error = at, error

    def __call__(self, *asked):
        self.left -= 1
        if self.left == 0:
            raise self.error
        return noisy(*asked)


def run(out=None, contest=noisy, recipe=RECIPE, seed=SEED, **options):
    return evolve(recipe, seed, out, contest=contest, progress=False, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    state = run(out / "run")
    assert {"discarded", "rejected", "champion"} <= {row.outcome for row in state.history}
    return state, out / "run"


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_a_run_leaves(whole):
    state, folder = whole
    assert run() == state
    names = {champion_path(folder, champion).name for champion in state.champions}
    assert set(files(folder)) == {CHECKPOINT, PROGRESS, *names}
    progress = pd.read_csv(folder / PROGRESS, keep_default_na=False)
    pd.testing.assert_frame_equal(progress, table(state))
    assert progress["generation"].tolist() == list(range(1, 13))
    assert progress["frozen"].iloc[0] == "AT"
    assert load_checkpoint(folder / CHECKPOINT, RECIPE, SEED) == state


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_killed_at_any_contest_and_resumed_is_the_same_run(tmp_path, whole, error):
    state, folder = whole
    # At the scout, in the line search and at the gauntlet of some generations, the last ones among them.
    places, before = [1], 0
    for row in state.history:
        if row.outcome != "discarded" and len(places) < 8:
            places += [before + 1, before + 2 + row.steps // 2, before + 2 + row.steps]
        before += 1 + row.steps + (row.gauntlet > 0)
    assert len(places) > 6
    for at in [*places, before][error is RuntimeError :: 2]:
        out = tmp_path / str(at)
        if error is KeyboardInterrupt:
            partial = run(out, Killed(at, error))
            assert partial.generation < RECIPE.generations
            assert load_checkpoint(out / CHECKPOINT, RECIPE, SEED) == partial
            assert state.history[: partial.generation] == partial.history
        else:
            with pytest.raises(error):
                run(out, Killed(at, error))
        assert run(out, resume=True) == state
        assert files(out) == files(folder)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_killed_between_the_files_of_a_generation(tmp_path, whole, monkeypatch, error):
    state, folder = whole
    written = []
    write = generations.write_atomically
    for at in (1, 2, 3, 4, 7, 8, 12, 17):
        out = tmp_path / str(at)
        left = [at]

        def killing(path, content, left=left):
            left[0] -= 1
            if left[0] == 0:
                written.append(path.name)
                raise error
            write(path, content)

        for module in (generations, atomic):
            monkeypatch.setattr(module, "write_atomically", killing)
        if error is RuntimeError or at <= 2:
            with pytest.raises(error):
                run(out)
        else:
            assert run(out).generation < RECIPE.generations
        for module in (generations, atomic):
            monkeypatch.setattr(module, "write_atomically", write)
        assert run(out, resume=True) == state
        assert files(out) == files(folder)
    assert {CHECKPOINT, PROGRESS} < set(written)


def test_more_generations_go_on_from_a_finished_run(tmp_path, whole):
    state, _ = whole
    short = dataclasses.replace(RECIPE, generations=5)
    assert run(tmp_path / "run", recipe=short).history == state.history[:5]
    assert run(tmp_path / "run", resume=True) == state
    with pytest.raises(InputError, match="already has 12 generations, more than the recipe's 5"):
        run(tmp_path / "run", recipe=short, resume=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": (999, *START[1:])}, "its start is "),
        ({"R": 40}, "its R is 50, not 40"),
        ({"matches": 22}, "its matches is 20, not 22"),
        ({"length": 5}, "its length is 11, not 5"),
        ({"baseline": START[::-1]}, "its baseline is "),
        ({"name": "yours"}, "its name is 'mine', not 'yours'"),
    ],
)
def test_a_run_of_another_recipe_is_refused(whole, change, words):
    with pytest.raises(InputError, match=words) as caught:
        run(whole[1], recipe=dataclasses.replace(RECIPE, **change), resume=True)
    assert "\n" not in str(caught.value)


def test_a_run_of_another_seed_or_not_asked_to_resume_is_refused(tmp_path, whole):
    with pytest.raises(InputError, match="its seed is 4, not 5"):
        run(whole[1], seed=5, resume=True)
    with pytest.raises(InputError, match="already holds a checkpoint"):
        run(whole[1])
    with pytest.raises(InputError, match="pass out"):
        run(resume=True)
    with pytest.raises(InputError, match="A seed is a whole number"):
        run(seed=-1)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda text: text[:-40], "cannot be read"),
        (lambda text: "[" * 100_000, "cannot be read"),
        (lambda text: text.replace('"margin": ', '"margin": 1'), "digest"),
        (lambda text: "[]", "no checkpoint of evolution"),
        (lambda text: json.dumps({"kind": "brain"}), "no checkpoint of evolution"),
    ],
)
def test_a_damaged_checkpoint_is_refused(tmp_path, whole, spoil, words):
    path = tmp_path / CHECKPOINT
    path.write_text(spoil((whole[1] / CHECKPOINT).read_text()))
    with pytest.raises(InputError, match=words) as caught:
        run(tmp_path, resume=True)
    assert str(path) in str(caught.value)


def test_a_folder_that_cannot_hold_a_run_is_refused_before_it_begins(tmp_path):
    (tmp_path / "file").write_text("")
    called = []
    with pytest.raises(InputError, match="cannot be written"):
        run(tmp_path / "file", contest=lambda *asked: called.append(asked))
    assert not called


def test_a_champion_file_is_a_brain_that_says_what_made_it(whole):
    state, folder = whole
    for champion in state.champions:
        brain, name, made_by = read_brain(champion_path(folder, champion))
        assert tuple(weights_of(brain).values()) == champion.weights
        assert name == f"mine-4-{champion.generation}"
        assert made_by["seed"] == SEED
        assert (made_by["generation"], made_by["margin"]) == (champion.generation, champion.margin)
        assert made_by["gauntlet"] == champion.matches
        assert EvolutionRecipe.from_dict(made_by["recipe"] | {"generations": 12}) == RECIPE
