"""Tables that are made once and then read from a cache folder: checked, written atomically, made anew where damaged."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from bglab.errors import InputError
from bglab.value.netfile import read_tensors, write_tensors

KIND = "bear-off table"
VERSION = 1
"""Grows whenever what a table holds changes, so that older files are made anew."""


def cache_folder() -> Path:
    """Where tables are kept: $BGLAB_CACHE, else bglab in $XDG_CACHE_HOME, else ~/.cache/bglab."""
    own, shared = os.environ.get("BGLAB_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own).expanduser()
    return (Path(shared).expanduser() if shared else Path.home() / ".cache") / "bglab"


def cached(name: str, checkers: int, make: Callable[[], Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Named arrays from the cache folder, or made now and kept there.

    A file that is damaged (its digest differs), of another version or of another table is made anew and replaced; where
    the folder cannot be written a warning says so, and the table is made again next time.
    """
    path = cache_folder() / f"bearoff-{name}-{checkers}.safetensors"
    about = {"table": name, "checkers": checkers, "version": VERSION}
    if path.is_file():
        try:
            found, tensors = read_tensors(path, KIND)
        except InputError:
            found = {}
        if found == about:
            return tensors
    made = dict(make())
    try:
        write_tensors(path, KIND, about, made)
    except InputError as error:
        warnings.warn(f"{error} It is made again next time.", stacklevel=2)
    return made
