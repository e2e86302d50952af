"""A run of evolution on disk: a checkpoint after every generation, a file per champion, progress as a table."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from bglab.atomic import write_atomically
from bglab.errors import InputError
from bglab.rules.dice import seeded
from bglab.training.evolution import (
    Champion,
    Contest,
    Evolution,
    EvolutionRecipe,
    Generation,
    begin,
    step,
)
from bglab.training.variation import frozen_weights
from bglab.value.parameter import Brain, save_brain

CHECKPOINT = "checkpoint.json"
PROGRESS = "progress.csv"
FORMAT = 1


def evolve(
    recipe: EvolutionRecipe,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    *,
    contest: Contest,
    progress: bool = True,
) -> Evolution:
    """Evolve the recipe's start for its generations; the champions are in the state returned, the last one the best.

    Args: out, a folder for checkpoint.json and progress.csv, written after every generation, and a brain file
    champion-<generation>.json for each champion the moment it is crowned; resume, go on from the checkpoint in `out`,
    or from the start if there is none: bit for bit as if never interrupted, since a generation that was cut short is
    played again; contest, who wins how many matches (`bglab.lab.evolve.match_contest` plays real ones). After Ctrl-C
    the state is that of the last whole generation. Raises `InputError` for a checkpoint that is damaged or belongs to
    another recipe or seed, and for one that `resume` does not ask for.
    """
    seeded(seed)
    state = begin(recipe, int(seed))
    folder = Path(out) if out is not None else None
    if resume and folder is None:
        raise InputError("Resuming needs the folder with the checkpoint: pass out.")
    if folder is not None:
        if (folder / CHECKPOINT).exists():
            if not resume:
                raise InputError(f"{folder} already holds a checkpoint: resume it, or choose another folder.")
            state = load_checkpoint(folder / CHECKPOINT, recipe, state.seed)
        save_run(folder, recipe, state)
    with tqdm(
        total=recipe.generations, initial=state.generation, disable=not progress, unit=" generations"
    ) as bar:
        played = 0

        def watched(candidate: np.ndarray, opponent: np.ndarray, matches: int, seed: int) -> int:
            nonlocal played
            _show(bar, recipe, state, played)
            won = contest(candidate, opponent, matches, seed)
            played += matches
            return won

        try:
            while state.generation < recipe.generations:
                state = step(state, recipe, watched)
                if folder is not None:
                    save_run(folder, recipe, state)
                bar.update()
            _show(bar, recipe, state, played)
        except KeyboardInterrupt:
            if folder is not None:  # it may have come between the files of a generation
                save_run(folder, recipe, state)
    return state


def _show(bar: tqdm, recipe: EvolutionRecipe, state: Evolution, played: int) -> None:
    """Matches played since the run was begun or resumed, margin to beat, and how many numbers cannot move."""
    bar.set_postfix(
        matches=played,
        champions=len(state.champions),
        record=f"{state.record}/{state.gauntlet}",
        frozen=len(frozen_weights(state.parent, recipe.R)),
    )


def table(state: Evolution) -> pd.DataFrame:
    """One row per generation with the fields of `Generation`; frozen is the names, with spaces between."""
    columns = [field.name for field in dataclasses.fields(Generation)]
    rows = [dataclasses.asdict(row) | {"frozen": " ".join(row.frozen)} for row in state.history]
    return pd.DataFrame(rows, columns=columns)


def champion_path(folder: Path, champion: Champion) -> Path:
    return folder / f"champion-{champion.generation:05d}.json"


def save_run(folder: Path, recipe: EvolutionRecipe, state: Evolution) -> None:
    """Write the newest champion, the progress and, last, the checkpoint, each atomically.

    A run killed in between plays the generation again and writes the same files.
    """
    about = {"kind": "evolution", "format": FORMAT, "recipe": recipe.describe(), "seed": state.seed}
    about["state"] = dataclasses.asdict(state)
    about["digest"] = _digest(about)
    try:
        if state.champions:
            champion = state.champions[-1]
            save_champion(champion_path(folder, champion), recipe, state.seed, champion)
        write_atomically(folder / PROGRESS, table(state).to_csv(index=False).encode())
        write_atomically(folder / CHECKPOINT, json.dumps(about).encode())
    except OSError as error:
        raise InputError(
            f"The run cannot be written to {folder} ({error.strerror or error}): choose another place."
        ) from None


def save_champion(path: Path, recipe: EvolutionRecipe, seed: int, champion: Champion) -> None:
    """Write a champion as a brain file that says what made it."""
    recipe_fields = recipe.describe()
    del recipe_fields["generations"]  # a run may be made longer, and its champions stay what they are
    made_by = {
        "recipe": recipe_fields,
        "seed": seed,
        "generation": champion.generation,
        "margin": champion.margin,
        "gauntlet": champion.matches,
    }
    brain = Brain(champion.weights, recipe.name)
    save_brain(brain, path, f"{recipe.name}-{seed}-{champion.generation}", made_by)


def load_checkpoint(path: Path, recipe: EvolutionRecipe, seed: int) -> Evolution:
    """The state of a checkpoint of this very recipe and seed; `InputError` says why a file is refused."""
    try:
        about = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"The checkpoint {path} cannot be read ({error}): restore it or start anew."
        ) from None
    if not isinstance(about, dict) or about.get("kind") != "evolution" or about.get("format") != FORMAT:
        raise InputError(f"The file {path} is no checkpoint of evolution: give the folder of an evolution.")
    if about.pop("digest", None) != _digest(about):
        raise InputError(f"The checkpoint {path} is damaged (its digest differs): restore it or start anew.")
    there: dict[str, Any] = {**about["recipe"], "seed": about["seed"]}
    here: dict[str, Any] = {**recipe.describe(), "seed": seed}
    for name in here:
        if name != "generations" and there.get(name) != here[name]:
            raise InputError(
                f"The checkpoint {path} belongs to another run: its {name} is {there.get(name)!r}, not "
                f"{here[name]!r}; continue it with its own recipe and seed or choose another folder."
            )
    state = about["state"]
    if state["generation"] > recipe.generations:
        raise InputError(
            f"The checkpoint {path} already has {state['generation']} generations, more than the recipe's "
            f"{recipe.generations}: ask for more or choose another folder."
        )
    state["champions"] = tuple(Champion(**_tuples(row)) for row in state["champions"])
    state["history"] = tuple(Generation(**_tuples(row)) for row in state["history"])
    return Evolution(**_tuples(state))


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}


def _digest(about: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
