"""What holds for the repository as a whole: tracked files, modules, version, what `import bglab` costs, and the checks
that conftest.py switches on.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import pkgutil
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import jax.numpy as jnp
import jaxtyping
import pytest

import bglab
from bglab.rules import planes

ROOT = Path(__file__).resolve().parent.parent
# `__main__` is a program: importing it runs it.
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(bglab.__path__, "bglab.")
    # An engine's side of a pipe runs as a script, where the engine can be imported.
    if not module.name.endswith(("__main__", "_side", ".serve"))
)
MOST_LINES = 400
MOST_BYTES = 2_000_000

# Folders that exist on somebody's machine only. `/usr/bin/env` and addresses on the web are not such paths.
MACHINE_PATH = re.compile(
    r"(?<![\w./~-])/(?:home|root|tmp|Users|work|mnt|opt|srv|private|var/folders)/[\w.-]"
)
# Hosts that serve packages: naming one ties an install to it. The parts are joined so that this file passes.
REGISTRY = re.compile("|".join(["py" + r"pi\.org", "python" + r"hosted\.org", r"registry\.npm" + r"js\.org"]))
LOCK_FILES = {
    "conda-lock.yml",
    "package-lock.json",
    "pdm.lock",
    "Pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pylock.toml",
    "uv.lock",
    "yarn.lock",
}


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git tracks and that is there, or skip the test where this is no checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"git cannot list the files: {error}")
    files = tuple(ROOT / name for name in listing.stdout.split("\0") if name)
    return tuple(path for path in files if path.is_file())


def lines(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs in the tracked text files, as "file:line: text"."""
    found = []
    for path in tracked():
        data = path.read_bytes()
        if b"\0" in data:
            continue
        for number, line in enumerate(data.decode(errors="replace").splitlines(), start=1):
            if match := pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {match.group()}")
    return found


def python(code: str) -> str:
    """What a fresh interpreter prints when it runs the code, without the checks of this test run."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_no_machine_paths():
    assert lines(MACHINE_PATH) == []


def test_no_registry_addresses():
    assert lines(REGISTRY) == []


def test_no_lock_files():
    assert [path for path in tracked() if path.name in LOCK_FILES] == []


def test_constraints_are_plain_pins():
    pin = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+( ; python_version (<|>=) \"3\.\d+\")?")
    text = (ROOT / "constraints.txt").read_text()
    unusual = [line for line in text.splitlines() if not line.startswith("#") and not pin.fullmatch(line)]
    assert unusual == []


def test_files_are_small():
    assert [f"{path} {path.stat().st_size}" for path in tracked() if path.stat().st_size > MOST_BYTES] == []


def test_modules_are_short():
    sources = [path for path in tracked() if path.suffix in {".py", ".js", ".css"}]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_packages_and_modules_have_a_docstring():
    sources = [path for path in tracked() if path.suffix == ".py" and path.is_relative_to(ROOT / "bglab")]
    assert [str(path) for path in sources if not path.read_text().lstrip().startswith(('"""', 'r"""'))] == []


@pytest.mark.parametrize("name", MODULES)
def test_module_imports(name):
    importlib.import_module(name)


def test_import_is_light():
    """`import bglab` leaves notebooks, widgets and plots alone, and does no work on a device."""
    heavy = [
        "IPython",
        "anywidget",
        "beartype",
        "ipywidgets",
        "jupyter_core",
        "matplotlib",
        "nbformat",
        "seaborn",
    ]
    code = f"import bglab, json, sys; print(json.dumps(sorted(set(sys.modules) & set({heavy!r}))))"
    assert json.loads(python(code)) == []


def test_import_starts_no_backend():
    code = "import bglab; from jax._src import xla_bridge; print(len(xla_bridge._backends))"
    assert python(code).strip() == "0"


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", bglab.__version__)
    assert importlib.metadata.version("bglab") == bglab.__version__


def test_input_error_is_public():
    assert issubclass(bglab.InputError, ValueError)


def test_shapes_are_checked():
    with pytest.raises(jaxtyping.TypeCheckError):
        planes.flip(jnp.zeros((1, 7), jnp.uint32))


def test_promotion_is_strict():
    with pytest.raises(ValueError, match="rank_promotion"):
        jnp.zeros((2, 3)) + jnp.zeros(3)
    with pytest.raises(ValueError, match="dtype_promotion"):
        jnp.zeros(3, jnp.int32) + jnp.zeros(3, jnp.float32)
