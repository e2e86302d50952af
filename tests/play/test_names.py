"""Names that mean no agent: what was typed is shown, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bglab import InputError, load
from bglab.cube.metfile import load_met
from bglab.play.names import FirstTurn


def refused(name: object) -> str:
    with pytest.raises(InputError) as caught:
        load(name)
    text = str(caught.value)
    assert text.count(". ") == text.count("\n") == 0
    return text


@pytest.mark.parametrize(
    "name",
    [
        "GNUBG:0ply",
        "xg:2ply",
        "xg:match",
        "xg:2ply:match",
        "first:match:1ply",
        "gnubg:2ply:TINY",
        "sage",
        "",
        None,
        5,
    ],
)
def test_a_name_is_shown_whole(name: object, unchecked: None) -> None:
    assert f"There is no agent {str(name)!r}: give" in refused(name)


@pytest.mark.parametrize("name", ["net.npz", "folder/net.pt", "net.npz:1ply", "net.npz:match"])
def test_networks_of_puretd_want_their_prefix(name: str) -> None:
    assert f"write puretd:{name} for one of PureTD's" in refused(name)
    assert "There is no PureTD network" in refused(f"puretd:{name}")


def puretd(path: Path, inputs: int, outputs: int) -> str:
    rng = np.random.default_rng(0)
    sizes = enumerate(((inputs, 8), (8, outputs)))
    layers = {f"W{k}": rng.normal(size=shape).astype(np.float32) for k, shape in sizes}
    np.savez(path, **layers, b0=np.zeros(8, np.float32), b1=np.zeros(outputs, np.float32))
    return f"puretd:{path}"


def test_only_outcomes_decide_at_a_match_score(tmp_path: Path) -> None:
    """Told when it is loaded, and not within a match."""
    worths = [puretd(tmp_path / "cubeful.npz", 200, 1), puretd(tmp_path / "chance.npz", 196, 1)]
    for name in (*worths, f"{worths[0]}:1ply", "first", "parameter:origin", "parameter:origin:1ply"):
        load(name)
        assert f"{name!r} gives no outcomes" in refused(f"{name}:match")
    five = puretd(tmp_path / "five.npz", 196, 5)
    for name in (five, f"{five}:1ply"):
        agent = load(f"{name}:match")
        assert agent.table is load_met()
        assert agent.name == f"{name}:match"


def test_names_of_agents(tmp_path: Path) -> None:
    name = puretd(tmp_path / "five.npz", 196, 5)
    assert load(name).name == "puretd:five"
    assert load(f"{name}:1ply").name == f"{name}:1ply"
    assert load("parameter:origin").name == "parameter:origin"
    assert isinstance(load("first").evaluator, FirstTurn)
