"""PureTD's networks: the published values, what each kind answers, what is refused, and the openings they play."""

from __future__ import annotations

import csv
import os
import sys
from io import BytesIO
from pathlib import Path
from pickle import UnpicklingError
from types import SimpleNamespace
from zipfile import ZipFile

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import save_file

from bglab import Agent, InputError, Position, load
from bglab.cube.action import cube_action
from bglab.rules.planes import pack
from bglab.value.evaluator import worth
from bglab.value.outcome import POINTS
from bglab.value.puretd import CubefulMoney, FiveChances, WinChance, from_state, load_puretd, nested

FOLDER = Path(os.environ.get("BGLAB_PURETD", "missing"))
NETWORKS = {
    "dmp_512_512_256_256": WinChance,
    "dmp_256_256_256": WinChance,
    "cubeless_prob5_512_512_256_128": FiveChances,
    "cubeful_money_512_512_256_256": CubefulMoney,
}
published = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="BGLAB_PURETD does not name a folder with PureTD's networks"
)


@pytest.fixture(scope="module")
def values() -> dict[str, np.ndarray]:
    with open(FOLDER / "values.csv") as file:
        rows = list(csv.DictReader(file))
    table = {name: np.array([float(row[name] or "nan") for row in rows]) for name in list(rows[0])[1:]}
    return table | {"planes": pack([Position.from_id(row["position_id"]) for row in rows])}


@pytest.fixture(scope="module")
def networks() -> dict[str, object]:
    return {name: load_puretd(FOLDER / f"{name}.npz") for name in NETWORKS}


@published
def test_each_file_is_told_by_its_shape(networks) -> None:
    assert {name: type(network) for name, network in networks.items()} == NETWORKS


@published
@pytest.mark.parametrize("ready", [False, True])
def test_published_values(networks, values, ready: bool) -> None:
    made = {name: jax.jit(type(each).prepared)(each) if ready else each for name, each in networks.items()}
    planes = jnp.asarray(values["planes"])
    for name in ("dmp_512_512_256_256", "dmp_256_256_256"):
        found = jax.jit(type(made[name]).chance)(made[name], planes)
        assert np.abs(found - values[f"dmp_win_{name[4:]}"]).max() < 1e-4
    names = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
    chances = made["cubeless_prob5_512_512_256_128"]
    five = np.stack([values[name] for name in names], 1)
    assert np.abs(jax.jit(type(chances).chances)(chances, planes) - five).max() < 1e-4
    cubeful = made["cubeful_money_512_512_256_256"]
    equity = jax.jit(type(cubeful).equity)
    for owner, name in ((0, "centered"), (1, "own"), (-1, "opponent")):
        cube = jnp.full(len(planes), owner, jnp.int32)
        for doubles, kind in ((False, "roll"), (True, "cube")):
            want = values[f"cubeful_{name}_{kind}"]
            if np.isnan(want).all():
                continue
            found = equity(cubeful, planes, cube, jnp.full(len(planes), doubles))
            assert np.abs(found - want).max() < 1e-4


@published
def test_outcomes_are_a_distribution_of_the_published_equity(networks, values) -> None:
    outcomes = np.asarray(networks["cubeless_prob5_512_512_256_128"](jnp.asarray(values["planes"])))
    assert outcomes.min() > -1e-6
    assert np.allclose(outcomes.sum(1), 1, atol=1e-5)
    equity = 2 * values["win"] + values["win_gammon"] + values["win_backgammon"]
    equity -= values["lose_gammon"] + values["lose_backgammon"] + 1
    # Clamping moves an equity only where the network contradicts itself.
    assert np.median(np.abs(outcomes @ POINTS - equity)) < 1e-5


@published
def test_the_cube_is_the_networks_own(networks, values) -> None:
    network, planes = networks["cubeful_money_512_512_256_256"], jnp.asarray(values["planes"])
    owner = jnp.zeros(len(planes), jnp.int32)
    double, take = cube_action(network, planes, owner, jnp.ones(len(planes), bool))
    hold, taken = values["cubeful_centered_roll"], 2 * values["cubeful_opponent_roll"]
    clear = (np.abs(taken - 1) > 1e-3) & (np.abs(np.minimum(taken, 1) - hold) > 1e-3)
    assert (np.asarray(take) == (taken <= 1))[clear].all()
    assert (np.asarray(double) == (np.minimum(taken, 1) > hold))[clear].all()
    assert 0 < np.asarray(double).sum() < len(planes)
    asked = worth(network(planes, owner))
    assert np.abs(asked - values["cubeful_centered_cube"]).max() < 1e-4


OPENINGS = {(3, 1): "8/5 6/5", (4, 2): "8/4 6/4", (6, 1): "13/7 8/7", (6, 5): "24/13", (5, 3): "8/3 6/3"}


@published
@pytest.mark.parametrize("name", ["cubeless_prob5_512_512_256_128", "cubeful_money_512_512_256_256"])
def test_openings_that_must_be_found(name: str) -> None:
    agent = load(f"puretd:{FOLDER / name}.npz")
    assert {dice: agent.choose(Position.start(), dice).play for dice in OPENINGS} == OPENINGS


@published
def test_an_agent_says_what_its_numbers_are() -> None:
    agent = load(f"puretd:{FOLDER / 'dmp_256_256_256'}.npz")
    assert agent.name == "puretd:dmp_256_256_256"
    table = agent.rank(Position.of(me={1: 1}, opp={6: 15}), (2, 1))
    assert table["2p - 1"].iloc[0] == 1  # a gammon is a win like any other


def small(inputs: int, outputs: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    made = {}
    for k, (n, m) in enumerate(((inputs, 8), (8, outputs))):
        made[f"W{k}"] = rng.normal(size=(n, m)).astype(np.float32)
        made[f"b{k}"] = rng.normal(size=m).astype(np.float32)
    return made


@pytest.mark.parametrize(
    ("inputs", "outputs", "kind"), [(196, 1, WinChance), (196, 5, FiveChances), (200, 1, CubefulMoney)]
)
def test_kinds(tmp_path: Path, inputs: int, outputs: int, kind: type) -> None:
    arrays = small(inputs, outputs)
    np.savez(tmp_path / "net.npz", **arrays)
    network = load_puretd(tmp_path / "net.npz")
    assert type(network) is kind
    planes = jnp.asarray(pack([Position.start()]))
    values = network(planes)
    assert np.allclose(network.prepared()(planes), values, atol=1e-5)
    # The layers by hand.
    x = np.zeros(inputs, np.float32)
    x[:196] = np.asarray(network.body.features(planes))[0]
    if kind is CubefulMoney:
        x[196], x[199] = 1, 1
    x = np.maximum(x @ arrays["W0"] + arrays["b0"], 0) @ arrays["W1"] + arrays["b1"]
    if kind is CubefulMoney:
        assert values[0] == pytest.approx(x[0], rel=1e-4)
    elif kind is WinChance:
        assert values[0] == pytest.approx(2 / (1 + np.exp(-x[0])) - 1, abs=1e-5)
    else:
        assert np.allclose(network.chances(planes)[0], 1 / (1 + np.exp(-x)), atol=1e-5)


def test_five_chances_contain_one_another() -> None:
    chances = jnp.asarray(np.random.default_rng(1).random((1000, 5)), jnp.float32)
    win, gammon, backgammon, lose_gammon, lose_backgammon = np.asarray(nested(chances)).T
    assert (backgammon <= gammon).all()
    assert (gammon <= win).all()
    assert (lose_backgammon <= lose_gammon).all()
    assert (lose_gammon <= 1 - win).all()
    kept = jnp.asarray([[0.6, 0.2, 0.01, 0.1, 0.0]], jnp.float32)
    assert np.array_equal(nested(kept), kept)


def test_torch_names_are_read(tmp_path: Path) -> None:
    arrays = small(196, 5)
    kinds = (("weight", "W"), ("bias", "b"))
    state = {f"net.{2 * k}.{kind}": arrays[f"{letter}{k}"].T for k in (0, 1) for kind, letter in kinds}
    assert all(np.array_equal(each, arrays[name]) for name, each in from_state(state, tmp_path).items())
    with pytest.raises(InputError, match=r"lacks net\.0\.bias"):
        from_state({"net.0.weight": arrays["W0"].T}, tmp_path)


def test_a_torch_file_needs_torch(tmp_path: Path) -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        (tmp_path / "net.pt").write_bytes(b"")
        with pytest.raises(InputError, match="needs torch"):
            load_puretd(tmp_path / "net.pt")
        return
    pytest.skip("torch is installed")


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no PureTD network"):
        load("puretd:nowhere.npz")
    (tmp_path / "text.npz").write_text("no")
    with pytest.raises(InputError, match="cannot be read"):
        load_puretd(tmp_path / "text.npz")
    for change, match in (
        ({"b1": np.zeros(7, np.float32)}, "no layer W1"),
        ({"W1": np.full((8, 1), np.nan, np.float32)}, "no layer W1"),
        (small(100, 1), "100 inputs"),
    ):
        np.savez(tmp_path / "bad.npz", **(small(196, 1) | change))
        with pytest.raises(InputError, match=match):
            load_puretd(tmp_path / "bad.npz")
    np.savez(tmp_path / "none.npz", x=np.zeros(3))
    with pytest.raises(InputError, match="holds no layers"):
        load_puretd(tmp_path / "none.npz")
    assert isinstance(Agent("kept", load_puretd(_good(tmp_path))), Agent)


def _zip_of_text(path: Path) -> None:
    with ZipFile(path, "w") as archive:
        archive.writestr("W0", "no")


def _cut(path: Path) -> None:
    np.savez_compressed(path, **small(196, 1))
    content = bytearray(path.read_bytes())
    content[300:400] = bytes(100)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda path: path.write_bytes(b""), "no .npz archive"),
        (lambda path: path.write_bytes(b"root:x:0:0:root:/root:/bin/bash"), "no .npz archive"),
        (lambda path: path.write_bytes(_array_file(np.zeros(3))), "no .npz archive"),
        (lambda path: path.write_bytes(b"\x80\x04pickle"), "no .npz archive"),
        (lambda path: save_file({"W0": np.zeros(3, np.float32)}, path), "no .npz archive"),
        (lambda path: np.savez(path, W0=np.array([{}], object)), "other things than numbers"),
        (_cut, "archive is damaged"),
        (_zip_of_text, "no layer W0"),
        (lambda path: np.savez(path, **small(196, 1) | {"W0": np.full((196, 8), "a")}), "no layer W0"),
        (lambda path: np.savez(path, **small(196, 1) | {"b1": np.zeros(1, complex)}), "no layer W1"),
        (lambda path: np.savez(path, **small(196, 1) | {"b1": np.full(1, 1e300)}), "no layer W1"),
        (lambda path: np.savez(path, **small(196, 1) | {"b1": np.zeros(1, "M8[s]")}), "no layer W1"),
    ],
)
def test_files_that_are_no_networks(tmp_path: Path, spoil, fault: str) -> None:
    path = tmp_path / "net.npz"
    spoil(path)
    with pytest.raises(InputError, match=fault) as refused:
        load_puretd(path)
    text = str(refused.value)
    assert text.startswith(str(path))
    assert "pickle" not in text
    assert text.count(". ") == text.count("\n") == 0


def test_doubles_are_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "net.npz", **{name: each.astype(float) for name, each in small(196, 1).items()})
    assert load_puretd(tmp_path / "net.npz").body.layers[0].weights.dtype == np.float32


def test_what_torch_refuses_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*args, **options):
        raise UnpicklingError("Weights only load failed. Re-running with weights_only=False may help.")

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(load=refuses))
    (tmp_path / "net.pt").write_bytes(b"no")
    with pytest.raises(InputError, match=r"net\.pt cannot be read by torch: give the \.npz file\.$"):
        load_puretd(tmp_path / "net.pt")


def _array_file(array: np.ndarray) -> bytes:
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


def _good(folder: Path) -> Path:
    np.savez(folder / "good.npz", **small(196, 1))
    return folder / "good.npz"
