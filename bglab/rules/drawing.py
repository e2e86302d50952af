"""A position drawn: as plain text, and as an SVG picture that needs no fonts, scripts or other files.

Both show the board as the side on roll sees it: its home at the bottom right, its point 1 in that corner. The two
sides differ in lightness as well as in hue, so the picture reads in grey and with any colour vision.
"""

from __future__ import annotations

import html
import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bglab.errors import InputError
from bglab.rules.notation import format_play
from bglab.rules.position import BAR, OFF, Position
from bglab.rules.reference import Turn

ROWS = 5
"""Checkers drawn on a point; a taller stack shows its number on the last of them."""


def text(position: Position) -> str:
    """The board in plain characters: X is on roll and moves to the bottom right, O is the other side."""
    (my_pips, their_pips), (my_off, their_off) = position.pips, position.off
    upper, lower = (range(13, 19), range(19, 25)), (range(12, 6, -1), range(6, 0, -1))
    lines = [
        f" O: {their_pips} pips, {their_off} off",
        _text_edge(*upper),
        *(_text_row(position, *upper, "X", row) for row in range(ROWS)),
        " |" + " " * 18 + "|BAR|" + " " * 18 + "|",
        *(_text_row(position, *lower, "O", row) for row in reversed(range(ROWS))),
        _text_edge(*lower),
        f" X: {my_pips} pips, {my_off} off, on roll",
    ]
    return "\n".join(lines)


def _text_edge(left: range, right: range) -> str:
    numbers = [f"-{point}-" if point < 10 else f"{point}-" for point in left]
    numbers += ["-----", *(f"-{point}-" if point < 10 else f"-{point}" for point in right)]
    return " +" + "".join(numbers) + "+"


def _text_row(position: Position, left: range, right: range, bar_side: str, row: int) -> str:
    def cell(symbol: str, count: int, depth: int) -> str:
        if count > ROWS and depth == ROWS - 1:
            return f"{count:>2} "
        return f" {symbol if count > depth else ' '} "

    def point(place: int) -> str:
        mine, theirs = position.me[place - 1], position.opp[24 - place]
        return cell("X" if mine else "O", mine or theirs, row)

    on_bar = (position.me if bar_side == "X" else position.opp)[24]
    bar = cell(bar_side, on_bar, ROWS - 1 - row)
    return " |" + "".join(map(point, left)) + f"|{bar}|" + "".join(map(point, right)) + "|"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a drawing; each side has a fill, an edge, and an ink that reads on the fill."""

    page: str
    ink: str
    frame: str
    frame_ink: str
    felt: str
    points: tuple[str, str]
    me: tuple[str, str, str]
    opp: tuple[str, str, str]
    arrow: str


THEMES = {
    "light": Theme(
        page="#ffffff",
        ink="#2b2f36",
        frame="#5a4e44",
        frame_ink="#f4eee4",
        felt="#f1ebdf",
        points=("#d9cdb8", "#c3b49a"),
        me=("#1d4e89", "#0c2a4d", "#ffffff"),
        opp=("#ffc24b", "#8a5a00", "#2b1d00"),
        arrow="#101418",
    ),
    "dark": Theme(
        page="#16191d",
        ink="#e4e7eb",
        frame="#0b0d0f",
        frame_ink="#c9ced6",
        felt="#2b3036",
        points=("#3c434b", "#4d555f"),
        me=("#4f9be8", "#d4e8ff", "#06182b"),
        opp=("#ffc24b", "#fff0cf", "#2b1d00"),
        arrow="#ffffff",
    ),
}
"""The themes of `svg` by name."""

# The layout, in units of the picture. The board looks the same upside down, so a flip is y -> HEIGHT - y.
WIDTH, HEIGHT = 612, 502
CELL, RADIUS = 40, 17.5
TOP, MIDDLE, BOTTOM = 46, 251, 456
LEFT, BAR_LEFT, RIGHT, TRAY_LEFT, EDGE = 14, 254, 300, 552, 598
BAR_X, TRAY_X = 277, 575
TRIANGLE = 168

Length: TypeAlias = int | float
Spot: TypeAlias = tuple[Length, Length]


def svg(
    position: Position,
    *,
    dice: Sequence[int] | None = None,
    play: Turn | Sequence[tuple[int, int]] | None = None,
    flip: bool = False,
    theme: str = "light",
    size: int = WIDTH,
) -> str:
    """The board as an SVG element.

    dice : two numbers to show.
    play : a `Turn` of this position, or its moves (from, to; 25 = bar, 0 = off), drawn as arrows.
    flip : show the side on roll at the top; the points keep its numbering.
    theme : "light" or "dark".
    size : width in pixels; the height follows.

    Raises `InputError` for a theme, a size, dice or moves that cannot be drawn.
    """
    if theme not in THEMES:
        raise InputError(f"No theme is called {theme!r}: choose one of {', '.join(THEMES)}.")
    if size < 1:
        raise InputError(f"A drawing is at least 1 pixel wide, not {size}.")
    if dice is not None and not (len(dice) == 2 and all(die in range(1, 7) for die in dice)):
        raise InputError(f"Dice are two whole numbers from 1 to 6, such as (3, 1), not {dice!r}.")
    if isinstance(play, str):
        raise InputError(f"The arrows of {play!r} need its moves: pass the turn that find_turn gives for it.")
    moves = play.moves if isinstance(play, Turn) else tuple(play or ())
    picture = _Picture(position, THEMES[theme], flip)
    arrows = list(picture.arrows(moves))
    note = "" if play is None else format_play(position, moves)
    rolled = "" if dice is None else f"{dice[0]}-{dice[1]}"
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{size}"'
        f' height="{size * HEIGHT / WIDTH:.0f}" style="max-width:100%" role="img"'
        ' font-family="system-ui,Segoe UI,Helvetica,Arial,sans-serif">',
        f"<title>Backgammon position {position.id}</title>",
        f"<desc>{_description(position, rolled, note)}</desc>",
        *picture.board(),
        *picture.labels(" ".join(filter(None, (rolled and f"{rolled}:" if note else rolled, note)))),
        *picture.checkers(),
        *arrows,
        *(picture.dice(dice) if dice else ()),
        "</svg>",
    ]
    return "\n".join(body)


def image(
    position: Position,
    *,
    dice: Sequence[int] | None = None,
    play: Turn | Sequence[tuple[int, int]] | None = None,
    flip: bool = False,
    theme: str = "light",
    size: int = WIDTH,
) -> str:
    """The picture of `svg` as an HTML image that holds it.

    Pages that strip drawings out of HTML for safety (notebooks not yet trusted, code hosts) show images; the
    description is the image's alternative text.
    """
    return embedded(svg(position, dice=dice, play=play, flip=flip, theme=theme, size=size), size)


def embedded(drawn: str, size: int | None = None) -> str:
    """An SVG element as an HTML image that holds it, `size` pixels wide; its description is the alternative text."""
    words = drawn.partition("<desc>")[2].partition("</desc>")[0]
    source = b64encode(drawn.encode()).decode()
    width = "" if size is None else f' width="{size}"'
    return (
        f'<img src="data:image/svg+xml;base64,{source}" alt="{html.escape(words)}"{width}'
        ' style="max-width:100%">'
    )


def _description(position: Position, rolled: str, note: str) -> str:
    """The picture in words, for screen readers and for those who cannot see it."""

    def side(counts: tuple[int, ...], off: int, pips: int) -> str:
        places = [
            (f"point {place}" if place <= 24 else "the bar", count) for place, count in enumerate(counts, 1)
        ]
        shown = [f"{count} on {place}" for place, count in reversed(places) if count]
        return f"{', '.join([*shown, f'{off} borne off'])}; {pips} pips"

    (my_off, their_off), (my_pips, their_pips) = position.off, position.pips
    return (
        f"On roll, blue, moving to the bottom right: {side(position.me, my_off, my_pips)}."
        f" Opponent, yellow, in its own numbering: {side(position.opp, their_off, their_pips)}."
        + (f" Dice {rolled}." if rolled else "")
        + (f" Play {note}." if note else "")
    )


@dataclass(frozen=True, slots=True)
class _Picture:
    """One drawing in the making: every method yields SVG elements."""

    position: Position
    theme: Theme
    flip: bool

    def y(self, y: Length) -> Length:
        return HEIGHT - y if self.flip else y

    def spot(self, place: int, slot: int, *, mine: bool = True) -> Spot:
        """The middle of the slot-th checker (from 0) at a location of the mover's numbering; bar and tray by side."""
        slot = min(slot, ROWS - 1)
        if place in (OFF, BAR):
            # My checkers wait on the upper half of the bar, where they enter, and go off at the bottom.
            height = MIDDLE - 26 - 2 * RADIUS * slot if place == BAR else BOTTOM - 84
            return BAR_X if place == BAR else TRAY_X, self.y(height if mine else HEIGHT - height)
        column = place - 1 if place <= 12 else 24 - place
        x = (RIGHT if column < 6 else LEFT) + CELL * (5.5 - column % 6)
        depth = RADIUS + 1 + 2 * RADIUS * slot
        return x, self.y(BOTTOM - depth if place <= 12 else TOP + depth)

    def board(self) -> Iterator[str]:
        theme = self.theme
        yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{theme.page}"/>'
        yield f'<rect y="26" width="{WIDTH}" height="450" rx="8" fill="{theme.frame}"/>'
        for left, width in ((LEFT, 6 * CELL), (RIGHT, 6 * CELL), (TRAY_LEFT, EDGE - TRAY_LEFT)):
            yield f'<rect x="{left}" y="{TOP}" width="{width}" height="{BOTTOM - TOP}" fill="{theme.felt}"/>'
        yield f'<path d="M{TRAY_LEFT} {MIDDLE}H{EDGE}" stroke="{theme.frame}" stroke-width="6"/>'
        for place in range(1, 25):
            x, y = self.spot(place, 0)
            base, tip = (BOTTOM, BOTTOM - TRIANGLE) if y > MIDDLE else (TOP, TOP + TRIANGLE)
            yield f'<path d="M{x - 19:g} {base}h38L{x:g} {tip}z" fill="{theme.points[place % 2]}"/>'
            yield _label(x, base + (10 if base == BOTTOM else -10), str(place), theme.frame_ink, 13, "middle")

    def labels(self, note: str) -> Iterator[str]:
        """Who is on roll, pip counts, what was rolled and played, and the Position ID."""
        mine, theirs = self.position.pips
        for y, colours, who, right in (
            (self.y(489), self.theme.me, f"On roll · {mine} pips", note),
            (self.y(13), self.theme.opp, f"Opponent · {theirs} pips", self.position.id),
        ):
            yield f'<circle cx="{LEFT + 7}" cy="{y:g}" r="6.5" fill="{colours[0]}" stroke="{colours[1]}"/>'
            yield _label(LEFT + 21, y, who, self.theme.ink, 15, "start")
            yield _label(EDGE, y, right, self.theme.ink, 15 if right is note else 12, "end")

    def checkers(self) -> Iterator[str]:
        for mine, colours, counts in (
            (True, self.theme.me, self.position.me),
            (False, self.theme.opp, self.position.opp),
        ):
            for place, count in enumerate(counts, 1):
                seen = place if mine or place == BAR else 25 - place
                for slot in range(min(count, ROWS)):
                    yield _disc(self.spot(seen, slot, mine=mine), colours)
                if count > ROWS:
                    yield _label(
                        *self.spot(seen, ROWS - 1, mine=mine), str(count), colours[2], 17, "middle", bold=True
                    )
            yield from self.tray(mine, colours)

    def tray(self, mine: bool, colours: tuple[str, str, str]) -> Iterator[str]:
        off = self.position.off[not mine]
        for slot in range(off):
            y = self.y(BOTTOM - 6 - 10 * slot if mine else TOP + 6 + 10 * slot)
            yield (
                f'<rect x="{TRAY_LEFT + 4}" y="{y - 4:g}" width="{EDGE - TRAY_LEFT - 8}" height="8" rx="2"'
                f' fill="{colours[0]}" stroke="{colours[1]}"/>'
            )
        y = self.y(MIDDLE + 22 if mine else MIDDLE - 22)
        yield _label(TRAY_X, y, f"{off} off", self.theme.ink, 13, "middle")

    def dice(self, dice: Sequence[int]) -> Iterator[str]:
        fill, edge, ink = self.theme.me
        for x, die in zip((398, 442), dice, strict=True):
            yield (
                f'<rect x="{x - 17}" y="{MIDDLE - 17}" width="34" height="34" rx="6" fill="{fill}" stroke="{edge}"'
                ' stroke-width="1.5"/>'
            )
            for across, down in _PIPS[die]:
                yield f'<circle cx="{x + 9 * across}" cy="{MIDDLE + 9 * down}" r="3.4" fill="{ink}"/>'

    def arrows(self, moves: Sequence[tuple[int, int]]) -> Iterator[str]:
        """One arrow for each move, from the checker that leaves to a ring where it arrives."""
        counts = dict(enumerate(self.position.me, 1)) | {OFF: 0}
        for source, target in sorted(moves, reverse=True):
            if not (source in counts and target in counts and target < source and counts[source]):
                raise InputError(
                    f"No checker can be drawn moving from {source} to {target}: give the moves of a Turn."
                )
            counts[source] -= 1
            start, end = self.spot(source, counts[source]), self.spot(target, counts[target])
            counts[target] += 1
            if target != OFF:
                yield (
                    f'<circle cx="{end[0]:g}" cy="{end[1]:g}" r="{RADIUS - 1.25}" fill="none"'
                    f' stroke="{self.theme.arrow}" stroke-width="2.5" stroke-dasharray="4 3"/>'
                )
            yield self.arrow(start, end)

    def arrow(self, start: Spot, end: Spot) -> str:
        """An arrow that bows towards the middle of the board when both ends are on one side of it."""
        (x0, y0), (x1, y1) = start, end
        one_side = (y0 < MIDDLE) == (y1 < MIDDLE)
        bow = min(70.0, 0.3 * math.hypot(x1 - x0, y1 - y0)) * one_side * (1 if y0 < MIDDLE else -1)
        xc, yc = (x0 + x1) / 2, (y0 + y1) / 2 + bow
        length = math.hypot(x1 - xc, y1 - yc) or 1.0
        ux, uy = (x1 - xc) / length, (y1 - yc) / length
        xn, yn = x1 - 13 * ux, y1 - 13 * uy
        shaft = f"M{x0:.1f} {y0:.1f}Q{xc:.1f} {yc:.1f} {xn:.1f} {yn:.1f}"
        head = f"M{x1:.1f} {y1:.1f}L{xn - 7.5 * uy:.1f} {yn + 7.5 * ux:.1f}L{xn + 7.5 * uy:.1f} {yn - 7.5 * ux:.1f}z"
        halo, ink = self.theme.felt, self.theme.arrow
        return (
            f'<path d="{shaft}" fill="none" stroke="{halo}" stroke-width="7" stroke-linecap="round"/>'
            f'<path d="{head}" stroke="{halo}" stroke-width="4" stroke-linejoin="round"/>'
            f'<path d="{head}" fill="{ink}"/>'
            f'<path d="{shaft}" fill="none" stroke="{ink}" stroke-width="3.5" stroke-linecap="round"/>'
        )


_CORNERS = ((-1, -1), (1, 1))
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: _CORNERS,
    3: (*_CORNERS, (0, 0)),
    4: (*_CORNERS, (-1, 1), (1, -1)),
    5: (*_CORNERS, (-1, 1), (1, -1), (0, 0)),
    6: (*_CORNERS, (-1, 1), (1, -1), (-1, 0), (1, 0)),
}


def _disc(spot: Spot, colours: tuple[str, str, str]) -> str:
    return (
        f'<circle cx="{spot[0]:g}" cy="{spot[1]:g}" r="{RADIUS - 0.75}" fill="{colours[0]}" stroke="{colours[1]}"'
        ' stroke-width="1.5"/>'
    )


def _label(
    x: Length, y: Length, words: str, colour: str, size: int, anchor: str, *, bold: bool = False
) -> str:
    weight = ' font-weight="700"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y + 0.35 * size:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}>'
        f"{words}</text>"
    )
