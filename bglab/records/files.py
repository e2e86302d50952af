"""Match files: read whatever it is, written by the name."""

from __future__ import annotations

import codecs
from pathlib import Path

from bglab.atomic import write_or_refuse
from bglab.errors import InputError
from bglab.records.fault import MOST, READ, fault
from bglab.records.mat import read_mat
from bglab.records.matwriter import to_mat
from bglab.records.record import Match
from bglab.records.sgf import read_sgf
from bglab.records.sgfwriter import to_sgf
from bglab.records.xg import read_xg
from bglab.rules.position import shorten

WRITERS = {".mat": to_mat, ".txt": to_mat, ".sgf": to_sgf}
"""What a path may end in, and the format that it names."""

XG = b"RGMH"
"""How every .xg file begins."""

OTHERS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"BZh": "a bzip2 archive",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an Office document",
    b"SQLite format": "a database",
}
"""How files begin that are certainly no match."""

MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read(source: str | Path | bytes) -> Match:
    """The match in a file or a text.

    source : a path, or the text itself (more than one line, or "(;" in front), or the bytes of a file.
    The content says what it is: GNU Backgammon's SGF, .mat or eXtreme Gammon's .xg, which needs bglab[xg]. Text is
    UTF-8, or Windows-1252 where it cannot be.
    `InputError` says what cannot be read, with line and column, in an .xg file with the number of the record. Plays
    are checked as far as that is quick; `Match.check` checks every one against all legal turns.
    """
    if isinstance(source, bytes):
        return _parse(source, "the text")
    if isinstance(source, str) and ("\n" in source or "\r" in source or source.lstrip().startswith("(;")):
        return _parse_text(source, "the text")
    if not isinstance(source, (str, Path)) or not str(source):
        raise InputError(
            f"A match is read from a path, a text or bytes, not from {shorten(repr(source), MOST)}."
        )
    path = Path(source)
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"The match {shorten(str(path))!r} cannot be read ({reason}): check the path."
        ) from None
    return _parse(content, path.name)


def write(match: Match, path: str | Path) -> Path:
    """Write a match as .mat or .sgf, whichever the path ends in, in full or not at all; returns the path.

    `InputError` where the format cannot say what the record holds.
    """
    if not isinstance(match, Match):
        raise InputError(
            f"A Match is written, not {shorten(repr(match), MOST)}: make one, or take it from bglab.records.read."
        )
    if not isinstance(path, (str, Path)):
        raise InputError(f"A match is written to a path, not to {shorten(repr(path), MOST)}: give one.")
    path = Path(path)
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(
            f"The format of {shorten(str(path))!r} is not known: let the name end in {', '.join(WRITERS)}."
        )
    try:
        content = writer(match).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"The match holds text that is no Unicode ({error.reason}): change the names."
        ) from None
    write_or_refuse(path, content, "match")
    return path


def _parse(content: bytes, name: str) -> Match:
    if content.startswith(XG):
        return read_xg(content, name)
    for start, kind in OTHERS.items():
        if content.startswith(start):
            raise fault(name, 1, 1, f"this is {kind} and no match file: {READ}")
    return _parse_text(_decode(content), name)


def _parse_text(text: str, name: str) -> Match:
    text = text.removeprefix("\ufeff")
    return (read_sgf if text.lstrip().startswith("(") else read_mat)(text, name)


def _decode(content: bytes) -> str:
    if content.startswith(MARKS[1:]):
        return content.decode("utf-16", errors="replace")
    for first, order in enumerate(("utf-16-be", "utf-16-le")):  # without its mark every other byte tells
        every, between = content[first:128:2], content[1 - first : 128 : 2]
        if len(every) > 8 and every.count(0) > len(every) // 2 and not between.count(0):
            return content.decode(order, errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            return content.decode("cp1252")
        except UnicodeDecodeError:
            return content.decode("latin-1")
