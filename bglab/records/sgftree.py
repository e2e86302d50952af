"""The syntax of SGF, whatever the game: trees of nodes, nodes of properties, properties of values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from bglab.errors import InputError

Node = dict[str, list[tuple[str, int]]]
"""The values of each property of a node, escapes and all, and where in the text each begins."""

_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)


def trees(text: str, fault: Callable[[int, str], InputError]) -> Iterator[list[Node]]:
    """The main line of each game tree. fault makes an error of an offset and what is wrong there."""
    place = text.find("(;")
    if place < 0:
        raise fault(0, 'an SGF file has a game tree, which begins with "(;"')
    depth, done = 0, False
    nodes: list[Node] = []
    values: list[tuple[str, int]] | None = None
    while found := _TOKEN.match(text, place):
        mark, name, value = found.groups()
        start, place = found.start(found.lastindex or 0), found.end()
        if mark == "(":
            depth, values = depth + 1, None
            if depth == 1:
                nodes, done = [], False
        elif mark == ")":
            depth, done = depth - 1, True
            if depth < 0:
                raise fault(start, "a game tree ends that never began")
            if depth == 0:
                yield nodes
        elif depth == 0:
            raise fault(start, "a game tree must begin with (")
        elif done:  # another variation than the first
            continue
        elif mark == ";":
            values = None
            nodes.append({})
        elif name is not None:
            if not nodes:
                raise fault(start, "a property comes before the first node")
            # older files spell properties out: "GaMe" is GM
            values = nodes[-1].setdefault("".join(filter(str.isupper, name)), [])
        elif values is None:
            raise fault(start, "a value without its property")
        else:
            values.append((value, start))
    rest = text[place:].lstrip()
    if rest.strip("\0\x1a \t\r\n"):
        raise fault(len(text) - len(rest), "this is not SGF")
    if depth:
        raise fault(len(text), "the file ends within a game tree")


def full(node: Node, key: str) -> str:
    """The first value of a property, escapes resolved; "" where there is none."""
    values = node.get(key)
    if not values:
        return ""
    return re.sub(r"\\(?:\r\n|\n\r|\n|\r|(.))", lambda found: found[1] or "", values[0][0], flags=re.DOTALL)


def plain(node: Node, key: str) -> str:
    """The same on one line."""
    return " ".join(full(node, key).split())
