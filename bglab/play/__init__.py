"""Agents, games, matches and tournaments."""
