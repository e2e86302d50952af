"""PureTD's published networks (A. Strehl, backgammon-ai-engine, 2026, MIT licence): read and evaluated.

A file holds W0, b0, W1, b1, ... (float32, x @ W + b) with ReLU between layers; its inputs are the `puretd` encoding.
Three kinds are told apart by their shapes:

- one output of 196 inputs: a sigmoid, the chance that the side on roll wins; gammons do not exist for it;
- five outputs: sigmoids, the chances to win, win a gammon or better, win a backgammon, lose a gammon or worse and lose
  a backgammon, made here to contain one another;
- one output of 200 inputs: equity per unit of the present cube in money play under the Jacoby rule. The four more
  inputs say that the cube is in the middle, the roller's, the other side's, and that the side on roll may double now.
"""

from __future__ import annotations

import pickle
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, is_zipfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float32, Int32, UInt32

from bglab.errors import InputError
from bglab.value.network import Layer, Network, NetworkSpec, PreparedNetwork, above_first
from bglab.value.outcome import from_cumulative, nested
from bglab.value.pytree import pytree

WIDTH, CUBE_INPUTS = 196, 4


@pytree()
@dataclass(frozen=True)
class WinChance:
    """Worth is 2p − 1, p the chance that the side on roll wins: the equity of games that all count one point."""

    body: Network | PreparedNetwork
    currency = "2p - 1"

    def __call__(self, positions: UInt32[Array, "n 8"], cube: Any = None) -> Float32[Array, "n"]:
        return 2 * self.chance(positions) - 1

    def chance(self, positions: UInt32[Array, "n 8"]) -> Float32[Array, "n"]:
        """The chance that the side on roll wins."""
        return jax.nn.sigmoid(_outputs(self.body, self.body.first_sums(positions))[:, 0])

    def final(self, won: Int32[Array, "n"]) -> Float32[Array, "n"]:
        return jnp.sign(won).astype(jnp.float32)

    def prepared(self) -> WinChance:
        return WinChance(self.body.prepared())


@pytree()
@dataclass(frozen=True)
class FiveChances:
    """Outcomes, from the five cumulative chances clamped so that each is part of the one before."""

    body: Network | PreparedNetwork

    def __call__(self, positions: UInt32[Array, "n 8"], cube: Any = None) -> Float32[Array, "n 6"]:
        return from_cumulative(nested(self.chances(positions)))

    def chances(self, positions: UInt32[Array, "n 8"]) -> Float32[Array, "n 5"]:
        """The network's own five chances."""
        return jax.nn.sigmoid(_outputs(self.body, self.body.first_sums(positions)))

    def prepared(self) -> FiveChances:
        return FiveChances(self.body.prepared())


@pytree()
@dataclass(frozen=True)
class CubefulMoney:
    """Equity of money play per unit of the present cube, under the Jacoby rule.

    `cube` is the owner of the cube, int32[n]: 1 the side on roll, 0 nobody, −1 the other side. A side that may double
    is asked about with the right to do so.

    cube_rows: float32[4, units], what the inputs of the cube add to the first layer's sums.
    """

    body: Network | PreparedNetwork
    cube_rows: Float32[Array, "4 units"]
    cubeful = True
    currency = "cubeful equity"

    def __call__(
        self, positions: UInt32[Array, "n 8"], cube: Int32[Array, "n"] | None = None
    ) -> Float32[Array, "n"]:
        owner = jnp.zeros(positions.shape[0], jnp.int32) if cube is None else jnp.asarray(cube)
        return self.equity(positions, owner, owner >= 0)

    def equity(
        self, positions: UInt32[Array, "n 8"], owner: Int32[Array, "n"], doubles: Array
    ) -> Float32[Array, "n"]:
        """Equity of the side on roll; doubles: bool[n], whether it may double now."""
        held = self.cube_rows[jnp.where(owner < 0, 2, owner)]
        asked = jnp.where(doubles[:, None], self.cube_rows[3][None, :], jnp.float32(0))
        return _outputs(self.body, self.body.first_sums(jnp.asarray(positions)) + held + asked)[:, 0]

    def hold_and_take(
        self, positions: UInt32[Array, "n 8"], owner: Int32[Array, "n"]
    ) -> tuple[Float32[Array, "n"], Float32[Array, "n"]]:
        """Equities, per unit of the present cube, of not doubling now and of double and take."""
        rolls = jnp.zeros(positions.shape[0], bool)
        theirs = jnp.full_like(owner, -1)
        return self.equity(positions, owner, rolls), 2 * self.equity(positions, theirs, rolls)

    def prepared(self) -> CubefulMoney:
        return CubefulMoney(self.body.prepared(), self.cube_rows)


def load_puretd(path: str | Path) -> WinChance | FiveChances | CubefulMoney:
    """The evaluator of a file .npz, or .pt where torch is installed; `InputError` says what is wrong with one."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no PureTD network {path}: give the path of an .npz or .pt file.")
    arrays = _from_torch(path) if path.suffix == ".pt" else _from_npz(path)
    layers = _layers(arrays, path)
    inputs, outputs = layers[0].weights.shape[0], layers[-1].weights.shape[1]
    cube_rows, first = layers[0].weights[WIDTH:], layers[0].weights[:WIDTH]
    hidden = tuple(int(layer.weights.shape[1]) for layer in layers[:-1])
    body = Network(
        (Layer(first, layers[0].bias), *layers[1:]), NetworkSpec(hidden, activation="relu", encoding="puretd")
    )
    if (inputs, outputs) == (WIDTH, 1):
        return WinChance(body)
    if (inputs, outputs) == (WIDTH, 5):
        return FiveChances(body)
    if (inputs, outputs) == (WIDTH + CUBE_INPUTS, 1):
        return CubefulMoney(body, cube_rows)
    raise InputError(
        f"{path} has {inputs} inputs and {outputs} outputs, which no network of PureTD's has: it takes 196 and "
        "1 or 5, or 200 and 1."
    )


def _layers(arrays: Mapping[str, Any], path: Path) -> list[Layer]:
    count = sum(name.startswith("W") for name in arrays)
    layers, width = [], None
    for k in range(count):
        weights, bias = (_floats(arrays.get(f"{kind}{k}")) for kind in "Wb")
        fits = (
            weights is not None
            and bias is not None
            and weights.ndim == 2
            and bias.shape == weights.shape[1:]
            and width in (None, weights.shape[0])
        )
        if not fits:
            raise InputError(
                f"{path} has no layer W{k}, b{k} of finite numbers that fits the others: get the file again."
            )
        layers.append(Layer(jnp.asarray(weights), jnp.asarray(bias)))
        width = weights.shape[1]  # type: ignore[union-attr]
    if len(layers) < 2:
        raise InputError(f"{path} holds no layers W0, b0, W1, b1 and so on: give a PureTD network.")
    return layers


def _floats(array: Any) -> Float32[np.ndarray, "..."] | None:
    """An array of finite floating numbers; None for anything else that a file may hold under a name."""
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
        return None
    with np.errstate(over="ignore"):
        found = array.astype(np.float32)
    return found if np.isfinite(found).all() else None


def _from_npz(path: Path) -> dict[str, Any]:
    """What the archive holds by name: arrays, or bytes where it has something else."""
    # NumPy would read other files too, and its words about those it refuses advise to trust them.
    if not is_zipfile(path):
        raise InputError(f"{path} cannot be read, as it is no .npz archive: get the file again.")
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, RuntimeError, MemoryError, BadZipFile, zlib.error):
        raise InputError(
            f"{path} cannot be read, as its archive is damaged or holds other things than numbers: get the file again."
        ) from None


def _from_torch(path: Path) -> dict[str, np.ndarray]:
    """The linear layers of a torch checkpoint, in the order in which they are stored."""
    try:
        import torch
    except ImportError:
        raise InputError(f"Reading {path} needs torch: pip install torch, or give the .npz file.") from None
    try:
        stored = torch.load(path, map_location="cpu", weights_only=True)
        state = _tensors(stored)
    except (OSError, RuntimeError, ValueError, EOFError, TypeError, KeyError, pickle.UnpicklingError):
        raise InputError(f"{path} cannot be read by torch: give the .npz file.") from None
    activation = stored.get("activation", "relu") if isinstance(stored, Mapping) else "relu"
    if activation != "relu":
        raise InputError(f"{path} has {activation} between its layers, not relu: give another network.")
    return from_state(state, path)


def _tensors(stored: Any) -> dict[str, np.ndarray]:
    """The first dictionary of tensors within what was stored."""
    if not isinstance(stored, Mapping):
        return {}
    tensors = {name: value.numpy() for name, value in stored.items() if hasattr(value, "numpy")}
    if tensors:
        return tensors
    return next((found for value in stored.values() if (found := _tensors(value))), {})


def from_state(state: Mapping[str, np.ndarray], path: Path) -> dict[str, np.ndarray]:
    """W0, b0, W1, b1, ... from torch's names `….weight`, whose matrices are transposed, and `….bias`."""
    arrays: dict[str, np.ndarray] = {}
    weights = [name for name in state if re.search(r"\.weight$", name) and state[name].ndim == 2]
    for k, name in enumerate(weights):
        bias = name.removesuffix("weight") + "bias"
        if bias not in state:
            raise InputError(f"{path} lacks {bias}: give the .npz file.")
        arrays[f"W{k}"], arrays[f"b{k}"] = state[name].T, state[bias]
    return arrays


def _outputs(body: Network | PreparedNetwork, sums: Float32[Array, "n units"]) -> Float32[Array, "n outputs"]:
    return above_first(body.network if isinstance(body, PreparedNetwork) else body, sums)
