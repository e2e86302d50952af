"""Match equity tables on disk: JSON of our own, and the XML of GNU Backgammon; both checked when read."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from bglab.atomic import write_or_refuse
from bglab.cube.match_equity import MatchEquity
from bglab.errors import InputError

SHIPPED = Path(__file__).parents[1] / "data" / "met"
DEFAULT = "Kazaross-XG2"
KIND = "match equity table"


def shipped_tables() -> list[str]:
    """Names of the tables that come with bglab."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


@cache
def _shipped(name: str) -> MatchEquity:
    return _read(SHIPPED / f"{name}.json")


def load_met(name: str | Path = DEFAULT) -> MatchEquity:
    """A shipped table by name, or a table from a file: JSON of `save_met`, or GNU Backgammon's XML (.xml).

    The XML must list its numbers (type "explicit"), the same for both sides. Raises `InputError` for anything else.
    """
    if str(name) in shipped_tables():
        return _shipped(str(name))
    path = Path(str(name))
    if not path.is_file():
        known = ", ".join(shipped_tables())
        raise InputError(
            f"There is no match equity table {str(name)!r}: give the path of a .json or .xml file, or one of {known}."
        )
    return _read(path)


def save_met(table: MatchEquity, path: str | Path) -> None:
    """Write a table as JSON, a row to a line, with its name and origin; atomically."""
    rows = ",\n    ".join(json.dumps(np.asarray(row, np.float64).tolist()) for row in table.pre)
    head = {"kind": KIND, "name": table.name, "origin": table.origin}
    text = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    post = json.dumps(np.asarray(table.post, np.float64).tolist())
    text += f',\n  "post_crawford": {post},\n  "pre_crawford": [\n    {rows}\n  ]\n}}\n'
    write_or_refuse(Path(path), text.encode(), KIND)


def _read(path: Path) -> MatchEquity:
    where = f"The {KIND} file {path}"
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".xml":
            name, origin, pre, post = _from_xml(ElementTree.fromstring(text), where)
        else:
            about = json.loads(text)
            if not isinstance(about, dict) or about.get("kind") != KIND:
                raise InputError(
                    f"{where} holds no bglab {KIND}: write it with save_met, or give an .xml file."
                )
            name, origin = str(about.get("name", path.stem)), str(about.get("origin", ""))
            pre, post = about.get("pre_crawford"), about.get("post_crawford")
    except InputError:
        raise
    except (OSError, ValueError, RecursionError, ElementTree.ParseError) as error:
        raise InputError(f"{where} cannot be read ({error}): restore it or give another.") from None
    try:
        before, after = np.array(pre, np.float64), np.array(post, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{where} has entries that are no numbers: correct them.") from None
    square = before.ndim == 2 and before.shape[0] == before.shape[1] > 1
    if not square or after.ndim != 1 or len(after) < len(before) - 1:
        raise InputError(
            f"{where} has a pre-Crawford table {list(before.shape)} and {after.size} post-Crawford numbers: give a "
            "square and as many numbers."
        )
    if len(after) < len(before):
        # The last one is never asked for: a side that still needs all its points has not lost a Crawford game yet.
        after = np.append(after, min(before[-1, 0], after[-1]))
    try:
        return MatchEquity(before, after[: len(before)], name, origin)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _from_xml(root: ElementTree.Element, where: str) -> tuple[str, str, Any, Any]:
    tables = [root.find("pre-crawford-table"), root.find("post-crawford-table")]
    if root.tag != "met" or any(table is None for table in tables):
        raise InputError(
            f"{where} is no match equity table of GNU Backgammon: give one with pre- and post-Crawford tables."
        )
    numbers = []
    for table in tables:
        assert table is not None
        kind = table.get("type", "explicit")
        if kind != "explicit":
            raise InputError(
                f"{where} is computed by a formula ({kind}): give a table that lists its numbers (explicit)."
            )
        numbers.append([[each.text for each in row.iter("me")] for row in table.iter("row")])
    post = root.findall("post-crawford-table")
    if len(post) > 1 and [each.text for each in post[1].iter("me")] != numbers[1][0]:
        raise InputError(
            f"{where} is for sides of different strength: give a table with one post-Crawford row."
        )
    name = (root.findtext("info/name") or "").strip()
    origin = " ".join((root.findtext("info/description") or "").split())
    return name, origin, numbers[0], numbers[1][0] if numbers[1] else []
