"""Studies: an experiment is a folder with its question, its settings and its results.

`experiments/<name>/study.py` defines `PRESETS` (name -> settings) and `measure(preset, folder, progress, executor)`
(the rows of the result, once every part is done). If it has to prepare something, it defines `parts(preset)` (what can
run side by side: argument tuples), `part_name` and `size` of a part, `UNIT`, and `run_part(preset, folder, *arguments)`
(resumable work in a folder); if it has any, `curve(preset, folder)` (a tidy table of the course of training). The
folder of a study and preset is `runs/<name>/<preset>`, that of a part lies in it; networks are shared between studies
(`bglab.lab.trained`). This module runs them, on any executor, and stores the tables.
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
from tqdm.auto import tqdm

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.lab.results import ROOT, write_results
from bglab.rules.parallel import THREADS, on_executor

EXPERIMENTS = ROOT / "experiments"
RUNS = ROOT / "runs"
"""Where work in progress is kept; not under version control."""
PROGRESS = "progress"
POOL = "NPROC"
"""XLA's own threads: with more, processes side by side get in each other's way, a quarter of a training round."""


def studies() -> list[str]:
    """Names of the studies of this clone."""
    return sorted(path.parent.name for path in EXPERIMENTS.glob("*/study.py"))


def find_study(name: str) -> ModuleType:
    """The study's module; `InputError` lists the studies there are."""
    path = EXPERIMENTS / name / "study.py"
    if not path.is_file():
        raise InputError(
            f"There is no study {name!r}: choose one of {', '.join(studies()) or '(none in this clone)'}."
        )
    module = f"bglab_study_{name}"
    if module not in sys.modules:
        spec = importlib.util.spec_from_file_location(module, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[module] = loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
    return sys.modules[module]


def parts_of(study: ModuleType, preset: str) -> list[tuple[Any, ...]]:
    """What a study has to prepare; nothing where it does not say."""
    return list(study.parts(preset)) if hasattr(study, "parts") else []


def results_path(name: str, preset: str) -> Path:
    """Where the table of a study and preset is kept."""
    return EXPERIMENTS / name / "results" / f"{preset}.csv"


def curve_path(results: Path) -> Path:
    """Where the course of training is kept that belongs to a table of results."""
    return results.with_name(f"{results.stem}-curve.csv")


def run_study(
    name: str,
    preset: str,
    *,
    executor: Executor | None = None,
    replace: bool = False,
    progress: bool = True,
    runs: Path | None = None,
    results: Path | None = None,
) -> pd.DataFrame:
    """Run or resume a study and store its table.

    Args: executor, where the parts run (any `concurrent.futures.Executor`; this process if None); replace, whether
    a stored table may be replaced; runs and results, other places than the clone's for the work and the table.
    """
    study = find_study(name)
    if preset not in study.PRESETS:
        raise InputError(
            f"The study {name} has no preset {preset!r}: choose one of {', '.join(study.PRESETS)}."
        )
    path = results or results_path(name, preset)
    for stored in (path, curve_path(path)):
        if stored.exists() and not replace:
            raise InputError(
                f"There are results in {stored} already: pass --replace to run again, or move them away."
            )
    folder = (runs or RUNS) / name / preset
    parts = parts_of(study, preset)
    total = sum(study.size(preset, *arguments) for arguments in parts)
    unit = getattr(study, "UNIT", "parts")
    with tqdm(total=total, unit=f" {unit}", desc=f"{name} {preset}", disable=not (progress and parts)) as bar:

        def show() -> None:
            bar.update(
                sum(_read_progress(folder / study.part_name(*arguments)) for arguments in parts) - bar.n
            )

        calls = [(name, preset, folder, arguments) for arguments in parts]
        on_executor(executor, run_part, calls, tick=show)
    rows = study.measure(preset, folder, progress, executor)
    if preset != list(study.PRESETS)[-1]:
        # Published figures are of the published scale: beside a smaller run they would invite a wrong comparison.
        rows = [each | {"published": math.nan} for each in rows]
    if hasattr(study, "curve"):
        table = study.curve(preset, folder).to_csv(index=False, float_format="%.6g")
        write_atomically(curve_path(path), table.encode())
    return write_results(rows, path, replace)


def in_study(name: str, function: str, *arguments: Any) -> Any:
    """Call a function of a study, in whatever process: a worker does not know the studies' modules by import."""
    return getattr(find_study(name), function)(*arguments)


def run_part(name: str, preset: str, folder: Path, arguments: tuple[Any, ...]) -> None:
    """One part of a study, in whatever process."""
    study = find_study(name)
    study.run_part(preset, folder / study.part_name(*arguments), *arguments)


def _read_progress(folder: Path) -> int:
    try:
        return int((folder / PROGRESS).read_text())
    except (OSError, ValueError):
        return 0


def write_progress(folder: Path, done: int) -> None:
    """Tell whoever watches how far a part is."""
    write_atomically(folder / PROGRESS, str(done).encode())


@contextmanager
def processes(count: int) -> Iterator[Executor | None]:
    """An executor of `count` processes that share the cores fairly (None for a single one).

    Several single-threaded runs side by side finish sooner than one after another on all cores, and a
    run's results do not depend on the number of threads.
    """
    if type(count) is not int or count < 1:
        raise InputError(f"Work is shared by 1 or more processes, not {count!r}: give a whole number.")
    if count == 1:
        yield None
        return
    before = {name: os.environ.get(name) for name in ("XLA_FLAGS", THREADS, POOL)}
    os.environ["XLA_FLAGS"] = f"{before['XLA_FLAGS'] or ''} --xla_cpu_multi_thread_eigen=false".strip()
    os.environ[THREADS] = os.environ[POOL] = "1"
    try:
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            yield pool
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
