"""Tables in the cache folder: found again, made anew where damaged, and used all the same where nothing can be kept."""

from __future__ import annotations

import numpy as np
import pytest

from bglab.value import tablefile
from bglab.value.tablefile import cache_folder, cached


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BGLAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Maker:
    """Counts how often it is asked."""

    times = 0

    def __call__(self):
        self.times += 1
        return {"a": np.arange(5.0), "b": np.ones((2, 2))}


def test_made_once(folder):
    make = Maker()
    for _ in range(3):
        found = cached("test", 4, make)
        assert found["a"].tolist() == [0, 1, 2, 3, 4]
        assert found["b"].dtype == np.float64
    assert make.times == 1
    cached("test", 5, make)
    assert make.times == 2
    assert len(list(folder.iterdir())) == 2


def test_a_damaged_or_different_file_is_made_anew(folder, monkeypatch):
    make = Maker()
    cached("test", 4, make)
    path = next(folder.iterdir())
    content = path.read_bytes()
    flipped = bytearray(content)
    flipped[-5] ^= 1
    for k, damaged in enumerate((bytes(flipped), content[:-40], b"", b"not a table")):
        path.write_bytes(damaged)
        assert cached("test", 4, make)["a"].tolist() == [0, 1, 2, 3, 4]
        assert make.times == k + 2
        assert path.read_bytes() == content
    cached("other", 4, make)
    (folder / "bearoff-other-4.safetensors").replace(path)
    cached("test", 4, make)
    assert make.times == 7
    monkeypatch.setattr(tablefile, "VERSION", 2)
    cached("test", 4, make)
    assert make.times == 8


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BGLAB_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(UserWarning, match="cannot be written"):
        assert cached("test", 4, Maker())["a"].tolist() == [0, 1, 2, 3, 4]


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("BGLAB_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("BGLAB_CACHE")
    assert cache_folder() == tmp_path / "shared" / "bglab"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "bglab"
