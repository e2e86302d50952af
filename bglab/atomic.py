"""The one way to write a file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bglab.errors import InputError


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash at any moment, sees the old content or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_or_refuse(path: Path, content: bytes, kind: str) -> None:
    """`write_atomically`, with an `InputError` that says what could not be written where."""
    try:
        write_atomically(path, content)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"The {kind} cannot be written to {path} ({reason}): choose another place."
        ) from None
