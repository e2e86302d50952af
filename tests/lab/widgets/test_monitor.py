"""Training watched: the same network as without, stop and resume, curves and strength, what goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pandas as pd
import pytest

from bglab import Agent, InputError, NetworkSpec, Recipe, TrainingMonitor, train
from bglab.lab.widgets.course_plot import picture

TINY = Recipe(network=NetworkSpec((8,)), lanes=32, plies=20, games=100)


class Counter:
    """A cheap opponent: it likes many points."""

    on_host = True

    def __call__(self, positions: Any, cube: Any = None) -> Any:
        words = np.asarray(positions)[:, 4:]
        return (np.bitwise_count(np.bitwise_or.reduce(words, 1)) / 32).astype(np.float32)


RIVAL = Agent("counter", Counter())


def same(first: Any, second: Any) -> bool:
    pairs = zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


def monitor(folder: Path | None = None, **options: Any) -> TrainingMonitor:
    options = {"opponent": RIVAL, "every": 40, "games": 8} | options
    return TrainingMonitor(TINY, 3, folder, **options)


def ended(watched: TrainingMonitor) -> TrainingMonitor:
    assert watched.wait(300.0)
    return watched


@pytest.fixture(scope="module")
def plain() -> Any:
    return train(TINY, 3, progress=False)


@pytest.fixture(scope="module")
def watched() -> TrainingMonitor:
    return ended(monitor())


def test_the_network_is_the_same_as_without_a_monitor(plain: Any, watched: TrainingMonitor) -> None:
    assert watched.course.error == ""
    assert watched.run.finished
    assert same(watched.run.network, plain.network)
    assert same(watched.agent.evaluator, plain.network)
    pd.testing.assert_frame_equal(
        watched.curve.drop(columns="seconds"), plain.curve.drop(columns="seconds"), check_dtype=False
    )


def test_strength_is_measured_every_so_many_rounds_and_at_the_end(watched: TrainingMonitor) -> None:
    rounds, strength = len(watched.curve), watched.strength
    assert strength["round"].tolist() == sorted({*range(40, rounds, 40), rounds})
    assert (strength["low"] <= strength["value"]).all()
    assert (strength["n"] == 4).all()
    assert strength["games"].iloc[-1] == watched.curve["games"].iloc[-1]


def test_the_picture_and_the_words(watched: TrainingMonitor) -> None:
    assert bytes(watched.image.value).startswith(b"\x89PNG")
    assert "finished" in watched.status.value
    assert watched.bar.value == 1
    assert watched.go.disabled
    assert watched.halt.disabled
    forms = watched.static()
    assert 'src="data:image/png;base64,' in forms["text/html"]
    assert "<script" not in forms["text/html"]
    assert "finished" in forms["text/plain"]


def test_stop_and_resume_give_the_same_network(plain: Any, tmp_path: Path) -> None:
    first = monitor(tmp_path, opponent=None, start=False)
    changed, stops = first._changed, [2, 5]

    def stop_after_some_rounds() -> None:
        if stops and len(first.curve) == stops[0] and first.course.running:
            stops.pop(0)
            first.stop()
        changed()

    first.course._changed = stop_after_some_rounds
    assert first.go.description == "Start"
    first.resume()
    ended(first)
    assert "stopped after" in first.status.value
    assert not first.run.finished
    assert len(first.run.curve) == 2
    assert first.go.description == "Resume"
    assert not first.go.disabled
    first.go.click()
    ended(first)
    assert len(first.curve) == 5
    # Another kernel goes on from the folder.
    second = ended(monitor(tmp_path, opponent=None))
    assert second.run.finished
    assert same(second.run.network, plain.network)
    assert (tmp_path / "network.safetensors").exists()


def test_what_goes_wrong_is_told(tmp_path: Path, unchecked: None) -> None:
    ended(monitor(tmp_path, opponent=None))
    other = ended(TrainingMonitor(TINY, 4, tmp_path, opponent=None))
    assert "seed" in other.status.value or "checkpoint" in other.status.value
    assert other.run is None
    assert other.go.description == "Resume"
    for wrong in ({"every": 0}, {"games": 3}):
        with pytest.raises(InputError):
            monitor(**wrong)
    with pytest.raises(InputError, match="Recipe"):
        TrainingMonitor("recipe")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="0 to 4294967295"):
        TrainingMonitor(TINY, -1)


def test_a_picture_of_one_round_and_of_many() -> None:
    one = pd.DataFrame(
        [(0, 0, np.nan, 0, 0.0)], columns=["games", "positions", "loss", "too_long", "seconds"]
    )
    none = pd.DataFrame(columns=["round", "games", "value", "low", "high", "n"], dtype=float)
    many = pd.DataFrame([(250 * k, 100, 1 / k, 0, 0.5) for k in range(1, 200)], columns=one.columns)
    strength = pd.DataFrame(
        [(20, 5000, -1.0, -1.1, -0.9, 500), (40, 10000, -0.5, -0.6, -0.4, 500)], columns=none.columns
    )
    pictures = [
        picture(one, none, "rival", 100),
        picture(many, none, None, 100_000),
        picture(many, strength, "rival", 100_000),
    ]
    assert all(each.startswith(b"\x89PNG") for each in pictures)
    assert len(set(pictures)) == 3
