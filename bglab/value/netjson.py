"""Networks as JSON, for people and programs without bglab: the recipe that made one, then its layers as numbers.

A layer has `weights`, one row of inputs for each of its units as in document 000's Wa + b, and `biases`; numbers carry
the nine digits that give every float32 back exactly (section 5.12).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from bglab.errors import InputError
from bglab.value.network import Network, NetworkSpec, spec_from_dict

KIND, FORMAT = "bglab network", 1


def to_json(network: Network, made_by: Mapping[str, Any]) -> str:
    """The text of a network and of what made it."""
    about = {
        "kind": KIND,
        "format": FORMAT,
        "spec": dataclasses.asdict(network.spec),
        "made_by": dict(made_by),
    }
    layers = []
    for layer in network.layers:
        weights = ",\n    ".join(_numbers(row) for row in np.asarray(layer.weights).T)
        layers.append(f'  {{"weights": [\n    {weights}],\n   "biases": {_numbers(np.asarray(layer.bias))}}}')
    return json.dumps(about, indent=1)[:-2] + ',\n "layers": [\n' + ",\n".join(layers) + "]\n}\n"


def _numbers(values: np.ndarray) -> str:
    return "[" + ", ".join(f"{value:.9g}" for value in values.tolist()) + "]"


def from_json(text: str, where: str) -> tuple[NetworkSpec, dict[str, Any], dict[str, np.ndarray]]:
    """The spec, what made it, and the parameters by name of a JSON network; `InputError` names what is wrong with it.

    Shapes that contradict the spec, and numbers that are not finite, are found by `network_from_tensors`.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON ({error}): export it again.") from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise InputError(f"{where} holds no {KIND}: give a file of save_network.")
    if content.get("format") != FORMAT:
        raise InputError(f"{where} has format {content.get('format')!r}, not {FORMAT}: export it again.")
    spec, made_by, layers = (content.get(key) for key in ("spec", "made_by", "layers"))
    if not isinstance(spec, dict) or not isinstance(made_by, dict) or not isinstance(layers, list):
        raise InputError(f"{where} lacks its spec, made_by or layers: export it again.")
    try:
        known = spec_from_dict(spec)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    tensors = {}
    for k, layer in enumerate(layers):
        if not isinstance(layer, dict) or sorted(layer) != ["biases", "weights"]:
            raise InputError(f"{where}: layer {k} is no object of weights and biases: export it again.")
        tensors[f"layer{k}.weights"] = _array(layer["weights"], 2, f"{where}: the weights of layer {k}").T
        tensors[f"layer{k}.bias"] = _array(layer["biases"], 1, f"{where}: the biases of layer {k}")
    return known, made_by, tensors


def _array(values: Any, axes: int, what: str) -> np.ndarray:
    rows = values if axes == 2 else [values]
    plain = isinstance(rows, list) and rows and all(isinstance(row, list) and row for row in rows)
    if not plain or len({len(row) for row in rows}) > 1:
        kind = "rows of equal length" if axes == 2 else "a list"
        raise InputError(f"{what} are not {kind}: export it again.")
    if any(isinstance(value, bool) or not isinstance(value, int | float) for row in rows for value in row):
        raise InputError(f"{what} are not all numbers: export it again.")
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite and is refused as such
        array = np.array(rows, np.float64).astype(np.float32)
    return array if axes == 2 else array[0]
