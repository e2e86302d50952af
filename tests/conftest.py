"""Everything under tests/ runs with shapes and types checked, strict promotion and a compilation cache.

- `jaxtyping` and `beartype` check the annotations of the functions in `bglab` at each call, shapes too, except in the
  modules named in `PLAIN` and of functions within functions (`checked.py`). The import hook must come before the first
  import of `bglab`, so this file imports nothing from it.
- JAX refuses to broadcast arrays of different rank, and to mix dtypes, unless the code says so.
- Compiled programs are kept in `.cache/jax` and tables in `.cache/tables`; processes that a test starts use them too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")
os.environ.setdefault("MPLBACKEND", "agg")
os.environ["BGLAB_CACHE"] = str(ROOT / ".cache" / "tables")

import hypothesis
import jax
import jaxtyping
import pytest

from tests.checked import checked

# Python on one position at a time: no arrays, its own checks of input, and ten times slower when each call is checked.
PLAIN = {
    "bglab.lab.widgets.continuations",
    "bglab.records.fault",
    "bglab.records.files",
    "bglab.records.mat",
    "bglab.records.matwriter",
    "bglab.records.record",
    "bglab.records.recorder",
    "bglab.records.replay",
    "bglab.records.sgf",
    "bglab.records.sgftree",
    "bglab.records.sgfwriter",
    "bglab.records.table",
    "bglab.records.xg",
    "bglab.records.xgarchive",
    "bglab.records.xgfields",
    "bglab.rules.drawing",
    "bglab.rules.identifiers",
    "bglab.rules.notation",
    "bglab.rules.position",
    "bglab.rules.reference",
    "bglab.rules.situation",
}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "bglab").rglob("*.py")
    if path.name != "__init__.py"
}
jaxtyping.install_import_hook(sorted(MODULES - PLAIN), f"{checked.__module__}.{checked.__qualname__}")

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")

# A run is the same every time; deadlines would fail the first call of whatever JAX compiles.
hypothesis.settings.register_profile("bglab", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis.settings.load_profile("bglab")


LONGEST = (
    "test_notebooks.py",
    "test_turns.py",
    "test_rollout.py",
    "test_match.py",
    "test_parameter.py",
    "test_loop.py",
    "test_corpus.py",
    "test_explorer_browser.py",
)
"""Files that take longest, begun first: a file runs in one process, and the others must not wait for it at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(place)))


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return ROOT


@pytest.fixture
def unchecked() -> Iterator[None]:
    """Call `bglab` as users do, without the type checks, to see its own answer to a wrong type."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
