"""GNU Backgammon's SGF dialect, written."""

from __future__ import annotations

from bglab.errors import InputError
from bglab.records.record import Action, CubeAction, Game, Match, Play, Resignation, Setup, require_games
from bglab.records.sgf import RULES, TAGS
from bglab.rules.position import BAR, OFF

COLOURS = "WB"


def to_sgf(match: Match) -> str:
    """The text of an SGF file; tags that SGF has no property for are left out."""
    require_games(match)
    return "".join(_game(match, number, game) for number, game in enumerate(match.games))


def _game(match: Match, number: int, game: Game) -> str:
    white, black = game.score
    root = (
        f"(;FF[4]GM[6]CA[UTF-8]AP[bglab]MI[length:{match.length}][game:{number}][ws:{white}][bs:{black}]"
        f"PW[{_text(match.players[0])}]PB[{_text(match.players[1])}]"
    )
    if number == 0:
        tags = dict(match.tags)
        for key, tag in TAGS.items():
            if value := " ".join(tags.get(tag, "").split()):
                root += f"{key}[{_text(value.replace('.', '-') if key == 'DT' else value)}]"
        if match.comment:
            root += f"GC[{_text(match.comment)}]"
    if rules := _rules(match, game):
        root += f"RU[{':'.join(rules)}]"
    if game.winner is not None:
        resigned = any(isinstance(action, Resignation) for action in game.actions)
        root += f"RE[{COLOURS[game.winner]}+{game.points}{'R' * resigned}]"
    if game.comment:
        root += f"C[{_text(game.comment)}]"
    return (
        "\n".join((root, *(_node(action) for action in game.actions if not isinstance(action, Resignation))))
        + ")\n"
    )


def _rules(match: Match, game: Game) -> list[str]:
    names = {variant: rule.capitalize() for rule, variant in RULES.items()}
    said = {
        "Crawford": match.length and match.crawford,
        "CrawfordGame": game.crawford,
        "Jacoby": match.jacoby,
        "Beavers": match.beavers,
        names.get(match.variant, ""): match.variant in names,
    }
    return [name for name, holds in said.items() if holds]


def _node(action: Action) -> str:
    colour = COLOURS[action.player]
    if isinstance(action, Setup):
        return _setup(action, colour)
    comment = f"C[{_text(action.comment)}]" if action.comment else ""
    if isinstance(action, CubeAction):
        word = "double" if action.kind in ("beaver", "raccoon") else action.kind
        return f";{colour}[{word}]{comment}"
    assert isinstance(action, Play)
    dice = "".join(map(str, action.dice))
    if action.moves is None:
        return f";PL[{colour}]DI[{dice}]{comment}"
    legs = "".join(_letter(place, action.player) for move in action.moves for place in move)
    return f";{colour}[{dice}{legs}]{comment}"


def _setup(setup: Setup, colour: str) -> str:
    mine, theirs = setup.position.me, setup.position.opp
    sides = (theirs, mine) if setup.player else (mine, theirs)
    owner = "c" if setup.cube_owner is None else COLOURS[setup.cube_owner].lower()
    board = "".join(
        f"A{COLOURS[player]}"
        + "".join(f"[{_letter(place, player)}]" * count for place, count in enumerate(counts, 1))
        for player, counts in enumerate(sides)
        if any(counts)
    )
    return f";PL[{colour}]AE[a:y]{board}\n;CV[{setup.cube_value}]\n;CP[{owner}]"


def _letter(place: int, player: int) -> str:
    if place in (OFF, BAR):
        return "z" if place == OFF else "y"
    if not OFF < place < BAR:
        raise InputError(f"A play has no location {place}: use 0 to 25.")
    return chr(ord("a") + (24 - place if player else place - 1))


def _text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
