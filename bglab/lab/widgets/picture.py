"""A situation drawn: the picture of `bglab.rules.drawing` with the cube in a column at its left, and the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bglab.errors import InputError
from bglab.rules.drawing import (
    BOTTOM,
    EDGE,
    HEIGHT,
    LEFT,
    MIDDLE,
    THEMES,
    TOP,
    WIDTH,
    Theme,
    _description,
    _label,
    _Picture,
)
from bglab.rules.notation import format_play
from bglab.rules.reference import Turn
from bglab.rules.situation import Situation

COLUMN = 46
"""Width of the column of the cube, at the left of what `bglab.rules.drawing` draws."""
CUBE_X = -17
"""The middle of the cube."""


def theme_of(name: str, swap: bool) -> Theme:
    """A theme by name; `swap` gives the side on roll the other side's colours."""
    if name not in THEMES:
        raise InputError(f"No theme is called {name!r}: choose one of {', '.join(THEMES)}.")
    theme = THEMES[name]
    return replace(theme, me=theme.opp, opp=theme.me) if swap else theme


def svg(
    situation: Situation,
    play: Turn | None = None,
    *,
    flip: bool = False,
    swap: bool = False,
    theme: str = "light",
    size: int = WIDTH + COLUMN,
) -> str:
    """The situation as an SVG element.

    play : a turn of its position, drawn as arrows.
    flip : show the side on roll at the top; the points keep its numbering.
    swap : exchange the colours of the two sides.
    theme : "light" or "dark".
    size : width in pixels; the height follows.
    """
    position, dice = situation.position, situation.dice
    picture = _Situation(position, theme_of(theme, swap), flip, situation)
    moves = play.moves if play else ()
    note = format_play(position, moves) if play else ""
    rolled = f"{dice[0]}-{dice[1]}" if dice else ""
    words = _description(position, rolled, note)
    if swap:
        words = words.replace("blue", "#").replace("yellow", "blue").replace("#", "yellow")
    if flip:
        words = words.replace("to the bottom right", "to the top right")
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-COLUMN} 0 {WIDTH + COLUMN} {HEIGHT}" width="{size}"'
        f' height="{size * HEIGHT / (WIDTH + COLUMN):.0f}" style="max-width:100%" role="img"'
        ' font-family="system-ui,Segoe UI,Helvetica,Arial,sans-serif">',
        f"<title>Backgammon position {position.id}</title>",
        f"<desc>{words} {cube_words(situation)}</desc>",
        *picture.board(),
        *picture.labels(" ".join(filter(None, (rolled and f"{rolled}:" if note else rolled, note)))),
        *picture.checkers(),
        *picture.arrows(moves),
        *(picture.dice(dice) if dice else ()),
        *picture.cube(),
        "</svg>",
    ]
    return "\n".join(body)


def cube_words(situation: Situation) -> str:
    """Cube and score in words."""
    owner = {1: "owned by the side on roll", 0: "in the middle", -1: "owned by the opponent"}
    value = f"Cube {situation.cube_value}, {owner[situation.cube_owner]}."
    if not situation.length:
        return value
    crawford = ", Crawford game" if situation.crawford else ""
    return f"{value} Score {situation.score[0]}-{situation.score[1]}, match to {situation.length}{crawford}."


@dataclass(frozen=True, slots=True)
class _Situation(_Picture):
    """A drawing in the making, with the cube and the score."""

    situation: Situation

    def board(self) -> Iterator[str]:
        """As the plain drawing's, and the column of the cube."""
        yield f'<rect x="{-COLUMN}" width="{WIDTH + COLUMN}" height="{HEIGHT}" rx="8" fill="{self.theme.page}"/>'
        yield from _Picture.board(self)
        # Over the rounded corners of the board's frame, so that no seam shows between the two.
        yield f'<path d="M12 26H-38a8 8 0 0 0-8 8v434a8 8 0 0 0 8 8H12z" fill="{self.theme.frame}"/>'

    def score(self, mine: bool) -> str:
        situation = self.situation
        if not situation.length:
            return ""
        crawford = " Crawford" if situation.crawford else ""
        return f" · {situation.score[not mine]} of {situation.length}{crawford}"

    def labels(self, note: str) -> Iterator[str]:
        """As the plain drawing's, with the score."""
        mine, theirs = self.position.pips
        for y, colours, who, right in (
            (self.y(489), self.theme.me, f"On roll · {mine} pips{self.score(True)}", note),
            (self.y(13), self.theme.opp, f"Opponent · {theirs} pips{self.score(False)}", self.position.id),
        ):
            yield f'<circle cx="{LEFT + 7}" cy="{y:g}" r="6.5" fill="{colours[0]}" stroke="{colours[1]}"/>'
            yield _label(LEFT + 21, y, who, self.theme.ink, 15, "start")
            yield _label(EDGE, y, right, self.theme.ink, 15 if right is note else 12, "end")

    def cube(self) -> Iterator[str]:
        owner, value = self.situation.cube_owner, self.situation.cube_value
        y = self.y({1: BOTTOM - 20, 0: MIDDLE, -1: TOP + 20}[owner])
        yield (
            f'<rect x="{CUBE_X - 17}" y="{y - 17:g}" width="34" height="34" rx="5" fill="{self.theme.frame_ink}"'
            f' stroke="{self.theme.ink}" stroke-width="1.5"/>'
        )
        # A cube that nobody has turned yet shows 64, as on a table.
        face = str(64 if value == 1 else value)
        yield _label(CUBE_X, y, face, self.theme.frame, cube_size(face), "middle", bold=True)


def cube_size(face: str) -> int:
    """The size of the number on the cube, so that it stays inside."""
    return {1: 19, 2: 17, 3: 14, 4: 12}.get(len(face), 10)


def themes() -> dict[str, dict[str, Sequence[str] | str]]:
    """Every theme's colours by name, for the page."""
    return {
        name: {key: getattr(theme, key) for key in theme.__dataclass_fields__}
        for name, theme in THEMES.items()
    }
