"""The one training loop: a round of self-play, its targets, one pass of gradient descent, and again.

Staleness. Within a round the weights are frozen, and a game that spans several rounds is played by several
networks, each newer than the last; its targets are computed with the weights at the end of the round in which
it finished, before that round's updates. With the default recipe a round ends about 250 games and a game spans
one to three rounds, so a move was chosen by weights at most about 500 games old.

Game-length bias. Lanes are never idle and every game is trained on when it ends, so games enter in the order in
which they end and each exactly once: over a run their lengths are those of self-play. Two ends remain. The first
rounds hold only games short enough to have finished, and the games under way when the run stops, longer than
average, are left out; together about one game per lane. Games longer than the recipe's `longest` are left out
and counted, never scored as draws.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd
from tqdm.auto import tqdm

from bglab.errors import InputError
from bglab.rules.capacity import UNTRAINED, Ladder
from bglab.rules.dice import seeded
from bglab.rules.planes import pack
from bglab.training.checkpoint import CURVE, State, first_state, identity, load_checkpoint, save_checkpoint
from bglab.training.fit import Fit, make_fit
from bglab.training.recipe import Recipe
from bglab.training.selfplay import Games, ladders_for, play_round
from bglab.training.targets import Trace
from bglab.value.netfile import NETWORK, save_network
from bglab.value.network import Network

CHECKPOINT = "checkpoint.safetensors"


@dataclass(frozen=True)
class Run:
    """What `train` returns.

    network: as trained. curve: one row per round, with the games so far, the positions trained, the mean loss in nats
    before each update, and the games left out so far as too long. finished: False if interrupted.
    """

    network: Network
    recipe: Recipe
    seed: int
    curve: pd.DataFrame
    finished: bool

    @property
    def made_by(self) -> dict[str, object]:
        """What a network file says about its origin."""
        games = int(self.curve["games"].iloc[-1]) if len(self.curve) else 0
        return {"recipe": self.recipe.describe(), "seed": self.seed, "games": games}


def train(
    recipe: Recipe,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    every: int = 100,
    progress: bool = True,
    on_round: Callable[[State], None] | None = None,
) -> Run:
    """Train a network from nothing by self-play.

    Args: out, a folder for the checkpoint (written every `every` rounds, and at the end) and the finished network;
    resume, go on from the checkpoint in `out`, or from the start if there is none: bit for bit as if never interrupted,
    unless the recipe now asks for more games, since the last games of a finished run's last round were left out;
    on_round, called with the state after every round. Ctrl-C finishes the round, writes the checkpoint and returns
    the run unfinished; a second Ctrl-C stops at once and keeps the last checkpoint. Raises `InputError` for a
    checkpoint that is damaged or belongs to another recipe or seed, for one that `resume` does not ask for, for a
    target of another shape, and when training diverges.
    """
    if type(every) is not int or every < 1:
        raise InputError(f"Checkpoints are written every 1 or more rounds, not {every!r}.")
    folder = Path(out) if out is not None else None
    root, seed = seeded(seed), int(seed)
    started = identity(recipe, seed)
    start = jnp.asarray(pack([recipe.position])[0])
    state = first_state(recipe, start, jax.random.fold_in(root, 0))
    if resume and folder is None:
        raise InputError("Resuming needs the folder with the checkpoint: pass out.")
    if folder is not None:
        _make_writable(folder)
        if (folder / CHECKPOINT).exists():
            if not resume:
                raise InputError(f"{folder} already holds a checkpoint: resume it, or choose another folder.")
            state = load_checkpoint(folder / CHECKPOINT, recipe, seed, state)
    games_key = jax.random.fold_in(root, 1)
    fit = fit_of(recipe)
    ladders = ladders_for(recipe.lanes, UNTRAINED)
    with _interruptible() as interrupted, _Progress(recipe.games, state.games, progress) as bar:
        while state.games < recipe.games and not interrupted.is_set():
            state = train_round(
                recipe, state, jax.random.fold_in(games_key, state.rounds), start, ladders, fit
            )
            bar.show(state)
            if folder is not None and state.rounds % every == 0:
                save_checkpoint(folder / CHECKPOINT, state, started)
            if on_round is not None:
                on_round(state)
    curve = pd.DataFrame(state.curve, columns=list(CURVE)).astype(
        {"games": int, "positions": int, "too_long": int}
    )
    run = Run(state.network, recipe, seed, curve, state.games >= recipe.games)
    if folder is not None:
        save_checkpoint(folder / CHECKPOINT, state, started)
        if run.finished:
            save_network(run.network, folder / NETWORK, run.made_by)
    return run


@lru_cache(maxsize=8)
def _fit_of(optimiser: Callable[[], optax.GradientTransformation], batch: int) -> Fit:
    return make_fit(optimiser(), batch)


def fit_of(recipe: Recipe) -> Fit:
    """The recipe's compiled update, shared by runs whose recipes share the optimiser, as in a study."""
    if not isinstance(recipe.optimiser, Hashable):
        return make_fit(recipe.optimiser(), recipe.batch)
    return _fit_of(recipe.optimiser, recipe.batch)


def train_round(
    recipe: Recipe, state: State, key: jax.Array, start: jax.Array, ladders: Sequence[Ladder], fit: Fit
) -> State:
    """One round: play, compute targets with the weights that played, update."""
    checkers = recipe.position.checkers
    began = time.perf_counter()
    lanes, record = play_round(ladders, state.network, state.lanes, start, key, recipe.plies, checkers)
    games = state.history.add(record, recipe.games - state.games)
    network, optimiser, loss = state.network, state.optimiser, jnp.float32(jnp.nan)
    if games.games:
        trace, n = padded(games, checkers)
        targets = recipe.target(trace, network)
        _check_targets(targets, trace, len(games.last))
        network, optimiser, loss = fit(network, optimiser, trace.positions, targets, n)
        if not all(np.isfinite(leaf).all() for leaf in (loss, *jax.tree.leaves(network))):
            cause = (
                "Training diverged to numbers that are not finite: lower the learning rate."
                if np.isfinite(targets).all()
                else "The recipe's target returned numbers that are not finite: mend the target."
            )
            raise InputError(cause)
    too_long = state.too_long + games.too_long
    if too_long >= recipe.lanes and not state.games + games.games:
        raise InputError(
            f"None of the first {too_long} games ended within the recipe's longest of {recipe.longest} plies: raise it."
        )
    row = (state.games + games.games, len(games.last), loss, too_long, time.perf_counter() - began)
    return State(network, optimiser, lanes, state.history, [*state.curve, tuple(map(float, row))])


def _check_targets(targets: Any, trace: Trace, n: int) -> None:
    """Refuse targets of another shape, and senseless ones in the n rows in use, which would train silently.

    Numbers that are not finite pass: what came of them tells whether the target or the learning rate is at fault.
    """
    shape = (len(trace.last), 6)
    if getattr(targets, "shape", None) != shape or targets.dtype != np.float32:
        found = f"{targets.dtype}{list(targets.shape)}" if hasattr(targets, "shape") else repr(targets)
        raise InputError(
            f"The recipe's target returned {found}: it must return one row of six outcomes per position, "
            f"float32{list(shape)}."
        )
    rows = np.asarray(targets)[:n]  # sliced on the host: on the device every n would be another program
    if np.isfinite(rows).all() and ((rows < -1e-3).any() or (abs(rows.sum(1) - 1) > 1e-3).any()):
        raise InputError(
            "The recipe's target returned rows that are no probabilities of the six outcomes: each row must be "
            "0 or more and sum to 1."
        )


def _make_writable(folder: Path) -> None:
    """Find out before the first round, not at its end, that a folder cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("it is not writable")
    except OSError as error:
        raise InputError(f"{folder} cannot hold a checkpoint ({error}): choose another folder.") from None


def padded(games: Games, checkers: int = 15) -> tuple[Trace, jax.Array]:
    """The games as a trace, and its rows in use; few lengths are compiled, since it is 1024 times a power of 4."""
    n = len(games.last)
    size = 1024
    while size < n:
        size *= 4
    positions = np.concatenate([games.positions, np.repeat(games.positions[-1:], size - n, 0)])
    last = np.concatenate([games.last, np.ones(size - n, bool)])
    won = np.concatenate([games.won, np.ones(size - n, np.int32)])
    return Trace(jnp.asarray(positions), jnp.asarray(last), jnp.asarray(won), checkers), jnp.int32(n)


class _Progress:
    """A tqdm bar over games, in a terminal or a notebook, with games/s, the loss and the time left."""

    def __init__(self, games: int, done: int, shown: bool) -> None:
        self._bar = tqdm(total=games, initial=done, disable=not shown, unit=" games", smoothing=0.05)
        self._shown_at = 0.0

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, state: State) -> None:
        self._bar.update(state.games - self._bar.n)
        losses = [row[2] for row in state.curve[-20:] if row[2] == row[2]]
        if losses and time.monotonic() - self._shown_at > 0.5:
            self._shown_at = time.monotonic()
            self._bar.set_postfix(loss=f"{sum(losses) / len(losses):.4f}", refresh=False)


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event, so that a round is never cut in two; the second one interrupts."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    before = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: object) -> None:
        if interrupted.is_set():
            signal.signal(signal.SIGINT, before)
            raise KeyboardInterrupt
        interrupted.set()

    signal.signal(signal.SIGINT, handle)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
