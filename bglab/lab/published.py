"""Every committed figure that has a published one, side by side: the short answer to "does it reproduce?"."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from bglab.errors import InputError
from bglab.lab.results import apart, read_results
from bglab.lab.study import find_study, results_path, studies

COLUMNS = ("study", "preset", "setting", "metric", "published", "measured", "low", "high", "n", "unit", "z")


def published(names: Sequence[str] = (), preset: str = "paper") -> pd.DataFrame:
    """One row for each published figure that a study of the clone has measured, in the order of the studies.

    names: of studies, all if none. preset: whose committed results. Columns: `COLUMNS`; low and high are the 95 %
    interval of ours; z, how many standard errors ours is above the published one, where ours has an interval. A
    published share counts as one measured in as many trials as the study's `PUBLISHED_TRIALS` has for its metric (0:
    exact), or else in as many as ours; any other figure counts as exact. Raises `InputError` for a study or a preset
    that there is not, and where nothing is committed.
    """
    found = []
    for name in names or studies():
        study = find_study(name)
        if preset not in study.PRESETS:
            raise InputError(f"There is no preset {preset!r}: choose one of {', '.join(study.PRESETS)}.")
        path = results_path(name, preset)
        if path.exists():
            table = read_results(path)
            trials = table["metric"].map(getattr(study, "PUBLISHED_TRIALS", {})).fillna(table["n"])
            listed = table.assign(study=name, preset=preset, trials=trials)
            found.append(listed[table["published"].notna()])
    if not found or all(each.empty for each in found):
        raise InputError(
            f"No committed results of the preset {preset} have a published figure beside them: run "
            "`bglab study` with it first."
        )
    rows = pd.concat(found, ignore_index=True)
    z = [apart(row, int(row.trials) if row.unit == "share" else 0) for row in rows.itertuples()]
    return rows.assign(z=z).rename(columns={"value": "measured"})[list(COLUMNS)]
