"""Both encodings against an encoder written from document 000's pseudo-code, and the table they are summed from."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab.errors import InputError
from bglab.rules import Position
from bglab.rules.planes import flip, pack
from bglab.value.encoding import (
    ENCODINGS,
    PAIRED_ROWS,
    PLACE_ROWS,
    PURETD,
    TESAURO,
    encode,
    find_encoding,
    paired,
    place_features,
    place_rows,
)
from tests import samples

encoded = jax.jit(encode, static_argnums=1)  # one program, not one for each of its steps


def naive(position: Position, encoding: str) -> np.ndarray:
    """Document 000, section 5.2, for the side on roll; PureTD orders and scales bars and trays its own way."""
    x = np.zeros(196, np.float32)
    sides = ((position.me, position.off[0]), (position.opp, position.off[1]))
    for side, (checkers, off) in enumerate(sides):
        base = 96 * side if encoding == "tesauro" else 98 * side
        for p in range(1, 25):
            n = checkers[p - 1] if side == 0 else checkers[25 - p - 1]
            b = base + (p - 1) * 4
            if n >= 1:
                x[b] = 1
            if n >= 2:
                x[b + 1] = 1
            if n >= 3:
                x[b + 2] = 1
            if n > 3:
                x[b + 3] = (n - 3) / 2
        bar = checkers[24]
        if encoding == "tesauro":
            x[192 + side] = np.sqrt(bar)
            x[194 + side] = np.sqrt(off)
        else:
            x[base + 96] = bar / 2
            x[base + 97] = off / 15
    return x


@pytest.fixture(scope="module")
def many() -> list[Position]:
    return samples.realistic(1000, seed=1) + samples.adversarial(1000, seed=2)


@pytest.fixture(scope="module")
def batch(many):
    return jnp.asarray(pack(many))


@pytest.mark.parametrize("name", ENCODINGS)
def test_equal_to_the_pseudo_code(name, many, batch):
    found = encoded(batch, find_encoding(name))
    assert found.dtype == jnp.float32
    assert found.shape == (len(many), find_encoding(name).width) == (2000, 196)
    wanted = np.stack([naive(position, name) for position in many])
    assert np.allclose(found, wanted, atol=1e-6, rtol=0)
    assert np.array_equal(np.asarray(found) != 0, wanted != 0)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_sum_of_places(name, batch):
    encoding = find_encoding(name)
    features = place_features(encoding)
    assert features.shape == (PLACE_ROWS, 196)
    table = np.asarray(jax.jit(paired)(jnp.asarray(features)))
    index = np.stack(jax.jit(place_rows)(batch), 1)
    assert table.shape == (PAIRED_ROWS, 196)
    assert index.shape == (len(batch), 14)
    assert index.min() >= 0
    assert index.max() < PAIRED_ROWS
    assert np.allclose(table[index].sum(1), encoded(batch, encoding), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ENCODINGS)
def test_one_position_and_several_axes(name, batch):
    encoding = find_encoding(name)
    flat = encoded(batch[:6], encoding)
    assert np.array_equal(encoded(batch[0], encoding), flat[0])
    assert np.array_equal(encoded(batch[:6].reshape(2, 3, 8), encoding), flat.reshape(2, 3, 196))


def test_the_examples_of_the_document():
    """One checker reads 1000, three 1110, five 1111; seven have 2 as excess."""
    position = Position.of(me={24: 1, 13: 3, 6: 5, 1: 2}, opp={23: 7, "bar": 4})
    x = np.asarray(encoded(jnp.asarray(pack([position])), TESAURO))[0]
    points = x[:192].reshape(2, 24, 4)
    assert points[0, 23].tolist() == [1, 0, 0, 0]
    assert points[0, 12].tolist() == [1, 1, 1, 0]
    assert points[0, 5].tolist() == [1, 1, 1, 1]
    assert points[0, 0].tolist() == [1, 1, 0, 0]
    assert points[1, 1].tolist() == [1, 1, 1, 2]  # the opponent's point 23 is the mover's 2
    assert x[192:].tolist() == [0, 2, 2, 2]


def test_puretd_layout():
    position = Position.of(me={6: 9, "bar": 1}, opp={1: 2, "bar": 3})
    x = np.asarray(encoded(jnp.asarray(pack([position])), PURETD))[0]
    assert x[20:24].tolist() == [1, 1, 1, 3]
    assert x[96:98] == pytest.approx([1 / 2, 5 / 15])
    assert x[98 + 92 : 98 + 96].tolist() == [1, 1, 0, 0]
    assert x[194:196] == pytest.approx([3 / 2, 10 / 15])
    assert np.count_nonzero(x) == 4 + 2 + 2 + 2


def test_flipping_swaps_the_sides(batch):
    x, turned = (np.asarray(encoded(positions, TESAURO)) for positions in (batch, jax.jit(flip)(batch)))
    points, turned_points = (y[:, :192].reshape(-1, 2, 24, 4) for y in (x, turned))
    assert np.array_equal(turned_points, points[:, ::-1, ::-1])
    assert np.array_equal(turned[:, 192:], x[:, [193, 192, 195, 194]])


def test_about_28_inputs_are_active(many, batch):
    """The median that the document reports; the table of places has one row for every place."""
    active = np.count_nonzero(np.asarray(encoded(batch[:500], TESAURO)), axis=1)
    assert 22 <= np.median(active) <= 32
    assert PLACE_ROWS == 24 * 31 + 2 * 256


def test_the_table_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        place_features(TESAURO)[0, 0] = 1


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", ["Tesauro", "", None, ["tesauro"]])
def test_unknown_encodings_are_refused(name):
    with pytest.raises(InputError, match=r"There is no encoding .*: choose one of tesauro, puretd\."):
        find_encoding(name)
