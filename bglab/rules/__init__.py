"""What is legal: positions, their text forms and drawings, and the complete turns of a roll.

The batched generator on JAX is in `bglab.rules.turns`; nothing here imports it.
"""

from bglab.rules.identifiers import parse
from bglab.rules.notation import format_play, parse_play
from bglab.rules.position import Position
from bglab.rules.reference import Turn, find_turn, legal_turns
from bglab.rules.situation import Situation

__all__ = [
    "Position",
    "Situation",
    "Turn",
    "find_turn",
    "format_play",
    "legal_turns",
    "parse",
    "parse_play",
]
