"""Rollouts with Open Sage's evaluation beside its own."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from bglab import Position, load
from bglab.play.peers.names import peer
from bglab.play.peers.sage import sage_rollout
from bglab.rules.planes import pack
from bglab.rules.turns import ROLLS
from bglab.search.rollout import rollout
from bglab.value.outcome import POINTS
from tests import samples

pytestmark = pytest.mark.skipif(
    not find_spec("bgsage"), reason="Open Sage is not installed: pip install 'bglab[peers]'"
)
PLANES = pack([position for position in samples.realistic(640, seed=11) if position.result is None][:8])


def test_sage_rolled_out_by_us_and_by_itself() -> None:
    """Both choose turns alike and take out the same luck, so two plies leave little to chance."""
    positions = PLANES[:6]
    ours = rollout(load("sage:1ply").evaluator, 72, truncate=2, seed=1).estimate(positions)
    theirs = [sage_rollout(positions, 36, 2, seed) for seed in range(1, 9)]
    equity, spread = (f([each.equity for each in theirs], 0) for f in (np.mean, np.std))
    np.testing.assert_allclose(ours.equity, equity, atol=float(4 * spread.max() / 8**0.5))
    assert np.abs(ours.equity - equity).mean() < 0.005
    assert (theirs[0].error > 0).all()


def test_a_rollout_cut_after_one_ply_is_sages() -> None:
    """Nothing is left to chance there, and the last position is valued by itself: in the first one that matters."""
    positions = np.concatenate([pack([Position.from_id("tHsmDAC3rQYGAA")]), PLANES[:5]])
    ours = rollout(load("sage:1ply").evaluator, 36, truncate=1).estimate(positions)
    np.testing.assert_allclose(ours.equity, sage_rollout(positions, 36, 1).equity, atol=1e-5)


def test_sages_choices_in_a_rollout_know_where_they_come_from() -> None:
    search = peer("sage:1ply")
    assert search is not None
    afters, worth = search.by_roll(PLANES)
    for k, (a, b) in enumerate([(1, 1), (3, 1), (6, 5)]):
        roll = int(np.flatnonzero((np.array([b, a])[::-1] == ROLLS).all(1))[0])
        best = search.best(PLANES, np.tile([a, b], (8, 1)))
        np.testing.assert_array_equal(afters[:, roll], best.after, err_msg=f"roll {k}")
        np.testing.assert_allclose(worth[:, roll] @ POINTS, best.worth, atol=1e-6)
