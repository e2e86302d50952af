"""The archive in an .xg file, unpacked within bounds.

A header with a picture comes first, then files packed by zlib one after another, a registry of them and at the very end
a few words that say how long each part is. One of the files, temp.xg, holds the match in records of one size.
"""

from __future__ import annotations

import struct
import zlib

from bglab.errors import InputError

RECORD = 2560
"""Bytes of one record of temp.xg."""

LARGEST = 1 << 27
"""Bytes of temp.xg that are unpacked at most: about 500 games. A small file can claim to hold far more."""

_HEADER = 8232
_END = struct.Struct(
    "<I4iB15x"
)  # checksum, files, version, bytes of registry and of files, whether that is packed
_ENTRY = struct.Struct("<256s256s3iIBB2x")  # name, path, size, size packed, place, checksum, 0 if packed, how
_MOST_FILES = 64  # four in every file that eXtreme Gammon writes


def unpack(content: bytes) -> bytes:
    """The whole records of temp.xg in the bytes of an .xg file; `InputError` says, without the place, what is wrong."""
    end = len(content) - _END.size
    if end < _HEADER:
        raise InputError("it is cut short")
    checksum, count, _, registry_size, files_size, packed = _END.unpack_from(content, end)
    registry = end - registry_size
    files = registry - files_size
    if registry_size < 0 or files_size < 0 or files < _HEADER or not 0 <= count <= _MOST_FILES:
        raise InputError("its archive is damaged or cut short")
    if zlib.crc32(memoryview(content)[files:end]) != checksum:
        raise InputError("its checksum shows that it is damaged")
    size = count * _ENTRY.size
    entries = _inflate(content[registry:end], size) if packed else content[registry : registry + size]
    if len(entries) < size:
        raise InputError("the registry of its archive is damaged")
    for name, _, full, short, start, crc, stored, _ in _ENTRY.iter_unpack(entries[:size]):
        if name[1 : 1 + name[0]].lower() != b"temp.xg":
            continue
        if min(start, short, full) < 0 or start + short > files_size:
            raise InputError("the registry of its archive is damaged")
        if full > LARGEST:
            raise InputError(
                f"the match in it takes {full} bytes, more than the {LARGEST} that are read here"
            )
        data = content[files + start : files + start + short]
        data = data if stored else _inflate(data, full)
        if len(data) != full or zlib.crc32(data) != crc:
            raise InputError("the match in it is damaged")
        return data[: len(data) - len(data) % RECORD]
    raise InputError("there is no match in its archive")


def _inflate(data: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, size + 1)
    except zlib.error:
        raise InputError("its archive cannot be unpacked") from None
