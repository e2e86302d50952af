"""A record written and read again is the same record; damaged files are refused with a place, never with a crash."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bglab.errors import InputError
from bglab.records import Match, read, write
from bglab.records.mat import read_mat
from bglab.records.matwriter import to_mat
from bglab.records.sgf import read_sgf
from bglab.records.sgfwriter import to_sgf
from tests.records.matches import random_match

SEEDS = st.integers(0, 10**6)


@given(SEEDS)
@settings(max_examples=60)
def test_mat(seed):
    match = random_match(seed)
    assert read_mat(to_mat(match)) == match


@given(SEEDS)
@settings(max_examples=60)
def test_sgf(seed):
    match = random_match(seed, comments=True)
    assert read_sgf(to_sgf(match)) == match


@given(SEEDS)
@settings(max_examples=15)
def test_every_record_is_legal(seed):
    match = random_match(seed)
    match.check()
    moments = list(match.replay())
    assert len(moments) == sum(len(game.actions) for game in match.games)


def test_the_random_matches_hold_everything():
    """The tests above mean something only if all kinds of action and of ending occur."""
    matches = [random_match(seed) for seed in range(120)]
    kinds = {
        getattr(action, "kind", type(action).__name__)
        for match in matches
        for game in match.games
        for action in game.actions
    }
    assert kinds == {"Play", "Resignation", "double", "take", "drop", "beaver", "raccoon"}
    games = [game for match in matches for game in match.games]
    assert {game.winner for game in games} == {None, 0, 1}
    assert any(game.crawford for game in games)
    assert {match.variant for match in matches} == {"standard", "nackgammon", "hypergammon"}
    assert any(
        move[1] == 0
        for game in games
        for action in game.actions
        for move in getattr(action, "moves", None) or ()
    )


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_and_line_ends(ending, encoding, tmp_path):
    match = replace(random_match(5), players=("Jörg Müller", "Zoë"))
    path = tmp_path / "a.mat"
    path.write_bytes(to_mat(match).replace("\n", ending).encode(encoding))
    assert read(path) == match
    assert read(path.read_bytes()) == match


def test_latin_1_bytes_that_windows_does_not_know():
    text = to_mat(replace(random_match(5), players=("Jörg\x81", "Zoë")))
    assert read(text.encode("latin-1")).players == ("Jörg\x81", "Zoë")


@pytest.mark.parametrize("suffix", [".mat", ".sgf", ".txt", ".SGF"])
def test_files(suffix, tmp_path):
    match = random_match(8)
    path = write(match, tmp_path / "folder" / f"match{suffix}")
    assert read(path) == read(str(path)) == match
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.usefixtures("unchecked")
def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "missing.mat")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read("a\0b")
    for nothing in (None, 3, ""):
        with pytest.raises(InputError, match="from a path, a text or bytes"):
            read(nothing)
    with pytest.raises(InputError, match="is cut short"):
        read(b"RGMH\x01\0\0\0")
    for nothing in (None, "a.mat", "x" * 10**6):
        with pytest.raises(InputError, match="A Match is written, not") as caught:
            write(nothing, tmp_path / "a.mat")
        assert len(str(caught.value)) < 200
    with pytest.raises(InputError, match="written to a path, not to None"):
        write(random_match(1), None)
    with pytest.raises(InputError, match="cannot be read") as caught:
        read("x" * 10**6)
    assert len(str(caught.value)) < 300
    with pytest.raises(InputError, match="The format of"):
        write(random_match(1), tmp_path / "a.doc")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write(random_match(1), tmp_path / "file" / "a.mat")
    with pytest.raises(InputError, match="no Unicode"):
        write(replace(random_match(1), players=("\ud800", "b")), tmp_path / "a.mat")
    with pytest.raises(InputError, match="no game"):
        write(Match(("a", "b")), tmp_path / "a.sgf")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            "a.mat, line 1, column 1: this is a PNG picture and no match file: give a",
        ),
        (b"PK\x03\x04\x14\0\0\0", "this is a zip archive and no match file: give a .mat"),
        (b'{"players": ["a", "b"],\n "length": 7}', "so this is no match file: give a .mat, .txt or .sgf"),
        (b"<!DOCTYPE html>\n<html>", "so this is no match file: give a .mat"),
        (b"\x7fELF\x02\x01\x01" + bytes(range(32)) * 50, "so this is no match file: give a .mat"),
        (
            b"\x01" * 9000,
            "column 2001: the line is too long for a .mat file, so this is no match file: give a .mat",
        ),
        (b'{"a": "' + b"x" * 9000 + b'"}', "the line is too long for a .mat file, so this is no match file"),
        (b"", 'without a line such as "7 point match", so this is no match file: give a .mat'),
        (b"; a remark\n", 'without a line such as "7 point match", so this is no match file: give a .mat'),
        (
            b"RGMH\x01\0\0\0",
            "a.mat: by its first bytes this is a binary .xg file of eXtreme Gammon, but it is cut",
        ),
        (b"RGMH" + bytes(9000), "or the match exported from there as .mat"),
    ],
)
def test_files_of_another_kind(content, fault, tmp_path):
    path = tmp_path / "a.mat"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert fault in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark(encoding):
    match = replace(random_match(5), players=("Jörg Müller", "千代"))
    assert read(to_mat(match).encode(encoding)) == match


def test_a_mark_at_the_end_of_old_files():
    match = random_match(5)
    assert read_mat(to_mat(match) + "\x1a\0\0") == match


def refused(read_text, text: str) -> None:
    """Read or refuse: `InputError` with a place is the only way to fail."""
    try:
        read_text(text)
    except InputError as error:
        assert re.match(r"the text, line \d+, column \d+: .*[^.]\.$", str(error)), str(error)  # noqa: PT017
        assert str(error).isprintable()  # noqa: PT017
        assert len(str(error)) < 500  # noqa: PT017


SIGNS = (" ", ":", "/", "*", "0", "7", "25", "\n", "\r", "\0", "?", "(", ")", "[", "]", ";", "\\", "é", "٣")
WORDS = (
    "Doubles => 2",
    " Takes",
    " Drops",
    "Wins 9 points",
    "66:",
    "bar/",
    "(9)",
    "B[double]",
    "DI[77]",
    "AW[c]",
)


def damage(text: str, rng: random.Random) -> str:
    """The text with some of it cut out, doubled, exchanged or overwritten."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([1, 2, 5, 40, 400]))
        piece = rng.choice(
            [
                "",
                text[start:end] * 2,
                text[start:end][::-1],
                rng.choice(SIGNS),
                rng.choice(WORDS),
            ]
        )
        text = text[:start] + piece + text[end:]
    return text


SOURCES = [
    (reader, writer(random_match(seed)))
    for seed in range(12)
    for reader, writer in ((read_mat, to_mat), (read_sgf, to_sgf))
]


@given(st.sampled_from(SOURCES), SEEDS)
@settings(max_examples=400)
def test_damaged_files(source, seed):
    reader, text = source
    refused(reader, damage(text, random.Random(seed)))


@given(st.sampled_from(SOURCES), st.floats(0, 1))
@settings(max_examples=100)
def test_truncated_files(source, share):
    reader, text = source
    refused(reader, text[: int(share * len(text))])


@given(st.sampled_from([read_mat, read_sgf]), st.text())
def test_noise(reader, text):
    refused(reader, text)
    refused(reader, " 5 point match\n Game 1\n a : 0   b : 0\n" + text)
    refused(reader, "(;GM[6]" + text)


@given(st.binary())
def test_random_bytes(content):
    try:
        read(content)
    except InputError as error:
        assert "line " in str(error) or content.startswith(b"RGMH")  # noqa: PT017


PIECES = (" ", "1:", "a : ", "1) ", "31: ", "8/5 ", "pass ", "(", "[", "\\", ";", "(;", '; [a "', "31:8/5 ")


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("reader", [read_mat, read_sgf])
def test_long_repetitions_take_no_time(piece, reader):
    """Patterns that try every way to split a line would take hours here."""
    long = piece * 20_000
    heading = " 5 point match\n Game 1\n"
    for text in (long, heading + long, f"{heading} a : 0   b : 0\n{long}", f"(;GM[6]C[{long}"):
        refused(reader, text)
        refused(reader, text[:1500])
