"""Networks on disk: safetensors files that carry their spec and the recipe that made them, checked when read.

A path that ends in .json is written and read as JSON instead (`bglab.value.netjson`), with the same checks.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from bglab.atomic import write_or_refuse
from bglab.errors import InputError
from bglab.value.netjson import from_json, to_json
from bglab.value.network import Layer, Network, NetworkSpec, spec_from_dict

FORMAT = 1
JSON = ".json"
NETWORK = "network.safetensors"
"""The file of the finished network in the folder of a run."""


def _digest(tensors: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> str:
    """SHA-256 over the description and over names, types, shapes and contents."""
    total = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(tensors):
        array = np.asarray(tensors[name], order="C")
        total.update(f"{name} {array.dtype} {array.shape}\n".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def write_tensors(path: Path, kind: str, about: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> None:
    """Write named arrays and a JSON-able description of them, atomically, with a digest."""
    header = {"kind": kind, "format": FORMAT, "digest": _digest(tensors, about), "about": about}
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    write_or_refuse(path, to_bytes(arrays, metadata={"bglab": json.dumps(header)}), kind)


def read_tensors(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The description and arrays of a file of `write_tensors`; `InputError` says why a file is refused."""
    if not path.is_file():
        raise InputError(f"There is no {kind} file {path}: check the path.")
    try:
        with safe_open(path, framework="numpy") as file:
            header = json.loads((file.metadata() or {}).get("bglab", "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"The {kind} file {path} is damaged ({error}): restore it or make it anew."
        ) from None
    if not isinstance(header, dict) or header.get("kind") != kind:
        found = header.get("kind") if isinstance(header, dict) else "a file not written by bglab"
        raise InputError(f"The file {path} holds no bglab {kind} (it is {found}): give a {kind} file.")
    if header.get("format") != FORMAT:
        raise InputError(
            f"The {kind} file {path} has format {header.get('format')}, not {FORMAT}: make it anew."
        )
    about = header.get("about")
    if not isinstance(about, dict) or header.get("digest") != _digest(tensors, about):
        raise InputError(
            f"The {kind} file {path} is damaged (its digest differs): restore it or make it anew."
        )
    return about, tensors


def network_tensors(network: Network) -> dict[str, np.ndarray]:
    """The parameters of a network by name."""
    arrays = {}
    for k, layer in enumerate(network.layers):
        arrays[f"layer{k}.weights"] = np.asarray(layer.weights)
        arrays[f"layer{k}.bias"] = np.asarray(layer.bias)
    return arrays


def network_from_tensors(spec: NetworkSpec, tensors: Mapping[str, np.ndarray], where: str) -> Network:
    """The network of that spec; `InputError` if a parameter is missing, too many, of another shape or not finite."""
    layers = []
    known = tuple(f"layer{k}." for k in range(len(spec.widths) - 1))
    beyond = [name for name in tensors if name.startswith("layer") and not name.startswith(known)]
    if beyond:
        raise InputError(
            f"{where} has {beyond[0]}, which a {spec.shape_name} network has not: give a file whose spec and layers "
            "agree."
        )
    for k, (inputs, outputs) in enumerate(zip(spec.widths, spec.widths[1:], strict=False)):
        for name, shape in ((f"layer{k}.weights", (inputs, outputs)), (f"layer{k}.bias", (outputs,))):
            if name not in tensors:
                raise InputError(
                    f"{where} lacks {name}, which a {spec.shape_name} network has: give another file."
                )
            array = tensors[name]
            if array.shape != shape or array.dtype != np.float32:
                raise InputError(
                    f"{where} has {name} {array.dtype}{list(array.shape)} where a {spec.shape_name} network has "
                    f"float32{list(shape)}: give a file whose spec and layers agree."
                )
            if not np.isfinite(array).all():
                raise InputError(f"{where} has NaN or infinite numbers in {name}: train or export it again.")
        layers.append(
            Layer(jnp.asarray(tensors[f"layer{k}.weights"]), jnp.asarray(tensors[f"layer{k}.bias"]))
        )
    return Network(tuple(layers), spec)


def save_network(network: Network, path: str | Path, made_by: Mapping[str, Any] | None = None) -> None:
    """Save a network with a JSON-able description of what made it (recipe, seed, games); as JSON to a .json path."""
    tensors = network_tensors(network)
    network_from_tensors(network.spec, tensors, "The network to save")
    if Path(path).suffix == JSON:
        write_or_refuse(Path(path), to_json(network, made_by or {}).encode(), "network")
        return
    about = {"spec": dataclasses.asdict(network.spec), "made_by": dict(made_by or {})}
    write_tensors(Path(path), "network", about, tensors)


def load_network(path: str | Path) -> tuple[Network, dict[str, Any]]:
    """A network and what made it; `InputError` names what is wrong with the file."""
    if Path(path).suffix == JSON:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise InputError(f"The network file {path} cannot be read ({error}): check the path.") from None
        found, made_by, tensors = from_json(text, f"The network file {path}")
        return network_from_tensors(found, tensors, f"The network file {path}"), made_by
    about, tensors = read_tensors(Path(path), "network")
    spec, made_by = about.get("spec"), about.get("made_by", {})
    if not isinstance(spec, dict) or not isinstance(made_by, dict):
        raise InputError(f"The network file {path} does not say its shape: write it with save_network.")
    try:
        known = spec_from_dict(spec)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return network_from_tensors(known, tensors, f"The network file {path}"), made_by
