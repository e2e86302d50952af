"""A tournament with all its files: played in processes here or by a Dask cluster, its tables and heat map stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from bglab.errors import InputError
from bglab.lab.study import processes as in_processes
from bglab.measure.standings import Tournament
from bglab.measure.tournament import round_robin
from bglab.play.agent import Agent
from bglab.play.match import MatchRules
from bglab.rules.parallel import cores

HEATMAP = "heatmap.png"
PATIENCE = 10
"""Seconds to wait for a scheduler to answer."""


def compete(
    agents: Sequence[Agent | str | Path],
    matches: int,
    rules: MatchRules,
    seed: int,
    out: Path,
    *,
    processes: int | None = None,
    cluster: str | None = None,
) -> Tournament:
    """Play or resume a tournament in a folder and write standings.csv, pairings.csv and heatmap.png there.

    Args: processes, how many share the work on this machine (one per core if None); cluster, the address of a Dask
    scheduler whose workers do it instead. The picture needs matplotlib and is left out without it.
    """
    if processes is not None and cluster is not None:
        raise InputError(
            "The work is done in processes here or by a cluster: give --processes or --cluster, not both."
        )
    workers = (
        in_processes(cores() if processes is None else processes) if cluster is None else on_cluster(cluster)
    )
    with workers as executor:
        result = round_robin(agents, matches, rules, seed, executor=executor, out=out)
    result.to_csv(out)
    if find_spec("matplotlib") and find_spec("seaborn"):
        from bglab.lab.heatmap import heatmap

        heatmap(result).savefig(out / HEATMAP, dpi=150)
    return result


@contextmanager
def on_cluster(address: str) -> Iterator[Executor]:
    """The executor of a Dask cluster by its scheduler's address, such as tcp://scheduler:8786."""
    if not find_spec("distributed"):
        raise InputError("Dask is not installed: install bglab with its cluster extra.")
    from distributed import Client

    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"There is no Dask scheduler at {address} ({reason}): start one with `dask scheduler`, or correct it."
        ) from None
    with client:
        if not client.ncores():
            raise InputError(
                f"The cluster {address} has no workers: start some with `dask worker {address}`."
            )
        yield client.get_executor()
