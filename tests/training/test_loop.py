"""The training loop: the same bits for the same seed whatever interrupts it, and every reason to stop named."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from bglab.errors import InputError
from bglab.training.checkpoint import State
from bglab.training.loop import CHECKPOINT, NETWORK, Run, train
from bglab.training.recipe import Recipe
from bglab.value.evaluator import Evaluator
from bglab.value.netfile import load_network
from bglab.value.network import Network, NetworkSpec
from bglab.value.outcome import swap

TINY = Recipe(network=NetworkSpec((8,)), lanes=32, plies=20, games=100)
SEED = 1


def run(recipe: Recipe = TINY, seed: int = SEED, **options) -> Run:
    return train(recipe, seed, progress=False, **options)


@pytest.fixture(scope="module")
def whole() -> Run:
    """A run that nothing interrupts."""
    return run()


@pytest.fixture
def loosely():
    """Optax mixes types of numbers in its own code."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def same(one: Network, other: Network) -> bool:
    return one.spec == other.spec and all(jax.tree.leaves(jax.tree.map(np.array_equal, one, other)))


def curve_of(each: Run) -> list[list[float]]:
    """What a run recorded, but for the time it took."""
    return each.curve.drop(columns="seconds").fillna(-1).to_numpy().tolist()


def assert_same(found: Run, wanted: Run) -> None:
    assert found.finished
    assert same(found.network, wanted.network)
    assert curve_of(found) == curve_of(wanted)


def test_the_same_seed_gives_the_same_bits(whole):
    assert_same(run(), whole)


def test_another_seed_gives_another_network(whole):
    other = run(seed=SEED + 1)
    assert not same(other.network, whole.network)
    assert curve_of(other) != curve_of(whole)


def test_exactly_the_games_asked_for(whole):
    games = whole.curve["games"]
    assert games.iloc[-1] == TINY.games
    assert (games.diff().dropna() >= 0).all()
    assert games.iloc[-2] < TINY.games
    assert whole.finished
    assert ((whole.curve["positions"] == 0) == whole.curve["loss"].isna()).all()
    assert whole.made_by == {"recipe": TINY.describe(), "seed": SEED, "games": TINY.games}


def test_it_learns(whole):
    losses = whole.curve["loss"].dropna()
    assert losses.iloc[0] == pytest.approx(np.log(6), abs=0.05)
    assert losses.iloc[-1] < losses.iloc[0] - 0.005


def test_the_files_of_a_finished_run(whole, tmp_path):
    finished = run(out=tmp_path / "a" / "b", every=3)
    assert_same(finished, whole)
    assert sorted(os.listdir(tmp_path / "a" / "b")) == sorted([CHECKPOINT, NETWORK])
    network, made_by = load_network(tmp_path / "a" / "b" / NETWORK)
    assert same(network, whole.network)
    assert made_by == whole.made_by
    assert Recipe.from_dict(made_by["recipe"]).describe() == TINY.describe()
    assert_same(run(out=tmp_path / "a" / "b", resume=True), whole)


class StopError(Exception):
    """Raised to end a run from outside."""


def at(round: int, action):
    def on_round(state: State) -> None:
        if state.rounds == round:
            action()

    return on_round


def stop() -> None:
    raise StopError


@pytest.mark.parametrize("rounds", [1, 4, 9])
def test_resuming_after_a_crash(whole, tmp_path, rounds):
    """From the last checkpoint, wherever the run broke off, to the same bits."""
    with pytest.raises(StopError):
        run(out=tmp_path, every=4, on_round=at(rounds, stop))
    assert (tmp_path / CHECKPOINT).exists() == (rounds >= 4)
    assert not (tmp_path / NETWORK).exists()
    assert_same(run(out=tmp_path, resume=True, every=4), whole)


def test_resuming_again_and_again(whole, tmp_path):
    for rounds in (2, 3, 7):
        with pytest.raises(StopError):
            run(out=tmp_path, resume=True, every=1, on_round=at(rounds, stop))
    assert_same(run(out=tmp_path, resume=True), whole)


SCRIPT = """
import sys
from bglab.training.loop import train
from bglab.training.recipe import Recipe
from bglab.value.network import NetworkSpec

recipe = Recipe(network=NetworkSpec((8,)), lanes=32, plies=20, games=100)
train(recipe, 1, sys.argv[1], every=1, progress=False, on_round=lambda state: print(state.rounds, flush=True))
"""


def test_resuming_after_kill_9(whole, tmp_path, root):
    """A process that is killed in the middle of a round, and without the type checks of the tests."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True
    )
    with process:
        for line in process.stdout:
            if int(line) == 6:
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    rounds = []
    resumed = run(out=tmp_path, resume=True, on_round=lambda state: rounds.append(state.rounds))
    assert 7 <= rounds[0] <= len(whole.curve)
    assert_same(resumed, whole)


def test_ctrl_c_leaves_a_usable_checkpoint(whole, tmp_path):
    before = signal.getsignal(signal.SIGINT)
    interrupted = run(out=tmp_path, on_round=at(5, partial(signal.raise_signal, signal.SIGINT)))
    assert signal.getsignal(signal.SIGINT) is before
    assert not interrupted.finished
    assert len(interrupted.curve) == 5
    assert not (tmp_path / NETWORK).exists()
    assert interrupted.made_by["games"] == interrupted.curve["games"].iloc[-1]
    assert_same(run(out=tmp_path, resume=True), whole)


def test_a_second_ctrl_c_stops_at_once(whole, tmp_path):
    def twice() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(out=tmp_path, every=3, on_round=at(5, twice))
    assert signal.getsignal(signal.SIGINT) is before
    assert_same(run(out=tmp_path, resume=True), whole)


def test_in_a_thread(whole):
    """Where there are no signals, as in a notebook's worker: the same bits."""
    results = []
    thread = threading.Thread(target=lambda: results.append(run()))
    thread.start()
    thread.join()
    assert_same(results[0], whole)


def test_progress_is_shown(capsys):
    train(dataclasses.replace(TINY, games=15), SEED)
    shown = capsys.readouterr().err
    assert "15/15" in shown
    assert "games/s" in shown
    assert "loss=" in shown


def flip_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)


@pytest.fixture
def broken_off(tmp_path) -> Path:
    with pytest.raises(StopError):
        run(out=tmp_path, every=1, on_round=at(3, stop))
    return tmp_path


@pytest.mark.parametrize(
    ("change", "options", "why"),
    [
        (None, {}, r"already holds a checkpoint: resume it, or choose another folder\.$"),
        (None, {"resume": True, "seed": 2}, "belongs to another run: its seed is 1, not 2"),
        (
            None,
            {"resume": True, "recipe": dataclasses.replace(TINY, plies=21)},
            "belongs to another run: its plies is 20, not 21",
        ),
        (flip_byte, {"resume": True}, r"is damaged \(its digest differs\): restore it or make it anew"),
        (lambda path: path.write_bytes(b""), {"resume": True}, "is damaged"),
    ],
    ids=["not asked for", "another seed", "another recipe", "damaged", "empty"],
)
def test_checkpoints_that_are_refused(broken_off, change, options, why):
    path = broken_off / CHECKPOINT
    if change:
        change(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=why):
        run(out=broken_off, **options)
    assert path.read_bytes() == before
    assert os.listdir(broken_off) == [CHECKPOINT]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"seed": -1}, "A seed is a whole number from 0 to 4294967295, not -1"),
        ({"seed": 2**32}, "A seed is a whole number"),
        ({"seed": "one"}, "A seed is a whole number"),
        ({"every": 0}, "Checkpoints are written every 1 or more rounds, not 0"),
        ({"every": 2.5}, "Checkpoints are written every 1 or more rounds, not 2.5"),
        ({"resume": True}, "Resuming needs the folder with the checkpoint: pass out"),
    ],
)
def test_bad_options_are_refused(options, why):
    with pytest.raises(InputError, match=why):
        run(**options)


def test_a_folder_that_cannot_be_written_is_refused_before_the_first_round(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(InputError, match=r"cannot hold a checkpoint .*: choose another folder"):
            run(out=out, on_round=at(1, stop))


@pytest.mark.usefixtures("unchecked")
def test_whole_numbers_of_other_libraries_are_seeds(whole, tmp_path):
    with pytest.raises(StopError):
        run(seed=np.int64(SEED), out=tmp_path, every=2, on_round=at(2, stop))
    assert_same(run(out=tmp_path, resume=True), whole)


class Fourth:
    """A target of a notebook's own: half the result after the turn, half even."""

    def __init__(self) -> None:
        self.checkers: set[int] = set()

    def __call__(self, trace, evaluator: Evaluator):
        self.checkers.add(trace.checkers)
        following = swap(jnp.roll(evaluator(trace.positions), -1, axis=0))
        won = jnp.zeros_like(following).at[:, 0].set(1)
        return jnp.where(trace.last[:, None], won, 0.5 * following + 0.5 / 6)


def test_a_target_of_ones_own_in_a_game_of_another_kind():
    """A fourth target in the same loop, for hypergammon, told that there are three checkers."""
    target = Fourth()
    recipe = dataclasses.replace(TINY, target=target, start="hypergammon", games=60)
    found = run(recipe)
    assert found.curve["games"].iloc[-1] == 60
    assert target.checkers == {3}
    assert found.curve["loss"].dropna().iloc[-1] < np.log(6) + 0.01
    assert same(run(recipe).network, found.network)


def wide(trace, evaluator):
    return jnp.zeros((trace.positions.shape[0], 5))


def short(trace, evaluator):
    return evaluator(trace.positions)[:-1]


def whole_numbers(trace, evaluator):
    return jnp.zeros((trace.positions.shape[0], 6), jnp.int32)


def nothing(trace, evaluator):
    return None


@pytest.mark.parametrize(
    ("target", "found"),
    [
        (wide, r"float32\[1024, 5\]"),
        (short, r"float32\[1023, 6\]"),
        (whole_numbers, r"int32\[1024, 6\]"),
        (nothing, "None"),
    ],
)
def test_a_target_of_another_shape_is_refused(target, found):
    why = rf"^The recipe's target returned {found}: it must return one row of six outcomes .*, float32\[1024, 6\]\.$"
    with pytest.raises(InputError, match=why):
        run(dataclasses.replace(TINY, target=target))


def not_finite(trace, evaluator):
    return evaluator(trace.positions) / 0


def test_a_target_that_is_not_finite_is_refused():
    with pytest.raises(InputError, match="The recipe's target returned numbers that are not finite"):
        run(dataclasses.replace(TINY, target=not_finite))


def test_a_diverging_run_is_refused_and_keeps_its_last_checkpoint(tmp_path):
    recipe = dataclasses.replace(TINY, optimiser=partial(optax.sgd, 1e38))
    with pytest.raises(
        InputError, match=r"^Training diverged to numbers that are not finite: lower the learning rate"
    ):
        run(recipe, out=tmp_path, every=1)
    assert os.listdir(tmp_path) == [CHECKPOINT]


def test_a_recipe_whose_games_are_all_too_long_is_refused():
    """Else it would go on for ever."""
    with pytest.raises(
        InputError, match=r"None of the first \d+ games ended within .* longest of 5 plies: raise it"
    ):
        run(dataclasses.replace(TINY, longest=5))


def test_games_that_are_too_long_are_counted_and_left_out():
    longest = 60
    found = run(dataclasses.replace(TINY, longest=longest, games=40))
    assert found.curve["too_long"].iloc[-1] > 0
    assert (found.curve["too_long"].diff().dropna() >= 0).all()
    assert found.curve["games"].iloc[-1] == 40
    assert found.curve["positions"].sum() <= 40 * longest


@pytest.mark.usefixtures("loosely")
def test_adam_in_batches_with_a_schedule_and_resumed(tmp_path):
    """Its state, moments and a count of steps, is in the checkpoint; a schedule is recognised."""

    def recipe() -> Recipe:
        schedule = optax.cosine_decay_schedule(0.01, 200)
        return dataclasses.replace(TINY, optimiser=partial(optax.adam, schedule), batch=64, games=50)

    wanted = run(recipe())
    with pytest.raises(StopError):
        run(recipe(), out=tmp_path, every=2, on_round=at(5, stop))
    assert_same(run(recipe(), out=tmp_path, resume=True), wanted)
    assert wanted.curve["loss"].iloc[-1] < np.log(6) - 0.005


@pytest.mark.parametrize("value", [-5.0, 1.0, 0.0])
def test_a_target_of_no_probabilities_is_refused(value):
    recipe = dataclasses.replace(TINY, target=lambda trace, _: jnp.full((len(trace.last), 6), value))
    with pytest.raises(InputError, match="no probabilities of the six outcomes"):
        run(recipe)
