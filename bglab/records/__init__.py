"""Matches on file: the record of a match, and the formats it is read from and written to."""

from bglab.records.files import read, write
from bglab.records.record import Action, CubeAction, Game, Match, Play, Resignation, Setup
from bglab.records.replay import Moment

__all__ = [
    "Action",
    "CubeAction",
    "Game",
    "Match",
    "Moment",
    "Play",
    "Resignation",
    "Setup",
    "read",
    "write",
]
