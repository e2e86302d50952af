"""Rows handed out to items: against NumPy, at every edge of the capacity."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bglab.errors import InputError
from bglab.rules import ragged
from bglab.rules.ragged import cumsum, expand, fence, nth_bit, take


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 128, 4095, 4096, 4097, 64**2 * 3 + 5])
def test_cumsum(n):
    counts = np.random.default_rng(n).integers(0, 40, n).astype(np.int32)
    assert np.array_equal(np.asarray(cumsum(jnp.asarray(counts))), counts.cumsum())


def test_cumsum_is_exact_up_to_its_limit():
    counts = np.full(4096, 4095, np.int32)
    counts[-1] += 4096 - 1
    assert counts.sum() == ragged.EXACT - 1
    assert np.array_equal(np.asarray(cumsum(jnp.asarray(counts))), counts.cumsum())


def test_cumsum_on_an_accelerator(monkeypatch):
    monkeypatch.setattr(ragged, "on_cpu", lambda: False)
    counts = np.arange(1000, dtype=np.int32)
    assert np.array_equal(np.asarray(cumsum(jnp.asarray(counts))), counts.cumsum())
    (kept,) = fence(jnp.array(False), jnp.arange(3))
    assert kept.tolist() == [0, 1, 2]


jitted = jax.jit(expand, static_argnames="capacity")


def check(counts: list[int], capacity: int) -> None:
    found = jitted(jnp.asarray(np.array(counts, np.int32)), capacity)
    item = np.repeat(np.arange(len(counts)), counts)
    rank = np.concatenate([np.arange(count) for count in counts])
    used = min(len(item), capacity)
    assert int(found.total) == len(item)
    assert found.item.shape == found.rank.shape == found.valid.shape == (capacity,)
    assert np.asarray(found.valid).tolist() == [row < len(item) for row in range(capacity)]
    assert np.array_equal(np.asarray(found.item)[:used], item[:used])
    assert np.array_equal(np.asarray(found.rank)[:used], rank[:used])
    # Unused rows must be safe to look up with.
    assert (np.asarray(found.item) >= 0).all()
    assert (np.asarray(found.item) < len(counts)).all()


@settings(max_examples=40)
@given(st.lists(st.integers(0, 6), min_size=10, max_size=10), st.sampled_from([1, 20, 64]))
def test_expand(counts, capacity):
    check(counts, capacity)


@pytest.mark.parametrize(
    ("counts", "capacity"),
    [
        ([0, 0, 0], 4),
        ([0, 3, 0], 3),
        ([0, 3, 0], 2),
        ([5], 5),
        ([5], 1),
        ([0, 0, 7, 0, 0, 1], 8),
        ([1] * 200, 200),
        ([1] * 200, 199),
    ],
)
def test_expand_at_the_edges(counts, capacity):
    check(counts, capacity)


def test_more_rows_than_can_be_counted_are_refused():
    with pytest.raises(
        InputError, match=r"16777216 rows are more than a CPU counts exactly, .* fewer positions"
    ):
        expand(jnp.ones(1, jnp.int32), ragged.EXACT)


def test_a_total_past_the_exact_range_is_never_mistaken_for_one_that_fits():
    counts = jnp.full(1 << 14, (1 << 10) + 1, jnp.int32)
    assert int(expand(counts, 64).total) >= ragged.EXACT


@given(st.integers(0, 2**32 - 1))
def test_nth_bit(mask):
    bits = [bit for bit in range(32) if mask >> bit & 1]
    masks = jnp.full(32, mask, jnp.uint32)
    assert nth_bit(masks, jnp.arange(32, dtype=jnp.int32)).tolist()[: len(bits)] == bits


def test_take_and_fence():
    table = jnp.arange(12).reshape(4, 3)
    assert take(table, jnp.array([3, 0])).tolist() == [[9, 10, 11], [0, 1, 2]]
    kept = fence(jnp.array(True), table, jnp.ones(2))
    assert all(np.array_equal(a, b) for a, b in zip(kept, (table, jnp.ones(2)), strict=True))
